/* nvcuda::wmma: products of all types and shapes, with factors from shared and global memory, and arithmetic on
 * the part of the result that a lane holds. */
#include "tests/support/check.cuh"

#include <mma.h>

using namespace nvcuda;
using rows = wmma::row_major;
using columns = wmma::col_major;

/* d = 2 * (1 + a * b) */
template <typename T, typename S, int M, int N, int K, typename LA, typename LB>
__global__ void product(const T *a, const T *b, S *d)
{
    __shared__ alignas(32) T own[M * K];
    for (int i = threadIdx.x; i < M * K; i += 32)
        own[i] = a[i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> left;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> right;
    wmma::fragment<wmma::accumulator, M, N, K, S> sum;
    wmma::fill_fragment(sum, S(1));
    wmma::load_matrix_sync(left, own, std::is_same<LA, rows>::value ? K : M);
    wmma::load_matrix_sync(right, b, std::is_same<LB, rows>::value ? N : K);
    wmma::mma_sync(sum, left, right, sum);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = sum.x[i] + sum.x[i];
    wmma::store_matrix_sync(d, sum, N, wmma::mem_row_major);
}

template <typename T, typename S, int M, int N, int K, typename LA, typename LB>
static void check(const char *name)
{
    T *a, *b;
    S *d;
    MUST(cudaMallocManaged(&a, M * K * sizeof *a));
    MUST(cudaMallocManaged(&b, K * N * sizeof *b));
    MUST(cudaMallocManaged(&d, M * N * sizeof *d));
    for (int i = 0; i < M * K; i++)
        a[i] = T((float)(i * 7 % 5));
    for (int i = 0; i < K * N; i++)
        b[i] = T((float)(i * 3 % 7));
    product<T, S, M, N, K, LA, LB><<<1, 32>>>(a, b, d);
    FINISH();
    int right = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 1;
            for (int k = 0; k < K; k++)
                sum += (float)a[std::is_same<LA, rows>::value ? i * K + k : k * M + i] *
                       (float)b[std::is_same<LB, rows>::value ? k * N + j : j * K + k];
            right += (float)d[i * N + j] == 2 * sum;
        }
    expect(name, right, M * N);
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    MUST(cudaFree(d));
}

int main()
{
    check<half, float, 16, 16, 16, rows, columns>("half, sums in float");
    check<half, half, 32, 8, 16, columns, rows>("half, sums in half");
    check<__nv_bfloat16, float, 8, 32, 16, rows, rows>("bfloat16");
    check<signed char, int, 16, 16, 16, columns, columns>("signed bytes");
    check<unsigned char, int, 8, 32, 16, rows, columns>("unsigned bytes");
    check<double, double, 8, 8, 4, rows, columns>("double");
    return summary();
}
