ATTACK(23)
{
    int pair[2];
    for (int family : {AF_INET, AF_INET6, AF_UNIX, AF_NETLINK, AF_PACKET, AF_VSOCK})
        for (int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW})
            HELD_BACK(socket(family, type, 0) < 0);
    HELD_BACK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0);
    return honest(stage);
}
