// The kernels of kernels.cu in OpenCL C, for Oclgrind and PoCL. They are the same word for word where the
// languages allow it. OpenCL C has no shuffles here; shuffle_sum adds up in local memory instead.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define BLOCKS     32
#define THREADS    256
#define TILE       16
#define SQUARE     32
#define BINS       256
#define MOST_STEPS 1000

kernel void sumsq_chunks(global const int *data, global const int *unused, global int *block_sums, int n)
{
    int threads = BLOCKS * THREADS, each = (n + threads - 1) / threads;
    int first = get_global_id(0) * each, sum = 0;
    for (int i = first; i < first + each && i < n; i++)
        sum += data[i] * data[i];
    atomic_add(&block_sums[get_group_id(0)], sum);
}

kernel void sumsq(global const int *data, global const int *unused, global int *block_sums, int n)
{
    local int sums[THREADS];
    int t = get_local_id(0);
    int sum = 0;
    for (int i = get_global_id(0); i < n; i += BLOCKS * THREADS)
        sum += data[i] * data[i];
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = THREADS / 2; half_size > 0; half_size /= 2) {
        if (t < half_size)
            sums[t] += sums[t + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        block_sums[get_group_id(0)] = sums[0];
}

kernel void shuffle_sum(global const int *data, global const int *unused, global int *block_sums, int n)
{
    local int values[THREADS];
    int t = get_local_id(0), sum = 0;
    for (int i = get_global_id(0); i < n; i += BLOCKS * THREADS) {
        values[t] = data[i] * data[i];
        for (int step = 16; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (t % 32 < step)
                values[t] += values[t + step];
        }
        sum += values[t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    values[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        for (int w = 1; w < THREADS / 32; w++)
            sum += values[32 * w];
        block_sums[get_group_id(0)] = sum;
    }
}

kernel void matmul_naive(global const float *a, global const float *b, global float *c, int n)
{
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int row = get_group_id(1) * TILE + y, column = get_group_id(0) * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[y][x] = a[row * n + k + x];
        b_tile[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#define TRANSPOSE(name, pad)                                                                       \
    kernel void name(global const float *from, global const float *unused, global float *to, int n) \
    {                                                                                              \
        local float tile[SQUARE][SQUARE + pad];                                                    \
        int tx = get_local_id(0), ty = get_local_id(1);                                            \
        int x = get_group_id(0) * SQUARE + tx, y = get_group_id(1) * SQUARE + ty;                  \
        for (int i = 0; i < SQUARE; i += 8)                                                        \
            tile[ty + i][tx] = from[(y + i) * n + x];                                              \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        x = get_group_id(1) * SQUARE + tx;                                                         \
        y = get_group_id(0) * SQUARE + ty;                                                         \
        for (int i = 0; i < SQUARE; i += 8)                                                        \
            to[(y + i) * n + x] = tile[tx][ty + i];                                                \
    }
TRANSPOSE(transpose_conflicts, 0)
TRANSPOSE(transpose, 1)

kernel void jacobi(global const double *from, global const double *unused, global double *to, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        to[y * n + x] = 0.25 * (from[y * n + x - 1] + from[y * n + x + 1] + from[(y - 1) * n + x] +
                                from[(y + 1) * n + x]);
}

kernel void texture(read_only image2d_t image, global const float *unused, global float *to, int n)
{
    const sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int x = get_global_id(0), y = get_global_id(1);
    to[y * n + x] = 0.25f * (read_imagef(image, nearest, (int2)(x - 1, y)).x +
                             read_imagef(image, nearest, (int2)(x + 1, y)).x +
                             read_imagef(image, nearest, (int2)(x, y - 1)).x +
                             read_imagef(image, nearest, (int2)(x, y + 1)).x);
}

kernel void histogram(global const int *data, global const int *unused, global int *bins, int n)
{
    local int counts[BINS];
    int t = get_local_id(0);
    counts[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += BLOCKS * THREADS)
        atomic_add(&counts[data[i] % BINS], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[t], counts[t]);
}

kernel void divergent(global const int *unused, global const int *unused_too, global int *steps, int n)
{
    int i = get_global_id(0);
    unsigned value = i + 1;
    int count = 0;
    while (value != 1 && count < MOST_STEPS) {
        if (value % 2)
            value = 3 * value + 1;
        else
            value /= 2;
        count++;
    }
    if (i < n)
        steps[i] = count;
}
