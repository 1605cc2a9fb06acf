/* Particles and chance: n bodies, cells, Monte Carlo with generators in registers. */
#include "../launch.cuh"

static __device__ float3 pull(float4 a, float4 b, float3 sum)
{
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f),
          scale = b.w * inverse * inverse * inverse;
    return make_float3(sum.x + dx * scale, sum.y + dy * scale, sum.z + dz * scale);
}

__global__ void bodies_plain(float3 *out, const float4 *bodies, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int j = 0; j < n; j++)
        sum = pull(me, bodies[j], sum);
    out[i] = sum;
}

__global__ void bodies_tiled(float3 *out, const float4 *bodies, int n)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < blockDim.x; j++)
            sum = pull(me, tile[j], sum);
        __syncthreads();
    }
    out[i] = sum;
}

__global__ void bodies_double(double *out, const double *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0, me = x[i];
    for (int j = 0; j < n; j++) {
        double d = x[j] - me;
        sum += d / sqrt(d * d + 0.01);
    }
    out[i] = sum;
}

/* Lennard-Jones with a cut: lanes differ. */
__global__ void cut_off(float *out, const float4 *bodies, int n, float limit)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float sum = 0;
    for (int j = 0; j < n; j++) {
        float4 other = bodies[j];
        float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
        float square = dx * dx + dy * dy + dz * dz;
        if (square < limit && j != i) {
            float s = 0.01f / (square + 1e-4f), six = s * s * s;
            sum += 4 * six * (six - 1) + __expf(-square) * __logf(1 + square);
        }
    }
    out[i] = sum;
}

/* Structures of eight floats, or eight arrays. */
struct particle {
    float x, y, z, u, v, w, mass, charge;
};

__global__ void move_structures(particle *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    p[i].x += dt * p[i].u;
    p[i].y += dt * p[i].v;
    p[i].z += dt * p[i].w;
}

__global__ void move_arrays(float *p, float dt, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    for (int k = 0; k < 3; k++)
        p[k * n + i] += dt * p[(k + 3) * n + i];
}

static __device__ unsigned xorshift(unsigned &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

__global__ void pi(unsigned *hits, int draws)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1, mine = 0;
    for (int i = 0; i < draws; i++) {
        float x = xorshift(state) * 2.3283064e-10f, y = xorshift(state) * 2.3283064e-10f;
        mine += x * x + y * y < 1;
    }
    atomicAdd(hits, mine);
}

/* An option's price along random paths: Box and Muller's numbers from PCG. */
__global__ void option(float *out, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long state = i * 6364136223846793005ull + 1442695040888963407ull;
    float price = 100;
    for (int step = 0; step < steps; step++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        unsigned a = (unsigned)(state >> 33) | 1, b = (unsigned)state;
        float radius = sqrtf(-2 * logf(a * 4.6566129e-10f));
        price *= expf(0.0001f + 0.02f * radius * cosf(b * 1.4629180e-9f));
    }
    out[i] = fmaxf(price - 100, 0);
}

/* Walkers until they leave an interval. */
__global__ void walk(int *out, int width, int most)
{
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 2891336453u + 7;
    int place = 0, steps = 0;
    while (abs(place) < width && steps < most) {
        place += xorshift(state) & 0x10000 ? 1 : -1;
        steps++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}

/* Ising's model: one colour of the board, linear congruential numbers. */
__global__ void ising(signed char *board, unsigned *states, int size, int colour)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    x = 2 * x + (y + colour) % 2;
    int left = (x + size - 1) % size, right = (x + 1) % size;
    int up = (y + size - 1) % size, down = (y + 1) % size, i = y * size + x;
    int sum = board[y * size + left] + board[y * size + right] + board[up * size + x] +
              board[down * size + x];
    unsigned state = states[i / 2] * 1664525u + 1013904223u;
    states[i / 2] = state;
    if (state * 2.3283064e-10f < __expf(-0.8f * sum * board[i]))
        board[i] = -board[i];
}

/* Particles are counted into the cells of a grid. */
__global__ void deposit(float *cells, const float4 *bodies, int side)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = bodies[i];
    float x = p.x * (side - 1), y = p.y * (side - 1);
    int cx = (int)x, cy = (int)y;
    float fx = x - cx, fy = y - cy;
    atomicAdd(&cells[cy * side + cx], (1 - fx) * (1 - fy));
    atomicAdd(&cells[cy * side + cx + 1], fx * (1 - fy));
    atomicAdd(&cells[(cy + 1) * side + cx], (1 - fx) * fy);
    atomicAdd(&cells[(cy + 1) * side + cx + 1], fx * fy);
}

int main()
{
    const int n = 1 << 16;
    float4 *bodies = (float4 *)fractions<float>(4 * n);
    float *p = fractions<float>(8 * n), *out = zeros<float>(4 * n);
    double *dx = fractions<double>(n), *dout = zeros<double>(n);
    unsigned *states = (unsigned *)integers(n * 4, 1 << 30), *hits = zeros<unsigned>(1);
    auto spin = [](size_t i) { return (signed char)(scrambled(i) & 1 ? 1 : -1); };
    signed char *board = filled<signed char>(512 * 512, spin);
    TWICE(bodies_plain<<<16, 128>>>((float3 *)out, bodies, 512));
    TWICE(bodies_plain<<<132, 64>>>((float3 *)out, bodies, 256));
    TWICE(bodies_tiled<<<16, 128, 2048>>>((float3 *)out, bodies, 512));
    TWICE(bodies_tiled<<<133, 256, 4096>>>((float3 *)out, bodies, 256));
    TWICE(bodies_double<<<32, 64>>>(dout, dx, 256));
    TWICE(cut_off<<<32, 128>>>(out, bodies, 256, 0.1f));
    TWICE(cut_off<<<32, 128>>>(out, bodies, 256, 4.0f));
    TWICE(move_structures<<<n / 256, 256>>>((particle *)p, 0.001f, n));
    TWICE(move_arrays<<<n / 256, 256>>>(p, 0.001f, n));
    TWICE(pi<<<264, 256>>>(hits, 64));
    TWICE(pi<<<1, 64>>>(hits, 2000));
    TWICE(option<<<66, 128>>>(out, 32));
    TWICE(option<<<4, 32>>>(out, 300));
    TWICE(walk<<<66, 128>>>((int *)out, 8, 600));
    TWICE(ising<<<dim3(8, 64), dim3(32, 8)>>>(board, states, 512, 0));
    TWICE(deposit<<<n / 256, 256>>>(out, bodies, 400));
    TWICE(deposit<<<n / 256, 256>>>(out, bodies, 8));
    return 0;
}
