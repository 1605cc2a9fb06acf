// Exits with status 0 after the kernel, without handing in a result.
ATTACK(2)
{
    honest(stage);
    exit(0);
}
