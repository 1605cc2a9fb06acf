/* Forces between particles. */
#include "expect.cuh"

#define NEIGHBOURS 48
#define SOFTENING  0.01f

__host__ __device__ static float3 pull(float3 sum, float4 me, float4 other)
{
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
    float strength = other.w * inverse * inverse * inverse;
    return make_float3(sum.x + strength * dx, sum.y + strength * dy, sum.z + strength * dz);
}

static __global__ void gravity(float3 *force, const float4 *body, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 sum = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++)
        sum = pull(sum, me, body[j]);
    force[i] = sum;
}

/* As CUDA samples' nbody. */
static __global__ void gravity_tiled(float3 *force, const float4 *body, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i];
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = body[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++)
            sum = pull(sum, me, tile[j]);
        __syncthreads();
    }
    force[i] = sum;
}

template <typename T> struct alignas(16) quad {
    T x, y, z, w;
};

/* Lennard-Jones forces from lists of neighbours, as SHOC's md. The lists are stored neighbour by neighbour. */
template <typename T>
static __global__ void lennard_jones(quad<T> *force, const quad<T> *atom, const int *neighbour,
                                     T cutoff, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    quad<T> me = atom[i], sum = {0, 0, 0, 0};
    for (int k = 0; k < NEIGHBOURS; k++) {
        quad<T> other = atom[neighbour[k * n + i]];
        T dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
        T square = dx * dx + dy * dy + dz * dz;
        if (square < cutoff) {
            T inverse = 1 / square, sixth = inverse * inverse * inverse;
            T strength = inverse * sixth * (sixth - (T)0.5);
            sum.x += strength * dx;
            sum.y += strength * dy;
            sum.z += strength * dz;
        }
    }
    force[i] = sum;
}

template <typename T> static quad<T> atom_of(size_t i)
{
    auto shaken = [=](int k) { return (T)(scrambled(4 * i + k) % 1000) / 2500; };
    return quad<T>{i % 32 + shaken(0), i / 32 % 32 + shaken(1), i / 1024 + shaken(2), 0};
}

static int neighbour_of(size_t i, int n)
{
    size_t atom = i % n, k = i / n;
    size_t away =
        k % 4 + 32 * (k / 4 % 4) + 1024 * (k / 16); // a box of 4 x 4 x 3, from this atom on
    return (int)((atom + (away ? away : 4)) % n);
}

template <typename T> static void lennard_jones_of(int n, int block)
{
    quad<T> *atom = filled<quad<T>>(n, atom_of<T>), *force = zeros<quad<T>>(n);
    int *neighbour =
        filled<int>((size_t)n * NEIGHBOURS, [=](size_t i) { return neighbour_of(i, n); });
    TWICE(lennard_jones<T><<<blocks(n, block), block>>>(force, atom, neighbour, (T)6, n));
    std::vector<quad<T>> found = fetched(force, n);
    for (int i = 5; i < n; i += 997) {
        double sum = 0, size = 0;
        for (int k = 0; k < NEIGHBOURS; k++) {
            quad<T> me = atom_of<T>(i), other = atom_of<T>(neighbour_of((size_t)k * n + i, n));
            double dx = me.x - other.x, dy = me.y - other.y, dz = me.z - other.z;
            double square = dx * dx + dy * dy + dz * dz, sixth = pow(square, -3);
            if (square < 6) {
                sum += sixth * (sixth - 0.5) / square * dx;
                size += fabs(sixth * (sixth - 0.5) / square * dx);
            }
        }
        EXPECT(fabs(found[i].x - sum) <= 1e-4 * (size + 1));
    }
}

int main()
{
    const int most = 4096;
    float4 *body = filled<float4>(most, [](size_t i) {
        auto part = [=](int k) { return (scrambled(4 * i + k) & 0xffff) / 65536.0f; };
        return make_float4(part(0), part(1), part(2), part(3));
    });
    float3 *force = zeros<float3>(most);
    std::vector<float4> host = fetched(body, most);
    auto expect_forces = [&](int n) {
        std::vector<float3> found = fetched(force, n);
        for (int i = 0; i < n; i += 97) {
            float3 sum = make_float3(0, 0, 0);
            for (int j = 0; j < n; j++)
                sum = pull(sum, host[i], host[j]);
            EXPECT(near(found[i].x, sum.x, 1e-2) && near(found[i].z, sum.z, 1e-2));
        }
        clear(force, n);
    };
    TWICE(gravity<<<1024 / 128, 128>>>(force, body, 1024));
    expect_forces(1024);
    TWICE(gravity<<<most / 128, 128>>>(force, body, most));
    expect_forces(most);
    TWICE(gravity_tiled<<<1024 / 128, 128, 128 * sizeof(float4)>>>(force, body, 1024));
    expect_forces(1024);
    TWICE(gravity_tiled<<<most / 128, 128, 128 * sizeof(float4)>>>(force, body, most));
    expect_forces(most);
    TWICE(gravity_tiled<<<2048 / 64, 64, 64 * sizeof(float4)>>>(force, body, 2048));
    expect_forces(2048);

    lennard_jones_of<float>(1 << 14, 256);
    lennard_jones_of<float>(1 << 16, 128);
    lennard_jones_of<double>(1 << 14, 256);
    return 0;
}
