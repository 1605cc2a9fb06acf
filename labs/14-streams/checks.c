/* Lab 14: copies and kernels at the same time.
 *
 * The figures are the time that copies and kernels would take on an H100. This time depends only on
 * the order that the program requests, on the sizes of the copies, and on the predicted times of
 * the kernels. So each grading gives the same time. Copies of memory that is not page-locked are
 * slow, and the host waits for them.
 *
 * In rung 3, a frame's slot in the GPU's memory is reused while the kernel of the next frame may
 * still read it. So streams must wait for each other's events. On the emulator, a missing event
 * changes no result, but ordercheck reports it, and the check fails. */
#include <limits.h>

#include "checks/check.h"

LAB(.title = "Copies and kernels at the same time", .file = "streams.cu", .needs = {"02-coalesce"},
    .hints = {
        "Draw three rows: copies to the GPU, kernels, copies from the GPU. Draw each frame's two copies and its kernel into these rows. In one stream, each of them waits for the one before it. Which of them could run at the same time, for different frames?",
        "TODO 1: cudaMallocHost(&memory, bytes) and cudaFreeHost(memory). TODO 2: make a stream for each slot by cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); the frames of a slot use the slot's stream, so they stay in order. TODO 3: the copy of a frame to its slot must wait for the copy from that slot, and for the kernel that blended the slot's old frame into the frame after it.",
        "TODO 3: three streams, in, work and out, and three events for each slot s = f % SLOTS. Frame f: cudaStreamWaitEvent(in, out_of[s], 0); cudaStreamWaitEvent(in, done[(f + 1) % SLOTS], 0); film_in(film, f, in); cudaEventRecord(filled[s], in); cudaStreamWaitEvent(work, filled[s], 0); the kernel, in work; cudaEventRecord(done[s], work); cudaStreamWaitEvent(out, done[s], 0); film_out(film, f, out); cudaEventRecord(out_of[s], out). After the loop, cudaDeviceSynchronize().",
    });

#define BRIGHTEST 4095
#define SLOTS     4 /* number of frames in the GPU's memory */

enum rung { PINNED = 1, OVERLAPPED, BLENDED };

/* Returns the brightness of a developed pixel. BEFORE is its brightness in the previous frame, or
 * -1 if there is none. */
static int develop(int x, int gain, int before)
{
    int tone = x * gain / (x + gain);
    return before < 0 ? tone : (tone + before) / 2;
}

static const struct run *run_on(struct check *check, enum rung rung, int frames, int size)
{
    size_t n = (size_t)frames * (size_t)size;
    int chosen = (int)rung, gain = check_random_int(check, 300, 900);
    const int *camera = check_random_ints(check, n, 0, BRIGHTEST);
    double *film = check_memory(check, n, sizeof *film);
    for (size_t i = 0; i < n; ++i) {
        bool is_alone = rung != BLENDED || i < (size_t)size;
        film[i] = develop(camera[i], gain, is_alone ? -1 : (int)film[i - (size_t)size]);
    }
    struct case_data *input = check_case(check, "rung %d, %s of %s", chosen,
                                         check_count(frames, "frame"), check_count(size, "pixel"));
    check_add_ints(input, {"rung", chosen}, {"frames", frames}, {"size", size}, {"gain", gain});
    case_add(input, "camera", CASE_INT, camera, n);
    const struct run *run = check_run(check, input);
    check_within(check, run, "film", &(struct check_matrix){frames, size, film, .type = CASE_INT});
    if (n >= 16)
        check_comes_from(check, run, "film", n * sizeof(int));
    return run;
}

static void run_all(struct check *check, int frames, int size)
{
    for (enum rung rung = PINNED; rung <= BLENDED; ++rung)
        run_on(check, rung, frames, size);
}

/* Advice about wrong results. */
static const char *const rung_hints[] = {
    [PINNED] =
        "Rung 1: is every frame copied to its slot, developed there and copied back, in this "
        "order? Has main() waited for the last copy?",
    [OVERLAPPED] =
        "Rung 2: do the copy to a slot, the kernel and the copy back use the same frame, "
        "and the same stream? Has main() waited for all streams?",
    [BLENDED] =
        "Rung 3: when blend() reads the frame before, is that frame still in its slot, and is it "
        "developed? Which event tells you, and which stream waits for that event?",
};

