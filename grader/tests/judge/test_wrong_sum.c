/* Tests the explanations of wrong sums. Each hypothesis must explain a sum that it fits, and no
 * other sum. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "judge/wrong_sum.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { NUMBERS = 10000, BLOCKS = 8, THREADS = 128, ALL = BLOCKS * THREADS };

static int32_t numbers[NUMBERS];

/* Fills the array with numbers from 0 to LARGEST. They are the same on every machine. */
static void fill(int32_t largest)
{
    uint64_t state = 1;
    for (size_t i = 0; i < NUMBERS; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        numbers[i] = (int32_t)((state >> 33) % ((uint64_t)largest + 1));
    }
    numbers[4711] = largest;
}

static int64_t term(size_t i, bool squares)
{
    return squares ? (int64_t)numbers[i] * numbers[i] : numbers[i];
}

static int64_t all_terms(bool squares)
{
    int64_t sum = 0;
    for (size_t i = 0; i < NUMBERS; ++i)
        sum += term(i, squares);
    return sum;
}

/* Returns how often number I is counted. */
typedef int64_t times(size_t i);

static int64_t but_last_3(size_t i)
{
    return i < NUMBERS - 3;
}
static int64_t but_first(size_t i)
{
    return i > 0;
}
static int64_t but_one(size_t i)
{
    return i != 4711;
}
static int64_t one_twice(size_t i)
{
    return 1 + (i == 4711);
}
static int64_t last_7_twice(size_t i)
{
    return 1 + (i >= NUMBERS - 7);
}
static int64_t only_block_0(size_t i)
{
    return i / THREADS % BLOCKS == 0;
}
static int64_t but_last_block(size_t i)
{
    return i / THREADS % BLOCKS != BLOCKS - 1;
}
static int64_t only_thread_0(size_t i)
{
    return i % THREADS == 0;
}
static int64_t but_last_thread(size_t i)
{
    return i % THREADS != THREADS - 1;
}
static int64_t first_48_threads(size_t i)
{
    return i % THREADS < 48;
}
static int64_t only_lane_0(size_t i)
{
    return i % 32 == 0;
}
static int64_t only_warp_1(size_t i)
{
    return i % THREADS / 32 == 1;
}
static int64_t only_last_of_grid(size_t i)
{
    return i % ALL == ALL - 1;
}
static int64_t only_second_chunk(size_t i)
{
    return i / ((NUMBERS + ALL - 1) / ALL * THREADS) == 1;
}
/* Each loop begins at the thread's number in the grid, but its step is the number of threads in a
 * block. */
static int64_t short_steps(size_t i)
{
    size_t last = i < ALL ? i : ALL - 1;
    return (int64_t)((last - i % THREADS) / THREADS + 1);
}
static int64_t begins_in_block(size_t i)
{
    return i % ALL < THREADS ? BLOCKS : 0;
}
static int64_t wrong_dimension(size_t i)
{
    int64_t times = 0;
    for (size_t block = 0; block < BLOCKS; ++block)
        for (size_t thread = 0; thread < THREADS; ++thread)
            times += i >= block * BLOCKS + thread && (i - block * BLOCKS - thread) % ALL == 0;
    return times;
}
static int64_t one_number_each(size_t i)
{
    return i < ALL;
}
static int64_t first_2_in_both(size_t i)
{
    return i % THREADS < 2 && i / THREADS % BLOCKS < 2;
}
static int64_t first_3_of_warps_in_both(size_t i)
{
    return i % THREADS % 32 < 3 && i / THREADS % BLOCKS < 3;
}
static int64_t half_of_8_in_both(size_t i)
{
    return i % THREADS % 8 < 4 && i / THREADS % BLOCKS % 8 < 4;
}
static int64_t half_of_64_in_both(size_t i)
{
    return i % THREADS % 64 < 5 && i / THREADS % BLOCKS < 5;
}
static int64_t not_the_first_in_both(size_t i)
{
    return i % THREADS > 0 && i / THREADS % BLOCKS > 0;
}
static int64_t every_second_in_both(size_t i)
{
    return i % THREADS % 2 == 0 && i / THREADS % BLOCKS % 2 == 0;
}
static int64_t the_first_twice_in_both(size_t i)
{
    return (1 + (i % THREADS == 0)) * (1 + (i / THREADS % BLOCKS == 0));
}
/* Lane 0 computes five shuffles, each of which returns the value of the same lane or of a lower
 * one. */
