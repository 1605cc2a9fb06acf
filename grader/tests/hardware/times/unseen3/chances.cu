/* Randomness and divergence: spins, and points outside the Mandelbrot set. */
#include "expect.cuh"

/* One half-step of an Ising model on a chessboard, as HeCBench's ising. The other colour's spins are fixed. */
static __global__ void flip_spins(signed char *out, const signed char *mine,
                                  const signed char *others, float coupling, int odd, int height,
                                  int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= width)
        return;
    int above = y > 0 ? y - 1 : height - 1, below = y < height - 1 ? y + 1 : 0;
    int side = ((y & 1) ^ odd) ? x + 1 : x - 1;
    side = side < 0 ? width - 1 : side == width ? 0 : side;
    int sum = others[y * width + x] + others[above * width + x] + others[below * width + x] +
              others[y * width + side];
    unsigned random = (y * width + x) * 747796405u + 2891336453u;
    random = (random >> ((random >> 28) + 4) ^ random) * 277803737u;
    float chance = (random >> 8) / 16777216.0f;
    int spin = mine[y * width + x];
    out[y * width + x] = chance < expf(-2 * coupling * sum * spin) ? -spin : spin;
}

/* As CUDA samples' Mandelbrot. */
template <typename T>
static __global__ void mandelbrot(int *steps, T left, T top, T step, int most, int width,
                                  int height)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    T x = left + px * step, y = top + py * step, u = 0, v = 0;
    int n = 0;
    for (; n < most && u * u + v * v < 4; n++) {
        T next = u * u - v * v + x;
        v = 2 * u * v + y;
        u = next;
    }
    steps[py * width + px] = n;
}

static void spins(int height, int width, float coupling)
{
    auto spin_of = [](size_t i) { return (signed char)(scrambled(i) >> 16 & 1 ? 1 : -1); };
    signed char *mine = filled<signed char>((size_t)height * width, spin_of);
    signed char *all_up =
        filled<signed char>((size_t)height * width, [](size_t) { return (signed char)1; });
    signed char *out = zeros<signed char>((size_t)height * width);
    TWICE(flip_spins<<<dim3(width / 128, height), 128>>>(out, mine, all_up, coupling, 0, height,
                                                         width));
    int up = 0;
    for (signed char spin : fetched(out, (size_t)height * width))
        up += spin > 0;
    // All that were down go up. Of the others, half of all, a known share goes down.
    EXPECT(near((double)up / height / width, 1 - exp(-8 * coupling) / 2, 0.01));
}

template <typename T> static void fractal(T left, T top, T step, int most, dim3 block)
{
    const int width = 512, height = 384;
    int *steps = zeros<int>(width * height);
    TWICE(mandelbrot<T><<<dim3(width / block.x, height / block.y), block>>>(steps, left, top, step,
                                                                            most, width, height));
    std::vector<int> found = fetched(steps, width * height);
    int inside = 0, outside = 0;
    for (int i = 0; i < width * height; i++) {
        double x = left + i % width * step, y = top + i / width * step;
        EXPECT(x * x + y * y < 4.001 || found[i] <= 1);
        EXPECT((x + 1) * (x + 1) + y * y > 0.0624 || found[i] == most); // the disk on the left
        inside += found[i] == most;
        outside += found[i] < most;
    }
    EXPECT(inside > 100 && outside > 100);
}

int main()
{
    spins(512, 256, 0.4f);
    spins(2048, 1024, 0.4f);
    spins(2048, 1024, 0.1f);
    fractal<float>(-2.2f, -1.2f, 0.00625f, 256, dim3(16, 16));
    fractal<float>(-2.2f, -1.2f, 0.00625f, 256, dim3(256, 1));
    fractal<float>(-0.76f, 0.06f, 0.0001f, 128, dim3(32, 8));
    fractal<double>(-2.2, -1.2, 0.00625, 256, dim3(16, 16));
    return 0;
}
