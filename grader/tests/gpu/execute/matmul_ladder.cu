/* Matrix products in float and int: naive, with a row of A in shared memory, with 16 x 16 tiles, and
 * with tiles that may be cut off at the edges. Entries are small whole numbers, so that any order of
 * summation gives the same bits. */
#include "tests/support/check.cuh"

enum { TILE = 16 };

/* Each thread computes one element. */
template <typename T>
__global__ void naive(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows)
        return;
    T sum = 0;
    for (int k = 0; k < inner; k++)
        sum += a[y * inner + k] * b[k * columns + x];
    c[y * columns + x] = sum;
}

/* Each block computes a row of C, and keeps the row of A in shared memory. */
template <typename T>
__global__ void row_shared(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    extern __shared__ char memory[];
    T *row = (T *)memory;
    int y = blockIdx.x;
    for (int k = threadIdx.x; k < inner; k += blockDim.x)
        row[k] = a[y * inner + k];
    __syncthreads();
    for (int x = threadIdx.x; x < columns; x += blockDim.x) {
        T sum = 0;
        for (int k = 0; k < inner; k++)
            sum += row[k] * b[k * columns + x];
        c[y * columns + x] = sum;
    }
}

/* 16 x 16 tiles of A and B. All sizes are multiples of 16. */
template <typename T>
__global__ void tiled(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    T sum = 0;
    for (int k = 0; k < inner; k += TILE) {
        as[ty][tx] = a[y * inner + k + tx];
        bs[ty][tx] = b[(k + ty) * columns + x];
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    c[y * columns + x] = sum;
}

/* The same for matrices of any size. */
template <typename T>
__global__ void tiled_ragged(const T *a, const T *b, T *c, int rows, int inner, int columns)
{
    __shared__ T as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    T sum = 0;
    for (int k = 0; k < inner; k += TILE) {
        as[ty][tx] = y < rows && k + tx < inner ? a[y * inner + k + tx] : T(0);
        bs[ty][tx] = k + ty < inner && x < columns ? b[(k + ty) * columns + x] : T(0);
        __syncthreads();
        for (int i = 0; i < TILE; i++)
            sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (x < columns && y < rows)
        c[y * columns + x] = sum;
}

template <typename T> static T *to_device(const T *from, int count)
{
    T *to;
    MUST(cudaMalloc(&to, count * sizeof(T)));
    MUST(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return to;
}

template <typename T> struct product {
    int rows, inner, columns;
    T *right;     /* expected product, on the host */
    T *a, *b, *c; /* on the device */
};

template <typename T> static product<T> prepare(int rows, int inner, int columns)
{
    product<T> p = {rows, inner, columns, new T[rows * columns], 0, 0, 0};
    T *a = new T[rows * inner], *b = new T[inner * columns];
    for (int i = 0; i < rows * inner; i++)
        a[i] = T((unsigned)i * 2654435761u >> 29);
    for (int i = 0; i < inner * columns; i++)
        b[i] = T((int)((unsigned)i * 2246822519u >> 29) - 4);
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            T sum = 0;
            for (int k = 0; k < inner; k++)
                sum += a[y * inner + k] * b[k * columns + x];
            p.right[y * columns + x] = sum;
        }
    p.a = to_device(a, rows * inner);
    p.b = to_device(b, inner * columns);
    MUST(cudaMalloc(&p.c, rows * columns * sizeof(T)));
    delete[] a;
    delete[] b;
    return p;
}

/* Counts the wrong elements of the product just computed; there must be none. */
template <typename T> static void finish(const char *name, product<T> &p)
{
    FINISH();
    int count = p.rows * p.columns, wrong = 0;
    T *c = new T[count];
    MUST(cudaMemcpy(c, p.c, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        wrong += c[i] != p.right[i];
    delete[] c;
    expect(name, wrong, 0);
    MUST(cudaMemset(p.c, 0xff, count * sizeof(T)));
}

static int tiles(int size)
{
    return (size + TILE - 1) / TILE;
}

template <typename T> static void climb(int rows, int inner, int columns)
{
    product<T> p = prepare<T>(rows, inner, columns);
    dim3 block(TILE, TILE), grid(tiles(columns), tiles(rows));
    naive<<<grid, block>>>(p.a, p.b, p.c, rows, inner, columns);
    finish("naive", p);
    row_shared<<<rows, 64, inner * sizeof(T)>>>(p.a, p.b, p.c, rows, inner, columns);
    finish("row_shared", p);
    if (rows % TILE == 0 && inner % TILE == 0 && columns % TILE == 0) {
        tiled<<<grid, block>>>(p.a, p.b, p.c, rows, inner, columns);
        finish("tiled", p);
    }
    tiled_ragged<<<grid, block>>>(p.a, p.b, p.c, rows, inner, columns);
    finish("tiled_ragged", p);
    MUST(cudaFree(p.a));
    MUST(cudaFree(p.b));
    MUST(cudaFree(p.c));
    delete[] p.right;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 64;
    printf("-- float\n");
    climb<float>(n, n, n);
    climb<float>(50, 37, 61);
    printf("-- int\n");
    climb<int>(n, n, n);
    climb<int>(1, 100, 3);
    return summary();
}
