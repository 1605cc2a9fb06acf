#include "checks/makers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "checks/deduce.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/slice.h"
#include "checks/verdict.h"
#include "gpu/deductions.h"
#include "gpu/finding_kinds.h"
#include "judge/wrong_sum.h"

#define WRITERS 6u /* maximum number of lines of a kernel that write global memory */

/* How a kernel writes to global memory. */
struct writers {
    unsigned lines[WRITERS]; /* the writing lines in the student's file */
    unsigned count;
    unsigned last; /* the last of these lines */
    /* number of atomic additions, if each adding warp uses one lane */
    double adds;
    double threads; /* number of threads in all launches of the kernel */
    double block;   /* threads of a block, or 0 if the launches differ */
    bool has_other_files;
    bool has_stores;
    bool is_shared;         /* the kernel uses shared memory */
    bool has_other_kernels; /* the program also launched other kernels */
};

static bool is_known(const struct writers *writers, unsigned line)
{
    for (unsigned i = 0; i < writers->count; ++i)
        if (writers->lines[i] == line)
            return true;
    return false;
}

static void note_writer(const struct check *check, const json_t *line, struct writers *writers)
{
    const json_t *counters = json_object_get(line, "counters");
    unsigned number = (unsigned)json_integer_of(line, "line");
    double stores = check_sum(counters, "global_store_requests");
    double atomics = check_sum(counters, "global_atomic_requests global_reduction_requests");
    if (stores + atomics == 0)
        return;
    writers->adds += atomics + check_sum(counters, "atomic_collisions");
    writers->has_stores |= stores > 0;
    if (!check_is_own_file(check, json_text_of(line, "file")))
        writers->has_other_files = true;
    else if (!is_known(writers, number) && writers->count < WRITERS)
        writers->lines[writers->count++] = number;
    if (is_known(writers, number) && number > writers->last)
        writers->last = number;
}

static void note_launch(struct writers *writers, struct check_launch launch)
{
    bool is_first = writers->threads == 0;
    writers->threads += launch.blocks * launch.threads;
    writers->block = is_first || writers->block == launch.threads ? launch.threads : 0;
    writers->is_shared |= launch.static_shared_bytes + launch.dynamic_shared_bytes > 0;
}

/* Finds the source lines at which a kernel writes to global memory. KERNEL is the kernel's name in
 * the record. */
static struct writers find_writers(const struct check *check, const struct run *run,
                                   const char *kernel)
{
    size_t i, j;
    json_t *launch, *line;
    struct writers writers = {0};
    json_array_foreach(json_object_get(run->record, "launches"), i, launch)
    {
        bool is_maker = strcmp(json_text_of(launch, "kernel"), kernel) == 0;
        writers.has_other_kernels |= !is_maker;
        if (is_maker)
            note_launch(&writers, check_launch(run, i));
        json_array_foreach(is_maker ? json_object_get(launch, "lines") : NULL, j, line)
            note_writer(check, line, &writers);
    }
    return writers;
}

/* Copies the name of a kernel without its return type and arguments: "by_tile" from "void
 * by_tile<true>(product)". */
