/* Lab 12: Jacobi's method for A x = b.
 *
 * The figures of rungs 1 to 3 are sectors: for 32 numbers of a dense matrix (rung 1), for 32
 * unknowns of a step with five diagonals (rung 2), and for 32 points of a step with a stencil (rung
 * 3). In rungs 1 and 3, stores and copies within the GPU count, too. The figure of rung 4 is the
 * number of times that main() reads from the GPU.
 *
 * The checks compare x after a known number of steps. Rung 4 finds this number itself, from
 * residuals. On the emulator, main() sees the residuals of a decoy (check.h), but must stop at the
 * same step. So each |b| is between 1 - SPREAD and 1 + SPREAD. Residuals of these systems grow with
 * each b, so the residuals of a decoy differ from the right residuals at most by the factor (1 +
 * SPREAD) / (1 - SPREAD). add_tolerance() chooses a tolerance that differs by a larger factor from
 * each residual that main() reads.
 *
 * How large may the error be? Let u = 2^-24. An equation of m numbers, added up in any order, has
 * an error of at most (m + 8) u (|b| + the sum of |A x|), which includes the errors of products and
 * of the division. A step also takes over the errors of the previous step, multiplied by |A[i][j] /
 * A[i][i]|. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/check.h"

LAB(.title = "A solver that moves little data and seldom waits", .file = "solver.cu",
    .needs = {"04-bank-conflicts", "08-transpose", "09-picture-sum"},
    .hints = {
        "Ask for each rung: which numbers does a step need? How often is each of them read, and from which memory? For rung 4, ask: when does the CPU wait for the GPU, and for how many bytes?",
        "TODO 1: the 32 lanes of a warp share a row: int i = (blockIdx.x * blockDim.x + threadIdx.x) / WARP, and lane l begins at j = l. They add up their sums by shuffles; lane 0 stores. Launch job.n * WARP threads, in rung 2 as well.",
        "TODO 2: a thread computes an unknown from five numbers of A: if (i >= 1) others += job.west[i] * x[i - 1]; and so on. Then main() needs no matrix.",
        "TODO 3a: 34 x 10 points in shared memory: tile[ty][tx] = at(job, x, row, column), with tx = threadIdx.x + 1; if (tx == 1) tile[ty][0] = at(job, x, row, column - 1); the same at the other three edges; __syncthreads(); only then `return` outside of the grid. TODO 3b: std::swap(*x, *next) is enough, since x and next point to main()'s pointers.",
        "TODO 4a: the largest number of a warp: for (int off = 16; off > 0; off /= 2) mine = fmaxf(mine, __shfl_down_sync(ALL, mine, off)); then if (threadIdx.x == 0) atomicMax((int *)residual, __float_as_int(mine)). All lanes take part.",
        "TODO 4b: after the loop over the steps, find_residual<<<tiles(job), dim3(TILE_X, TILE_Y)>>>(job, *x, &residuals[look]); then cudaMemcpy() of that one number to &residual. Copy nothing else to the CPU.",
    });

#define MOST_LOOKS     100 /* as in shared/solver.h */
#define UNIT           0x1p-24
#define SPREAD         0.05 /* relative spread of b, in rung 4 */
#define TINY           1e-3 /* rung 4 ends at a smaller residual; floats can reach it */
#define MOST_STEPS     100  /* maximum number of steps in rung 4 */
#define RESIDUAL_BOUND 2e-5
#define FAR_B          0x1p100f /* the largest b of a system with `far` */

enum rung { DENSE = 1, DIAGONALS, STENCIL, CONVERGE };
enum side { WEST, EAST, NORTH, SOUTH, SIDES };

struct job {
    enum rung rung;
    int width, height, steps;
    /* for rung 4: main() reads the residual after every EVERY steps, at most LOOKS times */
    int every, looks;
    /* for rung 4: true if all b and all b - A x are negative, false if all are positive */
    bool negative;
    /* One b, in a corner of the grid, is much larger than the others. So even if x hardly changes
     * near there, each step makes x much larger at points that are one point farther away. */
    bool far;
    /* hints for a wrong x, one for each rung, or NULL for the check's own hint */
    const char *const *hints;
};

/* --- systems ---------------------------------------------------------------------------------- */

