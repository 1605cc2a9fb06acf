/* From which size on is a GPU faster than the CPU? Products of n x n matrices by tiles of 8, 16 and 32, and sums of
 * pictures of n x n pixels, with and without the copies to the GPU and back. Against them: plain C on one core and
 * on all cores ($LADDER_CORES of them), and for the product the cblas_sgemm() of a BLAS: that of the file $LADDER_BLAS,
 * or the system's.
 *
 * Look at: the sectors of the three tiles, for a small matrix. Who wins shows only on a GPU. */
#include "ladder.cuh"

#include <atomic>
#include <chrono>
#include <dlfcn.h>
#include <functional>
#include <math.h>
#include <thread>
#include <vector>

static const int sizes[] = {16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096};

#define SIZES (int)(sizeof sizes / sizeof *sizes)

// Returns the number of sizes that are timed: those up to $LADDER_MOST, if it is set.
static int timed_sizes()
{
    const char *most = getenv("LADDER_MOST");
    int count = SIZES;
    while (most && count > 1 && sizes[count - 1] > atoi(most))
        --count;
    return count;
}

/* --- the GPU's contenders ----------------------------------------------------------------------- */

// c = a * b. Outside of the matrices the tiles hold zeros.
template <int tile> __global__ void by_tile(const float *a, const float *b, float *c, int n)
{
    int tx = threadIdx.x, x = blockIdx.x * tile + tx;
    int ty = threadIdx.y, y = blockIdx.y * tile + ty;
    __shared__ float a_tile[tile][tile], b_tile[tile][tile];
    float sum = 0;
    for (int first = 0; first < n; first += tile) {
        a_tile[ty][tx] = y < n && first + tx < n ? a[y * n + first + tx] : 0;
        b_tile[ty][tx] = first + ty < n && x < n ? b[(first + ty) * n + x] : 0;
        __syncthreads();
        for (int i = 0; i < tile; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}

template <int tile> static void multiply(const float *a, const float *b, float *c, int n)
{
    int tiles = (n + tile - 1) / tile;
    by_tile<tile><<<dim3(tiles, tiles), dim3(tile, tile)>>>(a, b, c, n);
}

#define THREADS 256

// Each warp adds up its lanes' sums, and adds the result to *total.
__global__ void add_pixels(const unsigned char *pixels, int count, unsigned *total)
{
    unsigned mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += pixels[i];
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffff, mine, off);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, mine);
}

static void add_up(const unsigned char *pixels, int n, unsigned *total)
{
    int wanted = (n * n + THREADS - 1) / THREADS, blocks = wanted < 1056 ? wanted : 1056;
    CHECK_CUDA(cudaMemsetAsync(total, 0, sizeof *total));
    add_pixels<<<blocks, THREADS>>>(pixels, n * n, total);
}

/* --- the CPU's contenders ----------------------------------------------------------------------- */

// Rows FIRST to LAST - 1 of the product.
static void multiply_rows(const float *a, const float *b, float *c, int n, int first, int last)
{
    memset(c + (size_t)first * n, 0, (size_t)(last - first) * n * sizeof *c);
    for (int y = first; y < last; ++y)
        for (int i = 0; i < n; ++i)
            for (int x = 0; x < n; ++x)
                c[(size_t)y * n + x] += a[(size_t)y * n + i] * b[(size_t)i * n + x];
}

static unsigned add_range(const unsigned char *pixels, int first, int last)
{
    unsigned sum = 0;
    for (int i = first; i < last; ++i)
        sum += pixels[i];
    return sum;
}

/* One thread for each core. They poll for work, so that starting them costs little. */
class thread_pool
{
    std::function<void(int)> work;
    std::atomic<int> round{0}, busy{0};
    std::atomic<bool> ends{false};
    std::vector<std::thread> threads;

    void serve(int number)
    {
        for (int done = 0; !ends; std::this_thread::yield())
            if (round != done) {
                done = round;
                work(number);
                --busy;
            }
    }

  public:
    const int count;