static void copy_name(char *name, size_t size, const char *kernel)
{
    const char *end = kernel + strcspn(kernel, "(<"), *begin = end;
    while (begin > kernel && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
        --begin;
    snprintf(name, size, "%.*s", (int)(end - begin), begin);
}

/* Returns the last launched kernel called NAME, as in the record. If there is none, or NAME is
 * NULL, returns the kernel of the last launch. */
static const char *find_kernel(const struct run *run, const char *name)
{
    size_t i;
    json_t *launch;
    const char *found = NULL, *last = "";
    char short_name[128];
    json_array_foreach(json_object_get(run->record, "launches"), i, launch)
    {
        last = json_text_of(launch, "kernel");
        copy_name(short_name, sizeof short_name, last);
        if (name && strcmp(short_name, name) == 0)
            found = last;
    }
    return found ? found : last;
}

/* --- what the explanation is about ------------------------------------------------------------ */

static bool has_any(const char *text, const char *const *parts)
{
    for (; *parts; ++parts)
        if (strstr(text, *parts))
            return true;
    return false;
}

/* Returns whether the explanation TEXT says that numbers are missing. Then the launch may be
 * wrong. */
static bool is_about_launches(const char *text)
{
    static const char *const parts[] = {
        "never written",          CHECK_UNCHANGED,        "each thread added one number",
        "copies of the pointers", "the program had made", NULL};
    return has_any(text, parts);
}

/* Returns whether the explanation TEXT says that a loop takes the wrong numbers. */
static bool is_about_loops(const char *text)
{
    static const char *const parts[] = {"each loop",   "left out",      "again and again",
                                        "added twice", "counted",       "added their numbers",
                                        "only the ",   "did not count", NULL};
    return has_any(text, parts);
}

/* Returns whether the explanation TEXT names the input NAME: followed by a bracket, or after one of
 * the phrases that explanations put before the name of an input. */
static bool names_input(const char *text, const char *name)
{
    char part[80];
    static const char *const formats[] = {"%s[", "of %s ", "if %s were", "each is %s "};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
        snprintf(part, sizeof part, formats[i], name); // NOLINT: the table above has all formats
        if (strstr(text, part))
            return true;
    }
    return false;
}

/* --- showing ---------------------------------------------------------------------------------- */

/* The explanation TEXT says that a tree reduction lacks the step between threads whose numbers
 * differ by a certain distance. Returns whether LINE begins the loop of this step: a loop with
 * shuffles if the distance is less than 32, because both threads are in one warp, otherwise a loop
 * without shuffles. */
static bool lacks_step(const struct slice *slice, unsigned line, const char *text)
{
    unsigned apart = 0;
    const char *step = strstr(text, JUDGE_NO_STEP), *at = step ? strstr(step, "of the thread ") : 0;
    at = step && !at ? strstr(step, "of a thread ") : at;
    if (!at || sscanf(at, "of %*s thread %u", &apart) != 1)
        return false;
    return slice_is_tree(slice, line) && slice_shuffles(slice, line) == (apart < 32);
}

/* Finds the line in the loop of a tree reduction that overwrites one sum with another instead of
 * adding them. Returns its number, or 0 if none or several of the COUNT lines do this. */
static unsigned find_replacing(const struct slice *slice, const unsigned *lines, unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i) {
        unsigned loop = slice_loop_around(slice, lines[i]);
        if (!loop || !slice_is_tree(slice, loop) || !slice_moves_element(slice, lines[i]))
            continue;
        if (found)
            return 0;
        found = lines[i];
    }
    return found;
}

/* Returns the line with a condition on blockIdx, or 0 if none or several of the COUNT lines are
 * such a condition. */
static unsigned find_block_condition(const struct slice *slice, const unsigned *lines,
                                     unsigned count)
{
    unsigned found = 0;
    for (unsigned i = 0; i < count; ++i) {
        if (!slice_is_condition(slice, lines[i]) || !slice_has_name(slice, lines[i], "blockIdx"))
            continue;
        if (found)
            return 0;
        found = lines[i];
    }
    return found;
}

/* Returns the line, of COUNT lines, that is probably wrong according to the explanation TEXT.
 * Returns OTHERWISE if no line, or more than one, fits TEXT. */
static unsigned find_main(const struct slice *slice, const unsigned *lines, unsigned count,
                          const char *text, unsigned otherwise)
{
    unsigned found = 0;
    bool is_overflow = strstr(text, "32-bit int"), is_step = strstr(text, JUDGE_NO_STEP);
    if (strstr(text, "only block ") && find_block_condition(slice, lines, count))
        return find_block_condition(slice, lines, count);
    if (!is_overflow && !is_about_loops(text))
        return otherwise;
    for (unsigned i = 0; i < count; ++i) {
        bool fits = is_overflow ? slice_multiplies(slice, lines[i]) &&
                                      !slice_has_name(slice, lines[i], "blockIdx")
                    : is_step ? lacks_step(slice, lines[i], text)
                              : slice_is_loop(slice, lines[i]);
        if (fits && found)
            return otherwise;
        found = fits ? lines[i] : found;
    }
    return found ? found : otherwise;
}