/* A mistake in a student's program. All members are 0 if there is none. */
struct mistake {
    int more_steps;
    bool added;          /* the numbers of the neighbours have the other sign */
    bool undivided;      /* a step does not divide by the number on the diagonal */
    bool without[SIDES]; /* neighbours on this side are left out */
    bool tiles;          /* neighbours that are in other tiles of 32 x 8 points are left out */
    bool never;          /* x stays 0 */
    bool turned;         /* rows and columns of the dense matrix are exchanged */
};

/* The equations, as a sparse matrix. Row i has the elements first[i] to first[i + 1] - 1; all
 * others are 0. One of the row's elements is on the diagonal. */
struct system {
    int n, *first, *column;
    float *factor;
    const float *b;
};

static bool is_there(const struct case_data *input, int i, enum side side,
                     const struct mistake *mistake)
{
    int width = case_int(input, "width"), height = case_int(input, "height");
    int x = i % width, y = i / width;
    const bool at_edge[] = {x == 0, x == width - 1, y == 0, y == height - 1};
    const bool at_tile[] = {x % 32 == 0, x % 32 == 31, y % 8 == 0, y % 8 == 7};
    return !at_edge[side] && !mistake->without[side] && !(mistake->tiles && at_tile[side]);
}

static void add_number(struct system *system, int row, int column, float factor)
{
    int at = system->first[row + 1]++;
    system->column[at] = column;
    system->factor[at] = factor;
}

/* Adds the elements of row I on the five diagonals. */
static void add_diagonals(struct system *system, const struct case_data *input, int i,
                          const struct mistake *mistake)
{
    static const char *const names[] = {"west", "east", "north", "south"};
    int width = case_int(input, "width"), away[] = {-1, 1, -width, width};
    bool has_diagonals = case_int(input, "rung") == DIAGONALS;
    float sign = mistake->added ? -1 : 1;
    for (enum side side = WEST; side < SIDES; ++side)
        if (is_there(input, i, side, mistake))
            add_number(system, i, i + away[side],
                       sign * (has_diagonals ? case_floats(input, names[side])[i] : -1));
    float center =
        has_diagonals ? case_floats(input, "center")[i] : case_floats(input, "middle")[0];
    add_number(system, i, i, mistake->undivided ? 1 : center);
}

/* Returns the equations of INPUT; close_system() frees them. */
static struct system open_system(const struct case_data *input, const struct mistake *mistake)
{
    bool dense = case_int(input, "rung") == DENSE;
    int n = case_int(input, "width") * case_int(input, "height");
    size_t most = (size_t)n * (dense ? (size_t)n : SIDES + 1);
    struct system system = {n, calloc((size_t)n + 2, sizeof(int)), calloc(most + 1, sizeof(int)),
                            calloc(most + 1, sizeof(float)), case_floats(input, "b")};
    cr_assert(system.first && system.column && system.factor);
    for (int i = 0; i < n; ++i) {
        system.first[i + 1] = system.first[i];
        for (int j = 0; j < n && dense; ++j) {
            size_t at = mistake->turned ? (size_t)j * (size_t)n + (size_t)i
                                        : (size_t)i * (size_t)n + (size_t)j;
            add_number(&system, i, j, case_floats(input, "matrix")[at]);
        }
        if (!dense)
            add_diagonals(&system, input, i, mistake);
    }
    return system;
}

static void close_system(struct system *system)
{
    free(system->first);
    free(system->column);
    free(system->factor);
}

/* x after some steps, and for each element the largest error that a program in floats can have. */
struct solution {
    double *x, *bound;
    double residual; /* the largest |b - A x| of the x BEFORE the last step */
    double *memory;  /* to be freed */
};

/* Computes NOW, the solution one step after OLD. Both must have memory for SYSTEM's unknowns. */
static void make_step(const struct system *system, const struct solution *old, struct solution *now)
{
    now->residual = 0;
    for (int i = 0; i < system->n; ++i) {
        double lack = system->b[i], size = fabs(lack), error = 0, diagonal = 1;
        int from = system->first[i], end = system->first[i + 1];
        for (int k = from; k < end; ++k) {
            int j = system->column[k];
            double factor = system->factor[k], product = factor * old->x[j];
            lack -= product;
            size += fabs(product);
            if (i == j)
                diagonal = factor;
            else
                error += fabs(factor) * old->bound[j];
        }
        now->x[i] = old->x[i] + lack / diagonal;
        now->bound[i] = (error + (end - from + 8) * UNIT * size) / fabs(diagonal);
        now->residual = fmax(now->residual, fabs(lack));
    }
}