static int64_t shuffled_up_in_both(size_t i)
{
    return i % 32 == 0 && i / THREADS % BLOCKS == 0 ? 32 * 32 : 0;
}
/* In five shuffles, all lanes get the value of lane 16, then of lane 8, and so on. */
static int64_t of_one_lane(size_t lane)
{
    bool is_step = lane > 0 && (lane & (lane - 1)) == 0;
    return lane == 0 ? 1 : is_step ? (int64_t)lane : 0;
}
static int64_t shuffled_from_one_lane_in_both(size_t i)
{
    return of_one_lane(i % 32) * of_one_lane(i / THREADS % BLOCKS);
}
/* Mistakes that a program is unlikely to make. */
static int64_t by_chance(size_t i)
{
    return (i * 2654435761u >> 7) % 3;
}

static const struct {
    const char *name;
    times *counts;
    bool is_int, squares;
    const char *text; /* NULL: no explanation */
} rows[] = {
    {"the last numbers", but_last_3, false, false,
     "as if the last numbers, data[9997] to data[9999], were left out"},
    {"the last squares", but_last_3, false, true,
     "as if the last numbers, data[9997] to data[9999], were left out"},
    {"the last numbers of an int", but_last_3, true, false,
     "as if the last numbers, data[9997] to data[9999], were left out"},
    {"the first number", but_first, false, false, "as if data[0] were left out"},
    {"a number", but_one, false, true, "as if data[4711] were left out"},
    {"a number twice", one_twice, false, true, "as if data[4711] were added twice"},
    {"the last ones twice", last_7_twice, false, true,
     "as if data[9993] to data[9999] were added twice"},
    {"block 0", only_block_0, true, false, "as if only block 0 added its numbers"},
    {"not the last block", but_last_block, true, false,
     "as if the numbers of block 7 were left out"},
    {"thread 0", only_thread_0, true, false, "as if only thread 0 of each block added its numbers"},
    {"not the last thread", but_last_thread, true, false,
     "as if the numbers of thread 127 of each block were left out"},
    {"some threads", first_48_threads, true, false,
     "as if only the first 48 threads of each block added their numbers"},
    {"lane 0", only_lane_0, true, false, "as if only lane 0 of each warp added its numbers"},
    {"warp 1", only_warp_1, true, false, "as if only warp 1 of each block added its numbers"},
    {"the thread that wrote last", only_last_of_grid, true, false,
     "as if only thread 1,023 of the grid added its numbers"},
    {"a chunk", only_second_chunk, true, false, "as if only block 1 added its numbers"},
    {"steps of a block", short_steps, false, true,
     "as if each loop began at blockIdx.x * blockDim.x + threadIdx.x and stepped by 128, the number "
     "of threads in a block"},
    {"a block's numbers for all", begins_in_block, false, true,
     "as if each loop began at threadIdx.x and stepped by 1,024, the number of threads"},
    {"the wrong dimension", wrong_dimension, false, true,
     "as if each loop began at blockIdx.x * gridDim.x + threadIdx.x and stepped by 1,024, the "
     "number of threads"},
    {"no loop", one_number_each, true, false,
     "as if data[1024] to data[9999] were left out: does each of the 1,024 threads add only one "
     "number?"},
    {"both launches", first_2_in_both, true, false,
     "as if only the first 2 threads of each block counted, in both launches: as if the tree had no "
     "steps in which a thread adds the sum of a thread 2 to 64 places further on"},
    {"both launches, no step", half_of_8_in_both, true, false,
     "as if only the first 4 threads of each 8 threads counted, in both launches: as if the tree "
     "had no step in which a thread adds the sum of the thread 4 places further on"},
    {"both launches, warps", first_3_of_warps_in_both, true, false,
     "as if only the first 3 threads of each warp counted, in both launches"},
    {"both launches, halves", half_of_64_in_both, true, false,
     "as if only the first 5 threads of each 64 threads counted, in both launches"},
    {"both launches without the first", not_the_first_in_both, true, false,
     "as if thread 0 of each block were left out, in both launches"},
    {"both launches, every second", every_second_in_both, true, false,
     "as if only thread 0 of each 2 threads counted, in both launches"},
    {"both launches, the first twice", the_first_twice_in_both, true, false,
     "as if thread 0 of each block were added twice, in both launches"},
    {"none of these", by_chance, true, false, NULL},
    {"both launches, shuffled up", shuffled_up_in_both, true, false,
     "as if the last 32 sums were added with __shfl_up_sync() in place of __shfl_down_sync()"},
    {"both launches, shuffled from one lane", shuffled_from_one_lane_in_both, true, false,
     "as if the last 32 sums were added with __shfl_sync() in place of __shfl_down_sync()"},
    {"both launches, none of these", by_chance, true, false, NULL},
    {"none of these, in 64 bits", by_chance, false, true, NULL},
};

