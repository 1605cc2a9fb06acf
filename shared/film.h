/* film.h: a film for lab 14, on the host and on the GPU.
 *
 *     struct film film = film_open(&lab, host_alloc);    // allocates memory, gets the camera's frames
 *     film_make_streams(streams, 3);                     // creates three streams
 *     film_in(film, f, streams[0]);                      // puts a copy of frame f into a stream
 *     film_close(film, host_free);                       // frees all of it
 *
 * The GPU's memory has room for only SLOTS frames. Each place is a slot; frame f uses f % SLOTS:
 *
 *     frame   0 1 2 3 4 5 6 7 8 ...
 *     slot    0 1 2 3 0 1 2 3 0 ... */
#ifndef FILM_H
#define FILM_H

#include "lab.h"

#define SLOTS 4

struct film {
    int frames, size; /* number of frames, and number of pixels in a frame */
    int gain;
    int *from, *to; /* on the host: all frames, one after another */
    int *slots;     /* on the GPU: SLOTS frames */
};

/* Returns the address of frame F on the GPU. */
static inline int *film_slot(struct film film, int f)
{
    return film.slots + (size_t)(f % SLOTS) * film.size;
}

static inline size_t film_bytes(int frames, int size)
{
    return (size_t)frames * size * sizeof(int);
}

/* Returns the address of frame F in FRAMES, which is film.from or film.to. */
static inline int *film_frame(struct film film, int *frames, int f)
{
    return frames + (size_t)f * film.size;
}

/* film_in() copies frame F from the host into its slot; film_out() copies it back. STREAM executes
 * the copy in order with its other work. Both are macros, so that reports name the line that uses
 * them. */
#define film_in(film, f, stream)                                                                   \
    CHECK_CUDA(cudaMemcpyAsync(film_slot(film, f), film_frame(film, (film).from, f),               \
                               film_bytes(1, (film).size), cudaMemcpyHostToDevice, stream))
#define film_out(film, f, stream)                                                                  \
    CHECK_CUDA(cudaMemcpyAsync(film_frame(film, (film).to, f), film_slot(film, f),                 \
                               film_bytes(1, (film).size), cudaMemcpyDeviceToHost, stream))

/* Makes COUNT streams that do not wait for the default stream. The events below have no times. */
static inline void film_make_streams(cudaStream_t *streams, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
}

static inline void film_free_streams(const cudaStream_t *streams, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_CUDA(cudaStreamDestroy(streams[i]));
}

static inline void film_make_events(cudaEvent_t *events, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_CUDA(cudaEventCreateWithFlags(&events[i], cudaEventDisableTiming));
}

static inline void film_free_events(const cudaEvent_t *events, int count)
{
    for (int i = 0; i < count; ++i)
        CHECK_CUDA(cudaEventDestroy(events[i]));
}

static inline struct film film_open(struct lab *lab, int *(*host_alloc)(size_t bytes))
{
    struct film film = {lab_int(lab, "frames", 12),
                        lab_int(lab, "size", 100000),
                        lab_int(lab, "gain", 500),
                        NULL,
                        NULL,
                        NULL};
    int n = film.frames * film.size;
    const int *camera = lab_ints(lab, "camera", n);
    film.from = host_alloc(film_bytes(film.frames, film.size));
    film.to = host_alloc(film_bytes(film.frames, film.size));
    for (int i = 0; i < n; ++i) /* by hand, lab_ints() makes numbers from -100 to 100 */
        film.from[i] = lab_by_hand(lab) ? camera[i] + 100 : camera[i];
    CHECK_CUDA(cudaMalloc((void **)&film.slots, film_bytes(SLOTS, film.size)));
    return film;
}

static inline void film_close(struct film film, void (*host_free)(int *memory))
{
    CHECK_CUDA(cudaFree(film.slots));
    host_free(film.to);
    host_free(film.from);
}

#endif
