/* Strings: Needleman and Wunsch's blocks (after Rodinia's nw), edit distances, counting words of letters, searching,
 * translation, a path through a grid (after Rodinia's pathfinder). */
#include "expect.cuh"
#include <algorithm>
#include <string>

/* One diagonal of tiles of 16: the tile's border comes from the table, the rest is written to another. */
__global__ void needle_tiles(const int *table, const int *score, int *out, int n, int diagonal)
{
    __shared__ int s[17][17], r[16][16];
    int t = threadIdx.x, bx = blockIdx.x, by = diagonal - bx, w = n + 1;
    int corner = by * 16 * w + bx * 16;
    for (int y = 0; y < 16; y++)
        r[y][t] = score[(by * 16 + y) * n + bx * 16 + t];
    s[0][t + 1] = table[corner + t + 1];
    s[t + 1][0] = table[corner + (t + 1) * w];
    if (t == 0)
        s[0][0] = table[corner];
    __syncwarp(0xffff);
    for (int d = 0; d < 31; d++) {
        int y = d - t;
        if (y >= 0 && y < 16)
            s[y + 1][t + 1] = max(s[y][t] + r[y][t], max(s[y][t + 1], s[y + 1][t]) - 2);
        __syncwarp(0xffff);
    }
    for (int y = 0; y < 16; y++)
        out[corner + (y + 1) * w + t + 1] = s[y + 1][t + 1];
}

/* A thread compares its own word with a common one; the row of the table in local memory. */
__global__ void edit_local(const char *words, const char *common, int *out, int length, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int row[33];
    for (int j = 0; j <= length; j++)
        row[j] = j;
    for (int i = 0; i < length; i++) {
        char c = words[i * n + t];
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 0; j < length; j++) {
            int v = min(min(row[j], row[j + 1]) + 1, corner + (common[j] != c));
            corner = row[j + 1];
            row[j + 1] = v;
        }
    }
    out[t] = row[length];
}

/* Myers' bit vectors: a whole column of the table in two words. */
__global__ void edit_bits(const char *words, const unsigned *masks, int *out, int length, int n)
{
    __shared__ unsigned m[4];
    if (threadIdx.x < 4)
        m[threadIdx.x] = masks[threadIdx.x];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, distance = length;
    unsigned up = ~0u, down = 0, last = 1u << (length - 1);
    for (int i = 0; i < length; i++) {
        unsigned eq = m[words[i * n + t] & 3], x = eq | down, d = (((eq & up) + up) ^ up) | eq;
        unsigned ph = down | ~(d | up), mh = up & d;
        distance += (ph & last) != 0;
        distance -= (mh & last) != 0;
        ph = ph << 1 | 1;
        up = mh << 1 | ~(x | ph);
        down = ph & x;
    }
    out[t] = distance;
}

/* Words of six letters, counted in global or shared memory. */
__global__ void words_global(const char *text, int *counts, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, code = 0;
    for (int k = 0; k < 6; k++)
        code = code * 4 + (text[i + k] & 3);
    atomicAdd(&counts[code], 1);
}

