// clock() in a kernel: how many cycles do 256 additions take, and 256 loads, each of which needs the one before?
#include "lab.h"

#define STEPS 256

__global__ void count_cycles(int *links, int *cycles)
{
    int at = links[0], sum = 0;
    clock_t begin = clock();
    for (int i = 0; i < STEPS; ++i)
        sum = (sum ^ at) + i;
    clock_t between = clock();
    for (int i = 0; i < STEPS; ++i)
        at = links[at];
    clock_t end = clock();
    cycles[0] = between - begin;
    cycles[1] = end - between;
    cycles[2] = sum + at; // the work must not be omitted
}

int main()
{
    int *links, *cycles, counted[3];
    CHECK_CUDA(cudaMalloc(&links, 1024 * sizeof *links));
    CHECK_CUDA(cudaMemset(links, 0, 1024 * sizeof *links)); // all links lead to number 0
    CHECK_CUDA(cudaMalloc(&cycles, sizeof counted));
    count_cycles<<<1, 1>>>(links, cycles);
    CHECK_CUDA(cudaMemcpy(counted, cycles, sizeof counted, cudaMemcpyDeviceToHost));
    printf("%d additions: %d cycles\n%d loads: %d cycles\n", STEPS, counted[0], STEPS, counted[1]);
    CHECK_CUDA(cudaFree(links));
    CHECK_CUDA(cudaFree(cycles));
    return 0;
}
