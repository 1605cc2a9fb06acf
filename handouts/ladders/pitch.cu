/* Rows that begin anywhere, and rows that begin with a line of memory, for even and odd widths. The
 * rungs copy rows or run lab 05's kernel. Their matrices are the lab's: end to end as in the
 * skeleton, pitched as in the solution.
 *
 * Look at: lines and sectors per request where the width is odd. */
#include "ladder.cuh"

#define main lab_main // the labs' own main(), which is not called here
namespace flat
{
#include "../../labs/05-pitched-alloc/.skeleton.cu"
}
namespace pitched
{
#include "../../solutions/05-pitched-alloc/pitched_alloc.cu"
}
#undef main

#define THREADS 256

namespace flat
{
// One thread for each number.
__global__ void copy_rows(struct matrix from, struct matrix to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < from.width)
        row(to, blockIdx.y)[x] = row(from, blockIdx.y)[x];
}
} // namespace flat
namespace pitched
{
// One thread for each number.
__global__ void copy_rows(struct matrix from, struct matrix to)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x < from.width)
        row(to, blockIdx.y)[x] = row(from, blockIdx.y)[x];
}
} // namespace pitched

/* Returns whether the matrix at FIRST, with rows PITCH bytes apart, equals the CPU's result RIGHT. */
static bool is_right(const float *first, size_t pitch, const float *right, int width, int height)
{
    size_t bytes = width * sizeof(float);
    float *values = (float *)malloc(bytes * height);
    CHECK_CUDA(cudaMemcpy2D(values, bytes, first, pitch, bytes, height, cudaMemcpyDeviceToHost));
    bool same = memcmp(values, right, bytes * height) == 0;
    free(values);
    return same;
}

/* Runs the two rungs (copy, sums) of one width for one kind of matrix, end to end or pitched. */
template <typename Matrix, typename Rows, typename Sums, typename Upload>
static void climb(const char *const names[2], const char *const titles[2], Matrix from, Matrix to,
                  size_t pitch, Rows copy_rows, Sums add_neighbours, Upload copy_to,
                  const float *numbers, const float *sums)
{
    int width = from.width, height = from.height;
    auto reset = [=] { CHECK_CUDA(cudaMemsetAsync(to.first, 0, pitch * height)); };
    copy_to(from, numbers);
    ladder_rung(
        names[0], titles[0], reset,
        [=] { copy_rows<<<dim3((width + THREADS - 1) / THREADS, height), THREADS>>>(from, to); },
        [=] { return is_right(to.first, pitch, numbers, width, height); });
    ladder_value("pitch", pitch);
    ladder_rate("gb_per_s", 2.0 * width * height * sizeof(float));
    ladder_rung(
        names[1], titles[1], reset,
        [=] {
            add_neighbours<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(from, to);
        },
        [=] { return is_right(to.first, pitch, sums, width, height); });
    ladder_value("pitch", pitch);
    CHECK_CUDA(cudaFree(from.first));
    CHECK_CUDA(cudaFree(to.first));
}

static float *add_on_cpu(const float *numbers, int width, int height)
{
    float *sums = (float *)calloc((size_t)width * height, sizeof *sums);
    for (int i = width; i < width * (height - 1); ++i)
        sums[i] = numbers[i - width] + numbers[i] + numbers[i + width];
    return sums;
}

static void climb_width(int width, int height)
{
    char text[8][60];
    const char *const names[2][2] = {{text[0], text[1]}, {text[2], text[3]}};
    const char *const titles[2][2] = {{text[4], text[5]}, {text[6], text[7]}};
    snprintf(text[0], sizeof *text, "copy-%d", width);
    snprintf(text[1], sizeof *text, "sums-%d", width);
    snprintf(text[2], sizeof *text, "copy-%d-pitched", width);
    snprintf(text[3], sizeof *text, "sums-%d-pitched", width);
    snprintf(text[4], sizeof *text, "copy, %d floats", width);
    snprintf(text[5], sizeof *text, "three rows, %d floats", width);
    snprintf(text[6], sizeof *text, "copy, %d floats, pitched", width);
    snprintf(text[7], sizeof *text, "three rows, %d floats, pitched", width);

    int *ints = ladder_ints((size_t)width * height);
    float *numbers = (float *)malloc((size_t)width * height * sizeof *numbers);
    for (int i = 0; i < width * height; ++i)
        numbers[i] = ints[i];
    free(ints);
    float *sums = add_on_cpu(numbers, width, height);
    climb(names[0], titles[0], flat::new_matrix(width, height), flat::new_matrix(width, height),
          width * sizeof(float), flat::copy_rows, flat::add_neighbours, flat::copy_to, numbers,
          sums);
    pitched::matrix from = pitched::new_matrix(width, height),
                    to = pitched::new_matrix(width, height);
    climb(names[1], titles[1], from, to, to.pitch, pitched::copy_rows, pitched::add_neighbours,
          pitched::copy_to, numbers, sums);
    free(numbers);
    free(sums);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.large ? "about 65 million floats" : "about 64 thousand floats");
    for (int width : {1000, 1001, 8191})
        climb_width(width, (ladder.large ? 65535 : 64) * 1000 / width);
    return 0;
}
