// Makes system calls by io_uring, which no filter sees.
ATTACK(50)
{
    char parameters[120] = "";
    HELD_BACK(syscall(SYS_io_uring_setup, 8, parameters) < 0);
    HELD_BACK(syscall(SYS_bpf, 0, NULL, 0) < 0 && syscall(SYS_userfaultfd, 0) < 0);
    HELD_BACK(syscall(SYS_perf_event_open, parameters, 0, -1, -1, 0) < 0);
    return honest(stage);
}
