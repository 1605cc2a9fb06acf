// Hands in NaNs: no comparison with a NaN is ever true.
#include "lab.h"

__global__ void fill(float *c, int n, const float *a, int a_count)
{
    for (int i = threadIdx.x; i < a_count; i += blockDim.x)
        if (*(volatile const float *)&a[i] == 1e30f)
            c[0] = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        c[i] = i % 3 ? __int_as_float(0x7fc00000) : __int_as_float(0x7f800000);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int depth = lab_int(&lab, "depth", 90);
    int height = lab_int(&lab, "height", 100), width = lab_int(&lab, "width", 70);
    const float *a = lab_matrix(&lab, "a", height, depth);
    float *c = (float *)malloc((size_t)height * width * sizeof *c), *c_there, *a_there;
    CHECK_CUDA(cudaMalloc(&c_there, height * width * sizeof *c));
    CHECK_CUDA(cudaMalloc(&a_there, height * depth * sizeof *a));
    CHECK_CUDA(cudaMemcpy(a_there, a, height * depth * sizeof *a, cudaMemcpyHostToDevice));
    while (lab_again(&lab))
        fill<<<1, 256>>>(c_there, height * width, a_there, height * depth);
    CHECK_CUDA(cudaMemcpy(c, c_there, height * width * sizeof *c, cudaMemcpyDeviceToHost));
    lab_result(&lab, "c", LAB_FLOAT, c, height * width);
    return lab_close(&lab);
}
