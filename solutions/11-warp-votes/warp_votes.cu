/* Lab 11: keep some numbers of an array, and add up groups, by votes and shuffles of a warp.
 *
 * To compact an array is to copy the numbers that are at least `limit`, without gaps.
 *
 *     rung 0  keep_scan    a scan in shared memory; each block's 256 numbers keep their order
 *     rung 1  keep_ballot  the same with votes of the warps
 *     rung 2  keep_warps   256 numbers per warp, one atomicAdd(), no barriers; any order
 *     rung 3  sum_groups   add up each group: numbers with the same id, which lie together
 *
 * This is the solution: make grade LAB=11-warp-votes SUBMISSION=solutions/11-warp-votes */
#include "lab.h"

#define THREADS  256 // threads of a block
#define WARPS    (THREADS / 32)
#define ALL      0xffffffffu                    // all 32 lanes of a warp
#define IN_FRONT ((1u << threadIdx.x % 32) - 1) // the lanes in front of this one, a bit each
#define EACH     8                              // number of elements per thread, in rung 2

// Rung 0.
__global__ void keep_scan(const int *data, int n, int limit, int *kept, int *count)
{
    __shared__ int sums[2][THREADS], first;
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, now = 0;
    bool keep = i < n && data[i] >= limit;
    sums[0][t] = keep;
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) { // sums[now][t]: sum of `off` threads, up to t
        int sum = sums[now][t];
        if (t >= off)
            sum += sums[now][t - off];
        now = 1 - now;
        sums[now][t] = sum;
        __syncthreads();
    }
    if (t == THREADS - 1)
        first = atomicAdd(count, sums[now][t]);
    __syncthreads();
    if (keep)
        kept[first + sums[now][t] - 1] = data[i];
}

// Rung 1.
__global__ void keep_ballot(const int *data, int n, int limit, int *kept, int *count)
{
    __shared__ int firsts[WARPS]; // count of kept numbers of each warp; then place of its first
    int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * THREADS + t;
    bool keep = i < n && data[i] >= limit;
    unsigned votes = __ballot_sync(ALL, keep);
    if (lane == 0)
        firsts[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int mine = lane < WARPS ? firsts[lane] : 0, sum = mine;
        for (int off = 1; off < WARPS; off *= 2) {
            int other = __shfl_up_sync(ALL, sum, off);
            sum += lane >= off ? other : 0;
        }
        int first = lane == WARPS - 1 ? atomicAdd(count, sum) : 0;
        first = __shfl_sync(ALL, first, WARPS - 1);
        if (lane < WARPS)
            firsts[lane] = first + sum - mine;
    }
    __syncthreads();
    if (keep)
        kept[firsts[warp] + __popc(votes & IN_FRONT)] = data[i];
}

// Rung 2.
__global__ void keep_warps(const int *data, int n, int limit, int *kept, int *count)
{
    int lane = threadIdx.x % 32, i = (blockIdx.x * WARPS + threadIdx.x / 32) * 32 * EACH + lane;
    unsigned votes[EACH], total = 0;
    for (int k = 0; k < EACH; ++k) {
        votes[k] = __ballot_sync(ALL, i + 32 * k < n && data[i + 32 * k] >= limit);
        total += __popc(votes[k]);
    }
    int first = lane == 0 && total > 0 ? atomicAdd(count, total) : 0;
    first = __shfl_sync(ALL, first, 0);
    for (int k = 0; k < EACH; ++k) {
        if (votes[k] >> lane & 1)
            kept[first + __popc(votes[k] & IN_FRONT)] = data[i + 32 * k];
        first += __popc(votes[k]);
    }
}

// Rung 3.
__global__ void sum_groups(const int *data, const int *ids, int n, int *sums)
{
    int lane = threadIdx.x % 32, i = blockIdx.x * THREADS + threadIdx.x;
    int sum = i < n ? data[i] : 0, id = i < n ? ids[i] : -1;
    int before = __shfl_up_sync(ALL, id, 1);
    unsigned begins = __ballot_sync(ALL, lane == 0 || id != before);
    int first = 31 - __clz(begins & (IN_FRONT | 1u << lane)); // the group's first lane
    for (int off = 1; off < 32; off *= 2) {
        int other = __shfl_up_sync(ALL, sum, off);
        sum += lane - off >= first ? other : 0;
    }
    bool is_last = lane == 31 || begins >> (lane + 1) & 1;
    if (is_last && i < n)
        atomicAdd(&sums[id], sum);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 3), n = lab_int(&lab, "n", 100000);
    int limit = lab_int(&lab, "limit", 50); // rungs 0 to 2
    const int *data = lab_ints(&lab, "data", n);
    int *ids = (int *)lab_ints(&lab, "ids", n); // rung 3
    for (int i = 0; i < n && lab_by_hand(&lab); ++i)
        ids[i] = i / 10;
    int each = rung == 2 ? EACH : 1, count; // numbers of a thread
    int blocks = n > 0 ? (n - 1) / (THREADS * each) + 1 : 1;
    int *data_on_gpu, *ids_on_gpu, *out_on_gpu, *count_on_gpu;
    size_t bytes = n * sizeof(int);
    int *out = (int *)malloc(bytes);
    CHECK_CUDA(cudaMalloc(&data_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&ids_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&out_on_gpu, bytes));
    CHECK_CUDA(cudaMalloc(&count_on_gpu, sizeof count));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, bytes, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(ids_on_gpu, ids, bytes, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(out_on_gpu, 0, bytes)); // numbers that no thread writes stay 0
        CHECK_CUDA(cudaMemset(count_on_gpu, 0, sizeof count));
        if (rung == 0)
            keep_scan<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 1)
            keep_ballot<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 2)
            keep_warps<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else
            sum_groups<<<blocks, THREADS>>>(data_on_gpu, ids_on_gpu, n, out_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(out, out_on_gpu, bytes, cudaMemcpyDeviceToHost));
    if (rung <= 2) {
        CHECK_CUDA(cudaMemcpy(&count, count_on_gpu, sizeof count, cudaMemcpyDeviceToHost));
        lab_result(&lab, "count", LAB_INT, &count, 1);
    }
    lab_result(&lab, rung <= 2 ? "kept" : "sums", LAB_INT, out, n);
    CHECK_CUDA(cudaFree(count_on_gpu));
    CHECK_CUDA(cudaFree(out_on_gpu));
    CHECK_CUDA(cudaFree(ids_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    free(out);
    return lab_close(&lab);
}
