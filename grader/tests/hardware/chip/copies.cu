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
    free(pageable);
    CHECK(cudaFreeHost(pinned));
}
