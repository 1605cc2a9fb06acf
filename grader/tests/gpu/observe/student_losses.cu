/* What students lose time by, each beside the same work done well: see losses.cu for how a comment says what
 * must be found, and on which line. */
#include <cstdio>

#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

/* --- order ---------------------------------------------------------------------------------------- */

// fine
__global__ void backwards(const float *a, float *out, int n)
{
    out[INDEX] = a[n - 1 - INDEX];
}

// uncoalesced-load: lanes read neighbouring words, backwards, starting 24 bytes into a sector
__global__ void backwards_shifted(const float *a, float *out, int n)
{
    out[INDEX] = a[n - 3 - INDEX]; // here
}

// fine
__global__ void bits_turned(const float *a, float *out)
{
    out[INDEX] = a[(INDEX & ~31) | __brev(INDEX) >> 27];
}

// uncoalesced-load: lanes read 28 bytes apart, repeating the same words every 16 lanes (modulo 16)
__global__ void modulo_16(const float *a, float *out)
{
    out[INDEX] = a[INDEX % 16 * 7]; // here
}

// fine
__global__ void modulo_10(const float *a, float *out)
{
    out[INDEX] = a[INDEX % 10];
}

// uncoalesced-load: lanes read 52 bytes apart, wrapping after 400 bytes (modulo 100 elements)
__global__ void hashed(const float *a, float *out)
{
    out[INDEX] = a[INDEX * 13 % 100]; // here
}

// uncoalesced-load: groups of 2 lanes read the same word, 64 bytes from group to group
__global__ void pairs_far(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 2 * 16]; // here
}

// fine
__global__ void pairs(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 2];
}

// uncoalesced-load: rows of 5 lanes read neighbouring words, 256 bytes from row to row
__global__ void rows_of_5(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 5 * 64 + INDEX % 5]; // here
}

// uncoalesced-load: only one lane in 2 reads its word
__global__ void odd_ones(const float *a, float *out)
{
    if (INDEX & 1)
        out[INDEX / 2] = a[INDEX]; // here
}

/* --- types ---------------------------------------------------------------------------------------- */

// uncoalesced-load: each lane reads 16 of every 48 bytes (stride 3 elements)
__global__ void int4_by_3(const int4 *a, int4 *out)
{
    out[INDEX] = a[INDEX * 3]; // here
}

// fine
__global__ void int4_by_1(const int4 *a, int4 *out)
{
    out[INDEX] = a[INDEX];
}

// uncoalesced-load: each lane reads 8 of every 56 bytes (stride 7 elements)
__global__ void double_by_7(const double *a, double *out)
{
    out[INDEX] = a[INDEX * 7]; // here
}

// uncoalesced-store: each lane writes 1 of every 8 bytes (stride 8 elements)
__global__ void char_by_8(const char *a, char *out)
{
    out[INDEX * 8] = a[INDEX]; // here
}

// uncoalesced-load: lanes read neighbouring words, starting 1 byte into a sector
__global__ void char_shifted(const char *a, char *out)
{
    out[INDEX] = a[INDEX + 1]; // here
}

// uncoalesced-load: each lane reads 2 of every 10 bytes (stride 5 elements)
__global__ void short_by_5(const short *a, short *out)
{
    out[INDEX] = a[INDEX * 5]; // here
}

struct pixel {
    double depth;
    int id;
};

// uncoalesced-load: each lane reads 8 of every 16 bytes (stride 2 elements)
__global__ void member_of_16(const pixel *p, double *out)
{
    out[INDEX] = p[INDEX].depth; // here
}

/* --- windows: whichever way they lie, some loads begin within a sector ------------------------------ */

// fine
__global__ void window_by_lines(const float *a, float *out)
{
    int i = INDEX;
    float left = a[i];
    float middle = a[i + 1];
    float right = a[i + 2];
    out[i] = left + middle + right;
}

// fine
__global__ void window_by_loop(const float *a, const float *weight, int reach, float *out)
{
    float sum = 0;
    for (int k = 0; k <= 2 * reach; k++)
        sum += a[INDEX + k] * weight[k];
    out[INDEX] = sum;
}

/* --- the same words again --------------------------------------------------------------------------- */

