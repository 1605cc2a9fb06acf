/* All that a lab's checks.c uses. That file is the one place that declares a lab:
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
 * all other functions do nothing. They accept NULL as a run. So a check reads straight down,
 * without an `if` after each call. */
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
    const char *needs[LAB_MAX_NEEDS]; /* labs to be done before this one: "01-parallelize" */
    /* `make hint` shows one more of these each time. At least three, from a nudge to nearly the
     * answer. A check's own hint is different: the report shows it with that check's failure. */
    const char *hints[LAB_MAX_HINTS];
};
extern const struct lab_info lab_info;
#define LAB(...) const struct lab_info lab_info = {__VA_ARGS__}

/* Where a check runs. On each device the points of the checks that run there add up to 100. */
enum check_where {
    CHECK_ANYWHERE = 0,  /* on the device that is graded */
    CHECK_COUNTS,        /* judges counters: always on the emulator, even when a GPU is graded */
    CHECK_EMULATOR_ONLY, /* left out when a GPU is graded */
    CHECK_GPU_ONLY,      /* left out when the emulator is graded */
};

/* What a whole program costs: totals over its launches and its copies on the GPU. Their limits are
 * multiples of what the solution costs (costs.c). Predicted time would be one more. */
enum check_cost {
    /* From the narrowest to the widest: the first that exceeds its limit is reported. */
    CHECK_BARRIERS, /* barriers that warps arrive at */
    CHECK_ATOMICS,  /* atomic requests to global memory */
    CHECK_SHARED,   /* wavefronts: passes through shared memory */
    CHECK_READS,    /* sectors that are read from global memory */
    CHECK_WRITES,   /* sectors that are written to it */
    CHECK_PATH,     /* instructions of the longest warp, summed over the launches */
    CHECK_WORK,     /* instructions of all warps */
    CHECK_LAUNCHES, /* of kernels: each takes time, however little it does */
    CHECK_COSTS,
};

/* The solution's costs in one run of a check: labs/NN-name/costs.def has a line COST(check, run,
 * ...) for each. `make costs` writes that file. */
struct check_cost_row {
    const char *check;
    unsigned run; /* number of the check_costs() in the check, from 0 */
    double of[CHECK_COSTS];
};

/* A measured figure that earns points. */
struct check_figure {
    const char *text;    /* "the longest warp executes %s instructions"; %s is the figure */
    const char *want;    /* "at most %s", "at least %s" */
    const char *counter; /* the report shows the source line with most of it; NULL: none */
    /* Measured on the lab's own programs; grader/tests/grade/test_grade.c measures them again. With
     * check_speed(), only the slack is declared. */
    struct judge_budget budget;
    bool textures; /* kernels may use textures and surfaces: check_is_counted() */
    /* bits 1 << enum check_cost: the costs that the figure itself judges, so they have no limit */
    unsigned judges;
};

