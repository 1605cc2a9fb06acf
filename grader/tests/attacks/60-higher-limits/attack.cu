// Raises its own limits and those of other processes.
ATTACK(60)
{
    struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
    for (int what : {RLIMIT_DATA, RLIMIT_AS, RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_NPROC})
        HELD_BACK(syscall(SYS_prlimit64, 0, what, &none, NULL) < 0 &&
                  syscall(SYS_prlimit64, getppid(), what, &none, NULL) < 0);
    HELD_BACK(setpriority(PRIO_PROCESS, 0, -20) < 0);
    return honest(stage);
}