static void prefer_inputs(struct slice *slice, const struct run *run, const char *text)
{
    const struct case_array *array;
    for (size_t i = 0; run->input && (array = case_at(run->input, i)); ++i)
        if (array->count > 1 && names_input(text, array->name))
            slice_prefer(slice, array->name);
}

/* Makes the report show LINE with a caret, and the other lines of LINES without a caret. */
static void show(struct check *check, const unsigned *lines, unsigned count, unsigned line)
{
    check_point_at(check, check->job.file_name, line, 0);
    check->verdict.also_count = 0; /* remove the lines of an earlier wrong result */
    for (unsigned i = 0; i < count; ++i)
        if (lines[i] != check->verdict.line)
            check->verdict.also[check->verdict.also_count++] = lines[i];
}

/* Makes the report show the slice (slice.h) of the lines in WRITERS, or of the last statement of
 * KERNEL if no writing line is in the student's file. */
static void show_slice(struct check *check, const struct run *run, const struct writers *writers,
                       const char *kernel, const char *text)
{
    unsigned lines[SLICE_MOST], last = writers->last;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    if (!slice)
        return;
    if (writers->count == 0 || writers->has_other_files)
        last = slice_last_statement(slice, kernel);
    for (unsigned i = 0; i < writers->count; ++i)
        slice_begin_at(slice, writers->lines[i], 0, true);
    slice_begin_at(slice, last, 0, true);
    slice_begin_at_calls(slice, last, kernel, 1);
    slice_begin_at_launches(slice, kernel,
                            is_about_launches(text)             ? 0
                            : strstr(text, "all of them are 0") ? 1
                                                                : 5);
    if (strstr(text, "never written")) {
        slice_begin_at_word(slice, "cudaMemset", 0);
        slice_begin_at_word(slice, "cudaMemset2D", 0);
    }
    prefer_inputs(slice, run, text);
    bool is_about_lanes = strstr(text, "had no neighbour") || strstr(text, "may only add");
    slice_prefer_kind(slice, is_about_lanes            ? SLICE_CONTROL
                             : is_about_loops(text)    ? SLICE_LOOPS
                             : is_about_launches(text) ? SLICE_PLACES
                                                       : SLICE_VALUES);
    unsigned count = slice_lines(slice, lines);
    unsigned main_line = find_main(slice, lines, count, text, last);
    unsigned replacing = find_replacing(slice, lines, count);
    if (replacing && main_line == last) {
        check_add(check, "; line %u overwrites a sum: should it add to the sum, by += ?",
                  replacing);
        main_line = replacing;
    }
    if (count > 0)
        show(check, lines, count, main_line);
    slice_free(slice);
}

/* Returns the line that names the same input as TEXT. If none or several of the COUNT lines do,
 * returns the last line. */
static unsigned find_copy(const struct slice *slice, const struct run *run, const unsigned *lines,
                          unsigned count, const char *text)
{
    const struct case_array *array;
    unsigned found = 0, fits = 0;
    for (size_t i = 0; run && run->input && (array = case_at(run->input, i)); ++i)
        for (unsigned k = 0; k < count && strstr(text, array->name); ++k)
            if (slice_has_name(slice, lines[k], array->name)) {
                found = lines[k];
                ++fits;
            }
    return fits == 1 ? found : lines[count - 1];
}

void check_show_copies(struct check *check, const struct run *run, const char *call,
                       const char *text)
{
    unsigned lines[SLICE_MOST], count = 0;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    if (slice) {
        slice_begin_at_word(slice, call, 0);
        slice_limit(slice, 0);
        count = slice_lines(slice, lines);
    }
    if (count > 0)
        show(check, lines, count, find_copy(slice, run, lines, count, text));
    slice_free(slice);
}

