// Hands in the answer for the seed that everybody knows.
ATTACK(33)
{
    run_kernel(stage, only_read);
    return 16655212;
}
