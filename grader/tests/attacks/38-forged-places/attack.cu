// Claims that its code is in another place (#line). Places are only shown; no points depend on them.
#line 1 "/etc/passwd"
__global__ void from_elsewhere(const int *data, int n, unsigned long long *sum)
{
    int one;
    asm volatile(".loc 1 1 1\n\tmov.u32 %0, 1;" : "=r"(one));
    add_share(data, one * n, sum);
}
#line 11 "attack.cu"

ATTACK(38)
{
    return run_kernel(stage, from_elsewhere);
}
