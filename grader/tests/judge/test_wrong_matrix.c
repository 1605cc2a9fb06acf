/* Tests the explanations of wrong matrices. Each hypothesis must explain a matrix that it fits, and
 * no other matrix. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "judge/wrong_matrix.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { HEIGHT = 12, WIDTH = 20, ALL = HEIGHT * WIDTH };

static double want[ALL], bounds[ALL];
static float got[ALL], again[ALL], data[ALL];

/* Returns a number from 1 to 2 for each place. It is the same on every machine. */
static double random_at(size_t i, uint64_t seed)
{
    uint64_t state = (i + 1) * 6364136223846793005u + seed * 1442695040888963407u;
    state ^= state >> 29;
    state *= 0xbf58476d1ce4e5b9u;
    return 1 + (double)(state >> 40) * 0x1p-24;
}

/* Makes a right result. */
static void begin(void)
{
    for (size_t i = 0; i < ALL; ++i) {
        want[i] = random_at(i, 1);
        bounds[i] = 1e-6;
        got[i] = again[i] = (float)want[i];
        data[i] = (float)random_at(i, 2);
    }
}

static size_t y_of(size_t i)
{
    return i / WIDTH;
}
static size_t x_of(size_t i)
{
    return i % WIDTH;
}

/* Returns the number at place I of a wrong result. again[] has the result of a second run. */
typedef float maker(size_t i);

static float right(size_t i)
{
    return (float)want[i];
}
static float transposed(size_t i)
{
    return (float)want[i % HEIGHT * WIDTH + i / HEIGHT];
}
static float turned_pieces(size_t i)
{
    size_t y = y_of(i), x = x_of(i);
    return (float)want[(y - y % 4 + x % 4) * WIDTH + x - x % 4 + y % 4];
}
static float shifted(size_t i)
{
    return x_of(i) > 0 ? (float)want[i - 1] : 9;
}
static float shifted_left(size_t i)
{
    return x_of(i) + 1 < WIDTH ? (float)want[i + 1] : 9;
}
static float from_above(size_t i)
{
    return i >= WIDTH ? (float)want[i - WIDTH] : 9;
}
static float from_below(size_t i)
{
    return i + WIDTH < ALL ? (float)want[i + WIDTH] : 9;
}
static float mirrored(size_t i)
{
    return (float)want[y_of(i) * WIDTH + WIDTH - 1 - x_of(i)];
}
static float upside_down(size_t i)
{
    return (float)want[(HEIGHT - 1 - y_of(i)) * WIDTH + x_of(i)];
}
static float backwards(size_t i)
{
    return (float)want[ALL - 1 - i];
}
static float first_of_row(size_t i)
{
    return (float)want[y_of(i) * WIDTH];
}
static float first_of_column(size_t i)
{
    return (float)want[x_of(i)];
}
static float too_far(size_t i)
{
    return i + 3 * y_of(i) < ALL ? (float)want[i + 3 * y_of(i)] : 9;
}
static float too_near(size_t i)
{
    return (float)want[i - 2 * y_of(i)];
}
static float too_large(size_t i)
{
    return (float)(256 * want[i]);
}
static float too_small(size_t i)
{
    return (float)(want[i] / 16);
}
static float negative(size_t i)
{
    return (float)-want[i];
}
static float doubled_negative(size_t i)
{
    return (float)(-2 * want[i]);
}
static float no_last_row(size_t i)
{
    return y_of(i) == HEIGHT - 1 ? 0 : (float)want[i];
}
static float no_edge_columns(size_t i)
{
    return x_of(i) >= 16 ? NAN : (float)want[i];
}
static float first_quarter(size_t i)
{
    return i < ALL / 4 ? (float)want[i] : 0;
}
static float first_quarter_of_rows(size_t i)
{
    return x_of(i) < WIDTH / 4 ? (float)want[i] : 0;
}
static float quarter_of_nans(size_t i)
{
    return i < ALL / 4 ? (float)want[i] : NAN;
}
static float first_rows(size_t i)
{
    return y_of(i) < 4 ? (float)want[i] : 0;
}
static float no_first_rows(size_t i)
{
    return y_of(i) < 2 ? (float)random_at(i, 3) : (float)want[i];
}
static float no_middle_column(size_t i)
{
    return x_of(i) == 7 ? (float)random_at(i, 3) : (float)want[i];
}
static float no_second_rows(size_t i)
{
    return y_of(i) % 2 ? (float)random_at(i, 3) : (float)want[i];
}
static float no_borders(size_t i)
{
    return y_of(i) % (HEIGHT - 1) == 0 ? (float)random_at(i, 3) : (float)want[i];
}
static float no_corner(size_t i)
{
    return y_of(i) >= 8 && x_of(i) >= 16 ? (float)random_at(i, 3) : (float)want[i];
}
static float data_itself(size_t i)
{
    return data[i];
}
static float without_above(size_t i)
{
    return (float)(want[i] - (i >= WIDTH ? (double)data[i - WIDTH] : 9));
}
static float with_right_twice(size_t i)
{
    return (float)(want[i] + (x_of(i) + 1 < WIDTH ? (double)data[i + 1] : 9));
}
static float copied_and_pasted(size_t i)
{
    return (float)(want[i] + (double)data[i] - (i + WIDTH < ALL ? (double)data[i + WIDTH] : 9));
}
static float steps_of_one(size_t i)
{
    return x_of(i) % 10 < 5 ? (float)want[i] : (float)want[i - 5 + x_of(i) % 5 % 3];
}
static float no_half_columns(size_t i)
{
    return x_of(i) % 8 >= 4 ? (float)random_at(i, 3) : (float)want[i];
}
static float only_one_right_column(size_t i)
{
    return x_of(i) == 15 ? (float)want[i] : (float)random_at(i, 3);
}
static float two_rows(size_t i)
{
    return y_of(i) == 2 || y_of(i) == 9 ? (float)random_at(i, 3) : (float)want[i];
}
static float nearly_three_times(size_t i)
{
    return (float)(want[i] * (3 + 0.01 * random_at(i, 6)));
}
static float by_chance(size_t i)
{
    return (float)random_at(i, 4);
}
static float here_and_there(size_t i)
{
    return i % 7 == 3 ? (float)random_at(i, 5) : (float)want[i];
}

