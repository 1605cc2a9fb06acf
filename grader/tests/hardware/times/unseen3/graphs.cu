/* Steps of graph algorithms on random graphs: even, or with a few nodes of many neighbours. */
#include "expect.cuh"
#include <algorithm>

#define NODES (1 << 16)

struct graph {
    std::vector<int> begin, to;
    int *device_begin, *device_to;
};

/* One level, a thread per node, as Rodinia's bfs. NEXT gets marks, so that a step can be repeated. */
static __global__ void visit_by_thread(int *next, const int *level, const int *begin, const int *to,
                                       int now, int nodes)
{
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= nodes || level[node] != now)
        return;
    for (int e = begin[node]; e < begin[node + 1]; e++)
        if (level[to[e]] < 0)
            next[to[e]] = now + 1;
}

/* The same with a warp per node, as SHOC's and textbooks' second version. */
static __global__ void visit_by_warp(int *next, const int *level, const int *begin, const int *to,
                                     int now, int nodes)
{
    int node = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (node >= nodes || level[node] != now)
        return;
    for (int e = begin[node] + threadIdx.x % 32; e < begin[node + 1]; e += 32)
        if (level[to[e]] < 0)
            next[to[e]] = now + 1;
}

/* One round of Floyd and Warshall, as Pannotia's and HeCBench's. */
static __global__ void shorten(int *out, const int *in, int n, int via)
{
    int to = blockIdx.x * blockDim.x + threadIdx.x, from = blockIdx.y;
    int direct = in[from * n + to], around = in[from * n + via] + in[via * n + to];
    out[from * n + to] = min(direct, around);
}

static graph make_graph(bool even)
{
    graph g;
    g.begin.push_back(0);
    for (int node = 0; node < NODES; node++) {
        int degree = even ? 8 : node % 512 == 0 ? 2048 : 4;
        for (int e = 0; e < degree; e++)
            g.to.push_back(scrambled(g.to.size()) % NODES);
        g.begin.push_back((int)g.to.size());
    }
    auto copy = [](const std::vector<int> &v) {
        return filled<int>(v.size(), [&](size_t i) { return v[i]; });
    };
    g.device_begin = copy(g.begin), g.device_to = copy(g.to);
    return g;
}

static std::vector<int> levels_until(const graph &g, int last)
{
    std::vector<int> level(NODES, -1);
    level[1] = 0;
    for (int now = 0; now < last; now++)
        for (int node = 0; node < NODES; node++)
            if (level[node] == now)
                for (int e = g.begin[node]; e < g.begin[node + 1]; e++)
                    if (level[g.to[e]] < 0)
                        level[g.to[e]] = now + 1;
    return level;
}

int main()
{
    int *next = zeros<int>(NODES);
    for (bool even : {true, false}) {
        graph g = make_graph(even);
        for (int now : {1, even ? 5 : 4}) {
            std::vector<int> before = levels_until(g, now), after = levels_until(g, now + 1);
            int *level = filled<int>(NODES, [&](size_t i) { return before[i]; });
            auto expect_next = [&] {
                std::vector<int> found = fetched(next, NODES);
                EXPECT(std::count(after.begin(), after.end(), now + 1) > 0);
                for (int node = 0; node < NODES; node++)
                    EXPECT((found[node] == now + 1) == (after[node] == now + 1));
                clear(next, NODES);
            };
            TWICE(visit_by_thread<<<NODES / 256, 256>>>(next, level, g.device_begin, g.device_to,
                                                        now, NODES));
            expect_next();
            if (now == 1)
                continue;
            TWICE(visit_by_warp<<<NODES / 8, 256>>>(next, level, g.device_begin, g.device_to, now,
                                                    NODES));
            expect_next();
        }
    }

    for (int n : {256, 1024}) {
        int *in = integers(n * n, 1000), *out = zeros<int>(n * n), via = 37;
        TWICE(shorten<<<dim3(n / 256, n), 256>>>(out, in, n, via));
        std::vector<int> before = fetched(in, n * n), after = fetched(out, n * n);
        for (int i = 0; i < n * n; i += 499)
            EXPECT(after[i] ==
                   std::min(before[i], before[i / n * n + via] + before[via * n + i % n]));
    }
    return 0;
}
