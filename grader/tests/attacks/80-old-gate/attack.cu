// System calls as 32-bit programs make them, which have other numbers: no filter for today's sees them.
ATTACK(80)
{
    int answer = 0, old_flock = 143;
    asm volatile("int $0x80" : "=a"(answer) : "a"(old_flock), "b"(0), "c"(0) : "memory");
    keep(answer);
    return honest(stage);
}
