/* The film of lab 14: copies in one stream, in a stream for each slot, in a stream for each engine with
 * events, and from a graph that was captured once.
 *
 * Look at: the times of large frames for what overlaps, and of small ones for what each call costs. */
#include "film.h"
#include "ladder.cuh"

#define THREADS 256

__global__ void develop(int *frame, int size, int gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        frame[i] = frame[i] * gain / (frame[i] + gain);
}

// Puts the copies and the kernel of frame f into one stream.
static void put_frame(struct film film, int f, cudaStream_t stream)
{
    film_in(film, f, stream);
    develop<<<(film.size + THREADS - 1) / THREADS, THREADS, 0, stream>>>(film_slot(film, f),
                                                                         film.size, film.gain);
    film_out(film, f, stream);
}

// Every COUNT-th frame has the same stream.
static void in_streams(struct film film, const cudaStream_t *streams, int count)
{
    for (int f = 0; f < film.frames; ++f)
        put_frame(film, f, streams[f % count]);
}

// The streams of a capture begin and end together with the first of them.
static cudaGraphExec_t capture(struct film film, const cudaStream_t *streams, cudaEvent_t *events)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK_CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    CHECK_CUDA(cudaEventRecord(events[0], streams[0]));
    for (int s = 1; s < SLOTS; ++s)
        CHECK_CUDA(cudaStreamWaitEvent(streams[s], events[0], 0));
    in_streams(film, streams, SLOTS);
    for (int s = 1; s < SLOTS; ++s) {
        CHECK_CUDA(cudaEventRecord(events[s], streams[s]));
        CHECK_CUDA(cudaStreamWaitEvent(streams[0], events[s], 0));
    }
    CHECK_CUDA(cudaStreamEndCapture(streams[0], &graph));
    CHECK_CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CHECK_CUDA(cudaGraphDestroy(graph));
    return exec;
}

static int *pageable(size_t bytes)
{
    return (int *)malloc(bytes);
}

static int *pinned(size_t bytes)
{
    int *memory;
    CHECK_CUDA(cudaMallocHost(&memory, bytes));
    return memory;
}

static struct film make_film(int frames, int size, int *(*host_alloc)(size_t bytes))
{
    struct film film = {frames, size, 500, NULL, NULL, NULL};
    film.from = host_alloc(film_bytes(frames, size));
    film.to = host_alloc(film_bytes(frames, size));
    for (int i = 0; i < frames * size; ++i)
        film.from[i] = i % 4096;
    CHECK_CUDA(cudaMalloc(&film.slots, film_bytes(SLOTS, size)));
    return film;
}

static bool is_developed(struct film film)
{
    for (int i = 0; i < film.frames * film.size; ++i)
        if (film.to[i] != film.from[i] * film.gain / (film.from[i] + film.gain))
            return false;
    return true;
}

static void climb(int frames, int size)
{
    struct film slow = make_film(frames, size, pageable), fast = make_film(frames, size, pinned);
    cudaStream_t streams[SLOTS];
    cudaEvent_t events[SLOTS];
    for (int s = 0; s < SLOTS; ++s)
        CHECK_CUDA(cudaStreamCreate(&streams[s])); // the events' default stream waits for these
    film_make_events(events, SLOTS);
    cudaGraphExec_t graph = capture(fast, streams, events);
    const cudaStream_t *in_order = streams;
    auto rung = [=](const char *name, const char *title, struct film film, int count) {
        ladder_rung(
            name, title, [=] { memset(film.to, 0, film_bytes(film.frames, film.size)); },
            [=] {
                if (count)
                    in_streams(film, in_order, count);
                else
                    CHECK_CUDA(cudaGraphLaunch(graph, in_order[0]));
            },
            [=] { return is_developed(film); });
        ladder_rate("gb_per_s", 2.0 * film_bytes(film.frames, film.size));
    };
    rung("pageable", "pageable memory", slow, 1);
    rung("pinned", "page-locked memory", fast, 1);
    rung("streams-2", "2 streams", fast, 2);
    rung("streams-4", "4 streams", fast, 4);
    rung("graph", "4 streams, captured in a graph", fast, 0);
}

int main(int argc, char **argv)
{
    ladder_open(argc, argv);
    ladder_size("", ladder.times ? "64 frames of 4 MiB" : "8 frames of 16 KiB");
    climb(ladder.times ? 64 : 8, ladder.times ? 1 << 20 : 1 << 12);
    if (!ladder.times)
        return 0;
    ladder_size("_small", "512 frames of 16 KiB");
    climb(512, 1 << 12);
    return 0;
}
