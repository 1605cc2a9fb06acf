/* Lab 09: the sum of a picture, its histogram, and a better picture.
 *
 * The figures are totals. They count additions to the sum that run one after another, atomic
 * requests to global memory, lanes that wait for other lanes of their warp in shared memory, and
 * load requests. Lanes wait if atomics use the same word (atomic_collisions), or if accesses use
 * different words of one bank. Bank conflicts alone would not show atomics on one word, because on
 * current GPUs, lanes that add 1 to the same word of shared memory take one pass. Sums are below
 * 2^24, so they are exact in any order. */
#include <math.h>

#include "checks/check.h"
#include "shared/picture.h"

LAB(.title = "The sum of a picture, its histogram, and a better picture", .file = "picture_sum.cu",
    .needs = {"04-bank-conflicts"},
    .hints = {
        "Each rung asks the same question: how many additions must wait for each other? Combine the pixels of each thread first, then the results of a block's threads, and the results of the blocks last.",
        "TODO 1 is the tree of lab 04 with floats; it ends with atomicAdd(sum, sums[0]) in thread 0. TODO 2 has three parts with a __syncthreads() between them: mine[threadIdx.x] = 0; the loop with atomicAdd(&mine[pixels[i]], 1); atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]).",
        "TODO 3: __shared__ int mine[GREYS * COPIES], cleared in a loop; atomicAdd(&mine[pixels[i] * COPIES + threadIdx.x % COPIES], 1); then, with g = threadIdx.x, total += mine[g * COPIES + (g + c) % COPIES] for all c, and atomicAdd(&bins[g], total). TODO 4: __shared__ unsigned char table[GREYS]; table[threadIdx.x] = new_grey(bins, n, threadIdx.x); __syncthreads(); and the loop stores table[pixels[i]].",
    });

#define GREYS   256
#define DARKEST 110 /* darkest grey level of the drawn picture */

enum rung { TREE = 3, SHARED, COPIES, EQUALISE };
enum kind { RANDOM, DARK, FLAT, BANDS, STRIPES, RAMP, DRAWN };

/* A picture and the right answers for it. */
struct scene {
    enum kind kind;
    struct picture picture;
    double sum, bins[GREYS], *after;
};

/* Returns pixel I of a picture of KIND. LAST is the pixel before it. DRAWN is pixel I of the
 * picture by picture_draw(); its darkest grey levels become one level. In BANDS, 32 neighbouring
 * pixels have the same grey level, in STRIPES 8. */
static int pixel_of(struct check *check, enum kind kind, int i, int width, int last, int drawn)
{
    switch (kind) {
    case FLAT:
        return last;
    case BANDS:
        return i % 32 ? last : check_random_int(check, 0, GREYS - 1);
    case STRIPES:
        return i % 8 ? last : check_random_int(check, 0, GREYS - 1);
    case DARK: /* the sum of 1,024 x 1,024 such pixels is below 2^24 */
        return check_random_int(check, 0, 15);
    case RAMP:
        return i % width * GREYS / width;
    case DRAWN:
        drawn += check_random_int(check, 0, 3);
        return drawn < DARKEST ? DARKEST : drawn;
    default:
        return check_random_int(check, 0, GREYS - 1);
    }
}

/* Computes the new grey level of each pixel: the rank of its old level among all pixels, from 0 to
 * 255. */
static void equalise(struct scene *scene, int n)
{
    double up_to[GREYS], first = 0;
    for (int g = 0; g < GREYS; ++g) {
        up_to[g] = scene->bins[g] + (g > 0 ? up_to[g - 1] : 0);
        first = first > 0 ? first : up_to[g];
    }
    for (int i = 0; i < n; ++i) {
        int g = scene->picture.pixels[i];
        scene->after[i] = n == first ? g : floor(255 * (up_to[g] - first) / (n - first));
    }
}

static struct scene *new_scene(struct check *check, enum kind kind, int width, int height)
{
    int n = width * height, grey = check_random_int(check, 1, GREYS - 1);
    struct scene *scene = check_memory(check, 1, sizeof *scene);
    struct picture drawn = picture_draw(width, height);
    scene->kind = kind;
    scene->picture = (struct picture){width, height, check_memory(check, (size_t)n, 1)};
    scene->after = check_memory(check, (size_t)n, sizeof *scene->after);
    for (int i = 0; i < n; ++i) {
        grey = pixel_of(check, kind, i, width, grey, drawn.pixels[i]);
        scene->picture.pixels[i] = (unsigned char)grey;
        scene->sum += grey;
        scene->bins[grey]++;
    }
    equalise(scene, n);
    free(drawn.pixels);
    return scene;
}

