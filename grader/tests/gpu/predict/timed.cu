// A program that takes its own time: by events, by clocks and by the timer. test_timed.c compares what
// it prints with its golden file.
#include <cstdio>
#include <cstdlib>

#define STREAMS 4

__global__ void work(float *x, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i];
    for (int k = 0; k < rounds; k++)
        v = v * 1.0001f + 0.5f;
    x[i] = v;
}

// The time of ROUNDS loads from shared memory, each of which needs the one before, and how long the
// first warp waits at a barrier for the others.
__global__ void chase(long long *cycles, unsigned long long *timer, int rounds)
{
    __shared__ int next[256];
    int i = threadIdx.x, at = i;
    next[i] = (i + 32) % 256;
    unsigned long long begin, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    __syncthreads();
    long long before = clock64();
    for (int k = 0; k < rounds; k++)
        at = next[at];
    next[i] = at;
    long long after = clock64();
    __syncthreads();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    if (i == 0) {
        cycles[0] = (after - before) / rounds;
        timer[0] = begin;
        timer[1] = end;
    }
}

static cudaEvent_t begin, end;

static double elapsed()
{
    float ms;
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&ms, begin, end);
    return ms * 1e3;
}

// Copies, computes and copies back, in COUNT parts, each in a stream of its own.
static void in_parts(float *host, float *device, int n, int count)
{
    cudaStream_t streams[STREAMS];
    for (int k = 0; k < count; k++)
        cudaStreamCreate(&streams[k]);
    cudaEventRecord(begin);
    for (int k = 0; k < count; k++) {
        int part = n / count;
        float *from = host + k * part, *to = device + k * part;
        cudaMemcpyAsync(to, from, part * sizeof *to, cudaMemcpyHostToDevice, streams[k]);
        work<<<part / 256, 256, 0, streams[k]>>>(to, 400);
        cudaMemcpyAsync(from, to, part * sizeof *to, cudaMemcpyDeviceToHost, streams[k]);
    }
    cudaEventRecord(end);
    printf("%d streams: %.1f us\n", count, elapsed());
    for (int k = 0; k < count; k++)
        cudaStreamDestroy(streams[k]);
}

static void measure()
{
    int n = 1 << 17;
    float *pinned, *pageable = (float *)calloc(n, sizeof *pageable), *device;
    long long *cycles, seen;
    unsigned long long *timer, times[2];
    cudaMallocHost(&pinned, n * sizeof *pinned);
    cudaMalloc(&device, n * sizeof *device);
    cudaMalloc(&cycles, sizeof *cycles);
    cudaMalloc(&timer, sizeof times);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);

    cudaEventRecord(begin);
    cudaEventRecord(end);
    printf("nothing: %.2f us\n", elapsed());
    cudaEventRecord(begin);
    cudaMemset(device, 0, n * sizeof *device);
    cudaEventRecord(end);
    printf("a fill: %.1f us\n", elapsed());
    for (int k = 0; k < 2; k++) {
        cudaEventRecord(begin);
        cudaMemcpy(device, k ? pageable : pinned, n * sizeof *device, cudaMemcpyHostToDevice);
        cudaEventRecord(end);
        printf("a copy from %s memory: %.1f us\n", k ? "pageable" : "page-locked", elapsed());
    }
    for (int count = 1; count <= STREAMS; count *= 2)
        in_parts(pinned, device, n, count);
    for (int k = 0; k < 2; k++) {
        chase<<<1, 256>>>(cycles, timer, 64);
        cudaMemcpy(&seen, cycles, sizeof seen, cudaMemcpyDeviceToHost);
        cudaMemcpy(times, timer, sizeof times, cudaMemcpyDeviceToHost);
        printf("a load from shared memory: %lld cycles; %s\n", seen,
               times[1] > times[0] ? "the timer goes on" : "the timer stands still");
    }
    cudaFree(device);
    cudaFree(cycles);
    cudaFree(timer);
    cudaFreeHost(pinned);
    free(pageable);
}

// With an argument it measures twice: a GPU's first call of each function takes longer.
int main(int argc, char **argv)
{
    for (int k = 0; k < (argc > 1 ? 2 : 1); k++)
        measure();
}
