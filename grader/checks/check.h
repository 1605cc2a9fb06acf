/* The interface for a lab's checks.c, the file that declares a lab:
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
 *         const struct run *run = check_run(check, input);
 *         check_equal_u64(check, run, "sum", sum_on_cpu(data, n));
 *     }
 *
 * A check is a Criterion test. The student's code never enters the test's process: check_run()
 * executes the submission in another process, and gets back only the bytes of its result file and
 * its counters. Such an execution is called a run.
 *
 * A wrong submission does not make the Criterion test fail: the test writes a verdict with the
 * points to a file, and passes. If a Criterion test fails, crashes or writes no verdict, the grader
 * has failed, and there is no grade.
 *
 * The first failure decides the verdict: the check gives 0 points. From then on, check_run()
 * returns NULL, and all other functions do nothing. All functions accept NULL as a run. So a check
 * needs no `if` after each call. */
#ifndef CHECKS_CHECK_H
#define CHECKS_CHECK_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/score.h"
#include "record/case.h"

/* --- declaring a lab -------------------------------------------------------------------------- */

#define LAB_MAX_NEEDS 4
#define LAB_MAX_HINTS 6

struct lab_info {
    const char *title;
    const char *file; /* the file that the student edits; its folder is the lab's name */
    /* labs that students should do before this lab, such as "01-parallelize" */
    const char *needs[LAB_MAX_NEEDS];
    /* `make hint` shows one more of these hints each time. There are at least three: the first only
     * gives a direction, the last is nearly the answer. Checks have hints, too; the report shows a
     * check's hint if that check fails. */
    const char *hints[LAB_MAX_HINTS];
};
extern const struct lab_info lab_info;
#define LAB(...) const struct lab_info lab_info = {__VA_ARGS__}

/* The devices on which a check runs. On each device, the points of the checks that run there add up
 * to 100. */
enum check_where {
    CHECK_ANYWHERE = 0, /* on the graded device */
    /* on the emulator even if the graded device is a GPU, because the check judges counters */
    CHECK_COUNTS,
    CHECK_EMULATOR_ONLY, /* not run if the graded device is a GPU */
    CHECK_GPU_ONLY,      /* not run if the graded device is the emulator */
};

/* The costs of a whole program: totals over its launches and its copies within the GPU. Their
 * limits are multiples of the solution's costs (costs.c). */
enum check_cost {
    /* Specific costs come first, general costs last, because the check reports the first cost that
     * exceeds its limit. */
    CHECK_BARRIERS, /* number of times that a warp arrives at a barrier */
    CHECK_ATOMICS,  /* atomic requests to global memory */
    CHECK_SHARED,   /* wavefronts: passes through shared memory */
    CHECK_READS,    /* sectors read from global and local memory */
    CHECK_WRITES,   /* sectors written to global and local memory */
    CHECK_PATH,     /* instructions of the longest warp of each launch, added up */
    /* Instructions that the GPU could execute while warps wait, or have ended before the last warp
     * of their block: occupied_instructions - warp_instructions. */
    CHECK_IDLE,
    CHECK_WORK,     /* instructions of all warps */
    CHECK_LAUNCHES, /* kernel launches; each takes time, even if it does little */
    /* Predicted time of all kernels and of all copies within the GPU, in microseconds, if the check
     * sets .slowest. Only this cost shows that few blocks do all the work. */
    CHECK_TIME,
    CHECK_COSTS,
};

/* The solution's costs in one run of a check. `make costs` writes a line COST(check, run, ...) for
 * each run to labs/NN-name/costs.def. */
struct check_cost_row {
    const char *check;
    unsigned run; /* number of this call of check_costs() in the check, from 0 */
    double of[CHECK_COSTS];
};

