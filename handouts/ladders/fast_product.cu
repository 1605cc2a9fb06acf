/* A product of two n x n matrices of floats as fast as a library's: the kernels of lab 16, and beside them cuBLAS, where
 * this machine has it: in floats, and in halves with float sums. $LADDER_CUBLAS names its file, if it is not on the
 * library path.
 *
 * Look at: requests to shared memory for each rung, and the share of cuBLAS's speed. */
#include "matrices.cuh"

#include <cuda_pipeline.h>
#include <dlfcn.h>
#include <mma.h>

#define main lab_main // the lab's own main(), which is not called here
namespace solution
{
#include "../../solutions/16-fast-product/fast_product.cu"
}
#undef main
using solution::product;

/* --- cuBLAS, which may be missing ---------------------------------------------------------------- */

#define AS_IT_IS    0  // CUBLAS_OP_N
#define BY_DEFAULT  0  // CUBLAS_DEFAULT_MATH
#define PEDANTIC    2  // CUBLAS_PEDANTIC_MATH: floats are not rounded to TF32
#define FLOATS      0  // CUDA_R_32F
#define HALVES      2  // CUDA_R_16F
#define IN_FLOAT    68 // CUBLAS_COMPUTE_32F
#define ITS_OWN_WAY -1 // CUBLAS_GEMM_DEFAULT

typedef int create(void **handle);
typedef int set_mode(void *handle, int mode);
typedef int gemm(void *handle, int trans_a, int trans_b, int m, int n, int k, const void *alpha,
                 const void *a, int a_type, int lda, const void *b, int b_type, int ldb,
                 const void *beta, void *c, int c_type, int ldc, int compute, int algorithm);

struct cublas {
    void *handle; // NULL: there is no cuBLAS
    set_mode *set;
    gemm *multiply;
};

static cublas find_cublas(void)
{
    cublas found = {};
    void *library = NULL;
    for (const char *name :
         {(const char *)getenv("LADDER_CUBLAS"), "libcublas.so.13", "libcublas.so.12"})
        if (name && !library)
            library = dlopen(name, RTLD_NOW);
    if (!library || ((create *)dlsym(library, "cublasCreate_v2"))(&found.handle) != 0)
        return {};
    found.set = (set_mode *)dlsym(library, "cublasSetMathMode");
    found.multiply = (gemm *)dlsym(library, "cublasGemmEx");
    return found;
}

// C = A B. cuBLAS's matrices lie column by column, so it computes C' = B' A' from ours.
static void multiply_by(const cublas &library, product p, int type)
{
    const float one = 1, zero = 0;
    const void *a = type == HALVES ? (const void *)p.a_halves : p.a;
    const void *b = type == HALVES ? (const void *)p.b_halves : p.b;
    int n = p.width;
    if (library.set(library.handle, type == HALVES ? BY_DEFAULT : PEDANTIC) != 0 ||
        library.multiply(library.handle, AS_IT_IS, AS_IT_IS, n, n, n, &one, b, type, n, a, type, n,
                         &zero, p.c, FLOATS, n, IN_FLOAT, ITS_OWN_WAY) != 0) {
        fprintf(stderr, "cublasGemmEx() fails\n");
        exit(1);
    }
}

/* --- the rungs ------------------------------------------------------------------------------------ */

// Adds the speed of the latest rung, in percent of cuBLAS's, whose time is *LIBRARY. If *LIBRARY is 0, this rung sets it.
static void compare(float *library)
{
    if (*library == 0)
        *library = ladder.median;
    if (ladder.times && *library > 0)
        ladder_value("share", 100 * *library / ladder.median);
}

static void climb(int n)
{
    using namespace solution;
    float *a = random_matrix(n, 1), *b = random_matrix(n, 2);
    size_t count = (size_t)n * n;
    product p = {ladder_upload(a, count),
                 ladder_upload(b, count),
                 ladder_alloc<float>(count),
                 ladder_alloc<__half>(count),
                 ladder_alloc<__half>(count),
                 n,
                 n,
                 n};
    cublas library = find_cublas();
    multiply(4, p); // makes the halves
    auto rung = [=](const char *name, const char *title, double most, auto work) {
        double error = 0;
        ladder_rung(
            name, title, [=] { CHECK_CUDA(cudaMemsetAsync(p.c, 0xff, count * sizeof(float))); },
            work, [=, &error] { return (error = largest_error(a, b, p.c, n, n)) < most; });
        ladder_value("error", error);
        ladder_rate("gflops", 2.0 * n * n * n);
    };
    auto by_cublas = [=](const char *name, const char *title, int type) {
        if (library.handle)
            rung(name, title, type == HALVES ? 1 : 1e-1, [=] { multiply_by(library, p, type); });
        else if (ladder.times)
            printf("%s\ttitle\t%s\n", name, title); // a rung without times
        else
            ladder_rung(
                name, title, [] {}, [] {}, [] { return true; });
    };
    float time = library.handle ? 0 : -1;
    by_cublas("cublas", "cuBLAS, floats", FLOATS);
    compare(&time);
    const char *names[][2] = {{"tiles", "rung 0: tiles of 16"},
                              {"registers", "rung 1: 4 x 4 numbers a thread"},
                              {"vectors", "rung 2: 8 x 8, four floats a load"},
                              {"copies", "rung 3: copies arrive meanwhile"},
                              {"tensor", "rung 4: tensor cores, halves"}};
    for (int i = 0; i < 5; ++i) {
        rung(names[i][0], names[i][1], i == 4 ? 1 : 1e-1, [=] { multiply(i, p); });
        compare(&time);
    }
    by_cublas("cublas-halves", "cuBLAS, halves", HALVES);
    compare(&time);
    for (const void *memory : {(const void *)p.a, (const void *)p.b, (const void *)p.c,
                               (const void *)p.a_halves, (const void *)p.b_halves})
        CHECK_CUDA(cudaFree((void *)memory));
    free(a);
    free(b);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.times      ? "4,096 x 4,096"
                    : ladder.predicts ? "2,048 x 2,048"
                                      : "256 x 256");
    climb(ladder.times ? 4096 : ladder.predicts ? 2048 : 256);
    return 0;
}
