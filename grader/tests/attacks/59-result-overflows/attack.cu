// Hands in an array with so many numbers that its size in bytes overflows.
ATTACK(59)
{
    struct lab_array array = {"sum", LAB_U64, 0, (uint64_t)1 << 61};
    fwrite(&array, sizeof array, 1, stage->lab.result);
    return honest(stage);
}