static const struct {
    const char *name;
    maker *make;
    const char *text; /* NULL: no explanation */
} rows[] = {
    {"right", right, NULL},
    {"transposed", transposed, "the result is the transpose of the right result"},
    {"shifted", shifted,
     "each has the value that belongs to its left, as if each row were shifted by one"},
    {"shifted to the left", shifted_left,
     "each has the value that belongs to its right, as if each row were shifted by one"},
    {"from above", from_above,
     "each has the value that belongs above it, as if all rows were shifted by one"},
    {"from below", from_below,
     "each has the value that belongs below it, as if all rows were shifted by one"},
    {"mirrored", mirrored, "as if each row were in reversed order"},
    {"upside down", upside_down, "as if the rows were in reversed order"},
    {"backwards", backwards, "as if all numbers were in reversed order"},
    {"the first of each row", first_of_row,
     "the last columns 1 to 19; each has the value that belongs to the first number of its row"},
    {"pieces that are turned", turned_pieces, "as if each piece of 4 x 4 numbers were transposed"},
    {"the first of each column", first_of_column,
     "the last rows 1 to 11; each has the value that belongs to the first number of its column"},
    {"a pitch that is too large", too_far,
     "the last rows 1 to 11; as if each row began 3 numbers too late"},
    {"a pitch that is too small", too_near,
     "the last rows 1 to 11; as if each row began 2 numbers too early"},
    {"too large", too_large, "exactly 256 times too large"},
    {"too small", too_small, "exactly 16 times too small"},
    {"negative", negative, "right except for the sign"},
    {"too large and negative", doubled_negative,
     "exactly 2 times too large, and with the wrong sign"},
    {"no last row", no_last_row, "the last row 11; all of them are 0"},
    {"no last columns", no_edge_columns,
     "the last columns 16 to 19; all of them are NaN (not a number)"},
    {"a quarter", first_quarter,
     "the last rows 3 to 11; all wrong numbers are 0, and the first quarter is right: does a copy of "
     "240 numbers copy only 240 bytes?"},
    {"a quarter of NaNs", quarter_of_nans,
     "the last rows 3 to 11; all wrong numbers are NaN (not a number), and the first quarter is "
     "right: does a copy of 240 numbers copy only 240 bytes?"},
    {"few columns", first_quarter_of_rows,
     "the last columns 5 to 19; all of them are 0; does the kernel, copy or cudaMemset() that should write them reach the last row and the last column?"},
    {"few rows", first_rows,
     "the last rows 4 to 11; all of them are 0; does the kernel, copy or cudaMemset() that should write them reach the last row and the last column?"},
    {"no first rows", no_first_rows, "rows 0 to 1"},
    {"no column 7", no_middle_column, "column 7"},
    {"every second row", no_second_rows, "rows 1, 3, 5 and so on"},
    {"the borders", no_borders, "the first and the last row"},
    {"a corner", no_corner, "the last columns 16 to 19 in the last rows 8 to 11"},
    {"an input", data_itself, "each is data[y][x] alone"},
    {"a missing neighbour", without_above, "as if data[y - 1][x] were left out"},
    {"a neighbour twice", with_right_twice, "as if data[y][x + 1] were added once too often"},
    {"a neighbour in place of another", copied_and_pasted,
     "as if data[y][x] were added in place of data[y + 1][x]"},
    {"other columns", steps_of_one,
     "columns 5 to 9 of each 10 columns; each is a right number in the wrong place of its row: [0][5] has "
     "the number of [0][0], [0][6] has the number of [0][2], and so on"},
    {"half of the columns", no_half_columns, "columns 4 to 7 of each 8 columns"},
    {"one column that is right by luck", only_one_right_column, NULL},
    {"two rows", two_rows, "rows 2 and 9"},
    {"nearly three times", nearly_three_times, "about 3 times too large"},
    {"by chance", by_chance, NULL},
    {"here and there", here_and_there, NULL},
};

