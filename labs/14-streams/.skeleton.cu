/* Lab 14: copies and kernels at the same time.
 *
 * A camera delivers a film: frames of `size` brightnesses. Each frame is copied to the GPU, developed
 * there, and copied back. Kernels must work in the GPU's own memory, not in mapped or managed memory.
 *
 *     rung 1  one_by_one   TODO 1: from page-locked memory, one frame after the other
 *     rung 2  overlapped   TODO 2: while one frame is copied, another one is developed
 *     rung 3  blended      TODO 3: the same, although each frame needs the frame before it
 *
 * A GPU has an engine for copies to it, an engine for copies from it, and the multiprocessors, which
 * run kernels. All of them can work at the same time, on different frames. In one stream, they take
 * turns: a stream does its work in order.
 *
 * The program is right, and slow. Do the TODOs in order; it stays right after each of them.
 *
 * Try it:    make run LAB=14-streams ARGS='rung=2 frames=6 size=1000'
 * Grade it:  make grade LAB=14-streams */
#include "film.h"

#define THREADS 256

// Memory on the host for frames.
static int *host_alloc(size_t bytes)
{
    // TODO 1: the GPU's copy engines cannot reach memory of malloc(): the system may move it. So the
    //         driver copies each frame once more, through a buffer, and the host waits. Return
    //         page-locked memory: declare `int *memory;` and let CHECK_CUDA(cudaMallocHost(&memory,
    //         bytes)) fill it in. host_free() then needs CHECK_CUDA(cudaFreeHost(memory)).
    return (int *)malloc(bytes);
}

static void host_free(int *memory)
{
    free(memory);
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
    // TODO 2: all work is in stream 0, so no two pieces of it run at the same time.
    //         a) Make SLOTS streams: cudaStream_t streams[SLOTS]; film_make_streams(streams, SLOTS);
    //            At the end, film_free_streams(streams, SLOTS). Blocking streams do as well.
    //         b) Frame f uses streams[f % SLOTS] for its copies and its kernel. The fourth value in
    //            <<< >>> is the stream; the third one is 0.
    //         c) Why is no event needed, although frames f and f + SLOTS share a slot?
    //         Then frames pass through the engines like this:
    //             copies in     0  1  2  3  4  5 ...
    //             kernels          0  1  2  3  4 ...
    //             copies out          0  1  2  3 ...
    for (int f = 0; f < film.frames; ++f) {
        film_in(film, f, 0);
        develop<<<blocks_for(film.size), THREADS>>>(film_slot(film, f), film.size, film.gain);
        film_out(film, f, 0);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
}

// Rung 3.
static void blended(struct film film)
{
    // TODO 3: blend() needs the frame before, which is in another slot. With a stream for each slot,
    //         only events would order these two kernels. Easier: a stream for each engine. One copies
    //         frames in, one runs the kernels, one copies frames out. Events order the streams:
    //         a) After film_in() of slot s, cudaEventRecord(filled[s], in). Before the kernel,
    //            cudaStreamWaitEvent(work, filled[s], 0).
    //         b) In the same way, film_out() waits until the kernel is done.
    //         c) Before film_in() overwrites slot s, wait for both readers of the old frame: its copy
    //            out, and the blend() of the frame after it. (Waiting for an event
    //            that was never recorded waits for nothing.)
    //         film_make_events(filled, SLOTS) makes cudaEvent_t filled[SLOTS].
    for (int f = 0; f < film.frames; ++f) {
        film_in(film, f, 0);
        develop_or_blend(film, f, 0);
        film_out(film, f, 0);
    }
    CHECK_CUDA(cudaDeviceSynchronize());
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
