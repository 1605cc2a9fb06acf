/* Copies: between host and device, timed by the host's clock if the host waits; on the device, timed by events. */
#include "chip.cuh"

#include <chrono>
#include <cstring>
#include <string>

static double host_us(const std::function<void()> &work)
{
    CHECK(cudaDeviceSynchronize());
    auto begin = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return took.count();
}

static void between(const char *name, const char *what, char *host, size_t bytes)
{
    std::string size = std::to_string(bytes);
    char *device = chip.big;
    auto say = [=](const char *way, bool events, auto copy) {
        std::string key =
            std::string("copy_") + way + "_" + name + (events ? "_events_" : "_") + size;
        chip_measure(key.c_str(), "us", what,
                     [=] { return events ? chip_us(copy) : host_us(copy); });
    };
    auto to = [=] { CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice)); };
    auto from = [=] { CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost)); };
    say("h2d", false, to);
    say("d2h", false, from);
    say("h2d", true, to);
    say("d2h", true, from);
}

/* What a piece of work takes in a stream, behind other work: the numbers of predict/chips. */
static void queued(const char *key, const char *what, const std::function<void()> &work)
{
    chip_measure(key, "us", what, [=] { return chip_queued_us(1, work); });
}

/* Copies in both directions at the same time: what each takes. */
static double both_ways_us(char *host, size_t bytes)
{
    cudaStream_t other;
    cudaEvent_t ready, done;
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    double us = chip_queued_us(1, [=] {
        CHECK(cudaEventRecord(ready));
        CHECK(cudaStreamWaitEvent(other, ready, 0));
        CHECK(
            cudaMemcpyAsync(host + bytes, chip.big + bytes, bytes, cudaMemcpyDeviceToHost, other));
        CHECK(cudaEventRecord(done, other));
        CHECK(cudaMemcpyAsync(chip.big, host, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaStreamWaitEvent(nullptr, done, 0));
    });
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(other));
    return us;
}

static void measure_queued(char *pinned)
{
    for (size_t bytes : {(size_t)4, (size_t)1 << 20, (size_t)16 << 20}) {
        std::string size = std::to_string(bytes);
        char *other = chip.big + chip.big_bytes / 2;
        queued(("queued_h2d_" + size).c_str(), "a copy to the device, queued behind a kernel",
               [=] { CHECK(cudaMemcpyAsync(chip.big, pinned, bytes, cudaMemcpyHostToDevice)); });
        queued(("queued_d2h_" + size).c_str(), "a copy from the device, queued behind a kernel",
               [=] { CHECK(cudaMemcpyAsync(pinned, chip.big, bytes, cudaMemcpyDeviceToHost)); });
        queued(("queued_d2d_" + size).c_str(), "a copy on the device, queued behind a kernel",
               [=] { CHECK(cudaMemcpyAsync(other, chip.big, bytes, cudaMemcpyDeviceToDevice)); });
        queued(("queued_memset_" + size).c_str(), "cudaMemset(), queued behind a kernel",
               [=] { CHECK(cudaMemsetAsync(chip.big, 0, bytes)); });
    }
    chip_measure("queued_both_ways_16777216", "us",
                 "copies to and from the device at the same time, in two streams",
                 [=] { return both_ways_us(pinned, 16 << 20); });
}

void measure_copies(void)
{
    static const size_t sizes[] = {4, 4096, 65536, 1 << 20, 4 << 20, 16 << 20, 64 << 20};
    size_t most = 64 << 20;
    char *pageable = (char *)malloc(most), *pinned;
    memset(pageable, 1, most);
    CHECK(cudaMallocHost(&pinned, most));
    memset(pinned, 1, most);
    for (size_t bytes : sizes) {
        between("pageable", "cudaMemcpy(), memory of malloc()", pageable, bytes);
        between("pinned", "cudaMemcpy(), memory of cudaMallocHost()", pinned, bytes);
    }
    for (size_t bytes :
         {(size_t)4, (size_t)1 << 20, (size_t)16 << 20, (size_t)64 << 20, (size_t)512 << 20}) {
        chip_measure(("copy_d2d_events_" + std::to_string(bytes)).c_str(), "us",
                     "cudaMemcpy() from device to device", [=] {
                         return chip_us([=] {
                             CHECK(cudaMemcpyAsync(chip.big + chip.big_bytes / 2, chip.big, bytes,
                                                   cudaMemcpyDeviceToDevice));
                         });
                     });
        chip_measure(("memset_events_" + std::to_string(bytes)).c_str(), "us", "cudaMemset()",
                     [=] { return chip_us([=] { CHECK(cudaMemsetAsync(chip.big, 0, bytes)); }); });
    }
    measure_queued(pinned);
    free(pageable);
    CHECK(cudaFreeHost(pinned));
}
