/* Launches: the cost of a launch in addition to the work of the kernel. */
#include "chip.cuh"

#include <chrono>
#include <string>

static __global__ void empty()
{
}

/* Uses as many registers and as much shared memory as an ordinary block. */
static __global__ void with_shared(unsigned *sink)
{
    extern __shared__ unsigned words[];
    if (sink == nullptr)
        words[threadIdx.x] = 1;
}

static __global__ void wait(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

double chip_queued_us(int count, const std::function<void()> &launch)
{
    wait<<<1, 1>>>(20000 + 12000ll * count);
    return chip_us([&] {
        for (int i = 0; i < count; i++)
            launch();
    });
}

static void measure_grids(void)
{
    static const int sizes[] = {1, 132, 1056, 4224, 16896, 67584, 270336};
    for (int threads : {32, 256, 1024})
        for (int blocks : sizes) {
            std::string key = "empty_" + std::to_string(blocks) + "x" + std::to_string(threads);
            chip_measure(key.c_str(), "us", "empty kernel, BLOCKSxTHREADS, queued behind another",
                         [=] { return chip_queued_us(1, [=] { empty<<<blocks, threads>>>(); }); });
        }
    for (int kib : {1, 16, 48})
        chip_measure(("empty_16896x128_shared" + std::to_string(kib) + "k").c_str(), "us",
                     "empty kernel of 16,896 blocks with so much shared memory", [=] {
                         return chip_queued_us(
                             1, [=] { with_shared<<<16896, 128, kib * 1024>>>(chip.sink); });
                     });
}

/* Blocks that need most of a multiprocessor's shared memory run one after the other. Each adds the time from the
 * end of a block to the first instruction of the next one. */
static void measure_turns(void)
{
    CHECK(cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               chip.shared_max));
    for (int threads : {32, 256, 1024})
        chip_measure(
            ("block_turn_us_" + std::to_string(threads)).c_str(), "us",
            "for each of 100 empty blocks that a multiprocessor runs one after the other", [=] {
                auto us = [=](int turns) {
                    return chip_queued_us(1, [=] {
                        with_shared<<<chip.sms * turns, threads, chip.shared_max>>>(chip.sink);
                    });
                };
                return (us(110) - us(10)) / 100;
            });
}

void measure_launches(void)
{
    auto none = [] { empty<<<1, 32>>>(); };
    chip_measure("events_us", "us", "two events with nothing between them",
                 [] { return chip_us([] {}); });
    chip_measure("events_queued_us", "us", "the same, queued behind a kernel",
                 [] { return chip_queued_us(0, [] {}); });
    chip_measure("launch_us", "us", "an empty kernel between two events, the GPU idle before",
                 [=] { return chip_us(none); });
    chip_measure("launch_queued_us", "us",
                 "an empty kernel between two events, queued behind another",
                 [=] { return chip_queued_us(1, none); });
    chip_measure("launch_next_us", "us", "each of 50 empty kernels in a row, all queued",
                 [=] { return chip_queued_us(50, none) / 50; });
    chip_measure("launch_host_us", "us", "the host's time for each of 500 launches", [=] {
        CHECK(cudaDeviceSynchronize());
        auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < 500; i++)
            none();
        std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
        CHECK(cudaDeviceSynchronize());
        return took.count() / 500;
    });
    chip_measure("launch_and_wait_us", "us",
                 "the host's time for a launch and cudaDeviceSynchronize()", [=] {
                     auto begin = std::chrono::steady_clock::now();
                     for (int i = 0; i < 20; i++) {
                         none();
                         CHECK(cudaDeviceSynchronize());
                     }
                     std::chrono::duration<double, std::micro> took =
                         std::chrono::steady_clock::now() - begin;
                     return took.count() / 20;
                 });
    measure_grids();
    measure_turns();
}