/* A measured figure, such as a number of sectors, that decides how many points a check gives. */
struct check_figure {
    /* a message such as "the longest warp executes %s instructions"; %s is the figure */
    const char *text;
    const char *want; /* such as "at most %s" or "at least %s" */
    /* One or more counters, separated by spaces, or NULL. The report shows the source line with the
     * largest sum of these counters. */
    const char *counter;
    /* The thresholds, taken from measurements of the lab's own programs;
     * grader/tests/grade/test_figures.c repeats these measurements. A check that calls
     * check_speed() declares only the tolerance, called slack. */
    struct judge_budget budget;
    bool constants; /* the program may copy any number of bytes to constant memory */
    /* a warp may make more than one block-wide vote, such as __syncthreads_count(), in a launch */
    bool block_votes;
    /* costs that the figure itself limits, so that check_costs() ignores them; a set of bits
     * 1 << enum check_cost */
    unsigned judges;
};

struct check;
struct check_info {
    const char *id; /* a C identifier; reports show '-' in place of '_' */
    const char *title;
    double points;
    enum check_where where;
    /* If true, racecheck and initcheck are active on the emulator, which makes the run two to four
     * times as long. If they find nothing, the check also judges a second run with warps in the
     * other order. Each lab needs one such check with CHECK_COUNTS, so that programs that are right
     * only by luck lose points on both devices. (memcheck and synccheck are active in all runs.) */
    bool watched;
    /* If true, main() gets the same input as kernels. This is for labs whose main() needs the data
     * to choose the next kernel, or needs a sorted array. If false, on the emulator main() gets
     * another input of the same shape, so that results that it computes itself are wrong (see
     * check_run()). */
    bool open_input;
    /* main() must copy the input unchanged. Checks with a figure require this, too (see
     * check_made_by_kernels()). */
    bool closed_input;
    /* If true, also counts the kernels' accesses to rows from cudaMallocPitch(), in the counters
     * rows_... of gpu/counters.def. */
    bool rows;
    /* If true, also counts the loads for which warps must wait, in the counters waits_... of
     * gpu/counters.def. */
    bool waits;
    /* The name of a GPU (gpu/predict/chips/), such as "h100", or NULL. If it is set, the emulator
     * predicts the time on this GPU, and check_makespan() returns it. */
    const char *gpu;
    /* How many times as long as the solution's kernels and copies within the GPU the submission's
     * may take. The emulator predicts the times on an H200. If this is 0, there is no limit. */
    double slowest;
    /* if .text is NULL, the check has no figure, and gives all points or none */
    struct check_figure figure;
    const char *hint; /* one or two sentences of advice, shown if the check loses points */
    /* line in checks.c where the check is declared; reports list the checks in this order */
    int line;
    void (*body)(struct check *check);
};

/* Declares a check. The linker collects all declarations in a section of the executable. */
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

/* --- inputs ----------------------------------------------------------------------------------- */

/* Returns a random number from LOW to HIGH. The check's random numbers depend only on the seed of
 * the grading (grade/seed.h) and on the check's id. Do not call this function twice in the
 * arguments of one call: the compiler chooses the order of evaluation, so the numbers could be
 * exchanged. */
int check_random_int(struct check *check, int low, int high);
/* Returns COUNT ints between LOW and HIGH. They are valid until the check ends. */
const int *check_random_ints(struct check *check, size_t count, int low, int high);
/* Returns COUNT floats between LOW and HIGH. They are valid until the check ends. */
float *check_random_floats(struct check *check, size_t count, float low, float high);

/* Does the same as check_random_ints(), and returns the ints as floats. */
float *check_random_wholes(struct check *check, size_t count, int low, int high);

/* Returns zeroed memory for COUNT elements of SIZE bytes, for example for the right results. It is
 * valid until the check ends. */
void *check_memory(struct check *check, size_t count, size_t size);

/* Makes an empty case (the named arrays of an input), which is valid until the check ends. FORMAT
 * describes the case in messages, as in "rung 1, n = 5". */
