/* What the ladders of matrix products share: square matrices of random numbers, and the check of a product. */
#ifndef MATRICES_CUH
#define MATRICES_CUH

#include "ladder.cuh"

#include <math.h>

#define SAMPLES 2000 // numbers of C that are checked

static float *random_matrix(int n, unsigned seed)
{
    float *values = (float *)malloc((size_t)n * n * sizeof *values);
    for (int i = 0; i < n * n; ++i) {
        seed = seed * 1664525 + 1013904223;
        values[i] = (float)(seed >> 8) / (1 << 24);
    }
    return values;
}

// Returns the largest error in a sample of C's numbers; C's rows are PITCH floats apart.
static double largest_error(const float *a, const float *b, const float *c_on_gpu, size_t pitch,
                            int n)
{
    float *c = (float *)malloc((size_t)n * n * sizeof *c);
    CHECK_CUDA(cudaMemcpy2D(c, n * sizeof *c, c_on_gpu, pitch * sizeof *c, n * sizeof *c, n,
                            cudaMemcpyDeviceToHost));
    double largest = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        int at = (int)((long long)k * 2654435761 % ((long long)n * n)), x = at % n, y = at / n;
        double right = 0;
        for (int i = 0; i < n; ++i)
            right += (double)a[y * n + i] * b[i * n + x];
        double error = fabs(c[at] - right);
        largest = error > largest || isnan(error) ? error : largest;
    }
    free(c);
    return largest;
}

#endif
