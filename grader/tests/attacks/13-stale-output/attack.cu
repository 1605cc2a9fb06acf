// Reads its data, but writes nothing: an earlier answer may still be in memory.
ATTACK(13)
{
    return run_kernel(stage, only_read);
}
