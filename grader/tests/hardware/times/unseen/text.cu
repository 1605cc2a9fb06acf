// Text and bytes: search, letters, edit distance, check sums by table, changing case.
#include "../launch.cuh"

__constant__ unsigned crcConst[256];

__global__ void findWord(const char *text, int n, int *hits)
{
    const char word[] = {'n', 'e', 'e', 'd', 'l', 'e'};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 6 > n)
        return;
    for (int k = 0; k < 6; ++k)
        if (text[i + k] != word[k])
            return;
    atomicAdd(hits, 1);
}

__global__ void letters(const char *text, int n, unsigned *freq)
{
    __shared__ unsigned bins[26];
    if (threadIdx.x < 26)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = text[i] - 'a';
        if (c >= 0 && c < 26)
            atomicAdd(&bins[c], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 26)
        atomicAdd(&freq[threadIdx.x], bins[threadIdx.x]);
}

__global__ void lettersGlobal(const char *text, int n, unsigned *freq)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = text[i] - 'a';
        if (c >= 0 && c < 26)
            atomicAdd(&freq[c], 1u);
    }
}

// Edit distances of one string to many: one block for each, one diagonal in each step.
__global__ void editDistance(const char *a, const char *many, int *result, int len)
{
    __shared__ int d[3][130];
    const char *b = many + blockIdx.x * len;
    int i = threadIdx.x;
    for (int s = 0; s <= 2 * len; ++s) {
        int j = s - i, *now = d[s % 3], *last = d[(s + 2) % 3], *before = d[(s + 1) % 3];
        if (i <= len && j >= 0 && j <= len) {
            if (i == 0 || j == 0)
                now[i] = i + j;
            else
                now[i] = min(min(last[i], last[i - 1]) + 1, before[i - 1] + (a[i - 1] != b[j - 1]));
        }
        __syncthreads();
    }
    if (i == len)
        result[blockIdx.x] = d[2 * len % 3][len];
}

template <int PLACE>
__global__ void crc(const unsigned char *data, const unsigned *table, unsigned *out, int len)
{
    __shared__ unsigned mine[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (PLACE == 1) {
        for (int k = threadIdx.x; k < 256; k += blockDim.x)
            mine[k] = table[k];
        __syncthreads();
    }
    unsigned c = ~0u;
    for (int k = 0; k < len; ++k) {
        unsigned at = (c ^ data[k * gridDim.x * blockDim.x + i]) & 255;
        c = (PLACE == 0 ? table[at] : PLACE == 1 ? mine[at] : crcConst[at]) ^ c >> 8;
    }
    out[i] = ~c;
}

__global__ void upper(char *text)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char c = text[i];
    if (c >= 'a' && c <= 'z')
        text[i] = c - 32;
}

__global__ void upper4(char4 *text)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    char4 c = text[i];
    c.x -= c.x >= 'a' && c.x <= 'z' ? 32 : 0;
    c.y -= c.y >= 'a' && c.y <= 'z' ? 32 : 0;
    c.z -= c.z >= 'a' && c.z <= 'z' ? 32 : 0;
    c.w -= c.w >= 'a' && c.w <= 'z' ? 32 : 0;
    text[i] = c;
}

int main()
{
    const int n = 1 << 22;
    char *text = filled<char>(n, [](size_t i) { return (char)('a' + scrambled(i) % 30); });
    int *out = zeros<int>(1 << 18);
    unsigned table[256];
    for (unsigned i = 0; i < 256; ++i) {
        table[i] = i;
        for (int k = 0; k < 8; ++k)
            table[i] = table[i] & 1 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    unsigned *crcTable = filled<unsigned>(256, [&](size_t i) { return table[i]; });
    CHECK(cudaMemcpyToSymbol(crcConst, table, sizeof table));
    TWICE(findWord<<<n / 256, 256>>>(text, n, out));
    TWICE(letters<<<264, 256>>>(text, n, (unsigned *)out));
    TWICE(lettersGlobal<<<264, 256>>>(text, n, (unsigned *)out));
    TWICE(editDistance<<<512, 128>>>(text, text + 1000, out, 100));
    TWICE(crc<0><<<256, 256>>>((unsigned char *)text, crcTable, (unsigned *)out, 64));
    TWICE(crc<1><<<256, 256>>>((unsigned char *)text, crcTable, (unsigned *)out, 64));
    TWICE(crc<2><<<256, 256>>>((unsigned char *)text, crcTable, (unsigned *)out, 64));
    TWICE(upper<<<n / 256, 256>>>(text));
    TWICE(upper4<<<n / 4 / 256, 256>>>((char4 *)text));
}
