// The kernels of handouts/questions.md. The first argument names one of them, the second is its number, such as a
// stride: the same kernel answers the same question with other numbers.
#include "lab.h"

#define ALL   0xffffffffu
#define WORDS (1 << 16)

static int *words; // on the GPU: WORDS ints, all 0

// --- numbers of threads ----------------------------------------------------------------------------------------------

__global__ void say_place(int block, int thread)
{
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == block && threadIdx.x == thread)
        printf("number %d of %d, warp %d of its block, lane %d\n", me, gridDim.x * blockDim.x,
               threadIdx.x / 32, threadIdx.x % 32);
}

static void place(int thread)
{
    say_place<<<6, 192>>>(3, thread);
}

// Counts the rounds of a grid-stride loop: the most and the fewest of all threads.
__global__ void count_rounds(int n, int *most, int *fewest)
{
    int rounds = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        ++rounds;
    atomicMax(most, rounds);
    atomicMin(fewest, rounds);
}

static void rounds(int n)
{
    int result[2] = {0, n};
    CHECK_CUDA(cudaMemcpy(words, result, sizeof result, cudaMemcpyHostToDevice));
    count_rounds<<<16, 256>>>(n, words, words + 1);
    CHECK_CUDA(cudaMemcpy(result, words, sizeof result, cudaMemcpyDeviceToHost));
    printf("at most %d rounds, at least %d\n", result[0], result[1]);
}

// --- memory ----------------------------------------------------------------------------------------------------------

__global__ void read_strided(const int *data, int stride, int offset, int *result)
{
    result[threadIdx.x] = data[threadIdx.x * stride + offset];
}

static void stride(int n)
{
    read_strided<<<1, 32>>>(words, n, 0, words + WORDS / 2);
}

static void offset(int n)
{
    read_strided<<<1, 32>>>(words, 1, n, words + WORDS / 2);
}

// Each thread reads its word and those to the left, to the right, above and below.
__global__ void add_neighbours(const int *data, int width, int *result)
{
    const int *mine = data + (blockIdx.x + 1) * width + threadIdx.x + 32;
    result[blockIdx.x * 32 + threadIdx.x] =
        mine[0] + mine[-1] + mine[1] + mine[-width] + mine[width];
}

static void neighbours(int width)
{
    add_neighbours<<<1, 32>>>(words, width, words + WORDS / 2);
}

// --- shared memory ---------------------------------------------------------------------------------------------------

__global__ void read_banks(int stride, int *result)
{
    __shared__ int s[32 * 64];
    for (int i = threadIdx.x; i < 32 * 64; i += 32)
        s[i] = i;
    __syncwarp();
    result[threadIdx.x] = s[threadIdx.x * stride % (32 * 64)];
}

static void banks(int n)
{
    read_banks<<<1, 32>>>(n, words);
}

// Reads a column of a tile of doubles that is COLUMNS wide.
__global__ void read_doubles(int columns, double *result)
{
    __shared__ double tile[32 * 40];
    for (int i = threadIdx.x; i < 32 * 40; i += 32)
        tile[i] = i;
    __syncwarp();
    result[threadIdx.x] = tile[threadIdx.x * columns];
}

static void doubles(int columns)
{
    read_doubles<<<1, 32>>>(columns, (double *)words);
}

__global__ void add_by_tree(int *result)
{
    __shared__ int sums[1024];
    int t = threadIdx.x;
    sums[t] = t;
    for (int off = blockDim.x / 2; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            sums[t] += sums[t + off];
    }
    if (t == 0)
        *result = sums[0];
}

static void tree(int threads)
{
    add_by_tree<<<1, threads>>>(words);
}

__global__ void add_in_lock_step(int *result)
{
    __shared__ volatile int sums[64];
    int t = threadIdx.x;
    sums[t] = t;
    sums[t + 32] = t;
    for (int off = 32; off > 0; off /= 2)
        if (t < off)
            sums[t] += sums[t + off];
    if (t == 0)
        *result = sums[0];
}

static void lock_step(int)
{
    add_in_lock_step<<<1, 32>>>(words);
}

