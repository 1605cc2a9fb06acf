// Chance: Monte Carlo methods with generators of different kinds.
#include "../launch.cuh"

__device__ unsigned xorshift(unsigned &s)
{
    s ^= s << 13;
    s ^= s >> 17;
    s ^= s << 5;
    return s;
}

__global__ void pi_points(unsigned *inside, int tries)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1, hits = 0;
    for (int k = 0; k < tries; ++k) {
        float x = xorshift(s) * 2.3283064e-10f, y = xorshift(s) * 2.3283064e-10f;
        hits += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, hits);
}

__device__ void philox_round(uint4 &c, uint2 &k)
{
    unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
}

__global__ void normals(float4 *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 c = make_uint4(i, 0, 7, 9);
    uint2 k = make_uint2(11, 13);
    for (int r = 0; r < 10; ++r)
        philox_round(c, k);
    float u = sqrtf(-2 * logf((c.x + 1.0f) * 2.3283064e-10f)),
          v = sqrtf(-2 * logf((c.z + 1.0f) * 2.3283064e-10f));
    float s, t, a, b;
    sincosf(c.y * 1.4629181e-9f, &s, &t);
    sincosf(c.w * 1.4629181e-9f, &a, &b);
    out[i] = make_float4(u * s, u * t, v * a, v * b);
}

__global__ void asian_option(float *payoff, int steps)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = i * 2891336453u + 17;
    float price = 100, sum = 0;
    for (int t = 0; t < steps; ++t) {
        float u = (xorshift(s) & 0xffffff) * 5.96e-8f - 0.5f;
        price *= __expf(0.0001f + 0.02f * u);
        sum += price;
    }
    payoff[i] = fmaxf(sum / steps - 100, 0.0f);
}

// Random walks on a grid; each cell counts its visits.
__global__ void walkers(int *visits, int side, int steps)
{
    unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 1103515245u + 12345;
    int x = s % side, y = s / side % side;
    for (int k = 0; k < steps; ++k) {
        unsigned r = xorshift(s) >> 30;
        x = (x + (r == 0) - (r == 1) + side) % side;
        y = (y + (r == 2) - (r == 3) + side) % side;
        atomicAdd(&visits[y * side + x], 1);
    }
}

__global__ void metropolis(signed char *spin, int side, int colour, float beta)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, y = i / (side / 2),
        x = i % (side / 2) * 2 + ((y + colour) & 1);
    int up = spin[(y + side - 1) % side * side + x], down = spin[(y + 1) % side * side + x];
    int left = spin[y * side + (x + side - 1) % side], right = spin[y * side + (x + 1) % side];
    unsigned s = i * 747796405u + 2891336453u;
    xorshift(s);
    float energy = 2.0f * spin[y * side + x] * (up + down + left + right);
    if (energy <= 0 || (xorshift(s) & 0xffff) * 1.52588e-5f < expf(-beta * energy))
        spin[y * side + x] = -spin[y * side + x];
}

int main()
{
    float4 *out = zeros<float4>(1 << 19);
    int *visits = zeros<int>(1 << 20);
    signed char *spins = filled<signed char>(
        1 << 22, [](size_t i) { return (signed char)(scrambled(i) & 1 ? 1 : -1); });
    TWICE(pi_points<<<528, 128>>>((unsigned *)visits, 200));
    TWICE(pi_points<<<66, 1024>>>((unsigned *)visits, 200));
    TWICE(normals<<<1 << 11, 256>>>(out));
    TWICE(asian_option<<<512, 128>>>((float *)out, 100));
    TWICE(walkers<<<256, 128>>>(visits, 1024, 50));
    TWICE(walkers<<<256, 128>>>(visits, 16, 50));
    TWICE(metropolis<<<(1 << 21) / 256, 256>>>(spins, 2048, 0, 0.44f));
}
