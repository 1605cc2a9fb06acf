/* Long vectors: what the memory gives, with neighbours, strides and random places. */
#include "expect.cuh"

#define N      (1 << 24)
#define FACTOR 3.0f

/* As the triad of STREAM, SHOC and BabelStream. */
static __global__ void triad(float *a, const float *b, const float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + FACTOR * c[i];
}

static __global__ void triad_by_four(float4 *a, const float4 *b, const float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float4 x = b[i], y = c[i];
    a[i] =
        make_float4(x.x + FACTOR * y.x, x.y + FACTOR * y.y, x.z + FACTOR * y.z, x.w + FACTOR * y.w);
}

static __global__ void triad_in_strides(float *a, const float *b, const float *c, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] = b[i] + FACTOR * c[i];
}

static __global__ void scale_every(float *out, const float *in, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[(size_t)i * stride] = FACTOR * in[(size_t)i * stride];
}

static __global__ void gather(float *out, const float *in, const int *where, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[where[i]];
}

static void expect_triad(float *a, const std::vector<float> &b, const std::vector<float> &c, int n)
{
    std::vector<float> sums = fetched(a, n);
    for (int i = 0; i < n; i += n / 97 + 1)
        EXPECT(near(sums[i], b[i] + FACTOR * c[i]));
    EXPECT(near(sums[n - 1], b[n - 1] + FACTOR * c[n - 1]));
    clear(a, n);
}

int main()
{
    const int small = 1 << 20;
    float *a = zeros<float>(N), *b = fractions<float>(N), *c = fractions<float>(N);
    std::vector<float> host_b = fetched(b, N), host_c = fetched(c, N);

    TWICE(triad<<<blocks(1000, 128), 128>>>(a, b, c, 1000));
    expect_triad(a, host_b, host_c, 1000);
    TWICE(triad<<<small / 256, 256>>>(a, b, c, small));
    expect_triad(a, host_b, host_c, small);
    TWICE(triad<<<N / 256, 256>>>(a, b, c, N));
    expect_triad(a, host_b, host_c, N);
    TWICE(triad_by_four<<<small / 1024, 256>>>((float4 *)a, (float4 *)b, (float4 *)c, small / 4));
    expect_triad(a, host_b, host_c, small);
    TWICE(triad_by_four<<<N / 1024, 256>>>((float4 *)a, (float4 *)b, (float4 *)c, N / 4));
    expect_triad(a, host_b, host_c, N);
    TWICE(triad_in_strides<<<1, 1>>>(a, b, c, 4096));
    expect_triad(a, host_b, host_c, 4096);
    TWICE(triad_in_strides<<<1, 256>>>(a, b, c, small));
    expect_triad(a, host_b, host_c, small);
    TWICE(triad_in_strides<<<32, 256>>>(a, b, c, small));
    expect_triad(a, host_b, host_c, small);
    TWICE(triad_in_strides<<<1056, 256>>>(a, b, c, N));
    expect_triad(a, host_b, host_c, N);

    for (int stride : {2, 5, 16}) {
        TWICE(scale_every<<<small / 256, 256>>>(a, b, stride, small));
        std::vector<float> scaled = fetched(a, N);
        for (size_t i = 0; i < small; i += 9973)
            EXPECT(near(scaled[i * stride], FACTOR * host_b[i * stride]));
        clear(a, N);
    }

    for (int range : {N, 1 << 13}) {
        int *where = integers(small, range);
        TWICE(gather<<<small / 256, 256>>>(a, b, where, small));
        std::vector<float> found = fetched(a, small);
        for (int i = 0; i < small; i += 9973)
            EXPECT(found[i] == host_b[scrambled(i) % range]);
        clear(a, small);
    }
    return 0;
}
