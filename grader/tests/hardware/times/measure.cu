/* Measures the launches of unchanged CUDA programs:
 *
 *     nvcc -shared -Xcompiler -fPIC -cudart shared -o libmeasure.so measure.cu
 *     MEASURE_OUT=times.tsv MEASURE_LABEL=transpose LD_PRELOAD=./libmeasure.so ./transpose
 *
 * The library stands between the program and the CUDA runtime. When the program launches a kernel that is to be
 * measured, the library launches it again and again with the same arguments, and adds a line to $MEASURE_OUT.
 * So a time is that of the steady state: the caches hold what the same launch before has left there.
 *
 *     us         between two events on an idle GPU: the time that a student's program would print
 *     queued_us  between two events, queued after a kernel that waits: without the host's time
 *     next_us    a launch among several in a row
 *     cold_us    as queued_us, but all of the L2 cache was filled with other data before
 *
 * $MEASURE_WHICH says which launches: "second" (the default: every second one, as the programs of this folder launch
 * everything twice) or "N": the N-th of each kernel with the same grid and block, at most MOST of a program. With $MEASURE_PROFILE, nothing is
 * timed: the launch is made between cudaProfilerStart() and cudaProfilerStop(), for Nsight Compute. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <dlfcn.h>
#include <functional>
#include <map>
#include <string>
#include <unistd.h>

#define REPEATS   21
#define IN_A_ROW  10
#define FLUSH     ((size_t)256 << 20)
#define ENOUGH_US 200e3 /* a slow kernel has fewer repeats, but at least 15 */
#define LEAST     15
#define MOST      6

typedef std::function<cudaError_t()> launch;

static struct {
    bool open, inside; // set during the library's own launches
    FILE *out;
    const char *label, *which;
    cudaEvent_t begin, end;
    unsigned *flush;
    double *clock;
    int launches, measured;
    std::map<std::string, int> seen;
} state;

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "measure: %s: %s: %s\n", state.label, what, cudaGetErrorString(error));
    _exit(97);
}

static __global__ void measure_wait(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

static __global__ void measure_flush(unsigned *words, size_t count)
{
    unsigned sum = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * (size_t)blockDim.x)
        sum += words[i];
    if (sum == 12345)
        words[0] = sum;
}

/* The multiprocessors' clock rate in MHz, from cycles and nanoseconds. */
static __global__ void measure_clock(double *mhz)
{
    unsigned long long first, now, begin = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - first < 200000);
    *mhz = (double)(clock64() - begin) * 1000 / (double)(now - first);
}

static void open_state(void)
{
    state.open = true;
    state.label = getenv("MEASURE_LABEL") ? getenv("MEASURE_LABEL") : "?";
    state.which = getenv("MEASURE_WHICH") ? getenv("MEASURE_WHICH") : "second";
    state.out = fopen(getenv("MEASURE_OUT") ? getenv("MEASURE_OUT") : "/dev/stderr", "a");
    if (!state.out || getenv("MEASURE_PROFILE"))
        return;
    check(cudaEventCreate(&state.begin), "event");
    check(cudaEventCreate(&state.end), "event");
    check(cudaMalloc(&state.flush, FLUSH), "memory");
    check(cudaMemset(state.flush, 0, FLUSH), "memory");
    check(cudaMalloc(&state.clock, sizeof *state.clock), "memory");
    for (int i = 0; i < 200; i++) // raises the clock
        measure_clock<<<512, 256>>>(state.clock);
    check(cudaDeviceSynchronize(), "clock");
}

static double clock_mhz(void)
{
    double mhz;
    measure_clock<<<1, 1>>>(state.clock);
    check(cudaMemcpy(&mhz, state.clock, sizeof mhz, cudaMemcpyDeviceToHost), "clock");
    return mhz;
}

enum how { IDLE, QUEUED, COLD };

/* Returns the time of COUNT launches between two events. */
static double once(const launch &launch, cudaStream_t stream, enum how how, int count)
{
    float ms;
    if (how == COLD)
        measure_flush<<<1056, 256, 0, stream>>>(state.flush, FLUSH / sizeof *state.flush);
    if (how != IDLE)
        measure_wait<<<1, 1, 0, stream>>>(20000 + 12000ll * count);
    check(cudaEventRecord(state.begin, stream), "event");
    for (int i = 0; i < count; i++)
        check(launch(), "launch");
    check(cudaEventRecord(state.end, stream), "event");
    check(cudaEventSynchronize(state.end), "kernel");
    check(cudaEventElapsedTime(&ms, state.begin, state.end), "event");
    return ms * 1000.0 / count;
}