/* Returns the case of RUNG and SCENE. */
static struct case_data *make_case(struct check *check, int rung, const struct scene *scene)
{
    static const char *const kinds[] = {"random",  "dark",    "flat", "banded",
                                        "striped", "sloping", "drawn"};
    struct picture picture = scene->picture;
    struct case_data *input =
        check_case(check, "rung %d, a %s picture of %s x %s pixels", rung, kinds[scene->kind],
                   check_number(picture.width), check_number(picture.height));
    check_add_ints(input, {"rung", rung}, {"width", picture.width}, {"height", picture.height});
    case_add(input, "pixels", CASE_BYTE, picture.pixels,
             (size_t)picture.width * (size_t)picture.height);
    return input;
}

/* Computes the result of a mistake: adds the grey level, instead of 1, to its bin. */
static void add_greys(const struct case_data *input, float *bins)
{
    const struct case_array *pixels = case_find(input, "pixels");
    for (int g = 0; g < GREYS; ++g)
        bins[g] = 0;
    for (size_t i = 0; i < pixels->count; ++i) {
        int grey = ((const uint8_t *)pixels->values)[i];
        bins[grey] += (float)grey;
    }
}

#define THREADS GREYS /* main() launches BLOCKS blocks of THREADS threads */
#define BLOCKS  16

/* Sets *SUM to the sum of all pixels plus TIMES times the sum of the first MORE pixels. */
static void add_again(const struct case_data *input, size_t more, int times, float *sum)
{
    const struct case_array *pixels = case_find(input, "pixels");
    double all = 0;
    for (size_t i = 0; i < pixels->count; ++i)
        all += ((const uint8_t *)pixels->values)[i] * (i < more ? 1 + times : 1);
    *sum = (float)all;
}

/* Computes the result of a mistake: the sum of a thread does not begin with 0. */
static void begin_with_thread(const struct case_data *input, float *sum)
{
    add_again(input, THREADS, BLOCKS, sum);
}

static void begin_with_first(const struct case_data *input, float *sum)
{
    add_again(input, (size_t)THREADS * BLOCKS, 1, sum);
}

/* Computes the result of a mistake: the tree lacks the step in which thread 1 gives its sum to
 * thread 0. */
static void without_last_step(const struct case_data *input, float *sum)
{
    const struct case_array *pixels = case_find(input, "pixels");
    double all = 0;
    for (size_t i = 0; i < pixels->count; i += 2)
        all += ((const uint8_t *)pixels->values)[i];
    *sum = (float)all;
}

static const struct check_guess sum_guesses[] = {
    {"as if thread 1 of each block kept its sum: the tree ends before the step with off = 1",
     .make = without_last_step, .at = "for (int off"},
    {"as if the sum of each thread began with pixels[threadIdx.x], not with 0",
     .make = begin_with_thread},
    {"as if each thread added its first pixel twice", .make = begin_with_first},
    {0}};

/* Computes the result of a mistake: the division comes before the multiplication. */
static void divide_first(const struct case_data *input, float *after)
{
    const struct case_array *pixels = case_find(input, "pixels");
    const uint8_t *greys = pixels->values;
    int last = 0;
    for (size_t i = 0; i < pixels->count; ++i)
        last = greys[i] > last ? greys[i] : last;
    for (size_t i = 0; i < pixels->count; ++i)
        after[i] = greys[i] == last ? GREYS - 1 : 0;
}

/* Computes the result of a mistake: the table is indexed by the number of the pixel, not by its
 * grey level. */
static void look_up_number(const struct case_data *input, float *after)
{
    const struct case_array *pixels = case_find(input, "pixels");
    int n = (int)pixels->count, first = 0, up_to[GREYS] = {0};
    for (int i = 0; i < n; ++i)
        up_to[((const uint8_t *)pixels->values)[i]]++;
    for (int g = 0; g < GREYS; ++g) {
        up_to[g] += g > 0 ? up_to[g - 1] : 0;
        first = first > 0 ? first : up_to[g];
    }
    for (int i = 0; i < n; ++i)
        after[i] = n == first ? i % GREYS
                              : (float)(uint8_t)((up_to[i % GREYS] - first) * 255ll / (n - first));
}