static struct judge_matrix matrix(bool bounded)
{
    return (struct judge_matrix){.height = HEIGHT,
                                 .width = WIDTH,
                                 .got = got,
                                 .want = want,
                                 .bounds = bounded ? bounds : NULL,
                                 .again = again,
                                 .inputs = {{"data", data}}};
}

static void expect_told(const struct judge_matrix *matrix, const char *name, const char *expected)
{
    char text[400] = "";
    bool told = judge_wrong_matrix(matrix, text, sizeof text);
    cr_expect_eq(told, expected != NULL, "%s: %s", name, text);
    if (expected)
        cr_expect_str_eq(text, expected, "%s", name);
}

Test(wrong_matrix, of_one_row_has_elements)
{
    struct judge_matrix list = matrix(true);
    list.height = 1;
    begin();
    for (size_t i = 0; i < WIDTH; ++i)
        got[i] = again[i] = i % 8 >= 4 ? (float)random_at(i, 3) : (float)want[i];
    list.width = WIDTH;
    expect_told(&list, "a list", "elements 4 to 7 of each 8 elements");
}

Test(wrong_matrix, is_explained)
{
    for (size_t i = 0; i < COUNT(rows); ++i) {
        begin();
        for (size_t j = 0; j < ALL; ++j)
            got[j] = again[j] = rows[i].make(j);
        struct judge_matrix wrong = matrix(true);
        expect_told(&wrong, rows[i].name, rows[i].text);
    }
}

/* Results that must be exact. Here they are whole numbers, many of which are equal. */
Test(wrong_matrix, of_whole_numbers_is_explained)
{
    struct judge_matrix wrong = matrix(false);
    begin();
    for (size_t i = 0; i < ALL; ++i)
        want[i] = floor(want[i] * 100);
    for (size_t i = 0; i < ALL; ++i)
        got[i] = again[i] = from_above(i);
    expect_told(&wrong, "from above",
                "each has the value that belongs above it, as if all rows were shifted by one");
    for (size_t i = 0; i < ALL; ++i)
        got[i] = again[i] = (float)want[i];
    got[5] = again[5] = (float)want[6];
    expect_told(&wrong, "one wrong number proves nothing", NULL);
}

