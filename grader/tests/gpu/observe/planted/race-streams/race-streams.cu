/* Work in two streams touches the same bytes. */
#include "tests/gpu/observe/planted/streams.cuh"

// race-streams
static void reads_too_early()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N); // A
    add<<<BLOCKS(N), 0, b>>>(d, m, N);  // B
}

// fine
static void reads_after_an_event()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    add<<<BLOCKS(N), 0, b>>>(d, m, N);
}

// fine
static void reads_after_the_host_waited()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaStreamSynchronize(a);
    add<<<BLOCKS(N), 0, b>>>(d, m, N);
}

// fine
static void reads_in_one_stream()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    add<<<BLOCKS(N), 0, a>>>(d, m, N);
}

// race-streams
static void overwrites_too_early()
{
    add<<<BLOCKS(N), 0, x>>>(d, m, N);  // A
    fill<<<BLOCKS(N), 0, y>>>(d, 1, N); // B
}

// race-streams
static void copies_too_early()
{
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);                              // A
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, y); // B
}

// race-streams
static void clears_too_late()
{
    cudaMemsetAsync(d, 0, N * sizeof *d, x); // A
    fill<<<BLOCKS(N), 0, y>>>(d, 1, N);      // B
}

// race-streams
static void halves_that_overlap()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N / 2 + 1);     // A
    fill<<<BLOCKS(N), 0, b>>>(d + N / 2, 2, N / 2); // B
}

// fine
static void halves()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N / 2);
    fill<<<BLOCKS(N), 0, b>>>(d + N / 2, 2, N / 2);
}

// fine
static void halves_of_a_row()
{
    cudaMemcpy2DAsync(d, 64, p, 64, 32, 100, cudaMemcpyHostToDevice, x);
    cudaMemcpy2DAsync(d + 8, 64, p + 8, 64, 32, 100, cudaMemcpyHostToDevice, y);
}

// race-streams
static void rows_that_overlap()
{
    cudaMemcpy2DAsync(d, 64, p, 64, 36, 100, cudaMemcpyHostToDevice, x);         // A
    cudaMemcpy2DAsync(d + 8, 64, p + 8, 64, 32, 100, cudaMemcpyHostToDevice, y); // B
}

// race-streams
static void event_recorded_too_early()
{
    cudaEventRecord(e, a);
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N); // A
    cudaStreamWaitEvent(b, e);
    add<<<BLOCKS(N), 0, b>>>(d, m, N); // B
}

// race-streams
static void waits_before_the_record()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N); // A
    cudaStreamWaitEvent(b, e);
    cudaEventRecord(e, a);
    add<<<BLOCKS(N), 0, b>>>(d, m, N); // B
}

// fine
static void event_recorded_again()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaEventRecord(e, a);
    cudaStreamWaitEvent(b, e);
    fill<<<BLOCKS(N), 0, a>>>(m, 1, N);
    cudaEventRecord(e, a);
    add<<<BLOCKS(N), 0, b>>>(d, d, N);
}

// race-streams
static void default_and_non_blocking()
{
    fill<<<BLOCKS(N)>>>(d, 1, N);      // A
    add<<<BLOCKS(N), 0, x>>>(d, m, N); // B
}

// fine
static void default_and_blocking()
{
    fill<<<BLOCKS(N), 0, b>>>(d, 1, N);
    fill<<<BLOCKS(N)>>>(d, 1, N);
    add<<<BLOCKS(N), 0, a>>>(d, m, N);
}

// fine
static void default_stream_between()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaMemsetAsync(m, 0, sizeof *m);
    add<<<BLOCKS(N), 0, b>>>(d, m, N);
}

// race-streams
static void copy_of_a_non_blocking_result()
{
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);                               // A
    cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost); // B
}

// fine
static void copy_of_a_blocking_result()
{
    fill<<<BLOCKS(N), 0, a>>>(d, 1, N);
    cudaMemcpy(pageable, d, sizeof pageable, cudaMemcpyDeviceToHost);
}

// race-streams
static void joins_one_of_two()
{
    fill<<<BLOCKS(N / 2), 0, x>>>(d, 1, N / 2);
    fill<<<BLOCKS(N / 2), 0, y>>>(d + N / 2, 1, N / 2); // A
    cudaEventRecord(e, x);
    cudaStreamWaitEvent(a, e);
    add<<<BLOCKS(N), 0, a>>>(d, m, N); // B
}

// fine
static void joins_both()
{
    fill<<<BLOCKS(N / 2), 0, x>>>(d, 1, N / 2);
    fill<<<BLOCKS(N / 2), 0, y>>>(d + N / 2, 1, N / 2);
    cudaEventRecord(e, x);
    cudaStreamWaitEvent(a, e);
    cudaEventRecord(e, y);
    cudaStreamWaitEvent(a, e);
    add<<<BLOCKS(N), 0, a>>>(d, m, N);
}

// fine
static void both_read()
{
    add<<<BLOCKS(N), 0, x>>>(d, m, N);
    cudaMemcpyAsync(p, d, N * sizeof *d, cudaMemcpyDeviceToHost, y);
}

// fine
static void both_count()
{
    count<<<4, 32, 0, x>>>(d);
    count<<<4, 32, 0, y>>>(d);
}

// race-streams
static void clears_the_counter_too_late()
{
    count<<<4, 32, 0, x>>>(d);           // A
    cudaMemsetAsync(d, 0, sizeof *d, y); // B
}

