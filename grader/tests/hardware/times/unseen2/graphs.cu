/* Single steps of algorithms on graphs. */
#include "common.cuh"

/* One level of a breadth-first search, out of place: vertices, edges, or with sets of bits. */
__global__ void bfsVertices(int *next, const int *level, const int *start, const int *to, int now,
                            int n)
{
    int v = own_index();
    if (v >= n || level[v] != now)
        return;
    for (int e = start[v]; e < start[v + 1]; e++)
        if (level[to[e]] < 0)
            next[to[e]] = now + 1;
}

__global__ void bfsEdges(int *next, const int *level, const int2 *edges, int now, int m)
{
    int e = own_index();
    if (e >= m)
        return;
    int2 edge = edges[e];
    if (level[edge.x] == now && level[edge.y] < 0)
        next[edge.y] = now + 1;
}

__global__ void bfsBits(unsigned *next, const unsigned *reached, const int *start, const int *from,
                        int n)
{
    int v = own_index();
    bool found = false;
    if (v < n && !(reached[v / 32] >> v % 32 & 1))
        for (int e = start[v]; e < start[v + 1] && !found; e++)
            found = reached[from[e] / 32] >> from[e] % 32 & 1;
    unsigned votes = __ballot_sync(~0u, found);
    if (threadIdx.x % 32 == 0 && v < n)
        next[v / 32] = votes;
}

/* Everyone takes the most frequent label of its neighbours, or the smallest. */
__global__ void smallestLabel(int *next, const int *label, const int *start, const int *to, int n)
{
    int v = own_index();
    if (v >= n)
        return;
    int best = label[v];
    for (int e = start[v]; e < start[v + 1]; e++)
        best = min(best, label[to[e]]);
    next[v] = best;
}

__global__ void smallestLabelWarp(int *next, const int *label, const int *start, const int *to,
                                  int n)
{
    int v = own_index() / 32, lane = threadIdx.x % 32;
    if (v >= n)
        return;
    int best = label[v];
    for (int e = start[v] + lane; e < start[v + 1]; e += 32)
        best = min(best, label[to[e]]);
    best = __reduce_min_sync(~0u, best);
    if (lane == 0)
        next[v] = best;
}

/* Independent sets for a colouring: local maxima of random numbers. */
__global__ void localMaxima(unsigned char *chosen, const unsigned *priority, const int *start,
                            const int *to, int n)
{
    int v = own_index();
    if (v >= n)
        return;
    unsigned own = priority[v];
    bool most = true;
    for (int e = start[v]; e < start[v + 1]; e++)
        if (priority[to[e]] > own || (priority[to[e]] == own && to[e] > v)) {
            most = false;
            break;
        }
    chosen[v] = most;
}

/* Common neighbours of both ends of an edge: merging lists, or searching in the longer one. */
__global__ void commonMerged(int *count, const int2 *edges, const int *start, const int *to, int m)
{
    int e = own_index();
    if (e >= m)
        return;
    int i = start[edges[e].x], iEnd = start[edges[e].x + 1], j = start[edges[e].y],
        jEnd = start[edges[e].y + 1], sum = 0;
    while (i < iEnd && j < jEnd) {
        int a = to[i], b = to[j];
        sum += a == b;
        i += a <= b;
        j += b <= a;
    }
    count[e] = sum;
}

__global__ void commonSearched(int *count, const int2 *edges, const int *start, const int *to,
                               int m)
{
    int e = own_index() / 32, lane = threadIdx.x % 32;
    if (e >= m)
        return;
    int i = start[edges[e].x], iEnd = start[edges[e].x + 1], j = start[edges[e].y],
        jEnd = start[edges[e].y + 1], sum = 0;
    for (int k = i + lane; k < iEnd; k += 32) {
        int low = j, high = jEnd, x = to[k];
        while (low < high) {
            int middle = (low + high) / 2;
            if (to[middle] < x)
                low = middle + 1;
            else
                high = middle;
        }
        sum += low < jEnd && to[low] == x;
    }
    sum = __reduce_add_sync(~0u, sum);
    if (lane == 0)
        count[e] = sum;
}

/* Shortest paths between all, in tiles: the diagonal tile, then the rest of a round (out of place). */
__global__ void floydTile(int *out, const int *in, int n, int tile)
{
    __shared__ int d[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    d[y][x] = in[(tile * 32 + y) * n + tile * 32 + x];
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        int through = d[y][k] + d[k][x];
        __syncthreads();
        d[y][x] = min(d[y][x], through);
        __syncthreads();
    }
    out[(tile * 32 + y) * n + tile * 32 + x] = d[y][x];
}

__global__ void floydRest(int *out, const int *in, int n, int tile)
{
    __shared__ int left[32][32], top[32][32];
    int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
    left[y][x] = in[r * n + tile * 32 + x];
    top[y][x] = in[(tile * 32 + y) * n + c];
    int best = in[r * n + c];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k++)
        best = min(best, left[y][k] + top[k][x]);
    out[r * n + c] = best;
}

