/* Integers: hashes, ciphers, divisions, wide numbers, primes, bits. */
#include "../launch.cuh"

static __device__ unsigned turn(unsigned x, int bits)
{
    return x >> bits | x << (32 - bits);
}

/* Rounds like those of SHA-256; the words of the message lie in a local array. */
__global__ void digest(unsigned *out, const unsigned *in, int blocks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s[8], w[16];
    for (int k = 0; k < 8; k++)
        s[k] = 0x6a09e667u * (k + 1);
    for (int b = 0; b < blocks; b++) {
        for (int k = 0; k < 16; k++)
            w[k] = in[(i * 16 + k + b) & 0xffff];
#pragma unroll 16
        for (int r = 0; r < 64; r++) {
            unsigned e = s[4], a = s[0], mix = w[r & 15];
            unsigned t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (e & s[5] ^ ~e & s[6]) +
                         mix + r * 0x9e3779b9u;
            unsigned u =
                (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + (a & s[1] ^ a & s[2] ^ s[1] & s[2]);
            s[7] = s[6], s[6] = s[5], s[5] = e, s[4] = s[3] + t;
            s[3] = s[2], s[2] = s[1], s[1] = a, s[0] = t + u;
            unsigned x = w[r + 1 & 15], y = w[r + 14 & 15];
            w[r & 15] = mix + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[r + 9 & 15] +
                        (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
    }
    for (int k = 0; k < 8; k++)
        out[i * 8 + k] = s[k];
}

__global__ void chacha(uint4 *out, unsigned key, int rounds)
{
    unsigned v[16], i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 16; k++)
        v[k] = key * k + (k == 12 ? i : 0);
#define QUARTER(a, b, c, d)                                                                        \
    v[a] += v[b], v[d] = turn(v[d] ^ v[a], 16), v[c] += v[d], v[b] = turn(v[b] ^ v[c], 20),        \
                  v[a] += v[b], v[d] = turn(v[d] ^ v[a], 24), v[c] += v[d],                        \
                  v[b] = turn(v[b] ^ v[c], 25)
    for (int r = 0; r < rounds; r += 2) {
        QUARTER(0, 4, 8, 12);
        QUARTER(1, 5, 9, 13);
        QUARTER(2, 6, 10, 14);
        QUARTER(3, 7, 11, 15);
        QUARTER(0, 5, 10, 15);
        QUARTER(1, 6, 11, 12);
        QUARTER(2, 7, 8, 13);
        QUARTER(3, 4, 9, 14);
    }
    for (int k = 0; k < 4; k++)
        out[i * 4 + k] = make_uint4(v[4 * k], v[4 * k + 1], v[4 * k + 2], v[4 * k + 3]);
}

/* A byte cipher with a table of 256 in shared memory. */
__global__ void boxes(unsigned *out, const unsigned *in, const unsigned *table, int rounds)
{
    __shared__ unsigned box[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x)
        box[k] = table[k];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    for (int r = 0; r < rounds; r++)
        x = box[x & 255] ^ turn(box[x >> 8 & 255], 8) ^ turn(box[x >> 16 & 255], 16) ^
            turn(box[x >> 24], 24) ^ r;
    out[i] = x;
}

__global__ void boxes_global(unsigned *out, const unsigned *in, const unsigned *table, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    for (int r = 0; r < rounds; r++)
        x = table[x & 255] ^ turn(table[x >> 8 & 255], 8) ^ turn(table[x >> 16 & 255], 16) ^
            turn(table[x >> 24], 24) ^ r;
    out[i] = x;
}

template <typename T> __global__ void divide(T *out, const T *in, T by, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    T x = in[i], sum = 0;
    for (int k = 0; k < count; k++) {
        sum += x / by + x % (by + k);
        x = x * 5 + sum;
    }
    out[i] = sum;
}

__global__ void common_divisor(int *out, const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, a = in[i] + 1, b = in[n - 1 - i] + 1;
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    out[i] = a;
}

static __device__ unsigned long long power(unsigned long long base, unsigned e,
                                           unsigned long long m)
{
    unsigned long long result = 1;
    for (; e; e >>= 1, base = base * base % m)
        if (e & 1)
            result = result * base % m;
    return result;
}

__global__ void fermat(int *out, unsigned first)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = first + 2 * i;
    out[i] = power(2, n - 1, n) == 1 && power(3, n - 1, n) == 1;
}

__global__ void trial(int *out, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = first + 2 * i, d = 3;
    while (d * d <= n && n % d)
        d += 2;
    out[i] = d * d > n;
}

/* Each block crosses out multiples in its part of the numbers. */
__global__ void sieve(unsigned char *out, int limit)
{
    extern __shared__ unsigned char crossed[];
    int base = blockIdx.x * 8192;
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        ((int *)crossed)[i] = 0;
    __syncthreads();
    for (int p = 3 + 2 * threadIdx.x; p < limit; p += 2 * blockDim.x)
        for (int i = (p - base % p) % p; i < 8192; i += p)
            crossed[i] = 1;
    __syncthreads();
    for (int i = threadIdx.x; i < 2048; i += blockDim.x)
        ((int *)(out + base))[i] = ((int *)crossed)[i];
}

/* The upper words of products: 128-bit multiplication. */
__global__ void wide_hash(unsigned long long *out, int count)
{
    unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = 0x9e3779b97f4a7c15ull;
    for (int k = 0; k < count; k++) {
        unsigned long long high = __umul64hi(x, y);
        x = x * y ^ high;
        y += 0xbf58476d1ce4e5b9ull ^ x >> 31;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void add_big(unsigned *out, const unsigned *a, const unsigned *b, int words, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long carry = 0;
    for (int k = 0; k < words; k++) {
        carry += (unsigned long long)a[k * n + i] + b[k * n + i];
        out[k * n + i] = (unsigned)carry;
        carry >>= 32;
    }
}

__global__ void bits(int *out, const unsigned *in, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    unsigned x = in[i];
    for (int k = 0; k < count; k++) {
        sum += __popc(x) + __clz(x) + __ffs(x) + (__brev(x) & 7);
        x = __byte_perm(x, sum, 0x2140) * 17 + k;
    }
    out[i] = sum;
}

__global__ void dot_bytes(int *out, const int *a, const int *b, int depth)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y, sum = 0;
    for (int k = 0; k < depth; k++)
        sum = __dp4a(a[row * depth + k], b[k * gridDim.x * blockDim.x + column], sum);
    out[row * gridDim.x * blockDim.x + column] = sum;
}

/* The checks of messages, one byte at a time, table in global memory. */
__global__ void crc(unsigned *out, const unsigned char *text, const unsigned *table, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = ~0u;
    for (int k = 0; k < length; k++)
        sum = sum >> 8 ^ table[(sum ^ text[i * length + k]) & 255];
    out[i] = sum;
}

int main()
{
    const int n = 1 << 16;
    int *in = integers(8 * n, 1u << 31), *out = zeros<int>(16 * n);
    unsigned *words = (unsigned *)in, *table = (unsigned *)integers(256, 1u << 31),
             *result = (unsigned *)out;
    long long *wide = (long long *)out;
    TWICE(digest<<<66, 64>>>(result, words, 2));
    TWICE(digest<<<4, 256>>>(result, words, 4));
    TWICE(chacha<<<133, 128>>>((uint4 *)out, 77, 20));
    TWICE(chacha<<<256, 64>>>((uint4 *)out, 77, 8));
    TWICE(boxes<<<128, 128>>>(result, words, table, 20));
    TWICE(boxes_global<<<128, 128>>>(result, words, table, 20));
    TWICE(divide<int><<<132, 128>>>(out, in, 7, 16));
    TWICE(divide<long long><<<66, 64>>>(wide, (long long *)in, 7, 8));
    TWICE(common_divisor<<<128, 128>>>(out, in, n));
    TWICE(fermat<<<32, 64>>>(out, 1000001));
    TWICE(trial<<<64, 128>>>(out, 100001));
    TWICE(sieve<<<64, 128, 8192>>>((unsigned char *)out, 725));
    TWICE(wide_hash<<<264, 128>>>((unsigned long long *)out, 32));
    TWICE(add_big<<<128, 128>>>(result, words, words + 4 * n, 16, 16384));
    TWICE(bits<<<256, 256>>>(out, words, 16));
    TWICE(dot_bytes<<<dim3(2, 128), 128>>>(out, in, in + n, 64));
    TWICE(crc<<<64, 128>>>(result, (unsigned char *)in, table, 64));
    return 0;
}