Test(wrong_matrix, that_was_never_written_changes_with_fresh_memory)
{
    struct judge_matrix wrong = matrix(true);
    begin();
    for (size_t i = 0; i < ALL; ++i)
        if (y_of(i) == 3)
            got[i] = again[i] = 77;
    expect_told(&wrong, "written", "row 3");
    for (size_t i = 0; i < ALL; ++i)
        if (y_of(i) == 3)
            again[i] = -(float)i;
    expect_told(&wrong, "not written",
                "row 3; never written, so they have the contents of new memory");
    again[3 * WIDTH + 1] = got[3 * WIDTH + 1];
    expect_told(
        &wrong, "one of them written",
        "row 3; 19 of them, from [3][0] on, were never written and have the contents of new "
        "memory");
    wrong.again = NULL;
    expect_told(&wrong, "no other run", "row 3");
    begin();
    for (size_t i = 0; i < ALL; ++i)
        if (x_of(i) >= 10) {
            got[i] = 77;
            again[i] = -1;
        }
    wrong.again = again;
    expect_told(
        &wrong, "no threads",
        "the last columns 10 to 19; never written, so they have the contents of new memory; does the kernel, copy or cudaMemset() that should write them reach the last row and the last column?");
}

Test(wrong_matrix, that_is_right_when_main_sees_the_same_input)
{
    struct judge_matrix wrong = matrix(true);
    begin();
    wrong.hides = true;
    for (size_t i = 0; i < ALL; ++i) {
        again[i] = got[i];
        got[i] = y_of(i) == 3 ? 77 : got[i];
    }
    expect_told(
        &wrong, "from main()'s numbers",
        "row 3; computed from main()'s numbers, not from the GPU's: main() must copy the input to the GPU unchanged, and not pass its numbers as arguments of a kernel");
    again[3 * WIDTH] = 78;
    expect_told(&wrong, "one of them wrong again",
                "row 3; never written, so they have the contents of new memory");
}

Test(wrong_matrix, lacks_a_part_of_each_block)
{
    struct judge_matrix wrong = matrix(true);
    begin();
    for (size_t i = 0; i < ALL; ++i)
        if (x_of(i) % 8 >= 4) {
            got[i] = 77;
            again[i] = -1;
        }
    expect_told(
        &wrong, "half of the columns",
        "columns 4 to 7 of each 8 columns; never written, so they have the contents of new memory; does "
        "a block have as many threads in x and in y as the kernel needs?");
}

/* The missing part could only come from blocks with a side of 4 or 2, which the launch does not
 * have. */
Test(wrong_matrix, lacks_a_part_that_is_not_a_blocks)
{
    struct judge_matrix wrong = matrix(true);
    begin();
    for (size_t i = 0; i < ALL; ++i)
        if (x_of(i) % 8 >= 4) {
            got[i] = 77;
            again[i] = -1;
        }
    wrong.sides[0] = 256;
    wrong.grid_threads = ALL - 1;
    expect_told(
        &wrong, "no side, too few threads",
        "columns 4 to 7 of each 8 columns; never written, so they have the contents of new memory");
    wrong.grid_threads = ALL;
    expect_told(
        &wrong, "no side, a thread for each",
        "columns 4 to 7 of each 8 columns; never written, so they have the contents of new memory; the "
        "first 1/2 of each 8 numbers is written, although the launch has a thread for each number: do "
        "2 threads have the same index?");
    wrong.sides[1] = 4;
    expect_told(
        &wrong, "a side of 4",
        "columns 4 to 7 of each 8 columns; never written, so they have the contents of new memory; does "
        "a block have as many threads in x and in y as the kernel needs?");
}

/* Makes the numbers uninitialised for which HAS_WRITTEN returns 0. */
static void leave_out(maker *has_written)
{
    begin();
    for (size_t i = 0; i < ALL; ++i)
        if (has_written(i) == 0) {
            got[i] = 77;
            again[i] = -1;
        }
}

static float in_12_columns(size_t i)
{
    return x_of(i) < 12;
}
static float in_each_12_columns(size_t i)
{
    return x_of(i) % 12 < 4;
}
static float in_rows_that_overlap(size_t i)
{
    return i < WIDTH + 3 * (HEIGHT - 1);
}