int main()
{
    const int n = 1 << 16;
    std::vector<int> starts{0}, tos;
    std::vector<int2> list;
    for (int v = 0; v < n; v++) { // few neighbours, some have many
        int degree = 3 + scrambled(v) % 6 + (scrambled(v) % 200 == 7 ? 300 : 0);
        std::vector<int> own;
        for (int k = 0; k < degree; k++)
            own.push_back(k % 2 ? scrambled(v * 401 + k) % n
                                : (v + scrambled(v * 31 + k) % 64) % n);
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        for (int w : own) {
            tos.push_back(w);
            list.push_back(make_int2(v, w));
        }
        starts.push_back((int)tos.size());
    }
    const int m = (int)tos.size();
    auto start = sent(starts), to = sent(tos);
    auto edges = sent(list);
    auto level = made<int>(n, [](size_t i) {
        return scrambled(i) % 10 == 0 ? 5 : scrambled(i) % 10 < 4 ? 3 : -1;
    });
    int *next = zeros<int>(n);
    std::vector<int> reached(n);
    for (auto &e : list)
        if (level[e.x] == 5 && level[e.y] < 0)
            reached[e.y] = 6;
    TWICE(bfsVertices<<<blocks_for(n, 256), 256>>>(next, level.device, start.device, to.device, 5,
                                                   n));
    expect("bfsVertices", next, n, [&](size_t v) { return reached[v]; });
    CHECK(cudaMemset(next, 0, n * sizeof *next));
    TWICE(bfsEdges<<<blocks_for(m, 256), 256>>>(next, level.device, edges.device, 5, m));
    expect("bfsEdges", next, n, [&](size_t v) { return reached[v]; });
    auto bits = made<unsigned>(
        n / 32, [](size_t i) { return scrambled(i) & scrambled(i + 9999) & scrambled(i + 77); });
    unsigned *found = zeros<unsigned>(n / 32);
    TWICE(bfsBits<<<blocks_for(n, 256), 256>>>(found, bits.device, start.device, to.device, n));
    expect("bfsBits", found, n / 32, [&](size_t w) {
        unsigned mask = 0;
        for (int k = 0; k < 32; k++) {
            int v = (int)w * 32 + k;
            if (!(bits[w] >> k & 1))
                for (int e = starts[v]; e < starts[v + 1]; e++)
                    mask |= (bits[tos[e] / 32] >> tos[e] % 32 & 1) << k;
        }
        return mask;
    });
    TWICE(bfsVertices<<<blocks_for(4096, 64), 64>>>(next, level.device, start.device, to.device, 3,
                                                    4096));

    auto label = random_below(n, 1 << 20);
    auto smallest = [&](size_t v) {
        int best = label[v];
        for (int e = starts[v]; e < starts[v + 1]; e++)
            best = std::min(best, label[tos[e]]);
        return best;
    };
    TWICE(
        smallestLabel<<<blocks_for(n, 128), 128>>>(next, label.device, start.device, to.device, n));
    expect("smallestLabel", next, n, smallest);
    TWICE(smallestLabelWarp<<<blocks_for(n, 4), 128>>>(next, label.device, start.device, to.device,
                                                       n));
    expect("smallestLabelWarp", next, n, smallest);
    unsigned char *chosen = zeros<unsigned char>(n);
    auto most = [&](size_t v) {
        for (int e = starts[v]; e < starts[v + 1]; e++)
            if (label[tos[e]] > label[v] || (label[tos[e]] == label[v] && tos[e] > (int)v))
                return 0;
        return 1;
    };
    TWICE(localMaxima<<<blocks_for(n, 256), 256>>>(chosen, (unsigned *)label.device, start.device,
                                                   to.device, n));
    expect("localMaxima", chosen, n, most);

    int *counts = zeros<int>(m);
    const int some = 40000;
    auto common = [&](size_t e) {
        std::vector<int> both;
        int a = list[e].x, b = list[e].y;
        std::set_intersection(&tos[starts[a]], &tos[starts[a + 1]], &tos[starts[b]],
                              &tos[starts[b + 1]], std::back_inserter(both));
        return (int)both.size();
    };
    TWICE(commonMerged<<<blocks_for(some, 128), 128>>>(counts, edges.device, start.device,
                                                       to.device, some));
    expect("commonMerged", counts, some, common);
    CHECK(cudaMemset(counts, 0, some * sizeof *counts));
    TWICE(commonSearched<<<blocks_for(some, 4), 128>>>(counts, edges.device, start.device,
                                                       to.device, some));
    expect("commonSearched", counts, some, common);

    const int side = 512;
    auto dist = random_below(side * side, 10000);
    int *shorter = zeros<int>(side * side);
    TWICE(floydTile<<<1, dim3(32, 32)>>>(shorter, dist.device, side, 3));
    expect("floydTile", shorter + 96 * side + 96, 32, [&](size_t i) {
        std::vector<int> d(1024);
        for (int k = 0; k < 1024; k++)
            d[k] = dist[(96 + k / 32) * side + 96 + k % 32];
        for (int k = 0; k < 32; k++)
            for (int r = 0; r < 32; r++)
                for (int c = 0; c < 32; c++)
                    d[r * 32 + c] = std::min(d[r * 32 + c], d[r * 32 + k] + d[k * 32 + c]);
        return d[i];
    });
    TWICE(floydRest<<<dim3(side / 32, side / 32), dim3(32, 32)>>>(shorter, dist.device, side, 3));
    expect(
        "floydRest", shorter, side * side,
        [&](size_t i) {
            int best = dist[i];
            for (int k = 96; k < 128; k++)
                best = std::min(best, dist[i / side * side + k] + dist[k * side + i % side]);
            return best;
        },
        0, 3);
    return 0;
}
