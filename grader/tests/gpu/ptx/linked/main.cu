/* A program of two files, built with -rdc=true and linked. Each file calls, reads and launches parts of the
 * other, and both have parts of their own with the same name. */
#include "shared.cuh"

__device__ int of_main = 30000;

static __device__ __noinline__ int own(int x)
{
    return x + 1000;
}
static __device__ int next = 100;
__device__ static const char *const volatile name = "main.";

__device__ int add_seven(int x)
{
    return x + 7;
}

__global__ void call(int *out)
{
    out[threadIdx.x] = triple(threadIdx.x) + table[threadIdx.x % SCALES];
}

__global__ void call_by_pointer(int *out)
{
    out[threadIdx.x] = operations[threadIdx.x % 3](threadIdx.x);
}

__global__ void read_constants(int *out)
{
    out[threadIdx.x] = (int)(2 * scales[threadIdx.x % SCALES]);
}

__global__ void count(int *out)
{
    out[threadIdx.x] = atomicAdd(&counter, 1);
}

/* Uses shared memory of this file and, through block_sum(), of the other file. */
__global__ void add_up(int *out)
{
    __shared__ int mine[THREADS];
    mine[threadIdx.x] = threadIdx.x;
    int total = block_sum(1);
    __syncthreads();
    out[threadIdx.x] = total + mine[THREADS - 1 - threadIdx.x];
}

struct square : shape {
    int side;
    __device__ explicit square(int s) : side(s)
    {
    }
    __device__ int area() const
    {
        return side * side;
    }
};

__global__ void ask(int *out)
{
    square s(threadIdx.x);
    out[threadIdx.x] = area_of(&s);
}

static __global__ void write_name(int *out)
{
    out[threadIdx.x] = name[threadIdx.x];
}

static __global__ void write_next(int *out)
{
    out[threadIdx.x] = own(atomicAdd(&next, 1)) + of_main;
}

static __global__ void add_to_both(int *out)
{
    out[threadIdx.x] = both += 1;
}

__global__ void launch(int *out)
{
    fill<<<2, THREADS / 2>>>(out, 6);
}

__global__ void add_shared_word(int *out)
{
    out[threadIdx.x] = atomicAdd(&shared_word, 1);
}

int main()
{
    int *out, scale[SCALES], *address;
    MUST(cudaMalloc(&out, THREADS * sizeof *out));

    call<<<1, THREADS>>>(out);
    expect("calls and reads of the other file", sum(out, THREADS),
           3 * 2016 + THREADS / SCALES * 59);
    call_by_pointer<<<1, THREADS>>>(out);
    expect("calls by pointer", sum(out, THREADS), 3 * 693 + 651 + 21 * 7 + 672 + 21 * 2000);
    read_constants<<<1, SCALES>>>(out);
    expect("constants", sum(out, SCALES), 255);
    for (int i = 0; i < SCALES; i++)
        scale[i] = 0;
    float ones[SCALES] = {1, 1, 1, 1, 1, 1, 1, 1};
    MUST(cudaMemcpyToSymbol(scales, ones, sizeof ones));
    read_constants<<<1, SCALES>>>(out);
    expect("constants that main() sets", sum(out, SCALES), 2 * SCALES);

    count<<<1, THREADS>>>(out);
    MUST(cudaMemcpyFromSymbol(scale, counter, sizeof *scale));
    expect("a variable of the other file", scale[0], 5 + THREADS);
    MUST(cudaGetSymbolAddress((void **)&address, counter));
    expect("the address of this variable", sum(address, 1), 5 + THREADS);

    add_up<<<1, THREADS>>>(out);
    expect("shared memory", sum(out, THREADS), THREADS * THREADS + 2016);
    ask<<<1, THREADS>>>(out);
    expect("virtual functions", sum(out, THREADS), 85344);

    write_name<<<1, 5>>>(out);
    expect("a static string in this file", sum(out, 5), 'm' + 'a' + 'i' + 'n' + '.');
    expect("a static string in the other file", other_name(out), 'o' + 't' + 'h' + 'e' + 'r');
    write_next<<<1, 1>>>(out);
    expect("static names in this file", sum(out, 1), 31100);
    expect("static names in the other file", other_next(out), 32200);

    twice_all<<<1, THREADS>>>(out);
    expect("a template in this file", sum(out, THREADS), 4032);
    expect("a template in the other file", other_template(out), 4032);
    add_to_both<<<1, 1>>>(out);
    expect("a variable that both files define", other_weak(out), 11);

    fill<<<1, THREADS>>>(out, 2);
    expect("the other file's kernel", sum(out, THREADS), 2 * THREADS);
    launch<<<1, 1>>>(out);
    expect("the other file's kernel, launched by a kernel", sum(out, THREADS), 6 * THREADS);

    shared_word += 10;
    add_shared_word<<<1, THREADS>>>(out);
    MUST(cudaDeviceSynchronize());
    expect("the other file's managed variable", shared_word, 19 + THREADS);
    return summary();
}
