/* Lab 15: memories for read-only data.
 *
 * Five jobs, with data that no thread writes:
 *     rung 1   FILTERS filters over a row of numbers
 *     rung 2   a curve: a new number for each grey
 *     rung 3   slopes of a picture, its mean, and the picture sharpened
 *     rung 4   a picture, turned about its centre
 *     rung 5   a blurred picture through a curve
 *
 * The program is right, but arrays lie in the wrong memory, or are read in the wrong way. Constant
 * memory serves one word at a time, to all lanes of a warp that want it.
 *
 * Try it:      make run LAB=15-read-only ARGS='rung=1 width=128 height=64'
 * Grade it:    make grade LAB=15-read-only */
#include "read_only.h"

#define THREADS 256 // threads of a block

__constant__ float weights[FILTERS * TAPS];
__constant__ float curve[GREYS];

// Rung 1: each filter gives N results: the sums of its weights times the numbers from data[i] on.
// TODO 1: the lanes of a warp work on eight filters, so they want eight weights at a time. Give each
//         warp one filter: let main() launch a grid with FILTERS blocks in y.
__global__ void filter(const float *data, float *result, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, f = t % FILTERS, i = t / FILTERS;
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; ++k)
        sum += weights[f * TAPS + k] * data[i + k];
    result[f * n + i] = sum;
}

// Rung 2: the curve's number for each pixel.
// TODO 2: 32 lanes want about 30 words of the curve. Let main() upload() it, and let the threads of
//         each block copy it to shared memory first.
__global__ void apply_curve(const unsigned char *pixels, float *result, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = curve[pixels[i]];
}

// Rung 3: for each pixel, the slopes to the right and down, the mean of its neighbours, and the
// sharpened pixel. DATA has a frame, one pixel wide.
// TODO 3: the kernel loads 13 numbers for each pixel, although there are only five. It must: as far as
//         the compiler knows, right[i] could be the same word as p[1]. Promise that it is not, with
//         __restrict__ after the * of a parameter. Try __ldg(p + 1) first, and count.
__global__ void slopes(const float *data, float *right, float *down, float *mean, float *sharp,
                       int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    int pitch = width + 2, i = y * width + x;
    const float *p = data + (y + 1) * pitch + x + 1; // the pixel
    if (x >= width)
        return;
    right[i] = p[1] - p[-1];
    down[i] = p[pitch] - p[-pitch];
    mean[i] = (p[1] + p[-1] + p[pitch] + p[-pitch]) / 4;
    sharp[i] = 2 * p[0] - (p[1] + p[-1] + p[pitch] + p[-pitch]) / 4;
}

// Returns the pixel at (x, y), or 0 outside of the picture.
__device__ float pixel(const float *picture, int width, int height, int x, int y)
{
    return x >= 0 && x < width && y >= 0 && y < height ? picture[y * width + x] : 0;
}

// Rung 4: the picture, turned about its centre. A result is a mean of the four pixels around (u, v).
// TODO 4: let tex2D<float>(picture, u, v) do it. new_texture() of read_only.h makes the texture, and
//         free_texture() frees it. Which filter mode, which address mode? Then look at the blocks:
//         32 pixels in a row lie in 20 rows or more of the picture. Which shape keeps them together?
__global__ void rotate(const float *picture, float *result, int width, int height, float cosine,
                       float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float dx = x + 0.5f - width / 2.f, dy = y + 0.5f - height / 2.f; // from the centre
    float u = cosine * dx - sine * dy + width / 2.f, v = sine * dx + cosine * dy + height / 2.f;
    int left = (int)floorf(u - 0.5f), top = (int)floorf(v - 0.5f); // the centre is at 0.5, 0.5
    float right = u - 0.5f - left, below = v - 0.5f - top;
    float upper = (1 - right) * pixel(picture, width, height, left, top) +
                  right * pixel(picture, width, height, left + 1, top);
    float lower = (1 - right) * pixel(picture, width, height, left, top + 1) +
                  right * pixel(picture, width, height, left + 1, top + 1);
    result[y * width + x] = (1 - below) * upper + below * lower;
}

// Rung 5: blurs the picture by a mask of MASK x 3 weights, then applies the curve.
// TODO 5: which memory is right for the mask, which for the curve, which for the pixels?
__global__ void develop(const unsigned char *pixels, const int *mask, float *result, int width,
                        int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width)
        return;
    for (int y = blockIdx.y; y < height; y += gridDim.y) {
        int sum = 0;
#pragma unroll
        for (int k = 0; k < 3 * MASK; ++k) {
            int a = x + k % MASK - MASK / 2, b = y + k / MASK - 1;
            if (a >= 0 && a < width && b >= 0 && b < height)
                sum += mask[k] * pixels[b * width + a];
        }
        result[y * width + x] = curve[sum / MASK_SUM];
    }
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab);
    int width = job.width, height = job.height, n = width * height, count = results_of(&job);
    float *result = (float *)malloc(count * sizeof(float)), *out; // `out` is on the GPU
    const float *data = upload(job.data, data_of(&job));
    const unsigned char *pixels = upload(job.pixels, n);
    const int *mask = upload(job.mask, 3 * MASK);
    CHECK_CUDA(cudaMalloc(&out, count * sizeof(float)));
    if (job.weights)
        CHECK_CUDA(cudaMemcpyToSymbol(weights, job.weights, sizeof weights));
    if (job.curve)
        CHECK_CUDA(cudaMemcpyToSymbol(curve, job.curve, sizeof curve));

    while (lab_again(&lab)) {
        dim3 rows((width + THREADS - 1) / THREADS, height); // a block has pixels of one row
        int blocks = (n + THREADS - 1) / THREADS;
        if (job.rung == FILTER)
            filter<<<blocks * FILTERS, THREADS>>>(data, out, n);
        else if (job.rung == CURVE)
            apply_curve<<<(blocks + 7) / 8, THREADS>>>(pixels, out, n);
        else if (job.rung == SLOPES)
            slopes<<<rows, THREADS>>>(data, out, out + n, out + 2 * n, out + 3 * n, width, height);
        else if (job.rung == ROTATE)
            rotate<<<rows, THREADS>>>(data, out, width, height, job.cosine, job.sine);
        else
            develop<<<dim3(rows.x, (height + 7) / 8), THREADS>>>(pixels, mask, out, width, height);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(result, out, count * sizeof(float), cudaMemcpyDeviceToHost));
    lab_result(&lab, "result", LAB_FLOAT, result, count);
    if (lab_by_hand(&lab))
        printf("CPU: %d results are wrong\n", wrong_results(&job, result));

    free_memory({data, mask, pixels, out});
    free(result);
    return lab_close(&lab);
}
