/* Accesses at addresses that are not a multiple of their width. */
#include "tests/gpu/observe/planted/memory.cuh"

// misaligned
__global__ void float4_one_float_behind(int *a, int n)
{
    float4 v = *(float4 *)(a + 1 + 4 * threadIdx.x); // B
    a[threadIdx.x] = (int)(v.x + v.y + v.z + v.w);
}

// fine
__global__ void float4_four_floats_behind(int *a, int n)
{
    float4 v = *(float4 *)(a + 4 + 4 * threadIdx.x);
    if (v.x + v.y + v.z + v.w == 0.5f)
        a[threadIdx.x] = 0;
}

// misaligned
__global__ void double_at_an_odd_int(int *a, int n)
{
    *(double *)(a + 2 * threadIdx.x + 1) = n; // B
}

// misaligned
__global__ void int_at_a_byte(int *a, int n)
{
    *(int *)((char *)a + 4 * threadIdx.x + 1) = n; // B
}

// fine
__global__ void int_at_a_fourth_byte(int *a, int n)
{
    *(int *)((char *)a + 4 * threadIdx.x + 4) = n;
}

// misaligned
__global__ void rows_of_odd_width(int *a, int n)
{
    int row = threadIdx.x, width = 25;
    ((int2 *)(a + row * width))[0] = make_int2(row, n); // B
}

// fine
__global__ void rows_of_even_width(int *a, int n)
{
    int row = threadIdx.x, width = 26;
    ((int2 *)(a + row * width))[0] = make_int2(row, n);
}

// misaligned
__global__ void shared_pair_at_an_odd_int(int *a, int n)
{
    __shared__ int s[100];
    s[threadIdx.x] = s[threadIdx.x + 32] = n;
    __syncthreads();
    int2 v = *(int2 *)&s[threadIdx.x + 1]; // B
    a[threadIdx.x] = v.x + v.y;
}

int main()
{
    LAUNCH(float4_one_float_behind, 1, 32);
    LAUNCH(float4_four_floats_behind, 1, 32);
    LAUNCH(double_at_an_odd_int, 1, 32);
    LAUNCH(int_at_a_byte, 1, 32);
    LAUNCH(int_at_a_fourth_byte, 1, 32);
    LAUNCH(rows_of_odd_width, 1, 32);
    LAUNCH(rows_of_even_width, 1, 32);
    LAUNCH(shared_pair_at_an_odd_int, 1, 64);
}
