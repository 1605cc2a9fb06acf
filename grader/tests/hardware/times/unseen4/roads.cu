/* Graphs: levels of a breadth first search (after Rodinia's bfs), shortest paths, ranks, components, triangles. */
#include "expect.cuh"
#include <algorithm>

/* A thread a vertex; those of the frontier mark their unseen neighbours. */
__global__ void level_threads(const int *rows, const int *edges, const int *level, int *out, int n,
                              int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] != depth)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        if (level[edges[e]] < 0)
            out[edges[e]] = depth + 1;
}

/* A warp a vertex of a queue. */
__global__ void level_warps(const int *queue, const int *rows, const int *edges, const int *level,
                            int *out, int count, int depth)
{
    int q = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (q >= count)
        return;
    int v = queue[q];
    for (int e = rows[v] + threadIdx.x % 32; e < rows[v + 1]; e += 32)
        if (level[edges[e]] < 0)
            out[edges[e]] = depth + 1;
}

/* The unseen look for a neighbour in the frontier, and stop at the first. */
__global__ void level_pull(const int *rows, const int *edges, const int *level, int *out, int n,
                           int depth)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] >= 0)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        if (level[edges[e]] == depth) {
            out[v] = depth + 1;
            break;
        }
}

/* Edge by edge with atomic minima. */
__global__ void relax_edges(const int2 *ends, const int *weights, const int *distance, int *out,
                            int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= count)
        return;
    int2 edge = ends[e];
    int d = distance[edge.x];
    if (d < 1 << 28 && d + weights[e] < distance[edge.y])
        atomicMin(&out[edge.y], d + weights[e]);
}

__global__ void rank_pull(const int *rows, const int *edges, const float *share, float *rank, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    float sum = 0;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        sum += share[edges[e]];
    rank[v] = 0.15f / n + 0.85f * sum;
}

__global__ void rank_push(const int2 *ends, const float *share, float *rank, int count)
{
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < count)
        atomicAdd(&rank[ends[e].y], share[ends[e].x]);
}

/* The roots of trees: pointers are followed to the end. */
__global__ void find_roots(const int *parent, int *root, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n)
        return;
    int r = v;
    while (parent[r] != r)
        r = parent[r];
    root[v] = r;
}

__global__ void jump(const int *parent, int *out, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n)
        out[v] = parent[parent[v]];
}

/* Common neighbours of the ends of every edge, by merging two sorted lists. */
__global__ void common(const int2 *ends, const int *rows, const int *edges, int *counts, int count)
{
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= count)
        return;
    int2 e = ends[k];
    int a = rows[e.x], b = rows[e.y], a_end = rows[e.x + 1], b_end = rows[e.y + 1], found = 0;
    while (a < a_end && b < b_end) {
        int p = edges[a], q = edges[b];
        found += p == q;
        a += p <= q;
        b += q <= p;
    }
    counts[k] = found;
}

