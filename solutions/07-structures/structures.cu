/* Lab 07: arrays of structures, and structures of arrays.
 *
 * Two jobs. The first reads all of a structure, the second one field of a larger one:
 *
 *     lengths[i] = x * x + y * y + z * z     of n vectors of 12 bytes
 *     weights[p][i] = gravity[p] * mass      of n particles of 32 bytes, on each of some planets
 *
 * For 32 structures, a warp's loads touch this many sectors of 32 bytes. The grader adds those of the
 * stores, 4 for each result, and 4 more where the masses are written to an array:
 *
 *     rung 0  as_they_come    36, in 3 requests of 12
 *     rung 1  staged          12. The block reads words side by side, through shared memory.
 *     rung 2  as_they_come    16, in 1 request. A vector has 16 bytes, which one load can fetch.
 *     rung 3  weigh           32 for each planet, and 4 are needed
 *     rung 4  take_masses     once 32, and then 4 for each planet: the masses have their own array.
 *
 * This is the solution: make grade LAB=07-structures SUBMISSION=solutions/07-structures */
#include "lab.h"

#define THREADS 256

struct vector {
    float x, y, z; // 12 bytes
};

// 16 bytes, at a multiple of 16.
struct __align__(16) aligned_vector
{
    float x, y, z, unused;
};

struct particle {
    float x, y, z, mass, vx, vy, vz, charge; // 32 bytes
};

__device__ float length_of(float x, float y, float z)
{
    return x * x + y * y + z * z;
}

// Rungs 0 and 2. A vector of 12 bytes takes three loads, in each of which neighbouring threads read
// words that are 12 bytes apart. An aligned vector of 16 bytes takes one load.
template <class vector_type>
__global__ void as_they_come(const vector_type *vectors, int n, float *lengths)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        vector_type v = vectors[i];
        lengths[i] = length_of(v.x, v.y, v.z);
    }
}

// Rung 1. The block's vectors are words side by side: neighbouring threads fetch neighbours.
__global__ void staged(const struct vector *vectors, int n, float *lengths)
{
    int t = threadIdx.x, first = blockIdx.x * THREADS; // the block's first vector
    const float *from = (const float *)(vectors + first);
    __shared__ float words[3 * THREADS];
    for (int w = t; w < 3 * min(THREADS, n - first); w += THREADS)
        words[w] = from[w];
    __syncthreads(); // no thread reads before all have written
    if (first + t < n)
        lengths[first + t] = length_of(words[3 * t], words[3 * t + 1], words[3 * t + 2]);
}

// Rungs 3 and 4. The masses are `apart` words apart.
__global__ void weigh(const float *masses, int apart, int n, float gravity, float *weights)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        weights[i] = gravity * masses[i * apart];
}

// Rung 4. Gives the masses an array of their own.
__global__ void take_masses(const struct particle *particles, int n, float *masses)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        masses[i] = particles[i].mass;
}

// Starts the kernels of rungs 3 and 4. `scratch` has room for n floats.
static void weigh_all(int rung, const struct particle *particles, int n, const float *gravity,
                      int planets, float *scratch, float *weights)
{
    int blocks = (n + THREADS - 1) / THREADS, apart = sizeof *particles / sizeof(float);
    const float *masses = &particles->mass;
    if (rung == 4) {
        take_masses<<<blocks, THREADS>>>(particles, n, scratch);
        masses = scratch;
        apart = 1;
    }
    for (int p = 0; p < planets; ++p)
        weigh<<<blocks, THREADS>>>(masses, apart, n, gravity[p], weights + (size_t)p * n);
}

// Copies n structures of `size` bytes to the GPU.
static void *upload(int rung, const float *data, int n, size_t size)
{
    void *on_gpu;
    size_t pitch = rung == 2 ? sizeof(struct aligned_vector) : size; // from one to the next
    CHECK_CUDA(cudaMalloc(&on_gpu, n * pitch));
    if (rung == 2)
        CHECK_CUDA(cudaMemcpy2D(on_gpu, pitch, data, size, size, n, cudaMemcpyHostToDevice));
    else
        CHECK_CUDA(cudaMemcpy(on_gpu, data, n * size, cudaMemcpyHostToDevice));
    return on_gpu;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 1), n = lab_int(&lab, "n", 10000);
    int planets = lab_int(&lab, "planets", 10), fields = rung < 3 ? 3 : 8;
    const float *data = lab_matrix(&lab, "data", n, fields);
    const float *gravity = lab_matrix(&lab, "gravity", 1, planets);
    int count = rung < 3 ? n : planets * n, blocks = (n + THREADS - 1) / THREADS;
    float *scratch, *on_gpu, *out = (float *)malloc(count * sizeof *out); // the result
    CHECK_CUDA(cudaMalloc(&scratch, n * sizeof *scratch));
    CHECK_CUDA(cudaMalloc(&on_gpu, count * sizeof *out));
    void *records = upload(rung, data, n, fields * sizeof(float));

    while (lab_again(&lab)) {
        if (rung == 0)
            as_they_come<<<blocks, THREADS>>>((const struct vector *)records, n, on_gpu);
        else if (rung == 1)
            staged<<<blocks, THREADS>>>((const struct vector *)records, n, on_gpu);
        else if (rung == 2)
            as_they_come<<<blocks, THREADS>>>((const struct aligned_vector *)records, n, on_gpu);
        else
            weigh_all(rung, (const struct particle *)records, n, gravity, planets, scratch, on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }

    CHECK_CUDA(cudaMemcpy(out, on_gpu, count * sizeof *out, cudaMemcpyDeviceToHost));
    lab_result(&lab, rung < 3 ? "lengths" : "weights", LAB_FLOAT, out, count);
    CHECK_CUDA(cudaFree(records));
    CHECK_CUDA(cudaFree(on_gpu));
    CHECK_CUDA(cudaFree(scratch));
    free(out);
    return lab_close(&lab);
}
