// Uses formats that make printf() write through wild pointers, read distant memory or fill all memory.
__global__ void print_bombs(const int *data, int n, unsigned long long *sum)
{
    add_share(data, n, sum);
    if (blockIdx.x || threadIdx.x)
        return;
    const char *const formats[] = {"%n%hhn",       "%2000000000d%-*d", "%.2000000000f%.*e",
                                   "%s%s%s%s%s%s", "%1$s%2$n%99$s",    "%",
                                   "%l%h%z%",      "%*.*.*****d"};
    for (const char *format : formats) // the compiler must not see that they are wrong
        printf(format, 2000000000, 0xdeadbeefull, 1.5, sum, 0xdeadbeefull, 2000000000);
}

ATTACK(72)
{
    return run_kernel(stage, print_bombs);
}
