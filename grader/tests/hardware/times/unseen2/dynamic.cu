/* Dynamic programming: rows, diagonals and tables. */
#include "common.cuh"

/* One diagonal of the table of edit distances: each of the last two diagonals is an array, indexed by the row. */
__global__ void editDiagonal(int *next, const int *last, const int *before, const char *a,
                             const char *b, int d, int la, int lb)
{
    int i = max(0, d - lb) + own_index();
    if (i > min(d, la))
        return;
    int j = d - i;
    next[i] = i == 0 || j == 0
                  ? d
                  : min(min(last[i - 1], last[i]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
}

/* A block compares a pair of strings of 128: a thread per row, the wavefront in shared memory. */
__global__ void editBlocks(int *out, const char *a, const char *b)
{
    __shared__ int row[3][129];
    __shared__ char other[128];
    int t = threadIdx.x;
    char own = a[blockIdx.x * 128 + t];
    other[t] = b[blockIdx.x * 128 + t];
    if (t == 0)
        row[0][0] = 0;
    for (int d = 1; d <= 256; d++) {
        __syncthreads();
        int *next = row[d % 3], *last = row[(d + 2) % 3], *before = row[(d + 1) % 3], i = t + 1,
            j = d - i;
        if (t == 0 && d <= 128)
            next[0] = d;
        if (j == 0)
            next[i] = d;
        if (j > 0 && j <= 128)
            next[i] = min(min(last[i - 1], last[i]) + 1, before[i - 1] + (own != other[j - 1]));
    }
    __syncthreads();
    if (t == 0)
        out[blockIdx.x] = row[256 % 3][128];
}

/* The same by warps, which hold a row in 4 registers per lane; 16-bit scores of a local alignment. */
__global__ void alignWarps(int *out, const char *a, const char *b, int length)
{
    int pair = own_index() / 32, lane = threadIdx.x % 32, row[4] = {}, best = 0;
    char own[4];
    for (int k = 0; k < 4; k++)
        own[k] = b[pair * 128 + lane * 4 + k];
    int fromLeft = 0, diagonal = 0;
    for (int step = 0; step < length + 31; step++) {
        int i = step - lane;
        fromLeft = __shfl_up_sync(~0u, row[3], 1);
        if (lane == 0)
            fromLeft = 0;
        if (i >= 0 && i < length) {
            char c = a[pair * length + i];
            int left = fromLeft, corner = diagonal;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                int up = row[k],
                    score = max(max(corner + (c == own[k] ? 2 : -1), max(up, left) - 1), 0);
                corner = up;
                row[k] = left = score;
                best = max(best, score);
            }
        }
        diagonal = fromLeft;
    }
    best = __reduce_max_sync(~0u, best);
    if (lane == 0)
        out[pair] = best;
}

/* One item of a knapsack, for all capacities. */
__global__ void knapsackRow(int *next, const int *row, int weight, int value, int capacity)
{
    int c = own_index();
    if (c <= capacity)
        next[c] = c >= weight ? max(row[c], row[c - weight] + value) : row[c];
}

/* All items for one capacity class in shared memory; a block a problem. */
__global__ void knapsackBlocks(int *out, const int *weights, const int *values, int items,
                               int capacity)
{
    extern __shared__ int best[];
    for (int c = threadIdx.x; c < 2 * (capacity + 1); c += blockDim.x)
        best[c] = 0;
    int now = 0;
    for (int i = 0; i < items; i++, now ^= 1) {
        int w = weights[blockIdx.x * items + i], v = values[blockIdx.x * items + i];
        int *old = best + now * (capacity + 1), *next = best + (now ^ 1) * (capacity + 1);
        __syncthreads();
        for (int c = threadIdx.x; c <= capacity; c += blockDim.x)
            next[c] = c >= w ? max(old[c], old[c - w] + v) : old[c];
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = best[now * (capacity + 1) + capacity];
}

/* One step of Viterbi's search over many states: a thread or a warp a state. */
__global__ void viterbiThread(float *next, int *from, const float *score, const float *transition,
                              const float *emission, int states)
{
    int s = own_index();
    if (s >= states)
        return;
    float best = -1e30f;
    int which = 0;
    for (int p = 0; p < states; p++) {
        float x = score[p] + transition[p * states + s];
        if (x > best) {
            best = x;
            which = p;
        }
    }
    next[s] = best + emission[s];
    from[s] = which;
}

__global__ void viterbiWarp(float *next, int *from, const float *score, const float *transposed,
                            const float *emission, int states)
{
    int s = own_index() / 32, lane = threadIdx.x % 32;
    if (s >= states)
        return;
    float best = -1e30f;
    int which = 0;
    for (int p = lane; p < states; p += 32) {
        float x = score[p] + transposed[s * states + p];
        if (x > best) {
            best = x;
            which = p;
        }
    }
    for (int d = 16; d; d /= 2) {
        float x = __shfl_down_sync(~0u, best, d);
        int w = __shfl_down_sync(~0u, which, d);
        if (x > best || (x == best && w < which)) {
            best = x;
            which = w;
        }
    }
    if (lane == 0) {
        next[s] = best + emission[s];
        from[s] = which;
    }
}

/* Cheapest order of products of matrices: all chains of LENGTH, from the shorter ones. A block a chain. */
__global__ void chainOrder(long long *cost, const int *sizes, int length, int n)
{
    __shared__ long long part[64];
    int i = blockIdx.x, j = i + length;
    long long best = 1ll << 60;
    for (int k = i + threadIdx.x; k < j; k += blockDim.x)
        best = min(best, cost[i * n + k] + cost[(k + 1) * n + j] +
                             (long long)sizes[i] * sizes[k + 1] * sizes[j + 1]);
    part[threadIdx.x] = best;
    __syncthreads();
    for (int d = 32; d; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] = min(part[threadIdx.x], part[threadIdx.x + d]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        cost[i * n + j] = part[0];
}

/* The dearest way down a triangle of numbers, a row at a time; and paths through a grid of costs by strips in shared memory. */
__global__ void gridStrips(int *out, const int *cost, int width, int height)
{
    __shared__ int s[2][258];
    int t = threadIdx.x, x = blockIdx.x * 256 + t, now = 0;
    const int wall = 1 << 29;
    s[0][t + 1] = cost[x];
    if (t == 0)
        s[0][0] = s[1][0] = s[0][257] = s[1][257] = wall;
    for (int y = 1; y < height; y++, now ^= 1) {
        __syncthreads();
        s[now ^ 1][t + 1] = cost[y * width + x] + min(min(s[now][t], s[now][t + 1]), s[now][t + 2]);
    }
    __syncthreads();
    out[x] = s[now][t + 1];
}

static int edit(const char *a, int la, const char *b, int lb)
{
    std::vector<int> row(lb + 1);
    for (int j = 0; j <= lb; j++)
        row[j] = j;
    for (int i = 1; i <= la; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= lb; j++) {
            int up = row[j];
            row[j] = std::min(std::min(up, row[j - 1]) + 1, corner + (a[i - 1] != b[j - 1]));
            corner = up;
        }
    }
    return row[lb];
}

int main()
{
    const int pairs = 2000;
    auto a = made<char>(pairs * 128, [](size_t i) { return "ACGT"[scrambled(i) % 4]; });
    auto b = made<char>(pairs * 128, [&](size_t i) {
        return scrambled(i + 9) % 4 ? a[i] : "ACGT"[scrambled(i + 3) % 4];
    });
    int *out = zeros<int>(1 << 18);
    for (int blocks : {pairs, 30}) {
        TWICE(editBlocks<<<blocks, 128>>>(out, a.device, b.device));
        expect(
            "editBlocks", out, blocks,
            [&](size_t p) { return edit(&a.host[p * 128], 128, &b.host[p * 128], 128); }, 0, 7);
        TWICE(alignWarps<<<blocks / 2, 64>>>(out, a.device, b.device, 128));
        expect(
            "alignWarps", out, blocks,
            [&](size_t p) {
                std::vector<int> row(129);
                int best = 0;
                for (int i = 0; i < 128; i++) {
                    int corner = 0;
                    for (int j = 1; j <= 128; j++) {
                        int up = row[j];
                        row[j] = std::max(
                            std::max(corner + (a[p * 128 + i] == b[p * 128 + j - 1] ? 2 : -1),
                                     std::max(up, row[j - 1]) - 1),
                            0);
                        corner = up;
                        best = std::max(best, row[j]);
                    }
                }
                return best;
            },
            0, 7);
    }
    const int la = 60000, lb = 60000, d = 50000;
    auto last = random_below(la + 1, 100000), before = random_below(la + 1, 100000, 3);
    for (int at : {d, 3000}) {
        TWICE(editDiagonal<<<blocks_for(at + 1, 256), 256>>>(out, last.device, before.device,
                                                             a.device, b.device, at, la, lb));
        expect("editDiagonal", out, at + 1, [&](size_t i) {
            return i == 0 || (int)i == at ? at
                                          : std::min(std::min(last[i - 1], last[i]) + 1,
                                                     before[i - 1] + (a[i - 1] != b[at - i - 1]));
        });
    }
    for (int capacity : {la, 5000}) {
        TWICE(knapsackRow<<<blocks_for(capacity + 1, 256), 256>>>(out, last.device, 777, 5000,
                                                                  capacity));
        expect("knapsackRow", out, capacity + 1, [&](size_t c) {
            return c >= 777 ? std::max(last[c], last[c - 777] + 5000) : last[c];
        });
    }
    const int items = 60, capacity = 1000;
    auto weights = made<int>(items * 264, [](size_t i) { return 5 + (int)(scrambled(i) % 100); }),
         values = random_below(items * 264, 1000);
    for (int blocks : {264, 10}) {
        TWICE(knapsackBlocks<<<blocks, blocks == 10 ? 512 : 128, 2 * (capacity + 1) * 4>>>(
            out, weights.device, values.device, items, capacity));
        expect(
            "knapsackBlocks", out, blocks,
            [&](size_t p) {
                std::vector<int> best(capacity + 1);
                for (int i = 0; i < items; i++)
                    for (int c = capacity; c >= weights[p * items + i]; c--)
                        best[c] = std::max(best[c], best[c - weights[p * items + i]] +
                                                        values[p * items + i]);
                return best[capacity];
            },
            0, 9);
    }
    const int states = 1000;
    auto score = random_between<float>(states, -5, 0),
         emission = random_between<float>(states, -3, 0, 1),
         transition = random_between<float>(states * states, -9, 0, 2);
    auto transposed = made<float>(
        states * states, [&](size_t i) { return transition[i % states * states + i / states]; });
    float *next = zeros<float>(states);
    auto best = [&](size_t s) {
        float most = -1e30f;
        for (int p = 0; p < states; p++)
            most = std::max(most, score[p] + transition[p * states + s]);
        return most + emission[s];
    };
    TWICE(viterbiThread<<<blocks_for(states, 64), 64>>>(next, out, score.device, transition.device,
                                                        emission.device, states));
    expect("viterbiThread", next, states, best, 1e-6);
    CHECK(cudaMemset(next, 0, states * sizeof *next));
    TWICE(viterbiWarp<<<blocks_for(states, 4), 128>>>(next, out, score.device, transposed.device,
                                                      emission.device, states));
    expect("viterbiWarp", next, states, best, 1e-6);
    const int n = 600, length = 400;
    auto sizes = made<int>(n + 1, [](size_t i) { return 1 + (int)(scrambled(i) % 500); });
    auto cost =
        made<long long>(n * n, [](size_t i) { return (long long)(scrambled(i) % 100000000); });
    TWICE(chainOrder<<<n - length, 64>>>(cost.device, sizes.device, length, n));
    if (comparing()) {
        auto got = fetched(cost.device, n * n);
        for (int i = 0; i < n - length; i++) {
            long long least = 1ll << 60;
            for (int k = i; k < i + length; k++)
                least =
                    std::min(least, cost[i * n + k] + cost[(k + 1) * n + i + length] +
                                        (long long)sizes[i] * sizes[k + 1] * sizes[i + length + 1]);
            if (least != got[i * n + i + length]) {
                fprintf(stderr, "chainOrder: %lld instead of %lld\n", got[i * n + i + length],
                        least);
                exit(4);
            }
        }
    }
    const int width = 4096, height = 150;
    auto field = random_below(width * height, 100);
    TWICE(gridStrips<<<width / 256, 256>>>(out, field.device, width, height));
    expect("gridStrips", out, 256, [&, row = std::vector<int>()](size_t x) mutable {
        if (row.empty()) {
            row.assign(field.host.begin(), field.host.begin() + 256);
            for (int y = 1; y < height; y++) {
                auto old = row;
                for (int k = 0; k < 256; k++)
                    row[k] =
                        field[y * width + k] + std::min(std::min(k ? old[k - 1] : 1 << 29, old[k]),
                                                        k < 255 ? old[k + 1] : 1 << 29);
            }
        }
        return row[x];
    });
    return 0;
}
