/* Memories for read-only data, in the steps of lab 15: weights that all lanes want, a curve where each lane wants
 * another number, a picture that stores might change, and a picture that is turned.
 *
 * Look at: the replays of constant loads, the loads from global memory, and the sectors of textures. */
#include "ladder.cuh"
#include "read_only.h"

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/15-read-only/read_only.cu"
}
#undef THREADS // the skeleton defines it, too
namespace skeleton
{
#include "../../labs/15-read-only/.skeleton.cu"
}
#undef main

// One filter for a warp, and its weights in global memory.
__global__ void filter_global(const float *data, const float *weights, float *result, int n)
{
    int f = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; ++k)
        sum += weights[f * TAPS + k] * data[i + k];
    result[f * n + i] = sum;
}

// A thread works on all filters, and loads each number once.
__global__ void filter_all(const float *data, float *result, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sums[FILTERS] = {};
    if (i >= n)
        return;
    for (int k = 0; k < TAPS; ++k)
        for (int f = 0; f < FILTERS; ++f)
            sums[f] += solution::weights[f * TAPS + k] * data[i + k];
    for (int f = 0; f < FILTERS; ++f)
        result[f * n + i] = sums[f];
}

__global__ void curve_global(const unsigned char *pixels, const float *curve, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = __ldg(&curve[pixels[i]]);
}

// Loads through the read-only path, but the compiler does not know that stores leave the picture alone.
__global__ void slopes_ldg(const float *data, float *right, float *down, float *mean, float *sharp,
                           int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int pitch = width + 2, i = y * width + x;
    const float *p = data + (y + 1) * pitch + x + 1;
    if (x >= width)
        return;
    right[i] = __ldg(p + 1) - __ldg(p - 1);
    down[i] = __ldg(p + pitch) - __ldg(p - pitch);
    mean[i] = (__ldg(p + 1) + __ldg(p - 1) + __ldg(p + pitch) + __ldg(p - pitch)) / 4;
    sharp[i] =
        2 * __ldg(p) - (__ldg(p + 1) + __ldg(p - 1) + __ldg(p + pitch) + __ldg(p - pitch)) / 4;
}

/* Returns a number from 0 to 255 that looks random. */
static unsigned char grey_of(unsigned i)
{
    unsigned h = i * 2654435761u;
    return (unsigned char)((h ^ h >> 15) * 2246822519u >> 24);
}

/* Returns the job of RUNG on whole numbers from 0 to 255. */
static struct job new_job(int rung, int width, int height, int degrees)
{
    struct job job = {};
    float *data, *weights = (float *)malloc(FILTERS * TAPS * sizeof *weights);
    job.rung = rung;
    job.width = width;
    job.height = height;
    job.cosine = (float)cos(degrees * 3.14159265358979324 / 180);
    job.sine = (float)sin(degrees * 3.14159265358979324 / 180);
    job.data = data = (float *)malloc(data_of(&job) * sizeof *data);
    unsigned char *pixels = (unsigned char *)malloc(width * height);
    for (int i = 0; i < data_of(&job); ++i)
        data[i] = grey_of(i);
    for (int i = 0; i < width * height; ++i)
        pixels[i] = grey_of(i);
    for (int k = 0; k < FILTERS * TAPS; ++k)
        weights[k] = (float)(k % 7 - 3);
    job.weights = weights;
    job.curve = data; // any 256 numbers
    job.pixels = rung == CURVE ? pixels : NULL;
    return job;
}

/* Runs a rung, and looks at some of its results. */
template <typename Work>
static void rung(const char *name, const char *title, const struct job *job, const float *out,
                 Work work)
{
    ladder_rung(
        name, title, [] {}, work,
        [&] {
            int count = results_of(job), step = count > 1 << 17 ? 997 : 1, wrong = 0;
            float *result = (float *)malloc(count * sizeof *result);
            ladder_download(result, out, count);
            for (int i = 0; i < count; i += step)
                wrong +=
                    !(fabs(result[i] - result_on_cpu(job, i)) <= (job->rung == ROTATE ? 2 : 0));
            free(result);
            return wrong == 0;
        });
}