Test(wrong_sum, is_explained_by_the_numbers_that_count)
{
    for (size_t i = 0; i < COUNT(rows); ++i) {
        char text[300] = "";
        int64_t got = 0;
        fill(rows[i].squares ? 100000 : 100000 - 1);
        for (size_t j = 0; j < NUMBERS; ++j)
            got += rows[i].counts(j) * term(j, rows[i].squares);
        struct judge_sum sum = {.is_int = rows[i].is_int,
                                .got = rows[i].is_int ? (int32_t)got : got,
                                .want = all_terms(rows[i].squares),
                                .name = "data",
                                .numbers = numbers,
                                .count = NUMBERS,
                                .blocks = BLOCKS,
                                .threads = THREADS};
        sum.second_threads = strncmp(rows[i].name, "both", 4) == 0 ? THREADS : 0;
        bool told = judge_wrong_sum(&sum, text, sizeof text);
        cr_expect_eq(told, rows[i].text != NULL, "%s: %s", rows[i].name, text);
        if (rows[i].text)
            cr_expect_str_eq(text, rows[i].text, "%s: %s", rows[i].name, text);
    }
}

/* Sums for which the numbers are unknown. */
static const struct {
    const char *name;
    bool is_int;
    int64_t got, want;
    const char *text;
} alone[] = {
    {"a multiple", true, 31000, 1000, "exactly 31 times too large"},
    {"the block's threads", true, 128 * 12345, 12345,
     "exactly 128 times too large, as if each thread of a block added the block's whole sum"},
    {"the blocks", false, 8 * 12345, 12345,
     "exactly 8 times too large, as if each block added up everything"},
    {"the grid's threads", false, 1024 * 12345, 12345,
     "exactly 1,024 times too large, as if each thread added up everything"},
    {"a warp's lanes", false, 32 * 12345, 12345,
     "exactly 32 times too large, as if each lane of a warp added the warp's whole sum"},
    {"a multiple that wraps around", true, (int32_t)(uint32_t)(100ull * 123456789), 123456789,
     "exactly 100 times too large"},
    {"a small sum has many multiples", true, 30, 10, NULL},
    {"a fraction", false, 2000001, 128 * 2000001,
     "too small by a factor of exactly 128, the number of threads in a block"},
    {"a small fraction has many multiples", false, 3, 300, NULL},
    {"the other sign", true, -54321, 54321, "right except for the sign"},
    {"the least int", true, INT_MIN, 54321, NULL},
    {"the least number", false, INT64_MIN, 54321, NULL},
    {"an overflow", false, 1000 + (3ll << 32), 1000 + (7ll << 32),
     "its error is a multiple of 2^32, as if a 32-bit int had overflowed"},
    {"half of a number", false, 0x89abcdef, 0x123489abcdef,
     "it has only the lower 32 bits of the right sum"},
    {"nearly an overflow", false, 1001, 1000 + (7ll << 32), NULL},
    {"a float", true, 534408352, 534408302,
     "as if it had been rounded to a float, which keeps 24 bits"},
    {"no float holds this", true, 534408351, 534408302, NULL},
    {"a float far away", true, 534428352 / 128 * 128, 534408302, NULL},
    {"by chance", true, 12345678, 23456789, NULL},
};

