#include "checks/deduce.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "checks/internal.h"
#include "checks/slice.h"
#include "checks/source.h"
#include "checks/verdict.h"
#include "gpu/deductions.h"

#define WARP 32u

bool check_has_deduced(const json_t *finding, const char *deduction)
{
    return strcmp(json_text_of(finding, "deduction"), deduction) == 0;
}

__attribute__((format(printf, 2, 3))) static bool advise(json_t *finding, const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_object_set_new(finding, "help", json_string(text));
    return true;
}

static json_int_t number_in_array(const json_t *finding, const char *name)
{
    return json_integer_of(json_object_get(finding, "array"), name);
}

/* --- sizes of allocations --------------------------------------------------------------------- */

/* The help of FINDING asks whether an allocation lacks a sizeof. Replaces this help if the line of
 * the allocation has a sizeof. */
static bool doubt_sizeof(const struct check *check, json_t *finding)
{
    unsigned lines[64], count = check_find_lines(check, "sizeof", lines, 64);
    size_t i;
    json_t *place;
    if (!check_has_deduced(finding, DEDUCED_NO_SIZEOF))
        return false;
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        unsigned line = (unsigned)json_integer_of(place, "line");
        for (unsigned k = 0; k < count && k < 64; ++k)
            if (lines[k] == line && check_is_own_file(check, json_text_of(place, "file")))
                return advise(finding, "compare every index with the array's length; does the "
                                       "launch start as many blocks and threads as the kernel "
                                       "expects?");
    }
    return false;
}

/* --- rows and columns ------------------------------------------------------------------------- */

/* An array of ROWS x COLUMNS elements, and the names of both sizes in the case. */
struct shape {
    const char *rows_name, *columns_name;
    size_t rows, columns;
};

/* Returns the number of NAME, from 1, in a list of the usual names of a matrix's sizes, or 0 if
 * NAME is not in the list. Names of sizes that count rows come first. */
static unsigned order_of(const char *name)
{
    static const char *const names[] = {"height", "rows", "depth", "width"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(name, names[i]) == 0)
            return i + 1;
    return 0;
}

/* Finds two sizes in INPUT whose product is COUNT. Returns false if there are no such sizes, or
 * several pairs of them. */
static bool find_shape(const struct case_data *input, size_t count, struct shape *shape)
{
    const struct case_array *one, *other;
    unsigned found = 0;
    for (size_t i = 0; (one = case_at(input, i)); ++i)
        for (size_t j = 0; (other = case_at(input, j)); ++j) {
            bool fits = one->type == CASE_INT && other->type == CASE_INT && one->count == 1 &&
                        other->count == 1 && order_of(one->name) > 0 &&
                        order_of(one->name) < order_of(other->name);
            size_t rows = fits ? (size_t) * (const int *)one->values : 0;
            size_t columns = fits ? (size_t) * (const int *)other->values : 0;
            if (rows < 2 || columns < 2 || rows * columns != count)
                continue;
            *shape = (struct shape){one->name, other->name, rows, columns};
            ++found;
        }
    return found == 1;
}

/* Returns the name of a size in INPUT that line NUMBER uses as a member of a structure, as in
 * p.width, but that is not a size in SHAPE. Returns NULL if there is none, or if the line also uses
 * the number of SHAPE's columns. */
static const char *find_other_size(const struct slice *slice, unsigned number,
                                   const struct case_data *input, const struct shape *shape)
{
    const struct case_array *array;
    const char *found = NULL;
    for (size_t i = 0; (array = case_at(input, i)); ++i) {
        if (order_of(array->name) == 0 || !slice_has_member(slice, number, array->name))
            continue;
        if (strcmp(array->name, shape->columns_name) == 0)
            return NULL;
        found = strcmp(array->name, shape->rows_name) == 0 ? found : array->name;
    }
    return found;
}

static bool multiplies_by(const struct slice *slice, unsigned line, const char *name)
{
    char text[80];
    snprintf(text, sizeof text, "* %s", name);
    return slice_has_text(slice, line, text);
}

/* Explains an access outside of a matrix. Names the size with which the row's number should be
 * multiplied, or the row after the last one that the access would reach. */