CHECK(correct, .title = "right for 10 frames of 5,000 pixels", .points = 10,
      .hint = "Is every frame copied to its slot, developed there and copied back, in this order?")
{
    for (enum rung rung = PINNED; rung <= BLENDED; ++rung) {
        check_set_hint(check, rung_hints[rung]);
        run_on(check, rung, 10, 5000);
    }
}

CHECK(
    ragged, .title = "right for any number of frames of any size", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the number of frames is the problem: there may be one frame only, or fewer frames than slots. The first frame has no frame before it.")
{
    run_all(check, 1, check_random_int(check, 1, 400));
    run_all(check, SLOTS, 256);
    run_all(check, check_random_int(check, 2 * SLOTS + 1, 3 * SLOTS - 1), 1);
    run_all(check, 2, check_random_int(check, 257, 1000));
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "Which work must end before a new frame may overwrite a slot? Record an event after that work, and let the stream of the copy wait for the event. The host may read film.to only after cudaDeviceSynchronize().")
{
    run_all(check, 3 * SLOTS, 1500); /* frames longer than a signal can be (gpu/order/touches.c) */
}

/* The frames are so large that the start of a copy takes little of its time. So a program that
 * makes fewer, larger copies gains less than one whose copies overlap. */
#define FRAMES 8
#define SIZE   (3 << 16) /* number of pixels in a frame of 768 KiB */

/* The naive time is that of the film in one piece: two copies, one after the other. The slack
 * allows two large pieces instead of eight, but no copies that wait for kernels. */
#define MAKESPAN(naive_us, solution_us)                                                            \
    {                                                                                              \
        .text = "on an H100, the copies and kernels would take %s microseconds",                   \
        .want = "at most %s", .budget = {                                                          \
            .naive = (naive_us),                                                                   \
            .solution = (solution_us),                                                             \
            .slack = 1.1                                                                           \
        }                                                                                          \
    }

#define MOST_LOCKED 8 /* calls that page-lock memory; the solution makes 2 */

static void measure(struct check *check, enum rung rung)
{
    const struct run *run = run_on(check, rung, FRAMES, SIZE);
    double us = check_makespan(check, run, FRAMES * SIZE * sizeof(int));
    double on_host = check_pieces_on_host(run);
    unsigned long locked = check_requests(run, "lend");
    check_measure(check, run, us);
    if (locked > MOST_LOCKED)
        check_refuse(check, run, "Lock the memory once, before the first copy.",
                     "the program page-locks memory %lu times, and each time takes long", locked);
    if (on_host > 1)
        check_refuse(
            check, run, "Call functions of the host between the CUDA calls, not in a stream.",
            "%.0f host functions (or copies within the host) run in streams, and the prediction does not know how long streams and the host wait for them",
            on_host);
    if (rung >= OVERLAPPED && us > 240) /* nearly nothing overlaps if it takes so long */
        check_show_line(check, "cudaStreamSynchronize(");
}

CHECK(pinned, .title = "rung 1: copies use page-locked memory", .points = 20, .where = CHECK_COUNTS,
      .gpu = "h100", .figure = MAKESPAN(757, 325),
      .hint = "TODO 1: cudaMallocHost() gives memory that the GPU's copy engines can reach by "
              "themselves. A copy from memory of malloc() goes through a buffer of the driver "
              "first.")
{
    measure(check, PINNED);
}

CHECK(
    overlapped, .title = "rung 2: copies in both directions and kernels overlap", .points = 25,
    .where = CHECK_COUNTS, .gpu = "h100", .figure = MAKESPAN(247, 175),
    .hint =
        "TODO 2: work in one stream is done one after the other. Frames in different slots need not wait for each other: give each slot a stream. The host must not wait for each frame.")
{
    measure(check, OVERLAPPED);
}

CHECK(
    blended, .title = "rung 3: copies and kernels overlap although frames need each other",
    .points = 25, .where = CHECK_COUNTS, .gpu = "h100", .figure = MAKESPAN(247, 186),
    .hint =
        "TODO 3: only the kernels need the frame before. Copies of other frames can go on meanwhile, in their own streams. Let streams wait for events; the host must not wait.")
{
    measure(check, BLENDED);
}
