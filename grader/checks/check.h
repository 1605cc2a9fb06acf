/* What a lab's checks.c may use. That file is the one place that declares a lab:
 *
 *     LAB(.title = "Neighbouring threads read neighbouring words", .file = "coalesce.cu",
 *         .needs = {"01-parallelize"}, .hints = {"a nudge", "a plan", "nearly the answer"});
 *
 *     CHECK(correct, .title = "exact sum of 1,048,576 numbers", .points = 20,
 *           .hint = "What does thread 1 read in its second step?")
 *     {
 *         const int *data = check_random_ints(check, n, -100, 100);
 *         struct case_data *input = check_case(check, "n = %d", n);
 *         case_add(input, "data", CASE_INT, data, n);
 *         const struct trial *trial = check_run(check, input);
 *         check_equal_u64(check, trial, "sum", sum_on_cpu(data, n));
 *     }
 *
 * A check is a Criterion test, in a process that the student's code never enters: check_run() has
 * another process run the submission, and only the bytes of its result file and its counters come
 * back.
 *
 * Points are values, not assertions. Whatever is wrong with a submission ends in a verdict, which is
 * written to a file, and the Criterion test passes. A Criterion test that fails, crashes or writes
 * no verdict is the grader's own failure, and then there is no grade.
 *
 * The first thing that goes wrong decides the verdict: the check then has 0 points, check_run()
 * returns NULL, and every other call, which accepts a NULL trial, does nothing. So a check reads
 * straight down, without an `if` after each call. */
#ifndef CHECKS_CHECK_H
#define CHECKS_CHECK_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/score.h"
#include "record/case.h"

/* --- declaring ------------------------------------------------------------------------------------ */

#define LAB_MAX_NEEDS 4
#define LAB_MAX_HINTS 6

struct lab_info {
    const char *title;
    const char *file; /* the file that the student edits; its folder is the lab's name */
    const char *needs[LAB_MAX_NEEDS]; /* labs to be done before this one: "01-parallelize" */
    /* What `make hint` tells, one more each time: three at least, from a nudge to nearly the answer.
     * A check's own hint is another thing: it goes with what that check found wrong. */
    const char *hints[LAB_MAX_HINTS];
};
extern const struct lab_info lab_info;
#define LAB(...) const struct lab_info lab_info = {__VA_ARGS__}

/* Where a check runs. On each device the points of the checks that run there add up to 100. */
enum check_where {
    CHECK_ANYWHERE = 0,  /* on the device that is graded */
    CHECK_COUNTS,        /* judges counters: always on the emulator, also when a GPU is graded */
    CHECK_EMULATOR_ONLY, /* not there when a GPU is graded */
    CHECK_GPU_ONLY,      /* not there when the emulator is graded */
};

/* A figure that earns points: how much, and what the student is told about it. */
struct check_figure {
    const char *text;    /* "the longest warp executes %s instructions"; %s is the figure */
    const char *want;    /* "at most %s", "at least %s" */
    const char *counter; /* the source line with most of it is shown; NULL: none */
    /* Measured figures: grader/tests/grade/test_grade.c measures them again. A check that ends with
     * check_speed() declares its slack only. */
    struct judge_budget budget;
    bool textures; /* kernels may use textures and surfaces: check_is_counted() */
};

struct check;
struct check_info {
    const char *id; /* a C identifier; reports write it with '-' for '_' */
    const char *title;
    double points;
    enum check_where where;
    /* Also watched by racecheck and initcheck while it runs on the emulator, which takes two to four
     * times as long; and if nothing is found, its answers are judged once more, with warps in the other
     * order. Each lab needs one such check, CHECK_COUNTS, so that what is right by luck only loses points
     * whatever device is graded. (All runs are watched by memcheck and synccheck.) */
    bool watched;
    /* main() gets the very input that kernels work on. Without this, on the emulator, it gets another one of
     * the same shape, so that what it works out itself is wrong: see check_run(). For labs whose main() decides
     * by the data what kernels do next, or that need order in an array. */
    bool open_input;
    /* main() must copy the input as it is, as where work is judged: see check_made_by_kernels(). */
    bool closed_input;
    struct check_figure figure; /* .text NULL: the check is all or nothing */
    const char *hint;           /* shown when points are lost: what to try, in a sentence or two */
    int line;                   /* of its declaration: reports keep the order of checks.c */
    void (*body)(struct check *check);
};

