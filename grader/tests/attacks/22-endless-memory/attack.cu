// Allocates memory without end: memory that counts, and memory that might not.
ATTACK(22)
{
    const size_t size = (size_t)1 << 30;
    int taken = 0;
    while (taken < 100 && malloc(size))
        ++taken;
    HELD_BACK(taken < 8);
    HELD_BACK(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) ==
              MAP_FAILED);
    HELD_BACK(open("/dev/zero", O_RDWR) < 0 && open("/dev/mem", O_RDONLY) < 0);
    return honest(stage);
}
