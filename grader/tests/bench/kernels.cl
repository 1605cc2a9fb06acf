// The kernels of sumsq.cu and matmul.cu in OpenCL C, word for word where the languages allow, for
// running them under Oclgrind.

#define BLOCKS  32
#define THREADS 256
#define TILE    16

kernel void sumsq(global const int *data, int n, global int *block_sums)
{
    local int sums[THREADS];
    int t = get_local_id(0);
    int sum = 0;
    for (int i = get_group_id(0) * THREADS + t; i < n; i += BLOCKS * THREADS)
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
