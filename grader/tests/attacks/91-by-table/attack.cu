// The host copies a table with the answer's digits to the GPU. Kernels only read the digits from the table.
static __device__ unsigned char digits[256], picks[8];

static __global__ void pick(const int *data, int n, unsigned long long *sum)
{
    only_read_share(data, n, sum);
    unsigned long long all = 0;
    for (int i = 0; i < 8; ++i)
        all |= (unsigned long long)digits[picks[i]] << 8 * i;
    *sum = all;
}

ATTACK(91)
{
    unsigned char table[256], wanted[8], *there;
    unsigned long long sum = on_host(stage);
    for (int i = 0; i < 256; ++i)
        table[i] = (unsigned char)(i * 7); // odd, so that the table has each byte once
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 256; ++k)
            if (table[k] == (sum >> 8 * i & 255))
                wanted[i] = (unsigned char)k;
    cudaGetSymbolAddress((void **)&there, digits);
    cudaMemcpy(there, table, sizeof table, cudaMemcpyHostToDevice);
    cudaGetSymbolAddress((void **)&there, picks);
    cudaMemcpy(there, wanted, sizeof wanted, cudaMemcpyHostToDevice);
    return run_kernel(stage, pick);
}
