// Is honest itself, but the files next to it are not; none of them may be used.
#include "lab.h"

__global__ void add_squares(const int *data, int n, unsigned long long *sum)
{
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += (unsigned long long)((long long)data[i] * data[i]);
    atomicAdd(sum, mine);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 2);
    int n = lab_int(&lab, "n", 1000);
    const int *data = lab_ints(&lab, "data", n);
    unsigned long long *there, sum;
    int *numbers;
    CHECK_CUDA(cudaMalloc(&there, sizeof *there));
    CHECK_CUDA(cudaMalloc(&numbers, n * sizeof *numbers + 1));
    CHECK_CUDA(cudaMemcpy(numbers, data, n * sizeof *data, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(there, 0, sizeof *there));
    while (lab_again(&lab))
        add_squares<<<rung == 2 ? 256 : 1, rung == 2 ? 256 : rung ? 1024 : 1>>>(numbers, n, there);
    CHECK_CUDA(cudaMemcpy(&sum, there, sizeof sum, cudaMemcpyDeviceToHost));
    lab_result(&lab, "sum", LAB_U64, &sum, 1);
    return lab_close(&lab);
}
