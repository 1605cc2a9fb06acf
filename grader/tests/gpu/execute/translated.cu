/* Kernels for the translation to native code: what it has words for, what it leaves to the interpreter, and warps that
 * part on the way. Prints a hash of what each has made; how many of them were translated, to the file that its
 * argument names. */
#include <cstdint>
#include <cstdio>
#include <cstring>

#define BLOCKS  5
#define THREADS 96
#define COUNT   (BLOCKS * THREADS)

__device__ unsigned thread_id()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* Loops that all lanes go round as often, over loads and stores side by side. */
__global__ void whole(const unsigned *in, unsigned *out, int rounds)
{
    unsigned t = thread_id(), a = in[t], b = ~a;
    float f = (float)a, g = 0.5f;
    double d = t;
    long long wide = t;
    for (int i = 0; i < rounds; i++) {
        a = a * 1664525u + in[(t + i) % COUNT];
        b ^= a >> 5 | b << 3;
        f = f * g + (float)(b & 255);
        g = g > 2.0f ? 0.25f : g + 0.125f;
        d = d / 3.0 + f;
        wide += (long long)(int)a * b;
        out[t] = a;
    }
    out[t] = a ^ b ^ __float_as_uint(f) ^ (unsigned)__double_as_longlong(d) ^ (unsigned)(wide >> 7);
}

/* Lanes that leave the loop one by one, and both sides of a branch. */
__global__ void parted(const unsigned *in, unsigned *out, int rounds)
{
    unsigned t = thread_id(), n = in[t] % 29 + 3, sum = 0;
    for (unsigned i = 0; i < n * rounds; i++) {
        if ((i ^ t) & 1)
            sum += in[(i * 7 + t) % COUNT] >> (i & 7);
        else
            sum ^= i * t;
        if (sum % 113 == 5)
            break;
    }
    out[t] = sum;
}

/* Barriers, shared memory, and lanes that talk to each other. */
__global__ void together(const unsigned *in, unsigned *out, int rounds)
{
    __shared__ unsigned part[THREADS];
    unsigned t = threadIdx.x, value = in[thread_id()];
    for (int i = 0; i < rounds; i++) {
        part[t] = value;
        __syncthreads();
        value += part[(t + i + 1) % THREADS] + (part[t & ~31u] >> 1);
        __syncthreads();
        value ^= __shfl_xor_sync(0xffffffffu, value, 1 << i % 5);
        if (__any_sync(0xffffffffu, value % 64 == 0))
            value += 3;
        if (t < THREADS / 2)
            value -= part[t + THREADS / 2];
    }
    atomicAdd(&out[blockIdx.x], value);
    out[thread_id()] += 0;
}

__device__ __noinline__ unsigned collatz(unsigned n)
{
    unsigned steps = 0;
    for (; n > 1 && steps < 500; steps++)
        n = n & 1 ? 3 * n + 1 : n / 2;
    return steps;
}

/* Calls of functions, and the last warp of a block that is not whole. */
__global__ void calls(const unsigned *in, unsigned *out, int rounds)
{
    unsigned t = thread_id(), sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += collatz(in[t] % 1000 + i) << (i & 3);
    out[t] = sum;
}

/* Short, and at the edges not the same for all lanes of a warp. */
__global__ void edges(const unsigned *in, unsigned *out, int rounds)
{
    unsigned t = thread_id();
    if (t > 5 && t < COUNT - 40)
        out[t] = in[t - 1] + in[t + 1] * rounds;
}

/* Rows of 16 lanes, which move against each other where they begin anew. */
__global__ void rows(const unsigned *in, unsigned *out, int rounds)
{
    unsigned x = thread_id() % 16, y = thread_id() / 16, sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum = sum * 31 + in[(y * 31 + i) % (COUNT - 16) + x] + in[(y * 7 + i) % COUNT];
        out[y * 16 + x] = sum;
    }
}

__device__ unsigned ticket;

/* The order of warps, whose turns end in the midst of it: what others might look at makes them short. */
__global__ void in_turns(const unsigned *in, unsigned *out, int rounds)
{
    volatile const unsigned *look = in;
    unsigned t = thread_id(), sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum = sum * 31 + look[(t + i) % COUNT];
        if (i % 16 == 0)
            sum ^= atomicAdd(&ticket, 1);
    }
    out[t] = sum;
}

/* Half of the lanes read what lies beside the array: the same finding either way. */
__global__ void astray(const unsigned *in, unsigned *out, int rounds)
{
    unsigned t = thread_id(), sum = 0;
    for (int i = 0; i < rounds; i++)
        sum += in[t + (i == rounds - 1 && t & 1 ? 1u << 20 : 0)];
    out[t] = sum;
}

__device__ unsigned table[] = {3, 1, 4, 1, 5, 9};

/* Places that instructions name: all lanes read one, some do, one of them writes. */
__global__ void named(const unsigned *in, unsigned *out, int rounds)
{
    __shared__ unsigned latest, kept[4];
    unsigned t = thread_id(), sum = in[t];
    if (threadIdx.x < 4)
        kept[threadIdx.x] = 0;
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == i % blockDim.x) {
            latest = sum;
            kept[2] = i;
        }
        __syncthreads();
        sum = sum * 31 + latest + table[4];
        if (sum & 1)
            sum += kept[2] ^ table[5];
        __syncthreads();
    }
    out[t] = sum;
}

static uint64_t hash(const unsigned *values)
{
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < COUNT; i++)
        h = (h ^ values[i]) * 1099511628211u;
    return h;
}

typedef void kernel_t(const unsigned *in, unsigned *out, int rounds);

static void run(const char *name, kernel_t *kernel, unsigned threads, int rounds)
{
    static unsigned host[COUNT];
    unsigned *in, *out;
    for (unsigned i = 0; i < COUNT; i++)
        host[i] = i * 2654435761u ^ i << 9;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof host);
    for (int again = 0; again < 2; again++)
        kernel<<<BLOCKS, threads>>>(in, out, rounds + again);
    cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s %u: %s %016llx\n", name, threads, cudaGetErrorName(error),
           (unsigned long long)hash(host));
    cudaFree(in);
    cudaFree(out);
}

/* Each translation is a library, with one segment of code. */
static int translations()
{
    char line[1024];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "lanewise-kernel") && strstr(line, " r-xp ");
    fclose(maps);
    return count;
}

int main(int argc, char **argv)
{
    run("whole", whole, THREADS, 700);
    run("whole", whole, THREADS - 9, 100);
    run("parted", parted, THREADS, 20);
    run("together", together, THREADS, 300);
    run("calls", calls, THREADS - 9, 30);
    run("edges", edges, THREADS, 3);
    run("rows", rows, THREADS, 90);
    run("in_turns", in_turns, THREADS, 600);
    run("named", named, THREADS, 200);
    run("astray", astray, THREADS, 50);
    FILE *file = argc > 1 ? fopen(argv[1], "w") : nullptr;
    if (file) {
        fprintf(file, "%d", translations());
        fclose(file);
    }
}
