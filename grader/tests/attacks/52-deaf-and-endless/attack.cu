// An endless loop that hears no signal.
ATTACK(52)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    prctl(PR_SET_PDEATHSIG, 0);
    for (;;)
        keep(getppid());
}
