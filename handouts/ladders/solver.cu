/* Steps of Jacobi's method: with a dense matrix that is read by rows, columns, or a row per warp;
 * with five diagonals; with a stencil that copies x back, exchanges pointers, has a tile in shared
 * memory, or makes two steps in a launch. Then a stencil until it converges: with the residual from
 * main() or from the GPU, after each step or after eight.
 *
 * Look at: sectors per load of the dense rungs, sectors of all rungs, and main()'s reads. */
#include "ladder.cuh"
#include "solver.h"

#define main lab_main // the labs' own main(), which is not called here
namespace solution
{
#include "../../solutions/12-solver/solver.cu"
}
#undef THREADS
#undef WARP
#undef ALL
#undef TILE_X
#undef TILE_Y
namespace skeleton
{
#include "../../labs/12-solver/.skeleton.cu"
}
#undef main

#define ERROR 1e-5 // of x, whose numbers are about 1 to 4

// --- more ways ----------------------------------------------------------------------------------

// A thread makes an unknown, from a column of the transposed matrix.
__global__ void step_columns(struct job job, const float *x, float *next)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int j = 0; j < job.n && i < job.n; ++j)
        sum += job.matrix[(size_t)j * job.n + i] * x[j];
    if (i < job.n)
        next[i] = x[i] + (job.b[i] - sum) / job.matrix[(size_t)i * job.n + i];
}

// Two steps in a launch: a halo two points wide, and two barriers.
__global__ void two_steps(struct job job, const float *x, float *next)
{
    __shared__ float tile[TILE_Y + 4][TILE_X + 4], inner[TILE_Y + 2][TILE_X + 2];
    int left = blockIdx.x * TILE_X, top = blockIdx.y * TILE_Y;
    int t = threadIdx.y * TILE_X + threadIdx.x, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    for (int k = t; k < (TILE_Y + 4) * (TILE_X + 4); k += TILE_X * TILE_Y) {
        int y = k / (TILE_X + 4), z = k % (TILE_X + 4);
        tile[y][z] = at(job, x, top + y - 2, left + z - 2);
    }
    __syncthreads(); // the tile is filled
    for (int k = t; k < (TILE_Y + 2) * (TILE_X + 2); k += TILE_X * TILE_Y) {
        int y = k / (TILE_X + 2), z = k % (TILE_X + 2), row = top + y - 1, column = left + z - 1;
        bool inside = row >= 0 && row < job.height && column >= 0 && column < job.width;
        float others = tile[y + 1][z] + tile[y + 1][z + 2] + tile[y][z + 1] + tile[y + 2][z + 1];
        inner[y][z] = inside ? (job.b[row * job.width + column] + others) / job.middle : 0;
    }
    __syncthreads(); // the first step is done
    int i = (top + ty - 1) * job.width + left + tx - 1;
    float others = inner[ty][tx - 1] + inner[ty][tx + 1] + inner[ty - 1][tx] + inner[ty + 1][tx];
    if (top + ty <= job.height && left + tx <= job.width)
        next[i] = (job.b[i] + others) / job.middle;
}

// --- the systems ----------------------------------------------------------------------------------

static float some(unsigned i, float from, float to)
{
    return from + (to - from) * (i * 2654435761u >> 8) / (1 << 24);
}