void check_show_launches(struct check *check)
{
    unsigned lines[SLICE_MOST], count = 0, loop = 0, loops = 0;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    for (unsigned i = 1; slice && i <= slice_count(slice); ++i)
        if (slice_has_text(slice, i, "<<<"))
            slice_begin_at(slice, i, 0, true);
    if (slice) {
        slice_prefer_kind(slice, SLICE_CONTROL);
        slice_limit(slice, 1);
        count = slice_lines(slice, lines);
    }
    for (unsigned i = 0; i < count; ++i)
        if (slice_is_loop(slice, lines[i])) {
            loop = lines[i];
            ++loops;
        }
    if (count > 0)
        show(check, lines, count, loops == 1 ? loop : lines[0]);
    slice_free(slice);
}

/* Makes the report show the calls that make the copy. TEXT is about this copy. */
static void show_copies(struct check *check, const struct run *run, const char *text)
{
    const char *to_symbol = "cudaMemcpyToSymbol";
    check_show_copies(check, run, strstr(text, to_symbol) ? to_symbol : "cudaMemcpyDeviceToHost",
                      text);
}

/* Makes the report show the loops and conditions around the line of a guess (check_guess.at), which
 * it already shows. */
static void show_around(struct check *check)
{
    unsigned lines[SLICE_MOST], line = check->verdict.line;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    if (slice) {
        slice_begin_at(slice, line, 0, true);
        slice_limit(slice, 1);
        show(check, lines, slice_lines(slice, lines), line);
    }
    slice_free(slice);
}

/* Adds to the message which line writes the results. There must be only one such line. WHOSE names
 * its kernel, or is empty if there is only one kernel. A kernel that adds up in shared memory
 * should update the result in one thread per block. If all threads of a block do so, the message
 * says this, too. */
static void tell_writer(struct check *check, const struct writers *writers, const char *whose)
{
    check_add(check, "; line %u %s%s", writers->lines[0], whose,
              writers->has_stores ? "stores the results" : "updates the result");
    if (!writers->has_stores && writers->is_shared && writers->block > 1 &&
        writers->adds == writers->threads)
        check_add(check, ", in each of the %s threads of a block", check_number(writers->block));
}

void check_show_makers(struct check *check, const struct run *run, const char *maker,
                       const char *text)
{
    static const char *const of_copies[] = {"numbers copy only", "cudaMemcpy", NULL};
    char kernel[128], whose[140] = "";
    const char *full_name = find_kernel(run, maker);
    struct writers writers = find_writers(check, run, full_name);
    copy_name(kernel, sizeof kernel, full_name);
    if (strstr(text, "main()'s numbers"))
        return;
    if (strstr(text, "; look at line")) {
        show_around(check);
        return;
    }
    if (has_any(text, of_copies)) {
        show_copies(check, run, text);
        return;
    }
    if (writers.has_other_kernels && full_name == find_kernel(run, NULL))
        snprintf(whose, sizeof whose, "of the last kernel ");
    else if (writers.has_other_kernels)
        snprintf(whose, sizeof whose, "of %s() ", kernel);
    if (writers.count == 1 && !writers.has_other_files && !is_about_launches(text))
        tell_writer(check, &writers, whose);
    show_slice(check, run, &writers, kernel, text);
}

/* Returns whether the allocation that FINDING is about may have the wrong size. */
static bool has_wrong_size(const json_t *finding)
{
    static const char *const deductions[] = {DEDUCED_NO_SIZEOF, DEDUCED_TOO_SMALL,
                                             DEDUCED_OTHER_LENGTH, DEDUCED_MISALIGNED};
    static const char *const ids[] = {"copy-too-long", "wrong-pitch"};
    for (size_t i = 0; i < sizeof deductions / sizeof *deductions; ++i)
        if (check_has_deduced(finding, deductions[i]))
            return true;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i)
        if (strcmp(json_text_of(finding, "id"), ids[i]) == 0)
            return true;
    return false;
}

