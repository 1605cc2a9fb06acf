/* Names the place of a matrix's wrong numbers: rows, columns, or both. */
#include <stdio.h>

#include "judge/wrong_facts.h"

/* All rows, or all columns, of a matrix. */
struct lines {
    const char *one, *more;
    const size_t *wrong; /* number of wrong numbers in each line */
    size_t count;
};

static struct lines rows_of(const struct facts *facts)
{
    return (struct lines){"row", "rows", facts->in_row, facts->matrix->height};
}

static struct lines columns_of(const struct facts *facts)
{
    bool is_list = facts->matrix->height == 1;
    return (struct lines){is_list ? "element" : "column", is_list ? "elements" : "columns",
                          facts->in_column, facts->matrix->width};
}

static size_t count_lines(const struct lines *lines)
{
    size_t count = 0;
    for (size_t i = 0; i < lines->count; ++i)
        count += lines->wrong[i] > 0;
    return count;
}

/* Returns whether the lines with wrong numbers are FROM, FROM + STEP, ..., TO. */
static bool find_step(const struct lines *lines, size_t *from, size_t *to, size_t *step)
{
    size_t last = 0, found = 0;
    *step = 1;
    for (size_t i = 0; i < lines->count; ++i) {
        if (lines->wrong[i] == 0)
            continue;
        if (found == 0)
            *from = i;
        else if (found == 1)
            *step = i - last;
        else if (i - last != *step)
            return false;
        last = i;
        ++found;
    }
    *to = last;
    return found > 0;
}

/* Returns whether the lines with wrong numbers are lines FROM to TO of each group of PERIOD lines.
 * At least two groups must begin. At least two lines must have no wrong numbers, because one such
 * line may be a coincidence. */
static bool find_period(const struct lines *lines, size_t *from, size_t *to, size_t *period)
{
    size_t i = 0;
    if (lines->count < count_lines(lines) + 2)
        return false;
    while (i < lines->count && lines->wrong[i] == 0)
        ++i;
    *from = i;
    while (i < lines->count && lines->wrong[i] > 0)
        ++i;
    *to = i - 1;
    while (i < lines->count && lines->wrong[i] == 0)
        ++i;
    *period = i - *from;
    if (i >= lines->count || *to >= *period)
        return false;
    for (i = 0; i < lines->count; ++i)
        if ((lines->wrong[i] > 0) != (i % *period >= *from && i % *period <= *to))
            return false;
    return true;
}

static bool name_period(const struct lines *lines, char *text, size_t size)
{
    size_t from, to, period;
    if (!find_period(lines, &from, &to, &period))
        return false;
    snprintf(text, size, "%s %zu to %zu of each %zu", lines->more, from, to, period);
    return true;
}

/* Writes the names of the lines that have wrong numbers, or "" if all lines have some. Returns
 * false if there is no short name for these lines. */
static bool name_lines(const struct lines *lines, char *text, size_t size)
{
    size_t from = 0, to = 0, step;
    *text = '\0';
    if (!find_step(lines, &from, &to, &step))
        return name_period(lines, text, size);
    bool is_first = from == 0, is_last = to + 1 == lines->count;
    if (is_first && is_last && step == 1)
        return true;
    if (from == to)
        snprintf(text, size, "%s%s %zu",
                 is_last    ? "the last "
                 : is_first ? "the first "
                            : "",
                 lines->one, from);
    else if (step == 1)
        snprintf(text, size, "%s%s %zu to %zu", is_last ? "the last " : "", lines->more, from, to);
    else if (is_first && is_last && to == step)
        snprintf(text, size, "the first and the last %s", lines->one);
    else if (to == from + step)
        snprintf(text, size, "%s %zu and %zu", lines->more, from, to);
    else if (to + step >= lines->count && to > from + step)
        snprintf(text, size, "%s %zu, %zu, %zu and so on", lines->more, from, from + step,
                 from + 2 * step);
    return *text;
}

bool wrong_place(const struct facts *facts, char *text, size_t size)
{
    const struct lines rows = rows_of(facts), columns = columns_of(facts);
    char of_rows[100], of_columns[100];
    size_t all = count_lines(&rows) * count_lines(&columns);
    if (facts->wrong_count < all - all / 50 || facts->wrong_count == 1 ||
        !name_lines(&rows, of_rows, sizeof of_rows) ||
        !name_lines(&columns, of_columns, sizeof of_columns))
        return false;
    const char *in = *of_rows && *of_columns ? " in " : "";
    snprintf(text, size, "%s%s%s", of_columns, in, of_rows);
    return *text;
}

/* Returns whether several of the last lines have wrong numbers, and no other lines. */
static bool lack_end(struct lines lines)
{
    enum { MANY = 8 };
    size_t from = 0, to = 0, step;
    return find_step(&lines, &from, &to, &step) && from > 0 && to + 1 == lines.count && step == 1 &&
           to - from + 1 >= MANY;
}

/* Returns whether, in each group of PERIOD lines, the lines after the first FROM lines have wrong
 * numbers. */
static bool lack_part(struct lines lines, size_t *from, size_t *period)
{
    size_t to;
    return find_period(&lines, from, &to, period) && *from > 0 && to + 1 == *period && to > *from;
}

/* Returns whether the size of a block in x or in y explains why only the first FROM lines of each
 * group are right. Also returns true if the launches are unknown. */
static bool is_side(const struct judge_matrix *matrix, size_t from)
{
    for (const size_t *side = matrix->sides; *side; ++side)
        if (from % *side == 0)
            return true;
    return matrix->sides[0] == 0 && matrix->grid_threads == 0;
}

const char *wrong_ask_for_threads(const struct facts *facts, char text[200])
{
    static const char ask[] = "; does a block have as many threads in x and in y as the kernel "
                              "needs?";
    const struct judge_matrix *matrix = facts->matrix;
    struct lines rows = rows_of(facts), columns = columns_of(facts);
    size_t from, period;
    *text = '\0';
    if (lack_part(rows, &from, &period) || lack_part(columns, &from, &period)) {
        if (is_side(matrix, from))
            return ask;
        if (period % from == 0 && matrix->grid_threads >= facts->count)
            snprintf(
                text, 200,
                "; of each %zu, the first 1/%zu is written, although there is a thread for each "
                "number: do %zu threads have the same index?",
                period, period / from, period / from);
        return text;
    }
    return lack_end(rows) || lack_end(columns)
               ? "; does the kernel, copy or cudaMemset() that should write them go far enough, x up to the "
                 "width and y up to the height?"
               : "";
}
