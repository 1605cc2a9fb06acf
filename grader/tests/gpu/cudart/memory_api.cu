/* Common uses of memory: copies of every kind, rows with a pitch, symbols, managed memory. */
#include "tests/support/check.cuh"

#include <cstring>

__device__ int counter = 40;
__device__ float table[64];
__constant__ int weights[4] = {1, 2, 3, 4};
__managed__ int shared_count = 5;
__managed__ double shared_list[3] = {0.5, 1.5, 2.5};

__global__ void use_symbols(int *out)
{
    out[threadIdx.x] = counter + weights[threadIdx.x] + (int)table[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        counter = 100;
}

__global__ void use_managed(int *list, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        list[i] += i;
    if (i == 0) {
        shared_count *= 2;
        shared_list[1] += 10;
    }
}

/* Adds 1 to each element of rows that start PITCH bytes apart. */
__global__ void increment_rows(char *rows, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height)
        ((int *)(rows + y * pitch))[x] += 1;
}

static void check_copies()
{
    int from[100], to[100], *a, *b;
    for (int i = 0; i < 100; i++)
        from[i] = i * i;
    MUST(cudaMalloc(&a, sizeof from));
    MUST(cudaMalloc(&b, sizeof from));
    MUST(cudaMemcpy(a, from, sizeof from, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(b, a, sizeof from, cudaMemcpyDeviceToDevice));
    MUST(cudaMemcpy(to, b, sizeof from, cudaMemcpyDeviceToHost));
    expect("copies to, on and from the device", memcmp(from, to, sizeof from), 0);
    MUST(cudaMemset(a, 0, sizeof from));
    MUST(cudaMemcpy(a + 10, b + 20, 5 * sizeof(int), cudaMemcpyDefault));
    MUST(cudaMemcpy(to, a, sizeof to, cudaMemcpyDefault));
    expect("a partial copy with cudaMemcpyDefault", to[10] + to[14] + to[15] + to[9], 400 + 576);
    MUST(cudaMemsetAsync(a, 1, 8));
    MUST(cudaMemcpyAsync(to, a, 12, cudaMemcpyDeviceToHost));
    MUST(cudaStreamSynchronize(0));
    expect("bytes set", to[1], 0x01010101);
    expect("bytes not set", to[2], 0);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
}

static void check_rows()
{
    enum { WIDTH = 37, HEIGHT = 11 };
    int from[HEIGHT][WIDTH], to[HEIGHT][WIDTH], wrong = 0;
    char *rows;
    size_t pitch;
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        from[i / WIDTH][i % WIDTH] = i;
    MUST(cudaMallocPitch(&rows, &pitch, sizeof from[0], HEIGHT));
    expect("pitch is a multiple of 512", pitch % 512, (size_t)0);
    MUST(cudaMemset2D(rows, pitch, 0x7f, sizeof from[0], HEIGHT));
    MUST(cudaMemcpy2D(rows, pitch, from, sizeof from[0], sizeof from[0], HEIGHT,
                      cudaMemcpyHostToDevice));
    increment_rows<<<dim3(2, HEIGHT), 32>>>(rows, pitch, WIDTH, HEIGHT);
    FINISH();
    MUST(cudaMemcpy2D(to, sizeof to[0], rows, pitch, sizeof to[0], HEIGHT, cudaMemcpyDeviceToHost));
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        wrong += to[i / WIDTH][i % WIDTH] != i + 1;
    expect("pitched rows, changed by a kernel", wrong, 0);
    MUST(cudaFree(rows));
}

static void check_symbols()
{
    int out[4], value, *device;
    float floats[64];
    void *address;
    size_t size;
    for (int i = 0; i < 64; i++)
        floats[i] = 1000.0f * i;
    MUST(cudaMalloc(&device, sizeof out));
    MUST(cudaMemcpyToSymbol(table, floats, sizeof floats));
    int second = 20;
    MUST(cudaMemcpyToSymbol(weights, &second, sizeof second, sizeof second));
    use_symbols<<<1, 4>>>(device);
    FINISH();
    MUST(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    expect("initial value, constant, table", out[0], 41);
    expect("part of a constant changed", out[1], 40 + 20 + 1000);
    expect("the rest of the constant is unchanged", out[3], 40 + 4 + 3000);
    MUST(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    expect("a variable that a kernel wrote", value, 100);
    MUST(cudaGetSymbolAddress(&address, table));
    MUST(cudaGetSymbolSize(&size, table));
    expect("size of a symbol", size, sizeof table);
    MUST(cudaMemcpy(floats, address, sizeof(float) * 2, cudaMemcpyDeviceToHost));
    expect("a symbol by its address", floats[1], 1000.0f);
}

static void check_managed()
{
    enum { N = 3000 };
    int *list, wrong = 0;
    MUST(cudaMallocManaged(&list, N * sizeof *list));
    for (int i = 0; i < N; i++)
        list[i] = 7;
    for (int round = 0; round < 2; round++) {
        use_managed<<<(N + 127) / 128, 128>>>(list, N);
        FINISH();
        for (int i = 0; i < N; i++)
            wrong += list[i] != 7 + i * (round + 1);
    }
    expect("managed memory", wrong, 0);
    expect("managed variable", shared_count, 20);
    expect("managed array", shared_list[0] + shared_list[1] + shared_list[2], 24.5);
    MUST(cudaMemset(list, 0, 8));
    expect("managed memory set", list[1] + list[2], 7 + 4);
    int two[2] = {11, 12};
    MUST(cudaMemcpy(list, two, sizeof two, cudaMemcpyHostToDevice));
    expect("managed memory copied to", list[0] + list[1], 23);
    MUST(cudaFree(list));
}

static void check_host_memory()
{
    int *pinned, *device, back = 0;
    MUST(cudaMallocHost(&pinned, 1000));
    MUST(cudaMalloc(&device, 1000));
    pinned[249] = 77;
    MUST(cudaMemcpy(device, pinned, 1000, cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(&back, device + 249, 4, cudaMemcpyDeviceToHost));
    expect("page-locked memory", back, 77);
    MUST(cudaFreeHost(pinned));
    MUST(cudaHostAlloc(&pinned, 1000, cudaHostAllocPortable));
    MUST(cudaFreeHost(pinned));
    size_t free_bytes, total;
    MUST(cudaMemGetInfo(&free_bytes, &total));
    expect("some memory is free", free_bytes > 0 && free_bytes < total, true);
    MUST(cudaFree(device));
}

int main()
{
    check_copies();
    check_rows();
    check_symbols();
    check_managed();
    check_host_memory();
    MUST(cudaDeviceReset());
    int *again;
    MUST(cudaMalloc(&again, 4));
    use_symbols<<<1, 1>>>(again);
    FINISH();
    int value;
    MUST(cudaMemcpy(&value, again, 4, cudaMemcpyDeviceToHost));
    expect("after a reset variables have their first values", value, 41);
    return summary();
}
