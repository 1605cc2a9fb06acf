// Attacks its parent processes by ptrace and through their memory.
ATTACK(10)
{
    char path[64];
    for (pid_t pid : {getppid(), (pid_t)1}) {
        HELD_BACK(ptrace(PTRACE_ATTACH, pid, 0, 0) < 0 && ptrace(PTRACE_SEIZE, pid, 0, 0) < 0);
        snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
        HELD_BACK(open(path, O_RDWR) < 0);
    }
    HELD_BACK(ptrace(PTRACE_TRACEME, 0, 0, 0) < 0);
    return honest(stage);
}
