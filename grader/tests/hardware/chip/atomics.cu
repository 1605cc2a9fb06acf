/* Atomics: the time of additions to the same word, in L2 and in shared memory. */
#include "chip.cuh"

#include <string>

enum where { SAME, ONE_A_WARP, ONE_A_BLOCK, LINE_A_WARP };

/* Each thread adds ADDS times. SAME: one word for all. ONE_A_WARP: one word for each warp, 128 bytes apart.
 * LINE_A_WARP: 32 words side by side. */
template <typename T, bool result>
static __global__ void add(T *words, enum where where, int adds, unsigned *sink)
{
    unsigned me = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned at = where == SAME          ? 0
                  : where == ONE_A_BLOCK ? blockIdx.x * 32
                  : where == ONE_A_WARP  ? me / 32 * 32
                                         : me;
    for (int i = 0; i < adds; i++)
        if (result)
            sum += (unsigned)atomicAdd(&words[at], (T)1);
        else
            atomicAdd(&words[at], (T)1);
    if (sum == 12345)
        *sink = sum;
}

/* Only lane 0 adds. */
static __global__ void add_lane0(unsigned *words, int apart, int adds)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int i = 0; i < adds; i++)
        if (threadIdx.x % 32 == 0)
            atomicAdd(&words[warp * apart], 1u);
}

/* Lane l adds to word l % COUNT of all words, which are APART words from each other, the same for all warps. */
static __global__ void add_words(unsigned *words, unsigned count, unsigned apart, int adds)
{
    for (int i = 0; i < adds; i++)
        atomicAdd(&words[threadIdx.x % count * apart], 3u);
}

static void of_words(unsigned count, unsigned apart)
{
    std::string key = "red_words_" + std::to_string(count) + "x" + std::to_string(apart);
    chip_measure(
        key.c_str(), "ns",
        "for a warp's addition to the same COUNTxAPART words, all multiprocessors busy", [=] {
            auto us = [=](int adds) {
                return chip_us([=] {
                    add_words<<<chip.sms * 2, 256>>>((unsigned *)chip.big, count, apart, adds);
                });
            };
            return (us(20) - us(4)) * 1e3 / (chip.sms * 2 * 8.0 * 16);
        });
}

template <typename T, bool result> static void of_type(const char *type)
{
    static const struct {
        const char *name;
        enum where where;
    } places[] = {
        {"same", SAME}, {"block", ONE_A_BLOCK}, {"warp", ONE_A_WARP}, {"line", LINE_A_WARP}};
    for (auto place : places) {
        std::string key = std::string(result ? "atom_" : "red_") + type + "_" + place.name;
        const int adds = place.where == SAME ? 8 : 64;
        chip_measure(key.c_str(), "ns", "for a warp's addition, all multiprocessors busy", [=] {
            auto us = [=](int adds) {
                return chip_us([=] {
                    add<T, result>
                        <<<chip.sms * 4, 256>>>((T *)chip.big, place.where, adds, chip.sink);
                });
            };
            return (us(adds + 4) - us(4)) * 1e3 / (chip.sms * 4 * 8.0 * adds);
        });
    }
}

/* In shared memory: lanes l and l + APART share a word. */
template <typename T>
static __global__ void add_shared(int apart, int adds, T value, struct span *span, T *sink)
{
    __shared__ T words[2048];
    unsigned long long begin;
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        words[i] = 0;
    T *mine = &words[threadIdx.x / 32 * 32 + threadIdx.x % apart];
    span_begin(span, &begin);
    for (int i = 0; i < adds; i++)
        atomicAdd(mine, value); // a constant 1 would be counted, not added
    span_end(span, begin);
    if (words[0] == (T)12345)
        *sink = words[0];
}

template <typename T> static void of_shared(const char *type)
{
    for (int words : {1, 2, 4, 8, 16, 32}) {
        std::string key =
            std::string("shared_atomic_") + type + "_" + std::to_string(words) + "words";
        const int adds = 32;
        chip_measure(
            key.c_str(), "cycles", "a warp's atomicAdd() to so many words of shared memory", [=] {
                return chip_cycles([=] {
                           add_shared<T><<<1, 1024>>>(words, adds, (T)3, chip.span, (T *)chip.sink);
                       }) /
                       (32.0 * adds);
            });
        chip_measure((key + "_alone").c_str(), "cycles", "the same, with one warp alone", [=] {
            return chip_cycles([=] {
                       add_shared<T><<<1, 32>>>(words, adds, (T)3, chip.span, (T *)chip.sink);
                   }) /
                   adds;
        });
    }
}

void measure_atomics(void)
{
    of_type<int, false>("s32");
    of_type<float, false>("f32");
    of_type<unsigned long long, false>("u64");
    of_type<double, false>("f64");
    of_type<int, true>("s32");
    of_type<float, true>("f32");
    for (int apart : {0, 1, 8, 32, 64})
        chip_measure(("red_lane0_apart" + std::to_string(apart)).c_str(), "ns",
                     "for an addition by lane 0 alone; warps' words so far apart, in words", [=] {
                         auto us = [=](int adds) {
                             return chip_us([=] {
                                 add_lane0<<<chip.sms * 4, 256>>>((unsigned *)chip.big, apart,
                                                                  adds);
                             });
                         };
                         return (us(64) - us(4)) * 1e3 / (chip.sms * 4 * 8.0 * 60);
                     });
    for (unsigned apart : {1, 8, 16, 32})
        for (unsigned count : {2, 4, 8, 16, 32})
            of_words(count, apart);
    of_shared<int>("s32");
    of_shared<float>("f32");
    of_shared<unsigned long long>("u64");
}