int main()
{
    const int n = 1 << 16;
    std::vector<int> rows(n + 1), edges;
    std::vector<int2> ends;
    for (int v = 0; v < n; v++) {
        rows[v] = edges.size();
        /* A few vertices have many neighbours. */
        int degree = 2 + scrambled(v) % 9 + (scrambled(v + 5) % 256 == 0 ? 300 : 0);
        std::vector<int> mine;
        for (int k = 0; k < degree; k++) {
            unsigned r = scrambled(v * 331 + k);
            mine.push_back(r % 3 ? (v + r / 3 % 512 - 256 + n) % n : r / 3 % n);
        }
        std::sort(mine.begin(), mine.end());
        mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
        for (int u : mine)
            edges.push_back(u), ends.push_back(make_int2(v, u));
    }
    rows[n] = edges.size();
    const int m = edges.size();
    std::vector<int> level(n, -1), queue = {0};
    std::vector<std::vector<int>> frontiers;
    level[0] = 0;
    for (int depth = 0; !queue.empty(); depth++) {
        std::vector<int> next;
        frontiers.push_back(queue);
        for (int v : queue)
            for (int e = rows[v]; e < rows[v + 1]; e++)
                if (level[edges[e]] < 0)
                    level[edges[e]] = depth + 1, next.push_back(edges[e]);
        queue = next;
    }
    auto up = [](const auto &v) {
        return filled<typename std::decay_t<decltype(v)>::value_type>(
            v.size(), [&](size_t i) { return v[i]; });
    };
    int *d_rows = up(rows), *d_edges = up(edges), *out = zeros<int>(n);
    int2 *d_ends = up(ends);

    auto at_depth = [&](int depth) {
        auto l = level;
        for (int &x : l)
            x = x > depth ? -1 : x;
        return l;
    };
    auto check_level = [&](const char *what, int depth) {
        auto o = fetched(out, n);
        for (int v = 0; v < n; v++)
            expect_same(what, v, o[v], level[v] == depth + 1 ? depth + 1 : 0);
        CHECK(cudaMemset(out, 0, n * sizeof *out));
    };
    int largest = 0;
    for (int d = 0; d < (int)frontiers.size(); d++)
        if (frontiers[d].size() > frontiers[largest].size())
            largest = d;
    int *d_level = up(at_depth(largest)), *d_early = up(at_depth(1));
    TWICE(level_threads<<<n / 256, 256>>>(d_rows, d_edges, d_level, out, n, largest));
    check_level("threads", largest);
    TWICE(level_threads<<<n / 64, 64>>>(d_rows, d_edges, d_early, out, n, 1));
    check_level("threads", 1);
    int *d_queue = up(frontiers[largest]), count = frontiers[largest].size();
    TWICE(level_warps<<<(count + 7) / 8, 256>>>(d_queue, d_rows, d_edges, d_level, out, count,
                                                largest));
    check_level("warps", largest);
    int *d_small = up(frontiers[1]), few = frontiers[1].size();
    TWICE(level_warps<<<(few + 3) / 4, 128>>>(d_small, d_rows, d_edges, d_early, out, few, 1));
    check_level("warps", 1);
    TWICE(level_pull<<<n / 128, 128>>>(d_rows, d_edges, d_level, out, n, largest));
    {
        auto l = at_depth(largest);
        auto o = fetched(out, n);
        for (int v = 0; v < n; v++) {
            bool found = false;
            for (int e = rows[v]; l[v] < 0 && e < rows[v + 1]; e++)
                found = found || l[edges[e]] == largest;
            expect_same("pull", v, o[v], found ? largest + 1 : 0);
        }
    }
    auto weight = [](size_t e) { return (int)(scrambled(e) % 100) + 1; };
    int *d_weights = filled<int>(m, weight);
    std::vector<int> distance(n);
    for (int v = 0; v < n; v++)
        distance[v] = level[v] < 0 || level[v] > largest ? 1 << 28 : level[v] * 50;
    int *d_distance = up(distance), *d_relaxed = up(distance);
    auto relaxed = distance;
    for (int e = 0; e < m; e++)
        if (distance[ends[e].x] < 1 << 28)
            relaxed[ends[e].y] = std::min(relaxed[ends[e].y], distance[ends[e].x] + weight(e));
    TWICE(relax_edges<<<(m + 255) / 256, 256>>>(d_ends, d_weights, d_distance, d_relaxed, m));
    TWICE(relax_edges<<<(m + 1023) / 1024, 1024>>>(d_ends, d_weights, d_distance, d_relaxed, m));
    auto r = fetched(d_relaxed, n);
    for (int v = 0; v < n; v++)
        expect_same("relax", v, r[v], relaxed[v]);

    float *share = fractions<float>(n), *rank = zeros<float>(n), *pushed = zeros<float>(n);
    auto hs = fetched(share, n);
    TWICE(rank_pull<<<n / 256, 256>>>(d_rows, d_edges, share, rank, n));
    TWICE(rank_pull<<<n / 32, 32>>>(d_rows, d_edges, share, rank, n));
    auto hr = fetched(rank, n);
    for (size_t v : places(n, 1000)) {
        double sum = 0;
        for (int e = rows[v]; e < rows[v + 1]; e++)
            sum += hs[edges[e]];
        expect_near("pull rank", v, hr[v], 0.15 / n + 0.85 * sum, 1e-5);
    }
    TWICE(rank_push<<<(m + 255) / 256, 256>>>(d_ends, share, pushed, m));
    TWICE(rank_push<<<(m + 63) / 64, 64>>>(d_ends, share, pushed, m));
    std::vector<double> sums(n);
    for (int e = 0; e < m; e++)
        sums[ends[e].y] += hs[ends[e].x];
    auto hp = fetched(pushed, n);
    double total = 0, should = 0;
    for (int v = 0; v < n; v++)
        total += hp[v], should += sums[v];
    double times = std::round(total / should);
    for (int v = 0; v < n; v++)
        expect_near("push", v, hp[v], times * sums[v], 5e-3);

    std::vector<int> parent(n), root(n);
    for (int v = 0; v < n; v++) {
        parent[v] = v % 1024 == 0 ? v : v - 1 - scrambled(v) % (v % 1024) % 64;
        root[v] = v / 1024 * 1024;
    }
    int *d_parent = up(parent), *d_root = zeros<int>(n);
    TWICE(find_roots<<<n / 256, 256>>>(d_parent, d_root, n));
    auto ho = fetched(d_root, n);
    TWICE(jump<<<n / 256, 256>>>(d_parent, out, n));
    auto hj = fetched(out, n);
    for (int v = 0; v < n; v++) {
        expect_same("root", v, ho[v], root[v]);
        expect_same("jump", v, hj[v], parent[parent[v]]);
    }
    int *d_common = zeros<int>(m);
    TWICE(common<<<(m + 127) / 128, 128>>>(d_ends, d_rows, d_edges, d_common, m));
    auto hc = fetched(d_common, m);
    for (size_t e : places(m, 2000)) {
        int a = ends[e].x, b = ends[e].y;
        std::vector<int> both;
        std::set_intersection(edges.begin() + rows[a], edges.begin() + rows[a + 1],
                              edges.begin() + rows[b], edges.begin() + rows[b + 1],
                              std::back_inserter(both));
        expect_same("common", e, hc[e], both.size());
    }
    return verdict("roads");
}
