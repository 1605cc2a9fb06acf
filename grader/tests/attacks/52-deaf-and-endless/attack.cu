// Is an endless loop that ignores all signals.
ATTACK(52)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, 0);
    for (;;)
        keep(getppid());
}