/* Returns x after STEPS steps from 0. If RESIDUALS is not NULL, it gets STEPS + 1 numbers: the
 * residuals after 0, 1, ..., STEPS steps. */
static struct solution solve(const struct system *system, int steps, double *residuals)
{
    size_t n = (size_t)system->n;
    double *memory = calloc(4 * n + 1, sizeof *memory);
    cr_assert(memory);
    struct solution now = {memory, memory + n, 0, memory};
    struct solution next = {memory + 2 * n, memory + 3 * n, 0, memory};
    for (int step = 0;; ++step) {
        make_step(system, &now, &next);
        if (residuals)
            residuals[step] = next.residual;
        if (step >= steps)
            return now;
        struct solution old = now;
        now = next;
        next = old;
    }
}

/* --- typical mistakes ------------------------------------------------------------------------- */

static void guess(const struct case_data *input, const void *how, float *values)
{
    const struct mistake *mistake = how;
    struct system system = open_system(input, mistake);
    int steps = mistake->never ? 0 : case_int(input, "steps") + mistake->more_steps;
    struct solution solution = solve(&system, steps, NULL);
    for (int i = 0; i < system.n; ++i)
        values[i] = (float)solution.x[i];
    free(solution.memory);
    close_system(&system);
}

#define GUESS(...) .make_so = guess, CHECK_HOW(struct mistake, __VA_ARGS__)

#define NEVER                                                                                      \
    "x is still 0, as if the result of each step were lost: does a function exchange only its "    \
    "own copies of the pointers, or is x overwritten after the exchange?"

static const struct check_guess guesses[] = {
    {NEVER, GUESS(.never = true), .at = "cudaMemcpyDeviceToDevice"},
    {NEVER, GUESS(.never = true), .at = "std::swap("},
    {NEVER, GUESS(.never = true)},
    {"as if rows and columns of A were exchanged", GUESS(.turned = true)},
    {"as if there were one step less", GUESS(.more_steps = -1), .at = "step < steps"},
    {"as if there were one step more", GUESS(.more_steps = 1), .at = "step < steps"},
    {"as if nothing came from the neighbour in the west, number i - 1",
     GUESS(.without = {[WEST] = true})},
    {"as if nothing came from the neighbour in the east, number i + 1",
     GUESS(.without = {[EAST] = true})},
    {"as if nothing came from the neighbour in the north, number i - width",
     GUESS(.without = {[NORTH] = true})},
    {"as if nothing came from the neighbour in the south, number i + width",
     GUESS(.without = {[SOUTH] = true})},
    {"as if the halo of each tile of 32 x 8 points were 0", GUESS(.tiles = true)},
    {"as if the numbers of the neighbours had the other sign", GUESS(.added = true)},
    {"as if nothing were divided by the number on the diagonal", GUESS(.undivided = true)},
    {0}};

/* --- inputs ----------------------------------------------------------------------------------- */

/* Adds a dense matrix of positive numbers. Each number on the diagonal is a little larger than the
 * sum of the other numbers in its row. So the method converges, but x still changes visibly in each
 * step. */
static void add_matrix(struct check *check, struct case_data *input, int n)
{
    float *matrix = check_random_floats(check, (size_t)n * (size_t)n, 0.25f, 1);
    for (int i = 0; i < n; ++i) {
        float *row = matrix + (size_t)i * (size_t)n, others = 0;
        for (int j = 0; j < n; ++j)
            others += i == j ? 0 : row[j];
        row[i] = 1 + others * (float)check_random_int(check, 110, 130) / 100;
    }
    case_add(input, "matrix", CASE_FLOAT, matrix, (size_t)n * (size_t)n);
}

static void add_five_diagonals(struct check *check, struct case_data *input, int n)
{
    static const char *const names[] = {"west", "east", "north", "south"};
    const struct mistake none = {0};
    case_add(input, "center", CASE_FLOAT, check_random_floats(check, (size_t)n, 4.25f, 5),
             (size_t)n);
    for (enum side side = WEST; side < SIDES; ++side) {
        float *numbers = check_random_floats(check, (size_t)n, -1, -0.5f);
        for (int i = 0; i < n; ++i)
            numbers[i] = is_there(input, i, side, &none) ? numbers[i] : 0;
        case_add(input, names[side], CASE_FLOAT, numbers, (size_t)n);
    }
}

