/* Mistakes whose messages once misled: `misleading CASE` makes one of them. test_misleading.c has the words that must
 * be printed, and those that must not. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define N 10000

static int *numbers()
{
    static int host[N];
    int *data;
    for (int i = 0; i < N; i++)
        host[i] = 7 * i;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    return data;
}

static int *zeros(int count)
{
    int *data;
    cudaMalloc(&data, count * sizeof *data);
    cudaMemset(data, 0, count * sizeof *data);
    return data;
}

/* --- races ---------------------------------------------------------------------------------- */

__global__ void add_behind_barrier(const int *data, int *sum)
{
    int mine = data[threadIdx.x];
    __syncthreads();
    *sum += mine;
}

static void sum_of_one_block()
{
    add_behind_barrier<<<1, 256>>>(numbers(), zeros(1));
}

__global__ void count(const int *data, int *bins)
{
    bins[data[blockIdx.x * blockDim.x + threadIdx.x] % 512]++;
}

static void partly_cleared_bins()
{
    int *bins;
    cudaMalloc(&bins, 512 * sizeof *bins);
    cudaMemset(bins, 0, 512);
    count<<<16, 256>>>(numbers(), bins);
}

/* --- cases ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
    {"sum_of_one_block", sum_of_one_block},
    {"partly_cleared_bins", partly_cleared_bins},
};

int main(int argc, char **argv)
{
    for (auto &one : cases)
        if (argc == 2 && strcmp(argv[1], one.name) == 0)
            one.run();
    cudaDeviceSynchronize();
    return 0;
}
