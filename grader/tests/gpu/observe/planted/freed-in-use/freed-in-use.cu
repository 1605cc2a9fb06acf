/* Memory is freed while work in a stream may still use it. */
#include "tests/gpu/observe/planted/streams.cuh"

static int *allocate(cudaStream_t stream)
{
    int *memory;
    cudaMallocAsync(&memory, N * sizeof *memory, stream);
    return memory;
}

// freed-in-use
static void freed_in_another_stream()
{
    int *memory = allocate(a);
    fill<<<BLOCKS(N), 0, a>>>(memory, 1, N); // A
    cudaFreeAsync(memory, b);                // B
}

// fine
static void freed_in_the_stream()
{
    int *memory = allocate(a);
    fill<<<BLOCKS(N), 0, a>>>(memory, 1, N);
    cudaFreeAsync(memory, a);
}

// fine
static void freed_behind_an_event()
{
    int *memory = allocate(a);
    fill<<<BLOCKS(N), 0, a>>>(memory, 1, N);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    cudaFreeAsync(memory, b);
}

// freed-in-use
static void last_reader_is_forgotten()
{
    int *memory = allocate(a);
    fill<<<BLOCKS(N), 0, a>>>(memory, 1, N);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    add<<<BLOCKS(N), 0, b>>>(memory, d, N); // A
    cudaFreeAsync(memory, a);               // B
}

// freed-in-use
static void freed_by_the_host()
{
    int *memory = allocate(x);
    fill<<<BLOCKS(N), 0, x>>>(memory, 1, N); // A
    cudaFree(memory);                        // B
}

// fine
static void freed_by_the_host_after_waiting()
{
    int *memory = allocate(x);
    fill<<<BLOCKS(N), 0, x>>>(memory, 1, N);
    cudaStreamSynchronize(x);
    cudaFree(memory);
}

// fine
static void ordinary_memory_freed_by_the_host()
{
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);
    cudaFree(d);
}

// freed-in-use
static void source_freed_too_early()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a); // A
    cudaFreeHost(p);                                                 // B
}

// fine
static void source_freed_in_time()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a);
    cudaStreamSynchronize(a);
    cudaFreeHost(p);
}

// fine
static void pageable_source_freed()
{
    int *own = (int *)calloc(N, sizeof *own);
    cudaMemcpyAsync(d, own, N * sizeof *d, cudaMemcpyHostToDevice, a);
    free(own);
}

// freed-in-use
static void unregistered_too_early()
{
    cudaHostRegister(pageable, sizeof pageable, cudaHostRegisterDefault);
    cudaMemcpyAsync(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost, a); // A
    cudaHostUnregister(pageable);                                             // B
}

int main()
{
    CALL(freed_in_another_stream);
    CALL(freed_in_the_stream);
    CALL(freed_behind_an_event);
    CALL(last_reader_is_forgotten);
    CALL(freed_by_the_host);
    CALL(freed_by_the_host_after_waiting);
    CALL(ordinary_memory_freed_by_the_host);
    CALL(source_freed_too_early);
    CALL(source_freed_in_time);
    CALL(pageable_source_freed);
    CALL(unregistered_too_early);
}