static void climb_filters(int n)
{
    struct job job = new_job(FILTER, n, 1, 0);
    const float *data = ladder_upload(job.data, data_of(&job)),
                *weights = ladder_upload(job.weights, FILTERS * TAPS);
    float *out = ladder_alloc<float>(results_of(&job));
    dim3 planes(n / 256, FILTERS);
    CHECK_CUDA(cudaMemcpyToSymbol(solution::weights, job.weights, sizeof solution::weights));
    CHECK_CUDA(cudaMemcpyToSymbol(skeleton::weights, job.weights, sizeof skeleton::weights));
    rung("filter-scattered", "constant memory, eight weights at a time", &job, out,
         [&] { skeleton::filter<<<n / 256 * FILTERS, 256>>>(data, out, n); });
    rung("filter-global", "global memory, one weight at a time", &job, out,
         [&] { filter_global<<<planes, 256>>>(data, weights, out, n); });
    rung("filter-constant", "constant memory, one weight at a time", &job, out,
         [&] { solution::filter<<<planes, 256>>>(data, out, n); });
    rung("filter-all", "constant memory, all filters in a thread", &job, out,
         [&] { filter_all<<<n / 256, 256>>>(data, out, n); });
    free_memory({data, weights, out});
}

static void climb_curves(int width, int height)
{
    struct job job = new_job(CURVE, width, height, 0);
    int n = width * height, blocks = (n / 256 + 7) / 8;
    const unsigned char *pixels = ladder_upload(job.pixels, n);
    const float *curve = ladder_upload(job.curve, GREYS);
    float *out = ladder_alloc<float>(n);
    CHECK_CUDA(cudaMemcpyToSymbol(skeleton::curve, job.curve, sizeof skeleton::curve));
    rung("curve-constant", "a curve in constant memory", &job, out,
         [&] { skeleton::apply_curve<<<blocks, 256>>>(pixels, out, n); });
    rung("curve-global", "in global memory", &job, out,
         [&] { curve_global<<<blocks, 256>>>(pixels, curve, out, n); });
    rung("curve-shared", "in shared memory", &job, out,
         [&] { solution::apply_curve<<<blocks, 256>>>(pixels, curve, out, n); });
    free_memory({pixels, curve, out});
}

static void climb_slopes(int width, int height)
{
    struct job job = new_job(SLOPES, width, height, 0);
    int n = width * height;
    const float *data = ladder_upload(job.data, data_of(&job));
    float *out = ladder_alloc<float>(results_of(&job));
    auto one = [&](const char *name, const char *title, auto kernel) {
        rung(name, title, &job, out, [&] {
            kernel<<<dim3((width + 255) / 256, height), 256>>>(data, out, out + n, out + 2 * n,
                                                               out + 3 * n, width, height);
        });
    };
    one("slopes-plain", "slopes, no promise", skeleton::slopes);
    one("slopes-ldg", "__ldg() alone", slopes_ldg);
    one("slopes-restrict", "const and __restrict__", solution::slopes);
    free_memory({data, out});
}

static void climb_turns(int width, int height)
{
    struct job job = new_job(ROTATE, width, height, 50);
    const float *data = ladder_upload(job.data, data_of(&job));
    float *out = ladder_alloc<float>(results_of(&job));
    cudaTextureObject_t texture =
        new_texture(job.data, width, height, cudaFilterModeLinear, cudaAddressModeBorder);
    auto by_hand = [&](const char *name, const char *title, dim3 threads) {
        dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
        rung(name, title, &job, out, [&] {
            skeleton::rotate<<<blocks, threads>>>(data, out, width, height, job.cosine, job.sine);
        });
    };
    auto filtered = [&](const char *name, const char *title, dim3 threads) {
        dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
        rung(name, title, &job, out, [&] {
            solution::rotate<<<blocks, threads>>>(texture, out, width, height, job.cosine,
                                                  job.sine);
        });
    };
    by_hand("turn-loads-rows", "four loads, 32 x 1 pixels a warp", dim3(32, 8));
    by_hand("turn-loads-squares", "four loads, 8 x 4 pixels a warp", dim3(8, 32));
    filtered("turn-texture-rows", "a texture, 32 x 1 pixels a warp", dim3(32, 8));
    filtered("turn-texture-16", "a texture, 16 x 2 pixels a warp", dim3(16, 16));
    filtered("turn-texture-squares", "a texture, 8 x 4 pixels a warp", dim3(8, 32));
    free_texture(texture);
    free_memory({data, out});
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    int width = ladder.large ? 4096 : 256, height = ladder.large ? 4096 : 128;
    ladder_size("", ladder.large ? "4,096 x 4,096 pixels; 4,194,304 numbers for the filters"
                                 : "256 x 128 pixels; 8,192 numbers for the filters");
    climb_filters(ladder.large ? 1 << 22 : 1 << 13);
    climb_curves(width, height);
    climb_slopes(width, height);
    climb_turns(width, height);
    return 0;
}
