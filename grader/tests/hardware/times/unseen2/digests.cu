/* Hashes, ciphers and arithmetic of integers. */
#include "common.cuh"

static __host__ __device__ unsigned rotated(unsigned x, int by)
{
    return x >> by | x << (32 - by);
}

static const unsigned sha_host[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__constant__ unsigned sha_constants[64];

/* One block of SHA-256 for every nonce; the first word of the result. Unrolled or as a loop. */
template <bool UNROLL> static __host__ __device__ unsigned sha256(unsigned nonce, const unsigned *k)
{
    unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 16; i++)
        w[i] = i == 0 ? nonce : i == 1 ? 0x80000000u : i == 15 ? 32 : 0;
#pragma unroll(UNROLL ? 64 : 1)
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            unsigned a = w[(i + 1) & 15], b = w[(i + 14) & 15];
            w[i & 15] += (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[(i + 9) & 15] +
                         (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
        }
        unsigned t1 = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i & 15];
        unsigned t2 = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        s[7] = s[6];
        s[6] = s[5];
        s[5] = s[4];
        s[4] = s[3] + t1;
        s[3] = s[2];
        s[2] = s[1];
        s[1] = s[0];
        s[0] = t1 + t2;
    }
    return s[0] + 0x6a09e667;
}

template <bool UNROLL> __global__ void mine(unsigned *out, unsigned first)
{
    out[own_index()] = sha256<UNROLL>(first + own_index(), sha_constants);
}

/* XTEA, a block of 8 bytes per thread. */
static __host__ __device__ void xtea(unsigned &a, unsigned &b, const unsigned *key, int rounds)
{
    unsigned sum = 0;
    for (int r = 0; r < rounds; r++) {
        a += ((b << 4 ^ b >> 5) + b) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9;
        b += ((a << 4 ^ a >> 5) + a) ^ (sum + key[sum >> 11 & 3]);
    }
}

struct key128 {
    unsigned word[4];
};

__global__ void encrypt(uint2 *out, const uint2 *in, key128 key, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    uint2 v = in[i];
    xtea(v.x, v.y, key.word, 32);
    out[i] = v;
}

/* FNV-1a of records of bytes, and Murmur's mixing of words. */
__global__ void fnv(unsigned long long *out, const unsigned char *in, int length, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned long long h = 14695981039346656037ull;
    for (int k = 0; k < length; k++)
        h = (h ^ in[i * length + k]) * 1099511628211ull;
    out[i] = h;
}

static __host__ __device__ unsigned murmur(unsigned h, unsigned k)
{
    k *= 0xcc9e2d51;
    k = rotated(k, 17) * 0x1b873593;
    return rotated(h ^ k, 19) * 5 + 0xe6546b64;
}

__global__ void murmurRecords(unsigned *out, const uint4 *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    uint4 v = in[i];
    unsigned h = murmur(murmur(murmur(murmur(7, v.x), v.y), v.z), v.w) ^ 16;
    h = (h ^ h >> 16) * 0x85ebca6b;
    h = (h ^ h >> 13) * 0xc2b2ae35;
    out[i] = h ^ h >> 16;
}

/* Powers modulo a 31-bit number: remainders of 64 bits. */
__global__ void powers(unsigned *out, const int *base, unsigned exponent, unsigned modulus)
{
    int i = own_index();
    unsigned long long x = base[i] % modulus, y = 1;
    for (unsigned e = exponent; e; e >>= 1) {
        if (e & 1)
            y = y * x % modulus;
        x = x * x % modulus;
    }
    out[i] = (unsigned)y;
}

/* Stein's greatest common divisor: shifts instead of divisions. */
__global__ void binaryGcd(int *out, const int *a, const int *b)
{
    int i = own_index();
    unsigned u = a[i] | 1, v = b[i] | 1;
    while (v) {
        v >>= __ffs(v) - 1;
        if (u > v) {
            unsigned t = u;
            u = v;
            v = t;
        }
        v -= u;
    }
    out[i] = u;
}

