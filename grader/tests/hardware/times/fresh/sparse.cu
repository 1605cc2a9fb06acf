/* Sparse matrices by vectors, and steps of graph algorithms. */
#include "../launch.cuh"

#define ROWS 16384

__global__ void csr_thread(float *y, const int *starts, const int *columns, const float *values,
                           const float *x)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}

template <int LANES>
__global__ void csr_lanes(float *y, const int *starts, const int *columns, const float *values,
                          const float *x)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += LANES)
        sum += values[k] * x[columns[k]];
    for (int step = LANES / 2; step; step /= 2)
        sum += __shfl_down_sync(~0u, sum, step, LANES);
    if (lane == 0)
        y[row] = sum;
}

/* WIDTH numbers a row, column by column, so that lanes read neighbours. */
__global__ void ell(float *y, const int *columns, const float *values, const float *x, int width)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < width; k++)
        sum += values[k * ROWS + row] * __ldg(&x[columns[k * ROWS + row]]);
    y[row] = sum;
}

__global__ void coo(float *y, const int *rows, const int *columns, const float *values,
                    const float *x, int n)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n)
        atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}

/* Breadth first: the vertices of a level give the next one to their neighbours. */
__global__ void level_vertices(int *levels, const int *starts, const int *ends, int level,
                               int *changed)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (levels[v] != level)
        return;
    for (int k = starts[v]; k < starts[v + 1]; k++)
        if (levels[ends[k]] > level) {
            levels[ends[k]] = level + 1;
            *changed = 1;
        }
}

/* The same, a warp for each vertex of a queue. A quarter of the neighbours are new in every launch. */
__global__ void level_queue(int *next, unsigned *count, int *seen, const int *queue, int length,
                            const int *starts, const int *ends)
{
    int at = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (at >= length)
        return;
    int v = queue[at];
    for (int k = starts[v] + threadIdx.x % 32; k < starts[v + 1]; k += 32)
        if (atomicExch(&seen[ends[k]], ends[k] % 4) == 0)
            next[atomicAdd(count, 1u) % (2 * ROWS)] = ends[k];
}

/* The same, against the edges. */
__global__ void level_pull(int *levels, const int *starts, const int *ends, int level)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (levels[v] <= level)
        return;
    for (int k = starts[v]; k < starts[v + 1]; k++)
        if (levels[ends[k]] == level) {
            levels[v] = level + 1;
            return;
        }
}

__global__ void relax(int *distance, const int *starts, const int *ends, const int *costs)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, base = distance[v];
    for (int k = starts[v]; k < starts[v + 1]; k++)
        atomicMin(&distance[ends[k]], base + costs[k]);
}

__global__ void rank_pages(float *next, const float *now, const int *starts, const int *ends)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = starts[v]; k < starts[v + 1]; k++) {
        int u = ends[k];
        sum += now[u] / (starts[u + 1] - starts[u] + 1);
    }
    next[v] = 0.15f / ROWS + 0.85f * sum;
}

/* Triangles: both ends' sorted neighbours are merged. */
__global__ void triangles(int *counts, const int *starts, const int *ends, int vertices)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (v >= vertices)
        return;
    for (int k = starts[v]; k < starts[v + 1]; k++) {
        int u = ends[k], i = starts[v], j = starts[u];
        while (i < starts[v + 1] && j < starts[u + 1]) {
            int a = ends[i], b = ends[j];
            count += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    counts[v] = count;
}

__global__ void pointer_jump(int *parents)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x, root = v;
    while (parents[root] != root)
        root = parents[root];
    parents[v + ROWS] = root;
}

/* Row lengths from LEAST to LEAST + SPREAD, a few rows of 50 times that. */
static int *row_starts(int least, int spread, int long_one)
{
    static int host[ROWS + 1];
    for (int i = 0; i < ROWS; i++)
        host[i + 1] =
            host[i] + (least + scrambled(i) % (spread + 1)) * (i % 512 == 7 ? long_one : 1);
    return filled<int>(ROWS + 1, [](size_t i) { return host[i]; });
}

int main()
{
    const int most = 1 << 19;
    int *even = row_starts(16, 0, 1), *wild = row_starts(1, 14, 50);
    int *far = integers(most, ROWS), *costs = integers(most, 100);
    int *near = filled<int>(most, [](size_t i) { return (int)(i / 16 + i % 16 * 3) % ROWS; });
    float *values = fractions<float>(most), *x = fractions<float>(ROWS), *y = zeros<float>(ROWS);
    int *levels = filled<int>(ROWS, [](size_t i) { return (int)(scrambled(i) % 4 + 1) * 2; });
    int *seen = zeros<int>(ROWS), *queue = integers(ROWS, ROWS), *next = zeros<int>(2 * ROWS);
    int *parents = filled<int>(2 * ROWS, [](size_t i) { return (int)(i % 100 ? i - 1 : i); });
    unsigned *count = zeros<unsigned>(1);
    TWICE(csr_thread<<<ROWS / 128, 128>>>(y, even, near, values, x));
    TWICE(csr_thread<<<ROWS / 128, 128>>>(y, even, far, values, x));
    TWICE(csr_thread<<<ROWS / 128, 128>>>(y, wild, far, values, x));
    TWICE(csr_lanes<8><<<ROWS / 32, 256>>>(y, even, far, values, x));
    TWICE(csr_lanes<32><<<ROWS / 8, 256>>>(y, even, far, values, x));
    TWICE(csr_lanes<32><<<ROWS / 4, 128>>>(y, wild, far, values, x));
    TWICE(ell<<<ROWS / 256, 256>>>(y, far, values, x, 16));
    TWICE(ell<<<ROWS / 64, 64>>>(y, near, values, x, 32));
    TWICE(coo<<<ROWS / 16, 256>>>(y, near, far, values, x, ROWS * 16));
    TWICE(level_vertices<<<ROWS / 256, 256>>>(levels, wild, far, 2, next));
    TWICE(level_queue<<<512, 128>>>(next, count, seen, queue, 2048, wild, far));
    TWICE(level_pull<<<ROWS / 128, 128>>>(levels, even, far, 4));
    TWICE(relax<<<ROWS / 256, 256>>>(seen, even, far, costs));
    TWICE(rank_pages<<<ROWS / 256, 256>>>(y, x, wild, far));
    TWICE(triangles<<<8, 128>>>(next, even, near, 1024));
    TWICE(pointer_jump<<<ROWS / 128, 128>>>(parents));
    return 0;
}
