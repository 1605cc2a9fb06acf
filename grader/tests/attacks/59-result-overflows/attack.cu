// An array of so many numbers that their size wraps around.
ATTACK(59)
{
    struct lab_array array = {"sum", LAB_U64, 0, (uint64_t)1 << 61};
    fwrite(&array, sizeof array, 1, stage->lab.result);
    return honest(stage);
}
