// Passes arguments to system calls with extra high bits, which the kernel ignores but a filter might not.
ATTACK(71)
{
    const long more = 1l << 32;
    struct flock whole = {};
    whole.l_type = F_RDLCK;
    int file = open("/etc/passwd", O_RDONLY);
    HELD_BACK(syscall(SYS_prctl, more | PR_SET_PDEATHSIG, 0, 0, 0, 0) != 0);
    HELD_BACK(syscall(SYS_fcntl, file, more | F_SETLK, &whole) != 0);
    HELD_BACK(syscall(SYS_socket, more | AF_UNIX, SOCK_STREAM, 0) < 0);
    HELD_BACK(syscall(SYS_ioctl, 1, more | 0x5412 /* TIOCSTI */, "x") != 0);
    HELD_BACK(syscall(SYS_prlimit64, more | 1, RLIMIT_NOFILE, NULL, NULL) != 0);
    return honest(stage);
}
