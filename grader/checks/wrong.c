#include "checks/wrong.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "checks/explain.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/makers.h"
#include "checks/reread.h"
#include "checks/source.h"
#include "judge/compare.h"
#include "judge/wrong_matrix.h"
#include "judge/wrong_sum.h"

/* Runs the program again with racecheck and initcheck, and reports the errors that they find.
 * Returns true if these errors explain the wrong answer, or if the answer is now right in the usual
 * order of warps. The caller frees AGAIN. */
static bool find_error(struct check *check, const struct run *run, struct rerun *again)
{
    *again = (struct rerun){0};
    if (run->plan.backwards) /* the run in the usual order was right, with both tools */
        return true;
    *again = check_run_again(check, run);
    return check_explain_wrong(check, again->record);
}

/* Makes the message say that the answer does not depend on the data on the GPU. Call this only if
 * the program ran again and no error was found: an error such as an uninitialised read can make an
 * answer independent of the data, too. */
static void tell_same(struct check *check, const char *what)
{
    snprintf(check->verdict.message, sizeof check->verdict.message,
             "%s, whatever data is on the GPU", what);
    check_advise(check, CHECK_ADVICE_SAME);
}

/* --- one number ------------------------------------------------------------------------------- */

/* Returns the array of ints in INPUT that the program probably adds up: the only long one. Returns
 * NULL if there is none. */
static const struct case_array *find_numbers(const struct case_data *input)
{
    const struct case_array *array, *found = NULL;
    for (size_t i = 0; (array = case_at(input, i)); ++i) {
        bool fits =
            array->type == CASE_INT && (array->count > 1 || strcmp(array->name, "data") == 0);
        if (fits && found)
            return NULL;
        found = fits ? array : found;
    }
    return found;
}

static int64_t number_of(enum case_type type, const void *value)
{
    return type == CASE_INT ? *(const int32_t *)value : *(const int64_t *)value;
}

static bool explain_number(const struct run *run, const struct answer *answer, const void *want,
                           char *text, size_t size)
{
    enum case_type type = answer->array.type;
    const struct case_array *numbers = find_numbers(run->input);
    struct check_launch launch = check_launch(run, 0), second = check_launch(run, 1);
    struct judge_sum sum = {.is_int = type == CASE_INT,
                            .is_other = run->record && !answer->made,
                            .got = number_of(type, answer->array.values),
                            .want = number_of(type, want),
                            .name = numbers ? numbers->name : "",
                            .numbers = numbers ? numbers->values : NULL,
                            .count = numbers ? numbers->count : 0,
                            .blocks = (size_t)launch.blocks,
                            .threads = (size_t)launch.threads,
                            .second_threads = second.blocks == 1 ? (size_t)second.threads : 0};
    return judge_wrong_sum(&sum, text, size);
}

/* If the program launched no kernel, adds a possible reason to the message. Returns false if RUN
 * has a launch, or if its launches are unknown. */
static bool tell_no_launch(struct check *check, const struct run *run)
{
    if (!run->record || check_launch(run, 0).blocks > 0)
        return false;
    check_add(check,
              ": is there a loop or an `if` around the launches whose condition is never true?");
    check_show_launches(check);
    return true;
}

