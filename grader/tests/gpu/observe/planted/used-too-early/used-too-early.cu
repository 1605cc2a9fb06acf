/* A stream uses memory that another stream allocates. */
#include "tests/gpu/observe/planted/streams.cuh"

static int *memory;

// used-too-early
static void kernel_in_another_stream()
{
    cudaMallocAsync(&memory, N * sizeof *memory, a); // A
    fill<<<BLOCKS(N), 0, b>>>(memory, 1, N);         // B
}

// fine
static void kernel_in_the_stream()
{
    cudaMallocAsync(&memory, N * sizeof *memory, a);
    fill<<<BLOCKS(N), 0, a>>>(memory, 1, N);
}

// fine
static void kernel_behind_an_event()
{
    cudaMallocAsync(&memory, N * sizeof *memory, a);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    fill<<<BLOCKS(N), 0, b>>>(memory, 1, N);
}

// used-too-early
static void copy_in_another_stream()
{
    cudaMallocAsync(&memory, N * sizeof *memory, x);                           // A
    cudaMemcpyAsync(memory, p, N * sizeof *memory, cudaMemcpyHostToDevice, y); // B
}

// fine
static void copy_after_waiting()
{
    cudaMallocAsync(&memory, N * sizeof *memory, x);
    cudaStreamSynchronize(x);
    cudaMemcpyAsync(memory, p, N * sizeof *memory, cudaMemcpyHostToDevice, y);
}

// used-too-early
static void allocated_in_the_default_stream()
{
    cudaMallocAsync(&memory, N * sizeof *memory, 0);   // A
    cudaMemsetAsync(memory, 0, N * sizeof *memory, x); // B
}

// fine
static void default_and_blocking_stream()
{
    cudaMallocAsync(&memory, N * sizeof *memory, 0);
    cudaMemsetAsync(memory, 0, N * sizeof *memory, a);
}

int main()
{
    CALL(kernel_in_another_stream);
    CALL(kernel_in_the_stream);
    CALL(kernel_behind_an_event);
    CALL(copy_in_another_stream);
    CALL(copy_after_waiting);
    CALL(allocated_in_the_default_stream);
    CALL(default_and_blocking_stream);
}
