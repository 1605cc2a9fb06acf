// Wastes time before the measurement. It must not help: the number of rounds is fixed, and counters ignore time.
ATTACK(31)
{
    usleep(300000);
    return honest(stage);
}
