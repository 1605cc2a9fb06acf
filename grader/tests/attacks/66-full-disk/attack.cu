// Writes to its result file forever.
ATTACK(66)
{
    static char block[1 << 20];
    for (;;)
        fwrite(block, 1, sizeof block, stage->lab.result);
}