    explicit thread_pool(int count) : count(count)
    {
        for (int i = 1; i < count; ++i)
            threads.emplace_back([=] { serve(i); });
    }
    // Calls WORK(0) to WORK(count - 1), each on a core of its own.
    void run(const std::function<void(int)> &what)
    {
        work = what;
        busy = count - 1;
        ++round;
        work(0);
        while (busy)
            std::this_thread::yield();
    }
    ~thread_pool()
    {
        ends = true;
        for (std::thread &thread : threads)
            thread.join();
    }
};

// The number of cores for the contenders that use all cores: $LADDER_CORES, or all of the
// machine's.
static int cores()
{
    const char *wanted = getenv("LADDER_CORES");
    return wanted ? atoi(wanted) : (int)std::thread::hardware_concurrency();
}

typedef void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                   const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);

#define ROW_MAJOR 101 // CblasRowMajor
#define AS_IT_IS  111 // CblasNoTrans

// Returns a BLAS's function for matrix products, and in *FILE the name of its library's file.
// Returns NULL if there is no BLAS.
static sgemm *find_blas(const char **file)
{
    const char *files[] = {getenv("LADDER_BLAS"), "libopenblas.so.0", "libmkl_rt.so",
                           "libcblas.so.3", "libblas.so.3"};
    for (const char *name : files) {
        void *library = name ? dlopen(name, RTLD_NOW) : NULL;
        // the second name is that of the wheels on PyPI
        for (const char *function : {"cblas_sgemm", "scipy_cblas_sgemm"})
            if (void *found = library ? dlsym(library, function) : NULL) {
                *file = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
                return (sgemm *)found;
            }
    }
    return NULL;
}

/* --- timing ------------------------------------------------------------------------------------- */

struct contender {
    const char *name;
    float times[SIZES]; // 0: not timed
};

static std::vector<contender> contenders;

// Notes the time that the latest rung has just taken.
static void note(const char *name, int size)
{
    for (contender &known : contenders)
        if (strcmp(known.name, name) == 0) {
            known.times[size] = ladder.median;
            return;
        }
    contenders.push_back(contender{name});
    contenders.back().times[size] = ladder.median;
}

// Times WORK by the host's clock, like ladder_time(); if one run takes seconds, only once.
static void time_on_host(const std::function<void()> &work)
{
    std::vector<float> times;
    float total = 0;
    while (times.size() < LADDER_RUNS && (times.size() < LADDER_LEAST || total < LADDER_ENOUGH) &&
           total < 2e6) {
        auto begin = std::chrono::steady_clock::now();
        work();
        std::chrono::duration<float, std::micro> took = std::chrono::steady_clock::now() - begin;
        total += took.count();
        times.push_back(took.count());
    }
    qsort(times.data(), times.size(), sizeof times[0], ladder_by_value);
    ladder.median = times[times.size() / 2];
    ladder_value("time", ladder.median);
    ladder_value("spread", 100 * (times.back() - times.front()) / ladder.median);
}

/* A rung that does not use the GPU. */
static void host_rung(const char *name, const char *title, int size,
                      const std::function<void()> &work, const std::function<bool()> &is_right)
{
    if (!ladder.times) {
        ladder_rung(
            name, title, [] {}, work, is_right);
        return;
    }
    ladder.rung = name;
    printf("%s\ttitle%s\t%s\n", name, ladder.suffix, title);
    work(); // to warm up
    time_on_host(work);
    note(name, size);
    if (!is_right()) {
        fprintf(stderr, "the result of \"%s\" is wrong\n", name);
        exit(1);
    }
}

static void gpu_rung(const char *name, const char *title, int size,
                     const std::function<void()> &work, const std::function<bool()> &is_right)
{
    ladder_rung(
        name, title, [] {}, work, is_right);
    if (ladder.times)
        note(name, size);
}

static const float *times_of(const char *name)
{
    for (const contender &known : contenders)
        if (strcmp(known.name, name) == 0)
            return known.times;
    return NULL;
}

/* Returns the size from which on MINE is faster than OTHER, or 0 if not even the largest size is enough. Between two
 * timed sizes, interpolates on logarithmic scales. */
static double crossing(const float *mine, const float *other)
{
    int timed = timed_sizes(), k = timed;
    while (k > 0 && mine[k - 1] < other[k - 1])
        --k;
    if (k == 0 || k == timed)
        return k == 0 ? sizes[0] : 0;
    double before = log(mine[k - 1] / other[k - 1]), after = log(mine[k] / other[k]);
    double part = before / (before - after);
    return exp(log(sizes[k - 1]) + part * log((double)sizes[k] / sizes[k - 1]));
}