// race-streams
static void two_copies_to_one_buffer()
{
    cudaMemcpyAsync(d, p, N * sizeof *d, cudaMemcpyHostToDevice, x); // A
    cudaMemcpyAsync(d, m, N * sizeof *d, cudaMemcpyHostToDevice, y); // B
}

// race-streams
static void own_default_stream()
{
    fill<<<BLOCKS(N), 0, cudaStreamPerThread>>>(d, 1, N); // A
    add<<<BLOCKS(N), 0, a>>>(d, m, N);                    // B
}

// fine
static void own_default_stream_and_the_legacy_one()
{
    fill<<<BLOCKS(N), 0, cudaStreamPerThread>>>(d, 1, N);
    add<<<BLOCKS(N), 0, cudaStreamLegacy>>>(d, m, N);
}

// race-streams
static void stream_that_is_destroyed()
{
    cudaStream_t brief;
    cudaStreamCreateWithFlags(&brief, cudaStreamNonBlocking);
    fill<<<BLOCKS(N), 0, brief>>>(d, 1, N); // A
    cudaStreamDestroy(brief);
    add<<<BLOCKS(N), 0, x>>>(d, m, N); // B
}

static void make_graph(cudaGraphExec_t *made)
{
    cudaGraph_t graph;
    cudaStreamBeginCapture(x, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(d, 0, N * sizeof *d, x);
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);
    cudaStreamEndCapture(x, &graph);
    cudaGraphInstantiate(made, graph, 0);
}

// race-streams
static void graph_and_stream()
{
    cudaGraphExec_t made;
    make_graph(&made);
    add<<<BLOCKS(N), 0, y>>>(d, m, N); // A
    cudaGraphLaunch(made, x);          // B
}

// fine
static void graph_behind_an_event()
{
    cudaGraphExec_t made;
    make_graph(&made);
    add<<<BLOCKS(N), 0, y>>>(d, m, N);
    cudaEventRecord(e, y);
    cudaStreamWaitEvent(x, e);
    cudaGraphLaunch(made, x);
    cudaGraphLaunch(made, x);
}

static void begin_graph()
{
    cudaStreamBeginCapture(x, cudaStreamCaptureModeGlobal);
}

// Y becomes a branch of the graph, behind the work that X has now.
static void branch_off()
{
    cudaEventRecord(e, x);
    cudaStreamWaitEvent(y, e);
}

static void join_and_launch()
{
    cudaGraph_t graph;
    cudaGraphExec_t made;
    cudaEventRecord(e, y);
    cudaStreamWaitEvent(x, e);
    count<<<1, 32, 0, x>>>(d);
    cudaStreamEndCapture(x, &graph);
    cudaGraphInstantiate(&made, graph, 0);
    cudaGraphLaunch(made, x);
    cudaGraphLaunch(made, x);
}

// race-streams
static void branches_of_a_graph()
{
    begin_graph();
    branch_off();
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N); // A
    add<<<BLOCKS(N), 0, y>>>(d, m, N);  // B
    join_and_launch();
}

// fine
static void branch_that_waits()
{
    begin_graph();
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);
    branch_off();
    add<<<BLOCKS(N), 0, y>>>(d, m, N);
    join_and_launch();
}

// fine
static void branches_with_other_data()
{
    begin_graph();
    branch_off();
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N);
    fill<<<BLOCKS(N), 0, y>>>(m, 1, N);
    join_and_launch();
}

// race-streams
static void copies_after_all_streams_are_destroyed()
{
    fill<<<BLOCKS(N), 0, x>>>(d, 1, N); // A
    for (cudaStream_t stream : {a, b, x, y})
        cudaStreamDestroy(stream);
    cudaMemcpy(p, d, N * sizeof *d, cudaMemcpyDeviceToHost); // B
}

// race-streams
static void event_of_an_earlier_round()
{
    cudaEvent_t events[2] = {e};
    cudaEventCreate(&events[1]);
    for (int i = 0; i < 2; ++i) {
        fill<<<BLOCKS(N), 0, a>>>(i == 0 ? m : d, 1, N); // A
        cudaEventRecord(events[i], a);
    }
    cudaStreamWaitEvent(b, e);
    add<<<BLOCKS(N), 0, b>>>(d, d, N); // B
}

int main()
{
    CALL(reads_too_early);
    CALL(reads_after_an_event);
    CALL(reads_after_the_host_waited);
    CALL(reads_in_one_stream);
    CALL(overwrites_too_early);
    CALL(copies_too_early);
    CALL(clears_too_late);
    CALL(halves_that_overlap);
    CALL(halves);
    CALL(halves_of_a_row);
    CALL(rows_that_overlap);
    CALL(event_recorded_too_early);
    CALL(waits_before_the_record);
    CALL(event_recorded_again);
    CALL(default_and_non_blocking);
    CALL(default_and_blocking);
    CALL(default_stream_between);
    CALL(copy_of_a_non_blocking_result);
    CALL(copy_of_a_blocking_result);
    CALL(joins_one_of_two);
    CALL(joins_both);
    CALL(both_read);
    CALL(both_count);
    CALL(clears_the_counter_too_late);
    CALL(two_copies_to_one_buffer);
    CALL(own_default_stream);
    CALL(own_default_stream_and_the_legacy_one);
    CALL(stream_that_is_destroyed);
    CALL(graph_and_stream);
    CALL(graph_behind_an_event);
    CALL(branches_of_a_graph);
    CALL(branch_that_waits);
    CALL(branches_with_other_data);
    CALL(copies_after_all_streams_are_destroyed);
    CALL(event_of_an_earlier_round);
}