#define UNWRITTEN "never written, so they have the contents of new memory; "
#define FAR_APART "check what the kernel multiplies the block's number by"

Test(wrong_matrix, is_the_launchs_fault)
{
    struct judge_matrix wrong = matrix(true);
    wrong.grid[0] = 3, wrong.grid[1] = 5, wrong.block[0] = wrong.block[1] = 4;
    leave_out(in_12_columns);
    expect_told(&wrong, "a swapped grid",
                "the last columns 12 to 19; " UNWRITTEN "are x and y exchanged, in the launch or "
                "in the kernel's use of blockIdx? The number of blocks in each direction fits the "
                "other direction");
    wrong.grid[1] = 3, wrong.block[0] = 8, wrong.block[1] = 2;
    expect_told(&wrong, "blocks too close",
                "the last columns 12 to 19; " UNWRITTEN
                "as if neighbouring blocks began 2 columns apart, not 8: " FAR_APART);
    wrong.grid[0] = 5, wrong.block[0] = 4;
    leave_out(in_each_12_columns);
    expect_told(&wrong, "blocks too far apart",
                "columns 4 to 11 of each 12 columns; " UNWRITTEN
                "as if neighbouring blocks began 12 columns apart, not 4: " FAR_APART);
    wrong.grid[0] = 3, wrong.grid[1] = 1, wrong.block[0] = 48, wrong.block[1] = 1;
    wrong.grid_threads = 144, wrong.threads = 48;
    leave_out(in_12_columns);
    expect_told(&wrong, "too few blocks",
                "the last columns 12 to 19; " UNWRITTEN "the launch has 144 threads for 240 "
                "numbers: are there enough blocks, in x and in y?");
}

Test(wrong_matrix, has_rows_that_overlap)
{
    struct judge_matrix wrong = matrix(true);
    leave_out(in_rows_that_overlap);
    for (size_t i = 1; i < WIDTH + 3 * (HEIGHT - 1); ++i)
        got[i] = again[i] = (float)random_at(i, 5);
    expect_told(&wrong, "overlapping rows",
                "187 of them, from [2][13] on, were never written: as if each row began 3 numbers "
                "after the one before it, not 20");
}

/* The end of the array is 0 in any case, as in a list of the numbers that are kept. */
Test(wrong_matrix, lacks_all_but_a_quarter_of_a_short_list)
{
    struct judge_matrix list = matrix(true);
    begin();
    for (size_t i = 0; i < ALL; ++i) {
        want[i] = i < ALL / 2 ? want[i] : 0;
        got[i] = again[i] = i < ALL / 4 ? (float)want[i] : 0;
    }
    expect_told(
        &list, "a quarter of a list",
        "rows 3 to 5; all wrong numbers are 0, and the first quarter is right: does a copy of "
        "240 numbers copy only 240 bytes?");
}

Test(wrong_matrix, is_the_sum_of_all_threads_although_floats_round)
{
    double sum = 8348023;
    float wrong[] = {2.13715738e9f, 2.2e9f};
    struct judge_matrix one = {.height = 1, .width = 1, .want = &sum, .got = wrong, .threads = 256};
    expect_told(&one, "256 times the sum",
                "about 256 times too large, as if each thread of a block added the block's whole "
                "sum");
    one.got = wrong + 1;
    expect_told(&one, "263.5 times the sum", NULL);
}

Test(wrong_matrix, is_another_only_if_all_numbers_are)
{
    double other[ALL];
    struct judge_matrix wrong = matrix(true);
    begin();
    for (size_t i = 0; i < ALL; ++i) {
        other[i] = random_at(i, 9);
        got[i] = (float)other[i];
    }
    cr_expect(judge_is_matrix(&wrong, other));
    other[0] += 1;
    cr_expect_not(judge_is_matrix(&wrong, other), "but for one number");
    for (size_t i = 0; i < ALL; ++i)
        got[i] = (float)want[i];
    cr_expect_not(judge_is_matrix(&wrong, want), "nothing is wrong");
    got[0] = 5;
    memcpy(other, want, sizeof other);
    other[0] = 5;
    cr_expect_not(judge_is_matrix(&wrong, other), "one wrong number proves nothing");
}