/* Products of numbers of 256 bits, least words first: element w of number i at w * n + i. */
__global__ void multiplyWide(unsigned *out, const unsigned *a, const unsigned *b, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned x[8], y[8], z[16] = {};
#pragma unroll
    for (int w = 0; w < 8; w++) {
        x[w] = a[w * n + i];
        y[w] = b[w * n + i];
    }
#pragma unroll
    for (int p = 0; p < 8; p++) {
        unsigned long long carry = 0;
#pragma unroll
        for (int q = 0; q < 8; q++) {
            carry += (unsigned long long)x[p] * y[q] + z[p + q];
            z[p + q] = (unsigned)carry;
            carry >>= 32;
        }
        z[p + 8] = (unsigned)carry;
    }
#pragma unroll
    for (int w = 0; w < 16; w++)
        out[w * n + i] = z[w];
}

/* Division of int, unsigned and 64-bit numbers by numbers from memory. */
template <typename T> __global__ void quotients(T *out, const T *a, const T *b, int n)
{
    int i = own_index();
    if (i < n)
        out[i] = a[i] / b[i] + a[i] % b[i];
}

/* Calendars: divisions by constants only. */
__global__ void dates(int *out, const int *days, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    int z = days[i] + 719468, era = z / 146097, doe = z - era * 146097;
    int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365,
        doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9;
    out[i] = (yoe + era * 400 + (m <= 2)) * 10000 + m * 100 + d;
}

/* Morton's order: bits of two coordinates interleaved, by shifts or one after another. */
template <bool LOOP> __global__ void interleave(unsigned *out, const ushort2 *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned x = in[i].x, y = in[i].y, z = 0;
    if (LOOP) {
        for (int k = 0; k < 16; k++)
            z |= (x >> k & 1) << 2 * k | (y >> k & 1) << (2 * k + 1);
    } else {
        z = x | y << 16;
        z = (z & 0xff0000ff) | (z & 0x00ff0000) >> 8 | (z & 0x0000ff00) << 8;
        z = (z & 0xf00ff00f) | (z & 0x0f000f00) >> 4 | (z & 0x00f000f0) << 4;
        z = (z & 0xc3c3c3c3) | (z & 0x30303030) >> 2 | (z & 0x0c0c0c0c) << 2;
        z = (z & 0x99999999) | (z & 0x44444444) >> 1 | (z & 0x22222222) << 1;
    }
    out[i] = z;
}

