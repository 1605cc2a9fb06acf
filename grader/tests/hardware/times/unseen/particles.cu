// Particles: forces from neighbours' lists and from cells, k-means with centres in three memories, neighbours by brute force.
#include "../launch.cuh"

#define CENTRES 32
__constant__ float4 centres_const[CENTRES];

__global__ void lennard_jones(const float4 *pos, const int *neighbours, float4 *force, int n,
                              int each)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = pos[i], f = make_float4(0, 0, 0, 0);
    for (int k = 0; k < each; k++) {
        float4 p = pos[neighbours[k * n + i]];
        float dx = me.x - p.x, dy = me.y - p.y, dz = me.z - p.z,
              r2 = dx * dx + dy * dy + dz * dz + 0.01f;
        if (r2 < 0.5f) {
            float inv = 1.0f / r2, r6 = inv * inv * inv, s = r6 * (r6 - 0.5f) * inv;
            f.x += dx * s;
            f.y += dy * s;
            f.z += dz * s;
        }
    }
    force[i] = f;
}

__global__ void nearest_global(const float4 *points, const float4 *centres, int *label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float4 p = points[i];
    float least = 1e30f;
    for (int c = 0; c < CENTRES; c++) {
        float4 q = centres[c];
        float d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    label[i] = best;
}

__global__ void nearest_constant(const float4 *points, int *label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float4 p = points[i];
    float least = 1e30f;
    for (int c = 0; c < CENTRES; c++) {
        float4 q = centres_const[c];
        float d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    label[i] = best;
}

__global__ void update_atomics(const float4 *points, const int *label, float4 *sums)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to = &sums[label[i] & (CENTRES - 1)].x;
    float4 p = points[i];
    atomicAdd(to, p.x);
    atomicAdd(to + 1, p.y);
    atomicAdd(to + 2, p.z);
    atomicAdd(to + 3, 1.0f);
}

__global__ void update_shared(const float4 *points, const int *label, float4 *sums)
{
    __shared__ float mine[CENTRES * 4];
    for (int k = threadIdx.x; k < CENTRES * 4; k += blockDim.x)
        mine[k] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = label[i] & (CENTRES - 1);
    float4 p = points[i];
    atomicAdd(&mine[c * 4], p.x);
    atomicAdd(&mine[c * 4 + 1], p.y);
    atomicAdd(&mine[c * 4 + 2], p.z);
    atomicAdd(&mine[c * 4 + 3], 1.0f);
    __syncthreads();
    for (int k = threadIdx.x; k < CENTRES * 4; k += blockDim.x)
        atomicAdd(&sums->x + k, mine[k]);
}

__global__ void gravity_double(const double *x, const double *y, const double *m, double *ax,
                               double *ay, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double fx = 0, fy = 0;
    for (int j = 0; j < n; j++) {
        double dx = x[j] - x[i], dy = y[j] - y[i], r = dx * dx + dy * dy + 1e-3,
               s = m[j] / (r * sqrt(r));
        fx += dx * s;
        fy += dy * s;
    }
    ax[i] = fx;
    ay[i] = fy;
}

__global__ void count_near(const float2 *p, int *count, int n, float r2)
{
    __shared__ float2 tile[128];
    int i = blockIdx.x * 128 + threadIdx.x, near = 0;
    float2 me = p[i];
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = p[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 128; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y;
            near += dx * dx + dy * dy < r2;
        }
        __syncthreads();
    }
    count[i] = near;
}

// Each particle goes to its cell's counter and learns its place there.
__global__ void into_cells(const float4 *pos, int *cell_count, int *place, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = pos[i];
    int c = ((int)(p.z * side) * side + (int)(p.y * side)) * side + (int)(p.x * side);
    place[i] = atomicAdd(&cell_count[c], 1);
}

int main()
{
    int n = 1 << 16;
    float4 *pos = (float4 *)fractions<float>(4 << 20), *out = zeros<float4>(1 << 20);
    int *near =
        filled<int>(n * 32, [=](size_t i) { return (int)((i % n + scrambled(i) % 256) % n); });
    int *far = integers(n * 32, n), *label = integers(1 << 20, CENTRES);
    double *d = fractions<double>(1 << 16), *e = zeros<double>(1 << 16);
    CHECK(cudaMemcpyToSymbol(centres_const, pos, sizeof(float4) * CENTRES, 0,
                             cudaMemcpyDeviceToDevice));
    TWICE(lennard_jones<<<n / 128, 128>>>(pos, near, out, n, 32));
    TWICE(lennard_jones<<<n / 128, 128>>>(pos, far, out, n, 32));
    TWICE(nearest_global<<<(1 << 20) / 256, 256>>>(pos, pos, (int *)out));
    TWICE(nearest_constant<<<(1 << 20) / 256, 256>>>(pos, (int *)out));
    TWICE(update_atomics<<<1024, 256>>>(pos, label, out));
    TWICE(update_shared<<<1024, 256>>>(pos, label, out));
    TWICE(gravity_double<<<32, 128>>>(d, d + 4096, d + 8192, e, e + 4096, 2048));
    TWICE(count_near<<<64, 128>>>((float2 *)pos, (int *)out, 8192, 0.01f));
    TWICE(into_cells<<<1024, 256>>>(pos, (int *)out, label, 32));
}