static float *floats(size_t count, float from, float to)
{
    float *values = (float *)malloc(count * sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = some(i, from, to);
    return values;
}

static struct job new_job(int rung, int width, int height, int steps)
{
    struct job job = {};
    job.rung = rung;
    job.width = width;
    job.height = height;
    job.n = width * height;
    job.steps = steps;
    job.every = 8;
    job.middle = 4.25f;
    job.b = floats(job.n, 0.5f, 1.5f);
    return job;
}

static struct job dense_job(int n, int steps)
{
    struct job job = new_job(DENSE, n, 1, steps);
    float *matrix = floats((size_t)n * n, 0.25f, 1);
    for (int i = 0; i < n; ++i)
        matrix[(size_t)i * n + i] = n;
    job.matrix = matrix;
    return job;
}

static struct job grid_job(int rung, int size, int steps)
{
    struct job job = new_job(rung, size, size, steps);
    job.center = floats(job.n, 4.25f, 5);
    job.west = floats(job.n, -1, -0.5f);
    job.east = floats(job.n, -1, -0.5f);
    job.north = floats(job.n, -1, -0.5f);
    job.south = floats(job.n, -1, -0.5f);
    for (int i = 0; i < job.n; ++i) {
        if (i % size == 0)
            ((float *)job.west)[i] = 0;
        if (i % size == size - 1)
            ((float *)job.east)[i] = 0;
    }
    return job;
}

// --- climbing ---------------------------------------------------------------------------------------

static float *x, *next, *residuals; // on the GPU

static void reset(const struct job &job)
{
    CHECK_CUDA(cudaMemsetAsync(x, 0, job.n * sizeof *x));
    CHECK_CUDA(cudaMemsetAsync(residuals, 0, MOST_LOOKS * sizeof *residuals));
}

/* Returns whether the GPU's x is that of the CPU after STEPS steps. */
static bool is_right(const struct job &job, int steps)
{
    float *copy = (float *)malloc(job.n * sizeof *copy);
    ladder_download(copy, x, job.n);
    double error = largest_error(&job, steps, copy);
    free(copy);
    return error <= ERROR;
}

/* Runs a rung that makes JOB's steps. Each call of STEP(x, next) makes EACH steps; then x and next
 * are exchanged. */
template <typename Step>
static void step_rung(const char *name, const char *title, const struct job &job, int each,
                      Step step)
{
    ladder_rung(
        name, title, [&] { reset(job); },
        [&] {
            for (int done = 0; done < job.steps; done += each) {
                step(x, next);
                std::swap(x, next);
            }
        },
        [&] { return is_right(job, job.steps); });
}

static void climb_dense()
{
    int n = ladder.large ? 8192 : 512;
    struct job job = dense_job(n, 2), on_gpu = upload_job(&job), turned = on_gpu;
    float *columns = (float *)malloc((size_t)n * n * sizeof *columns);
    for (size_t i = 0; i < (size_t)n * n; ++i)
        columns[i] = job.matrix[i % n * n + i / n];
    turned.matrix = upload(columns, (size_t)n * n);
    step_rung("dense-rows", "dense, a thread a row", job, 1, [&](float *x, float *next) {
        skeleton::step_dense<<<n / 256, 256>>>(on_gpu, x, next);
    });
    step_rung("dense-columns", "dense, turned", job, 1,
              [&](float *x, float *next) { step_columns<<<n / 256, 256>>>(turned, x, next); });
    step_rung("dense-warps", "dense, a warp a row", job, 1, [&](float *x, float *next) {
        solution::step_dense<<<n / 8, 256>>>(on_gpu, x, next);
    });
    CHECK_CUDA(cudaFree((void *)turned.matrix));
    free_job(&on_gpu);
}

static void climb_grid()
{
    int size = ladder.large ? 4096 : 256;
    dim3 tiles(size / TILE_X, size / TILE_Y), block(TILE_X, TILE_Y);
    struct job job = grid_job(DIAGONALS, size, 4), on_gpu = upload_job(&job), stencil = on_gpu;
    step_rung("diagonals", "five diagonals", job, 1, [&](float *x, float *next) {
        solution::step_diagonals<<<job.n / 256, 256>>>(on_gpu, x, next);
    });
    job.rung = stencil.rung = STENCIL;
    step_rung("stencil-copied", "stencil, copied back", job, 1, [&](float *&x, float *&next) {
        skeleton::step_stencil<<<tiles, block>>>(stencil, x, next);
        CHECK_CUDA(cudaMemcpyAsync(x, next, job.n * sizeof *x, cudaMemcpyDeviceToDevice));
    });
    step_rung("stencil", "stencil, pointers exchanged", job, 1, [&](float *x, float *next) {
        skeleton::step_stencil<<<tiles, block>>>(stencil, x, next);
    });
    step_rung("stencil-tile", "stencil in a tile", job, 1, [&](float *x, float *next) {
        solution::step_stencil<<<tiles, block>>>(stencil, x, next);
    });
    step_rung("stencil-two", "two steps a launch", job, 2,
              [&](float *x, float *next) { two_steps<<<tiles, block>>>(stencil, x, next); });
    free_job(&on_gpu);
}

/* Runs a rung that makes steps until the residual is small. Calls LOOK() after every EVERY steps.
 * Also tells how often main() reads from the GPU, and how many steps it makes. */
template <typename Look>
static void converge_rung(const char *name, const char *title, const struct job &job,
                          const struct job &on_gpu, int every, Look look)
{
    dim3 tiles((job.width + TILE_X - 1) / TILE_X, (job.height + TILE_Y - 1) / TILE_Y),
        block(TILE_X, TILE_Y);
    int steps = 0, looks = 0;
    ladder_rung(
        name, title, [&] { reset(job); },
        [&] {
            float residual = INFINITY;
            for (steps = looks = 0; residual > job.tolerance; ++looks) {
                for (int step = 0; step < every; ++step, ++steps) {
                    solution::step_stencil<<<tiles, block>>>(on_gpu, x, next);
                    std::swap(x, next);
                }
                residual = look(tiles, block);
            }
        },
        [&] { return is_right(job, steps); });
    ladder_value("steps", steps);
    ladder_value("looks", looks);
}

static void climb_until_it_converges()
{
    struct job job = new_job(CONVERGE, ladder.large ? 512 : 64, ladder.large ? 512 : 64, 0);
    job.tolerance = 0.02f;
    struct job on_gpu = upload_job(&job);
    float *copy = (float *)malloc(job.n * sizeof *copy), residual;
    auto by_main = [&](dim3, dim3) {
        ladder_download(copy, x, job.n);
        return (float)largest_residual(&job, copy);
    };
    auto by_gpu = [&](dim3 tiles, dim3 block) {
        CHECK_CUDA(cudaMemsetAsync(residuals, 0, sizeof residual));
        solution::find_residual<<<tiles, block>>>(on_gpu, x, residuals);
        ladder_download(&residual, residuals, 1);
        return residual;
    };
    converge_rung("main-1", "residual by main(), every step", job, on_gpu, 1, by_main);
    converge_rung("main-8", "by main(), every 8 steps", job, on_gpu, 8, by_main);
    converge_rung("gpu-1", "by the GPU, every step", job, on_gpu, 1, by_gpu);
    converge_rung("gpu-8", "by the GPU, every 8 steps", job, on_gpu, 8, by_gpu);
    converge_rung("gpu-32", "by the GPU, every 32 steps", job, on_gpu, 32, by_gpu);
    free(copy);
    free_job(&on_gpu);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    size_t most = ladder.large ? 4096 * 4096 : 256 * 256;
    x = ladder_alloc<float>(most);
    next = ladder_alloc<float>(most);
    residuals = ladder_alloc<float>(MOST_LOOKS);
    climb_dense();
    climb_grid();
    climb_until_it_converges();
    return 0;
}
