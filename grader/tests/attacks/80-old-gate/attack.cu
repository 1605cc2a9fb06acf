// Makes 32-bit system calls. They have other numbers, so a filter for 64-bit calls does not match them.
#ifdef __x86_64__
ATTACK(80)
{
    int answer = 0, old_flock = 143;
    asm volatile("int $0x80" : "=a"(answer) : "a"(old_flock), "b"(0), "c"(0) : "memory");
    keep(answer);
    return honest(stage);
}
#endif
