/* Grids and blocks of one to three dimensions. Every thread writes its indices to its own place. */
#include "tests/support/check.cuh"

struct place {
    unsigned block[3], thread[3], grid[3], size[3];
};

__global__ void write_place(place *out)
{
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    place *mine = &out[block * blockDim.x * blockDim.y * blockDim.z + thread];
    *mine = {{blockIdx.x, blockIdx.y, blockIdx.z},
             {threadIdx.x, threadIdx.y, threadIdx.z},
             {gridDim.x, gridDim.y, gridDim.z},
             {blockDim.x, blockDim.y, blockDim.z}};
}

/* Writes the lane and warp of each thread in a block of two dimensions; threads are
 * numbered along x first. */
__global__ void write_lane(unsigned *out)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    out[threadIdx.x + blockDim.x * threadIdx.y] = lane;
}

static bool is_at(const place &p, dim3 grid, dim3 block, unsigned at)
{
    unsigned threads = block.x * block.y * block.z, b = at / threads, t = at % threads;
    return p.block[0] == b % grid.x && p.block[1] == b / grid.x % grid.y &&
           p.block[2] == b / grid.x / grid.y && p.thread[0] == t % block.x &&
           p.thread[1] == t / block.x % block.y && p.thread[2] == t / block.x / block.y &&
           p.grid[0] == grid.x && p.grid[1] == grid.y && p.grid[2] == grid.z &&
           p.size[0] == block.x && p.size[1] == block.y && p.size[2] == block.z;
}

static void check(dim3 grid, dim3 block)
{
    unsigned count = grid.x * grid.y * grid.z * block.x * block.y * block.z, wrong = 0;
    place *device, *host = new place[count];
    MUST(cudaMalloc(&device, count * sizeof *device));
    MUST(cudaMemset(device, 0xff, count * sizeof *device));
    write_place<<<grid, block>>>(device);
    FINISH();
    MUST(cudaMemcpy(host, device, count * sizeof *device, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; i++)
        wrong += !is_at(host[i], grid, block, i);
    char name[100];
    snprintf(name, sizeof name, "grid %ux%ux%u block %ux%ux%u", grid.x, grid.y, grid.z, block.x,
             block.y, block.z);
    expect(name, wrong, 0u);
    MUST(cudaFree(device));
    delete[] host;
}

static void check_lanes()
{
    unsigned *device, host[20 * 5], wrong = 0;
    MUST(cudaMalloc(&device, sizeof host));
    write_lane<<<1, dim3(20, 5)>>>(device);
    FINISH();
    MUST(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 100; i++)
        wrong += host[i] != i % 32;
    expect("lanes of a block of 20 x 5", wrong, 0u);
}

int main()
{
    check(1, 1);
    check(7, 33);
    check(3, 1024);
    check(dim3(3, 5), dim3(8, 4));
    check(dim3(2, 3, 4), dim3(5, 6, 7));
    check(dim3(1, 1, 9), dim3(2, 2, 64));
    check(dim3(1, 70), dim3(1, 1, 3));
    check_lanes();
    return summary();
}