static const struct check_guess after_guesses[] = {
    {"as if each pixel i got the new grey of i % 256, not of its old grey", .make = look_up_number,
     .at = "after[i] ="},
    {"as if new_grey() divided two integers first, and then multiplied by 255",
     .make = divide_first},
    {0}};

/* Computes the result of a mistake: everything is added to bin 0. */
static void add_to_bin_0(const struct case_data *input, float *bins)
{
    for (int g = 0; g < GREYS; ++g)
        bins[g] = 0;
    bins[0] = (float)case_find(input, "pixels")->count;
}

enum { LANES = 32 };

/* Computes the result of a mistake in adding up the copies of bins in rung 5. If AGAIN is false,
 * only copy 0 of each bin is added. If AGAIN is true, the copy of bin g with which thread g begins
 * is added as often as there are copies. Copy l has the pixels of lane l. */
static void add_one_copy(const struct case_data *input, bool again, float *bins)
{
    const struct case_array *pixels = case_find(input, "pixels");
    for (int g = 0; g < GREYS; ++g)
        bins[g] = 0;
    for (size_t i = 0; i < pixels->count; ++i) {
        int grey = ((const uint8_t *)pixels->values)[i], lane = (int)(i % LANES);
        if (lane == (again ? grey % LANES : 0))
            bins[grey] += again ? LANES : 1;
    }
}

static void add_copy_0(const struct case_data *input, float *bins)
{
    add_one_copy(input, false, bins);
}

static void add_copy_again(const struct case_data *input, float *bins)
{
    add_one_copy(input, true, bins);
}

static const struct check_guess guesses[] = {
    {"as if each pixel added its grey, not 1", .make = add_greys},
    {"as if all bins were added to bin 0", .make = add_to_bin_0, .at = "atomicAdd(&bins[0]"},
    {"as if all bins were added to bin 0", .make = add_to_bin_0},
    {"as if only copy 0 of each bin were added up", .make = add_copy_0, .at = "total +="},
    {"as if one copy of each bin were added 32 times, not each copy once", .make = add_copy_again,
     .at = "total +="},
    {0}};

/* Judges a result. If IS_HIDDEN is true, main() gets a decoy picture (check.h). A picture with few
 * grey levels may be equal to its decoy. If main() also shares memory with the GPU, the check
 * cannot know whether kernels computed the result. */
static void judge(struct check *check, const struct run *run, const char *name,
                  struct check_matrix want, bool is_hidden)
{
    check_within(check, run, name, &want);
    if (is_hidden)
        check_made_by_kernels(check, run, name);
}

/* Runs RUNG on SCENE and judges its results. */
static const struct run *look_at(struct check *check, int rung, const struct scene *scene)
{
    int width = scene->picture.width, height = scene->picture.height, n = width * height;
    bool is_hidden = scene->kind != FLAT && n >= 16;
    const struct run *run = check_run(check, make_case(check, rung, scene));
    if (rung == TREE)
        judge(check, run, "sum",
              (struct check_matrix){1, 1, .values = &scene->sum, .guesses = sum_guesses},
              is_hidden);
    else {
        if (rung == EQUALISE)
            check_set_hint(check, "These bins come from rung 4: correct count_shared() first.");
        judge(check, run, "bins",
              (struct check_matrix){1, GREYS, .values = scene->bins, .guesses = guesses,
                                    .type = CASE_INT},
              is_hidden);
    }
    if (rung == EQUALISE) { /* results that were rounded in another way are right, too */
        check_set_hint(check,
                       "TODO 4: thread t computes new_grey() of grey t, and each pixel looks up "
                       "its new grey in the table. Do all threads wait until the table is full?");
        double *bounds = check_memory(check, (size_t)n, sizeof *bounds);
        for (int i = 0; i < n; ++i)
            bounds[i] = 1;
        judge(check, run, "after",
              (struct check_matrix){height, width, scene->after, bounds, .guesses = after_guesses,
                                    .type = CASE_BYTE},
              is_hidden);
    }
    check_has_read(check, run, (uint64_t)n);
    return run;
}

/* Runs all rungs that have a TODO. If HINTS is not NULL, it has a hint for each rung, which
 * replaces the check's hint. Returns the run of the last rung. */
static const struct run *look_at_all(struct check *check, const struct scene *scene,
                                     const char *const *hints)
{
    const struct run *run = NULL;
    for (int rung = TREE; rung <= EQUALISE; ++rung) {
        check_set_hint(check, hints ? hints[rung] : NULL);
        run = look_at(check, rung, scene);
    }
    return run;
}

