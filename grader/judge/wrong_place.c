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

/* Returns whether exactly the lines FROM, FROM + STEP, ..., TO have wrong numbers. */
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

/* Returns whether, in each group of PERIOD lines, exactly the lines FROM to TO have wrong numbers.
 * At least two groups must begin in the matrix. At least two lines must have no wrong numbers,
 * because a single one may be a coincidence. */
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
    snprintf(text, size, "%s %zu to %zu of each %zu %s", lines->more, from, to, period,
             lines->more);
    return true;
}

/* Writes the names of the lines that have wrong numbers, or "" if all lines have some. Returns
 * false if the lines cannot be named briefly. */
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

/* Returns whether exactly the last lines have wrong numbers, and these are several lines. */
static bool lack_end(struct lines lines)
{
    enum { MANY = 8 };
    size_t from = 0, to = 0, step;
    return find_step(&lines, &from, &to, &step) && from > 0 && to + 1 == lines.count && step == 1 &&
           to - from + 1 >= MANY;
}

/* Returns whether exactly the lines after the first FROM lines of each group of PERIOD lines have
 * wrong numbers. */
static bool lack_part(struct lines lines, size_t *from, size_t *period)
{
    size_t to;
    return find_period(&lines, from, &to, period) && *from > 0 && to + 1 == *period && to > *from;
}

/* Returns whether the blocks explain why only the first FROM lines of each group are right: FROM is
 * the size of a block in x or in y. Also returns true if the launches are unknown. */
static bool is_side(const struct judge_matrix *matrix, size_t from)
{
    for (const size_t *side = matrix->sides; *side; ++side)
        if (from % *side == 0)
            return true;
    return matrix->sides[0] == 0 && matrix->grid_threads == 0;
}

/* Returns the number of blocks of EACH lines that cover N lines. */
static size_t blocks_for(size_t n, size_t each)
{
    return (n + each - 1) / each;
}

/* If exactly the lines at the end, from some line on, are wrong, returns the first of them.
 * Otherwise returns the number of lines. */
static size_t end_of(struct lines lines)
{
    size_t from = 0, to, step;
    return lack_end(lines) && find_step(&lines, &from, &to, &step) ? from : lines.count;
}

/* Returns whether a block's tile, in x or in y, has SIDE lines. */
static bool is_tile(const struct judge_matrix *matrix, size_t side)
{
    return side > 1 && (side == matrix->block[0] || side == matrix->block[1]);
}

/* Returns whether the last lines of ONE are wrong because the sizes of the grid are exchanged. ONE
 * then has as many blocks as OTHER needs, and OTHER has as many as ONE needs. */
static bool are_exchanged(const struct judge_matrix *matrix, struct lines one, struct lines other)
{
    for (int axis = 0; axis < 2; ++axis) {
        size_t blocks = matrix->grid[axis], more = matrix->grid[1 - axis], end = end_of(one);
        size_t side = blocks > 0 ? end / blocks : 0;
        if (!is_tile(matrix, side) || side * blocks != end || blocks == more ||
            blocks_for(one.count, side) != more)
            continue;
        for (int i = 0; i < 2; ++i)
            if (matrix->block[i] > 1 && blocks_for(other.count, matrix->block[i]) == blocks)
                return true;
    }
    return false;
}

/* Returns whether the numbers of blocks in x and in y are exchanged. Exactly the numbers that no
 * block reaches must be wrong. */
static bool is_grid_swapped(const struct facts *facts)
{
    struct lines rows = rows_of(facts), columns = columns_of(facts);
    return are_exchanged(facts->matrix, rows, columns) ||
           are_exchanged(facts->matrix, columns, rows);
}

/* Explains that the last lines of LINES were never written because the blocks are too close
 * together. There are COUNT blocks. Each writes a tile with more than APART lines, but begins only
 * APART lines after the previous block. APART is the number of threads of a block. */
static bool tell_close_blocks(const struct judge_matrix *matrix, const struct lines *lines,
                              size_t count, size_t apart, char text[200])
{
    size_t from = 0, to, step;
    if (count < 2 || apart == 0 || !find_step(lines, &from, &to, &step) ||
        from % (count * matrix->block[0]) == 0 || from == count * matrix->block[1])
        return false; /* more probably, blocks are missing */
    size_t tile = from > apart * (count - 1) ? from - apart * (count - 1) : 0;
    if (tile <= apart || blocks_for(lines->count, tile) != count)
        return false;
    snprintf(text, 200,
             "; as if neighbouring blocks began %zu %s apart, not %zu: check what the kernel "
             "multiplies the block's number by",
             apart, lines->more, tile);
    return true;
}

/* Explains that in each group of PERIOD lines only the first FROM were written, because the blocks
 * are too far apart. */
static bool tell_far_blocks(const struct judge_matrix *matrix, const struct lines *lines,
                            size_t from, size_t period, char text[200])
{
    for (int axis = 0; axis < 2; ++axis) {
        size_t side = matrix->block[axis];
        if (side != from || side * matrix->grid[axis] < lines->count || period % side != 0)
            continue;
        snprintf(text, 200,
                 "; as if neighbouring blocks began %zu %s apart, not %zu: check what the kernel "
                 "multiplies the block's number by",
                 period, lines->more, side);
        return true;
    }
    return false;
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
        const struct lines *lines = count_lines(&columns) < columns.count ? &columns : &rows;
        if (tell_far_blocks(matrix, lines, from, period, text))
            return text;
        if (is_side(matrix, from))
            return ask;
        if (period % from == 0 && matrix->grid_threads >= facts->count)
            snprintf(
                text, 200,
                "; the first 1/%zu of each %zu numbers is written, although the launch has a thread for "
                "each number: do %zu threads have the same index?",
                period / from, period, period / from);
        return text;
    }
    if ((lack_end(rows) || lack_end(columns)) && is_grid_swapped(facts))
        return "; are x and y exchanged, in the launch or in the kernel's use of blockIdx? The "
               "number of blocks in each direction fits the other direction";
    for (int i = 0; i < 4; ++i) {
        size_t blocks = matrix->grid[i / 2], threads = matrix->block[i % 2];
        if ((lack_end(rows) && tell_close_blocks(matrix, &rows, blocks, threads, text)) ||
            (lack_end(columns) && tell_close_blocks(matrix, &columns, blocks, threads, text)))
            return text;
    }
    size_t written = facts->count - facts->wrong_count, threads = matrix->grid_threads;
    if ((lack_end(rows) || lack_end(columns)) && matrix->grid[0] > 0 && threads >= written &&
        threads < written + matrix->threads && threads < facts->count) {
        snprintf(text, 200,
                 "; the launch has %zu threads for %zu numbers: are there enough blocks, in x and "
                 "in y?",
                 threads, facts->count);
        return text;
    }
    return lack_end(rows) || lack_end(columns)
               ? "; does the kernel, copy or cudaMemset() that should write them reach the last "
                 "row and the last column?"
               : "";
}
