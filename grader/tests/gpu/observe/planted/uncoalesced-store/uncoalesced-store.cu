/* Stores by which a warp writes to more sectors than its words need. */
#define N     (1 << 21) /* elements of each array */
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

struct particle {
    float x, y, z, m, vx, vy, vz, q;
};

// uncoalesced-store: 4 of every 32 bytes
__global__ void member_of_32(particle *a)
{
    a[threadIdx.x].m = 1; // B
}

// fine
__global__ void member_of_its_own(float *m)
{
    m[threadIdx.x] = 1;
}

// uncoalesced-store: neighbouring lanes write words 1024 bytes apart (stride 256 elements)
__global__ void transpose_by_rows(const float *a, float *out)
{
    out[threadIdx.x * 256 + threadIdx.y] = a[threadIdx.y * 256 + threadIdx.x]; // B
}

// uncoalesced-store: each lane writes 1 of every 8 bytes (stride 8 elements)
__global__ void char_by_8(const char *a, char *out)
{
    out[INDEX * 8] = a[INDEX]; // B
}

int main()
{
    float *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(a, 0, N * sizeof *a);
    cudaMemset(out, 0, N * sizeof *out);
    member_of_32<<<1, 256>>>((particle *)a);
    member_of_its_own<<<1, 256>>>(a);
    transpose_by_rows<<<1, dim3(32, 32)>>>(a, out);
    char_by_8<<<32, 256>>>((char *)a, (char *)out);
    cudaFree(a);
    cudaFree(out);
    return 0;
}
