// Uses memory that does not count as data: stacks, and the kernel's memory for each open file.
ATTACK(131)
{
    const size_t size = (size_t)8 << 30;
    struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
    int files = 0;
    HELD_BACK(mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_GROWSDOWN, -1,
                   0) == MAP_FAILED);
    HELD_BACK(setrlimit(RLIMIT_STACK, &all) != 0 && setrlimit(RLIMIT_NOFILE, &all) != 0);
    int first = dup(1), last = first;
    for (int next = first; next >= 0 && ++files < 5000; next = dup(1))
        last = next;
    close_range(first, last, 0);
    HELD_BACK(files < 2000);
    return honest(stage);
}
