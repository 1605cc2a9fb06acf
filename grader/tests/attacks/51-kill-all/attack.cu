// Kills all processes that it can reach.
ATTACK(51)
{
    kill(getppid(), SIGKILL);
    kill(-1, SIGKILL);
    for (pid_t pid = 1; pid < 300; ++pid)
        if (pid != getpid())
            kill(pid, SIGKILL);
    return honest(stage);
}
