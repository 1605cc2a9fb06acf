/* Loads by which a warp reads more sectors than its words need. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

/* --- strides -------------------------------------------------------------------------------- */

struct body {
    float x, y, mass;
};

// uncoalesced-load: accesses the other bytes, like fields of structures
__global__ void structures(const body *a, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i].x;       // B
    float mass = a[i].mass; // C
    out[i] = x * mass;
}

// uncoalesced-load: (stride 2 elements)
__global__ void stride_2(const float *a, float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = a[2 * threadIdx.x]; // B
}

// uncoalesced-load: (stride 7 elements)
__global__ void stride_7(const float *a, float *out)
{
    out[threadIdx.x] = a[7 * threadIdx.x]; // B
}

// uncoalesced-load: (stride 33 elements)
__global__ void stride_33(const float *a, float *out)
{
    out[threadIdx.x] = a[33 * threadIdx.x]; // B
}

// fine
__global__ void stride_1(const float *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x];
}

// uncoalesced-load: neighbouring lanes read words 1024 bytes apart (stride 256 elements)
__global__ void transpose_by_columns(const float *a, float *out)
{
    out[threadIdx.y * 256 + threadIdx.x] = a[threadIdx.x * 256 + threadIdx.y]; // B
}

// fine
__global__ void ragged(float *a, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        a[i] *= 2;
}

/* --- order ---------------------------------------------------------------------------------- */

// fine
__global__ void backwards(const float *a, float *out, int n)
{
    out[INDEX] = a[n - 1 - INDEX];
}

// uncoalesced-load: lanes read neighbouring words, backwards, starting 24 bytes into a sector
__global__ void backwards_shifted(const float *a, float *out, int n)
{
    out[INDEX] = a[n - 3 - INDEX]; // B
}

// fine
__global__ void bits_turned(const float *a, float *out)
{
    out[INDEX] = a[(INDEX & ~31) | __brev(INDEX) >> 27];
}

// uncoalesced-load: lanes read words 28 bytes apart; after 16 lanes the same words repeat (modulo 16)
__global__ void modulo_16(const float *a, float *out)
{
    out[INDEX] = a[INDEX % 16 * 7]; // B
}

// fine
__global__ void modulo_10(const float *a, float *out)
{
    out[INDEX] = a[INDEX % 10];
}

// uncoalesced-load: lanes read words 52 bytes apart, beginning again after 400 bytes (modulo 100 elements)
__global__ void hashed(const float *a, float *out)
{
    out[INDEX] = a[INDEX * 13 % 100]; // B
}

// uncoalesced-load: each group of 2 lanes reads the same word; the next group's word is 64 bytes away
__global__ void pairs_far(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 2 * 16]; // B
}

// fine
__global__ void pairs(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 2];
}

// uncoalesced-load: each group of 5 lanes reads neighbouring words; the next group is 256 bytes away
__global__ void rows_of_5(const float *a, float *out)
{
    out[INDEX] = a[INDEX / 5 * 64 + INDEX % 5]; // B
}

// uncoalesced-load: only one lane in 2 reads its word
__global__ void odd_ones(const float *a, float *out)
{
    if (INDEX & 1)
        out[INDEX / 2] = a[INDEX]; // B
}

/* --- types ---------------------------------------------------------------------------------- */

struct vector3 {
    float x, y, z;
};

// uncoalesced-load: 4 of every 12 bytes
__global__ void member_of_12(const vector3 *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x].y; // B
}

// uncoalesced-load: each lane reads 16 of every 48 bytes (stride 3 elements)
__global__ void int4_by_3(const int4 *a, int4 *out)
{
    out[INDEX] = a[INDEX * 3]; // B
}

// fine
__global__ void int4_by_1(const int4 *a, int4 *out)
{
    out[INDEX] = a[INDEX];
}

// uncoalesced-load: each lane reads 8 of every 56 bytes (stride 7 elements)
__global__ void double_by_7(const double *a, double *out)
{
    out[INDEX] = a[INDEX * 7]; // B
}

// uncoalesced-load: lanes read neighbouring words, starting 1 byte into a sector
__global__ void char_shifted(const char *a, char *out)
{
    out[INDEX] = a[INDEX + 1]; // B
}

// uncoalesced-load: each lane reads 2 of every 10 bytes (stride 5 elements)
__global__ void short_by_5(const short *a, short *out)
{
    out[INDEX] = a[INDEX * 5]; // B
}

struct pixel {
    double depth;
    int id;
};

// uncoalesced-load: each lane reads 8 of every 16 bytes (stride 2 elements)
__global__ void member_of_16(const pixel *p, double *out)
{
    out[INDEX] = p[INDEX].depth; // B
}

/* --- windows: some loads begin within a sector, and no layout changes that ------------------ */

// uncoalesced-load: starting 4 bytes into a sector
__global__ void shifted(const float *a, float *out)
{
    out[threadIdx.x] = a[threadIdx.x + 1]; // B
}

// fine
__global__ void stencil(const float *a, float *out)
{
    unsigned i = threadIdx.x + 32;
    out[i] = a[i - 1] + a[i] + a[i + 1];
}

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

/* --- the line that is named ----------------------------------------------------------------- */

#define TWICE(x) ((x) + (x))

// uncoalesced-load: (stride 4 elements)
__global__ void by_macro(const float *a, float *out)
{
    out[threadIdx.x] = TWICE(a[4 * threadIdx.x]); // B
}

__device__ inline float element(const float *a, int step)
{
    return a[step * threadIdx.x]; // B of by_function
}

// uncoalesced-load: (stride 5 elements)
__global__ void by_function(const float *a, float *out)
{
    out[threadIdx.x] = element(a, 5);
}

struct by_nine {
    const float *a;
    __device__ float operator()(int i) const
    {
        return a[i * 9]; // B of by_functor
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
        return a[i * 11]; // B
    };
    out[INDEX] = get(INDEX);
}

// clang-format off

// uncoalesced-load: (stride 5 elements)
__global__ void in_one_line(const float *a, float *out) { out[INDEX] = a[INDEX * 5]; } // B

// clang-format on

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    structures<<<1, 256>>>((body *)a, out);
    stride_2<<<4, 256>>>(a, out);
    stride_7<<<1, 256>>>(a, out);
    stride_33<<<1, 256>>>(a, out);
    stride_1<<<1, 256>>>(a, out);
    transpose_by_columns<<<1, dim3(32, 32)>>>(a, out);
    ragged<<<8, 256>>>(a, 10007);
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
    member_of_12<<<1, 256>>>((vector3 *)a, out);
    int4_by_3<<<32, 256>>>((int4 *)a, (int4 *)out);
    int4_by_1<<<32, 256>>>((int4 *)a, (int4 *)out);
    double_by_7<<<32, 256>>>((double *)a, (double *)out);
    char_shifted<<<32, 256>>>((char *)a, (char *)out);
    short_by_5<<<32, 256>>>((short *)a, (short *)out);
    member_of_16<<<32, 256>>>((pixel *)a, (double *)out);
    shifted<<<1, 256>>>(a, out);
    stencil<<<1, 256>>>(a, out);
    window_by_lines<<<32, 256>>>(a, out);
    window_by_loop<<<32, 256>>>(a, a, 3, out);
    by_macro<<<1, 256>>>(a, out);
    by_function<<<1, 256>>>(a, out);
    by_functor<<<32, 256>>>(by_nine{a}, out);
    by_lambda<<<32, 256>>>(a, out);
    in_one_line<<<32, 256>>>(a, out);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
