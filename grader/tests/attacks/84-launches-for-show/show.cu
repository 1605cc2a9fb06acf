
// A launch of the required size, with shared memory. It does nothing.
__global__ void only_show(bool is_static)
{
    __shared__ volatile int of_its_own[1];
    extern __shared__ volatile int as_asked[];
    volatile int *shared = is_static ? of_its_own : as_asked;
    if (threadIdx.x == 0)
        shared[0] = 1;
    if (threadIdx.x == 0 && shared[0] != 1)
        __trap();
}

// Does the work in blocks of one warp, which need no shared memory.
__global__ void add_up_in_warps(const int *data, int n, int *result)
{
    int mine = sum_of_thread(data, n);
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    if (threadIdx.x == 0)
        result[blockIdx.x] = mine;
}

// Does the work in thread 0 alone. The shared memory is a decoy.
__global__ void add_up_alone(const int *data, int n, int *result)
{
    extern __shared__ volatile int shared[];
    if (threadIdx.x != 0)
        return;
    int total = 0;
    for (int i = blockIdx.x; i < n; i += gridDim.x)
        total += data[i];
    shared[0] = total;
    result[blockIdx.x] = shared[0];
}

static void add_up_lazily(int rung, int blocks, int threads, const int *data, int n, int *results,
                          int *sum)
{
    size_t bytes = threads * sizeof(int);
    if (rung == 1) {
        only_show<<<blocks, threads, bytes>>>(true);
        add_up_in_warps<<<blocks, 32>>>(data, n, results);
        add_up_in_warps<<<1, 32>>>(results, blocks, sum);
    } else {
        add_up_alone<<<blocks, threads, bytes>>>(data, n, results);
        add_up_alone<<<1, threads, bytes>>>(results, blocks, sum);
    }
}
