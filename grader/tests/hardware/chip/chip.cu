/* Measures this machine's GPU: make record-gpu. chip.cuh says what the lines mean. */
#include "chip.cuh"

#include <cstring>
#include <string>

struct chip chip;

void chip_say(const char *key, double value, const char *what)
{
    printf("%-36s = %.6g   # %s\n", key, value, what);
    fflush(stdout);
}

double chip_measure(const char *key, const char *unit, const char *what,
                    const std::function<double()> &run)
{
    double values[SAMPLES];
    run();
    for (int i = 0; i < SAMPLES; i++)
        values[i] = run();
    std::sort(values, values + SAMPLES);
    printf("%-36s = %.5g   # %.5g to %.5g %s: %s\n", key, values[SAMPLES / 2], values[0],
           values[SAMPLES - 1], unit, what);
    fflush(stdout);
    return values[SAMPLES / 2];
}

double chip_cycles(const std::function<void()> &launch)
{
    struct span span = {~0ull, 0};
    CHECK(cudaMemcpy(chip.span, &span, sizeof span, cudaMemcpyHostToDevice));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&span, chip.span, sizeof span, cudaMemcpyDeviceToHost));
    return (double)(span.end - span.begin);
}

double chip_us(const std::function<void()> &launch)
{
    float ms = 0;
    CHECK(cudaEventRecord(chip.begin));
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(chip.end));
    CHECK(cudaEventSynchronize(chip.end));
    CHECK(cudaEventElapsedTime(&ms, chip.begin, chip.end));
    return ms * 1000;
}

/* --- the card ------------------------------------------------------------------------------------- */

static int attribute(cudaDeviceAttr name)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, name, 0));
    return value;
}

/* Keeps all multiprocessors busy for NANOSECONDS, and notes how many cycles one of them counted. */
static __global__ void busy(unsigned long long nanoseconds, double *mhz)
{
    unsigned long long first, now, begin = clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(first));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - first < nanoseconds);
    unsigned long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0)
        *mhz = (double)(end - begin) * 1000 / (double)(now - first);
}

static double clock_now(double milliseconds)
{
    double *on_gpu, mhz;
    CHECK(cudaMalloc(&on_gpu, sizeof *on_gpu));
    busy<<<chip.sms * 4, 256>>>((unsigned long long)(milliseconds * 1e6), on_gpu);
    CHECK(cudaMemcpy(&mhz, on_gpu, sizeof mhz, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(on_gpu));
    return mhz;
}

/* Values from the driver, which are not measured. */
static void say_properties(void)
{
    static const struct {
        const char *key;
        cudaDeviceAttr attribute;
    } said[] = {
        {"sms", cudaDevAttrMultiProcessorCount},
        {"compute_major", cudaDevAttrComputeCapabilityMajor},
        {"compute_minor", cudaDevAttrComputeCapabilityMinor},
        {"warp_size", cudaDevAttrWarpSize},
        {"threads_per_sm", cudaDevAttrMaxThreadsPerMultiProcessor},
        {"threads_per_block", cudaDevAttrMaxThreadsPerBlock},
        {"blocks_per_sm", cudaDevAttrMaxBlocksPerMultiprocessor},
        {"registers_per_sm", cudaDevAttrMaxRegistersPerMultiprocessor},
        {"shared_bytes_per_sm", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
        {"shared_bytes_per_block", cudaDevAttrMaxSharedMemoryPerBlockOptin},
        {"shared_bytes_reserved", cudaDevAttrReservedSharedMemoryPerBlock},
        {"l2_bytes", cudaDevAttrL2CacheSize},
        {"memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth},
        {"clock_khz_most", cudaDevAttrClockRate},
        {"memory_clock_khz", cudaDevAttrMemoryClockRate},
        {"copy_engines", cudaDevAttrAsyncEngineCount},
        {"tcc_driver", cudaDevAttrTccDriver},
    };
    for (const auto &one : said)
        chip_say(one.key, attribute(one.attribute), "as the driver says");
}

static void open_chip(void)
{
    cudaDeviceProp properties;
    size_t free_bytes, all_bytes;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    printf("# %s\n", properties.name);
    chip.sms = properties.multiProcessorCount;
    chip.warps_max = properties.maxThreadsPerMultiProcessor / 32;
    chip.l2_bytes = properties.l2CacheSize;
    chip.shared_max = (int)properties.sharedMemPerBlockOptin;
    CHECK(cudaMemGetInfo(&free_bytes, &all_bytes));
    chip.big_bytes = (size_t)1 << 31;
    while (chip.big_bytes > free_bytes / 2)
        chip.big_bytes /= 2;
    CHECK(cudaMalloc(&chip.big, chip.big_bytes));
    CHECK(cudaMemset(chip.big, 0, chip.big_bytes));
    CHECK(cudaMalloc(&chip.span, sizeof *chip.span));
    CHECK(cudaMalloc(&chip.sink, 1 << 20));
    CHECK(cudaEventCreate(&chip.begin));
    CHECK(cudaEventCreate(&chip.end));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*measure)(void);
    } parts[] = {
        {"launches", measure_launches},
        {"pipes", measure_pipes},
        {"latencies", measure_latencies},
        {"requests", measure_requests},
        {"bandwidths", measure_bandwidths},
        {"atomics", measure_atomics},
        {"flow", measure_flow},
        {"copies", measure_copies},
    };
    open_chip();
    say_properties();
    clock_now(200); // raises the clock rate
    for (const auto &part : parts)
        if (argc == 1 || strcmp(argv[1], part.name) == 0) {
            printf("\n# --- %s\n", part.name);
            chip.clock_mhz = clock_now(20);
            chip_say((std::string("clock_mhz_") + part.name).c_str(), chip.clock_mhz,
                     "MHz: clock64() against globaltimer, before these measurements");
            part.measure();
        }
    return 0;
}