Test(wrong_sum, is_explained_without_its_numbers)
{
    for (size_t i = 0; i < COUNT(alone); ++i) {
        char text[300] = "";
        struct judge_sum sum = {.is_int = alone[i].is_int,
                                .got = alone[i].got,
                                .want = alone[i].want,
                                .name = "data",
                                .blocks = BLOCKS,
                                .threads = THREADS};
        bool told = judge_wrong_sum(&sum, text, sizeof text);
        cr_expect_eq(told, alone[i].text != NULL, "%s: %s", alone[i].name, text);
        if (alone[i].text)
            cr_expect_str_eq(text, alone[i].text, "%s", alone[i].name);
    }
}

Test(wrong_sum, that_both_launches_double_says_so)
{
    char text[300];
    struct judge_sum sum = {.is_int = true,
                            .got = 4 * 54321,
                            .want = 54321,
                            .name = "data",
                            .blocks = BLOCKS,
                            .threads = THREADS,
                            .second_threads = THREADS};
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "exactly 4 times too large, as if each of the two launches added every "
                           "sum to itself once");
    sum.blocks = 4;
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "exactly 4 times too large, as if each block added up everything");
}

Test(wrong_sum, of_nothing_says_so)
{
    char text[300];
    const int32_t two[] = {5, 7};
    struct judge_sum sum = {.want = 12, .name = "data", .numbers = two, .count = 2};
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if no number were added");
    sum.count = 1;
    sum.want = 5;
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if data[0], the only number, were left out");
    sum.numbers = NULL;
    cr_expect_not(judge_wrong_sum(&sum, text, sizeof text), "%s", text);
}

Test(wrong_sum, of_numbers_in_place_of_squares_is_recognised)
{
    char text[300];
    fill(100000);
    struct judge_sum sum = {.got = all_terms(false),
                            .want = all_terms(true),
                            .name = "data",
                            .numbers = numbers,
                            .count = NUMBERS};
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if the numbers were added, not their squares");
    sum.want = sum.got;
    sum.got = all_terms(true);
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if the squares of the numbers were added");
    sum.got++;
    cr_expect_not(judge_wrong_sum(&sum, text, sizeof text), "%s", text);
}

/* If there are few numbers, loops that begin at blockIdx.x * gridDim.x + threadIdx.x may read the
 * same numbers as loops that step by gridDim.x. Then neither is reported. */
Test(wrong_sum, that_fits_two_loops_is_told_as_neither)
{
    char text[300] = "";
    struct judge_sum sum = {
        .name = "data", .numbers = numbers, .count = 158, .blocks = 32, .threads = 256};
    fill(100000);
    for (size_t i = 0; i < sum.count; ++i) {
        sum.want += term(i, true);
        sum.got += term(i, true) * (int64_t)(i / 32 + 1);
    }
    cr_expect_not(judge_wrong_sum(&sum, text, sizeof text), "%s", text);
}

