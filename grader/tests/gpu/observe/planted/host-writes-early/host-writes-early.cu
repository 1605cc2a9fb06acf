/* The host writes to what work in a stream may still use. */
#include "tests/gpu/observe/planted/streams.cuh"

// host-writes-early
static void refills_the_source()
{
    p[0] = 1;
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a); // A
    p[0] = 2;                                                        // B
}

// fine
static void refills_after_waiting()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a);
    cudaStreamSynchronize(a);
    p[0] = 2;
}

// fine
static void reads_the_source()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a);
    seen = p[0];
}

// fine
static void refills_pageable()
{
    cudaMemcpyAsync(d, pageable, N * sizeof *d, cudaMemcpyHostToDevice, a);
    pageable[0] = 2;
}

// fine
static void refills_the_other_half()
{
    cudaMemcpyAsync(d, p, 50 * sizeof *d, cudaMemcpyHostToDevice, a);
    for (int i = 50; i < N; i++)
        p[i] = i;
}

// host-writes-early
static void refills_one_element_too_many()
{
    cudaMemcpyAsync(d, p, 51 * sizeof *d, cudaMemcpyHostToDevice, a); // A
    for (int i = 50; i < N; i++)
        p[i] = i; // B
}

// host-writes-early
static void writes_what_a_kernel_reads()
{
    add<<<BLOCKS(N), 0, a>>>(m, d, N); // A
    m[3] = 1;                          // B
}

// host-writes-early
static void writes_what_a_kernel_writes()
{
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N); // A
    m[3] = 0;                           // B
}

// fine
static void writes_before_the_kernel()
{
    m[3] = 0;
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N);
    cudaStreamSynchronize(a);
    m[3] = 0;
}

// host-writes-early
static void clears_early()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a); // A
    memset(p, 0, N * sizeof *p);                                     // B
}

// host-writes-early
static void loads_early()
{
    FILE *file = fopen("/dev/zero", "r");
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a); // A
    if (fread(p, sizeof *p, N, file) != N)                           // B
        abort();
    fclose(file);
}

// host-writes-early
static void one_buffer_for_all_steps()
{
    for (int step = 0; step < 4; step++) {
        for (int i = 0; i < N; i++)
            p[i] = step;                                                 // B
        cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, a); // A
        add<<<BLOCKS(N), 0, a>>>(d, m, N);
    }
}

// fine
static void two_buffers()
{
    cudaEvent_t copied[2];
    cudaEventCreate(&copied[0]);
    cudaEventCreate(&copied[1]);
    for (int step = 0; step < 6; step++) {
        int *buffer = p + step % 2 * (N / 2);
        cudaEventSynchronize(copied[step % 2]);
        for (int i = 0; i < N / 2; i++)
            buffer[i] = step;
        cudaMemcpyAsync(d, buffer, N / 2 * sizeof *d, cudaMemcpyHostToDevice, a);
        cudaEventRecord(copied[step % 2], a);
        add<<<BLOCKS(N / 2), 0, a>>>(d, d + N / 2, N / 2);
    }
}

// host-writes-early
static void two_buffers_and_events_before_the_copies()
{
    cudaEvent_t copied[2];
    cudaEventCreate(&copied[0]);
    cudaEventCreate(&copied[1]);
    for (int step = 0; step < 6; step++) {
        int *buffer = p + step % 2 * (N / 2);
        cudaEventSynchronize(copied[step % 2]);
        for (int i = 0; i < N / 2; i++)
            buffer[i] = step; // B
        cudaEventRecord(copied[step % 2], a);
        cudaMemcpyAsync(d, buffer, N / 2 * sizeof *d, cudaMemcpyHostToDevice, a); // A
    }
}

// host-writes-early
static void registered_memory()
{
    int *own = (int *)aligned_alloc(4096, N * sizeof *own);
    cudaHostRegister(own, N * sizeof *own, cudaHostRegisterDefault);
    cudaMemcpyAsync(d, own, N * sizeof *own, cudaMemcpyHostToDevice, x); // A
    own[9] = 1;                                                          // B
}

// fine
static void registered_memory_after_waiting()
{
    int *own = (int *)aligned_alloc(4096, N * sizeof *own);
    cudaHostRegister(own, N * sizeof *own, cudaHostRegisterDefault);
    cudaMemcpyAsync(d, own, N * sizeof *own, cudaMemcpyHostToDevice, x);
    cudaStreamSynchronize(x);
    own[9] = 1;
}

// fine
static void managed_is_filled_at_once()
{
    cudaMemset(m, 0, N * sizeof *m);
    m[0] = 1;
}

// host-writes-early
static void managed_is_filled_later()
{
    cudaMemsetAsync(m, 0, N * sizeof *m, a); // A
    m[0] = 1;                                // B
}

int main()
{
    CALL(refills_the_source);
    CALL(refills_after_waiting);
    CALL(reads_the_source);
    CALL(refills_pageable);
    CALL(refills_the_other_half);
    CALL(refills_one_element_too_many);
    CALL(writes_what_a_kernel_reads);
    CALL(writes_what_a_kernel_writes);
    CALL(writes_before_the_kernel);
    CALL(clears_early);
    CALL(loads_early);
    CALL(one_buffer_for_all_steps);
    CALL(two_buffers);
    CALL(two_buffers_and_events_before_the_copies);
    CALL(registered_memory);
    CALL(registered_memory_after_waiting);
    CALL(managed_is_filled_at_once);
    CALL(managed_is_filled_later);
}