// redundant-load: a warp loads the same words 40 times in a row
__global__ void coefficient_again(const float *a, float *out, int n)
{
    for (int k = 0; k < n; k++)
        out[k * 8192 + INDEX] = a[0] * k; // here
}

// fine
__global__ void coefficient_once(const float *a, float *out, int n)
{
    float c = a[0];
    for (int k = 0; k < n; k++)
        out[k * 8192 + INDEX] = c * k;
}

// redundant-load: a warp loads the same words 16 times in a row
__global__ void again_unrolled(const float *a, float *out)
{
#pragma unroll
    for (int k = 0; k < 16; k++)
        out[k * 8192 + INDEX] = a[INDEX] * k; // here
}

// redundant-load: a warp loads the same words 20 times in a row
__global__ void again_between_barriers(const float *a, const float *c, float *out, int n)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        s[t] = a[k * 256 + t];
        __syncthreads();
        sum += s[255 - t] * c[t]; // here
        __syncthreads();
    }
    out[t] = sum;
}

/* What is loaded again is new each time. */
// fine
__global__ void steps_in_place(float *a, int n)
{
    int at = (threadIdx.y + 1) * 256 + threadIdx.x;
    for (int k = 0; k < n; k++) {
        float sum = a[at - 256] + a[at + 256];
        __syncthreads();
        a[at] = sum;
        __syncthreads();
    }
}

/* --- branches ----------------------------------------------------------------------------------------- */

__device__ __noinline__ float sines(float x)
{
    for (int k = 0; k < 20; k++)
        x = __sinf(x) + 1;
    return x;
}

__device__ __noinline__ float cosines(float x)
{
    for (int k = 0; k < 20; k++)
        x = __cosf(x) + 1;
    return x;
}

// divergent-branch: 16.
__global__ void calls_by_lane(float *a)
{
    float x = a[INDEX];
    a[INDEX] = threadIdx.x & 1 ? sines(x) : cosines(x); // here
}

// fine
__global__ void calls_by_warp(float *a)
{
    float x = a[INDEX];
    a[INDEX] = threadIdx.x & 32 ? sines(x) : cosines(x);
}

// divergent-branch: 5.4 of 32 lanes work on average until they reconverge
__global__ void mask_tree_of_256(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    for (int off = 1; off < 256; off *= 2) {
        __syncthreads();
        if (t % (2 * off) == 0) // here
            s[t] += s[t + off];
    }
    if (t == 0)
        a[0] = s[0];
}

// fine
__global__ void tree_unrolled(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
#pragma unroll
    for (int off = 128; off > 0; off /= 2) {
        __syncthreads();
        if (t < off)
            s[t] += s[t + off];
    }
    if (t == 0)
        a[0] = s[0];
}

/* A warp goes round as often as its slowest lane, and few of its rounds lose a lane. */
// divergent-branch: lanes work on average
__global__ void rounds_by_lane(float *a)
{
    float x = a[INDEX];
    int left = (threadIdx.x % 32) * 40;
    while (left-- > 0) // here
        x = x * 0.5f + 1.0f / (x + 2);
    a[INDEX] = x;
}

// fine
__global__ void rounds_by_warp(float *a)
{
    float x = a[INDEX];
    int left = (threadIdx.x / 32) * 40;
    while (left-- > 0)
        x = x * 0.5f + 1.0f / (x + 2);
    a[INDEX] = x;
}

/* --- shared memory ------------------------------------------------------------------------------------ */

// bank-conflict: (stride 16 words in rows of 16 lanes)
__global__ void tile_of_16(float *a)
{
    __shared__ float s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 16 + x];
    __syncthreads();
    a[y * 16 + x] = s[x][y]; // here
}

// bank-conflict: lanes 0, 8, 16, ... read words 0, 288, 576, ...: all in bank 0 (stride 36 words)
__global__ void padded_by_4(float *a)
{
    __shared__ float s[32][36];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 32 + x];
    __syncthreads();
    a[y * 32 + x] = s[x][y]; // here
}

// fine
__global__ void doubles_padded(double *a)
{
    __shared__ double s[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 32 + x];
    __syncthreads();
    a[y * 32 + x] = s[x][y];
}

