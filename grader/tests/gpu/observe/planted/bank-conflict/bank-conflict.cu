/* Accesses to shared memory by which lanes want different words of one bank. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// bank-conflict: (stride 32 words)
__global__ void transpose_by_tile(const float *a, float *out)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 256 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 256 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // B
}

// fine
__global__ void transpose_by_padded_tile(const float *a, float *out)
{
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] = a[threadIdx.y * 256 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 256 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// bank-conflict: lanes 0, 4, 8, ... read words 0, 32, 64, ...: all in bank 0 (stride 8 words)
__global__ void index_tree(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    a += 256 * blockIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int off = 1; off < 256; off *= 2) {
        if (2 * off * t < 256)
            s[2 * off * t] += s[2 * off * t + off]; // B
        __syncthreads();
    }
    a[t] = s[0];
}

// bank-conflict: (stride 16 words in groups of 16 lanes)
__global__ void tile_of_16(float *a)
{
    __shared__ float s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 16 + x];
    __syncthreads();
    a[y * 16 + x] = s[x][y]; // B
}

// bank-conflict: lanes 0, 8, 16, ... read words 0, 288, 576, ...: all in bank 0 (stride 36 words)
__global__ void padded_by_4(float *a)
{
    __shared__ float s[32][36];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 32 + x];
    __syncthreads();
    a[y * 32 + x] = s[x][y]; // B
}

// fine
__global__ void doubles_padded(double *a)
{
    __shared__ double s[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = a[y * 32 + x];
    __syncthreads();
    a[y * 32 + x] = s[x][y];
}

// bank-conflict: (4 lanes per word, 32 words apart)
__global__ void four_lanes_a_bank(float *a)
{
    __shared__ float s[2048];
    int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256)
        s[i] = a[i];
    __syncthreads();
    a[t] = s[t / 4 * 32]; // B
}

// fine
__global__ void all_lanes_a_word(float *a)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 256; k++)
        sum += s[k];
    a[t] = sum;
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    transpose_by_tile<<<1, dim3(32, 32)>>>(a, out);
    transpose_by_padded_tile<<<1, dim3(32, 32)>>>(a, out);
    index_tree<<<8, 256>>>(a);
    tile_of_16<<<1, dim3(16, 16)>>>(a);
    padded_by_4<<<1, dim3(32, 32)>>>(a);
    doubles_padded<<<1, dim3(32, 32)>>>((double *)a);
    four_lanes_a_bank<<<1, 256>>>(a);
    all_lanes_a_word<<<1, 256>>>(a);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
