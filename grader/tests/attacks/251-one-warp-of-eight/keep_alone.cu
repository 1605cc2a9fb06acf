// As few instructions as possible: a full block has no tests, and each number is loaded once.
__device__ void keep_256(const int *data, int left, int limit, int *kept, int *count)
{
    int lane = threadIdx.x, number[8];
    unsigned votes[8], total = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        number[k] = 32 * k + lane < left ? data[32 * k + lane] : limit - 1;
        votes[k] = __ballot_sync(ALL, number[k] >= limit);
        total += __popc(votes[k]);
    }
    int first = lane == 0 ? atomicAdd(count, total) : 0;
    first = __shfl_sync(ALL, first, 0);
#pragma unroll
    for (int k = 0; k < 8; ++k) {
        if (number[k] >= limit)
            kept[first + __popc(votes[k] & IN_FRONT)] = number[k];
        first += __popc(votes[k]);
    }
}

__global__ void keep_alone(const int *data, int n, int limit, int *kept, int *count)
{
    int from = blockIdx.x * THREADS;
    if (threadIdx.x >= 32)
        return;
    if (from + THREADS <= n)
        keep_256(data + from, THREADS, limit, kept, count);
    else
        keep_256(data + from, n - from, limit, kept, count);
}