int main()
{
    const int n = 1 << 18;
    unsigned *out = zeros<unsigned>(16 * n);
    CHECK(cudaMemcpyToSymbol(sha_constants, sha_host, sizeof sha_host));
    for (int blocks : {300, 16}) {
        TWICE(mine<true><<<blocks, 256>>>(out, 1000));
        expect(
            "mine", out, blocks * 256,
            [](size_t i) { return sha256<false>(1000 + (unsigned)i, sha_host); }, 0, 17);
    }
    TWICE(mine<false><<<300, 256>>>(out, 1000));
    expect(
        "mine, loop", out, 300 * 256,
        [](size_t i) { return sha256<false>(1000 + (unsigned)i, sha_host); }, 0, 17);
    auto words = made<unsigned>(4 * n, [](size_t i) { return scrambled(i); });
    key128 key = {{1, 22, 333, 4444}};
    for (int block : {256, 32}) {
        TWICE(encrypt<<<n / block, block>>>((uint2 *)out, (uint2 *)words.device, key, n));
        expect(
            "encrypt", out, 2 * n,
            [&](size_t i) {
                unsigned a = words[i & ~1ul], b = words[i | 1];
                xtea(a, b, key.word, 32);
                return i & 1 ? b : a;
            },
            0, 5);
    }
    unsigned long long *wide = zeros<unsigned long long>(n);
    TWICE(fnv<<<blocks_for(20000, 128), 128>>>(wide, (unsigned char *)words.device, 48, 20000));
    expect("fnv", wide, 20000, [&](size_t i) {
        unsigned long long h = 14695981039346656037ull;
        for (int k = 0; k < 48; k++)
            h = (h ^ ((unsigned char *)words.host.data())[i * 48 + k]) * 1099511628211ull;
        return h;
    });
    TWICE(murmurRecords<<<n / 256, 256>>>(out, (uint4 *)words.device, n));
    expect("murmurRecords", out, n, [&](size_t i) {
        unsigned h = 7;
        for (int k = 0; k < 4; k++)
            h = murmur(h, words[4 * i + k]);
        h ^= 16;
        h = (h ^ h >> 16) * 0x85ebca6b;
        h = (h ^ h >> 13) * 0xc2b2ae35;
        return h ^ h >> 16;
    });
    auto a = random_below(n, 1 << 29),
         b = made<int>(
             n, [](size_t i) { return (int)(scrambled(i + 4242) >> (4 + scrambled(i) % 20)) | 1; });
    for (int blocks : {200, 10}) {
        TWICE(powers<<<blocks, 128>>>(out, a.device, 1999999972, 1999999973));
        expect("powers", out, blocks * 128, [&](size_t i) {
            unsigned long long x = a[i] % 1999999973u, y = 1;
            for (unsigned e = 1999999972; e; e >>= 1, x = x * x % 1999999973u)
                y = e & 1 ? y * x % 1999999973u : y;
            return y;
        });
    }
    TWICE(binaryGcd<<<n / 2 / 128, 128>>>((int *)out, a.device, b.device));
    expect("binaryGcd", out, n / 2, [&](size_t i) { return std::__gcd(a[i] | 1, b[i] | 1); });
    const int products = 30000;
    TWICE(multiplyWide<<<blocks_for(products, 128), 128>>>(out, words.device,
                                                           words.device + 8 * products, products));
    expect(
        "multiplyWide", out, 16 * products,
        [&](size_t j) {
            size_t i = j % products, want = j / products;
            std::vector<unsigned> z(16);
            for (int p = 0; p < 8; p++) {
                unsigned long long carry = 0;
                for (int q = 0; q < 8; q++) {
                    carry += (unsigned long long)words[p * products + i] *
                                 words[(8 + q) * products + i] +
                             z[p + q];
                    z[p + q] = (unsigned)carry;
                    carry >>= 32;
                }
                z[p + 8] = (unsigned)carry;
            }
            return z[want];
        },
        0, 11);
    TWICE(quotients<int><<<n / 256, 256>>>((int *)out, a.device, b.device, n));
    expect("quotients", out, n, [&](size_t i) { return a[i] / b[i] + a[i] % b[i]; });
    auto la = made<long long>(n, [&](size_t i) { return ((long long)a[i] << 30) + i; }),
         lb = made<long long>(n, [&](size_t i) { return (long long)b[i] * 3001; });
    TWICE(quotients<long long><<<n / 256, 256>>>((long long *)wide, la.device, lb.device, n));
    expect("quotients, long", (long long *)wide, n,
           [&](size_t i) { return la[i] / lb[i] + la[i] % lb[i]; });
    auto sa = made<unsigned short>(n, [&](size_t i) { return (unsigned short)a[i]; }),
         sb = made<unsigned short>(n, [&](size_t i) { return (unsigned short)(b[i] | 1); });
    TWICE(quotients<unsigned short>
          <<<n / 256, 256>>>((unsigned short *)wide, sa.device, sb.device, n));
    expect("quotients, short", (unsigned short *)wide, n,
           [&](size_t i) { return (unsigned short)(sa[i] / sb[i] + sa[i] % sb[i]); });
    auto day = random_below(n, 40000);
    for (int count : {n, 3000}) {
        TWICE(dates<<<blocks_for(count, 192), 192>>>((int *)out, day.device, count));
        expect("dates", out, 1000, [&](size_t i) {
            time_t seconds = (time_t)day[i] * 86400;
            struct tm when;
            gmtime_r(&seconds, &when);
            return (when.tm_year + 1900) * 10000 + (when.tm_mon + 1) * 100 + when.tm_mday;
        });
    }
    auto morton = [&](size_t i) {
        unsigned z = 0;
        for (int k = 0; k < 32; k++)
            z |= (words[i] >> (k / 2 + k % 2 * 16) & 1) << k;
        return z;
    };
    TWICE(interleave<false><<<4 * n / 256, 256>>>(out, (ushort2 *)words.device, 4 * n));
    expect("interleave", out, 4 * n, morton, 0, 3);
    TWICE(interleave<true><<<4 * n / 256, 256>>>(out, (ushort2 *)words.device, 4 * n));
    expect("interleave, loop", out, 4 * n, morton, 0, 3);
    return 0;
}