/* Returns whether the student's file has a call that can bring a kernel's result to the host. */
static bool may_copy_back(const struct check *check)
{
    static const char *const ways[] = {"DeviceToHost",  "cudaMemcpyDefault", "FromSymbol",
                                       "Managed",       "__managed__",       "cudaHost",
                                       "cudaMallocHost"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
        if (check_find_line(check, ways[i]))
            return true;
    return false;
}

/* Adds to the message that a wrong answer is not a copy of the kernels' results, and makes the
 * report show the copies. */
static void tell_not_made(struct check *check, const struct run *run)
{
    bool copies = may_copy_back(check);
    check_add(check, ": it is not a copy of a kernel's result%s",
              copies ? "" : ": no cudaMemcpy() copies from the device to the host");
    check_show_copies(check, run, copies ? "cudaMemcpyDeviceToHost" : "cudaMemcpy", "");
    if (!copies)
        check_advise(check, "Copy the result to the host after the kernels: cudaMemcpy(..., "
                            "cudaMemcpyDeviceToHost).");
}

void check_explain_number(struct check *check, const struct run *run, const struct answer *answer,
                          const void *want)
{
    struct rerun again;
    char text[300] = "";
    if (check_is_trial(check))
        return;
    bool found = find_error(check, run, &again) || tell_no_launch(check, run);
    bool is_other = run->record && !answer->made;
    if (found)
        ;
    else if (answer->same && again.record) {
        snprintf(text, sizeof text, "%s is always %lld", answer->array.name,
                 (long long)number_of(answer->array.type, answer->array.values));
        tell_same(check, text);
        *text = '\0';
    } else if (is_other && !may_copy_back(check))
        tell_not_made(check, run);
    else if (explain_number(run, answer, want, text, sizeof text))
        check_add(check, ": %s", text);
    else if (is_other)
        tell_not_made(check, run);
    if (!found && run->record && (answer->made || *text))
        check_show_makers(check, run, NULL, text);
    check_free_rerun(&again);
}

/* --- a matrix --------------------------------------------------------------------------------- */

/* Returns the numbers of the array NAME in DATA, or NULL if there is no such array with COUNT
 * floats. */
static const float *find_matrix(const struct case_data *data, const char *name, size_t count)
{
    const struct case_array *array = data ? case_find(data, name) : NULL;
    return array && array->type == CASE_FLOAT && array->count == count ? array->values : NULL;
}

/* Finds the input matrices that have the same size as the result. */
static void find_inputs(struct judge_matrix *matrix, const struct case_data *input)
{
    const struct case_array *array;
    size_t used = 0;
    for (size_t i = 0; (array = case_at(input, i)) && used < JUDGE_INPUTS; ++i)
        if (array->type == CASE_FLOAT && array->count == matrix->height * matrix->width)
            matrix->inputs[used++] = (struct judge_input){array->name, array->values};
}

/* Allowed relative error of a guess. The bounds of the right numbers are too narrow for wrong
 * numbers that are much larger. */
#define RELATIVE 1e-6

/* Returns whether the wrong matrix equals the guess VALUES. If EXACT is false, differences up to
 * the largest bound are allowed. */
static bool is_close(const float *values, const struct judge_matrix *matrix, bool exact)
{
    size_t count = matrix->height * matrix->width;
    double most = 0;
    for (size_t i = 0; matrix->bounds && i < count; ++i)
        most = fmax(most, matrix->bounds[i]);
    for (size_t i = 0; i < count; ++i) {
        double bound = matrix->bounds && !exact ? 2 * most : 0;
        if (bound > 0 && isfinite(values[i])) /* nothing is close to infinity */
            bound += RELATIVE * fabs((double)values[i]);
        if (!judge_within(matrix->got[i], values[i], bound))
            return false;
    }
    return true;
}

/* Returns whether two guesses compute the same result. */
static bool is_same_mistake(const struct check_guess *a, const struct check_guess *b)
{
    return a->text && b->text && a->make == b->make && a->make_so == b->make_so &&
           a->how_size == b->how_size &&
           (a->how_size == 0 || memcmp(a->how, b->how, a->how_size) == 0);
}

/* Returns the guess that gives the wrong matrix within the bounds for the right matrix, or NULL if
 * there is none. */
static const struct check_guess *find_guess(const struct check *check,
                                            const struct check_matrix *want,
                                            const struct judge_matrix *matrix,
                                            const struct case_data *input)
{
    float *values = malloc((matrix->height * matrix->width + 1) * sizeof *values);
    const struct check_guess *guess = want->guesses;
    for (; values && guess && guess->text; ++guess) {
        if (guess->make)
            guess->make(input, values);
        else
            guess->make_so(input, guess->how, values);
        if (is_close(values, matrix, want->exact_guesses))
            break;
    }
    free(values);
    /* if the next guess is the same mistake in another place, and the file lacks this place, take
     * the next guess */
    while (values && guess && is_same_mistake(guess, guess + 1) && guess->at &&
           !check_find_line(check, guess->at))
        ++guess;
    return values && guess && guess->text ? guess : NULL;
}

/* Returns whether the wrong matrix has the same numbers as an array of ints in INPUT. */
static bool is_input(const struct judge_matrix *matrix, const struct case_data *input)
{
    const struct case_array *array;
    for (size_t i = 0; (array = case_at(input, i)); ++i) {
        size_t count = matrix->height * matrix->width, same = 0;
        const int32_t *numbers = array->values;
        if (array->type != CASE_INT || array->count != count)
            continue;
        while (same < count && matrix->got[same] == (float)numbers[same])
            ++same;
        if (same == count)
            return true;
    }
    return false;
}

#define UNCHANGED CHECK_UNCHANGED ": is it copied back before the kernel that should change it?"

/* Explains the wrong matrix by a mistake that the lab knows. Returns false if no mistake fits. */
static bool tell_mistake(struct check *check, const struct run *run,
                         const struct check_matrix *want, const struct judge_matrix *matrix,
                         char *text, size_t size)
{
    const struct check_guess *guess = find_guess(check, want, matrix, run->input);
    if (!guess)
        return false;
    snprintf(text, size, "%s", guess->text);
    unsigned line = guess->at ? check_find_line(check, guess->at) : 0;
    if (line) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "; look at line %u", line);
    }
    check_point_at(check, check->job.file_name, line, 0);
    return true;
}