/* Chooses the tolerance so that rung 4 ends when main() reads the residual number JOB->looks, or
 * the first residual below TINY if it comes earlier. Sets JOB->looks to the number of this
 * residual. */
static void add_tolerance(struct case_data *input, struct job *job)
{
    double residuals[MOST_STEPS + 1], decoy = (1 + SPREAD) / (1 - SPREAD);
    struct system system = open_system(input, &(struct mistake){0});
    struct solution solution = solve(&system, job->every * job->looks, residuals);
    int look = 1;
    while (look < job->looks && residuals[look * job->every] >= TINY)
        ++look;
    double before = residuals[(look - 1) * job->every];
    double last = fmax(residuals[look * job->every], TINY / 100);
    cr_assert(sqrt(before / last) > 1.02 * decoy, "a decoy may end at another look");
    job->looks = look;
    case_add(input, "tolerance", CASE_FLOAT, &(float){(float)sqrt(before * last)}, 1);
    free(solution.memory);
    close_system(&system);
}

/* Returns a case of JOB with random numbers. Sets the members of JOB that depend on them. */
static struct case_data *make_case(struct check *check, struct job *job)
{
    static const char *const names[] = {[DENSE] = "a dense matrix",
                                        [DIAGONALS] = "five diagonals",
                                        [STENCIL] = "a stencil",
                                        [CONVERGE] = "a stencil until it converges"};
    int n = job->width * job->height, rung = (int)job->rung;
    float spread = rung == CONVERGE ? (float)SPREAD : 0.5f;
    struct case_data *input =
        rung == DENSE ? check_case(check, "rung 1, %s, %s", names[rung], check_count(n, "unknown"))
                      : check_case(check, "rung %d, %s, %s x %s unknowns", rung, names[rung],
                                   check_number(job->width), check_number(job->height));
    check_add_ints(input, {"rung", rung}, {"width", job->width}, {"height", job->height},
                   {"steps", job->steps}, {"every", job->every});
    float from = job->negative ? -1 - spread : 1 - spread;
    float *b = check_random_floats(check, (size_t)n, from, from + 2 * spread);
    for (int i = 0; job->far && i < n; ++i)
        b[i] /= FAR_B;
    if (job->far)
        b[check_random_int(check, 0, 1) ? n - 1 : 0] = FAR_B;
    case_add(input, "b", CASE_FLOAT, b, (size_t)n);
    if (rung == DENSE)
        add_matrix(check, input, n);
    if (rung == DIAGONALS)
        add_five_diagonals(check, input, n);
    if (rung < STENCIL)
        return input;
    float middle = 4 + 0.01f * (float)check_random_int(check, 25, 40), none = 0;
    case_add(input, "middle", CASE_FLOAT, &middle, 1);
    if (rung == CONVERGE)
        add_tolerance(input, job);
    else
        case_add(input, "tolerance", CASE_FLOAT, &none, 1);
    return input;
}

/* --- runs ------------------------------------------------------------------------------------- */

/* Judges the residuals of rung 4. main() cannot compute them from the decoy, because the bounds are
 * narrower than the differences between the decoy's residuals and the right ones. In floats, the
 * error of x is about 1e-6 at most, and the error of a residual is less than half the bound. */
static void judge_residuals(struct check *check, const struct run *run, const struct job *job,
                            const double *residuals)
{
    double *right = check_memory(check, MOST_LOOKS, sizeof *right);
    double *bounds = check_memory(check, MOST_LOOKS, sizeof *bounds);
    for (int look = 0; look < job->looks; ++look) {
        right[look] = residuals[(look + 1) * job->every];
        bounds[look] = RESIDUAL_BOUND;
    }
    check_within(check, run, "residuals",
                 &(struct check_matrix){1, MOST_LOOKS, right, .bounds = bounds});
}

/* Advice about a wrong x, for each rung. */
static const char *const rung_hints[] = {
    [DENSE] =
        "Rung 1: a lane takes every 32nd number of its row, and multiplies it by the x of that column. Do the sums of all lanes arrive in lane 0?",
    [DIAGONALS] =
        "Rung 2: draw a grid of 3 x 3 points. Which numbers of x does the point in the middle need? Which does a point in a corner need? Does a step read what the same step writes?",
    [STENCIL] =
        "Rung 3: draw a tile of 3 x 3 points with its halo. Which threads copy the halo? Which numbers does a point in a corner need? Does a step read what the same step writes?",
    [CONVERGE] =
        "Rung 4: after `every` steps, the largest |b - A x| of all points decides. Does residuals[look] get the largest number of all warps, and does main() wait for it?",
};

