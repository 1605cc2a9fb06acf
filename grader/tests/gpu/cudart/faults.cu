/* Kernels that fail, each in its own way, and what the runtime answers before and after the program
 * waits for them. Usage: faults KIND */
#include <cassert>
#include <cstdio>
#include <cstring>

__global__ void outside(int *p, int i)
{
    p[i] = 1;
}

__global__ void outside_shared(int *p, int i)
{
    __shared__ int s[32];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[threadIdx.x + i];
}

__global__ void misaligned(char *p)
{
    *(int *)(p + 2) = 1;
}

__global__ void traps(int *p)
{
    if (p[0] == 0)
        __trap();
}

__global__ void asserts(int *p)
{
    assert(p[0] == 1);
}

__global__ void endless(volatile int *p)
{
    while (p[0] == 0)
        p[1] = p[1] + 1;
}

static void show(const char *call, cudaError_t error)
{
    printf("%s: %s\n", call, cudaGetErrorName(error));
}

static bool launch(const char *kind, int *p)
{
    if (strcmp(kind, "after-the-end") == 0)
        outside<<<1, 1>>>(p, 64);
    else if (strcmp(kind, "far-away") == 0)
        outside<<<1, 1>>>(p, 1 << 30);
    else if (strcmp(kind, "null") == 0)
        outside<<<1, 1>>>(NULL, 0);
    else if (strcmp(kind, "freed") == 0) {
        cudaFree(p);
        outside<<<1, 1>>>(p, 0);
    } else if (strcmp(kind, "shared") == 0)
        outside_shared<<<1, 32>>>(p, 1);
    else if (strcmp(kind, "misaligned") == 0)
        misaligned<<<1, 1>>>((char *)p);
    else if (strcmp(kind, "trap") == 0)
        traps<<<1, 1>>>(p);
    else if (strcmp(kind, "assert") == 0)
        asserts<<<2, 2>>>(p);
    else if (strcmp(kind, "endless") == 0)
        endless<<<1, 1>>>(p);
    else if (strcmp(kind, "threads") == 0)
        outside<<<1, 2000>>>(p, 0);
    else if (strcmp(kind, "host") == 0)
        *(volatile int *)p = 1; /* ends the process, as on a GPU */
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    int *p, *q, value;
    cudaMalloc(&p, 64 * sizeof *p);
    cudaMemset(p, 0, 64 * sizeof *p);
    if (argc != 2 || !launch(argv[1], p))
        return 2;
    show("launch", cudaGetLastError());
    show("wait", cudaDeviceSynchronize());
    show("last", cudaGetLastError());
    show("last again", cudaGetLastError());
    show("malloc", cudaMalloc(&q, 4));
    show("copy", cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost));
    return 0;
}