struct case_data *check_case(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number of a case. */
struct check_int {
    const char *name;
    int value;
};
/* Adds single numbers, such as {"rung", 1}, {"n", n}, to INPUT. */
#define check_add_ints(input, ...)                                                                 \
    check_add_each((input), (const struct check_int[]){__VA_ARGS__, {0}})
void check_add_each(struct case_data *input, const struct check_int *ints);

/* Returns N as text with separators, such as "1,048,576", in one of eight static buffers. */
const char *check_number(double n);
/* Returns N items as text, such as "1 row" or "1,048,576 rows" for the NOUN "row", in one of eight
 * static buffers. */
const char *check_count(double n, const char *noun);

/* --- running ---------------------------------------------------------------------------------- */

/* A run of the submission that ended well and wrote a readable result file. */
struct run;

/* Runs the submission on INPUT. Returns NULL if the submission failed, or if the emulator found an
 * error; the verdict then gives the reason.
 *
 * On the emulator, main() gets a decoy input. It has the same names, types, counts and single
 * numbers as INPUT, but its long arrays have other elements, drawn from INPUT's elements. When
 * main() copies the decoy to the GPU, kernels get INPUT instead. When main() reads results back, it
 * gets those that kernels would compute from the decoy, but the check judges those that they
 * compute from INPUT. So an answer is right only if kernels have computed it. Some programs change
 * the numbers in main() before they copy them, or compute with the kernels' results. Such a program
 * runs again with INPUT for both, and the check judges the results that main() hands in. */
const struct run *check_run(struct check *check, const struct case_data *input);

/* --- timing: only in a check that is CHECK_GPU_ONLY ------------------------------------------- *
 *
 *     check_each_pass(check, make_case(check, GRID, 1 << 17, &sum), (1 << 17) * sizeof(int));
 *     check_time(check, CHECK_NAIVE, make_case(check, ONE_THREAD, 1 << 24, &sum));
 *     while (check_again(check)) {
 *         struct case_data *input = make_case(check, GRID, 1 << 24, &sum);
 *         check_equal_u64(check, check_time(check, CHECK_YOURS, input), "sum", sum);
 *         check_time(check, CHECK_SOLUTION, input);
 *     }
 *     check_speed(check);
 *
 * Each round has fresh inputs; each run is a separate process, and its result is verified. The
 * submission and the solution take turns, so a GPU that grows warm slows both. The naive kernel
 * runs once, because full points do not depend on its time. A run warms up, flushes the L2 cache,
 * and times one pass of the program's loop over lab_again() with CUDA events. */

#define CHECK_REPEATS 5 /* most rounds */

enum check_program {
    CHECK_YOURS,    /* the submission */
    CHECK_SOLUTION, /* the lab's own solution */
    CHECK_NAIVE,    /* the lab's solution, with a case for which it launches its naive kernel */
};

/* Returns true if another round is needed. There are three rounds. If the times of a program differ
 * by more than 2 %, there are CHECK_REPEATS. A failure of the check ends the rounds. Frees the
 * cases, inputs and runs of the previous round. */
bool check_again(struct check *check);

/* Runs PROGRAM and measures its time. If the lab's own program fails, the grader has failed. */
const struct run *check_time(struct check *check, enum check_program program,
                             const struct case_data *input);

/* Runs the submission on the emulator, and checks that kernels read at least BYTES of INPUT in
 * every pass of the loop over lab_again(). Without this check, the timed pass could use results of
 * an earlier pass. Call this before the rounds. */
void check_each_pass(struct check *check, const struct case_data *input, uint64_t bytes);

/* Gives points according to the median times. The figure is the speed of the submission divided by
 * the speed of the naive kernel. A figure of 1 earns nothing; the solution's figure divided by the
 * declared slack earns all points. The check fails if the time is too short for reading the whole
 * input. A note in the report shows all three times, and the speed at which this GPU copies
 * memory. */
void check_speed(struct check *check);

/* --- judging ---------------------------------------------------------------------------------- */

/* Checks that the result NAME is the single number WANT. */
void check_equal_int(struct check *check, const struct run *run, const char *name, int want);
void check_equal_u64(struct check *check, const struct run *run, const char *name, uint64_t want);

/* A common mistake. MAKE, or MAKE_SO with HOW, computes the wrong result that a program with this
 * mistake gives for INPUT. */
struct check_guess {
    /* describes the mistake, after "c[0][0] is 3, but 4 is right: "; NULL at the end of a list */
    const char *text;
    void (*make)(const struct case_data *input, float *values);
    /* A text by which check_find_line() finds the line with the mistake in the student's file. The
     * report shows this line. NULL if the line is unknown. A mistake that students make in several
     * places has several guesses, one after another, that compute the same result. */
    const char *at;
    void (*make_so)(const struct case_data *input, const void *how, float *values);
    const void *how; /* a way to make the mistake; its type is the lab's own */
    size_t how_size; /* bytes at HOW */
};

/* Initialises .how with a value of TYPE. */
#define CHECK_HOW(type, ...) .how = &(const type){__VA_ARGS__}, .how_size = sizeof(type)

/* The right value of a result: HEIGHT rows of WIDTH numbers, one after another. MAKE_ROW and
 * GUESSES help to explain a wrong result: the report says whether the wrong result equals one of
 * the guesses, or the result of MAKE_ROW for an input that was read in a wrong way. */
struct check_matrix {
    int height, width;
    const double *values;
    /* the largest error allowed for each number; if NULL, `ulps` is the limit, and 0 allows none */
    const double *bounds;
    /* Computes row Y of the right result from INPUT. May be NULL. */
    void (*make_row)(const struct case_data *input, int y, double *values);
    const struct check_guess *guesses; /* NULL if there is none */
    /* if true, a result must equal a guess exactly; for results whose bounds are so wide that any
     * guess would fit */
    bool exact_guesses;
    /* Name of the kernel in the skeleton that computes the result, or NULL for the kernel of the
     * last launch. */
    const char *maker;
    /* Sorts the result for INPUT into the order of `values`, if other orders are right, too. NULL
     * if only one order is right. */
    void (*arrange)(const struct case_data *input, float *values);
    /* type of the numbers: CASE_INT (below 2^24) or CASE_BYTE; 0 for CASE_FLOAT */
    enum case_type type;
    /* The largest error allowed, in ulp of the right value as a float; messages then give errors in
     * ulp. 0 if `bounds` gives the errors. */
    double ulps;
};
void check_within(struct check *check, const struct run *run, const char *name,
                  const struct check_matrix *want);

/* Shows the array NAME of RUN's input or result as a picture in the HTML report. The array has
 * HEIGHT rows of WIDTH bytes, which are grey levels from 0 (black) to 255 (white). Call this after
 * judging the result. */
void check_show(struct check *check, const struct run *run, const char *name, int width,
                int height);

/* Checks that the kernels have read at least BYTES from global memory, so that they may have
 * computed the answer from the data there. Does nothing on a GPU, which has no counters. */
void check_has_read(struct check *check, const struct run *run, uint64_t bytes);

/* Checks that kernels wrote all bytes of the result NAME, and that main() only copied them from the
 * GPU's memory. Memory that the GPU cleared counts as written by kernels. Managed and mapped memory
 * counts as the GPU's memory, unless main() saw the judged input.
 *
 * Some checks also require that main() has copied the input unchanged: those that have a figure,
 * .closed_input or CHECK_COUNTS, but not .open_input. Call this after judging the values. Does
 * nothing on a GPU. */
void check_made_by_kernels(struct check *check, const struct run *run, const char *name);
/* Calls check_made_by_kernels() and check_has_read(). */
void check_comes_from(struct check *check, const struct run *run, const char *name, uint64_t bytes);
/* Checks that the program launched a kernel with the name KERNEL. Does nothing on a GPU. */
void check_ran(struct check *check, const struct run *run, const char *kernel);

/* One kernel launch, as the emulator recorded it. */
struct check_launch {
    /* number of blocks in the grid, and number of threads in a block */
    double blocks, threads;
    double sides[2]; /* number of threads of a block in x and in y */
    double grid[2];  /* number of blocks in x and in y */
    double static_shared_bytes, dynamic_shared_bytes; /* shared memory per block */
};

/* Returns launch number INDEX of the program, from 0. If there is no such launch, RUN is NULL, or
 * the device is a GPU, all members are 0. */
struct check_launch check_launch(const struct run *run, size_t index);
/* Checks that launch number INDEX has the size <<<BLOCKS, THREADS>>>. Does nothing on a GPU. */
void check_launched(struct check *check, const struct run *run, size_t index, int blocks,
                    int threads);

/* Makes HINT the check's own hint from now on. This is for checks that run several rungs (versions
 * of the kernel), which need different advice. HINT must stay valid. Does nothing after a
 * failure. */
void check_set_hint(struct check *check, const char *hint);

/* Replaces the check's hint, if it has not failed. Call this if the reason for a loss of points is
 * known. */
void check_hint(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the number of the line of the student's file that contains TEXT. Ignores spaces and
 * comments. Returns 0 if no line or several lines contain TEXT. */
unsigned check_find_line(const struct check *check, const char *text);
/* Makes the report show the line that check_find_line() finds for TEXT, if there is one. Call this
 * after a loss of points was reported. */
void check_show_line(struct check *check, const char *text);
/* Makes the report show the line of the student's file with the largest sum of COUNTERS, which are
 * separated by spaces. Call this after a loss of points was reported. Does nothing if COUNTERS or
 * RUN is NULL, or on a GPU. */
void check_show_counter(struct check *check, const struct run *run, const char *counters);

/* Fails the check although the answer is right. FORMAT says what is missing, and HINT gives advice.
 * Does nothing if RUN is NULL, or if the check's figure already earns nothing. */
void check_refuse(struct check *check, const struct run *run, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* Fails the check, as check_refuse() does, if VALUE is larger than MOST. TEXT says what VALUE
 * counts, with %s in the place of the number and a plural noun after it. */
void check_limit(struct check *check, const struct run *run, double value, double most,
                 const char *hint, const char *text);

/* Calls check_limit() for the instructions that the warps execute or wait (counter
 * occupied_instructions), for each 32 of N numbers. */
void check_occupied(struct check *check, const struct run *run, int n, double most,
                    const char *hint);

/* Returns the theoretical occupancy, in percent, of the kernels on a GPU of CAPABILITY (times 10:
 * 86 is 8.6). Considers the limits by threads, blocks and shared memory, but not by registers,
 * because the emulator only estimates their number. If there are several launches, returns the
 * lowest occupancy of a launch that does at least 5 % of the work.
 *
 * The occupancy of a launch is reduced if its average warp executes less than 70 % of the longest
 * warp's instructions, because idle warps only seem to fill the multiprocessor. A note says which
 * resource sets the limit. Returns 0 if RUN is NULL, and on a GPU. */
double check_occupancy(struct check *check, const struct run *run, unsigned capability);

/* counters of passes through shared memory */
#define CHECK_SHARED_PASSES                                                                        \
    "shared_load_wavefronts shared_store_wavefronts shared_atomic_wavefronts"

/* Returns the sum of the counter NAME over all launches. NAME can be several counters, separated by
 * spaces. global_load_... and global_store_... include textures and surfaces, unless NAME also has
 * a counter texture_... The counter longest_warp_instructions is summed, too, because launches run
 * one after another: the program's critical path is the sum of their critical paths. Returns 0 if
 * RUN is NULL. */
double check_counter(const struct run *run, const char *name);

/* Runs the program a second time with warps in the other order, and returns the larger value of
 * check_counter() in the two runs. This is for kernels whose warps poll while they wait for each
 * other, because they may poll in only one of the two orders. */
double check_worse_counter(struct check *check, const struct run *run, const char *name);

/* Returns the number of sectors that kernels read from global memory: by loads, through textures,
 * and by atomics that return the old value. Returns 0 if RUN is NULL. */
double check_sectors_read(const struct run *run);
/* Returns the number of sectors that kernels, and copies within the GPU, read from and write to
 * global and local memory. Memory that the program only clears does not count. Returns 0 if RUN is
 * NULL. */
double check_sectors_moved(const struct run *run);
/* Returns the number of bytes that main() copies to the GPU and back, in whole sectors. Returns 0
 * if RUN is NULL, and on a real GPU. */
double check_bytes_copied(const struct run *run);
/* Checks that launch number INDEX does the work. This launch must read at least BYTES. All launches
 * together may read at most 1.5 times BYTES, so that none of them does useless work. One warp may
 * read at most a quarter of its block's share of BYTES, so that at least four warps work. Does
 * nothing on a GPU. */
void check_works_in(struct check *check, const struct run *run, size_t index, uint64_t bytes);

/* Checks that the lanes of a warp use neighbouring addresses: that warps touch at most 1.5 times as
 * many sectors as their numbers fill. Neighbouring numbers are in at most 5 sectors if they fill 4.
 * HINT says what to do. Does nothing if RUN is NULL, or on a GPU. */
void check_uses_neighbours(struct check *check, const struct run *run, const char *hint);

/* Checks that at least WARPS warps share the work. No warp may load more than 1 / WARPS of SECTORS,
 * or execute, or wait for, more than 1 / WARPS of all instructions. SECTORS is the number of
 * sectors that contain the data of all launches. Use this check beside a check of CHECK_PATH, which
 * does not notice that a single thread does most of the work. HINT says what to do. Does nothing if
 * RUN is NULL, or on a GPU. */
void check_is_shared(struct check *check, const struct run *run, double sectors, unsigned warps,
                     const char *hint);

/* Returns the time, in whole microseconds, that the program's copies and kernels would take on the
 * GPU that the check's .gpu names. Each copy or kernel waits only for the work that the program
 * orders before it, and for a free engine (gpu/order/timeline.h). Fails the check if the program
 * copies less than BYTES to the GPU or less than BYTES back. Returns 0 if RUN is NULL. */
double check_makespan(struct check *check, const struct run *run, uint64_t bytes);
/* Returns the number of host functions, and of copies within the host, that ran in streams.
 * check_makespan() leaves their times out. Returns 0 if RUN is NULL. */
double check_pieces_on_host(const struct run *run);

/* Returns the number of requests that the program sent to the GPU. WHAT names the kinds of
 * requests, separated by spaces. Returns 0 if RUN is NULL, and on a real GPU. The emulator counts
 * the requests, so the program cannot falsify their number. Each call of these functions, and of
 * their asynchronous forms, is one request:
 *
 *     alloc        cudaMalloc(), cudaMallocArray(), ...
 *     alloc_rows   cudaMallocPitch(), cudaMalloc3D()
 *     lend         cudaHostAlloc(), cudaMallocManaged()
 *     write        cudaMemcpy() from the host, to a symbol
 *     read         cudaMemcpy() to the host
 *     copy         cudaMemcpy() on the GPU
 *     write_rows, read_rows, copy_rows   cudaMemcpy2D(), by its direction
 *     set          cudaMemset()
 *     set_rows     cudaMemset2D()
 *     launch       <<<>>>
 *
 * cudaMemcpy2D() and cudaMemset2D() are requests for rows even if there is only one row. Each layer
 * of a 3-D copy or fill is one request. A layer of a single row counts as a plain request, not as a
 * request for rows. A row of more than 256 KiB counts as a separate write or read. The other names
 * are in gpu/remote/calls.def. */
unsigned long check_requests(const struct run *run, const char *what);
/* Returns the total number of rows in the requests of the kinds named in WHAT. */
unsigned long check_rows(const struct run *run, const char *what);
/* Checks that the program has sent at least LEAST and at most MOST requests of the kinds named in
 * WHAT. NAME is the function that sends them, for the message. */
void check_called(struct check *check, const struct run *run, const char *name, const char *what,
                  unsigned long least, unsigned long most);
/* Checks that main() copies to the GPU and back at most MOST times in all. HINT says what to do. */
void check_copies_seldom(struct check *check, const struct run *run, unsigned long most,
                         const char *hint);
/* Returns the name of a function that the program called, if the name contains PART and does not
 * begin with WANTED; for example, PART "Memcpy" finds cudaMemcpy3DAsync and cudaGraphAddMemcpyNode.
 * Otherwise returns OTHERWISE. The name is valid as long as RUN. The program itself reports its
 * calls, so use the name only in messages, after check_requests() has found a failure. */
const char *check_other_call(const struct run *run, const char *part, const char *wanted,
                             const char *otherwise);

/* Checks that the kernels use no features whose cost is not counted: page-locked memory of the
 * host, unless data crosses the bus only once; more than a few bytes of constant memory; block-wide
 * votes, which pass numbers between warps; and the shared memory of other blocks of a cluster. The
 * figure can allow constant memory and votes. */
void check_is_counted(struct check *check, const struct run *run);

/* Checks that the whole program does not cost much more than the solution. Does nothing if RUN is
 * NULL, or on a GPU. */
void check_costs(struct check *check, const struct run *run);

/* Checks that the kernels compute the result NAME from values in shared memory. Runs the program
 * once more, with loads from shared memory that return wrong values; the result must change. HINT
 * gives advice. Does nothing if RUN is NULL, or on a GPU. */
void check_through_shared(struct check *check, const struct run *run, const char *name,
                          const char *hint);

/* Does the same as check_through_shared(), for constant memory. */
void check_through_constants(struct check *check, const struct run *run, const char *name,
                             const char *hint);

/* Checks that main() bases its decisions on numbers that it reads from the GPU, not on its own
 * computations. Runs the program once more. In this run, main() sees the floats ARRAY of the input
 * multiplied by FACTOR, but reads the kernels' results for the judged input; the result NAME must
 * stay the same. HINT says what to do. Does nothing if RUN is NULL, on a GPU, and if main() reads
 * the results without a copy, from memory that it shares with kernels. */
void check_decides_by_reads(struct check *check, const struct run *run, const char *array,
                            float factor, const char *name, const char *hint);

/* Gives the check the points that VALUE earns according to the budget of its figure. Before that,
 * calls check_is_counted() for all runs of the check so far and, if VALUE earns points,
 * check_costs() for RUN; these can fail the check. */
void check_measure(struct check *check, const struct run *run, double value);

/* how the hint of a check of other sizes begins */
#define CHECK_FIRST_FIX                                                                            \
    "If the check above failed, too, fix that first. Otherwise the size is the problem: "

/* --- jobs that several labs have -------------------------------------------------------------- */

/* A sum of N numbers in blocks of THREADS threads. */
struct check_sum_job {
    int n, blocks, threads;
};
/* Returns a case of JOB for RUNG with random ints. *SUM gets its right answer. NAME begins the
 * case's description. */
struct case_data *check_sum_case(struct check *check, const char *name, int rung,
                                 struct check_sum_job job, int *sum);
/* Runs the submission on check_sum_case(). Checks that the sum is right, and that blocks of JOB's
 * size computed it from the data on the GPU. */
const struct run *check_sum_run(struct check *check, const char *name, int rung,
                                struct check_sum_job job);

/* Returns a case of N random ints for RUNG. NAME begins the case's description. *SUM gets the sum
 * of their squares. */
struct case_data *check_squares_case(struct check *check, const char *name, int rung, int n,
                                     uint64_t *sum);
/* Runs the submission on check_squares_case(). Checks that the sum is right, and that kernels
 * computed it from the data on the GPU. */
const struct run *check_squares_run(struct check *check, const char *name, int rung, int n);

/* C = A B, where A has HEIGHT rows and DEPTH columns, and B has DEPTH rows and WIDTH columns. */
struct check_product {
    int rung, height, width, depth;
};
/* Runs the submission on A and B. Checks that the result "c" is right, and that kernels computed it
 * from A and B on the GPU. The largest error allowed is UNITS * u * M, where u = 2^-24 and M is the
 * sum of the |products|. */
const struct run *check_product_run(struct check *check, struct check_product job, const float *a,
                                    const float *b, double units,
                                    const struct check_guess *guesses);

/* --- for the runner --------------------------------------------------------------------------- */

/* Runs one check and writes its verdict. */
void check_perform(const struct check_info *info);

#ifdef LAB_COSTS /* the path of the lab's costs.def, which checks/rules.mk defines for checks.c */
#define COST(name, number, ...) {.check = #name, .run = number, .of = {__VA_ARGS__}},
const struct check_cost_row lab_costs[] = {
#include LAB_COSTS
    {0}};
#undef COST
#endif

#endif
