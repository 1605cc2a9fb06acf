/* Searching in texts, and changing them. */
#include "common.cuh"

typedef unsigned char byte;

__constant__ byte wanted[64];
__constant__ int skip[256];

/* Everyone tries one place. */
__global__ void searchNaive(int *count, const byte *text, int n, const byte *pattern, int length)
{
    int i = own_index();
    if (i > n - length)
        return;
    int k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    if (k == length)
        atomicAdd(count, 1);
}

/* A thread takes a part and skips by Horspool's rule; the table is in constant memory. */
__global__ void searchHorspool(int *counts, const byte *text, int n, int length, int each)
{
    int t = own_index(), i = t * each, end = min(i + each, n - length + 1), found = 0;
    while (i < end) {
        byte last = text[i + length - 1];
        int k = length - 1;
        if (last == wanted[k])
            while (k > 0 && text[i + k - 1] == wanted[k - 1])
                k--;
        found += k == 0;
        i += skip[last];
    }
    counts[t] = found;
}

/* Rolling sums: every thread hashes a window, then moves it. */
__global__ void searchRolling(int *counts, const byte *text, int n, int length, unsigned hash,
                              unsigned power, int each)
{
    int t = own_index(), first = t * each, found = 0;
    if (first < n - length + 1) {
        int end = min(first + each, n - length + 1);
        unsigned h = 0;
        for (int k = 0; k < length; k++)
            h = h * 257 + text[first + k];
        for (int i = first; i < end; i++) {
            found += h == hash;
            if (i + 1 < end)
                h = (h - text[i] * power) * 257 + text[i + length];
        }
    }
    counts[t] = found;
}

/* Words: letters after others. Text in shared memory, or four bytes per load. */
__global__ void countWords(int *count, const byte *text, int n)
{
    __shared__ byte s[257];
    int i = own_index();
    s[threadIdx.x + 1] = i < n ? text[i] : ' ';
    if (threadIdx.x == 0)
        s[0] = i ? text[i - 1] : ' ';
    __syncthreads();
    int found = __syncthreads_count(i < n && s[threadIdx.x + 1] > ' ' && s[threadIdx.x] <= ' ');
    if (threadIdx.x == 0)
        atomicAdd(count, found);
}

__global__ void countWords4(int *count, const uchar4 *text, int n)
{
    int found = 0, lane = threadIdx.x % 32;
    for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) {
        uchar4 c = text[i];
        byte before = i ? ((const byte *)text)[4 * i - 1] : ' ';
        found += (c.x > ' ' && before <= ' ') + (c.y > ' ' && c.x <= ' ') +
                 (c.z > ' ' && c.y <= ' ') + (c.w > ' ' && c.z <= ' ');
    }
    found = __reduce_add_sync(~0u, found);
    if (lane == 0)
        atomicAdd(count, found);
}

/* Three bytes become four letters. */
__global__ void base64(uchar4 *out, const byte *in, int n)
{
    __shared__ byte letters[64];
    for (int k = threadIdx.x; k < 64; k += blockDim.x)
        letters[k] = k < 26    ? 'A' + k
                     : k < 52  ? 'a' + k - 26
                     : k < 62  ? '0' + k - 52
                     : k == 62 ? '+'
                               : '/';
    __syncthreads();
    int i = own_index();
    if (i >= n)
        return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[i] =
        make_uchar4(letters[v >> 18], letters[v >> 12 & 63], letters[v >> 6 & 63], letters[v & 63]);
}

/* Numbers to decimal digits, ten bytes each. */
__global__ void decimal(byte *out, const unsigned *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned x = in[i];
    for (int k = 9; k >= 0; k--) {
        out[i * 10 + k] = '0' + x % 10;
        x /= 10;
    }
}

/* Numbers from such digits. */
__global__ void parse(unsigned *out, const byte *in, int n)
{
    int i = own_index();
    if (i >= n)
        return;
    unsigned x = 0;
    for (int k = 0; k < 10; k++) {
        byte c = in[i * 10 + k];
        if (c < '0' || c > '9')
            break;
        x = x * 10 + (c - '0');
    }
    out[i] = x;
}

/* Adler's and Fletcher's sums of records. */
__global__ void adler(unsigned *out, const byte *in, int length)
{
    int i = own_index();
    unsigned a = 1, b = 0;
    for (int k = 0; k < length; k++) {
        a = (a + in[i * length + k]) % 65521;
        b = (b + a) % 65521;
    }
    out[i] = b << 16 | a;
}

/* Modulo once at the end; a warp loads for all through shared memory. */
__global__ void adlerStaged(unsigned *out, const unsigned *in, int words)
{
    __shared__ unsigned s[4][32][33];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = (blockIdx.x * 4 + warp) * 32;
    unsigned a = 1, b = 0;
    for (int w = 0; w < words; w += 32) {
        for (int r = 0; r < 32; r++)
            s[warp][r][lane] = in[(first + r) * words + w + lane];
        __syncwarp();
        for (int k = 0; k < 32; k++) {
            unsigned v = s[warp][lane][k];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                a += v >> 8 * j & 255;
                b += a;
            }
        }
        __syncwarp();
    }
    out[first + lane] = b % 65521 << 16 | a % 65521;
}