// bank-conflict: (4 lanes per word, 32 words apart)
__global__ void four_lanes_a_bank(float *a)
{
    __shared__ float s[2048];
    int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    a[t] = s[t / 4 * 32]; // here
}

// fine
__global__ void all_lanes_a_word(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += s[k];
    a[t] = sum;
}

/* --- occupancy ------------------------------------------------------------------------------------------ */

// low-occupancy: 32 of 64 warps fit at once, limited by blocks
__global__ void blocks_of_a_warp(float *a) // here
{
    a[INDEX] *= 2;
}

// fine
__global__ void blocks_of_8_warps(float *a)
{
    a[INDEX] *= 2;
}

/* --- where it is ------------------------------------------------------------------------------------------ */

struct by_nine {
    const float *a;
    __device__ float operator()(int i) const
    {
        return a[i * 9]; // here
    }
};

// uncoalesced-load: (stride 9 elements)
__global__ void by_functor(by_nine f, float *out)
{
    out[INDEX] = f(INDEX);
}

// uncoalesced-load: (stride 11 elements)
__global__ void by_lambda(const float *a, float *out)
{
    auto get = [a](int i) {
        return a[i * 11]; // here
    };
    out[INDEX] = get(INDEX);
}

// clang-format off
// uncoalesced-load: (stride 5 elements)
__global__ void in_one_line(const float *a, float *out) { out[INDEX] = a[INDEX * 5]; } // here
// clang-format on

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    backwards<<<32, 256>>>(a, out, 8192);
    backwards_shifted<<<32, 256>>>(a, out, 8232);
    bits_turned<<<32, 256>>>(a, out);
    modulo_16<<<32, 256>>>(a, out);
    modulo_10<<<32, 256>>>(a, out);
    hashed<<<1, 32>>>(a, out); /* of the first warp, so that its order is known */
    hashed<<<32, 32>>>(a, out);
    pairs_far<<<32, 256>>>(a, out);
    pairs<<<32, 256>>>(a, out);
    rows_of_5<<<32, 256>>>(a, out);
    odd_ones<<<32, 256>>>(a, out);
    int4_by_3<<<32, 256>>>((int4 *)a, (int4 *)out);
    int4_by_1<<<32, 256>>>((int4 *)a, (int4 *)out);
    double_by_7<<<32, 256>>>((double *)a, (double *)out);
    char_by_8<<<32, 256>>>((char *)a, (char *)out);
    char_shifted<<<32, 256>>>((char *)a, (char *)out);
    short_by_5<<<32, 256>>>((short *)a, (short *)out);
    member_of_16<<<32, 256>>>((pixel *)a, (double *)out);
    window_by_lines<<<32, 256>>>(a, out);
    window_by_loop<<<32, 256>>>(a, a, 3, out);
    coefficient_again<<<32, 256>>>(a, out, 40);
    coefficient_once<<<32, 256>>>(a, out, 40);
    again_unrolled<<<32, 256>>>(a, out);
    again_between_barriers<<<8, 256>>>(a, a + 8192, out, 20);
    steps_in_place<<<1, dim3(32, 1)>>>(a, 20);
    calls_by_lane<<<32, 256>>>(a);
    calls_by_warp<<<32, 256>>>(a);
    mask_tree_of_256<<<32, 256>>>(a);
    tree_unrolled<<<32, 256>>>(a);
    rounds_by_lane<<<32, 256>>>(a);
    rounds_by_warp<<<32, 256>>>(a);
    tile_of_16<<<1, dim3(16, 16)>>>(a);
    padded_by_4<<<1, dim3(32, 32)>>>(a);
    doubles_padded<<<1, dim3(32, 32)>>>((double *)a);
    four_lanes_a_bank<<<1, 256>>>(a);
    all_lanes_a_word<<<1, 256>>>(a);
    blocks_of_a_warp<<<200, 32>>>(a);
    blocks_of_8_warps<<<200, 256>>>(a);
    by_functor<<<32, 256>>>(by_nine{a}, out);
    by_lambda<<<32, 256>>>(a, out);
    in_one_line<<<32, 256>>>(a, out);
    return cudaDeviceSynchronize();
}