/* Grids in which the first number or the step has two possible names. */
static const struct {
    size_t blocks, threads, step;
    const char *text;
} twins[] = {
    {1, 256, 1,
     "as if each loop began at blockIdx.x * blockDim.x + threadIdx.x and stepped by 1, the number of blocks"},
    {32, 64, 32,
     "as if each loop began at blockIdx.x * blockDim.x + threadIdx.x and stepped by 32, the number of blocks"},
    {64, 64, 64,
     "as if each loop began at blockIdx.x * blockDim.x + threadIdx.x and stepped by 64, the number of threads in a block"},
};

Test(wrong_sum, names_a_loop_once)
{
    fill(100000);
    for (size_t i = 0; i < COUNT(twins); ++i) {
        char text[300] = "";
        size_t all = twins[i].blocks * twins[i].threads;
        struct judge_sum sum = {.want = all_terms(true),
                                .name = "data",
                                .numbers = numbers,
                                .count = NUMBERS,
                                .blocks = twins[i].blocks,
                                .threads = twins[i].threads};
        for (size_t j = 0; j < NUMBERS; ++j) {
            size_t last = j < all ? j : all - 1;
            sum.got += (int64_t)((last - j % twins[i].step) / twins[i].step + 1) * term(j, true);
        }
        cr_expect(judge_wrong_sum(&sum, text, sizeof text));
        cr_expect_str_eq(text, twins[i].text);
    }
}

/* If there are as many blocks as threads per block, blockIdx.x and threadIdx.x cannot be
 * distinguished. */
Test(wrong_sum, that_fits_two_begins_names_both)
{
    char text[300] = "";
    struct judge_sum sum = {
        .name = "data", .numbers = numbers, .count = NUMBERS, .blocks = 16, .threads = 16};
    fill(100000);
    sum.want = all_terms(true);
    for (size_t i = 0; i < NUMBERS; ++i)
        sum.got += i % 256 < 16 ? 16 * term(i, true) : 0;
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if each loop began at threadIdx.x or blockIdx.x and stepped by "
                           "256, the number of threads");
}

Test(wrong_sum, of_floats_is_recognised)
{
    char text[300];
    float mine[ALL] = {0};
    int64_t got = 0;
    fill(100000);
    for (size_t i = 0; i < NUMBERS; ++i)
        mine[i % ALL] += (float)term(i, true);
    for (size_t i = 0; i < ALL; ++i)
        got += (int64_t)mine[i];
    struct judge_sum sum = {.got = got,
                            .want = all_terms(true),
                            .name = "data",
                            .numbers = numbers,
                            .count = NUMBERS,
                            .blocks = BLOCKS,
                            .threads = THREADS};
    cr_expect(judge_wrong_sum(&sum, text, sizeof text));
    cr_expect_str_eq(text, "as if each thread added up in a float, which keeps 24 bits");
    sum.got++;
    cr_expect_not(judge_wrong_sum(&sum, text, sizeof text), "%s", text);
}

/* Hypotheses must not fit by chance: a random wrong sum must have no explanation. */
Test(wrong_sum, by_chance_is_hardly_explained)
{
    unsigned told = 0;
    uint64_t state = 7;
    fill(21474);
    for (int i = 0; i < 300; ++i) {
        char text[300];
        state = state * 6364136223846793005u + 1442695040888963407u;
        /* errors from a few units to millions, like those of real mistakes */
        int64_t error = (int64_t)(state >> 33) % (1ll << (4 + i % 20));
        struct judge_sum sum = {.is_int = true,
                                .got = all_terms(false) + error + 1,
                                .want = all_terms(false),
                                .name = "data",
                                .numbers = numbers,
                                .count = NUMBERS,
                                .blocks = BLOCKS,
                                .threads = THREADS,
                                .second_threads = THREADS};
        told += judge_wrong_sum(&sum, text, sizeof text);
    }
    cr_expect_leq(told, 1, "%u of 300 random sums are explained", told);
}
