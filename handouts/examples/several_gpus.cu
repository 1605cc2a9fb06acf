// One job on all GPUs of the machine: each squares a part of the numbers. The argument is the number of parts; without
// it there is one part for each GPU.
#include "lab.h"

#define N       40000 // the largest square is below 2^31
#define MOST    16    // parts
#define THREADS 256

struct part {
    int device, first, count;
    int *numbers; // in the memory of the part's device
    cudaStream_t stream;
};

__global__ void square(int *numbers, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] *= numbers[i];
}

// Starts one part's work. Nothing here waits, so all devices work at the same time.
static void begin(struct part *p, int *numbers)
{
    size_t bytes = p->count * sizeof *numbers;
    CHECK_CUDA(cudaSetDevice(p->device)); // for all calls of this thread from here on
    CHECK_CUDA(cudaStreamCreate(&p->stream));
    CHECK_CUDA(cudaMalloc(&p->numbers, bytes));
    CHECK_CUDA(
        cudaMemcpyAsync(p->numbers, numbers + p->first, bytes, cudaMemcpyHostToDevice, p->stream));
    square<<<(p->count + THREADS - 1) / THREADS, THREADS, 0, p->stream>>>(p->numbers, p->count);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(
        cudaMemcpyAsync(numbers + p->first, p->numbers, bytes, cudaMemcpyDeviceToHost, p->stream));
}

static void end(struct part *p)
{
    CHECK_CUDA(cudaSetDevice(p->device)); // memory and streams belong to a device
    CHECK_CUDA(cudaStreamSynchronize(p->stream));
    CHECK_CUDA(cudaFree(p->numbers));
    CHECK_CUDA(cudaStreamDestroy(p->stream));
}

int main(int argc, char **argv)
{
    int devices, *numbers, wrong = 0;
    struct part parts[MOST];
    CHECK_CUDA(cudaGetDeviceCount(&devices));
    int count = argc > 1 ? atoi(argv[1]) : devices;
    if (count < 1 || count > MOST) {
        fprintf(stderr, "the number of parts must be from 1 to %d\n", MOST);
        return 2;
    }
    CHECK_CUDA(cudaMallocHost(&numbers, N * sizeof *numbers)); // pinned: copies do not wait
    for (int i = 0; i < N; ++i)
        numbers[i] = i;
    for (int k = 0; k < count; ++k) {
        int first = N * k / count, next = N * (k + 1) / count;
        parts[k] = {k % devices, first, next - first, NULL, NULL};
        begin(&parts[k], numbers);
    }
    for (int k = 0; k < count; ++k)
        end(&parts[k]);
    for (int i = 0; i < N; ++i)
        wrong += numbers[i] != i * i;
    printf("parts: %d, GPUs: %d, wrong numbers: %d\n", count, devices, wrong);
    CHECK_CUDA(cudaFreeHost(numbers));
    return wrong != 0;
}
