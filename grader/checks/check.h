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
 * A check is a Criterion test, in a process that the student's code never enters: check_run() runs
 * the submission in another process and gets back only the bytes of its result file and its
 * counters.
 *
 * Points are values, not assertions. A wrong submission gets a verdict, in a file, and the
 * Criterion test passes. A Criterion test that fails, crashes or writes no verdict is a failure of
 * the grader, and then there is no grade.
 *
 * The first failure decides the verdict: the check gives 0 points, check_run() returns NULL, and
 * all other functions do nothing. They accept NULL as a run. So a check needs no `if` after each
 * call. */
#ifndef CHECKS_CHECK_H
#define CHECKS_CHECK_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/score.h"
#include "record/case.h"

/* --- declaring -------------------------------------------------------------------------------- */

#define LAB_MAX_NEEDS 4
#define LAB_MAX_HINTS 6

struct lab_info {
    const char *title;
    const char *file; /* the file that the student edits; its folder is the lab's name */
    /* labs to be done before this lab, such as "01-parallelize" */
    const char *needs[LAB_MAX_NEEDS];
    /* `make hint` shows one more of these hints each time. There are at least three, from a nudge
     * to nearly the answer. A check's own hint is different: the report shows it when that check
     * fails. */
    const char *hints[LAB_MAX_HINTS];
};
extern const struct lab_info lab_info;
#define LAB(...) const struct lab_info lab_info = {__VA_ARGS__}

/* The devices on which a check runs. On each device, the points of the checks that run there add up
 * to 100. */
enum check_where {
    CHECK_ANYWHERE = 0, /* on the device that is graded */
    /* judges counters, so it always runs on the emulator, even when a GPU is graded */
    CHECK_COUNTS,
    CHECK_EMULATOR_ONLY, /* not run when a GPU is graded */
    CHECK_GPU_ONLY,      /* not run when the emulator is graded */
};

/* The costs of a whole program, which are totals over its launches and its copies on the GPU. Their
 * limits are multiples of the solution's costs (costs.c). */
enum check_cost {
    /* The costs are listed from the narrowest to the widest. The first cost that exceeds its limit
     * is reported. */
    CHECK_BARRIERS, /* barriers that warps arrive at */
    CHECK_ATOMICS,  /* atomic requests to global memory */
    CHECK_SHARED,   /* wavefronts, which are passes through shared memory */
    CHECK_READS,    /* sectors that are read from global and local memory */
    CHECK_WRITES,   /* sectors that are written there */
    CHECK_PATH,     /* instructions of the longest warp, summed over the launches */
    CHECK_WORK,     /* instructions of all warps */
    CHECK_LAUNCHES, /* kernel launches, each of which takes time, even if it does little */
    CHECK_COSTS,
};

/* The solution's costs in one run of a check. labs/NN-name/costs.def, a file that `make costs`
 * writes, has a line COST(check, run, ...) for each run. */
struct check_cost_row {
    const char *check;
    unsigned run; /* the number of the check's call of check_costs(), from 0 */
    double of[CHECK_COSTS];
};

/* A measured figure that earns points. */
struct check_figure {
    /* such as "the longest warp executes %s instructions", where %s is the figure */
    const char *text;
    const char *want; /* such as "at most %s" or "at least %s" */
    /* the counter whose largest source line the report shows; or several, separated by spaces, for
     * the line where they are largest together; or NULL */
    const char *counter;
    /* The thresholds, which were measured on the lab's own programs.
     * grader/tests/grade/test_figures.c measures them again. With check_speed(), only the slack is
     * declared. */
    struct judge_budget budget;
    bool textures;    /* kernels may use textures and surfaces (see check_is_counted()) */
    bool constants;   /* the program may copy any number of bytes to constant memory */
    bool block_votes; /* kernels may use votes of a block's threads */
    /* bits 1 << enum check_cost of the costs that the figure itself judges, so they have no other
     * limit */
    unsigned judges;
};

