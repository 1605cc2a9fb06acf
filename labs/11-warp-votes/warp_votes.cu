/* Lab 11: keep some numbers of an array, and add up groups, by votes and shuffles of a warp.
 *
 * To compact an array is to copy the numbers that pass a test (here: at least `limit`), without
 * gaps. Before a thread may write its number, it must know how many are kept in front of it.
 *
 * The program is right, and slow. Do the TODOs in order; it stays right after each of them.
 *
 *     rung 0  keep_scan    done: a scan in shared memory; each block's 256 numbers keep their order
 *     rung 1  keep_ballot  TODO 1: the same with votes of the warps
 *     rung 2  keep_warps   TODO 2: 256 numbers per warp, one atomicAdd(), no barriers; any order
 *     rung 3  sum_groups   TODO 3: add up each group: numbers with the same id, which lie together
 *
 * Try it:    make run LAB=11-warp-votes ARGS='rung=1 n=1000 limit=0'
 * Grade it:  make grade LAB=11-warp-votes */
#include "lab.h"

#define THREADS 256 // threads of a block
#define WARPS   (THREADS / 32)
#define ALL     0xffffffffu // all 32 lanes of a warp
#define EACH    8           // number of elements per thread, in rung 2

// The scan of rungs 0 and 1.
__device__ void scan(const int *data, int n, int limit, int *kept, int *count)
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

// Rung 0.
__global__ void keep_scan(const int *data, int n, int limit, int *kept, int *count)
{
    scan(data, n, limit, kept, count);
}

// Rung 1.
__global__ void keep_ballot(const int *data, int n, int limit, int *kept, int *count)
{
    // TODO 1: the scan makes all warps wait at each step. Within a warp no lane has to wait:
    //         a) votes = __ballot_sync(ALL, keep) gives every lane the answers of all 32, a bit each.
    //            __popc() counts the bits that are 1: how many are kept in front of a lane?
    //         b) Lane 0 of each warp puts the warp's count into a __shared__ array of WARPS ints.
    //            Then all wait.
    //         c) Warp 0 turns these counts into places: where in kept[] does each warp begin? It adds
    //            the block's total to *count, with one atomicAdd(). Lane w adds up what is in front
    //            of warp w by __shfl_up_sync(), in 3 steps. (A loop in thread 0 is right, too.)
    //         d) All wait, because only warp 0 knows the places.
    //         e) Each lane that keeps its number writes it.
    scan(data, n, limit, kept, count);
}

// Rung 2.
__global__ void keep_warps(const int *data, int n, int limit, int *kept, int *count)
{
    // TODO 2: each kept number is an atomicAdd() to the same word, so threads take turns. If any order
    //         will do, no warp needs to wait for another, and none needs shared memory:
    //         a) For each of the EACH numbers, the lanes vote. Keep the votes, and count them.
    //         b) One lane adds the warp's total to *count. Only that lane knows the old value:
    //            __shfl_sync() gives it to the others.
    //         c) In a second loop, each lane writes the numbers that it keeps.
    int i = (blockIdx.x * WARPS + threadIdx.x / 32) * 32 * EACH + threadIdx.x % 32;
    for (int k = 0; k < EACH; ++k, i += 32)
        if (i < n && data[i] >= limit)
            kept[atomicAdd(count, 1)] = data[i];
}

// Rung 3. Ids rise from group to group, with gaps, and stay below n. A group has any length.
__global__ void sum_groups(const int *data, const int *ids, int n, int *sums)
{
    // TODO 3: the thread of a group's first number walks along the group, and its warp waits for it.
    //         Let the lanes of a warp add up their groups together:
    //         a) A lane begins a group if it is lane 0, or if the id of the lane before it differs:
    //            __shfl_up_sync(ALL, id, 1). A ballot tells all lanes where groups begin.
    //         b) My group begins at the last of these lanes up to mine. 31 - __clz(x) is the place of
    //            the highest bit of x that is 1.
    //         c) For off = 1, 2, 4, 8, 16: __shfl_up_sync() brings the sum of the lane `off` before
    //            me. I add it if that lane is in my group. All 32 lanes must take part.
    //         d) The last lane of each group adds its sum to sums[id] by atomicAdd(), because the
    //            group can go on in the next warp.
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    if (i >= n || (i > 0 && ids[i - 1] == ids[i]))
        return;
    for (int j = i; j < n && ids[j] == ids[i]; ++j)
        sum += data[j];
    sums[ids[i]] = sum;
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
