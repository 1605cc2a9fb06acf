/* Races in shared memory around bulk copies and ldmatrix. */
#include "tests/support/bulk.cuh"
#include "tests/support/kernel_rows.cuh"

#define THREADS 128

// fine
__global__ void bulk_right(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        bulk_copy(s, g, sizeof s, &full);
    }
    __syncthreads();
    bulk_wait(&full, 0);
    g[WORDS / 2 + t] = s[THREADS - 1 - t];
}

// race-shared
__global__ void bulk_not_waited_for(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full, 1);
        bulk_announce(&full, sizeof s);
        bulk_copy(s, g, sizeof s, &full); // A
    }
    __syncthreads();
    g[WORDS / 2 + t] = s[THREADS - 1 - t]; // B
}

// race-shared
__global__ void bulk_over_what_is_read(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full[2];
    int t = threadIdx.x;
    if (t == 0) {
        bulk_init(&full[0], 1);
        bulk_init(&full[1], 1);
        bulk_announce(&full[0], sizeof s);
        bulk_copy(s, g, sizeof s, &full[0]);
    }
    __syncthreads();
    bulk_wait(&full[0], 0);
    g[WORDS / 2 + t] = s[THREADS - 1 - t]; // A
    if (t == 0) {
        bulk_announce(&full[1], sizeof s);
        bulk_copy(s, g + THREADS, sizeof s, &full[1]); // B
    }
    bulk_wait(&full[1], 0);
    g[WORDS / 4 + t] = s[THREADS - 1 - t];
}

// fine
__global__ void bulk_after_a_barrier(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0)
        bulk_init(&full, 1);
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (t == 0) {
            bulk_announce(&full, sizeof s);
            bulk_copy(s, g + THREADS * i, sizeof s, &full);
        }
        bulk_wait(&full, i & 1);
        g[WORDS / 2 + t] = s[THREADS - 1 - t];
        __syncthreads();
    }
}

static __device__ int load_matrix(const int *row)
{
    unsigned at = shared_address(row);
    int v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(v)
                 : "r"(at) // A of matrix_without_barrier
                 : "memory");
    return v;
}

// race-shared
__global__ void matrix_without_barrier(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    int t = threadIdx.x;
    s[t] = g[t]; // B
    g[WORDS / 2 + t] = load_matrix(&s[t % 8 * 4]);
}

// fine
__global__ void matrix_after_a_barrier(int *g)
{
    __shared__ alignas(16) int s[THREADS];
    int t = threadIdx.x;
    s[t] = g[t];
    __syncthreads();
    g[WORDS / 2 + t] = load_matrix(&s[t % 8 * 4]);
}

static const kernel_row rows[] = {
    ROW(bulk_right, 1, THREADS),
    ROW(bulk_not_waited_for, 1, THREADS),
    ROW(bulk_over_what_is_read, 1, THREADS),
    ROW(bulk_after_a_barrier, 1, THREADS),
    ROW(matrix_without_barrier, 1, THREADS),
    ROW(matrix_after_a_barrier, 1, THREADS),
};

int main(int argc, char **argv)
{
    return run_all(rows, sizeof rows / sizeof *rows, argc, argv);
}
