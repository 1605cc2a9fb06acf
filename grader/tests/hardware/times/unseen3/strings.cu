/* Text and keys: search, digests and a hash table. */
#include "expect.cuh"
#include <cstring>

#define PATTERN 12
#define PARTS   64

static __constant__ char pattern[PATTERN];
static __constant__ unsigned addends[64];
static unsigned host_addends[64];

/* A thread looks at each place: textbooks' naive search. */
static __global__ void find(char *found, const char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + PATTERN > n)
        return;
    int k = 0;
    while (k < PATTERN && text[i + k] == pattern[k])
        k++;
    found[i] = k == PATTERN;
}

/* Each thread has PARTS characters in a row and steps by the table of bad characters: Horspool's search, as in the
 * string matching of HeCBench and of many course projects. */
static __global__ void find_in_parts(char *found, const char *text, const unsigned char *skip,
                                     int n)
{
    __shared__ unsigned char skips[256];
    for (int c = threadIdx.x; c < 256; c += blockDim.x)
        skips[c] = skip[c];
    __syncthreads();
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * PARTS, end = min(i + PARTS, n - PATTERN + 1);
    while (i < end) {
        int k = PATTERN - 1;
        while (k >= 0 && text[i + k] == pattern[k])
            k--;
        if (k < 0)
            found[i] = 1;
        i += skips[(unsigned char)text[i + PATTERN - 1]];
    }
}

struct digest {
    unsigned a, b, c, d;
};

/* MD5 of a key of four bytes. */
__host__ __device__ static digest md5(unsigned key)
{
    const int turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    unsigned a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        unsigned f, word;
        if (i < 16)
            f = (b & c) | (~b & d), word = i;
        else if (i < 32)
            f = (d & b) | (~d & c), word = (5 * i + 1) % 16;
        else if (i < 48)
            f = b ^ c ^ d, word = (3 * i + 5) % 16;
        else
            f = c ^ (b | ~d), word = 7 * i % 16;
        unsigned message = word == 0 ? key : word == 1 ? 0x80 : word == 14 ? 32 : 0;
#ifdef __CUDA_ARCH__
        f += a + addends[i] + message;
#else
        f += a + host_addends[i] + message;
#endif
        int turn = turns[i / 16][i % 4];
        a = d, d = c, c = b;
        b += f << turn | f >> (32 - turn);
    }
    return digest{a + 0x67452301, b + 0xefcdab89, c + 0x98badcfe, d + 0x10325476};
}

/* Which of many keys has a given digest: as SHOC's md5hash. */
static __global__ void crack(unsigned *key, digest sought, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    digest mine = md5(i);
    if (mine.a == sought.a && mine.b == sought.b && mine.c == sought.c && mine.d == sought.d)
        *key = i;
}

__host__ __device__ static unsigned place_of(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6b;
    key ^= key >> 13;
    key *= 0xc2b2ae35;
    return key ^ key >> 16;
}

/* Looks keys up in a table with open addresses, as many public hash tables do. A slot is a key and a value. */
static __global__ void look_up(unsigned *values, const uint2 *table, const unsigned *keys,
                               unsigned mask, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], at = place_of(key) & mask;
    uint2 slot = table[at];
    while (slot.x != key && slot.x != 0) {
        at = (at + 1) & mask;
        slot = table[at];
    }
    values[i] = slot.x == key ? slot.y : 0;
}

static void searches(int letters)
{
    const int n = 1 << 21;
    char *text =
        filled<char>(n, [=](size_t i) { return (char)('a' + (scrambled(i) >> 9) % letters); });
    char *found = zeros<char>(n);
    std::vector<char> host = fetched(text, n);
    const char *word = &host[n / 3];
    CHECK(cudaMemcpyToSymbol(pattern, word, PATTERN));
    unsigned char *skip = filled<unsigned char>(256, [=](size_t c) {
        int distance = PATTERN;
        for (int k = 0; k < PATTERN - 1; k++)
            if ((unsigned char)word[k] == c)
                distance = PATTERN - 1 - k;
        return (unsigned char)distance;
    });
    auto expect_found = [&] {
        std::vector<char> marks = fetched(found, n);
        for (int i = 0; i + PATTERN <= n; i++)
            EXPECT(marks[i] == (memcmp(&host[i], word, PATTERN) == 0));
        clear(found, n);
    };
    TWICE(find<<<n / 256, 256>>>(found, text, n));
    expect_found();
    TWICE(find_in_parts<<<n / PARTS / 128, 128>>>(found, text, skip, n));
    expect_found();
}

static void look_ups(int entries, unsigned slots)
{
    const int n = 1 << 19;
    std::vector<uint2> host(slots, make_uint2(0, 0));
    auto key_of = [](size_t i) { return scrambled(i) | 1; };
    for (int i = 0; i < entries; i++) {
        unsigned at = place_of(key_of(i)) & (slots - 1);
        while (host[at].x != 0 && host[at].x != key_of(i))
            at = (at + 1) & (slots - 1);
        host[at] = make_uint2(key_of(i), key_of(i) >> 3);
    }
    uint2 *table = filled<uint2>(slots, [&](size_t i) { return host[i]; });
    auto asked = [=](size_t i) {
        return i % 4 == 3 ? (scrambled(i) & ~1u) + 2 : key_of(scrambled(i + 17) % entries);
    };
    unsigned *keys = filled<unsigned>(n, asked), *values = zeros<unsigned>(n);
    TWICE(look_up<<<n / 256, 256>>>(values, table, keys, slots - 1, n));
    std::vector<unsigned> found = fetched(values, n);
    for (int i = 0; i < n; i++)
        EXPECT(found[i] == (i % 4 == 3 ? 0 : asked(i) >> 3));
}

int main()
{
    searches(2);
    searches(26);

    for (int i = 0; i < 64; i++)
        host_addends[i] = (unsigned)(long long)floor(fabs(sin(i + 1.0)) * 4294967296.0);
    CHECK(cudaMemcpyToSymbol(addends, host_addends, sizeof host_addends));
    unsigned *key = zeros<unsigned>(1), letters;
    memcpy(&letters, "test", 4);
    EXPECT(md5(letters).a == 0xcd6b8f09); // md5("test") = 098f6bcd...
    for (unsigned count : {1u << 14, 1u << 18}) {
        TWICE(crack<<<count / 256, 256>>>(key, md5(count / 5), count));
        EXPECT(fetched(key, 1)[0] == count / 5);
    }

    look_ups(1 << 18, 1 << 19);
    look_ups(900000, 1 << 20);
    return 0;
}
