// Wastes time before it is measured: there is a fixed number of rounds, and counters see no time.
ATTACK(31)
{
    usleep(300000);
    return honest(stage);
}