struct check;
struct check_info {
    const char *id; /* a C identifier, which reports write with '-' for '_' */
    const char *title;
    double points;
    enum check_where where;
    /* On the emulator, racecheck and initcheck watch the run, too, which takes two to four times as
     * long. If they find nothing, the check judges a second run with warps in the other order. Each
     * lab needs one such check, CHECK_COUNTS, so that a program that is right only by luck loses
     * points on either device. (memcheck and synccheck watch all runs.) */
    bool watched;
    /* If true, main() gets the same input as kernels. Otherwise, on the emulator, main() gets
     * another input of the same shape, so that its own results are wrong (see check_run()). This is
     * for labs whose main() decides by the data which kernels run next, or that need an ordered
     * array. */
    bool open_input;
    /* main() must copy the input unchanged, as in checks of work (see check_made_by_kernels()). */
    bool closed_input;
    /* Also counts the accesses of kernels to rows of cudaMallocPitch(), in the counters rows_... of
     * gpu/counters.def. */
    bool rows;
    /* Also counts the loads that warps wait for, in the counter waits_for_loads. */
    bool waits;
    /* The name of a GPU (gpu/predict/chips/), such as "h100". On the emulator, check_makespan()
     * tells how long the program would take there. If it is NULL, no time is predicted. */
    const char *gpu;
    /* if .text is NULL, there is no figure, and the check gives all points or none */
    struct check_figure figure;
    const char *hint; /* shown when points are lost: one or two sentences of advice */
    int line;         /* line of the declaration, because reports keep the order of checks.c */
    void (*body)(struct check *check);
};

/* The program's declarations are in a separate section of the executable. */
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

/* Returns a number from LOW to HIGH from the check's own random stream. The stream depends only on
 * the seed of the grading (grade/seed.h) and on the check's id. Do not call it twice in the
 * arguments of one function, because the order of the calls depends on the CPU. */
int check_random_int(struct check *check, int low, int high);
/* Returns COUNT ints between LOW and HIGH. They are valid until the check ends. */
const int *check_random_ints(struct check *check, size_t count, int low, int high);
/* Returns COUNT floats between LOW and HIGH. They are valid until the check ends. */
float *check_random_floats(struct check *check, size_t count, float low, float high);

/* Returns COUNT elements of SIZE bytes, all 0, for the results that the check computes. They are
 * valid until the check ends. */
void *check_memory(struct check *check, size_t count, size_t size);

/* Makes an empty case, which is valid until the check ends. FORMAT describes the case in messages,
 * as in "rung 1, n = 5". */
