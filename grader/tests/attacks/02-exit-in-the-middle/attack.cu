// Ends well when the kernel has run, but with nothing handed in.
ATTACK(2)
{
    honest(stage);
    exit(0);
}
