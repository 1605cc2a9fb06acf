/* Dynamic programming. */
#include "expect.cuh"
#include <algorithm>

#define TILE   32
#define LETTER 16
#define GAP    2

/* One row of the cheapest way down a grid. */
static __global__ void path_row(int *out, const int *in, const int *cost, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < n)
        out[x] = cost[x] + min(min(in[max(x - 1, 0)], in[x]), in[min(x + 1, n - 1)]);
}

/* ROWS rows in one launch, with a rim that shrinks: as Rodinia's pathfinder. */
static __global__ void path_rows(int *out, const int *in, const int *cost, int n, int rows)
{
    __shared__ int best[2][256];
    int t = threadIdx.x, x = blockIdx.x * (256 - 2 * rows) + t - rows, at = min(max(x, 0), n - 1);
    best[0][t] = in[at];
    __syncthreads();
    for (int row = 0; row < rows; row++) {
        int *from = best[row & 1], *to = best[!(row & 1)];
        if (t > row && t < 255 - row) {
            int left = x <= 0 ? t : t - 1, right = x >= n - 1 ? t : t + 1;
            to[t] = cost[row * n + at] + min(min(from[left], from[t]), from[right]);
        }
        __syncthreads();
    }
    if (t >= rows && t < 256 - rows && x < n)
        out[x] = best[rows & 1][t];
}

/* All tiles of an antidiagonal, a warp each: as Rodinia's nw. SCORE has a row and a column of zeros in front. */
static __global__ void align_tiles(int *score, const int *alike, int n, int diagonal, int first)
{
    __shared__ int tile[TILE + 1][TILE + 1];
    int t = threadIdx.x, row = first + blockIdx.x, width = n + 1;
    int top = row * TILE, left = (diagonal - row) * TILE;
    tile[0][t + 1] = score[top * width + left + t + 1];
    tile[t + 1][0] = score[(top + t + 1) * width + left];
    if (t == 0)
        tile[0][0] = score[top * width + left];
    __syncwarp();
    for (int d = 0; d < 2 * TILE - 1; d++) {
        int x = d - t;
        if (x >= 0 && x < TILE)
            tile[t + 1][x + 1] = max(tile[t][x] + alike[(top + t) * n + left + x],
                                     max(tile[t][x + 1], tile[t + 1][x]) - GAP);
        __syncwarp();
    }
    for (int y = 0; y < TILE; y++)
        score[(top + y + 1) * width + left + t + 1] = tile[y + 1][t + 1];
}

__host__ __device__ static int distance_of(const char *a, const char *b)
{
    unsigned char row[LETTER + 1];
    for (int j = 0; j <= LETTER; j++)
        row[j] = j;
    for (int i = 0; i < LETTER; i++) {
        int diagonal = row[0], letter = a[i];
        row[0] = i + 1;
        for (int j = 0; j < LETTER; j++) {
            int above = row[j + 1], changed = diagonal + (letter != b[j]);
            int least = above < row[j] ? above + 1 : row[j] + 1;
            row[j + 1] = changed < least ? changed : least;
            diagonal = above;
        }
    }
    return row[LETTER];
}

/* The Levenshtein distance of every word to one word, a thread each. */
static __global__ void edit_distances(int *distance, const char *words, const char *word, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        distance[i] = distance_of(words + i * LETTER, word);
}

int main()
{
    const int n = 1 << 18, rows = 20;
    int *cost = integers(n * rows, 100), *in = integers(n, 1000), *out = zeros<int>(n);
    std::vector<int> costs = fetched(cost, n * rows), start = fetched(in, n);
    auto expect_paths = [&](int depth) {
        std::vector<int> best = start, old, found = fetched(out, n);
        for (int row = 0; row < depth; row++) {
            old = best;
            for (int x = 0; x < n; x++)
                best[x] = costs[row * n + x] + std::min(std::min(old[std::max(x - 1, 0)], old[x]),
                                                        old[std::min(x + 1, n - 1)]);
        }
        EXPECT(found == best);
        clear(out, n);
    };
    TWICE(path_row<<<n / 256, 256>>>(out, in, cost, n));
    expect_paths(1);
    for (int depth : {4, rows}) {
        TWICE(path_rows<<<blocks(n, 256 - 2 * depth), 256>>>(out, in, cost, n, depth));
        expect_paths(depth);
    }

    const int length = 1024, width = length + 1, tiles = length / TILE;
    int *alike = filled<int>(length * length, [](size_t i) { return (int)(scrambled(i) % 8) - 3; });
    std::vector<int> match = fetched(alike, length * length), right(width * width);
    for (int y = 1; y < width; y++)
        for (int x = 1; x < width; x++)
            right[y * width + x] =
                std::max(right[(y - 1) * width + x - 1] + match[(y - 1) * length + x - 1],
                         std::max(right[(y - 1) * width + x], right[y * width + x - 1]) - GAP);
    for (int diagonal :
         {3, tiles - 1}) { // what comes before is there, the diagonal and the rest is not
        int *score = filled<int>(width * width, [&](size_t i) {
            int y = (int)i / width, x = (int)i % width;
            bool before = y == 0 || x == 0 || (y - 1) / TILE + (x - 1) / TILE < diagonal;
            return before ? right[i] : -9999;
        });
        TWICE(align_tiles<<<diagonal + 1, TILE>>>(score, alike, length, diagonal, 0));
        std::vector<int> found = fetched(score, width * width);
        for (int y = 1; y < width; y++)
            for (int x = 1; x < width; x++)
                if ((y - 1) / TILE + (x - 1) / TILE == diagonal)
                    EXPECT(found[y * width + x] == right[y * width + x]);
    }

    const int most = 1 << 15;
    char *words =
        filled<char>(most * LETTER, [](size_t i) { return (char)('a' + scrambled(i) % 4); });
    std::vector<char> host = fetched(words, most * LETTER);
    for (int count : {1 << 11, most}) {
        TWICE(edit_distances<<<count / 128, 128>>>(out, words, words + 5 * LETTER, count));
        std::vector<int> found = fetched(out, count);
        EXPECT(found[5] == 0);
        for (int i = 0; i < count; i += 37)
            EXPECT(found[i] == distance_of(&host[i * LETTER], &host[5 * LETTER]));
    }
    return 0;
}