/* Runs JOB on random numbers and judges x. */
static const struct run *run_on(struct check *check, struct job job)
{
    double residuals[MOST_STEPS + 1];
    struct case_data *input = make_case(check, &job);
    if (job.hints)
        check_set_hint(check, job.hints[job.rung]);
    const struct run *run = check_run(check, input);
    struct system system = open_system(input, &(struct mistake){0});
    int steps = job.rung == CONVERGE ? job.every * job.looks : job.steps;
    struct solution right = solve(&system, steps, residuals);
    check_within(check, run, "x",
                 &(struct check_matrix){job.height, job.width, right.x, .bounds = right.bound,
                                        .guesses = job.far ? NULL : guesses,
                                        .maker = job.rung == CONVERGE ? "step_stencil" : NULL});
    check_made_by_kernels(check, run, "x");
    if (job.rung == CONVERGE)
        judge_residuals(check, run, &job, residuals);
    check_has_read(check, run,
                   (uint64_t)system.first[system.n] / (job.rung >= STENCIL ? 5 : 1) * 4);
    free(right.memory);
    close_system(&system);
    return run;
}

/* Runs all rungs. STEPS is the number of steps of rungs 1 to 3. HINTS has the same meaning as in
 * struct job. */
static void run_all(struct check *check, int width, int height, int steps, bool negative,
                    const char *const *hints)
{
    int every = check_random_int(check, 5, 8), n = width * height / 4 + 1;
    run_on(check, (struct job){DENSE, n, 1, .steps = steps, .hints = hints});
    run_on(check, (struct job){DIAGONALS, width, height, .steps = steps, .hints = hints});
    run_on(check, (struct job){STENCIL, width, height, .steps = steps, .hints = hints});
    run_on(check, (struct job){CONVERGE, width, height, .every = every, .looks = 6,
                               .negative = negative, .hints = hints});
}

/* Advice about an x that is wrong only for some sizes. */
static const char *const size_hints[] = {
    [DENSE] = CHECK_FIRST_FIX
    "the last block may have more warps than unknowns are left. Must a warp return if its unknown does not exist?",
    [DIAGONALS] = CHECK_FIRST_FIX
    "which neighbours does an unknown have if the grid is only one point wide or high?",
    [STENCIL] = CHECK_FIRST_FIX
    "the last block of each row and column may be partly outside of the grid. Do its threads still fill the tile and reach the barrier? Are the tile's edges filled if the grid ends before them?",
    [CONVERGE] = CHECK_FIRST_FIX
    "the last block of each row and column may reach beyond the edge of the grid of points. Do its threads beyond the edge still take part in the shuffles? Give them a number too small to become the maximum.",
};

CHECK(correct, .title = "right x for 48 x 16 unknowns (rung 1: 193)", .points = 10,
      .hint = "Which numbers does a step need, and which step computed them?")
{
    /* only two steps, so that wrong numbers are still near the points where the mistake was made */
    run_on(check, (struct job){DIAGONALS, 48, 16, .steps = 2, .hints = rung_hints});
    run_on(check, (struct job){STENCIL, 48, 16, .steps = 2, .hints = rung_hints});
    run_all(check, 48, 16, 8, true, rung_hints);
}

CHECK(ragged, .title = "right for any width, height and number of steps", .points = 10,
      .hint = CHECK_FIRST_FIX "which threads are outside of the grid?")
{
    run_all(check, 1, 1, 8, false, size_hints);
    run_all(check, 1, 45, check_random_int(check, 17, 24), true, size_hints);
    run_all(check, 33, 9, check_random_int(check, 9, 16), false, size_hints);
    int width = check_random_int(check, 34, 70);
    run_all(check, width, check_random_int(check, 2, 7), 8, true, size_hints);
    int steps = check_random_int(check, 49, 56);
    check_set_hint(check, "Make as many steps as main() reads, even if most x hardly change.");
    for (enum rung rung = DENSE; rung <= STENCIL; ++rung)
        run_on(check, (struct job){rung, 40, rung == DENSE ? 1 : 20, steps, .far = rung != DENSE});
}

CHECK(
    sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
    .watched = true,
    .hint =
        "All threads of a block must reach a __syncthreads() between the writes to the tile and the reads. A second step in the same launch needs another one, and a wider halo. No step may write to the x that it reads.")
{
    run_all(check, 40, 11, 8, false, NULL);
}

