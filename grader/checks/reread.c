#include "checks/reread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks/check.h"
#include "judge/compare.h"
#include "judge/wrong_matrix.h"

/* An input matrix that the submission may have read in a wrong way. */
struct reader {
    const struct check_matrix *want;
    const struct judge_matrix *matrix;
    const struct case_data *input;
    const char *name;
    size_t rows, columns;
    const float *from; /* the input matrix */
    float *to;         /* the same matrix in `changed`, as the submission may have read it */
    struct case_data *changed;
    size_t wrong_row; /* the first wrong row of the result */
    double *other;    /* the right result for `changed`, computed by make_row */
    char *text;
    size_t size;
};

/* Returns the number at row Y and column X of the input, or 0 outside the matrix. */
static float number_at(const struct reader *reader, size_t y, size_t x)
{
    return y < reader->rows && x < reader->columns ? reader->from[y * reader->columns + x] : 0;
}

static void make_row(const struct reader *reader, size_t y)
{
    reader->want->make_row(reader->changed, (int)y, reader->other + y * reader->matrix->width);
}

/* Returns whether row Y of the submission's result equals the right result for the changed
 * input. */
static bool row_fits(const struct reader *reader, size_t y)
{
    const struct judge_matrix *matrix = reader->matrix;
    size_t at = y * matrix->width;
    make_row(reader, y);
    return judge_first_outside(matrix->got + at, reader->other + at,
                               matrix->bounds ? matrix->bounds + at : NULL,
                               matrix->width) == matrix->width;
}

/* Returns whether all rows of the submission's result equal the right result for the changed input.
 * Tests the first wrong row first, because most hypotheses fail there. */
static bool fits(const struct reader *reader)
{
    if (!row_fits(reader, reader->wrong_row))
        return false;
    for (size_t y = 0; y < reader->matrix->height; ++y)
        make_row(reader, y);
    return judge_is_matrix(reader->matrix, reader->other);
}

#define TELL(reader, ...) (snprintf((reader)->text, (reader)->size, __VA_ARGS__), true)

static bool is_transposed(const struct reader *reader)
{
    for (size_t i = 0; i < reader->rows * reader->columns; ++i)
        reader->to[i] = reader->from[i % reader->columns * reader->rows + i / reader->columns];
    return fits(reader) && TELL(reader, "as if %s were read by columns, not by rows", reader->name);
}

static bool has_pitch(const struct reader *reader, size_t pitch)
{
    size_t count = reader->rows * reader->columns;
    for (size_t i = 0; i < count; ++i) {
        size_t at = i / reader->columns * pitch + i % reader->columns;
        reader->to[i] = at < count ? reader->from[at] : 0;
    }
    return fits(reader) && TELL(reader, "as if the rows of %s were %zu numbers apart, not %zu",
                                reader->name, pitch, reader->columns);
}

static void clear(const struct reader *reader)
{
    memset(reader->to, 0, reader->rows * reader->columns * sizeof *reader->to);
}

static void copy_column(const struct reader *reader, size_t x)
{
    for (size_t y = 0; y < reader->rows; ++y)
        reader->to[y * reader->columns + x] = reader->from[y * reader->columns + x];
}

static bool tell_left_out(const struct reader *reader, const char *which, size_t count)
{
    if (count == 1)
        return TELL(reader, "as if the %s column of %s were left out", which, reader->name);
    return TELL(reader, "as if the %s %zu columns of %s were left out", which, count, reader->name);
}

static bool tell_only(const struct reader *reader, const char *which, size_t count)
{
    return TELL(reader, "as if only the %s %zu columns of %s were used", which, count,
                reader->name);
}

/* Returns whether column WHICH of each PERIOD columns was not read. */
static bool lacks_each(const struct reader *reader, size_t period, size_t which)
{
    for (size_t i = 0; i < reader->rows * reader->columns; ++i)
        reader->to[i] = i % reader->columns % period == which ? 0 : reader->from[i];
    return fits(reader) && TELL(reader, "as if the %s of each %zu columns of %s were left out",
                                which == 0 ? "first" : "last", period, reader->name);
}

