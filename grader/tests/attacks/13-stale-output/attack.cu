// Reads its data, writes nothing, and hopes that an earlier answer is still there.
ATTACK(13)
{
    return run_kernel(stage, only_read);
}
