// A kernel fills a __constant__ table.
__constant__ int table[32];

__global__ void fill(int *where)
{
    where[threadIdx.x] = threadIdx.x;
}

__global__ void use(int *a)
{
    a[threadIdx.x] = table[threadIdx.x];
}

int main()
{
    int *where, *a;
    cudaMallocManaged(&a, 32 * sizeof(int));
    cudaGetSymbolAddress((void **)&where, table);
    fill<<<1, 32>>>(where);
    use<<<1, 32>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    return a[31] != 31;
}