/* --- figures ---------------------------------------------------------------------------------- */

#define STEPS         10
#define STENCIL_STEPS 48 /* x still changes in the last of these steps */

/* Returns the sectors that RUN moves for 32 numbers of JOB's matrix, or for a step of 32 unknowns.
 * Rung 2 counts only reads. */
static double sectors_of(const struct run *run, struct job job)
{
    double n = (double)job.width * job.height, sectors = check_sectors_moved(run);
    if (job.rung == DIAGONALS)
        sectors = check_sectors_read(run);
    return 32 * sectors / (job.rung == DENSE ? n * n : n) / job.steps;
}

/* Checks that main() copies the system to the GPU once, and x back once. It may copy twice as many
 * bytes, but seldom. In rung 4, at most a quarter of the lanes may wait for another lane of their
 * warp, for each residual that main() reads. */
static void limit(struct check *check, const struct run *run, struct job job)
{
    static const char hint[] =
        "Copy the system to the GPU before the first step, and x back after the last one. Leave x on the GPU between the steps.";
    double n = (double)job.width * job.height;
    double input = job.rung == DENSE ? n * n + n : job.rung == DIAGONALS ? 6 * n : n;
    double bytes = check_bytes_copied(run), most = 2 * 4 * (input + n) + 4096;
    check_limit(check, run, bytes, most, hint, "main() copies %s bytes to the GPU and back");
    check_copies_seldom(check, run, 12 + 2 * (unsigned long)job.looks, hint);
    if (job.rung == CONVERGE)
        check_limit(
            check, run, check_counter(run, "atomic_collisions") / job.looks, n / 4,
            "Let each warp find its largest number by shuffles. Then only one lane calls atomicMax().",
            "for each check of the residual, %s lanes wait for another lane of their warp");
}

/* Measures the sectors of RUN, which is a run of JOB, and those for OTHER, which has a random size,
 * because a program must not be tuned for one size. */
static void measure(struct check *check, const struct run *run, struct job job, struct job other)
{
    const struct run *elsewhere = run_on(check, other);
    check_measure(check, run, fmax(sectors_of(run, job), sectors_of(elsewhere, other)));
    check_costs(check, elsewhere);
    limit(check, run, job);
    limit(check, elsewhere, other);
}

CHECK(
    dense, .title = "rung 1: neighbouring lanes read neighbouring numbers", .points = 15,
    .where = CHECK_COUNTS, .slowest = 4,
    .figure = {.text =
                   "for 32 numbers of the matrix, kernels and copies move %s sectors of 32 bytes",
               .want = "at most %s",
               .counter = "global_load_sectors",
               /* a block may add up a row in shared memory, too */
               .judges = (1 << CHECK_COSTS) - 1 - (1 << CHECK_ATOMICS) - (1 << CHECK_LAUNCHES) -
                         (1 << CHECK_TIME),
               .budget = {.naive = 33.2, .solution = 8.4, .slack = 1.2}},
    .hint =
        "TODO 1: for each j, the lanes of a warp must read neighbouring words of the matrix. They do so if they share a row.")
{
    const struct job job = {DENSE, 256, 1, .steps = STEPS};
    const struct run *run = run_on(check, job);
    const int n = 8 * check_random_int(check, 33, 35);
    measure(check, run, job, (struct job){DENSE, n, 1, .steps = STEPS});
    /* If each thread reads a row of its own by float4, each sector of the matrix is loaded twice. But
     * x is then the same for all lanes, so the program moves as few sectors as the solution. */
    check_uses_neighbours(
        check, run,
        "TODO 1: let the lanes of a warp share a row, and read neighbouring words of it.");
}

#define NAIVE_DIAGONALS 4200 /* sectors, if a step reads a matrix as rung 1 does before TODO 1 */

