/* Kernels that waste, and twins that do not, for test_losses.c. The line above a kernel says what is
 * expected: an id and a part of its cause, or "fine". The line to be found is marked. */
#include <cstdio>

#define N (1 << 20)

// uncoalesced-load: (stride 2 elements)
__global__ void stride_2(const float *a, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[2 * threadIdx.x]; // here
}

// uncoalesced-load: (stride 7 elements)
__global__ void stride_7(const float *a, float *out)
{
    out[threadIdx.x] = a[7 * threadIdx.x]; // here
}

// uncoalesced-load: (stride 33 elements)
__global__ void stride_33(const float *a, float *out)
{
    out[threadIdx.x] = a[33 * threadIdx.x]; // here
}

// fine
__global__ void stride_1(const float *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x];
}

struct vector3 {
    float x, y, z;
};

// uncoalesced-load: 4 of every 12 bytes
__global__ void member_of_12(const vector3 *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x].y; // here
}

struct particle {
    float x, y, z, m, vx, vy, vz, q;
};

// uncoalesced-store: 4 of every 32 bytes
__global__ void member_of_32(particle *a)
{
    a[threadIdx.x].m = 1; // here
}

// fine
__global__ void member_of_its_own(float *m)
{
    m[threadIdx.x] = 1;
}

// uncoalesced-load: starting 4 bytes into a sector
__global__ void shifted(const float *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x + 1]; // here
}

// fine
__global__ void stencil(const float *a, float *out)
{
    unsigned i = threadIdx.x + 32;
    out[i] = a[i - 1] + a[i] + a[i + 1];
}

// uncoalesced-load: neighbouring lanes read 1024 bytes apart (stride 256 elements)
__global__ void transpose_by_columns(const float *a, float *out)
{
    out[threadIdx.y * 256 + threadIdx.x] = a[threadIdx.x * 256 + threadIdx.y]; // here
}

// uncoalesced-store: neighbouring lanes write 1024 bytes apart (stride 256 elements)
__global__ void transpose_by_rows(const float *a, float *out)
{
    out[threadIdx.x * 256 + threadIdx.y] = a[threadIdx.y * 256 + threadIdx.x]; // here
}

// bank-conflict: (stride 32 words)
__global__ void transpose_by_tile(const float *a, float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 256 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 256 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // here
}

// fine
__global__ void transpose_by_padded_tile(const float *a, float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 256 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 256 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// bank-conflict: lanes 0, 4, 8, ... read words 0, 32, 64, ...: all in bank 0 (stride 8 words)
__global__ void index_tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 1; off < 256; off *= 2) {
        if (2 * off * t < 256)
            s[2 * off * t] += s[2 * off * t + off]; // here
        __syncthreads();
    }
    a[t] = s[0];
}

// divergent-branch: lanes work on average
__global__ void mask_tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 1; off < 256; off *= 2) {
        if (t % (2 * off) == 0) // here
            s[t] += s[t + off];
        __syncthreads();
    }
    a[t] = s[0];
}

// fine
__global__ void tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 128; off > 0; off /= 2) {
        if (t < off)
            s[t] += s[t + off];
        __syncthreads();
    }
    if (t == 0)
        a[0] = s[0];
}

#define TWICE(x) ((x) + (x))

// uncoalesced-load: (stride 4 elements)
__global__ void by_macro(const float *a, float *out)
{
    out[threadIdx.x] = TWICE(a[4 * threadIdx.x]); // here
}

__device__ inline float element(const float *a, int step)
{
    return a[step * threadIdx.x]; // here
}

// uncoalesced-load: (stride 5 elements)
__global__ void by_function(const float *a, float *out)
{
    out[threadIdx.x] = element(a, 5);
}

// fine
__global__ void ragged(float *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] *= 2;
}

// fine
__global__ void stores_again(volatile float *a, int n)
{
    for (int i = 0; i < n; i++)
        a[threadIdx.x] = i;
}

// redundant-load: a warp loads the same words
__global__ void loads_again(const float *a, int n, float *out)
{
    for (int i = 0; i < n; i++)
        out[256 * i + threadIdx.x] = a[threadIdx.x]; // here
}

/* Only the first and the last lane do. */
// fine
__global__ void loads_others(const float *a, int n, float *out)
{
    int lane = threadIdx.x % 32;
    for (int i = 0; i < n; i++)
        out[256 * i + threadIdx.x] = a[lane == 0 || lane == 31 ? lane : (lane - 1 + i) % 30 + 1];
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    stride_2<<<4, 256>>>(a, out);
    stride_7<<<1, 256>>>(a, out);
    stride_33<<<1, 256>>>(a, out);
    stride_1<<<1, 256>>>(a, out);
    member_of_12<<<1, 256>>>((vector3 *)a, out);
    member_of_32<<<1, 256>>>((particle *)a);
    member_of_its_own<<<1, 256>>>(a);
    shifted<<<1, 256>>>(a, out);
    stencil<<<1, 256>>>(a, out);
    transpose_by_columns<<<1, dim3(32, 32)>>>(a, out);
    transpose_by_rows<<<1, dim3(32, 32)>>>(a, out);
    transpose_by_tile<<<1, dim3(32, 32)>>>(a, out);
    transpose_by_padded_tile<<<1, dim3(32, 32)>>>(a, out);
    index_tree<<<8, 256>>>(a);
    mask_tree<<<8, 256>>>(a);
    tree<<<8, 256>>>(a);
    by_macro<<<1, 256>>>(a, out);
    by_function<<<1, 256>>>(a, out);
    ragged<<<8, 256>>>(a, 10007);
    stores_again<<<1, 256>>>(a, 20);
    loads_again<<<1, 256>>>(a, 29, out);
    loads_others<<<1, 256>>>(a, 29, out);
    return cudaDeviceSynchronize();
}
