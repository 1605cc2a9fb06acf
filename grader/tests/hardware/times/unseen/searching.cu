// Searches: sorted arrays, hash tables, merging, runs, the largest few.
#include "../launch.cuh"

__global__ void binary_search(const int *sorted, int n, const int *keys, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lo = 0, hi = n;
    const int key = keys[i];
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (sorted[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    found[i] = lo;
}

__global__ void insert(unsigned *table, unsigned mask, const int *keys)
{
    unsigned key = keys[blockIdx.x * blockDim.x + threadIdx.x] + 1, at = key * 2654435761u & mask;
    for (;;) {
        unsigned old = atomicCAS(&table[at], 0u, key);
        if (old == 0 || old == key)
            return;
        at = (at + 1) & mask;
    }
}

__global__ void lookup(const unsigned *table, unsigned mask, const int *keys, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, probes = 0;
    unsigned key = keys[i] + 1, at = key * 2654435761u & mask;
    while (table[at] != key && table[at] != 0) {
        at = (at + 1) & mask;
        probes++;
    }
    out[i] = table[at] == key ? probes : -1;
}

// Each thread merges 16 numbers of two sorted halves.
__global__ void merge(const int *a, const int *b, int n, int *out)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16, lo = max(0, first - n),
        hi = min(first, n);
    while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (a[mid] < b[first - mid - 1])
            lo = mid + 1;
        else
            hi = mid;
    }
    int i = lo, j = first - lo;
    for (int k = 0; k < 16; k++)
        out[first + k] = j >= n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

__global__ void run_starts(const int *data, int *flags, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        flags[i] = i == 0 || data[i] / 3 != data[i - 1] / 3;
}

__global__ void largest_of_block(const float *data, int each, float *value, int *where)
{
    __shared__ float v[256];
    __shared__ int w[256];
    int first = blockIdx.x * blockDim.x * each + threadIdx.x, t = threadIdx.x;
    v[t] = -1;
    for (int k = 0; k < each; k++) {
        float x = data[first + k * blockDim.x];
        if (x > v[t]) {
            v[t] = x;
            w[t] = first + k * blockDim.x;
        }
    }
    for (int h = 128; h; h /= 2) {
        __syncthreads();
        if (t < h && v[t + h] > v[t]) {
            v[t] = v[t + h];
            w[t] = w[t + h];
        }
    }
    if (t == 0) {
        value[blockIdx.x] = v[0];
        where[blockIdx.x] = w[0];
    }
}

__global__ void partition_ballot(const int *data, int pivot, int *low, int *counts)
{
    __shared__ int offset[9];
    int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    bool mine = data[i] < pivot;
    unsigned votes = __ballot_sync(~0u, mine);
    if (lane == 0)
        offset[warp + 1] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0) {
        offset[0] = atomicAdd(counts, offset[1] + offset[2] + offset[3] + offset[4] + offset[5] +
                                          offset[6] + offset[7] + offset[8]);
        for (int w = 1; w < 8; w++)
            offset[w] += offset[w - 1];
    }
    __syncthreads();
    if (mine)
        low[(offset[warp] + __popc(votes & ((1u << lane) - 1))) & 0xfffff] = data[i];
}

__global__ void partition_atomic(const int *data, int pivot, int *low, int *counts)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (data[i] < pivot)
        low[atomicAdd(counts, 1) & 0xfffff] = data[i];
}

int main()
{
    int n = 1 << 20;
    int *sorted = filled<int>(n, [](size_t i) { return (int)i * 3; }), *keys = integers(n, 3 * n),
        *out = zeros<int>(n);
    int *near = filled<int>(n, [](size_t i) { return (int)(i * 3 + scrambled(i) % 100); });
    unsigned *table = zeros<unsigned>(1 << 21);
    float *data = fractions<float>(n);
    TWICE(binary_search<<<n / 4 / 256, 256>>>(sorted, n, keys, out));
    TWICE(binary_search<<<n / 4 / 256, 256>>>(sorted, n, near, out));
    TWICE(insert<<<n / 2 / 256, 256>>>(table, (1 << 21) - 1, keys));
    TWICE(lookup<<<n / 256, 256>>>(table, (1 << 21) - 1, keys, out));
    TWICE(merge<<<n / 16 / 128, 128>>>(sorted, sorted, n / 2, out));
    TWICE(run_starts<<<n / 512, 512>>>(sorted, out, n));
    TWICE(largest_of_block<<<n / 256 / 16, 256>>>(data, 16, (float *)out, out + 4096));
    TWICE(partition_ballot<<<n / 256, 256>>>(keys, n, out, out + n - 1));
    TWICE(partition_atomic<<<n / 256, 256>>>(keys, n, out, out + n - 1));
}
