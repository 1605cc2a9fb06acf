/* Bandwidths: bytes per second from L2 and from DRAM, depending on how many bytes are in flight. */
#include "chip.cuh"

#include <string>

enum what { READ, WRITE, COPY };

/* A grid-stride loop over COUNT numbers, IN_FLIGHT of them at the same time, ROUNDS times. In each round, a block
 * reads different numbers, so that L1 does not help. */
template <typename T, enum what what, int in_flight>
static __global__ void move(const T *in, T *out, size_t count, int rounds, unsigned *sink)
{
    size_t all = gridDim.x * (size_t)blockDim.x;
    unsigned sum = 0;
    T ones = {};
    for (int r = 0; r < rounds; r++)
        for (size_t i = (blockIdx.x + r * 37) % gridDim.x * (size_t)blockDim.x + threadIdx.x;
             i < count; i += all * in_flight) {
            T values[in_flight];
#pragma unroll
            for (int k = 0; k < in_flight; k++)
                if (what != WRITE && i + k * all < count)
                    values[k] = in[i + k * all];
                else
                    values[k] = ones;
#pragma unroll
            for (int k = 0; k < in_flight; k++)
                if (what == READ)
                    sum ^= word_of(values[k]);
                else if (i + k * all < count)
                    out[i + k * all] = values[k];
        }
    if (sum == 12345)
        *sink = sum;
}

/* GB/s of BYTES read (or written, or both) in each round by WARPS warps of each multiprocessor. */
template <typename T, enum what what, int in_flight>
static void rate(const char *key, const char *text, size_t bytes, int warps, int blocks_a_sm)
{
    size_t half = what == COPY ? bytes / 2 : bytes;
    int rounds = bytes > ((size_t)256 << 20) ? 1 : (int)(((size_t)256 << 20) / bytes);
    if (warps * blocks_a_sm <= 4)
        rounds = (rounds + 7) / 8;
    chip_measure(key, "GB/s", text, [=] {
        double us = chip_us([=] {
            move<T, what, in_flight><<<chip.sms * blocks_a_sm, warps * 32>>>(
                (const T *)chip.big, (T *)(chip.big + half), half / sizeof(T), rounds, chip.sink);
        });
        return (double)bytes * rounds / us / 1e3;
    });
}

static void measure_sizes(void)
{
    for (int mib : {2, 8, 16, 24, 32, 40, 48, 64, 128, 1024}) {
        size_t bytes = (size_t)mib << 20;
        if (bytes * 2 > chip.big_bytes)
            continue;
        std::string size = std::to_string(mib) + "m";
        rate<uint4, READ, 4>(("read_" + size).c_str(), "16 bytes a thread, of so many MiB", bytes,
                             16, 4);
        rate<unsigned, READ, 4>(("read32_" + size).c_str(), "4 bytes a thread, of so many MiB",
                                bytes, 16, 4);
        rate<uint4, COPY, 2>(("copy_" + size).c_str(), "read and written, 16 bytes a thread", bytes,
                             16, 4);
        rate<uint4, WRITE, 4>(("write_" + size).c_str(), "16 bytes a thread", bytes, 16, 4);
        rate<unsigned, WRITE, 4>(("write32_" + size).c_str(), "4 bytes a thread", bytes, 16, 4);
    }
}

/* Little's law: the rate of few warps is the number of bytes in flight divided by the latency. */
static void measure_in_flight(void)
{
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        std::string name = std::to_string(warps) + "w";
        for (int from_dram = 0; from_dram < 2; from_dram++) {
            size_t bytes = from_dram ? (size_t)512 << 20 : (size_t)16 << 20;
            std::string place = from_dram ? "dram_" : "l2_";
            rate<unsigned, READ, 1>((place + "inflight_4b_x1_" + name).c_str(),
                                    "warps a multiprocessor, each with 1 load of 4 bytes a lane",
                                    bytes, warps, 1);
            rate<unsigned, READ, 4>((place + "inflight_4b_x4_" + name).c_str(),
                                    "4 loads of 4 bytes a lane", bytes, warps, 1);
            rate<uint4, READ, 4>((place + "inflight_16b_x4_" + name).c_str(),
                                 "4 loads of 16 bytes a lane", bytes, warps, 1);
        }
        rate<unsigned, WRITE, 1>(("dram_writes_4b_" + name).c_str(),
                                 "warps a multiprocessor, 4-byte stores", (size_t)512 << 20, warps,
                                 1);
    }
    for (int warps : {32, 64})
        rate<unsigned, READ, 1>(("dram_inflight_4b_x1_" + std::to_string(warps * 2) + "w").c_str(),
                                "in two blocks", (size_t)512 << 20, warps / 1 > 32 ? 32 : warps,
                                warps / 16);
}

/* Loads SECTORS sectors of each line from DRAM, each sector once. */
static __global__ void sparse(const unsigned *words, size_t lines, int sectors, int step,
                              unsigned *sink)
{
    size_t me = blockIdx.x * (size_t)blockDim.x + threadIdx.x, all = gridDim.x * (size_t)blockDim.x;
    unsigned sum = 0;
    for (size_t i = me; i < lines * sectors; i += all)
        sum += __ldcg(&words[i / sectors * 32 * step + i % sectors * 8]);
    if (sum == 12345)
        *sink = sum;
}

static void measure_sparse(void)
{
    size_t lines = (size_t)(chip.big_bytes >> 7) / 16;
    for (int sectors : {1, 2, 4})
        for (int step : {1, 2, 8}) {
            std::string key =
                "sparse_" + std::to_string(sectors) + "of4_every" + std::to_string(step);
            chip_measure(key.c_str(), "GB/s",
                         "sectors of 32 bytes from DRAM, of every so-many-th line", [=] {
                             double us = chip_us([=] {
                                 sparse<<<chip.sms * 8, 256>>>((const unsigned *)chip.big, lines,
                                                               sectors, step, chip.sink);
                             });
                             return (double)lines * sectors * 32 / us / 1e3;
                         });
        }
}

void measure_bandwidths(void)
{
    measure_sizes();
    measure_in_flight();
    measure_sparse();
}