struct check;
struct check_info {
    const char *id; /* a C identifier; reports write it with '-' for '_' */
    const char *title;
    double points;
    enum check_where where;
    /* On the emulator, racecheck and initcheck watch the run, too, which takes two to four times as
     * long. If they find nothing, the check judges a second run with warps in the other order. Each
     * lab needs one such check, CHECK_COUNTS, so that a program that is right by luck loses points
     * whatever device is graded. (memcheck and synccheck watch all runs.) */
    bool watched;
    /* main() gets the same input as kernels. Without this, on the emulator, main() gets another
     * input of the same shape, so that its own results are wrong: see check_run(). For labs whose
     * main() decides by the data which kernels run next, or that need order in an array. */
    bool open_input;
    /* main() must copy the input unchanged, as in checks of work: see check_made_by_kernels(). */
    bool closed_input;
    /* Counts what kernels do to rows of cudaMallocPitch(), too: the counters rows_... of
     * gpu/counters.def. */
    bool rows;
    struct check_figure figure; /* .text NULL: the check is all or nothing */
    const char *hint; /* shown when points are lost: one or two sentences on what to try */
    int line;         /* of the declaration: reports keep the order of checks.c */
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

/* --- inputs ----------------------------------------------------------------------------------- */

/* A number from LOW to HIGH from the check's own random stream. The stream depends only on the seed
 * of the grading (grade/seed.h) and on the check's id. */
int check_random_int(struct check *check, int low, int high);
/* COUNT of them; valid until the check ends. */
const int *check_random_ints(struct check *check, size_t count, int low, int high);
/* COUNT floats between LOW and HIGH; valid until the check ends. */
float *check_random_floats(struct check *check, size_t count, float low, float high);

/* COUNT elements of SIZE bytes, all 0, for the check's own results; valid until the check ends. */
void *check_memory(struct check *check, size_t count, size_t size);

/* An empty case, valid until the check ends. FORMAT describes it in messages: "rung 1, n = 5". */
struct case_data *check_case(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* N as "1,048,576": one of eight static buffers. */
const char *check_number(double n);

/* --- running ---------------------------------------------------------------------------------- */

/* One run of the submission that ended well and wrote a readable result file. */
struct run;

/* Runs the submission on INPUT. NULL: it failed, or the emulator found an error in it; the verdict
 * says which.
 *
 * On the emulator, main() gets a decoy input: the same names, types, counts and single numbers, but
 * the long arrays hold other elements, drawn from the right ones. On its way to the GPU the decoy
 * becomes the right input, and what main() reads back is what kernels would have made of the decoy.
 * The check notices none of this: the results that it judges are made of the right input, and come
 * from the GPU. So an answer counts only if kernels made it. If main() changes the numbers before
 * it copies them, or computes with what kernels left, the program runs again with the right input,
 * and the check judges the results that main() hands in. */
const struct run *check_run(struct check *check, const struct case_data *input);

/* --- timing: only in a check that is CHECK_GPU_ONLY ------------------------------------------- *
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
 * Each round has fresh inputs; each run is a separate process, and its result is verified. The
 * three programs take turns, so that a GPU that grows warm slows all of them. A run warms up,
 * flushes the L2 cache, and times one pass of the program's loop over lab_again() with the device's
 * events. */

#define CHECK_REPEATS 5

enum check_program {
    CHECK_YOURS,    /* the submission */
    CHECK_SOLUTION, /* the lab's own solution */
    CHECK_NAIVE,    /* the lab's solution again, on a case that chooses its naive kernel */
};

/* True CHECK_REPEATS times, or until the check fails. Frees the cases, inputs and runs of the round
 * before. */
bool check_again(struct check *check);

/* Runs and times a program. If the lab's own program fails, the grader has failed. */
const struct run *check_time(struct check *check, enum check_program program,
                             const struct case_data *input);

/* To be called before the rounds. On the emulator, kernels must read at least BYTES of INPUT in
 * every pass of the loop over lab_again(): results kept from an earlier pass would make the timed
 * one short. */
void check_each_pass(struct check *check, const struct case_data *input, uint64_t bytes);

/* Gives points by the medians. The figure is how many times as fast as the naive kernel the
 * submission is: 1 earns nothing, the solution's figure divided by the declared slack earns
 * everything. A note shows all three times and the rate at which this GPU copies memory. Kernels
 * must read the whole input in each pass: a time that is too short for that fails the check. */
void check_speed(struct check *check);

/* --- judging ---------------------------------------------------------------------------------- */

/* The result NAME must be this one number. */
void check_equal_int(struct check *check, const struct run *run, const char *name, int want);
void check_equal_u64(struct check *check, const struct run *run, const char *name, uint64_t want);

/* A mistake that many make: what it makes of INPUT, and TEXT to continue "c[0][0] is 3, but 4 is
 * right: ". */
struct check_guess {
    const char *text; /* NULL: the end of a list */
    void (*make)(const struct case_data *input, float *values);
};

/* The right value of a result: HEIGHT rows of WIDTH floats, end to end. The last two members explain
 * wrong values; a result that equals one of the guesses, or what MAKE_ROW makes of an input that was
 * read in a wrong way, is told as such. */
struct check_matrix {
    int height, width;
    const double *values;
    const double *bounds; /* the largest error of each; NULL: 0 */
    /* Makes row Y of the right result of INPUT; NULL: unknown. */
    void (*make_row)(const struct case_data *input, int y, double *values);
    const struct check_guess *guesses; /* NULL: none */
};
void check_within(struct check *check, const struct run *run, const char *name,
                  const struct check_matrix *want);

/* The kernels must have read at least BYTES from global memory: the answer must come from the data
 * on the device. Does nothing on a GPU, where nothing is counted. */
void check_has_read(struct check *check, const struct run *run, uint64_t bytes);

/* All bytes of the result NAME must come from the GPU's memory as kernels left them there; cleared
 * memory counts as the kernels' work. Managed and mapped memory is the GPU's memory, too, unless
 * main() saw the judged input. In a check that has a figure, is CHECK_COUNTS or has
 * .closed_input, main() must have copied the input unchanged, unless the check has .open_input.
 * Judge the values first. Does nothing on a GPU. */
void check_made_by_kernels(struct check *check, const struct run *run, const char *name);
/* A kernel of this name must have been launched. Does nothing on a GPU. */
void check_ran(struct check *check, const struct run *run, const char *kernel);

/* A launch, as the emulator recorded it. */
struct check_launch {
    double blocks, threads;                           /* of the grid; of a block */
    double static_shared_bytes, dynamic_shared_bytes; /* of a block */
};

/* Launch number INDEX of the program, from 0. All 0 if there is no such launch, for NULL, and on a
 * GPU. */
struct check_launch check_launch(const struct run *run, size_t index);
/* Launch number INDEX must have this size. Does nothing on a GPU. */
void check_launched(struct check *check, const struct run *run, size_t index, int blocks,
                    int threads);

/* Fails the check although the answer is right. FORMAT says what is missing, HINT what to try. Does
 * nothing for NULL, or after a figure that earns nothing. */
void check_refuse(struct check *check, const struct run *run, const char *hint, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

/* A counter summed over all launches; longest_warp_instructions, too: launches run one after
 * another, so the program's critical path is the sum of theirs. 0 for NULL. */
double check_counter(const struct run *run, const char *name);

/* The same, or the counter of a second run with warps in the other order, if that is larger: warps
 * that wait for each other poll in one of the two orders. */
double check_worse_counter(struct check *check, const struct run *run, const char *name);

/* Sectors that kernels read from global memory: by loads, through textures, and by atomics, which
 * return the old value. 0 for NULL. */
double check_sectors_read(const struct run *run);
/* Launch number INDEX must do the work: it reads at least BYTES, and all launches together at most
 * half as much again, so that none of them is for show. Nor may one warp work for its block: it
 * reads at most a quarter of the block's share of BYTES. Does nothing on a GPU. */
void check_works_in(struct check *check, const struct run *run, size_t index, uint64_t bytes);

/* How many requests the program sent to the GPU whose names are in WHAT, separated by spaces. 0 for
 * NULL, and on a real GPU. The emulator counts them itself. Each call of these functions, and of
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
 * of a 3-D copy or fill is a request; one of a single row is none for rows. A row of more than
 * 256 KiB is a write or read by itself. The other names are in gpu/remote/calls.def. */
unsigned long check_requests(const struct run *run, const char *what);
/* How many rows those requests had in all. */
unsigned long check_rows(const struct run *run, const char *what);
/* The program must have sent at least LEAST and at most MOST of these requests. NAME is the
 * function that sends them, for the message. */
void check_called(struct check *check, const struct run *run, const char *name, const char *what,
                  unsigned long least, unsigned long most);
/* The name of a function that the program called, with PART in its name, that does not begin with
 * WANTED: "Memcpy" finds cudaMemcpy3DAsync and cudaGraphAddMemcpyNode. OTHERWISE if there is none.
 * Valid as long as RUN is. This is the program's own report: use it only in messages, after
 * check_requests() has found a failure. */
const char *check_other_call(const struct run *run, const char *part, const char *wanted,
                             const char *otherwise);

/* The kernels must not use features that no counter of a check shows: textures and surfaces, unless
 * the figure allows them; variables in constant memory, to which the data may have been copied; the
 * shared memory of other blocks of a cluster; and votes of a block's threads, which carry numbers
 * from warp to warp. */
void check_is_counted(struct check *check, const struct run *run);

/* The whole program must not cost much more than the solution. NULL and a GPU: does nothing. */
void check_costs(struct check *check, const struct run *run);

/* The result NAME must change when loads from shared memory return wrong values: the kernels must
 * compute it from there. Runs the program once more. HINT says what to do. Does nothing for NULL
 * and on a GPU. */
void check_through_shared(struct check *check, const struct run *run, const char *name,
                          const char *hint);

/* Gives the check the points that VALUE earns by its figure's budget, after check_is_counted() and,
 * if VALUE earns any, check_costs(). */
void check_measure(struct check *check, const struct run *run, double value);

/* --- for the runner --------------------------------------------------------------------------- */

/* Runs one check and writes its verdict. */
void check_perform(const struct check_info *info);

#ifdef LAB_COSTS /* checks/rules.mk: the path of costs.def, for a lab's checks.c */
#define COST(name, number, ...) {.check = #name, .run = number, .of = {__VA_ARGS__}},
const struct check_cost_row lab_costs[] = {
#include LAB_COSTS
    {0}};
#undef COST
#endif

#endif
