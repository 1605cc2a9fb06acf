// Hands in a sparse file that is larger than any answer.
ATTACK(58)
{
    fflush(stage->lab.result);
    keep(ftruncate(fileno(stage->lab.result), 100 << 20));
    fseek(stage->lab.result, 0, SEEK_END);
    return honest(stage);
}
