/* Tests that a wrong way to read an input is recognised by the matrix product that it leads to. */
#include "checks/reread.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "checks/check.h"
#include "judge/wrong_matrix.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { HEIGHT = 6, DEPTH = 40, WIDTH = 9 };

static float a[HEIGHT * DEPTH], b[DEPTH * WIDTH];

/* Returns the factor with which a program multiplies in step I, for row Y and column X. */
typedef float reading(int row, int column);

static float at_a(int y, int i)
{
    return a[y * DEPTH + i];
}
static float at_b(int i, int x)
{
    return b[i * WIDTH + x];
}
static float a_by_columns(int y, int i)
{
    return a[i * HEIGHT + y];
}
static float b_by_columns(int i, int x)
{
    return b[x * DEPTH + i];
}
static float a_by_width(int y, int i)
{
    int at = y * WIDTH + i;
    return at < HEIGHT * DEPTH ? a[at] : 0;
}
static float first_16_of_a(int y, int i)
{
    return i < 16 ? at_a(y, i) : 0;
}
static float but_last_8_of_a(int y, int i)
{
    return i < DEPTH - 8 ? at_a(y, i) : 0;
}
static float but_first_of_a(int y, int i)
{
    return i > 0 ? at_a(y, i) : 0;
}
static float next_row_of_b(int i, int x)
{
    return i + 1 < DEPTH ? at_b(i + 1, x) : 0;
}
static float last_column_of_b(int i, int x)
{
    return x > 0 ? at_b(i, x - 1) : 0;
}
static float but_each_16th_of_a(int y, int i)
{
    return i % 16 != 15 ? at_a(y, i) : 0;
}
static float last_8_of_a(int y, int i)
{
    return i >= DEPTH - 8 ? at_a(y, i) : 0;
}
static float turned_tiles_of_b(int i, int x)
{
    int row = i - i % 8 + x % 8, column = x - x % 8 + i % 8;
    return row < DEPTH && column < WIDTH ? at_b(row, column) : 0;
}
static float first_8_rows_of_b(int i, int x)
{
    return at_b(i % 8, x);
}
static float rows_of_39_of_a(int y, int i)
{
    return a[y * (DEPTH - 1) + i];
}
static float next_tile_8_numbers_on(int i, int x)
{
    return b[i % 8 * WIDTH + x + i - i % 8];
}
static float first_of_8_rows_of_b(int i, int x)
{
    return at_b(i - i % 8, x);
}
static float every_third_of_a(int y, int i)
{
    return i % 3 == 1 ? at_a(y, i) : 0;
}

static const struct {
    const char *name;
    reading *of_a, *of_b;
    const char *text; /* expected explanation, or NULL if there must be none */
} rows[] = {
    {"a by columns", a_by_columns, at_b, "as if a were read by columns, not by rows"},
    {"b by columns", at_a, b_by_columns, "as if b were read by columns, not by rows"},
    {"another pitch", a_by_width, at_b, "as if the rows of a were 9 numbers apart, not 40"},
    {"the first columns", first_16_of_a, at_b, "as if only the first 16 columns of a were used"},
    {"not the last columns", but_last_8_of_a, at_b, "as if the last 8 columns of a were left out"},
    {"not the first column", but_first_of_a, at_b, "as if the first column of a were left out"},
    {"the next row", at_a, next_row_of_b, "as if a were shifted by one column"},
    {"the column before", at_a, last_column_of_b, "as if b were shifted by one column"},
    {"not each 16th column", but_each_16th_of_a, at_b,
     "as if the last of each 16 columns of a were left out"},
    {"the last columns", last_8_of_a, at_b, "as if only the last 8 columns of a were used"},
    {"turned tiles", at_a, turned_tiles_of_b,
     "as if each tile of 8 x 8 numbers of b were transposed"},
    {"the first rows again", at_a, first_8_rows_of_b,
     "as if the first 8 rows of b were read again and again"},
    {"rows that are one number short", rows_of_39_of_a, at_b,
     "as if the rows of a were 39 numbers apart, not 40"},
    {"tiles along a row", at_a, next_tile_8_numbers_on,
     "as if tiles of 8 rows of b began 8 numbers apart, not 8 rows apart: must the kernel multiply "
     "by the length of a row?"},
    {"a row for eight", at_a, first_of_8_rows_of_b,
     "as if the first of each 8 rows of b were read 8 times"},
    {"some columns", every_third_of_a, at_b, NULL},
};

static void make_row(const struct case_data *input, int y, double *values)
{
    const float *left = case_find(input, "a")->values, *right = case_find(input, "b")->values;
    for (int x = 0; x < WIDTH; ++x) {
        values[x] = 0;
        for (int i = 0; i < DEPTH; ++i)
            values[x] += (double)left[y * DEPTH + i] * (double)right[i * WIDTH + x];
    }
}

static struct case_data *new_case(void)
{
    const int sizes[] = {HEIGHT, WIDTH, DEPTH};
    struct case_data *input = case_new();
    unsigned state = 1;
    for (int i = 0; i < HEIGHT * DEPTH; ++i)
        a[i] = (float)((state = state * 1664525 + 1013904223) >> 8) * 0x1p-24f - 0.5f;
    for (int i = 0; i < DEPTH * WIDTH; ++i)
        b[i] = (float)((state = state * 1664525 + 1013904223) >> 8) * 0x1p-24f - 0.5f;
    cr_assert(case_add(input, "height", CASE_INT, &sizes[0], 1) &&
              case_add(input, "width", CASE_INT, &sizes[1], 1) &&
              case_add(input, "depth", CASE_INT, &sizes[2], 1) &&
              case_add(input, "a", CASE_FLOAT, a, COUNT(a)) &&
              case_add(input, "b", CASE_FLOAT, b, COUNT(b)));
    return input;
}

static void multiply(reading *of_a, reading *of_b, float *c)
{
    for (int k = 0; k < HEIGHT * WIDTH; ++k) {
        double sum = 0;
        for (int i = 0; i < DEPTH; ++i)
            sum += (double)of_a(k / WIDTH, i) * (double)of_b(i, k % WIDTH);
        c[k] = (float)sum;
    }
}

Test(reread, wrong_readings_are_recognised)
{
    double values[HEIGHT * WIDTH], bounds[HEIGHT * WIDTH];
    float c[HEIGHT * WIDTH];
    struct case_data *input = new_case();
    struct check_matrix want = {HEIGHT, WIDTH, values, bounds, make_row, .type = CASE_FLOAT};
    struct judge_matrix matrix = {
        .height = HEIGHT, .width = WIDTH, .got = c, .want = values, .bounds = bounds};
    for (int y = 0; y < HEIGHT; ++y)
        make_row(input, y, values + y * WIDTH);
    for (int k = 0; k < HEIGHT * WIDTH; ++k)
        bounds[k] = 1e-5;
    for (size_t i = 0; i < COUNT(rows); ++i) {
        char text[300] = "";
        multiply(rows[i].of_a, rows[i].of_b, c);
        bool told = check_reread(&want, &matrix, input, text, sizeof text);
        cr_expect_eq(told, rows[i].text != NULL, "%s: %s", rows[i].name, text);
        if (rows[i].text)
            cr_expect_str_eq(text, rows[i].text, "%s", rows[i].name);
    }
    case_free(input);
}
