/* Flow, heart cells, magnetic resonance. */
#include "expect.cuh"

#define SPEEDS  9
#define SAMPLES 256

static __constant__ int along[SPEEDS] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static __constant__ int across[SPEEDS] = {0, 0, 1, 0, -1, 1, 1, -1, -1};

/* One step of the lattice Boltzmann method in two dimensions on a ring, as Parboil's lbm in three. BY_SPEED: the first
 * speed of all cells comes first, else all speeds of the first cell. */
template <bool BY_SPEED>
static __global__ void lattice_boltzmann(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, cells = width * height;
    float f[SPEEDS], density = 0, u = 0, v = 0;
#pragma unroll
    for (int s = 0; s < SPEEDS; s++) {
        int from_x = (x - along[s] + width) % width, from_y = (y - across[s] + height) % height;
        int cell = from_y * width + from_x;
        f[s] = in[BY_SPEED ? s * cells + cell : cell * SPEEDS + s];
        density += f[s];
        u += f[s] * along[s];
        v += f[s] * across[s];
    }
    u /= density;
    v /= density;
#pragma unroll
    for (int s = 0; s < SPEEDS; s++) {
        float weight = s == 0 ? 4 / 9.0f : s < 5 ? 1 / 9.0f : 1 / 36.0f;
        float speed = along[s] * u + across[s] * v;
        float even =
            weight * density * (1 + 3 * speed + 4.5f * speed * speed - 1.5f * (u * u + v * v));
        int cell = y * width + x;
        out[BY_SPEED ? s * cells + cell : cell * SPEEDS + s] = f[s] + 0.6f * (even - f[s]);
    }
}

static __constant__ float4 trajectory[SAMPLES];

/* Adds up waves at each voxel, as Parboil's mri-q. */
template <bool FAST>
static __global__ void resonate(float2 *q, const float *x, const float *y, const float *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float real = 0, imaginary = 0, sine, cosine;
    for (int s = 0; s < SAMPLES; s++) {
        float4 k = trajectory[s];
        float angle = k.x * x[i] + k.y * y[i] + k.z * z[i];
        if (FAST)
            __sincosf(angle, &sine, &cosine);
        else
            sincosf(angle, &sine, &cosine);
        real += k.w * cosine;
        imaginary += k.w * sine;
    }
    q[i] = make_float2(real, imaginary);
}

/* Integrates FitzHugh and Nagumo's cell in doubles by the classic method of Runge and Kutta: few threads with much work
 * each, as Rodinia's myocyte. */
__host__ __device__ static double2 slope(double2 cell, double current)
{
    return make_double2(cell.x - cell.x * cell.x * cell.x / 3 - cell.y + current,
                        0.08 * (cell.x + 0.7 - 0.8 * cell.y));
}

__host__ __device__ static double2 moved(double2 cell, double2 along, double step)
{
    return make_double2(cell.x + step * along.x, cell.y + step * along.y);
}

__host__ __device__ static double2 integrate(double current, int steps)
{
    double2 cell = make_double2(-1, -0.5);
    const double step = 0.05;
    for (int s = 0; s < steps; s++) {
        double2 a = slope(cell, current), b = slope(moved(cell, a, step / 2), current);
        double2 c = slope(moved(cell, b, step / 2), current);
        double2 d = slope(moved(cell, c, step), current);
        cell.x += step / 6 * (a.x + 2 * b.x + 2 * c.x + d.x);
        cell.y += step / 6 * (a.y + 2 * b.y + 2 * c.y + d.y);
    }
    return cell;
}

static __global__ void beat(double2 *cells, const double *current, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i] = integrate(current[i], steps);
}

template <bool BY_SPEED> static void flow(int width, int height)
{
    const int cells = width * height;
    float *in = filled<float>((size_t)cells * SPEEDS, [](size_t i) { // about even, and positive
        return 0.1f + scrambled(i) % 1000 / 10000.0f;
    });
    float *out = zeros<float>((size_t)cells * SPEEDS);
    dim3 grid(width / 128, height);
    TWICE(lattice_boltzmann<BY_SPEED><<<grid, 128>>>(out, in, width, height));
    std::vector<float> before = fetched(in, (size_t)cells * SPEEDS);
    std::vector<float> after = fetched(out, (size_t)cells * SPEEDS);
    double mass = 0, mass_before = 0, change = 0;
    for (size_t i = 0; i < after.size(); i++) {
        mass += after[i];
        mass_before += before[i];
        change += fabs(after[i] - before[i]);
    }
    EXPECT(near(mass, mass_before, 1e-5) && change > 0.01 * mass);
}

int main()
{
    flow<true>(512, 256);
    flow<true>(1024, 512);
    flow<false>(512, 256);
    flow<false>(1024, 512);

    const int n = 1 << 14;
    float *x = fractions<float>(n), *y = fractions<float>(n), *z = fractions<float>(n);
    float2 *q = zeros<float2>(n);
    float4 samples[SAMPLES];
    for (int s = 0; s < SAMPLES; s++)
        samples[s] = make_float4(s % 7 - 3.0f, s % 11 - 5.0f, s % 13 - 6.0f, 1 + s % 3);
    CHECK(cudaMemcpyToSymbol(trajectory, samples, sizeof samples));
    std::vector<float> place = fetched(x, n);
    auto expect_resonance = [&] {
        std::vector<float2> found = fetched(q, n);
        for (int i = 0; i < n; i += 97) {
            double real = 0;
            for (const float4 &k : samples)
                real += k.w * cos((k.x + k.y + k.z) * place[i]);
            EXPECT(fabs(found[i].x - real) < 0.05);
        }
        clear(q, n);
    };
    TWICE(resonate<false><<<n / 256, 256>>>(q, x, y, z, n));
    expect_resonance();
    TWICE(resonate<true><<<n / 256, 256>>>(q, x, y, z, n));
    expect_resonance();

    double *current = filled<double>(4096, [](size_t i) { return i % 64 * 0.01; });
    double2 *cells = zeros<double2>(4096);
    auto expect_cells = [&](int count, int steps) {
        std::vector<double2> found = fetched(cells, count);
        for (int i = 0; i < count; i += 33) {
            double2 right = integrate(i % 64 * 0.01, steps);
            EXPECT(near(found[i].x, right.x, 1e-6) && near(found[i].y, right.y, 1e-6));
        }
        clear(cells, count);
    };
    TWICE(beat<<<1, 32>>>(cells, current, 1000));
    expect_cells(32, 1000);
    TWICE(beat<<<4096 / 64, 64>>>(cells, current, 500));
    expect_cells(4096, 500);
    return 0;
}
