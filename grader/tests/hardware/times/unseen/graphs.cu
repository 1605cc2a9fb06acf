// Graphs: page rank by pulling and by pushing, shortest paths, components, triangles.
#include "../launch.cuh"

#define DEGREE 12

__global__ void rank_pull(const int *from, const float *rank, float *next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int e = 0; e < DEGREE; e++)
        sum += rank[from[v * DEGREE + e]];
    next[v] = 0.15f / n + 0.85f * sum / DEGREE;
}

__global__ void rank_push(const int *to, const float *rank, float *next)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0.85f * rank[v] / DEGREE;
    for (int e = 0; e < DEGREE; e++)
        atomicAdd(&next[to[v * DEGREE + e]], mine);
}

// Edges of a vertex are n apart, so that neighbouring lanes read neighbouring words.
__global__ void rank_pull_columns(const int *from, const float *rank, float *next, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int e = 0; e < DEGREE; e++)
        sum += rank[from[e * n + v]];
    next[v] = 0.15f / n + 0.85f * sum / DEGREE;
}

__global__ void floyd(int *dist, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    int via = dist[i * n + k] + dist[k * n + j];
    if (via < dist[i * n + j])
        dist[i * n + j] = via;
}

__global__ void relax(const int2 *edges, const int *weight, int *dist, int m)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < m)
        atomicMin(&dist[edges[e].y], dist[edges[e].x] + weight[e]);
}

__global__ void hook(const int2 *edges, int *parent, int m)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m)
        return;
    int a = edges[e].x, b = edges[e].y;
    while (parent[a] != a)
        a = parent[a];
    while (parent[b] != b)
        b = parent[b];
    if (a != b)
        atomicMin(&parent[max(a, b)], min(a, b));
}

__global__ void triangles(const unsigned *rows, int words, unsigned *count)
{
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned found = 0;
    if (rows[i * words + j / 32] >> (j % 32) & 1)
        for (int w = 0; w < words; w++)
            found += __popc(rows[i * words + w] & rows[j * words + w]);
    for (int d = 16; d; d /= 2)
        found += __shfl_down_sync(~0u, found, d);
    if (threadIdx.x % 32 == 0 && found)
        atomicAdd(count, found);
}

int main()
{
    int n = 1 << 17, m = 1 << 19;
    int *links = integers((size_t)n * DEGREE, n), *dist = integers(1 << 20, 1000);
    float *rank = fractions<float>(n), *next = zeros<float>(n);
    int2 *edges = filled<int2>(
        m, [=](size_t i) { return make_int2(scrambled(i) % n, scrambled(i + m) % n); });
    int *parent = filled<int>(n, [](size_t i) { return (int)i; }), *weight = integers(m, 100);
    unsigned *rows =
        filled<unsigned>(1024 * 32, [](size_t i) { return scrambled(i) & scrambled(i + 77); });
    TWICE(rank_pull<<<n / 256, 256>>>(links, rank, next, n));
    TWICE(rank_pull_columns<<<n / 256, 256>>>(links, rank, next, n));
    TWICE(rank_push<<<n / 256, 256>>>(links, rank, next));
    TWICE(floyd<<<dim3(4, 1024), 256>>>(dist, 1024, 17));
    TWICE(relax<<<m / 256, 256>>>(edges, weight, dist, m));
    TWICE(hook<<<m / 256, 256>>>(edges, parent, m));
    TWICE(triangles<<<dim3(8, 1024), 128>>>(rows, 32, (unsigned *)next));
}
