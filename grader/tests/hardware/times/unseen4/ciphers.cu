/* Cryptography and checksums: ChaCha20, XTEA, SHA-256, CRC-32 with tables in several memories, modular powers. */
#include "expect.cuh"

__constant__ unsigned constant_table[256];
__constant__ unsigned rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ __host__ inline unsigned left(unsigned x, int n)
{
    return x << n | x >> (32 - n);
}

#define QUARTER(a, b, c, d)                                                                        \
    (a += b, d = left(d ^ a, 16), c += d, b = left(b ^ c, 12), a += b, d = left(d ^ a, 8), c += d, \
     b = left(b ^ c, 7))

__device__ __host__ inline void chacha_block(unsigned counter, unsigned *x)
{
    unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, 0x03020100, 0x07060504,
                      0x0b0a0908, 0x0f0e0d0c, 0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c,
                      counter,    0x09000000, 0x4a000000, 0};
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 16; i++)
        x[i] = s[i];
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]), QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]), QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]), QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]), QUARTER(x[3], x[4], x[9], x[14]);
    }
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int i = 0; i < 16; i++)
        x[i] += s[i];
}

/* Every thread writes its 64 bytes one after the other. */
__global__ void chacha_rows(unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x[16];
    chacha_block(t, x);
    uint4 *to = (uint4 *)out + t * 4;
#pragma unroll
    for (int i = 0; i < 4; i++)
        to[i] = make_uint4(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
}

/* A warp's 32 blocks go through shared memory and out coalesced. */
__global__ void chacha_staged(unsigned *out)
{
    extern __shared__ unsigned stage[];
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x[16], *mine = stage + threadIdx.x * 17;
    chacha_block(t, x);
#pragma unroll
    for (int i = 0; i < 16; i++)
        mine[i] = x[i];
    __syncwarp();
    int warp = threadIdx.x & ~31, lane = threadIdx.x & 31;
    for (int i = 0; i < 16; i++) {
        int word = i * 32 + lane;
        out[(size_t)(t - lane) * 16 + word] = stage[(warp + word / 16) * 17 + word % 16];
    }
}

__device__ __host__ inline uint2 xtea_block(uint2 v, uint4 key)
{
    unsigned k[4] = {key.x, key.y, key.z, key.w}, sum = 0;
    for (int r = 0; r < 32; r++) {
        v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
        sum += 0x9e3779b9;
        v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
    }
    return v;
}

__global__ void xtea(const uint2 *in, uint2 *out, uint4 key)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = xtea_block(in[i], key);
}

/* SHA-256 of a message of one block, made from the thread's number; the round constants in constant memory. */
__global__ void sha_mine(unsigned *out, unsigned salt)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, w[16] = {t, salt, 0x80000000u};
    w[15] = 64;
    unsigned s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    unsigned a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        unsigned v = w[i % 16];
        if (i >= 16) {
            unsigned p = w[(i + 1) % 16], q = w[(i + 14) % 16];
            v += w[(i + 9) % 16] + (left(p, 25) ^ left(p, 14) ^ p >> 3) +
                 (left(q, 15) ^ left(q, 13) ^ q >> 10);
            w[i % 16] = v;
        }
        unsigned t1 =
            h + (left(e, 26) ^ left(e, 21) ^ left(e, 7)) + ((e & f) ^ (~e & g)) + rounds[i] + v;
        unsigned t2 = (left(a, 30) ^ left(a, 19) ^ left(a, 10)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    out[t] = a + s[0];
}

/* CRC-32 of a message of WORDS words a thread; message[word][thread]. */
__global__ void crc_constant(const unsigned *message, unsigned *out, int words)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned crc = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned v = message[i * n + t];
        for (int b = 0; b < 4; b++, v >>= 8)
            crc = constant_table[(crc ^ v) & 255] ^ crc >> 8;
    }
    out[t] = ~crc;
}

__global__ void crc_shared(const unsigned *message, const unsigned *table, unsigned *out, int words)
{
    __shared__ unsigned s[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        s[i] = table[i];
    __syncthreads();
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned crc = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned v = message[i * n + t];
        for (int b = 0; b < 4; b++, v >>= 8)
            crc = s[(crc ^ v) & 255] ^ crc >> 8;
    }
    out[t] = ~crc;
}

__global__ void crc_global(const unsigned *message, const unsigned *__restrict__ table,
                           unsigned *out, int words)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned crc = ~0u;
    for (int i = 0; i < words; i++) {
        unsigned v = message[i * n + t];
        for (int b = 0; b < 4; b++, v >>= 8)
            crc = __ldg(&table[(crc ^ v) & 255]) ^ crc >> 8;
    }
    out[t] = ~crc;
}

__global__ void crc_bits(const unsigned *message, unsigned *out, int words)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    unsigned crc = ~0u;
    for (int i = 0; i < words; i++) {
        crc ^= message[i * n + t];
        for (int b = 0; b < 32; b++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    out[t] = ~crc;
}

/* base to the power of an exponent: a division of 64 bits in each step; the exponents differ. */
__device__ __host__ inline unsigned long long raised(unsigned long long base, unsigned exponent,
                                                     unsigned modulus)
{
    unsigned long long result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = result * base % modulus;
        base = base * base % modulus;
    }
    return result;
}

