/* Lab 15: memories for read-only data.
 *
 * Five jobs, with data that no thread writes:
 *
 *     rung 1   FILTERS filters over a row of numbers
 *     rung 2   a curve: a new number for each grey
 *     rung 3   slopes of a picture, its mean, and the picture sharpened
 *     rung 4   a picture, turned about its centre
 *     rung 5   a blurred picture through a curve
 *
 * Constant memory serves weights, which all lanes want at the same time. Shared memory serves the
 * curve, where each lane wants another number. The compiler knows that no store changes the picture,
 * and a texture reads between pixels.
 *
 * This is the solution: make grade LAB=15-read-only SUBMISSION=solutions/15-read-only */
#include "read_only.h"

#define THREADS 256 // threads of a block

__constant__ float weights[FILTERS * TAPS];
__constant__ int mask[3 * MASK];

// Rung 1: each filter gives N results: the sums of its weights times the numbers from data[i] on.
__global__ void filter(const float *data, float *result, int n)
{
    int f = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x; // a warp has one filter
    if (i >= n)
        return;
    float sum = 0;
    for (int k = 0; k < TAPS; ++k)
        sum += weights[f * TAPS + k] * data[i + k];
    result[f * n + i] = sum;
}

// Fetches the curve into shared memory.
__device__ void fetch_curve(const float *curve, float *here)
{
    for (int grey = threadIdx.x; grey < GREYS; grey += blockDim.x)
        here[grey] = curve[grey];
    __syncthreads();
}

// Rung 2: the curve's number for each pixel.
__global__ void apply_curve(const unsigned char *pixels, const float *curve, float *result, int n)
{
    __shared__ float here[GREYS];
    fetch_curve(curve, here);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        result[i] = here[pixels[i]];
}

// Rung 3: for each pixel, the slopes to the right and down, the mean of its neighbours, and the
// sharpened pixel. DATA has a frame, one pixel wide.
__global__ void slopes(const float *__restrict__ data, float *__restrict__ right,
                       float *__restrict__ down, float *__restrict__ mean,
                       float *__restrict__ sharp, int width, int height)
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

// Rung 4: the picture, turned about its centre.
__global__ void rotate(cudaTextureObject_t picture, float *result, int width, int height,
                       float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float dx = x + 0.5f - width / 2.f, dy = y + 0.5f - height / 2.f; // from the centre
    float u = cosine * dx - sine * dy + width / 2.f, v = sine * dx + cosine * dy + height / 2.f;
    result[y * width + x] = tex2D<float>(picture, u, v);
}

// Rung 5: blurs the picture, then applies the curve.
__global__ void develop(const unsigned char *pixels, const float *curve, float *result, int width,
                        int height)
{
    __shared__ float here[GREYS];
    fetch_curve(curve, here);
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
        result[y * width + x] = here[sum / MASK_SUM];
    }
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    struct job job = lab_job(&lab);
    int width = job.width, height = job.height, n = width * height, count = results_of(&job);
    float *result = (float *)malloc(count * sizeof(float)), *out; // `out` is on the GPU
    const float *data = upload(job.data, data_of(&job)), *curve = upload(job.curve, GREYS);
    const unsigned char *pixels = upload(job.pixels, n);
    cudaTextureObject_t texture = 0;
    CHECK_CUDA(cudaMalloc(&out, count * sizeof(float)));
    if (job.weights)
        CHECK_CUDA(cudaMemcpyToSymbol(weights, job.weights, sizeof weights));
    if (job.mask)
        CHECK_CUDA(cudaMemcpyToSymbol(mask, job.mask, sizeof mask));
    if (job.rung == ROTATE)
        texture = new_texture(job.data, width, height, cudaFilterModeLinear, cudaAddressModeBorder);

    while (lab_again(&lab)) {
        dim3 rows((width + THREADS - 1) / THREADS, height); // a block has pixels of one row
        dim3 squares((width + 7) / 8, (height + 31) / 32), square(8, 32); // a warp: 8 x 4 pixels
        int blocks = (n + THREADS - 1) / THREADS;
        if (job.rung == FILTER)
            filter<<<dim3(blocks, FILTERS), THREADS>>>(data, out, n);
        else if (job.rung == CURVE)
            apply_curve<<<(blocks + 7) / 8, THREADS>>>(pixels, curve, out, n);
        else if (job.rung == SLOPES)
            slopes<<<rows, THREADS>>>(data, out, out + n, out + 2 * n, out + 3 * n, width, height);
        else if (job.rung == ROTATE)
            rotate<<<squares, square>>>(texture, out, width, height, job.cosine, job.sine);
        else
            develop<<<dim3(rows.x, (height + 7) / 8), THREADS>>>(pixels, curve, out, width, height);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    CHECK_CUDA(cudaMemcpy(result, out, count * sizeof(float), cudaMemcpyDeviceToHost));
    lab_result(&lab, "result", LAB_FLOAT, result, count);
    if (lab_by_hand(&lab))
        printf("CPU: %d results are wrong\n", wrong_results(&job, result));

    if (texture)
        free_texture(texture);
    free_memory({data, curve, pixels, out});
    free(result);
    return lab_close(&lab);
}
