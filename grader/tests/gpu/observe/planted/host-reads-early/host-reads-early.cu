/* The host reads what work in a stream may still write. */
#include "tests/gpu/observe/planted/streams.cuh"

__managed__ int total;

// host-reads-early
static void managed_after_launch()
{
    fill<<<BLOCKS(N)>>>(m, 1, N); // A
    seen = m[5];                  // B
}

// fine
static void managed_after_waiting()
{
    fill<<<BLOCKS(N)>>>(m, 1, N);
    cudaDeviceSynchronize();
    seen = m[5];
}

// fine
static void other_half_of_managed()
{
    fill<<<BLOCKS(N), 0, a>>>(m, 1, 100);
    seen = m[100];
    cudaStreamSynchronize(a);
    seen = m[99];
}

// host-reads-early
static void own_half_of_managed()
{
    fill<<<BLOCKS(N), 0, a>>>(m, 1, 100); // A
    seen = m[100];
    seen = m[99]; // B
}

// fine
static void managed_that_kernels_read()
{
    add<<<BLOCKS(N), 0, a>>>(m, d, N);
    seen = m[5];
}

// host-reads-early
static void managed_variable()
{
    count<<<4, 32>>>(&total); // A
    seen = total;             // B
}

// fine
static void managed_variable_after_copy()
{
    count<<<4, 32>>>(&total);
    cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost);
    seen = total;
}

// host-reads-early
static void copied_result()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a); // A
    seen = p[N - 1];                                                 // B
}

// fine
static void copied_result_after_waiting()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    seen = p[N - 1];
}

// fine
static void copied_to_pageable()
{
    cudaMemcpyAsync(pageable, d, N * sizeof *d, cudaMemcpyDeviceToHost, a);
    seen = pageable[N - 1];
}

// host-reads-early
static void waits_for_the_other_stream()
{
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a); // A
    cudaStreamSynchronize(b);
    seen = p[0]; // B
}

// fine
static void waits_for_a_stream_that_waited()
{
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    cudaStreamSynchronize(b);
    seen = p[0];
}

// host-reads-early
static void event_before_the_work()
{
    cudaEventRecord(e, a);
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N); // A
    cudaEventSynchronize(e);
    seen = m[0]; // B
}

// fine
static void event_behind_the_work()
{
    cudaEventRecord(e, a);
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N);
    cudaEventRecord(e, a);
    cudaEventSynchronize(e);
    seen = m[0];
}

// fine
static void polls_an_event()
{
    fill<<<BLOCKS(N), 0, x>>>(m, 1, N);
    cudaEventRecord(e, x);
    while (cudaEventQuery(e) == cudaErrorNotReady)
        ;
    seen = m[0];
}

// fine
static void polls_a_stream()
{
    fill<<<BLOCKS(N), 0, x>>>(m, 1, N);
    while (cudaStreamQuery(x) == cudaErrorNotReady)
        ;
    seen = m[0];
}

// host-reads-early
static void only_a_stream_waits()
{
    fill<<<BLOCKS(N), 0, x>>>(m, 1, N); // A
    cudaEventRecord(e, x);
    cudaStreamWaitEvent(y, e);
    seen = m[0]; // B
}

// host-reads-early
static void zero_copy()
{
    fill<<<BLOCKS(N)>>>(p, 1, N); // A
    seen = p[7];                  // B
}

// host-reads-early
static void default_stream_is_not_enough()
{
    fill<<<BLOCKS(N), 0, x>>>(m, 1, N); // A
    cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost);
    cudaStreamSynchronize(0);
    seen = m[0]; // B
}

// fine
static void default_stream_is_enough()
{
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N);
    cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost);
    seen = m[0];
}

// host-reads-early
static void device_copy_does_not_wait()
{
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N); // A
    cudaMemcpy(d, d + N / 2, N / 4, cudaMemcpyDeviceToDevice);
    seen = m[0]; // B
}

// host-reads-early
static void copies_early()
{
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a); // A
    memcpy(pageable, p, sizeof pageable);                            // B
}

// host-reads-early
static void saves_early()
{
    FILE *file = fopen("/dev/null", "w");
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a); // A
    if (fwrite(p, sizeof *p, N, file) != N)                          // B
        abort();
    fclose(file);
}

// fine
static void saves_late()
{
    FILE *file = fopen("/dev/null", "w");
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    if (fwrite(p, sizeof *p, N, file) != N)
        abort();
    fclose(file);
}

// host-reads-early
static void host_function_in_another_stream()
{
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, x); // A
    cudaLaunchHostFunc(
        y,
        [](void *) {
            seen = p[0]; // B
        },
        NULL);
}

// fine
static void host_function_in_the_stream()
{
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, x);
    cudaLaunchHostFunc(
        x, [](void *) { seen = p[0]; }, NULL);
}

// fine
static void host_function_tells_the_program()
{
    static volatile bool done;
    done = false;
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, x);
    cudaLaunchHostFunc(
        x, [](void *) { done = true; }, NULL);
    while (!done)
        ;
    seen = p[0];
}

static cudaGraphExec_t make_graph()
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaStreamBeginCapture(x, cudaStreamCaptureModeGlobal);
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, x);
    cudaStreamEndCapture(x, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    return made;
}

// host-reads-early
static void graph()
{
    cudaGraphExec_t made = make_graph();
    cudaGraphLaunch(made, x); // A
    seen = p[0];              // B
}

// fine
static void graph_after_waiting()
{
    cudaGraphExec_t made = make_graph();
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(made, x);
    cudaStreamSynchronize(x);
    seen = p[0];
}

// fine
static void kernel_signals()
{
    volatile int *flag = p;
    signal<<<1, 1, 0, x>>>(p, p + 1);
    while (!*flag)
        ;
    seen = p[1];
}

int main()
{
    CALL(managed_after_launch);
    CALL(managed_after_waiting);
    CALL(other_half_of_managed);
    CALL(own_half_of_managed);
    CALL(managed_that_kernels_read);
    CALL(managed_variable);
    CALL(managed_variable_after_copy);
    CALL(copied_result);
    CALL(copied_result_after_waiting);
    CALL(copied_to_pageable);
    CALL(waits_for_the_other_stream);
    CALL(waits_for_a_stream_that_waited);
    CALL(event_before_the_work);
    CALL(event_behind_the_work);
    CALL(polls_an_event);
    CALL(polls_a_stream);
    CALL(only_a_stream_waits);
    CALL(zero_copy);
    CALL(default_stream_is_not_enough);
    CALL(default_stream_is_enough);
    CALL(device_copy_does_not_wait);
    CALL(copies_early);
    CALL(saves_early);
    CALL(saves_late);
    CALL(host_function_in_another_stream);
    CALL(host_function_in_the_stream);
    CALL(host_function_tells_the_program);
    CALL(graph);
    CALL(graph_after_waiting);
    CALL(kernel_signals);
}