/* Returns whether each tile of SIDE x SIDE numbers was read column by column. */
static bool has_transposed_tiles(const struct reader *reader, size_t side)
{
    for (size_t i = 0; i < reader->rows * reader->columns; ++i) {
        size_t y = i / reader->columns, x = i % reader->columns;
        reader->to[i] = number_at(reader, y - y % side + x % side, x - x % side + y % side);
    }
    return fits(reader) &&
           TELL(reader, "as if each tile of %zu x %zu numbers of %s were transposed", side, side,
                reader->name);
}

/* Returns whether the first SIDE rows (or columns) were read repeatedly, in place of the later
 * ones. */
static bool has_repeated_tiles(const struct reader *reader, size_t side, bool rows)
{
    if (side >= (rows ? reader->rows : reader->columns))
        return false;
    for (size_t i = 0; i < reader->rows * reader->columns; ++i) {
        size_t y = i / reader->columns, x = i % reader->columns;
        reader->to[i] = number_at(reader, rows ? y % side : y, rows ? x : x % side);
    }
    return fits(reader) && TELL(reader, "as if the first %zu %s of %s were read again and again",
                                side, rows ? "rows" : "columns", reader->name);
}

/* Returns whether, in each group of SIDE rows (or columns), the first one was read in place of all
 * others. */
static bool repeats_first(const struct reader *reader, size_t side, bool rows)
{
    for (size_t i = 0; i < reader->rows * reader->columns; ++i) {
        size_t y = i / reader->columns, x = i % reader->columns;
        reader->to[i] =
            rows ? number_at(reader, y - y % side, x) : number_at(reader, y, x - x % side);
    }
    return fits(reader) && TELL(reader, "as if the first of each %zu %s of %s were read %zu times",
                                side, rows ? "rows" : "columns", reader->name, side);
}

/* Returns whether each tile of SIDE rows begins SIDE numbers after the tile above it, instead of
 * SIDE rows. The program has then not multiplied the step by the length of a row. */
static bool steps_by_numbers(const struct reader *reader, size_t side)
{
    size_t count = reader->rows * reader->columns;
    if (side >= reader->rows)
        return false;
    for (size_t i = 0; i < count; ++i) {
        size_t y = i / reader->columns, from = i - y * reader->columns + y % side * reader->columns;
        reader->to[i] = from + y - y % side < count ? reader->from[from + y - y % side] : 0;
    }
    return fits(reader) &&
           TELL(reader,
                "as if tiles of %zu rows of %s began %zu numbers apart, not %zu rows apart: must "
                "the kernel multiply by the length of a row?",
                side, reader->name, side, side);
}

/* Returns whether each tile of SIDE columns begins SIDE rows after the tile before it, instead of
 * SIDE columns. */
static bool steps_by_rows(const struct reader *reader, size_t side)
{
    size_t count = reader->rows * reader->columns;
    if (side >= reader->columns)
        return false;
    for (size_t i = 0; i < count; ++i) {
        size_t x = i % reader->columns, down = x - x % side;
        reader->to[i] = number_at(reader, i / reader->columns + down, x % side);
    }
    return fits(reader) &&
           TELL(reader,
                "as if tiles of %zu columns of %s began %zu rows apart, not %zu columns apart",
                side, reader->name, side, side);
}

static bool is_shifted(const struct reader *reader, size_t down, size_t along)
{
    for (size_t i = 0; i < reader->rows * reader->columns; ++i)
        reader->to[i] = number_at(reader, i / reader->columns + down, i % reader->columns + along);
    return fits(reader) &&
           TELL(reader, "as if %s were shifted by one %s", reader->name, down ? "row" : "column");
}

/* Returns whether only the first columns were read. */
static bool has_first(const struct reader *reader)
{
    size_t all = reader->columns;
    clear(reader);
    for (size_t count = 1; count < all; ++count) {
        copy_column(reader, count - 1);
        if (fits(reader))
            return 2 * count <= all ? tell_only(reader, "first", count)
                                    : tell_left_out(reader, "last", all - count);
    }
    return false;
}

/* Returns whether only the last columns were read. */
static bool has_last(const struct reader *reader)
{
    size_t all = reader->columns;
    clear(reader);
    for (size_t count = 1; count < all; ++count) {
        copy_column(reader, all - count);
        if (fits(reader))
            return 2 * count <= all ? tell_only(reader, "last", count)
                                    : tell_left_out(reader, "first", all - count);
    }
    return false;
}

