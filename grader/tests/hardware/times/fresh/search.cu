/* Searches: hash tables, trees, strings, tables in constant memory and textures. */
#include "../launch.cuh"

#define SLOTS (1 << 18)
#define EMPTY 0xffffffffu

static __constant__ float coefficients[256];
static __constant__ unsigned char pattern[16];

static __device__ unsigned hash(unsigned key)
{
    key ^= key >> 16;
    key *= 0x85ebca6bu;
    key ^= key >> 13;
    key *= 0xc2b2ae35u;
    return key ^ key >> 16;
}

__global__ void insert(unsigned *table, const int *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], at = hash(key) % SLOTS;
    for (;;) {
        unsigned old = atomicCAS(&table[at], EMPTY, key);
        if (old == EMPTY || old == key)
            return;
        at = (at + 1) % SLOTS;
    }
}

__global__ void find(int *out, const unsigned *table, const int *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], at = hash(key) % SLOTS;
    while (table[at] != key && table[at] != EMPTY)
        at = (at + 1) % SLOTS;
    out[i] = table[at] == key ? (int)at : -1;
}

/* Chains of three reads in a cuckoo-like table of 64-bit entries. */
__global__ void find_wide(int *out, const unsigned long long *table, const int *keys, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i], where = hash(key), score = 0;
    for (int turn = 0; turn < 3; turn++) {
        unsigned long long entry = table[where % (SLOTS / 2)];
        score += (unsigned)(entry >> 32) ^ (unsigned)entry;
        where = hash(where ^ key + (unsigned)entry);
    }
    out[i] = score;
}

__global__ void binary_search(int *out, const int *sorted, const int *keys, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    int low = 0, high = length, key = keys[i];
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

/* The first levels of the tree lie in shared memory. */
__global__ void search_cached(int *out, const int *sorted, const int *keys, int n, int length)
{
    __shared__ int top[256];
    int part = length / 256;
    top[threadIdx.x] = sorted[threadIdx.x * part];
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int key = keys[i], at = 0;
        for (int step = 128; step; step /= 2)
            if (top[at + step] < key)
                at += step;
        at *= part;
        int end = min(at + part, length);
        while (at < end) {
            int middle = (at + end) / 2;
            if (sorted[middle] < key)
                at = middle + 1;
            else
                end = middle;
        }
        out[i] = at;
    }
}

struct node {
    int key, left, right, payload;
};

__global__ void descend(int *out, const node *tree, const int *keys)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, key = keys[i], at = 0, sum = 0;
    while (at >= 0) {
        node now = tree[at];
        sum += now.payload;
        at = key < now.key ? now.left : now.right;
    }
    out[i] = sum;
}

/* Counts the nodes of a range with a stack in local memory. */
__global__ void count_range(int *out, const node *tree, const int *keys, int width)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, low = keys[i], high = low + width;
    int stack[32], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth) {
        int at = stack[--depth];
        int key = tree[at].key;
        count += key >= low && key < high;
        if (key > low && tree[at].left >= 0)
            stack[depth++] = tree[at].left;
        if (key < high && tree[at].right >= 0)
            stack[depth++] = tree[at].right;
    }
    out[i] = count;
}

__global__ void find_string(int *out, const unsigned char *text, int n, int length)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    int k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    if (k == length)
        atomicAdd(out, 1);
}

__global__ void find_string_shared(int *out, const unsigned char *text, int length)
{
    __shared__ unsigned char part[1024 + 16];
    const unsigned *words = (const unsigned *)(text + blockIdx.x * 1024);
    for (int i = threadIdx.x; i < 260; i += blockDim.x)
        ((unsigned *)part)[i] = words[i];
    __syncthreads();
    int found = 0;
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
        int k = 0;
        while (k < length && part[i + k] == pattern[k])
            k++;
        found += k == length;
    }
    if (__syncthreads_count(found) && threadIdx.x == 0)
        atomicAdd(out, 1);
}

/* Edit distances of one word to many, a row of the table in local memory. */
__global__ void edit_distance(int *out, const unsigned char *text)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row[13];
    for (int k = 0; k <= 12; k++)
        row[k] = k;
    for (int a = 0; a < 12; a++) {
        int corner = row[0];
        row[0] = a + 1;
#pragma unroll
        for (int k = 1; k <= 12; k++) {
            int change = corner + (text[i * 12 + a] != pattern[k - 1]);
            corner = row[k];
            row[k] = min(change, min(row[k], row[k - 1]) + 1);
        }
    }
    out[i] = row[12];
}

__global__ void constant_same(float *out, const float *in, int degree)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i], sum = 0;
    for (int k = 0; k < degree; k++)
        sum = sum * x + coefficients[k];
    out[i] = sum;
}