/* Advice about wrong results. */
static const char *const rung_hints[] = {
    [TREE] =
        "Rung 3: each pixel counts once. Does each sum reach sums[0] exactly once? Does every step of the tree wait for the step before it? Does only one thread add sums[0] to the result?",
    [SHARED] =
        "Rung 4: is each bin of the block cleared before any thread counts in it? Does thread t add bin t to the result after all threads have counted?",
    [COPIES] =
        "Rung 5: copy c of bin g is mine[g * COPIES + c]. Are all copies cleared, and are all copies of a bin added up?",
    [EQUALISE] = "Rung 6: are the bins complete before the new greys are computed?",
};

CHECK(correct, .title = "right sum, histogram and picture for 256 x 256 pixels", .points = 10,
      .hint = "Each pixel counts once.")
{
    const struct scene *drawn = new_scene(check, DRAWN, 320, 200);
    look_at_all(check, new_scene(check, RANDOM, 256, 256), rung_hints);
    const struct run *run = look_at_all(check, drawn, rung_hints);
    check_show(check, run, "pixels", 320, 200);
    check_show(check, run, "after", 320, 200);
}

CHECK(
    ragged, .title = "right for 1 x 1 pixels, odd sizes and a single grey, too", .points = 10,
    .hint =
        "If the check above failed, too, fix that first. Otherwise the size is the problem: each loop over the pixels must end with i < n, and threads without a pixel still wait at all barriers.")
{
    look_at_all(check, new_scene(check, RANDOM, 1, 1), NULL);
    look_at_all(check, new_scene(check, RAMP, check_random_int(check, 16, 300), 1), NULL);
    look_at_all(check, new_scene(check, RANDOM, 2 * check_random_int(check, 20, 60) + 1, 33), NULL);
    look_at_all(check, new_scene(check, FLAT, 61, 67), NULL);
    look_at_all(check, new_scene(check, STRIPES, 255, 17), NULL);
}

CHECK(sound, .title = "right every time, not by luck", .points = 10, .where = CHECK_COUNTS,
      .watched = true,
      .hint =
          "Between a write and another thread's read of the same word, all threads of the block "
          "must reach one __syncthreads().")
{
    look_at_all(check, new_scene(check, DRAWN, 100 + check_random_int(check, 1, 20), 61), NULL);
}

/* The pictures of the checks below are so large that more than 16 blocks are useful, although each
 * block must clear and add up its own bins. */
#define SIDE 1024
#define ROWS 576 /* number of rows of the pictures with few grey levels */

/* The number of instructions that a warp may execute for at most 160 x 160 pixels. In the solution,
 * each thread has at most 7 pixels, and the tree takes about a quarter of these instructions. */
#define MOST_STEPS 400

/* Checks that no single thread adds up the sums of its block, and that the lanes of a warp do not
 * add to the same word one after another. */
static void adds_by_tree(struct check *check, const struct run *run)
{
    double steps = check_counter(run, "longest_warp_instructions");
    if (steps > MOST_STEPS)
        check_refuse(
            check, run,
            "TODO 1c: in each step of the tree, half of the threads of the step before add one sum each.",
            "for a small picture the longest warp executes %s instructions; a tree needs fewer than %d",
            check_number(steps), MOST_STEPS);
    if (check_counter(run, "atomic_collisions") > 0)
        check_refuse(check, run,
                     "TODO 1: threads of a block must add up their sums by a tree first.",
                     "lanes of a warp wait %s times to add to the same word",
                     check_number(check_counter(run, "atomic_collisions")));
}

/* The counters of additions to the sum that must wait for one another. A store can be an addition,
 * too, if the threads take turns. */
#define ADDITIONS                                                                                  \
    "global_atomic_requests global_reduction_requests global_store_requests atomic_collisions"