int main()
{
    const int n = 1000000;
    std::vector<byte> words(n);
    for (int i = 0; i < n; i++)
        words[i] = scrambled(i) % 6 == 0 ? ' ' : "etaoinshrdlu"[scrambled(i + 7) % 12];
    const char *pattern = "tension";
    const int length = 7;
    for (int i = 1000; i + length < n; i += 3777)
        memcpy(&words[i], pattern, length);
    auto text = sent(words), sought = sent(std::vector<byte>(pattern, pattern + length));
    int *counts = zeros<int>(1 << 18);
    int occurrences = 0, starts = 0;
    for (int i = 0; i < n; i++) {
        occurrences += i + length <= n && memcmp(&words[i], pattern, length) == 0;
        starts += words[i] > ' ' && (i == 0 || words[i - 1] <= ' ');
    }
    auto sum_right = [&](const char *what, int threads, int want) {
        int sum = 0;
        for (int c : fetched(counts, threads))
            sum += c;
        if (comparing() && sum != want) {
            fprintf(stderr, "%s: %d instead of %d\n", what, sum, want);
            exit(4);
        }
        printf("%s: right\n", what);
        CHECK(cudaMemset(counts, 0, threads * sizeof *counts));
    };
    TWICE(searchNaive<<<blocks_for(n, 256), 256>>>(counts, text.device, n, sought.device, length));
    sum_right("searchNaive", 1, 2 * occurrences);
    std::vector<int> table(256, length);
    for (int k = 0; k < length - 1; k++)
        table[(byte)pattern[k]] = length - 1 - k;
    CHECK(cudaMemcpyToSymbol(skip, table.data(), sizeof skip));
    CHECK(cudaMemcpyToSymbol(wanted, pattern, length));
    for (int each : {32, 256}) {
        int threads = blocks_for(n, each * 128) * 128;
        TWICE(searchHorspool<<<threads / 128, 128>>>(counts, text.device, n, length, each));
        sum_right("searchHorspool", threads, occurrences);
        unsigned hash = 0, power = 1;
        for (int k = 0; k < length; k++)
            hash = hash * 257 + (byte)pattern[k];
        for (int k = 1; k < length; k++)
            power *= 257;
        TWICE(searchRolling<<<threads / 128, 128>>>(counts, text.device, n, length, hash, power,
                                                    each));
        sum_right("searchRolling", threads, occurrences);
    }
    TWICE(countWords<<<blocks_for(n, 256), 256>>>(counts, text.device, n));
    sum_right("countWords", 1, 2 * starts);
    TWICE(countWords4<<<132, 256>>>(counts, (uchar4 *)text.device, n / 4));
    sum_right("countWords4", 1, 2 * starts);
    byte *out = zeros<byte>(n * 2);
    const char *alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    TWICE(base64<<<blocks_for(n / 3, 256), 256>>>((uchar4 *)out, text.device, n / 3));
    expect("base64", out, n / 3 * 4, [&](size_t i) {
        size_t k = i / 4 * 3;
        unsigned v = words[k] << 16 | words[k + 1] << 8 | words[k + 2];
        return alphabet[v >> (18 - i % 4 * 6) & 63];
    });
    const int numbers = 150000;
    auto values = made<unsigned>(numbers, [](size_t i) { return scrambled(i); });
    unsigned *parsed = zeros<unsigned>(numbers);
    for (int count : {numbers, 2000}) {
        TWICE(decimal<<<blocks_for(count, 128), 128>>>(out, values.device, count));
        expect("decimal", out, count * 10, [&](size_t i) {
            char text[16];
            snprintf(text, sizeof text, "%010u", values[i / 10]);
            return text[i % 10];
        });
        TWICE(parse<<<blocks_for(count, 128), 128>>>(parsed, out, count));
        expect("parse", parsed, count, [&](size_t i) { return values[i]; });
    }
    const int records = 4096, bytes = 256;
    unsigned *sums = zeros<unsigned>(records);
    auto sum = [&](size_t i) {
        unsigned a = 1, b = 0;
        for (int k = 0; k < bytes; k++) {
            a = (a + words[(i * bytes + k) % n]) % 65521;
            b = (b + a) % 65521;
        }
        return b << 16 | a;
    };
    auto longer = made<byte>(records * bytes, [&](size_t i) { return words[i % n]; });
    TWICE(adler<<<records / 128, 128>>>(sums, longer.device, bytes));
    expect("adler", sums, records, sum);
    CHECK(cudaMemset(sums, 0, records * sizeof *sums));
    TWICE(adlerStaged<<<records / 128, 128>>>(sums, (unsigned *)longer.device, bytes / 4));
    expect("adlerStaged", sums, records, sum);
    return 0;
}