/* The declarations of this program, in a section of their own. */
#define CHECK(name, ...)                                                                           \
    static void check_body_##name(struct check *check);                                            \
    static const struct check_info check_info_##name = {                                           \
        .id = #name, .line = __LINE__, .body = check_body_##name, __VA_ARGS__};                    \
    static const struct check_info *const check_entry_##name                                       \
        __attribute__((section("lanewise_checks"), used)) = &check_info_##name;                    \
    Test(checks, name)                                                                             \
    {                                                                                              \
        check_perform(&check_info_##name);                                                         \
    }                                                                                              \
    static void check_body_##name(struct check *check)

/* --- inputs --------------------------------------------------------------------------------------- */

/* A number from the check's own random stream, from LOW to HIGH. The stream depends on the seed of
 * the grading and on the check's id, on nothing else. */
int check_random_int(struct check *check, int low, int high);
/* COUNT of them; valid until the check ends. */
const int *check_random_ints(struct check *check, size_t count, int low, int high);
/* COUNT floats between LOW and HIGH; valid until the check ends. */
float *check_random_floats(struct check *check, size_t count, float low, float high);

/* COUNT elements of SIZE bytes, all 0, for what a check works out; valid until the check ends. */
void *check_memory(struct check *check, size_t count, size_t size);

/* An empty case, valid until the check ends. FORMAT describes it in messages: "rung 1, n = 5". */
struct case_data *check_case(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* N as "1,048,576": one of eight static buffers. */
const char *check_number(double n);

/* --- running -------------------------------------------------------------------------------------- */

/* One run of the submission that ended well and wrote a readable result file. */
struct trial;

/* Has the submission run on INPUT. NULL: it failed, or the emulator found an error in it, and the verdict says
 * which.
 *
 * On the emulator, the program is shown another case: the same names, types, counts and single numbers, but the
 * long arrays hold other elements, drawn from the right ones. What it copies of them to the GPU becomes the right
 * ones on the way, and what it then reads from there is what kernels would have made of its own. Of that a check
 * sees nothing: the results that it judges are those of the right input, taken from the GPU. So an answer counts
 * only if kernels made it. Where that cannot be done, as main() has prepared the numbers, or works on what kernels
 * have left, the program runs once more with the right input, and the results are its own. */
const struct trial *check_run(struct check *check, const struct case_data *input);

/* --- timing: only in a check that is CHECK_GPU_ONLY ----------------------------------------------- *
 *
 *     check_each_pass(check, make_case(check, GRID, 1 << 17, &sum), (1 << 17) * sizeof(int));
 *     while (check_again(check)) {
 *         struct case_data *input = make_case(check, GRID, 1 << 24, &sum);
 *         check_equal_u64(check, check_time(check, CHECK_YOURS, input), "sum", sum);
 *         check_time(check, CHECK_SOLUTION, input);
 *         input = make_case(check, ONE_THREAD, 1 << 24, &sum);
 *         check_time(check, CHECK_NAIVE, input);
 *     }
 *     check_speed(check);
 *
 * Each round has fresh inputs, each run is a process of its own and is verified; the three programs
 * take turns, so that a GPU that grows warm slows all of them. A run warms up, flushes the L2 cache,
 * and times one pass of the program's loop over lab_again() with the device's events. */

#define CHECK_REPEATS 5

enum check_program {
    CHECK_YOURS,    /* the submission */
    CHECK_SOLUTION, /* the lab's own solution */
    CHECK_NAIVE,    /* the solution's program too, on a case that chooses its naive kernel */
};

/* True CHECK_REPEATS times, or until something goes wrong. Cases, inputs and trials of the round
 * before are gone then. */
bool check_again(struct check *check);

/* Runs and times a program. If the lab's own one fails, the grader has failed. */
const struct trial *check_time(struct check *check, enum check_program program,
                               const struct case_data *input);

/* Comes before the rounds: on the emulator, kernels must read at least BYTES of INPUT in every pass of the loop over
 * lab_again(). What is kept from one pass to the next would make the timed one short. */
void check_each_pass(struct check *check, const struct case_data *input, uint64_t bytes);

/* Gives points by the medians: the figure is how many times as fast as the naive kernel the
 * submission is; 1 earns nothing, the solution's figure divided by the declared slack everything. A
 * note beside the result tells all three times and the rate at which this GPU copies memory. Kernels must read the
 * whole input in each pass: who says that it took less time than that is not believed. */
void check_speed(struct check *check);

/* --- judging -------------------------------------------------------------------------------------- */

/* The result NAME must be this one number. */
void check_equal_int(struct check *check, const struct trial *trial, const char *name, int want);
void check_equal_u64(struct check *check, const struct trial *trial, const char *name,
                     uint64_t want);

/* What the result NAME must be: HEIGHT rows of WIDTH floats, end to end. */
struct check_matrix {
    int height, width;
    const double *values;
    const double *bounds; /* how far each may be off; NULL: not at all */
};
void check_within(struct check *check, const struct trial *trial, const char *name,
                  const struct check_matrix *want);

/* The kernels must have read at least BYTES from global memory: an answer that does not come from
 * the data on the device is no answer. Does nothing on a GPU, where nothing is counted. */
void check_has_read(struct check *check, const struct trial *trial, uint64_t bytes);

/* All bytes of the result NAME must come from the GPU's memory as kernels left them there (memory that
 * was cleared counts as theirs). In a check with a figure, of CHECK_COUNTS or with .closed_input, main() must
 * have copied the input as it was, unless it is .open_input. Judge the values first. Does nothing on a GPU. */
void check_made_by_kernels(struct check *check, const struct trial *trial, const char *name);
/* A kernel of this name must have been launched. Does nothing on a GPU. */
void check_ran(struct check *check, const struct trial *trial, const char *kernel);

/* A launch, as the emulator recorded it. */
struct check_launch {
    double blocks, threads; /* how many blocks, and how many threads each has */
    double static_shared_bytes, dynamic_shared_bytes; /* of a block */
};

/* Launch number INDEX of the program, from 0. All 0 if there was none, for NULL, and on a GPU. */
struct check_launch check_launch(const struct trial *trial, size_t index);
/* Launch number INDEX must have this size. Does nothing on a GPU. */
void check_launched(struct check *check, const struct trial *trial, size_t index, int blocks,
                    int threads);

/* The answer is right, but the check is about something else that is missing: FORMAT says what, HINT
 * what to try. Does nothing for NULL. */
void check_refuse(struct check *check, const struct trial *trial, const char *hint,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A counter summed over all launches, longest_warp_instructions too: launches run one after another,
 * so the program's critical path is the sum of theirs. 0 for NULL. */
double check_counter(const struct trial *trial, const char *name);

/* Sectors that global memory has delivered to kernels: by loads, and by atomics, which bring back what was
 * there. 0 for NULL. */
double check_sectors_read(const struct trial *trial);
/* Launch number INDEX must be the one that does the work: it has read BYTES of data, and all launches
 * together no more than half as much again. So none is for show. Nor are the warps of a block: none reads more than a
 * quarter of what a block has to read, or it could do the work of all. Does nothing on a GPU. */
void check_works_in(struct check *check, const struct trial *trial, size_t index, uint64_t bytes);

/* How often the GPU was asked for one of WHAT, names of requests with a space between them. 0 for NULL, and on a
 * real GPU. The emulated one counts for itself, as each of these functions is one request:
 *
 *     alloc        cudaMalloc(), cudaMallocArray(), ...         alloc_rows   cudaMallocPitch(), cudaMalloc3D()
 *     write        cudaMemcpy() from the host, to a symbol      write_rows   cudaMemcpy2D()
 *     read         cudaMemcpy() to the host                     read_rows    cudaMemcpy2D()
 *     copy         cudaMemcpy() on the GPU                      copy_rows    cudaMemcpy2D()
 *     set          cudaMemset()                                 set_rows     cudaMemset2D()
 *     lend         cudaHostAlloc(), cudaMallocManaged()         launch       <<<>>>
 *
 * also where they do not wait. One row is none, and a layer of a 3-D copy is a request of its own. The others are in
 * gpu/remote/wire.h. */
unsigned long check_requests(const struct trial *trial, const char *what);
/* Of how many rows those requests were that are for rows. */
unsigned long check_rows(const struct trial *trial, const char *what);
/* There must have been at least LEAST and at most MOST of these requests. NAME is the function that makes them, for
 * the message. */
void check_called(struct check *check, const struct trial *trial, const char *name,
                  const char *what, unsigned long least, unsigned long most);
/* A function that the program has called with PART in its name, but none whose name begins with WANTED: "Memcpy" finds
 * cudaMemcpy3DAsync and cudaGraphAddMemcpyNode. OTHERWISE if there is none; valid as long as TRIAL is. That is the
 * program's own word: for messages, where check_requests() has told that something is wrong. */
const char *check_other_call(const struct trial *trial, const char *part, const char *wanted,
                             const char *otherwise);

/* The kernels must not use what no other counter tells of: textures and surfaces, unless the figure allows them,
 * variables of constant memory, to which the data may have been copied, the shared memory of other blocks of a
 * cluster, and votes of a block's threads, which bring numbers from warp to warp. */
void check_is_counted(struct check *check, const struct trial *trial);

/* Gives the check the points that VALUE earns by its figure's budget, if all is counted: check_is_counted(). */
void check_measure(struct check *check, const struct trial *trial, double value);

/* --- for the runner ------------------------------------------------------------------------------- */

/* Runs one check and writes its verdict. */
void check_perform(const struct check_info *info);

#endif