struct case_data *check_case(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns N as "1,048,576", in one of eight static buffers. */
const char *check_number(double n);
/* Returns N items as text, such as "1 row" or "1,048,576 rows" for the NOUN "row", in one of eight
 * static buffers. */
const char *check_count(double n, const char *noun);

/* --- running ---------------------------------------------------------------------------------- */

/* A run of the submission that ended well and wrote a readable result file. */
struct run;

/* Runs the submission on INPUT. Returns NULL if it failed, or the emulator found an error in it.
 * The verdict then gives the reason.
 *
 * On the emulator, main() gets a decoy input. It has the same names, types, counts and single
 * numbers, but the long arrays hold other elements, drawn from the right elements. On its way to
 * the GPU, the decoy becomes the right input, and main() reads back the results that kernels would
 * have computed from the decoy. The check does not notice any of this, because the results that it
 * judges are computed from the right input, and come from the GPU. So an answer counts only if
 * kernels made it. If main() changes the numbers before it copies them, or computes with the
 * kernels' results, the program runs again with the right input, and the check judges the results
 * that main() hands in. */
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
 * Each round has fresh inputs; each run is a separate process, and its result is verified. The two
 * programs take turns, so that a GPU that grows warm slows both. The naive kernel runs once,
 * because full points do not depend on its time. A run warms up, flushes the L2 cache, and times
 * one pass of the program's loop over lab_again() with the device's events. */

#define CHECK_REPEATS 5 /* most rounds */

enum check_program {
    CHECK_YOURS,    /* the submission */
    CHECK_SOLUTION, /* the lab's own solution */
    CHECK_NAIVE,    /* the lab's solution on a case that chooses its naive kernel */
};

/* Returns true for three rounds, or for CHECK_REPEATS if the times of a program differ by more than
 * 2 %, or until the check fails. Frees the cases, inputs and runs of the previous round. */
bool check_again(struct check *check);

/* Runs and times a program. A failure of the lab's own program is a failure of the grader. */
const struct run *check_time(struct check *check, enum check_program program,
                             const struct case_data *input);

/* Checks that on the emulator, kernels read at least BYTES of INPUT in every pass of the loop over
 * lab_again(). Otherwise, results kept from an earlier pass could make the timed pass short. Call
 * this before the rounds. */
void check_each_pass(struct check *check, const struct case_data *input, uint64_t bytes);

/* Gives points according to the medians of the times. The figure is the speed of the submission
 * relative to the naive kernel. A figure of 1 earns nothing; the solution's figure divided by the
 * declared slack earns all points. A note shows all three times and the rate at which this GPU
 * copies memory. Kernels must read the whole input in each pass, so a time that is too short for
 * that fails the check. */
void check_speed(struct check *check);

/* --- judging ---------------------------------------------------------------------------------- */

/* Checks that the result NAME is the single number WANT. */
void check_equal_int(struct check *check, const struct run *run, const char *name, int want);
void check_equal_u64(struct check *check, const struct run *run, const char *name, uint64_t want);

/* A common mistake. MAKE computes the wrong result that the mistake gives for INPUT. */
struct check_guess {
    /* continues a message such as "c[0][0] is 3, but 4 is right: "; NULL at the end of a list */
    const char *text;
    void (*make)(const struct case_data *input, float *values);
    /* The report shows the line of the student's file that contains this text (see
     * check_find_line()). It is NULL if no line can be told. If the next guess has the same MAKE,
     * that guess is for another place of the same mistake. */
    const char *at;
};

/* The right value of a result, as HEIGHT rows of WIDTH numbers, one after another. MAKE_ROW and
 * GUESSES explain wrong values. The report says so if a result equals one of the guesses, or the
 * result of MAKE_ROW for an input that was read in a wrong way. */
struct check_matrix {
    int height, width;
    const double *values;
    /* the largest error allowed for each number; if NULL, it is 0, or as `ulps` says */
    const double *bounds;
    /* Computes row Y of the right result from INPUT. May be NULL. */
    void (*make_row)(const struct case_data *input, int y, double *values);
    const struct check_guess *guesses; /* NULL if there is none */
    /* a guess must equal the wrong result to the bit, because bounds would fit any guess */
    bool exact_guesses;
    /* Explains GOT, the wrong numbers of RUN on INPUT, for which there is no guess. Writes the text
     * that continues the message, and sets *AT as in struct check_guess. Returns false if there is
     * nothing to say. May be NULL. */
    bool (*explain)(struct check *check, const struct run *run, const struct case_data *input,
                    const float *got, char *text, size_t size, const char **at);
    /* The kernel of the skeleton that makes the result, if its launch is not the last. NULL stands
     * for the kernel of the last launch. */
    const char *maker;
    /* Reorders a result for INPUT like `values`, as far as other orders are right, too. It is NULL
     * if no other order is right. */
    void (*arrange)(const struct case_data *input, float *values);
    /* type of the numbers: CASE_INT (below 2^24) or CASE_BYTE; 0 for CASE_FLOAT */
    enum case_type type;
    /* The largest error allowed, in ulp of each right value as a float; messages also give errors
     * in ulp. It is 0 if `bounds` has the errors. */
    double ulps;
};
void check_within(struct check *check, const struct run *run, const char *name,
                  const struct check_matrix *want);

/* Returns the result NAME of RUN as it is judged, if it consists of COUNT floats. Otherwise returns
 * NULL. It is valid as long as RUN. */
const float *check_floats(struct check *check, const struct run *run, const char *name,
                          size_t count);

/* Shows the array NAME of RUN's input, or of its result, in the report's page. The array has HEIGHT
 * rows of WIDTH bytes, which are greys from 0, black. Call this after the result was judged. */
void check_show(struct check *check, const struct run *run, const char *name, int width,
                int height);

/* Checks that the kernels have read at least BYTES from global memory, because the answer must be
 * computed from the data on the device. Does nothing on a GPU, which has no counters. */
void check_has_read(struct check *check, const struct run *run, uint64_t bytes);

/* Checks that all bytes of the result NAME come from the GPU's memory as kernels left them there.
 * Cleared memory counts as the kernels' work. Managed and mapped memory is the GPU's memory, too,
 * unless main() saw the judged input. In a check that has a figure, is CHECK_COUNTS or has
 * .closed_input, main() must have copied the input unchanged, unless the check has .open_input.
 * Call this after judging the values. Does nothing on a GPU. */
void check_made_by_kernels(struct check *check, const struct run *run, const char *name);
/* Checks that a kernel called KERNEL has been launched. Does nothing on a GPU. */
void check_ran(struct check *check, const struct run *run, const char *kernel);

/* One kernel launch, as the emulator recorded it. */
struct check_launch {
    /* numbers of blocks in the grid and of threads in a block */
    double blocks, threads;
    double sides[2];                                  /* the threads of a block in x and in y */
    double grid[2];                                   /* the blocks in x and in y */
    double static_shared_bytes, dynamic_shared_bytes; /* shared memory of a block */
    double store_sectors; /* sectors of global memory that its stores touch */
};

/* Returns launch number INDEX of the program, from 0. All members are 0 if there is no such launch,
 * if RUN is NULL, and on a GPU. */
struct check_launch check_launch(const struct run *run, size_t index);
/* Checks that launch number INDEX has the size <<<BLOCKS, THREADS>>>. Does nothing on a GPU. */
void check_launched(struct check *check, const struct run *run, size_t index, int blocks,
                    int threads);

/* Makes HINT, which stays valid, the check's own hint from now on: for a check that runs several
 * rungs, each of which needs other advice. Does nothing after a failure. */
void check_set_hint(struct check *check, const char *hint);

/* Replaces the hint of a check that is still open, for a loss that has a known reason. */
void check_hint(struct check *check, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the number of the line of the student's file that contains TEXT, apart from spaces and
 * comments. Returns 0 if there is none, or several lines do. */
unsigned check_find_line(const struct check *check, const char *text);
/* Makes the report show that line. Does nothing if there is no such line. Call it after a loss was
 * reported. */
void check_show_line(struct check *check, const char *text);
/* Makes the report show the line of the student's file at which COUNTERS, separated by spaces, are
 * largest together. Call it after a loss was reported. Does nothing for NULL, and on a GPU. */
void check_show_counter(struct check *check, const struct run *run, const char *counters);

/* Fails the check although the answer is right. FORMAT says what is missing, and HINT gives advice.
 * Does nothing if RUN is NULL, or after a figure that earns nothing. */
void check_refuse(struct check *check, const struct run *run, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* Returns the theoretical occupancy of the kernels on a GPU of CAPABILITY (times 10: 86 is 8.6), in
 * percent, as far as threads and shared memory limit it. Registers do not count, because the
 * emulator only estimates them. Of several launches, the worst launch that does at least 5 % of the
 * work decides. It counts less if its average warp executes less than 70 % of the longest warp's
 * instructions, because warps that only fill the multiprocessor are useless. A note says which
 * limit binds. Returns 0 for NULL, and on a GPU. */
double check_occupancy(struct check *check, const struct run *run, unsigned capability);

/* Returns the counter NAME, or several counters, separated by spaces, summed over all launches.
 * longest_warp_instructions is also summed, because launches run one after another, so the critical
 * path of the program is the sum of their critical paths. Returns 0 for NULL. */
double check_counter(const struct run *run, const char *name);

/* Does the same as check_counter(), but returns the counter of a second run with warps in the other
 * order if that is larger, because warps that wait for each other poll in one of the two orders. */
double check_worse_counter(struct check *check, const struct run *run, const char *name);

/* Returns the number of sectors that kernels read from global memory, by loads, through textures,
 * and by atomics, which return the old value. Returns 0 for NULL. */
double check_sectors_read(const struct run *run);
/* Returns the number of sectors that kernels and copies on the GPU read from and write to global
 * memory. Memory that the program only clears does not count. Returns 0 for NULL. */
double check_sectors_moved(const struct run *run);
/* Checks that launch number INDEX does the work. It must read at least BYTES; all launches together
 * may read at most 1.5 times BYTES, so that none of them does useless work. A warp must not work
 * for its whole block, so it may read at most a quarter of the block's share of BYTES. Does nothing
 * on a GPU. */
void check_works_in(struct check *check, const struct run *run, size_t index, uint64_t bytes);

/* Checks that many warps share the work. One warp may load at most 1 / WARPS of SECTORS, the
 * sectors that hold the data of all launches, and execute at most 1 / WARPS of all instructions.
 * Call this if the figure judges CHECK_PATH: a thread may do the work of several, but not of too
 * many. HINT says what to do. Does nothing for NULL, and on a GPU. */
void check_is_shared(struct check *check, const struct run *run, double sectors, unsigned warps,
                     const char *hint);

/* Returns the time, in whole microseconds, that the program's copies and kernels would take on the
 * GPU that the check's .gpu names. Work waits only for work that the program orders before it, and
 * for a free engine (gpu/order/timeline.h). Fails the check if less than BYTES were copied to the
 * GPU or back. Returns 0 for NULL. */
double check_makespan(struct check *check, const struct run *run, uint64_t bytes);

/* Returns the number of requests that the program sent to the GPU, of the kinds named in WHAT,
 * separated by spaces. Returns 0 for NULL, and on a real GPU. The emulator itself counts requests.
 * Each call of these functions, and of their asynchronous forms, is one request:
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
/* Returns the number of rows in all requests of the kinds named in WHAT. */
unsigned long check_rows(const struct run *run, const char *what);
/* Checks that the program has sent at least LEAST and at most MOST requests of the kinds named in
 * WHAT. NAME is the function that sends them, for the message. */
void check_called(struct check *check, const struct run *run, const char *name, const char *what,
                  unsigned long least, unsigned long most);
/* Returns the name of a function that the program called. The name contains PART and does not begin
 * with WANTED; for example, "Memcpy" finds cudaMemcpy3DAsync and cudaGraphAddMemcpyNode. Returns
 * OTHERWISE if there is no such function. The name is valid as long as RUN. The program itself
 * reports its calls, so use the name only in messages, after check_requests() has found a
 * failure. */
const char *check_other_call(const struct run *run, const char *part, const char *wanted,
                             const char *otherwise);

/* Checks that the kernels do not use features that no counter of a check shows. Unless the figure
 * allows them, these are textures and surfaces, constant memory to which the program copies more
 * than a few bytes, and votes of a block's threads, which carry numbers from warp to warp. The
 * shared memory of other blocks of a cluster is never allowed. */
void check_is_counted(struct check *check, const struct run *run);

/* Checks that the whole program does not cost much more than the solution. Does nothing for NULL,
 * and on a GPU. */
void check_costs(struct check *check, const struct run *run);

/* Checks that the result NAME changes when loads from shared memory return wrong values, because
 * the kernels must compute the result from shared memory. Runs the program once more. HINT gives
 * advice. Does nothing for NULL and on a GPU. */
void check_through_shared(struct check *check, const struct run *run, const char *name,
                          const char *hint);

/* Does the same for loads from constant memory. */
void check_through_constants(struct check *check, const struct run *run, const char *name,
                             const char *hint);

/* main() must decide by what it reads from the GPU, not by what it works out itself. Runs the
 * program once more: main() sees the floats ARRAY of the input multiplied by FACTOR, but reads what
 * kernels make of the judged input. The result NAME must stay the same. HINT says what to do. Does
 * nothing for NULL, on a GPU, and if kernels write to memory that main() shares: there, main()
 * reads without a copy. */
void check_decides_by_reads(struct check *check, const struct run *run, const char *array,
                            float factor, const char *name, const char *hint);

/* Gives the check the points that VALUE earns according to its figure's budget. First calls
 * check_is_counted() and, if VALUE earns points, check_costs(). */
void check_measure(struct check *check, const struct run *run, double value);

/* --- for the runner --------------------------------------------------------------------------- */

/* Runs one check and writes its verdict. */
void check_perform(const struct check_info *info);

#ifdef LAB_COSTS /* the path of costs.def (checks/rules.mk), for a lab's checks.c */
#define COST(name, number, ...) {.check = #name, .run = number, .of = {__VA_ARGS__}},
const struct check_cost_row lab_costs[] = {
#include LAB_COSTS
    {0}};
#undef COST
#endif

#endif
