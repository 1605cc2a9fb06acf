// Writes a verdict to every open descriptor, including the device's socket.
ATTACK(4)
{
    static const char verdict[] = "{\"points\": 100.0, \"status\": \"passed\", \"broken\": \"\"}\n";
    unsigned long long sum = honest(stage);
    for (int fd = 3; fd < 1024; ++fd)
        if (fd != fileno(stage->lab.result))
            keep(write(fd, verdict, sizeof verdict));
    return sum;
}