static bool name_row(const struct check *check, const struct slice *slice, json_t *finding)
{
    size_t bytes = (size_t)number_in_array(finding, "bytes"), each = sizeof(float);
    size_t offset = (size_t)number_in_array(finding, "offset");
    unsigned line = (unsigned)json_integer_of(finding, "line");
    const struct case_data *input =
        check->case_count > 0 ? check->cases[check->case_count - 1] : NULL;
    struct shape shape;
    if (!check_has_deduced(finding, DEDUCED_TOO_FAR) || !input ||
        !find_shape(input, bytes / each, &shape))
        return false;
    const char *other = find_other_size(slice, line, input, &shape);
    if (other)
        return advise(finding,
                      "this array has %s x %s = %zu x %zu numbers, so each of its rows has %s "
                      "numbers: should line %u multiply by %s, not by %s?",
                      shape.rows_name, shape.columns_name, shape.rows, shape.columns,
                      shape.columns_name, line, shape.columns_name, other);
    if (multiplies_by(slice, line, shape.rows_name) &&
        !slice_has_name(slice, line, shape.columns_name))
        return advise(finding,
                      "the array has %zu rows of %zu numbers (%s x %s): should line %u multiply by "
                      "%s, the length of a row, not by %s?",
                      shape.rows, shape.columns, shape.rows_name, shape.columns_name, line,
                      shape.columns_name, shape.rows_name);
    size_t row = offset / each / shape.columns;
    return row > shape.rows &&
           advise(finding,
                  "the array has %zu rows of %zu numbers (%s x %s), but this access is in row "
                  "%zu, counted from 0: does an `if` or a loop compare the row with %s?",
                  shape.rows, shape.columns, shape.rows_name, shape.columns_name, row,
                  shape.rows_name);
}

/* --- launches --------------------------------------------------------------------------------- */

static double product_of(const json_t *dimensions)
{
    double product = 1;
    for (size_t i = 0; i < 3; ++i)
        product *= json_number_value(json_array_get(dimensions, i));
    return product;
}

/* If only some elements of an array were written, names a launch with exactly this number of
 * threads or warps, because it may be too small. */
static bool name_small_launch(const json_t *record, json_t *finding)
{
    size_t i, each = (size_t)number_in_array(finding, "access_bytes");
    json_t *launch;
    if (!check_has_deduced(finding, DEDUCED_KERNEL_PART) || each == 0)
        return false;
    double written = (double)number_in_array(finding, "offset") / (double)each;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        const char *kernel = json_text_of(launch, "kernel");
        double threads = product_of(json_object_get(launch, "grid")) *
                         product_of(json_object_get(launch, "block"));
        int length = (int)strcspn(kernel, "(<");
        if (written < 2 || (threads != written && threads != WARP * written))
            continue;
        return threads == written
                   ? advise(finding,
                            "only the first %.0f elements are written, one for each thread of a "
                            "launch of %.*s(): are there enough blocks?",
                            written, length, kernel)
                   : advise(finding,
                            "only the first %.0f elements are written, one for each warp of a "
                            "launch of %.*s(): if a warp writes one element, launch 32 threads "
                            "for each element",
                            written, length, kernel);
    }
    return false;
}

/* --- indices ---------------------------------------------------------------------------------- */

/* If the index of an array in shared memory depends on blockIdx, says so in FINDING. Returns false
 * otherwise. */
static bool name_block_index(const struct slice *slice, json_t *finding)
{
    const char *array = json_text_of(json_object_get(finding, "array"), "name");
    unsigned line = (unsigned)json_integer_of(finding, "line");
    char variable[64];
    unsigned made = slice_block_index(slice, line, array, variable, sizeof variable);
    return made && advise(finding,
                          "line %u uses the block's number for %s, but each block has its own %s: "
                          "use only threadIdx in this index",
                          made, variable, array);
}

/* If only one lane has the right value of a variable, but other lanes store it or use it in an
 * index, says so in FINDING. Returns false otherwise. */
static bool name_lane(const struct slice *slice, json_t *finding)
{
    unsigned line = (unsigned)json_integer_of(finding, "line"), made;
    char variable[64];
    bool in_warp = check_has_deduced(finding, DEDUCED_LANES_STORE);
    if (!in_warp && !check_has_deduced(finding, DEDUCED_BOTH_STORE))
        return false;
    made = slice_setter(slice, line, "__shfl_down_sync", variable, sizeof variable);
    if (in_warp && made)
        return advise(finding,
                      "after the shuffles in line %u, only lane 0 has the whole %s: let lane 0 "
                      "alone store it, as in if (lane == 0)",
                      made, variable);
    made = slice_setter(slice, line, "atomicAdd", variable, sizeof variable);
    return made && slice_has_text(slice, made, "== 0") &&
           !slice_sets_with(slice, line, variable, "__shfl") &&
           advise(finding,
                  "line %u calls atomicAdd() in one lane, so the other lanes do not know %s: "
                  "pass it to them, as in %s = __shfl_sync(mask, %s, 0)",
                  made, variable, variable, variable);
}

void check_deduce(const struct check *check, const json_t *record, json_t *finding)
{
    bool is_own = check_is_own_file(check, json_text_of(finding, "file"));
    struct slice *slice = is_own && json_integer_of(finding, "line") > 0
                              ? slice_new(json_string_value(check->job.source))
                              : NULL;
    bool done = doubt_sizeof(check, finding) || name_small_launch(record, finding);
    if (slice && !done)
        done = name_block_index(slice, finding) || name_row(check, slice, finding) ||
               name_lane(slice, finding);
    slice_free(slice);
}