static bool has_wrong_tiles(const struct reader *reader)
{
    for (size_t side = 8; side <= 32; side *= 2)
        if (lacks_each(reader, side, 0) || lacks_each(reader, side, side - 1) ||
            has_transposed_tiles(reader, side) || has_repeated_tiles(reader, side, true) ||
            has_repeated_tiles(reader, side, false) || steps_by_numbers(reader, side) ||
            steps_by_rows(reader, side) || repeats_first(reader, side, true) ||
            repeats_first(reader, side, false))
            return true;
    return false;
}

/* Returns the value of ARRAY if it is a single int, which may be a size. Otherwise returns 0. */
static size_t size_in(const struct case_array *array)
{
    return array->type == CASE_INT && array->count == 1 ? (size_t) * (const int *)array->values : 0;
}

/* Tests whether the distance between rows was one of the sizes in the case, or a number near the
 * right distance. */
static bool has_other_pitch(const struct reader *reader)
{
    const struct case_array *array;
    const size_t right = reader->columns, near[] = {right / 2, right * 2, right - 1, right + 1};
    for (size_t i = 0; i < sizeof near / sizeof *near && reader->rows > 1; ++i)
        if (near[i] > 0 && near[i] != right && has_pitch(reader, near[i]))
            return true;
    for (size_t i = 0; (array = case_at(reader->input, i)); ++i) {
        size_t size = size_in(array);
        if (size > 0 && size != reader->columns && reader->rows > 1 && has_pitch(reader, size))
            return true;
    }
    return false;
}

static bool try_all(const struct reader *reader)
{
    return is_transposed(reader) || has_other_pitch(reader) || has_first(reader) ||
           has_last(reader) || has_wrong_tiles(reader) || is_shifted(reader, 1, 0) ||
           is_shifted(reader, SIZE_MAX, 0) || is_shifted(reader, 0, 1) ||
           is_shifted(reader, 0, SIZE_MAX);
}

/* --- the input's shape ------------------------------------------------------------------------ */

/* Tests whether the input was read with other numbers of rows and columns: tries each pair of sizes
 * in the case whose product is COUNT. */
static bool try_shapes(struct reader *reader, size_t count)
{
    const struct case_array *one, *other;
    for (size_t i = 0; (one = case_at(reader->input, i)); ++i)
        for (size_t j = 0; (other = case_at(reader->input, j)); ++j) {
            reader->rows = size_in(one);
            reader->columns = size_in(other);
            if (i != j && reader->columns > 0 && reader->rows * reader->columns == count &&
                try_all(reader))
                return true;
        }
    return false;
}

static struct case_data *copy_case(const struct case_data *input)
{
    struct case_data *copy = case_new();
    const struct case_array *array;
    for (size_t i = 0; copy && (array = case_at(input, i)); ++i)
        if (!case_add(copy, array->name, array->type, array->values, array->count)) {
            case_free(copy);
            return NULL;
        }
    return copy;
}

static bool try_array(struct reader *reader, const struct case_array *array)
{
    bool told = false;
    reader->name = array->name;
    reader->from = array->values;
    reader->changed = copy_case(reader->input);
    if (reader->changed) {
        /* the cast is safe, because `changed` is our own copy */
        reader->to = (float *)case_find(reader->changed, array->name)->values;
        told = try_shapes(reader, array->count);
    }
    case_free(reader->changed);
    return told;
}

bool check_reread(const struct check_matrix *want, const struct judge_matrix *matrix,
                  const struct case_data *input, char *text, size_t size)
{
    struct reader reader = {
        .want = want, .matrix = matrix, .input = input, .text = text, .size = size};
    const struct case_array *array;
    bool told = false;
    reader.wrong_row = judge_first_outside(matrix->got, matrix->want, matrix->bounds,
                                           matrix->height * matrix->width) /
                       matrix->width;
    reader.other = calloc(matrix->height * matrix->width + 1, sizeof *reader.other);
    for (size_t i = 0; reader.other && !told && (array = case_at(input, i)); ++i)
        told = array->type == CASE_FLOAT && array->count > 1 && try_array(&reader, array);
    free(reader.other);
    return told;
}
