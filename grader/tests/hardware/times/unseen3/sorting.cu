/* Steps of sorting. */
#include "expect.cuh"
#include <algorithm>

#define SORTED  1024
#define DIGITS  16
#define SCATTER 256

/* One step of a bitonic sort over global memory, as CUDA samples' sortingNetworks. */
static __global__ void bitonic_step(unsigned *out, const unsigned *in, unsigned run, unsigned apart)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ apart;
    unsigned mine = in[i], theirs = in[other];
    bool up = (i & run) == 0, lower = i < other;
    out[i] = up == lower ? min(mine, theirs) : max(mine, theirs);
}

/* All steps that fit a block. Every block sorts upwards. */
static __global__ void bitonic_blocks(unsigned *out, const unsigned *in)
{
    __shared__ unsigned key[SORTED];
    int t = threadIdx.x, start = blockIdx.x * SORTED;
    key[t] = in[start + t];
    key[t + SORTED / 2] = in[start + t + SORTED / 2];
    for (int run = 2; run <= SORTED; run *= 2)
        for (int apart = run / 2; apart > 0; apart /= 2) {
            __syncthreads();
            int low = 2 * t - (t & (apart - 1)), high = low + apart;
            unsigned a = key[low], b = key[high];
            if ((a > b) == ((low & run) == 0)) {
                key[low] = b;
                key[high] = a;
            }
        }
    __syncthreads();
    out[start + t] = key[t];
    out[start + t + SORTED / 2] = key[t + SORTED / 2];
}

/* A pass of a radix sort, as SHOC's Sort: BEGIN says where the block's keys of each digit go. */
static __global__ void scatter_digits(unsigned *out, const unsigned *in, const int *begin,
                                      int shift)
{
    __shared__ int count[SCATTER / 32][DIGITS];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t < SCATTER / 32 * DIGITS)
        count[0][t] = 0;
    __syncthreads();
    unsigned key = in[blockIdx.x * SCATTER + t], digit = key >> shift & (DIGITS - 1);
    unsigned alike = __match_any_sync(~0u, digit);
    int before = __popc(alike & ((1u << lane) - 1));
    if (before == 0)
        count[warp][digit] = __popc(alike);
    __syncthreads();
    int at = begin[blockIdx.x * DIGITS + digit] + before;
    for (int w = 0; w < warp; w++)
        at += count[w][digit];
    out[at] = key;
}

/* Each key finds its place by a search in the other array: as CUDA samples' mergeSort. */
static __global__ void merge_ranks(unsigned *out, const unsigned *a, const unsigned *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool second = i >= n;
    int mine = second ? i - n : i;
    const unsigned *other = second ? a : b;
    unsigned key = second ? b[mine] : a[mine];
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (other[middle] < key || (second && other[middle] == key))
            low = middle + 1;
        else
            high = middle;
    }
    out[mine + low] = key;
}

int main()
{
    const int n = 1 << 20;
    unsigned *in = filled<unsigned>(n, [](size_t i) { return scrambled(i); });
    unsigned *out = zeros<unsigned>(n);
    std::vector<unsigned> host = fetched(in, n);

    for (unsigned apart : {1u, 1u << 18}) {
        TWICE(bitonic_step<<<n / 256, 256>>>(out, in, 1 << 19, apart));
        std::vector<unsigned> found = fetched(out, n);
        for (unsigned i = 0; i < n; i += 997) {
            unsigned low = std::min(host[i], host[i ^ apart]);
            unsigned high = std::max(host[i], host[i ^ apart]);
            EXPECT(found[i] == (((i >> 19 & 1) == 0) == ((i & apart) == 0) ? low : high));
        }
        clear(out, n);
    }
    for (int count : {1 << 13, 1 << 18}) {
        TWICE(bitonic_blocks<<<count / SORTED, SORTED / 2>>>(out, in));
        std::vector<unsigned> found = fetched(out, count);
        std::vector<unsigned> right(host.begin(), host.begin() + SORTED);
        std::sort(right.begin(), right.end());
        EXPECT(std::equal(right.begin(), right.end(), found.begin()));
        for (int i = 1; i < count; i++)
            EXPECT(i % SORTED == 0 || found[i - 1] <= found[i]);
        clear(out, n);
    }

    for (int count : {1 << 16, n}) {
        const int tiles = count / SCATTER, shift = 8;
        std::vector<int> counts(tiles * DIGITS);
        for (int i = 0; i < count; i++)
            counts[i / SCATTER * DIGITS + (host[i] >> shift) % DIGITS]++;
        int sum = 0;
        for (int digit = 0; digit < DIGITS; digit++)
            for (int tile = 0; tile < tiles; tile++) {
                int here = counts[tile * DIGITS + digit];
                counts[tile * DIGITS + digit] = sum;
                sum += here;
            }
        int *begin = filled<int>(counts.size(), [&](size_t i) { return counts[i]; });
        TWICE(scatter_digits<<<tiles, SCATTER>>>(out, in, begin, shift));
        std::vector<unsigned> found = fetched(out, count);
        std::vector<unsigned> right(host.begin(), host.begin() + count);
        std::stable_sort(right.begin(), right.end(), [=](unsigned a, unsigned b) {
            return (a >> shift) % DIGITS < (b >> shift) % DIGITS;
        });
        EXPECT(found == right);
        clear(out, n);
    }

    std::sort(host.begin(), host.begin() + n / 2);
    std::sort(host.begin() + n / 2, host.end());
    unsigned *halves = filled<unsigned>(n, [&](size_t i) { return host[i]; });
    for (int length : {1 << 15, n / 2}) {
        const unsigned *second = halves + n / 2;
        TWICE(merge_ranks<<<2 * length / 256, 256>>>(out, halves, second, length));
        std::vector<unsigned> found = fetched(out, 2 * length), right(2 * length);
        std::merge(host.begin(), host.begin() + length, host.begin() + n / 2,
                   host.begin() + n / 2 + length, right.begin());
        EXPECT(found == right);
        clear(out, n);
    }
    return 0;
}