/* Prints where the GPU's contender NAME begins to win against the CPU's, as COLUMN. */
static void print_crossing(const char *name, const char *other, const char *column)
{
    const float *mine = times_of(name), *theirs = times_of(other);
    double size = theirs ? crossing(mine, theirs) : 0;
    if (size)
        printf("%s\t%s\t%.0f\n", name, column, size);
    else
        printf("%s\t%s\t%s\n", name, column, theirs ? "never" : "–");
}

/* --- products ----------------------------------------------------------------------------------- */

#define SAMPLES 500 // numbers of c that are checked

static bool is_product(const float *a, const float *b, const float *c, int n)
{
    for (int k = 0; k < SAMPLES; ++k) {
        int at = (int)((long long)k * 2654435761 % ((long long)n * n)), x = at % n, y = at / n;
        double right = 0;
        for (int i = 0; i < n; ++i)
            right += (double)a[y * n + i] * b[i * n + x];
        if (!(fabs(c[at] - right) < 1e-4 * n))
            return false;
    }
    return true;
}

/* A product's matrices, on the host and on the GPU. */
struct matrices {
    float *a, *b, *c, *a_on_gpu, *b_on_gpu, *c_on_gpu;
};

template <int tile>
static void climb_tile(const matrices &m, int size, const char *name, const char *title,
                       const char *with_copies, const char *title_with_copies)
{
    int n = ladder.times ? sizes[size] : 64;
    size_t bytes = (size_t)n * n * sizeof(float);
    gpu_rung(
        name, title, size, [=] { multiply<tile>(m.a_on_gpu, m.b_on_gpu, m.c_on_gpu, n); },
        [=] {
            ladder_download(m.c, m.c_on_gpu, (size_t)n * n);
            return is_product(m.a, m.b, m.c, n);
        });
    gpu_rung(
        with_copies, title_with_copies, size,
        [=] {
            CHECK_CUDA(cudaMemcpy(m.a_on_gpu, m.a, bytes, cudaMemcpyHostToDevice));
            CHECK_CUDA(cudaMemcpy(m.b_on_gpu, m.b, bytes, cudaMemcpyHostToDevice));
            multiply<tile>(m.a_on_gpu, m.b_on_gpu, m.c_on_gpu, n);
            CHECK_CUDA(cudaMemcpy(m.c, m.c_on_gpu, bytes, cudaMemcpyDeviceToHost));
        },
        [=] { return is_product(m.a, m.b, m.c, n); });
}