static bool explain_matrix(struct check *check, const struct run *run,
                           const struct check_matrix *want, const struct judge_matrix *matrix,
                           char *text, size_t size)
{
    const struct case_data *input = run->input;
    check->verdict.guessed = tell_mistake(check, run, want, matrix, text, size);
    return check->verdict.guessed ||
           (want->make_row && check_reread(want, matrix, input, text, size)) ||
           (is_input(matrix, input) && snprintf(text, size, "%s", UNCHANGED)) ||
           judge_wrong_matrix(matrix, text, size);
}

/* Collects the sizes of the launches: their numbers of threads, and the shapes of their blocks. */
static void find_threads(struct judge_matrix *matrix, const struct run *run)
{
    struct check_launch launch = check_launch(run, 0);
    size_t all = (size_t)(launch.blocks * launch.threads), used = 0;
    matrix->threads = (size_t)launch.threads;
    matrix->grid_threads = all;
    for (size_t j = 0; j < 2 && check_launch(run, 1).blocks == 0; ++j) {
        matrix->grid[j] = (size_t)launch.grid[j];
        matrix->block[j] = (size_t)launch.sides[j];
    }
    for (size_t i = 0; launch.blocks > 0; launch = check_launch(run, ++i)) {
        if ((size_t)(launch.blocks * launch.threads) != all)
            matrix->grid_threads = 0;
        for (size_t j = 0; j < 2; ++j)
            if (launch.sides[j] > 1 && used < JUDGE_SIDES)
                matrix->sides[used++] = (size_t)launch.sides[j];
    }
}

void check_explain_matrix(struct check *check, const struct run *run, const struct answer *answer,
                          const float *got, const struct check_matrix *want)
{
    struct rerun again;
    char text[400] = "";
    struct judge_matrix matrix = {.height = (size_t)want->height,
                                  .width = (size_t)want->width,
                                  .got = got,
                                  .want = want->values,
                                  .bounds = want->bounds,
                                  .hides = run->plan.hides};
    if (check_is_trial(check))
        return;
    bool found = find_error(check, run, &again) || tell_no_launch(check, run);
    find_threads(&matrix, run);
    matrix.again = find_matrix(again.result, answer->array.name, matrix.height * matrix.width);
    find_inputs(&matrix, run->input);
    if (found)
        ;
    else if (answer->same && again.record &&
             !tell_mistake(check, run, want, &matrix, text, sizeof text)) {
        snprintf(text, sizeof text, "%s has the same numbers", answer->array.name);
        tell_same(check, text);
        *text = '\0';
    } else if (explain_matrix(check, run, want, &matrix, text, sizeof text))
        check_add(check, ": %s", text);
    else if (run->record && !answer->made)
        tell_not_made(check, run);
    if (!found && run->record && (answer->made || *text))
        check_show_makers(check, run, want->maker, text);
    check_free_rerun(&again);
}
