/* Lab 05: every row begins where a line begins.
 *
 * The job: add to each number of a matrix the one above it and the one below it.
 *
 *     sums[y][x] = data[y - 1][x] + data[y][x] + data[y + 1][x]
 *
 * The first and the last row lack a neighbour: their sums are 0, and the kernel skips them.
 *
 * Memory comes in lines of 128 bytes (each is 4 sectors). The rows have 1,001 floats, 4,004 bytes.
 * Here they do not lie end to end: after each row some bytes stay unused, so that the next row
 * begins with a line. 32 neighbouring floats of any row fill one line and 4 sectors. The pitch is
 * the distance from one row to the next in bytes, here 4,096 or more.
 *
 * This is the solution: make grade LAB=05-pitched-alloc SUBMISSION=solutions/05-pitched-alloc */
#include "lab.h"

// A matrix in the GPU's memory.
struct matrix {
    float *first; // where row 0 begins
    size_t pitch; // from the beginning of one row to that of the next, in BYTES
    int width;    // numbers in a row
    int height;   // rows
};

// Where row y begins. The pitch is in bytes, so the pointer must count in bytes.
__device__ float *row(struct matrix matrix, int y)
{
    return (float *)((char *)matrix.first + y * matrix.pitch);
}

// One thread for each number.
__global__ void add_neighbours(struct matrix data, struct matrix sums)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < data.width && y > 0 && y < data.height - 1)
        row(sums, y)[x] = row(data, y - 1)[x] + row(data, y)[x] + row(data, y + 1)[x];
}

// Copies the host's numbers, whose rows lie end to end, to the matrix.
static void copy_to(struct matrix matrix, const float *numbers)
{
    size_t bytes = matrix.width * sizeof(float); // of a row
    CHECK_CUDA(cudaMemcpy2D(matrix.first, matrix.pitch, numbers, bytes, bytes, matrix.height,
                            cudaMemcpyHostToDevice));
}

// Copies the matrix to the host, where rows lie end to end.
static void copy_from(struct matrix matrix, float *numbers)
{
    size_t bytes = matrix.width * sizeof(float); // of a row
    CHECK_CUDA(cudaMemcpy2D(numbers, bytes, matrix.first, matrix.pitch, bytes, matrix.height,
                            cudaMemcpyDeviceToHost));
}

// Sets all numbers of the matrix to 0, because new memory can contain anything.
static void clear(struct matrix matrix)
{
    size_t bytes = matrix.width * sizeof(float); // of a row
    CHECK_CUDA(cudaMemset2D(matrix.first, matrix.pitch, 0, bytes, matrix.height));
}

static struct matrix new_matrix(int width, int height)
{
    struct matrix matrix = {NULL, 0, width, height};
    CHECK_CUDA(cudaMallocPitch(&matrix.first, &matrix.pitch, width * sizeof(float), height));
    return matrix;
}

// Does the same job on the CPU, and counts the wrong sums when you run the program by hand.
static int count_wrong(const float *data, const float *sums, int width, int height)
{
    int wrong = 0;
    for (int i = 0; i < width * height; ++i) {
        bool inside = i >= width && i < width * (height - 1);
        wrong += sums[i] != (inside ? data[i - width] + data[i] + data[i + width] : 0);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int width = lab_int(&lab, "width", 1001);
    int height = lab_int(&lab, "height", 40);
    const float *data = lab_matrix(&lab, "data", height, width);
    size_t bytes = (size_t)width * height * sizeof(float);
    float *sums = (float *)memset(malloc(bytes), 0xff, bytes); // NaNs show a missing copy

    struct matrix data_on_gpu = new_matrix(width, height);
    struct matrix sums_on_gpu = new_matrix(width, height);
    copy_to(data_on_gpu, data);

    while (lab_again(&lab)) {
        dim3 threads(32, 8); // a warp is 32 neighbours in one row
        dim3 blocks((width + 31) / 32, (height + 7) / 8);
        clear(sums_on_gpu);
        add_neighbours<<<blocks, threads>>>(data_on_gpu, sums_on_gpu);
        CHECK_CUDA(cudaGetLastError()); // did the kernel start?
    }

    copy_from(sums_on_gpu, sums); // waits for the kernel, and ends the program if it failed
    lab_result(&lab, "sums", LAB_FLOAT, sums, width * height);
    if (lab_by_hand(&lab))
        printf("CPU: %d sums are wrong\n", count_wrong(data, sums, width, height));

    CHECK_CUDA(cudaFree(sums_on_gpu.first));
    CHECK_CUDA(cudaFree(data_on_gpu.first));
    free(sums);
    return lab_close(&lab);
}