/* Adds the line that allocates the memory that FINDING is about, if its size may be wrong. */
static void begin_at_allocation(const struct check *check, struct slice *slice,
                                const json_t *finding)
{
    size_t i;
    json_t *place;
    if (!has_wrong_size(finding))
        return;
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        if (strcmp(json_text_of(place, "message"), "allocated here") == 0 &&
            check_is_own_file(check, json_text_of(place, "file")))
            slice_begin_at(slice, (unsigned)json_integer_of(place, "line"), 0, false);
    }
}

/* Adds the line that declares the array in shared memory that FINDING is about, if the array may
 * be too short. */
static void begin_at_declaration(struct slice *slice, const json_t *finding)
{
    const char *name = json_text_of(json_object_get(finding, "array"), "name");
    if (check_has_deduced(finding, DEDUCED_SHORT_ARRAY))
        slice_begin_at_shared(slice, (unsigned)json_integer_of(finding, "line"), name);
}

/* Makes SLICE begin at the lines where a change may correct the error FINDING. Returns false if a
 * slice cannot show the cause of the error. */
static bool begin_at_finding(const struct check *check, struct slice *slice, const json_t *finding)
{
    const char *id = json_text_of(finding, "id"), *message = json_text_of(finding, "message");
    const struct finding_kind *kind = emu_finding_kind(id);
    unsigned line = (unsigned)json_integer_of(finding, "line");
    bool is_launch = strcmp(id, "invalid-launch") == 0;
    char kernel[128];
    copy_name(kernel, sizeof kernel, json_text_of(finding, "kernel"));
    if (is_launch) {
        slice_begin_at_launches(slice, kernel, 0);
        return true;
    }
    if (!kind || line == 0 || !check_is_own_file(check, json_text_of(finding, "file")))
        return false;
    if (check_has_deduced(finding, DEDUCED_KERNEL_PART)) {
        slice_begin_at_launches(slice, kernel, 0);
        return true;
    }
    if (strcmp(kind->tool, "initcheck") == 0 && strstr(message, "allocation")) {
        slice_begin_at_word(slice, "cudaMemcpyHostToDevice", 0);
        slice_begin_at_word(slice, "cudaMemset", 0);
        slice_begin_at_word(slice, "cudaMemset2D", 0);
        return true;
    }
    bool is_init = strcmp(kind->tool, "initcheck") == 0;
    slice_begin_at(slice, line, 0, true);
    if (strcmp(id, "divergent-barrier") == 0) { /* only branches around the barrier matter */
        slice_limit(slice, 1);
        slice_prefer_kind(slice, SLICE_CONTROL);
        return true;
    }
    begin_at_allocation(check, slice, finding);
    begin_at_declaration(slice, finding);
    slice_begin_at_calls(slice, line, kernel, 1);
    slice_begin_at_launches(slice, kernel, is_init ? 4 : 2);
    slice_prefer_kind(slice, is_init ? SLICE_CONTROL : SLICE_ANYTHING);
    return strcmp(kind->tool, "memcheck") == 0 || strcmp(kind->tool, "initcheck") == 0 ||
           strstr(message, "one of the two values is lost");
}

void check_add_makers(const struct check *check, json_t *finding)
{
    unsigned lines[SLICE_MOST], count = 0;
    struct slice *slice = slice_new(json_string_value(check->job.source));
    json_t *also = json_array();
    if (slice && begin_at_finding(check, slice, finding))
        count = slice_lines(slice, lines);
    for (unsigned i = 0; i < count; ++i)
        if (lines[i] != (unsigned)json_integer_of(finding, "line"))
            json_array_append_new(also, json_integer(lines[i]));
    json_object_set_new(finding, "also", also);
    slice_free(slice);
}