struct times {
    double low, median, high; // quartiles
    int repeats;
};

static struct times repeat(const launch &launch, cudaStream_t stream, enum how how, int count)
{
    double us[REPEATS], total = 0;
    int n = 0;
    for (int i = 0; i < 2; i++)
        once(launch, stream, how, count);
    while (n < REPEATS && (n < LEAST || total < ENOUGH_US))
        total += us[n++] = once(launch, stream, how, count);
    std::sort(us, us + n);
    return times{us[n / 4], us[n / 2], us[n - 1 - n / 4], n};
}

static std::string name_of(const void *function)
{
    const char *name = "?";
    if (cudaFuncGetName(&name, function) != cudaSuccess)
        return "?";
    int status;
    char *plain = abi::__cxa_demangle(name, nullptr, nullptr, &status);
    std::string result = status == 0 ? plain : name;
    free(plain);
    return result;
}

static void measure(const void *function, const std::string &what, size_t shared,
                    cudaStream_t stream, const launch &launch)
{
    cudaFuncAttributes attributes = {};
    cudaFuncGetAttributes(&attributes, function);
    std::string head =
        std::string(state.label) + "\t" + std::to_string(state.launches - 1) + "\t" + what;
    check(cudaDeviceSynchronize(), "kernel");
    if (getenv("MEASURE_PROFILE")) {
        for (int i = 0; i < 2; i++)
            check(launch(), "launch");
        check(cudaDeviceSynchronize(), "kernel");
        check(cudaProfilerStart(), "profiler");
        check(launch(), "launch");
        check(cudaDeviceSynchronize(), "kernel");
        check(cudaProfilerStop(), "profiler");
        fprintf(state.out, "%s\n", head.c_str());
        fflush(state.out);
        return;
    }
    struct times queued = repeat(launch, stream, QUEUED, 1), idle = repeat(launch, stream, IDLE, 1);
    double mhz = clock_mhz();
    struct times next = repeat(launch, stream, QUEUED, queued.median > 3000 ? 2 : IN_A_ROW);
    struct times cold = repeat(launch, stream, COLD, 1);
    fprintf(
        state.out,
        "%s\t%zu\t%zu\t%d\t%zu\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%d\t%.0f\n",
        head.c_str(), shared, attributes.sharedSizeBytes, attributes.numRegs,
        attributes.localSizeBytes, idle.median, idle.low, idle.high, queued.median, queued.low,
        queued.high, next.median, next.low, next.high, cold.median, cold.high - cold.low,
        queued.repeats, mhz);
    fflush(state.out);
}

static cudaError_t intercept(const void *function, dim3 grid, dim3 block, size_t shared,
                             cudaStream_t stream, const launch &launch)
{
    char dims[100];
    if (state.inside)
        return launch();
    state.inside = true;
    if (!state.open)
        open_state();
    cudaError_t error = launch();
    snprintf(dims, sizeof dims, "\t%ux%ux%u\t%ux%ux%u", grid.x, grid.y, grid.z, block.x, block.y,
             block.z);
    std::string what = name_of(function) + dims;
    int turn = ++state.seen[what];
    state.launches++;
    bool wanted = strcmp(state.which, "second") == 0
                      ? state.launches % 2 == 0
                      : turn == atoi(state.which) && state.measured < MOST;
    state.measured += wanted;
    if (error == cudaSuccess && wanted && state.out)
        measure(function, what, shared, stream, launch);
    state.inside = false;
    return error;
}

/* --- in place of the runtime's ----------------------------------------------------------------------- */

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                                          size_t shared, cudaStream_t stream)
{
    static auto real = (decltype(&__cudaLaunchKernel))dlsym(RTLD_NEXT, "__cudaLaunchKernel");
    return intercept((const void *)kernel, grid, block, shared, stream,
                     [=] { return real(kernel, grid, block, args, shared, stream); });
}

extern "C" cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args,
                                        size_t shared, cudaStream_t stream)
{
    typedef cudaError_t (*type)(const void *, dim3, dim3, void **, size_t, cudaStream_t);
    static auto real = (type)dlsym(RTLD_NEXT, "cudaLaunchKernel");
    return intercept(function, grid, block, shared, stream,
                     [=] { return real(function, grid, block, args, shared, stream); });
}
