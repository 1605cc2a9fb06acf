// Formats that make printf() write through wild pointers, read far away, or fill all memory.
__global__ void print_bombs(const int *data, int n, unsigned long long *sum)
{
    add_share(data, n, sum);
    if (blockIdx.x || threadIdx.x)
        return;
    printf("%n%hhn", (int *)0x1234, (signed char *)sum);
    printf("%2000000000d%-*d", 1, 2000000000, 1);
    printf("%.2000000000f%.*e", 1.5, 2000000000, 1.5);
    printf("%s", (const char *)0xdeadbeefull);
    printf("%1$s%2$n%99$s%s%s%s%s%s%s%s%s", 1, 2);
    printf("%");
    printf("%l%h%z%", 1);
}

ATTACK(72)
{
    return run_kernel(stage, print_bombs);
}
