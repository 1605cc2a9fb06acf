/* Lab 14: copies and kernels at the same time.
 *
 * A camera delivers a film: frames of `size` brightnesses. Each frame is copied to the GPU, developed
 * there, and copied back. Kernels must work in the GPU's own memory, not in mapped or managed memory.
 *
 *     rung 1  one_by_one   from page-locked memory, one frame after the other
 *     rung 2  overlapped   while one frame is copied, another one is developed
 *     rung 3  blended      the same, although each frame needs the frame before it
 *
 * A GPU has an engine for copies to it, an engine for copies from it, and the multiprocessors, which
 * run kernels. All of them can work at the same time, on different frames. In one stream, they take
 * turns: a stream does its work in order.
 *
 * This is the solution. Grade it with
 *     make grade LAB=14-streams SUBMISSION=solutions/14-streams */
#include "film.h"

#define THREADS 256

// Memory on the host for frames. It is page-locked: the GPU's copy engines can reach it.
static int *host_alloc(size_t bytes)
{
    int *memory;
    CHECK_CUDA(cudaMallocHost(&memory, bytes));
    return memory;
}

static void host_free(int *memory)
{
    CHECK_CUDA(cudaFreeHost(memory));
}

__device__ int tone(int x, int gain)
{
    return x * gain / (x + gain);
}

// Develops a frame in its place.
__global__ void develop(int *frame, int size, int gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        frame[i] = tone(frame[i], gain);
}

// Develops a frame, and blends it with the result of the frame before it.
__global__ void blend(int *frame, const int *before, int size, int gain)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size)
        frame[i] = (tone(frame[i], gain) + before[i]) / 2;
}

static int blocks_for(int size)
{
    return (size + THREADS - 1) / THREADS;
}

// Puts the kernel for frame f of rung 3 into the stream. The first frame has no frame before it.
static void develop_or_blend(struct film film, int f, cudaStream_t stream)
{
    int *frame = film_slot(film, f), blocks = blocks_for(film.size);
    if (f == 0)
        develop<<<blocks, THREADS, 0, stream>>>(frame, film.size, film.gain);
    else
        blend<<<blocks, THREADS, 0, stream>>>(frame, film_slot(film, f - 1), film.size, film.gain);
}

// Rung 1.
static void one_by_one(struct film film)
{
    for (int f = 0; f < film.frames; ++f) {
        film_in(film, f, 0);
        develop<<<blocks_for(film.size), THREADS>>>(film_slot(film, f), film.size, film.gain);
        film_out(film, f, 0);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
}

// Rung 2.
static void overlapped(struct film film)
{
    // A stream for each slot: frames that share a slot are in order.
    cudaStream_t streams[SLOTS];
    film_make_streams(streams, SLOTS);
    for (int f = 0; f < film.frames; ++f) {
        cudaStream_t stream = streams[f % SLOTS];
        film_in(film, f, stream);
        develop<<<blocks_for(film.size), THREADS, 0, stream>>>(film_slot(film, f), film.size,
                                                               film.gain);
        film_out(film, f, stream);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    film_free_streams(streams, SLOTS);
}

// Rung 3.
static void blended(struct film film)
{
    // A stream for each engine. Events say what a slot is ready for.
    cudaStream_t streams[3], in, work, out;
    cudaEvent_t events[3 * SLOTS], *filled = events, *done = filled + SLOTS, *saved = done + SLOTS;
    film_make_streams(streams, 3);
    in = streams[0], work = streams[1], out = streams[2];
    film_make_events(events, 3 * SLOTS);
    for (int f = 0; f < film.frames; ++f) {
        int s = f % SLOTS, next = (f + 1) % SLOTS;
        // The slot is free when its old frame was copied out, and blended into the frame after it.
        CHECK_CUDA(cudaStreamWaitEvent(in, saved[s], 0));
        CHECK_CUDA(cudaStreamWaitEvent(in, done[next], 0));
        film_in(film, f, in);
        CHECK_CUDA(cudaEventRecord(filled[s], in));
        CHECK_CUDA(cudaStreamWaitEvent(work, filled[s], 0));
        develop_or_blend(film, f, work);
        CHECK_CUDA(cudaEventRecord(done[s], work));
        CHECK_CUDA(cudaStreamWaitEvent(out, done[s], 0));
        film_out(film, f, out);
        CHECK_CUDA(cudaEventRecord(saved[s], out));
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    film_free_events(events, 3 * SLOTS);
    film_free_streams(streams, 3);
}

int main(int argc, char **argv)
{
    struct lab lab = lab_open(argc, argv);
    int rung = lab_int(&lab, "rung", 3);
    struct film film = film_open(&lab, host_alloc);

    while (lab_again(&lab)) {
        if (rung == 1)
            one_by_one(film);
        else if (rung == 2)
            overlapped(film);
        else
            blended(film);
        CHECK_CUDA(cudaGetLastError()); // did the kernels start?
    }

    lab_result(&lab, "film", LAB_INT, film.to, film.frames * film.size);
    film_close(film, host_free);
    return lab_close(&lab);
}