static void climb_products(const matrices &m, int size, int n)
{
    const char *file = "";
    sgemm *blas = find_blas(&file);
    auto is_right = [=] { return is_product(m.a, m.b, m.c, n); };
    // uploaded also for the rungs without copies, at each size
    CHECK_CUDA(cudaMemcpy(m.a_on_gpu, m.a, (size_t)n * n * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(m.b_on_gpu, m.b, (size_t)n * n * sizeof(float), cudaMemcpyHostToDevice));
    host_rung(
        "cpu-core", "CPU, one core", size, [=] { multiply_rows(m.a, m.b, m.c, n, 0, n); },
        is_right);
    {
        thread_pool all(cores());
        host_rung(
            "cpu-cores", "CPU, all cores", size,
            [&] {
                all.run([&](int i) {
                    multiply_rows(m.a, m.b, m.c, n, (int)((long long)n * i / all.count),
                                  (int)((long long)n * (i + 1) / all.count));
                });
            },
            is_right);
        if (ladder.times)
            ladder_value("cores", all.count);
    }
    if (blas || !ladder.times)
        host_rung(
            "cpu-blas", "CPU, BLAS", size,
            [=] {
                if (blas)
                    blas(ROW_MAJOR, AS_IT_IS, AS_IT_IS, n, n, n, 1, m.a, n, m.b, n, 0, m.c, n);
            },
            is_right);
    else
        printf("cpu-blas\ttitle%s\tCPU, BLAS\n", ladder.suffix); // a rung without times
    if (ladder.times && !*ladder.suffix)
        printf("cpu-blas\tlibrary\t%s\n", blas ? file : "none");
    climb_tile<8>(m, size, "tiles-8", "tiles of 8", "tiles-8-copies", "tiles of 8, with copies");
    climb_tile<16>(m, size, "tiles-16", "tiles of 16", "tiles-16-copies",
                   "tiles of 16, with copies");
    climb_tile<32>(m, size, "tiles-32", "tiles of 32", "tiles-32-copies",
                   "tiles of 32, with copies");
}

/* --- sums --------------------------------------------------------------------------------------- */

static void climb_sums(const unsigned char *pixels, unsigned char *pixels_on_gpu, int size, int n)
{
    static unsigned sum;
    unsigned right = add_range(pixels, 0, n * n), *total = ladder_alloc<unsigned>(1);
    auto is_right = [=] { return sum == right; };
    host_rung(
        "cpu-sum-core", "sum, one core", size, [=] { sum = add_range(pixels, 0, n * n); },
        is_right);
    {
        thread_pool all(cores());
        std::vector<unsigned> parts(all.count);
        host_rung(
            "cpu-sum-cores", "sum, all cores", size,
            [&] {
                all.run([&](int i) {
                    parts[i] = add_range(pixels, (int)((long long)n * n * i / all.count),
                                         (int)((long long)n * n * (i + 1) / all.count));
                });
                sum = 0;
                for (unsigned part : parts)
                    sum += part;
            },
            is_right);
    }
    CHECK_CUDA(cudaMemcpy(pixels_on_gpu, pixels, (size_t)n * n, cudaMemcpyHostToDevice));
    gpu_rung(
        "gpu-sum", "sum, GPU", size, [=] { add_up(pixels_on_gpu, n, total); },
        [=] { return ladder_sum(total, 1) == right; });
    gpu_rung(
        "gpu-sum-copies", "sum, GPU, with copies", size,
        [=] {
            CHECK_CUDA(cudaMemcpy(pixels_on_gpu, pixels, (size_t)n * n, cudaMemcpyHostToDevice));
            add_up(pixels_on_gpu, n, total);
            CHECK_CUDA(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
        },
        is_right);
    CHECK_CUDA(cudaFree(total));
}

/* --- all sizes ---------------------------------------------------------------------------------- */

static void print_crossings()
{
    ladder.suffix = "";
    for (const char *name : {"tiles-8", "tiles-8-copies", "tiles-16", "tiles-16-copies", "tiles-32",
                             "tiles-32-copies"}) {
        print_crossing(name, "cpu-core", "beats_core");
        print_crossing(name, "cpu-cores", "beats_cores");
        print_crossing(name, "cpu-blas", "beats_blas");
    }
    for (const char *name : {"gpu-sum", "gpu-sum-copies"}) {
        print_crossing(name, "cpu-sum-core", "beats_core");
        print_crossing(name, "cpu-sum-cores", "beats_cores");
    }
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int timed = ladder.times ? timed_sizes() : 1, largest = ladder.times ? sizes[timed - 1] : 64;
    size_t count = (size_t)largest * largest;
    int *ints = ladder_ints(2 * count);
    std::vector<float> a(ints, ints + count), b(ints + count, ints + 2 * count), c(count);
    std::vector<unsigned char> pixels(ints, ints + count);
    matrices m = {a.data(),
                  b.data(),
                  c.data(),
                  ladder_alloc<float>(count),
                  ladder_alloc<float>(count),
                  ladder_alloc<float>(count)};
    unsigned char *pixels_on_gpu = ladder_alloc<unsigned char>(count);
    for (int size = 0; size < timed; ++size) {
        int n = ladder.times ? sizes[size] : 64;
        char *suffix = (char *)calloc(2, 16), *words = suffix + 16;
        snprintf(suffix, 16, ladder.times && n != 1024 ? "_%d" : "", n);
        snprintf(words, 16, "n = %d", n);
        ladder_size(suffix, words);
        climb_products(m, size, n);
        climb_sums(pixels.data(), pixels_on_gpu, size, n);
    }
    if (ladder.times)
        print_crossings();
    free(ints);
    return 0;
}
