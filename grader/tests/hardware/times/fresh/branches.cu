/* Lanes that part: fractals, rays, roots, state machines, early returns. */
#include "../launch.cuh"

template <typename T>
__global__ void mandelbrot(int *out, int width, int most, T left, T top, T step)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    T cx = left + px * step, cy = top + py * step, x = 0, y = 0;
    int i = 0;
    for (; i < most && x * x + y * y < 4; i++) {
        T next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
    }
    out[py * width + px] = i;
}

__global__ void julia(unsigned char *out, int n, int most)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = (i % 256) * 0.012f - 1.5f, y = (i / 256) * 0.012f - 1.5f;
        int k = 0;
        while (k < most && x * x + y * y < 4) {
            float next = x * x - y * y - 0.8f;
            y = 2 * x * y + 0.156f;
            x = next;
            k++;
        }
        out[i] = k;
    }
}

static __device__ float away(float x, float y, float z)
{
    float cx = x - 2 * rintf(x / 2), cz = z - 2 * rintf(z / 2);
    float ball = sqrtf(cx * cx + y * y + cz * cz) - 0.6f;
    return fminf(ball, y + 1);
}

/* Marches along rays by the distance to the nearest surface. */
__global__ void march(float *out, int width, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float dx = (px - width / 2) / (float)width, dy = (py - width / 2) / (float)width;
    float scale = rsqrtf(dx * dx + dy * dy + 1), t = 0;
    for (int i = 0; i < most; i++) {
        float d = away(dx * scale * t, 1 + dy * scale * t, scale * t - 3);
        if (d < 0.001f || t > 30)
            break;
        t += d;
    }
    out[py * width + px] = t;
}

/* The nearest of some spheres along a ray, and a second ray from there. */
__global__ void spheres(float *out, const float4 *balls, int count, int width)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float ox = px / (float)width, oy = py / (float)width, oz = -1, dx = 0, dy = 0, dz = 1,
          light = 0;
    for (int bounce = 0; bounce < 3; bounce++) {
        float nearest = 1e9f;
        int hit = -1;
        for (int k = 0; k < count; k++) {
            float4 b = balls[k];
            float x = ox - b.x, y = oy - b.y, z = oz - b.z, r = 0.02f + 0.1f * b.w;
            float half = x * dx + y * dy + z * dz,
                  rest = half * half - (x * x + y * y + z * z - r * r);
            if (rest <= 0)
                continue;
            float t = -half - sqrtf(rest);
            if (t > 1e-4f && t < nearest) {
                nearest = t;
                hit = k;
            }
        }
        if (hit < 0) {
            light += 0.5f * dy + 0.5f;
            break;
        }
        ox += nearest * dx, oy += nearest * dy, oz += nearest * dz;
        float nx = ox - balls[hit].x, ny = oy - balls[hit].y, nz = oz - balls[hit].z;
        float scale = rsqrtf(nx * nx + ny * ny + nz * nz), along;
        nx *= scale, ny *= scale, nz *= scale;
        along = 2 * (dx * nx + dy * ny + dz * nz);
        dx -= along * nx, dy -= along * ny, dz -= along * nz;
        light += 0.2f;
    }
    out[py * width + px] = light;
}

__global__ void newton(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    float a = in[i] * 100 + 0.01f, x = 1;
    while (fabsf(x * x * x - a) > 1e-3f * a && steps < 60) {
        x -= (x * x * x - a) / (3 * x * x);
        steps++;
    }
    out[i] = x;
}

__global__ void collatz(int *out, int first, int limit)
{
    unsigned n = first + blockIdx.x * blockDim.x + threadIdx.x;
    int steps = 0;
    for (; n != 1 && steps < limit; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}

/* One of eight calculations by a lane's number, or by its warp's. */
__global__ void eight_ways(float *out, const float *in, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i] + 1;
    for (int k = 0; k < 8; k++)
        switch (i / by % 8) {
        case 0:
            x = sqrtf(x + 1);
            break;
        case 1:
            x = __logf(x + 2);
            break;
        case 2:
            x = x * x * 0.25f + 0.5f;
            break;
        case 3:
            x = 1 / (x + 0.5f);
            break;
        case 4:
            x = __expf(-x);
            break;
        case 5:
            x = fmaf(x, 0.3f, 0.7f) * x;
            break;
        case 6:
            x = fabsf(x - 0.5f) + 0.25f;
            break;
        default:
            x = rsqrtf(x + 0.1f);
        }
    out[i] = x;
}

/* A machine reads a program of single bytes. */
__global__ void interpret(int *out, const unsigned char *code, int length)
{
    int a = blockIdx.x * blockDim.x + threadIdx.x, b = 1, at = 0, steps = 0;
    while (at < length && steps++ < 200) {
        switch (code[at] % 6) {
        case 0:
            a += b;
            break;
        case 1:
            b = a ^ b << 1;
            break;
        case 2:
            a = a * 3 + 1;
            break;
        case 3:
            at += a & 3;
            break;
        case 4:
            b -= a;
            break;
        default:
            a ^= a >> 3;
        }
        at++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = a + b;
}

int main()
{
    const int n = 1 << 16;
    int *out = zeros<int>(4 * n);
    float *in = fractions<float>(n), *pixels = zeros<float>(4 * n);
    float4 *balls = (float4 *)fractions<float>(400);
    unsigned char *code = (unsigned char *)integers(256, 1u << 31);
    TWICE(mandelbrot<float><<<dim3(8, 32), dim3(32, 8)>>>(out, 256, 100, -2, -1.5f, 0.0117f));
    TWICE(mandelbrot<float><<<dim3(16, 16), dim3(16, 16)>>>(out, 256, 100, -2, -1.5f, 0.0117f));
    TWICE(mandelbrot<float><<<dim3(4, 4), dim3(32, 4)>>>(out, 128, 1000, -0.75f, 0.1f, 1e-4f));
    TWICE(mandelbrot<double><<<dim3(8, 16), dim3(16, 8)>>>(out, 128, 100, -2, -1.5, 0.0234));
    TWICE(julia<<<132, 128>>>((unsigned char *)out, n, 200));
    TWICE(march<<<dim3(8, 32), dim3(32, 8)>>>(pixels, 256, 64));
    TWICE(march<<<dim3(32, 2), dim3(4, 64)>>>(pixels, 128, 64));
    TWICE(spheres<<<dim3(4, 16), dim3(32, 8)>>>(pixels, balls, 32, 128));
    TWICE(newton<<<n / 256, 256>>>(pixels, in));
    TWICE(collatz<<<128, 128>>>(out, 1, 400));
    TWICE(collatz<<<1, 32>>>(out, 77000, 400));
    TWICE(eight_ways<<<n / 256, 256>>>(pixels, in, 1));
    TWICE(eight_ways<<<n / 256, 256>>>(pixels, in, 32));
    TWICE(interpret<<<64, 128>>>(out, code, 256));
    return 0;
}