CHECK(
    tree, .title = "rung 3: one addition for each block", .points = 20, .where = CHECK_COUNTS,
    .figure =
        {.text = "%s additions to the sum wait for each other",
         .want = "at most %s",
         .counter = "atomic_collisions",
         /* no points if each of 16 * 256 threads adds its own sum; slack 4.25, for 64 blocks, or
          * for 32 blocks that find out by an atomic which block is the last */
         .budget = {.naive = 16 * 256, .solution = 16, .slack = 4.25, .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 1: let each thread add up its own pixels, then let the threads of a block add up their sums by a tree. Only thread 0 calls atomicAdd().")
{
    int width = check_random_int(check, 128, 160), height = check_random_int(check, 128, 160);
    const struct run *run = look_at(check, TREE, new_scene(check, DARK, SIDE, SIDE)),
                     *small = look_at(check, TREE, new_scene(check, RANDOM, width, height));
    check_measure(check, run, fmax(check_counter(run, ADDITIONS), check_counter(small, ADDITIONS)));
    adds_by_tree(check, small);
}

/* The number of sectors that a program may touch by additions and stores to global memory. This
 * allows 16 blocks with four numbers for each bin, each in a separate request. */
#define MOST_SENT (16 * 4 * GREYS)

/* Checks that blocks do not add to global memory once for each pixel of a smaller picture, either.
 * They may add up their bins in any way. */
static void counts_in_blocks(struct check *check, int rung)
{
    const struct run *run =
        look_at(check, rung, new_scene(check, RANDOM, 240, check_random_int(check, 200, 240)));
    double sent =
        check_counter(run, "global_atomic_sectors global_reduction_sectors global_store_sectors");
    if (sent > MOST_SENT)
        check_refuse(check, run,
                     "Count in shared memory, and add each block's bins to the result once.",
                     "additions and stores touch %s sectors of global memory; %s would be enough",
                     check_number(sent), check_number(MOST_SENT));
}

CHECK(
    shared, .title = "rung 4: each block counts in its own bins", .points = 20,
    .where = CHECK_COUNTS,
    .figure = {.text = "the warps make %s atomic requests to global memory",
               .want = "at most %s",
               .counter = "global_reduction_requests",
               .judges = 1 << CHECK_ATOMICS,
               .budget = {.naive = SIDE * SIDE / 32,
                          .solution = 128,
                          /* 8.5 allows 132 blocks, one for each multiprocessor of an H100 */
                          .slack = 8.5,
                          .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 2: count in a __shared__ array. At the end each block adds its 256 bins to those in global memory, once.")
{
    const struct run *run = look_at(check, SHARED, new_scene(check, RANDOM, SIDE, SIDE));
    check_measure(check, run,
                  check_counter(run, "global_atomic_requests global_reduction_requests"));
    counts_in_blocks(check, SHARED);
}

/* The counters of passes in which lanes wait for another lane of their warp. */
#define LOST_TURNS                                                                                 \
    "atomic_collisions shared_load_bank_conflicts shared_store_bank_conflicts "                    \
    "shared_atomic_bank_conflicts"

CHECK(
    copies, .title = "rung 5: no lane waits for another", .points = 20, .where = CHECK_COUNTS,
    .figure =
        {.text =
             "for 32 pixels of few greys, lanes wait %s times for other lanes that use the same word or bank",
         .want = "%s",
         .counter = LOST_TURNS,
         .judges = 1 << CHECK_SHARED | 1 << CHECK_WRITES | 1 << CHECK_ATOMICS,
         .budget = {.naive = 31, .solution = 0, .slack = 1}},
    .hint =
        "TODO 3: lane c counts in mine[grey * COPIES + c], its own word in its own bank. If lanes still wait, look at the words that the lanes clear and the words that they add up at the end: in which banks are they?")
{
    const struct scene *banded = new_scene(check, BANDS, SIDE, ROWS);
    const struct scene *striped = new_scene(check, STRIPES, SIDE, ROWS);
    const struct run *run = look_at(check, COPIES, banded),
                     *other = look_at(check, COPIES, striped);
    double turns = fmax(check_counter(run, LOST_TURNS), check_counter(other, LOST_TURNS));
    check_measure(check, run, floor(32 * turns / (SIDE * ROWS)));
    check_costs(check, other);
    counts_in_blocks(check, COPIES);
}

CHECK(
    table, .title = "rung 6: the new greys come from a table", .points = 10, .where = CHECK_COUNTS,
    .figure =
        {.text = "the warps load from global memory %s times",
         .want = "at most %s",
         .counter = "global_load_requests",
         /* not the writes, because a thread may store its four new greys one by one */
         .judges = 1 << CHECK_ATOMICS | 1 << CHECK_SHARED | 1 << CHECK_READS | 1 << CHECK_WRITES,
         .budget = {.naive = 4200000, .solution = 84352, .slack = 1.3, .scale = JUDGE_LOGARITHMIC}},
    .hint =
        "TODO 4: thread t computes new_grey() of grey t, once. All pixels look up their new grey in the table.")
{
    const struct run *run = look_at(check, EQUALISE, new_scene(check, DRAWN, SIDE, SIDE));
    check_measure(check, run, check_counter(run, "global_load_requests"));
}