/* Each lane reads another constant. */
__global__ void constant_spread(float *out, const int *in, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = in[i];
    float sum = 0;
    for (int k = 0; k < steps; k++, at = at * 5 + 1)
        sum += coefficients[at % 256];
    out[i] = sum;
}

__global__ void zoom(float *out, cudaTextureObject_t image, int width, float scale, float turn)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x * scale - y * turn + 0.5f, v = y * scale + x * turn + 0.5f;
    out[y * width + x] = tex2D<float>(image, u, v);
}

__global__ void zoom_plain(float *out, const float *image, int width, float scale, float turn)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = x * scale - y * turn, v = y * scale + x * turn;
    int left = min(max((int)floorf(u), 0), width - 2), top = min(max((int)floorf(v), 0), width - 2);
    const float *at = image + top * width + left;
    u -= left;
    v -= top;
    out[y * width + x] =
        (1 - v) * ((1 - u) * at[0] + u * at[1]) + v * ((1 - u) * at[width] + u * at[width + 1]);
}

static cudaTextureObject_t texture(const float *pixels, int width)
{
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, width));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, width * 4, width * 4, width,
                              cudaMemcpyDeviceToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t result;
    CHECK(cudaCreateTextureObject(&result, &resource, &how, NULL));
    return result;
}

/* A balanced tree of the keys 0, 16, 32, ... in the order of a heap. */
static node make_node(size_t i, int levels)
{
    int level = 0, count = (1 << levels) - 1;
    while ((2u << level) - 1 <= i)
        level++;
    int place = (int)i - ((1 << level) - 1), span = 1 << (levels - level);
    bool leaf = (int)(2 * i + 2) >= count;
    return node{(place * span + span / 2) * 16, leaf ? -1 : (int)(2 * i + 1),
                leaf ? -1 : (int)(2 * i + 2), (int)i % 7};
}

int main()
{
    const int n = 1 << 17;
    unsigned *table;
    CHECK(cudaMalloc(&table, SLOTS * 4));
    CHECK(cudaMemset(table, 0xff, SLOTS * 4));
    int *keys = integers(n, 1 << 20), *other = filled<int>(n, [](size_t i) { return (int)i * 8; });
    int *out = zeros<int>(n * 2), *sorted = filled<int>(n, [](size_t i) { return (int)i * 8; });
    float *image = fractions<float>(512 * 512), *pixels = zeros<float>(512 * 512);
    unsigned char *text = filled<unsigned char>(
        1 << 20, [](size_t i) { return (unsigned char)("aab"[scrambled(i) % 3]); });
    node *tree = filled<node>(65535, [](size_t i) { return make_node(i, 16); });
    CHECK(cudaMemcpyToSymbol(pattern, "aabaabaaabaabab", 16));
    CHECK(cudaMemcpyToSymbol(coefficients, image, 1024, 0, cudaMemcpyDeviceToDevice));
    cudaTextureObject_t view = texture(image, 512);
    TWICE(insert<<<n / 256, 256>>>(table, keys, n));
    TWICE(insert<<<2, 256>>>(table, keys, 512));
    TWICE(find<<<n / 128, 128>>>(out, table, keys, n));
    TWICE(find<<<n / 128, 128>>>(out, table, other, n));
    TWICE(find_wide<<<n / 256, 256>>>(out, (unsigned long long *)table, keys, n));
    TWICE(binary_search<<<n / 256, 256>>>(out, sorted, keys, n, n));
    TWICE(binary_search<<<n / 256, 256>>>(out, sorted, other, n, n));
    TWICE(search_cached<<<132, 256>>>(out, sorted, keys, n, n));
    TWICE(descend<<<256, 256>>>(out, tree, keys));
    TWICE(descend<<<8, 32>>>(out, tree, keys));
    TWICE(count_range<<<64, 64>>>(out, tree, keys, 160));
    TWICE(find_string<<<2048, 256>>>(out, text, 1 << 19, 12));
    TWICE(find_string_shared<<<512, 128>>>(out, text, 12));
    TWICE(edit_distance<<<128, 128>>>(out, text));
    TWICE(constant_same<<<266, 256>>>(pixels, image, 128));
    TWICE(constant_spread<<<133, 256>>>(pixels, keys, 32));
    TWICE(zoom<<<dim3(16, 64), dim3(32, 8)>>>(pixels, view, 512, 0.7f, 0.2f));
    TWICE(zoom_plain<<<dim3(16, 64), dim3(32, 8)>>>(pixels, image, 512, 0.7f, 0.2f));
    return 0;
}
