/* Lab @NUMBER@: WRITE: what the lab is about, in a line.
 *
 * WRITE: the job, and how the code below does it.
 *
 * This is the solution: make grade LAB=@LAB@ SUBMISSION=solutions/@LAB@ */
#include "lab.h"

__global__ void add_up(const int *data, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    for (int i = me; i < n; i += all)
        mine += data[i];
    atomicAdd(sum, mine);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int n = lab_int(&lab, "n", 100000);
    const int *data = lab_ints(&lab, "data", n);

    int *data_on_gpu;
    unsigned long long *sum_on_gpu, sum;
    CHECK_CUDA(cudaMalloc(&data_on_gpu, n * sizeof *data));
    CHECK_CUDA(cudaMalloc(&sum_on_gpu, sizeof sum));
    CHECK_CUDA(cudaMemcpy(data_on_gpu, data, n * sizeof *data, cudaMemcpyHostToDevice));

    while (lab_again(&lab)) {
        CHECK_CUDA(cudaMemset(sum_on_gpu, 0, sizeof sum)); // fresh memory may hold anything
        add_up<<<256, 256>>>(data_on_gpu, n, sum_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    // Waits for the kernel, and returns its error if it failed.
    CHECK_CUDA(cudaMemcpy(&sum, sum_on_gpu, sizeof sum, cudaMemcpyDeviceToHost));
    lab_result(&lab, "sum", LAB_U64, &sum, 1);

    CHECK_CUDA(cudaFree(sum_on_gpu));
    CHECK_CUDA(cudaFree(data_on_gpu));
    return lab_close(&lab);
}
