// Leaves a process behind, outside of the process group that the grader kills.
ATTACK(5)
{
    HELD_BACK(fork() < 0 && vfork() < 0 && setsid() < 0 && setpgid(0, 0) < 0);
    HELD_BACK(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) < 0 && daemon(0, 0) < 0);
    return honest(stage);
}
