/* Arrays of structures, and structures of arrays. The rungs add up x, y and z of many points, or read one field
 * of a larger structure.
 *
 * Look at: the sectors of a load in each kernel. RULES=g80 shows how much more structures cost in 2007. */
#include "ladder.cuh"

#define THREADS 256

struct point {
    float x, y, z; // 12 bytes
};

struct __align__(16) padded_point
{
    float x, y, z, unused; // 16 bytes, which one instruction can load
};

struct particle {
    float x, y, z, mass, vx, vy, vz, charge; // 32 bytes
};

__global__ void of_structures(const point *points, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = points[i].x + points[i].y + points[i].z;
}

__global__ void of_padded(const padded_point *points, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    padded_point p = points[i];
    out[i] = p.x + p.y + p.z;
}

// The block fetches its points as plain floats, side by side, into shared memory.
__global__ void through_shared(const point *points, float *out)
{
    __shared__ float words[3 * THREADS];
    int t = threadIdx.x;
    const float *from = (const float *)(points + blockIdx.x * blockDim.x);
    for (int i = t; i < 3 * blockDim.x; i += blockDim.x)
        words[i] = from[i];
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = words[3 * t] + words[3 * t + 1] + words[3 * t + 2];
}

__global__ void of_arrays(const float *x, const float *y, const float *z, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = x[i] + y[i] + z[i];
}

__global__ void of_particles(const particle *particles, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * particles[i].mass;
}

__global__ void of_masses(const float *mass, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = 2 * mass[i];
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int n = ladder.times ? 1 << 24 : 1024, blocks = n / THREADS;
    int *ints = ladder_ints(3 * (size_t)n);
    particle *many = (particle *)calloc(n, sizeof *many);
    padded_point *padded = (padded_point *)calloc(n, sizeof *padded);
    float *points = (float *)malloc(3 * (size_t)n * sizeof *points);
    float *arrays = (float *)malloc(3 * (size_t)n * sizeof *arrays);
    float *sums = (float *)malloc(n * sizeof *sums), *twice = (float *)malloc(n * sizeof *twice);
    for (int i = 0; i < n; ++i) {
        const int *v = ints + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k)
            points[3 * (size_t)i + k] = arrays[k * (size_t)n + i] = v[k];
        padded[i] = padded_point{(float)v[0], (float)v[1], (float)v[2], 0};
        many[i].mass = v[0];
        sums[i] = v[0] + v[1] + v[2];
        twice[i] = 2 * v[0];
    }
    const point *points_on_gpu = (const point *)ladder_upload(points, 3 * (size_t)n);
    const padded_point *padded_on_gpu = ladder_upload(padded, n);
    const particle *many_on_gpu = ladder_upload(many, n);
    const float *x = ladder_upload(arrays, 3 * (size_t)n), *y = x + n, *z = y + n;
    float *out = ladder_alloc<float>(n);

    ladder_size("", ladder.times ? "16,777,216 points" : "1,024 points");
    auto rung = [=](const char *name, const char *title, const float *right, double bytes,
                    auto work) {
        ladder_rung(
            name, title, [=] { CHECK_CUDA(cudaMemsetAsync(out, 0xff, n * sizeof *out)); }, work,
            [=] { return ladder_same(out, right, n); });
        ladder_rate("gb_per_s", bytes * n); // only the bytes that the job needs
    };
    rung("structures", "array of 12-byte structures", sums, 16,
         [=] { of_structures<<<blocks, THREADS>>>(points_on_gpu, out); });
    rung("padded", "array of 16-byte structures", sums, 16,
         [=] { of_padded<<<blocks, THREADS>>>(padded_on_gpu, out); });
    rung("shared", "12 bytes, by shared memory", sums, 16,
         [=] { through_shared<<<blocks, THREADS>>>(points_on_gpu, out); });
    rung("arrays", "three arrays", sums, 16, [=] { of_arrays<<<blocks, THREADS>>>(x, y, z, out); });
    rung("one-field", "4 of 32 bytes", twice, 8,
         [=] { of_particles<<<blocks, THREADS>>>(many_on_gpu, out); });
    rung("one-array", "an array of them", twice, 8,
         [=] { of_masses<<<blocks, THREADS>>>(x, out); });
    return 0;
}