__global__ void powers(const unsigned *exponents, unsigned *out, unsigned modulus)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = raised(t + 2, exponents[t], modulus);
}

int main()
{
    const int n = 1 << 16, words = 16;
    unsigned *big = zeros<unsigned>((size_t)n * 16), *out = zeros<unsigned>(n * 2);
    auto check_chacha = [&](const char *what) {
        auto h = fetched(big, (size_t)n * 16);
        for (size_t t : places(n, 500)) {
            unsigned x[16];
            chacha_block(t, x);
            for (int i = 0; i < 16; i++)
                expect_same(what, t * 16 + i, h[t * 16 + i], x[i]);
        }
        CHECK(cudaMemset(big, 0, (size_t)n * 64));
    };
    TWICE(chacha_rows<<<n / 256, 256>>>(big));
    check_chacha("rows");
    TWICE(chacha_staged<<<n / 256, 256, 256 * 17 * 4>>>(big));
    check_chacha("staged");
    TWICE(chacha_staged<<<n / 64, 64, 64 * 17 * 4>>>(big));
    check_chacha("staged");

    uint2 *plain =
        filled<uint2>(n, [](size_t i) { return make_uint2(scrambled(i), scrambled(i + 1)); });
    uint4 key = make_uint4(1, 2, 3, 0xdeadbeef);
    TWICE(xtea<<<n / 256, 256>>>(plain, (uint2 *)out, key));
    TWICE(xtea<<<n / 1024, 1024>>>(plain, (uint2 *)out, key));
    auto hx = fetched((uint2 *)out, n);
    auto hp = fetched(plain, n);
    for (size_t i : places(n, 1000)) {
        uint2 w = xtea_block(hp[i], key);
        expect_same("xtea", i, hx[i].x, w.x);
        expect_same("xtea", i, hx[i].y, w.y);
    }
    TWICE(sha_mine<<<n / 128, 128>>>(out, 0x61626364));
    auto hs = fetched(out, n);
    /* Message 61626300 61626364 of 8 bytes would need a host SHA-256; here one is written plainly. */
    const unsigned *k = rounds;
    std::vector<unsigned> hk(64);
    CHECK(cudaMemcpyFromSymbol(hk.data(), rounds, 256));
    k = hk.data();
    auto turn = [](unsigned x, int r) { return x >> r | x << (32 - r); };
    for (size_t t : places(n, 300)) {
        unsigned w[64] = {(unsigned)t, 0x61626364, 0x80000000u};
        w[15] = 64;
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
                   w[i - 7] + (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
        unsigned s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        for (int i = 0; i < 64; i++) {
            unsigned t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
                          ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
            unsigned t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) +
                          ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
            for (int j = 7; j; j--)
                s[j] = s[j - 1];
            s[4] += t1, s[0] = t1 + t2;
        }
        expect_same("sha", t, hs[t], s[0] + 0x6a09e667);
    }
    TWICE(sha_mine<<<n / 1024, 1024>>>(out, 7));

    std::vector<unsigned> table(256);
    for (unsigned i = 0; i < 256; i++) {
        unsigned c = i;
        for (int b = 0; b < 8; b++)
            c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
        table[i] = c;
    }
    CHECK(cudaMemcpyToSymbol(constant_table, table.data(), 1024));
    unsigned *d_table = filled<unsigned>(256, [&](size_t i) { return table[i]; });
    unsigned *message = filled<unsigned>((size_t)n * words, [](size_t i) { return scrambled(i); });
    auto hm = fetched(message, (size_t)n * words);
    auto check_crc = [&](const char *what, int threads) {
        auto h = fetched(out, threads);
        for (size_t t : places(threads, 500)) {
            unsigned crc = ~0u;
            for (int i = 0; i < words; i++)
                for (int b = 0; b < 4; b++)
                    crc = table[(crc ^ hm[(size_t)i * threads + t] >> 8 * b) & 255] ^ crc >> 8;
            expect_same(what, t, h[t], ~crc);
        }
        CHECK(cudaMemset(out, 0, n * 4));
    };
    TWICE(crc_constant<<<n / 256, 256>>>(message, out, words));
    check_crc("constant", n);
    TWICE(crc_shared<<<n / 256, 256>>>(message, d_table, out, words));
    check_crc("shared", n);
    TWICE(crc_shared<<<n / 8 / 64, 64>>>(message, d_table, out, words));
    check_crc("shared", n / 8);
    TWICE(crc_global<<<n / 256, 256>>>(message, d_table, out, words));
    check_crc("global", n);
    TWICE(crc_global<<<n / 16 / 32, 32>>>(message, d_table, out, words));
    check_crc("global", n / 16);
    TWICE(crc_bits<<<n / 256, 256>>>(message, out, words));
    check_crc("bits", n);
    TWICE(powers<<<n / 256, 256>>>(message, out, 4294967291u));
    auto hq = fetched(out, n);
    for (size_t t : places(n, 500))
        expect_same("powers", t, hq[t], raised(t + 2, hm[t], 4294967291u));
    TWICE(powers<<<n / 16 / 128, 128>>>(message, out, 1000003));
    return verdict("ciphers");
}