CHECK(
    diagonals, .title = "rung 2: a step reads five numbers per row, not whole rows", .points = 15,
    .where = CHECK_COUNTS,
    .figure = {.text = "for a step of 32 unknowns, loads touch %s sectors of 32 bytes",
               .want = "at most %s",
               .counter = "global_load_sectors",
               .judges = 1 << CHECK_READS,
               .budget = {.naive = NAIVE_DIAGONALS,
                          .solution = 41,
                          .slack = 1.25,
                          .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 2: for each unknown, a step needs five numbers of A, and x at the point and its four neighbours. Read no matrix of n x n numbers.")
{
    const struct job job = {DIAGONALS, 32, 16, .steps = STEPS};
    const struct run *run = run_on(check, job);
    /* before TODO 1 is done, the figure explains more than this message */
    if (sectors_of(run, job) < NAIVE_DIAGONALS && check_requests(run, "launch") > STEPS &&
        check_find_line(check, "matrix_of(")) {
        check_refuse(
            check, run,
            "TODO 2: launch a kernel in make_step() that computes a step from the five diagonals. Then delete the two lines of main() that make the matrix.",
            "main() makes a matrix of n x n numbers from the five diagonals; rung 2 must work without it");
        check_show_line(check, "matrix_of(");
    }
    const int width = 8 * check_random_int(check, 5, 7);
    measure(check, run, job, (struct job){DIAGONALS, width, 9, .steps = STEPS});
}

CHECK(
    stencil, .title = "rung 3: a step reads each x about once and copies none", .points = 20,
    .where = CHECK_COUNTS, .slowest = 2.6,
    .figure = {.text = "for a step of 32 points, kernels and copies move %s sectors of 32 bytes",
               .want = "at most %s",
               .counter = "global_load_sectors",
               .judges = 1 << CHECK_READS | 1 << CHECK_WRITES | 1 << CHECK_PATH,
               .budget = {.naive = 33.5, .solution = 14.7, .slack = 1.2}},
    .hint =
        "TODO 3: a tile of 32 x 8 points has 34 x 10 points with its halo. Read each of them once. After a step, exchange x and next instead of copying.")
{
    const struct job job = {STENCIL, 256, 96, .steps = STENCIL_STEPS};
    struct job other = job; /* of whole tiles, too */
    other.width = 32 * check_random_int(check, 9, 11);
    other.height = 8 * check_random_int(check, 13, 15);
    const struct run *run = run_on(check, job);
    measure(check, run, job, other);
    if (check_requests(run, "copy copy_rows") > 0)
        check_show_line(check, "cudaMemcpyDeviceToDevice");
}

#define EACH_STEP 8.14 /* reads per residual that is due, if main() reads after each step */
/* The size of rung 4's grid. It has many columns, so that many warps can share them. It has few
 * rows, because with more rows a program could guess from b and the tolerance how fast the residual
 * shrinks. */
#define LOOK_WIDTH  1376
#define LOOK_HEIGHT 8
#define FEWER_ROWS  4

CHECK(
    looks, .title = "rung 4: the GPU finds the residual, and main() seldom reads it", .points = 20,
    .where = CHECK_COUNTS, .slowest = 2.3,
    .figure =
        {.text = "for each check of the residual, main() reads from the GPU %s times",
         .want = "at most %s",
         .judges = 1 << CHECK_READS | 1 << CHECK_WRITES | 1 << CHECK_PATH | 1 << CHECK_WORK,
         .budget = {.naive = EACH_STEP, .solution = 1.3, .slack = 1.3, .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 4: a kernel finds the largest |b - A x|, after `every` steps. main() then needs one number, not all of x.")
{
    int looks = check_random_int(check, 5, 6);
    struct job job = {CONVERGE,   LOOK_WIDTH,     LOOK_HEIGHT,
                      .every = 8, .looks = looks, .negative = true};
    struct job less = job;
    less.width = 32 * check_random_int(check, 44, 46);
    less.height = FEWER_ROWS;
    const struct run *elsewhere = run_on(check, less), *run = run_on(check, job);
    double reads = check_requests(run, "read read_rows");
    reads = fmax(reads, check_requests(elsewhere, "read read_rows")) / job.looks;
    check_measure(check, run, reads);
    check_costs(check, elsewhere);
    if (reads < EACH_STEP) /* otherwise, the number of reads explains more than this message */
        check_made_by_kernels(check, run, "residuals");
    limit(check, run, job);
    limit(check, elsewhere, less);
    if (reads < 1)
        check_refuse(check, run, "Copy the residual by cudaMemcpy(), after `every` steps.",
                     "main() copies no residual from the GPU: it reads residuals in memory that it "
                     "shares with kernels, and this check cannot count how often");
    check_decides_by_reads(
        check, run, "b", 8, "x",
        "main() must decide when to stop from the residual that it reads from the GPU. It must not compute the residual itself.");
}