template <int SIDE> __global__ void multiply(const float *a, const float *b, int n, float *c)
{
    __shared__ float a_tile[SIDE][SIDE], b_tile[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * SIDE + tx, y = blockIdx.y * SIDE + ty;
    float sum = 0;
    for (int first = 0; first < n; first += SIDE) {
        a_tile[ty][tx] = a[y * n + first + tx];
        b_tile[ty][tx] = b[(first + ty) * n + x];
        __syncthreads();
        for (int i = 0; i < SIDE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static void tiles(int side)
{
    const int n = 64;
    float *a = (float *)words, *b = a + n * n, *c = b + n * n;
    if (side == 32)
        multiply<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, n, c);
    else
        multiply<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, n, c);
}

// --- branches, votes and shuffles ------------------------------------------------------------------------------------

__global__ void branch(int from, float *result)
{
    float x = threadIdx.x;
    if (threadIdx.x < from)
#pragma unroll 1
        for (int i = 0; i < 10; ++i)
            x = x * x + 1;
    result[threadIdx.x] = x;
}

static void branches(int from)
{
    branch<<<1, 128>>>(from, (float *)words);
}

__global__ void vote(int divisor)
{
    unsigned lane = threadIdx.x, votes = __ballot_sync(ALL, lane % divisor == 0);
    unsigned before = __popc(votes & ((1u << lane) - 1));
    if (lane == 20)
        printf("ballot %#010x, votes %d, before lane 20: %d\n", votes, __popc(votes), before);
}

static void ballot(int divisor)
{
    vote<<<1, 32>>>(divisor);
}

__global__ void add_lanes(int lane)
{
    int x = threadIdx.x;
    for (int off = 16; off > 0; off /= 2)
        x += __shfl_down_sync(ALL, x, off);
    if (threadIdx.x == 0 || threadIdx.x == lane)
        printf("lane %d has %d\n", threadIdx.x, x);
}

static void shuffle(int lane)
{
    add_lanes<<<1, 32>>>(lane);
}

// --- atomics, locks and numbers --------------------------------------------------------------------------------------

__global__ void count_greys(int greys, int *bins)
{
    atomicAdd(&bins[threadIdx.x % greys], 1);
}

static void greys(int n)
{
    count_greys<<<1, 32>>>(n, words);
}

__global__ void take_turns(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0)
        continue;
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

static void lock(int)
{
    int sum;
    take_turns<<<1, 32>>>(words, words + 1);
    CHECK_CUDA(cudaMemcpy(&sum, words + 1, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum %d\n", sum);
}

__global__ void add_ones(int n)
{
    float sum = 1 << 24;
    for (int i = 0; i < n; ++i)
        sum += 1;
    printf("%d and %d ones are %.0f\n", 1 << 24, n, sum);
}

static void ones(int n)
{
    add_ones<<<1, 1>>>(n);
}

// Adds up 10^8, n and -10^8 in three ways.
__global__ void add_cancelling(int n)
{
    const float numbers[] = {1e8f, (float)n, -1e8f};
    float plain = 0, kahan = 0, excess = 0, high = 0, low = 0;
    for (int i = 0; i < 3; ++i) {
        plain += numbers[i];
        float corrected = numbers[i] - excess, next = kahan + corrected;
        excess = (next - kahan) - corrected;
        kahan = next;
        float sum = high + numbers[i], part = sum - high;
        low += (high - (sum - part)) + (numbers[i] - part);
        high = sum;
    }
    printf("plain %.0f, Kahan %.0f, two floats %.0f\n", plain, kahan, high + low);
}

static void cancel(int n)
{
    add_cancelling<<<1, 1>>>(n);
}

// --- main ------------------------------------------------------------------------------------------------------------

static const struct question {
    const char *name;
    void (*ask)(int number);
    int number; // if the command line has none
} questions[] = {
    {"place", place, 70},
    {"rounds", rounds, 10000},
    {"stride", stride, 3},
    {"offset", offset, 3},
    {"neighbours", neighbours, 256},
    {"banks", banks, 4},
    {"doubles", doubles, 32},
    {"tree", tree, 512},
    {"lock-step", lock_step, 0},
    {"branches", branches, 40},
    {"ballot", ballot, 3},
    {"shuffle", shuffle, 31},
    {"greys", greys, 1},
    {"lock", lock, 0},
    {"ones", ones, 10},
    {"tiles", tiles, 16},
    {"cancel", cancel, 1},
};

int main(int argc, char **argv)
{
    CHECK_CUDA(cudaMalloc(&words, WORDS * sizeof *words));
    CHECK_CUDA(cudaMemset(words, 0, WORDS * sizeof *words));
    for (const struct question &q : questions)
        if (argc > 1 && strcmp(q.name, argv[1]) == 0) {
            q.ask(argc > 2 ? atoi(argv[2]) : q.number);
            CHECK_CUDA(cudaGetLastError());
            CHECK_CUDA(cudaDeviceSynchronize());
            CHECK_CUDA(cudaFree(words));
            return 0;
        }
    fprintf(stderr, "the first argument must be one of:");
    for (const struct question &q : questions)
        fprintf(stderr, " %s", q.name);
    fprintf(stderr, "\n");
    return 2;
}
