/* Lab 11: keep the numbers that are wanted, and add up groups, by votes and shuffles of a warp.
 *
 * To compact an array is to copy only the numbers that pass a test (here: at least `limit`) and to
 * leave no gaps. Each thread looks at one number. Before it may write, it must know how many other
 * numbers are kept in front of its own.
 *
 * The program is right, and slow. Do the TODOs in order; it stays right after each of them.
 *
 *     rung 0  keep_atomic   done: an atomicAdd() for each number kept; any order
 *     rung 1  keep_scan     done: a scan in shared memory; each block's 256 numbers keep their order
 *     rung 2  keep_ballot   TODO 1: the same with votes of the warps
 *     rung 3  keep_warps    TODO 2: one atomicAdd() a warp, no barriers; any order
 *
 * Numbers with the same id are a group, and lie together. The last rungs add up each group.
 *
 *     rung 4  sum_walk      done: a thread for each group
 *     rung 5  sum_groups    TODO 3: a thread for each number, and shuffles
 *
 * Try it:    make run LAB=11-warp-votes ARGS='rung=2 n=1000 limit=0'
 * Grade it:  make grade LAB=11-warp-votes */
#include "lab.h"

#define THREADS 256 // of a block
#define WARPS   (THREADS / 32)
#define ALL     0xffffffffu // all 32 lanes of a warp

// Rung 0.
__global__ void keep_atomic(const int *data, int n, int limit, int *kept, int *count)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && data[i] >= limit)
        kept[atomicAdd(count, 1)] = data[i];
}

// Rung 1.
__global__ void keep_scan(const int *data, int n, int limit, int *kept, int *count)
{
    __shared__ int sums[2][THREADS], first;
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, now = 0;
    bool keep = i < n && data[i] >= limit;
    sums[0][t] = keep;
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) { // sums[now][t]: of the last `off` threads, up to t
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

// The lanes in front of this thread's own, a bit each.
__device__ unsigned lanes_in_front()
{
    return (1u << threadIdx.x % 32) - 1;
}

// Rung 2.
__global__ void keep_ballot(const int *data, int n, int limit, int *kept, int *count)
{
    // TODO 1: this is the scan of rung 1, in which all warps wait at each step. Within a warp
    //         nobody has to wait:
    //         a) votes = __ballot_sync(ALL, keep) gives every lane the answers of all 32, a bit each.
    //            So a lane knows how many are kept in front of it: __popc() counts bits that are 1.
    //         b) Lane 0 of each warp puts the warp's number of kept numbers into a __shared__ array
    //            of WARPS ints. Then all wait.
    //         c) Warp 0 turns these 8 numbers into places: where in kept[] does the first number of
    //            each warp go? It adds the block's total to *count with one atomicAdd(). Lane w of
    //            warp 0 can add up what is in front of warp w by __shfl_up_sync(), in 3 steps. (A
    //            loop in thread 0 is right, too.) Then all wait.
    //         d) Each lane that keeps its number writes it.
    __shared__ int sums[2][THREADS], first;
    int t = threadIdx.x, i = blockIdx.x * THREADS + t, now = 0;
    bool keep = i < n && data[i] >= limit;
    sums[0][t] = keep;
    __syncthreads();
    for (int off = 1; off < THREADS; off *= 2) { // sums[now][t]: of the last `off` threads, up to t
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

// Rung 3.
__global__ void keep_warps(const int *data, int n, int limit, int *kept, int *count)
{
    // TODO 2: each number kept is an atomicAdd() to the same word, and they take turns. If any order
    //         will do, warps need not wait for each other at all:
    //         a) Let the lanes vote, as in rung 2.
    //         b) One lane adds the number of votes to *count. If there is none, it need not.
    //         c) Only that lane knows the old value: __shfl_sync() gives it to the others.
    //         d) Each lane that keeps its number writes it. No barrier, no shared memory.
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && data[i] >= limit)
        kept[atomicAdd(count, 1)] = data[i];
}

// Rung 4. The first number's thread walks along its group.
__global__ void sum_walk(const int *data, const int *ids, int n, int *sums)
{
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    if (i >= n || (i > 0 && ids[i - 1] == ids[i]))
        return;
    for (int j = i; j < n && ids[j] == ids[i]; ++j)
        sum += data[j];
    sums[ids[i]] = sum;
}

// Rung 5.
__global__ void sum_groups(const int *data, const int *ids, int n, int *sums)
{
    // TODO 3: this is rung 4 again: a warp is as slow as its longest group. Give each number a
    //         thread, and let the lanes of a warp add up their groups together:
    //         a) A lane begins a group if it is lane 0, or if the id of the lane before it differs:
    //            __shfl_up_sync(ALL, id, 1). A ballot tells all lanes where groups begin.
    //         b) My group begins at the last such lane that is not behind me. __clz(x) counts the
    //            zeros above the highest 1 of x, so 31 - __clz(x) is the place of that 1.
    //         c) For off = 1, 2, 4, 8, 16: take the sum of the lane `off` before me, by
    //            __shfl_up_sync(). Add it if that lane is in my group. All lanes take part in each
    //            shuffle, those without a number, too.
    //         d) Now the last lane of each group has the sum of the group's lanes in this warp. Only
    //            these lanes call atomicAdd(): a group can go on in the next warp.
    int i = blockIdx.x * THREADS + threadIdx.x, sum = 0;
    if (i >= n || (i > 0 && ids[i - 1] == ids[i]))
        return;
    for (int j = i; j < n && ids[j] == ids[i]; ++j)
        sum += data[j];
    sums[ids[i]] = sum;
}

// For a run by hand: groups of 1 to 8 numbers.
static const int *make_ids(int n)
{
    int *ids = (int *)malloc((n + 1) * sizeof *ids);
    for (int i = 0, id = 0, end = 1; i < n; ++i) {
        if (i == end)
            end += 1 + ++id % 8;
        ids[i] = id;
    }
    return ids;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 5);
    int n = lab_int(&lab, "n", 100000);
    int limit = lab_int(&lab, "limit", 50);
    const int *data = lab_ints(&lab, "data", n);
    const int *ids = lab_by_hand(&lab) ? make_ids(n) : lab_ints(&lab, "ids", n);
    int blocks = n > 0 ? (n + THREADS - 1) / THREADS : 1, count;
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
        CHECK_CUDA(cudaMemset(out_on_gpu, 0, bytes)); // what no thread writes stays 0
        CHECK_CUDA(cudaMemset(count_on_gpu, 0, sizeof count));
        if (rung == 0)
            keep_atomic<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 1)
            keep_scan<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 2)
            keep_ballot<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 3)
            keep_warps<<<blocks, THREADS>>>(data_on_gpu, n, limit, out_on_gpu, count_on_gpu);
        else if (rung == 4)
            sum_walk<<<blocks, THREADS>>>(data_on_gpu, ids_on_gpu, n, out_on_gpu);
        else
            sum_groups<<<blocks, THREADS>>>(data_on_gpu, ids_on_gpu, n, out_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(out, out_on_gpu, bytes, cudaMemcpyDeviceToHost));
    if (rung <= 3) {
        CHECK_CUDA(cudaMemcpy(&count, count_on_gpu, sizeof count, cudaMemcpyDeviceToHost));
        lab_result(&lab, "count", LAB_INT, &count, 1);
    }
    lab_result(&lab, rung <= 3 ? "kept" : "sums", LAB_INT, out, n);
    free(out);
    CHECK_CUDA(cudaFree(count_on_gpu));
    CHECK_CUDA(cudaFree(out_on_gpu));
    CHECK_CUDA(cudaFree(ids_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    return lab_close(&lab);
}