__global__ void words_shared(const char *text, int *counts, int each)
{
    extern __shared__ int s[];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        s[i] = 0;
    __syncthreads();
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each, code = 0;
    for (int k = 0; k < 5; k++)
        code = code * 4 + (text[first + k] & 3);
    for (int i = 0; i < each; i++) {
        code = (code * 4 + (text[first + i + 5] & 3)) & 4095;
        atomicAdd(&s[code], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 4096; i += blockDim.x)
        if (s[i])
            atomicAdd(&counts[i], s[i]);
}

__constant__ char pattern[16];

/* Where the pattern starts: early ends make warps diverge. */
__global__ void search_text(const char *text, unsigned char *out, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    out[i] = k;
}

/* 4 bases become a byte. */
__global__ void pack(const uchar4 *text, unsigned char *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 c = text[i];
    out[i] = (c.x & 3) | (c.y & 3) << 2 | (c.z & 3) << 4 | (c.w & 3) << 6;
}

/* ROWS steps of the cheapest path, in shared memory, the borders computed twice. */
__global__ void path_rows(const int *cost, const int *start, int *out, int columns, int rows)
{
    extern __shared__ int s[];
    int t = threadIdx.x, useful = blockDim.x - 2 * rows, x = blockIdx.x * useful + t - rows;
    bool inside = x >= 0 && x < columns;
    int v = inside ? start[x] : 1 << 28;
    for (int r = 0; r < rows; r++) {
        s[t] = v;
        __syncthreads();
        int best = min(v, min(t ? s[t - 1] : 1 << 28, t < blockDim.x - 1 ? s[t + 1] : 1 << 28));
        if (inside)
            v = best + cost[r * columns + x];
        __syncthreads();
    }
    if (inside && t >= rows && t < blockDim.x - rows)
        out[x] = v;
}

int main()
{
    const int n = 1024, w = n + 1;
    int *table = filled<int>(w * w, [=](size_t i) { return (int)(scrambled(i) % 64) - 32; });
    int *score = filled<int>(n * n, [](size_t i) { return (int)(scrambled(i) % 16) - 6; }),
        *out = zeros<int>(w * w);
    auto ht = fetched(table, w * w), hs = fetched(score, n * n);
    auto check_needle = [&](int diagonal, int tiles) {
        auto o = fetched(out, w * w);
        for (int bx = 0; bx < tiles; bx++) {
            int by = diagonal - bx, s[17][17];
            for (int y = 0; y <= 16; y++)
                for (int x = 0; x <= 16; x++)
                    if (x == 0 || y == 0) {
                        s[y][x] = ht[(by * 16 + y) * w + bx * 16 + x];
                    } else {
                        s[y][x] =
                            std::max(s[y - 1][x - 1] + hs[(by * 16 + y - 1) * n + bx * 16 + x - 1],
                                     std::max(s[y - 1][x], s[y][x - 1]) - 2);
                        expect_same("needle", bx, o[(by * 16 + y) * w + bx * 16 + x], s[y][x]);
                    }
        }
    };
    TWICE(needle_tiles<<<64, 16>>>(table, score, out, n, 63));
    check_needle(63, 64);
    TWICE(needle_tiles<<<4, 16>>>(table, score, out, n, 3));
    check_needle(3, 4);

    const int many = 1 << 15, length = 32;
    auto letter = [](size_t i) { return "ACTG"[scrambled(i) >> 20 & 3]; };
    char *words = filled<char>(many * length, letter),
         *common = filled<char>(length, [=](size_t i) { return letter(i + 777); });
    /* The letters' lowest useful bits tell them apart: A 0, C 1, T 2, G 3 after a shift. */
    char *codes = filled<char>(many * length, [=](size_t i) { return (char)(letter(i) >> 1 & 3); });
    std::vector<unsigned> m(4);
    for (int j = 0; j < length; j++)
        m[letter(j + 777) >> 1 & 3] |= 1u << j;
    unsigned *masks = filled<unsigned>(4, [&](size_t i) { return m[i]; });
    auto check_edit = [&](const char *what, int count) {
        auto o = fetched(out, count);
        for (size_t t : places(count, 200)) {
            int row[33];
            for (int j = 0; j <= length; j++)
                row[j] = j;
            for (int i = 0; i < length; i++) {
                int corner = row[0];
                row[0] = i + 1;
                for (int j = 0; j < length; j++) {
                    int v = std::min(std::min(row[j], row[j + 1]) + 1,
                                     corner + (letter(j + 777) != letter(i * many + t)));
                    corner = row[j + 1];
                    row[j + 1] = v;
                }
            }
            expect_same(what, t, o[t], row[length]);
        }
        CHECK(cudaMemset(out, 0, many * 4));
    };
    TWICE(edit_local<<<many / 128, 128>>>(words, common, out, length, many));
    check_edit("local", many);
    TWICE(edit_local<<<many / 8 / 32, 32>>>(words, common, out, length, many));
    check_edit("local", many / 8);
    TWICE(edit_bits<<<many / 256, 256>>>(codes, masks, out, length, many));
    check_edit("bits", many);
    TWICE(edit_bits<<<many / 64, 64>>>(codes, masks, out, length, many));
    check_edit("bits", many);

    const int size = 1 << 20;
    /* Every other stretch of text repeats a few letters. */
    auto base = [](size_t i) { return (char)(i / 4096 % 2 ? i % 3 : scrambled(i) >> 20 & 3); };
    char *text = filled<char>(size + 16, base);
    int *counts = zeros<int>(4096);
    auto check_counts = [&](const char *what, int all) {
        std::vector<int> wanted(4096);
        for (int i = 0; i < all; i++) {
            int code = 0;
            for (int k = 0; k < 6; k++)
                code = code * 4 + base(i + k);
            wanted[code]++;
        }
        auto o = fetched(counts, 4096);
        int most = std::max_element(wanted.begin(), wanted.end()) - wanted.begin(),
            times = o[most] / wanted[most];
        for (int i = 0; i < 4096; i++)
            expect_same(what, i, o[i], times * wanted[i]);
        expect_same(what, 0, times > 0, true);
        CHECK(cudaMemset(counts, 0, 4096 * 4));
    };
    TWICE(words_global<<<size / 256, 256>>>(text, counts, size));
    check_counts("global", size);
    TWICE(words_shared<<<132, 256, 4096 * 4>>>(text, counts, 31));
    check_counts("shared", 132 * 256 * 31);
    TWICE(words_shared<<<64, 1024, 4096 * 4>>>(text, counts, 16));
    check_counts("shared", size);
    const char wanted[16] = {1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1};
    CHECK(cudaMemcpyToSymbol(pattern, wanted, 16));
    unsigned char *found = zeros<unsigned char>(size);
    auto check_search = [&](int most, int all) {
        auto o = fetched(found, all);
        for (size_t i : places(all, 1000)) {
            int k = 0;
            while (k < most && base(i + k) == wanted[k])
                k++;
            expect_same("search", i, o[i], k);
        }
    };
    TWICE(search_text<<<size / 256, 256>>>(text, found, 16));
    check_search(16, size);
    TWICE(search_text<<<size / 1024, 1024>>>(text, found, 4));
    check_search(4, size);
    TWICE(pack<<<size / 4 / 256, 256>>>((uchar4 *)text, found));
    TWICE(pack<<<size / 4 / 64, 64>>>((uchar4 *)text, found));
    auto hp = fetched(found, size / 4);
    for (size_t i : places(size / 4, 1000))
        expect_same("pack", i, hp[i],
                    base(4 * i) | base(4 * i + 1) << 2 | base(4 * i + 2) << 4 |
                        base(4 * i + 3) << 6);

    const int columns = 50000;
    int *cost = integers(columns * 20, 10), *start = integers(columns, 100);
    auto hc = fetched(cost, columns * 20), h0 = fetched(start, columns);
    auto check_path = [&](int rows) {
        auto v = h0;
        for (int r = 0; r < rows; r++) {
            auto before = v;
            for (int x = 0; x < columns; x++)
                v[x] = std::min(before[x], std::min(x ? before[x - 1] : 1 << 28,
                                                    x < columns - 1 ? before[x + 1] : 1 << 28)) +
                       hc[r * columns + x];
        }
        auto o = fetched(out, columns);
        for (int x = 0; x < columns; x++)
            expect_same("path", x, o[x], v[x]);
        CHECK(cudaMemset(out, 0, columns * 4));
    };
    TWICE(path_rows<<<(columns + 215) / 216, 256, 256 * 4>>>(cost, start, out, columns, 20));
    check_path(20);
    TWICE(path_rows<<<(columns + 1019) / 1020, 1024, 1024 * 4>>>(cost, start, out, columns, 2));
    check_path(2);
    TWICE(path_rows<<<(columns + 47) / 48, 64, 64 * 4>>>(cost, start, out, columns, 8));
    check_path(8);
    return verdict("genes");
}
