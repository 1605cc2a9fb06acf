__global__ void sum_by_tree(const int *data, int n, int *result)
{
    __shared__ int sums[MAX_THREADS];
    int t = threadIdx.x;
    sums[t] = sum_of_thread(data, n);
    __shared__ unsigned long long steps[10];
    if (t < 10)
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                         (unsigned)__cvta_generic_to_shared(&steps[t])),
                     "r"(blockDim.x));
    __syncthreads();
    unsigned mine = (unsigned)__cvta_generic_to_shared(&sums[t]);
    unsigned step = (unsigned)__cvta_generic_to_shared(steps);
    for (int off = 1; off < blockDim.x; off *= 2, step += sizeof steps[0]) {
        asm volatile("{ .reg .pred adds; .reg .s32 x, y;\n"
                     "setp.eq.s32 adds, %2, 0;\n"
                     "@adds ld.shared.s32 x, [%0];\n"
                     "@adds ld.shared.s32 y, [%1];\n"
                     "@adds add.s32 x, x, y;\n"
                     "@adds st.shared.s32 [%0], x; }" ::"r"(mine),
                     "r"(mine + 4 * off), "r"(t % (2 * off))
                     : "memory");
        asm volatile(
            "{ .reg .b64 before; mbarrier.arrive_drop.shared.b64 before, [%0]; }" ::"r"(step)
            : "memory");
        for (int over = 0; !over;)
            asm volatile("{ .reg .pred is;\n"
                         "mbarrier.test_wait.parity.shared.b64 is, [%1], 0;\n"
                         "selp.s32 %0, 1, 0, is; }"
                         : "=r"(over)
                         : "r"(step)
                         : "memory");
    }
    if (t == 0)
        result[blockIdx.x] = sums[0];
}
