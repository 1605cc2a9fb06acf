// Behaves well until main() has ended.
static void blow_up()
{
    raise(SIGALRM);
}

ATTACK(55)
{
    atexit(blow_up);
    return honest(stage);
}
