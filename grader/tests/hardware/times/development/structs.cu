// Arrays of structures and structures of arrays; vector loads.
#include "../launch.cuh"

struct particle {
    float x, y, z, vx, vy, vz, mass, charge;
};

struct point {
    float x, y, z;
};

__global__ void move_structures(particle *p, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}

__global__ void move_arrays(float *x, float *y, float *z, const float *vx, const float *vy,
                            const float *vz, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += vx[i] * dt;
    y[i] += vy[i] * dt;
    z[i] += vz[i] * dt;
}

__global__ void lengths(const point *p, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = sqrtf(p[i].x * p[i].x + p[i].y * p[i].y + p[i].z * p[i].z);
}

__global__ void lengths4(const float4 *p, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = p[i];
    out[i] = sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

__global__ void one_field(const particle *p, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = p[i].mass * 2;
}

int main()
{
    int n = 1 << 20;
    float *words = fractions<float>((size_t)n * 8), *out = zeros<float>(n);
    TWICE(move_structures<<<n / 256, 256>>>((particle *)words, 0.01f));
    TWICE(move_arrays<<<n / 256, 256>>>(words, words + n, words + 2 * n, words + 3 * n,
                                        words + 4 * n, words + 5 * n, 0.01f));
    TWICE(lengths<<<n / 256, 256>>>((const point *)words, out));
    TWICE(lengths4<<<n / 256, 256>>>((const float4 *)words, out));
    TWICE(one_field<<<n / 256, 256>>>((const particle *)words, out));
    n = 1 << 22; // 128 MiB of particles
    words = fractions<float>((size_t)n * 8), out = zeros<float>(n);
    TWICE(move_structures<<<n / 256, 256>>>((particle *)words, 0.01f));
    TWICE(move_arrays<<<n / 256, 256>>>(words, words + n, words + 2 * n, words + 3 * n,
                                        words + 4 * n, words + 5 * n, 0.01f));
    TWICE(one_field<<<n / 256, 256>>>((const particle *)words, out));
}
