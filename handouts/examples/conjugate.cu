// Conjugate gradients for the system of lab 12's rungs 3 and 4: how many steps does it need, and how many Jacobi's method?
#include "solver.h"

#define THREADS   256
#define TOLERANCE 1e-2

// Adds the sum of a[i] * b[i] to *sum.
__global__ void dot(const float *a, const float *b, double *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double mine = i < n ? (double)a[i] * b[i] : 0;
    for (int off = 16; off > 0; off /= 2)
        mine += __shfl_down_sync(0xffffffffu, mine, off);
    if (threadIdx.x % 32 == 0)
        atomicAdd(sum, mine);
}

// q = A p
__global__ void multiply(struct job job, const float *p, float *q)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = i / job.width, column = i % job.width;
    if (i < job.n)
        q[i] = job.middle * p[i] - at(job, p, row, column - 1) - at(job, p, row, column + 1) -
               at(job, p, row - 1, column) - at(job, p, row + 1, column);
}

// A step of Jacobi's method; r = b - A x.
__global__ void step(struct job job, const float *x, float *next, float *r)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= job.n)
        return;
    r[i] = lack_at(job, x, i / job.width, i % job.width);
    next[i] = x[i] + r[i] / job.middle;
}

// The numbers r r of this step and of the next, and p q. They never leave the GPU.
struct sums {
    double rr, pq, next;
};

// x += alpha p; r -= alpha q
__global__ void go(float *x, float *r, const float *p, const float *q, const struct sums *sums,
                   int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float alpha = (float)(sums->rr / sums->pq);
    if (i < n) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
    }
}

// p = r + beta p
__global__ void turn(float *p, const float *r, const struct sums *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] = r[i] + (float)(sums->next / sums->rr) * p[i];
}

// Solves A x = b from x = 0, and returns the number of steps. r, p and q have room for n numbers.
static int solve(struct job job, float *x, float *r, float *p, float *q, struct sums *sums)
{
    int n = job.n, blocks = (n + THREADS - 1) / THREADS, steps = 0;
    struct sums now = {};
    CHECK_CUDA(cudaMemset(x, 0, n * sizeof *x));
    CHECK_CUDA(cudaMemset(sums, 0, sizeof *sums));
    CHECK_CUDA(cudaMemcpy(r, job.b, n * sizeof *r, cudaMemcpyDeviceToDevice)); // b - A 0
    CHECK_CUDA(cudaMemcpy(p, r, n * sizeof *p, cudaMemcpyDeviceToDevice));
    dot<<<blocks, THREADS>>>(r, r, &sums->rr, n);
    do {
        CHECK_CUDA(cudaMemset(&sums->pq, 0, 2 * sizeof sums->pq)); // pq and next
        multiply<<<blocks, THREADS>>>(job, p, q);
        dot<<<blocks, THREADS>>>(p, q, &sums->pq, n);
        go<<<blocks, THREADS>>>(x, r, p, q, sums, n);
        dot<<<blocks, THREADS>>>(r, r, &sums->next, n);
        turn<<<blocks, THREADS>>>(p, r, sums, n);
        CHECK_CUDA(cudaMemcpy(&now, sums, sizeof now, cudaMemcpyDeviceToHost)); // the residual
        CHECK_CUDA(cudaMemcpy(&sums->rr, &sums->next, sizeof now.rr, cudaMemcpyDeviceToDevice));
    } while (++steps < n && sqrt(now.next) > TOLERANCE);
    return steps;
}

// The same by Jacobi's method.
static int solve_by_jacobi(struct job job, float *x, float *next, float *r, double *sum)
{
    int blocks = (job.n + THREADS - 1) / THREADS, steps = -1; // the first r belongs to x = 0
    double now = 0;
    CHECK_CUDA(cudaMemset(x, 0, job.n * sizeof *x));
    do {
        CHECK_CUDA(cudaMemset(sum, 0, sizeof *sum));
        step<<<blocks, THREADS>>>(job, x, next, r);
        dot<<<blocks, THREADS>>>(r, r, sum, job.n);
        CHECK_CUDA(cudaMemcpy(&now, sum, sizeof now, cudaMemcpyDeviceToHost));
        std::swap(x, next);
    } while (++steps < job.n && sqrt(now) > TOLERANCE);
    return steps;
}

int main()
{
    struct job job = {};
    job.rung = CONVERGE;
    job.width = job.height = 64;
    job.n = job.width * job.height;
    job.middle = 4.1f;
    float *b = (float *)malloc(job.n * sizeof *b);
    for (int i = 0; i < job.n; ++i)
        b[i] = 1 + i % 7;
    job.b = upload(b, job.n);
    float *x = new_vector(job.n), *r = new_vector(job.n), *p = new_vector(job.n),
          *q = new_vector(job.n);
    struct sums *sums;
    CHECK_CUDA(cudaMalloc(&sums, sizeof *sums));
    printf("Jacobi's method: %d steps\n", solve_by_jacobi(job, x, p, r, &sums->rr));
    printf("conjugate gradients: %d steps\n", solve(job, x, r, p, q, sums));
    for (const void *memory : {(const void *)x, (const void *)r, (const void *)p, (const void *)q,
                               (const void *)sums, (const void *)job.b})
        CHECK_CUDA(cudaFree((void *)memory));
    free(b);
    return 0;
}
