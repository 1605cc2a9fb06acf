static int __attribute__((noinline)) dig(volatile int *above)
{
    volatile int here[1024];
    here[0] = *above + 1;
    return dig(here) + here[0];
}

ATTACK(64)
{
    volatile int ground = 0;
    return dig(&ground);
}
