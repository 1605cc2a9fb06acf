/* Lab 07: arrays of structures, and structures of arrays.
 *
 * Two jobs. The first reads all of a structure, the second one field of a larger one:
 *
 *     lengths[i] = x * x + y * y + z * z     of n vectors of 12 bytes
 *     weights[p][i] = gravity[p] * mass      of n particles of 32 bytes, on each of some planets
 *
 * For 32 structures, a warp's loads touch these numbers of sectors of 32 bytes. The grader also
 * counts all other sectors: 4 to store each result, 4 to write masses to an array, and those with
 * gravity, if kernels load it from global memory. In rung 2 it counts the loads instead.
 *
 *     rung 0  as_they_come    36, in 3 requests of 12. Done: leave it as it is.
 *     rung 1  staged          TODO 1: 12. The block reads words side by side.
 *     rung 2  as_they_come    TODO 2: 16, in 1 request. One load can fetch 16 bytes.
 *     rung 3  weigh           32 for each planet, and 4 are needed. Done.
 *     rung 4  weigh           TODO 3: once 32, then 4 for each planet. The masses get an array.
 *
 * main() copies whole structures, at least one. Kernels, not copies, pick the words that they need.
 * Only in rung 2 may main() change the distances between the vectors.
 *
 * Do the TODOs in order: the program stays right after each number.
 *
 * Try it:    make run LAB=07-structures ARGS='rung=4 n=5000'
 * Grade it:  make grade LAB=07-structures */
#include "lab.h"

#define THREADS 256

struct vector {
    float x, y, z; // 12 bytes
};

// TODO 2b, after 2a in upload(): this still has 12 bytes. Write
//          `struct __align__(16) aligned_vector` and add a member `unused`: 16 bytes, at a multiple
//          of 16, which one load can fetch.
struct aligned_vector {
    float x, y, z;
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

// Rung 1. The block's vectors are words that lie side by side.
__global__ void staged(const struct vector *vectors, int n, float *lengths)
{
    int t = threadIdx.x, first = blockIdx.x * THREADS; // the block's first vector
    // TODO 1a: neighbouring threads read words that are 12 bytes apart. Look at the block's vectors
    //          as words: (const float *)(vectors + first). Copy these words, 3 for each vector that
    //          exists, to `__shared__ float words[3 * THREADS];`: thread t takes the words t,
    //          t + THREADS, ... Then let the block wait.
    // TODO 1b: take x, y and z from words[]. Where are those of vector t?
    if (first + t < n) {
        struct vector v = vectors[first + t];
        lengths[first + t] = length_of(v.x, v.y, v.z);
    }
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
    // TODO 3a: main() does not launch this kernel yet, so for each planet, kernels read all sectors
    //          and use an eighth of each. Let this kernel copy the mass of each particle to
    //          `masses`: one thread for each particle, as in weigh().
}

// Starts the kernels of rungs 3 and 4. `scratch` has room for n floats.
static void weigh_all(int rung, const struct particle *particles, int n, const float *gravity,
                      int planets, float *scratch, float *weights)
{
    int blocks = (n + THREADS - 1) / THREADS, apart = sizeof *particles / sizeof(float);
    const float *masses = &particles->mass;
    // TODO 3b: in rung 4, start take_masses() here, once for all planets, with `scratch` for the
    //          masses. Let the loop below read them from there. How many words apart are they in
    //          that array?
    for (int p = 0; p < planets; ++p)
        weigh<<<blocks, THREADS>>>(masses, apart, n, gravity[p], weights + (size_t)p * n);
}

// Copies n structures of `size` bytes to the GPU.
static void *upload(int rung, const float *data, int n, size_t size)
{
    void *on_gpu;
    // TODO 2a: in rung 2, structures on the GPU will be sizeof(struct aligned_vector) apart: that
    //          is their pitch. Allocate n * pitch bytes, and copy with cudaMemcpy2D(), as rows of
    //          `size` bytes (lab 05). The other rungs stay as they are.
    CHECK_CUDA(cudaMalloc(&on_gpu, n * size));
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
