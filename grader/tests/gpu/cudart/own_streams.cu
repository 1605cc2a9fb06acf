// Built with --default-stream per-thread: each thread of the program has its own default stream. A
// kernel that waits in one thread's stream does not delay the streams of other threads.
#include <thread>

#include "tests/support/check.cuh"

__device__ volatile int flag;

__global__ void wait_for_flag(int *seen)
{
    while (!flag)
        ;
    *seen = flag;
}

__global__ void set_flag(int value)
{
    flag = value;
}

// Runs WORK in another thread and waits for its end.
template <typename Work> static void elsewhere(Work work)
{
    std::thread(work).join();
}

static unsigned long long id_of(cudaStream_t stream)
{
    unsigned long long id = 0;
    MUST(cudaStreamGetId(stream, &id));
    return id;
}

static void look_at_handles()
{
    expect("stream 0 is this thread's own stream", id_of(0) == id_of(cudaStreamPerThread), true);
    expect("stream 0 is not the legacy stream", id_of(0) == id_of(cudaStreamLegacy), false);
}

// The kernel waits in the stream of main()'s thread, until SET, which runs in another
// thread, sets a value.
template <typename Set> static void meet(const char *name, int right, int *seen, Set set)
{
    int none = 0, result = 0;
    MUST(cudaMemcpyToSymbol(flag, &none, sizeof none));
    wait_for_flag<<<1, 1>>>(seen);
    expect("it waits", cudaStreamQuery(0), cudaErrorNotReady);
    expect("the kernel waits in this thread's stream", cudaStreamQuery(cudaStreamPerThread),
           cudaErrorNotReady);
    expect("the legacy stream would wait, too", cudaStreamQuery(cudaStreamLegacy),
           cudaErrorNotReady);
    elsewhere([&] {
        expect("nothing waits in another thread's stream", cudaStreamQuery(0), cudaSuccess);
        set();
        MUST(cudaStreamSynchronize(0));
    });
    MUST(cudaStreamSynchronize(0));
    MUST(cudaMemcpy(&result, seen, sizeof result, cudaMemcpyDeviceToHost));
    expect(name, result, right);
}

static void capture(int *seen)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    size_t count = 0;
    MUST(cudaStreamBeginCapture(0, cudaStreamCaptureModeThreadLocal));
    set_flag<<<1, 1>>>(7);
    MUST(cudaMemsetAsync(seen, 0, sizeof *seen, cudaStreamPerThread));
    MUST(cudaStreamEndCapture(cudaStreamPerThread, &graph));
    MUST(cudaGraphGetNodes(graph, NULL, &count));
    expect("a thread's own stream can be captured", count, (size_t)2);
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    int value = 0;
    MUST(cudaMemcpyFromSymbol(&value, flag, sizeof value));
    expect("a graph can be launched in a thread's own stream", value, 7);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    expect("the legacy stream cannot be captured",
           cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeThreadLocal),
           cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
}

int main()
{
    int *seen;
    MUST(cudaMalloc(&seen, sizeof *seen));
    look_at_handles();
    elsewhere(look_at_handles);
    meet("a kernel in another thread's stream", 1, seen, [] { set_flag<<<1, 1>>>(1); });
    meet("a copy in another thread", 2, seen, [] {
        int two = 2;
        MUST(cudaMemcpyToSymbol(flag, &two, sizeof two));
    });
    meet("an asynchronous copy", 3, seen, [] {
        int three = 3;
        MUST(cudaMemcpyToSymbolAsync(flag, &three, sizeof three, 0, cudaMemcpyHostToDevice));
    });
    meet("a fill", 0x01010101, seen, [] {
        void *address;
        MUST(cudaGetSymbolAddress(&address, flag));
        MUST(cudaMemset(address, 1, sizeof(int)));
    });
    meet("a copy in a batch", 4, seen, [] {
        int four = 4;
        void *address, *from = &four;
        size_t size = sizeof four, first = 0;
        cudaMemcpyAttributes attributes = {cudaMemcpySrcAccessOrderDuringApiCall};
        MUST(cudaGetSymbolAddress(&address, flag));
        MUST(cudaMemcpyBatchAsync(&address, &from, &size, 1, &attributes, &first, 1, 0));
        expect("a batch in the legacy stream is refused",
               cudaMemcpyBatchAsync(&address, &from, &size, 1, &attributes, &first, 1,
                                    cudaStreamLegacy),
               cudaErrorInvalidValue);
        cudaGetLastError();
    });
    capture(seen);
    MUST(cudaFree(seen));
    return summary();
}
