// One of each finding about the order of streams and host, in one process. Without a record, the library prints them.
#include <cstdio>

__managed__ int counter;

static __global__ void fill(int *to, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = value;
}

static __global__ void count()
{
    atomicAdd(&counter, 1);
}

int main()
{
    enum { N = 10000 };
    int *device, *pinned, *managed, *async, sum = 0;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaMalloc(&device, N * sizeof(int));
    cudaMallocHost(&pinned, N * sizeof(int));
    cudaMallocManaged(&managed, N * sizeof(int));
    fill<<<N / 100, 100, 0, a>>>(managed, 1, N / 2);
    for (int i = N / 2; i < N; i++)
        managed[i] = 2;
    sum += managed[N / 2 - 1]; // host-reads-early
    cudaStreamSynchronize(a);
    for (int i = 0; i < N; i++)
        sum += managed[i];
    count<<<2, 32>>>();
    sum += counter; // host-reads-early
    cudaMemcpyAsync(device, pinned, N * sizeof(int), cudaMemcpyHostToDevice, a);
    pinned[7] = 3;                              // host-writes-early
    fill<<<N / 100, 100, 0, b>>>(device, 1, N); // race-streams
    cudaFreeHost(pinned);                       // freed-in-use
    cudaMallocAsync(&async, N * sizeof(int), a);
    cudaMemsetAsync(async, 0, N * sizeof(int), b); // used-too-early
    cudaDeviceSynchronize();
    printf("sum %d\n", sum);
}
