#include "judge/wrong_matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "judge/compare.h"
#include "judge/wrong_facts.h"

bool wrong_is_near(const struct facts *facts, double got, size_t i)
{
    const struct judge_matrix *matrix = facts->matrix;
    return judge_within(got, matrix->want[i], matrix->bounds ? matrix->bounds[i] : 0);
}

const char *wrong_index(const struct facts *facts, size_t i, char text[48])
{
    size_t width = facts->matrix->width;
    if (facts->matrix->height > 1)
        snprintf(text, 48, "[%zu][%zu]", i / width, i % width);
    else
        snprintf(text, 48, "[%zu]", i);
    return text;
}

/* --- hypotheses about the values of the wrong numbers ----------------------------------------- */

static bool is_value(const struct facts *facts, size_t i, float value)
{
    float got = facts->matrix->got[i];
    return got == value || (isnan(got) && isnan(value));
}

/* Returns whether all wrong numbers are VALUE, which may be NaN. */
static bool are_all(const struct facts *facts, float value)
{
    for (size_t i = 0; i < facts->count; ++i)
        if (facts->wrong[i] && !is_value(facts, i, value))
            return false;
    return true;
}

/* Returns whether all wrong numbers change if newly allocated memory has other contents. They are
 * then uninitialised. */
static bool are_unwritten(const struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    for (size_t i = 0; matrix->again && i < facts->count; ++i)
        if (facts->wrong[i] && memcmp(&matrix->got[i], &matrix->again[i], sizeof *matrix->got) == 0)
            return false;
    return matrix->again;
}

/* If the COUNT numbers at the end, from number FIRST on, were never written because the rows
 * overlap, returns the distance between the beginnings of two rows. Otherwise returns 0. */
static size_t apart_of_rows(const struct judge_matrix *matrix, size_t first, size_t count)
{
    size_t gaps = matrix->height - 1;
    bool is_end = first + count == matrix->height * matrix->width && first > matrix->width;
    return is_end && gaps > 1 && (first - matrix->width) % gaps == 0
               ? (first - matrix->width) / gaps
               : 0;
}

/* Returns whether all wrong numbers that were written are 0, and they are more than half of all
 * wrong numbers. */
static bool are_others_0(const struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    size_t count = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        bool is_same = memcmp(&matrix->got[i], &matrix->again[i], sizeof *matrix->got) == 0;
        if (facts->wrong[i] && is_same && matrix->got[i] != 0)
            return false;
        count += facts->wrong[i] && is_same;
    }
    return 2 * count > facts->wrong_count;
}

/* Explains that many of the wrong numbers, but not all, are uninitialised: they change if newly
 * allocated memory has other contents. */
static bool tell_partly_unwritten(const struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    size_t count = 0, first = 0;
    char index[48];
    for (size_t i = facts->count; matrix->again && i-- > 0;)
        if (facts->wrong[i] && memcmp(&matrix->got[i], &matrix->again[i], sizeof *matrix->got) &&
            !wrong_is_near(facts, (double)matrix->again[i], i)) {
            ++count;
            first = i;
        }
    bool is_cleared = count > 0 && are_others_0(facts);
    if (16 * count <= facts->wrong_count && !is_cleared)
        return false;
    size_t apart = apart_of_rows(matrix, first, count);
    if (apart > 0)
        return TELL(facts,
                    "%s of them, from %s on, were never written: as if each row began %zu number%s "
                    "after the one before it, not %zu",
                    NUMBER(count), wrong_index(facts, first, index), apart, apart == 1 ? "" : "s",
                    matrix->width);
    return TELL(facts,
                "%s of them, from %s on, were never written and have the contents of new memory%s",
                NUMBER(count), wrong_index(facts, first, index),
                is_cleared ? "; all others are 0: is the wrong array cleared?" : "");
}

/* Returns whether all wrong numbers are right in the second run, in which main() got the same input
 * as the kernels. */
static bool are_right_again(const struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    for (size_t i = 0; matrix->again && i < facts->count; ++i)
        if (facts->wrong[i] && !judge_within((double)matrix->again[i], matrix->want[i],
                                             matrix->bounds ? matrix->bounds[i] : 0))
            return false;
    return matrix->again;
}

/* Returns whether each wrong number is TIMES the right number. At least one number must be much
 * larger than its error bound, because otherwise any factor would fit. */
static bool are_times(const struct facts *facts, double times)
{
    const struct judge_matrix *matrix = facts->matrix;
    double least = 1;
    for (size_t i = 0; i < facts->count; ++i) {
        double bound = matrix->bounds ? matrix->bounds[i] : 0;
        if (!facts->wrong[i])
            continue;
        if (!judge_within((double)matrix->got[i], times * matrix->want[i], fabs(times) * bound))
            return false;
        double share = matrix->want[i] != 0 ? bound / fabs(matrix->want[i]) : 1;
        least = share < least ? share : least;
    }
    return matrix->bounds ? least < 1e-5 : facts->wrong_count >= 4;
}

/* Returns whether each wrong number is about TIMES the right number. Ignores numbers that are not
 * much larger than their error bounds; some other numbers must remain. */
static bool are_about_times(const struct facts *facts, double times)
{
    const struct judge_matrix *matrix = facts->matrix;
    size_t count = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        double bound = matrix->bounds ? matrix->bounds[i] : 0, want = matrix->want[i];
        if (!facts->wrong[i] || fabs(want) < 1000 * bound || want == 0)
            continue;
        if (fabs((double)matrix->got[i] / want - times) > fabs(times) / 100)
            return false;
        ++count;
    }
    return count >= 4 && 2 * count > facts->wrong_count;
}

/* Takes the wrong number that is largest in relation to its error bound. Returns the quotient of
 * the wrong number and the right number. */
static double quotient_of(const struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    double largest = 0, quotient = 0;
    for (size_t i = 0; i < facts->count; ++i)
        if (facts->wrong[i] && fabs(matrix->want[i]) > largest) {
            largest = fabs(matrix->want[i]);
            quotient = (double)matrix->got[i] / matrix->want[i];
        }
    return quotient;
}

static bool tell_times(const struct facts *facts)
{
    double quotient = quotient_of(facts), size = fabs(quotient);
    if (!isfinite(quotient) || size == 0)
        return false;
    double whole = size >= 1 ? round(size) : round(1 / size);
    double times = copysign(size >= 1 ? whole : 1 / whole, quotient);
    bool is_block = size >= 1 && times > 0 && whole == (double)facts->matrix->threads;
    /* Sums of floats differ, because each addition to a large sum is rounded. */
    bool is_near = is_block && facts->count == 1 && fabs(size - whole) < whole / 1000;
    bool is_exact = !is_near && are_times(facts, times);
    if (!is_exact && !is_near && whole > 1 && whole <= 32)
        is_near = are_about_times(facts, times);
    if (whole > 1024 || times == 1 || !(is_near || is_exact))
        return false;
    if (times == -1)
        return TELL(facts, "right except for the sign");
    return TELL(facts, "%s %s times too %s%s%s", is_exact ? "exactly" : "about",
                NUMBER((uint64_t)whole), size >= 1 ? "large" : "small",
                times < 0 ? ", and with the wrong sign" : "",
                is_block ? ", as if each thread of a block added the block's whole sum" : "");
}

/* --- numbers from another place --------------------------------------------------------------- */

/* A hypothesis about the origin of number I of the result: returns its place in WANT, or a value of
 * at least COUNT if it has none. */
typedef size_t source(const struct judge_matrix *matrix, size_t i);

static size_t row_of(const struct judge_matrix *matrix, size_t i)
{
    return i / matrix->width;
}

static size_t column_of(const struct judge_matrix *matrix, size_t i)
{
    return i % matrix->width;
}

static size_t at(const struct judge_matrix *matrix, size_t y, size_t x)
{
    return y < matrix->height && x < matrix->width ? y * matrix->width + x : SIZE_MAX;
}

static size_t transposed(const struct judge_matrix *matrix, size_t i)
{
    return i % matrix->height * matrix->width + i / matrix->height;
}

static size_t left(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i), column_of(matrix, i) - 1);
}

static size_t right(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i), column_of(matrix, i) + 1);
}

static size_t above(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i) - 1, column_of(matrix, i));
}

static size_t below(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i) + 1, column_of(matrix, i));
}

static size_t mirrored(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i), matrix->width - 1 - column_of(matrix, i));
}

static size_t upside_down(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, matrix->height - 1 - row_of(matrix, i), column_of(matrix, i));
}

static size_t backwards(const struct judge_matrix *matrix, size_t i)
{
    return matrix->height * matrix->width - 1 - i;
}

static size_t first_of_row(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, row_of(matrix, i), 0);
}

static size_t first_of_column(const struct judge_matrix *matrix, size_t i)
{
    return at(matrix, 0, column_of(matrix, i));
}

static const struct {
    source *from;
    const char *text;
} sources[] = {
    {transposed, "the result is the transpose of the right result"},
    {left, "each has the value that belongs to its left, as if each row were shifted by one"},
    {right, "each has the value that belongs to its right, as if each row were shifted by one"},
    {above, "each has the value that belongs above it, as if all rows were shifted by one"},
    {below, "each has the value that belongs below it, as if all rows were shifted by one"},
    {mirrored, "as if each row were in reversed order"},
    {upside_down, "as if the rows were in reversed order"},
    {backwards, "as if all numbers were in reversed order"},
    {first_of_row, "each has the value that belongs to the first number of its row"},
    {first_of_column, "each has the value that belongs to the first number of its column"},
};

bool wrong_is_no_chance(const struct facts *facts, size_t matches)
{
    return (double)matches * facts->log_chance <= -7;
}

/* Returns whether each wrong number equals the number at its place of origin, FROM(I), in WANT.
 * Ignores numbers without such a place, but most numbers must have one. */
static bool come_from(const struct facts *facts, source *from)
{
    size_t matches = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        size_t place = facts->wrong[i] ? from(facts->matrix, i) : SIZE_MAX;
        if (place >= facts->count)
            continue;
        if (!wrong_is_near(facts, (double)facts->matrix->got[i], place))
            return false;
        ++matches;
    }
    return 2 * matches > facts->wrong_count && wrong_is_no_chance(facts, matches);
}

/* Returns the origin of number I under this hypothesis: the matrix is divided into pieces of COUNT
 * x COUNT squares, and each square has UNIT x UNIT numbers. The squares of each piece are
 * transposed, but the numbers in a square are not. */
static size_t place_transposed(const struct judge_matrix *matrix, size_t i, size_t unit,
                               size_t count)
{
    size_t y = row_of(matrix, i), x = column_of(matrix, i);
    size_t down = y / unit % count, along = x / unit % count;
    return at(matrix, y + (along - down) * unit, x + (down - along) * unit);
}

static bool come_from_transposed(const struct facts *facts, size_t unit, size_t count)
{
    size_t matches = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        size_t place =
            facts->wrong[i] ? place_transposed(facts->matrix, i, unit, count) : facts->count;
        if (place >= facts->count)
            continue;
        if (place == i || !wrong_is_near(facts, (double)facts->matrix->got[i], place))
            return false;
        ++matches;
    }
    return 2 * matches > facts->wrong_count && wrong_is_no_chance(facts, matches);
}

/* Tries the hypothesis that rows and columns were exchanged in pieces of the matrix. */
static bool tell_transposed_pieces(const struct facts *facts)
{
    for (size_t unit = 1; unit <= 32; unit *= 2)
        for (size_t count = 2; count <= 32 && unit * count <= 256; count *= 2) {
            if (!come_from_transposed(facts, unit, count))
                continue;
            return unit == 1
                       ? TELL(facts, "as if each piece of %zu x %zu numbers were transposed", count,
                              count)
                       : TELL(
                             facts,
                             "as if each piece of %zu x %zu numbers were transposed in whole tiles "
                             "of %zu x %zu, not number by number",
                             unit * count, unit * count, unit, unit);
        }
    return false;
}

/* --- numbers of an input ---------------------------------------------------------------------- */

/* A neighbour of each number in an input, at most one row and one column away. */
struct neighbour {
    const struct judge_input *input;
    int dy, dx;
};

static size_t place_of(const struct facts *facts, const struct neighbour *neighbour, size_t i)
{
    const struct judge_matrix *matrix = facts->matrix;
    return at(matrix, row_of(matrix, i) + (size_t)neighbour->dy,
              column_of(matrix, i) + (size_t)neighbour->dx);
}

/* Returns whether each wrong number is BASE times the right number, plus the neighbour MORE, minus
 * the neighbour LESS. Ignores numbers at the edge that lack these neighbours. MORE or LESS may be
 * NULL, for no neighbour. */
static bool come_by(const struct facts *facts, double base, const struct neighbour *more,
                    const struct neighbour *less)
{
    const struct judge_matrix *matrix = facts->matrix;
    size_t matches = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        size_t plus = more && facts->wrong[i] ? place_of(facts, more, i) : 0;
        size_t minus = less && facts->wrong[i] ? place_of(facts, less, i) : 0;
        if (!facts->wrong[i] || plus >= facts->count || minus >= facts->count)
            continue;
        double expected = base * matrix->want[i];
        expected += more ? (double)more->input->values[plus] : 0;
        expected -= less ? (double)less->input->values[minus] : 0;
        if (!judge_within((double)matrix->got[i], expected, matrix->bounds ? matrix->bounds[i] : 0))
            return false;
        ++matches;
    }
    return 2 * matches > facts->wrong_count && wrong_is_no_chance(facts, matches);
}

static const char *name_neighbour(char text[80], const struct neighbour *neighbour)
{
    static const char *const signs[] = {" - 1", "", " + 1"};
    snprintf(text, 80, "%.40s[y%s][x%s]", neighbour->input->name, signs[neighbour->dy + 1],
             signs[neighbour->dx + 1]);
    return text;
}

/* Tries the hypothesis that each sum contains another neighbour instead of the neighbour LESS. */
static bool tell_replaced(const struct facts *facts, const struct neighbour *less)
{
    char one[80], other[80];
    for (int i = 0; i < 9; ++i) {
        struct neighbour more = {less->input, i / 3 - 1, i % 3 - 1};
        if (come_by(facts, 1, &more, less))
            return TELL(facts, "as if %s were added in place of %s", name_neighbour(one, &more),
                        name_neighbour(other, less));
    }
    return false;
}

static bool tell_neighbour(const struct facts *facts, const struct neighbour *neighbour)
{
    char name[80];
    name_neighbour(name, neighbour);
    if (come_by(facts, 0, neighbour, NULL))
        return TELL(facts, "each is %s alone", name);
    if (come_by(facts, 1, NULL, neighbour))
        return TELL(facts, "as if %s were left out", name);
    if (come_by(facts, 1, neighbour, NULL))
        return TELL(facts, "as if %s were added once too often", name);
    return tell_replaced(facts, neighbour);
}

static bool tell_input(const struct facts *facts)
{
    for (const struct judge_input *input = facts->matrix->inputs; input->values; ++input)
        for (int i = 0; i < 9; ++i) {
            struct neighbour neighbour = {input, i / 3 - 1, i % 3 - 1};
            if (tell_neighbour(facts, &neighbour))
                return true;
        }
    return false;
}

/* --- rows of the wrong length ----------------------------------------------------------------- */

/* Returns whether each wrong number I is number I + SHIFT * ROW of WANT, where ROW is its row. This
 * is so if the pitch is wrong by SHIFT numbers. SHIFT may be negative. */
static bool come_by_pitch(const struct facts *facts, long shift)
{
    const struct judge_matrix *matrix = facts->matrix;
    size_t matches = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        long place = (long)i + shift * (long)row_of(matrix, i);
        if (!facts->wrong[i] || place < 0 || (size_t)place >= facts->count)
            continue;
        if (!wrong_is_near(facts, (double)matrix->got[i], (size_t)place))
            return false;
        ++matches;
    }
    return matches > facts->wrong_count / 8 && wrong_is_no_chance(facts, matches);
}

static bool tell_pitch(const struct facts *facts)
{
    long most = (long)facts->matrix->width - 1;
    for (long shift = 1; shift <= most && shift <= 1024; ++shift)
        for (int sign = -1; sign <= 1; sign += 2)
            if (come_by_pitch(facts, sign * shift))
                return TELL(facts, "as if each row began %ld numbers too %s", shift,
                            sign < 0 ? "early" : "late");
    return false;
}

static bool tell_source(const struct facts *facts)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; ++i)
        if (come_from(facts, sources[i].from))
            return TELL(facts, "%s", sources[i].text);
    return tell_input(facts) || tell_pitch(facts) || tell_transposed_pieces(facts) ||
           wrong_tell_moved(facts);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Returns log10 of the probability that a number is within the error bound of an unrelated number
 * of WANT. Rather overestimates than underestimates it. */
static double measure_chance(const struct facts *facts)
{
    enum { TRIALS = 4096, FAR = 7919 };
    const struct judge_matrix *matrix = facts->matrix;
    size_t near = 1;
    for (size_t i = 0; i < TRIALS; ++i) {
        size_t one = i % facts->count, other = (i * FAR + facts->count / 3) % facts->count;
        near += one != other && wrong_is_near(facts, matrix->want[one], other);
    }
    return log10((double)near / TRIALS);
}

static bool find_wrong(struct facts *facts)
{
    const struct judge_matrix *matrix = facts->matrix;
    facts->wrong = calloc(facts->count + 1, sizeof *facts->wrong);
    facts->in_row = calloc(matrix->height + matrix->width + 1, sizeof *facts->in_row);
    if (!facts->wrong || !facts->in_row)
        return false;
    facts->in_column = facts->in_row + matrix->height;
    for (size_t i = 0; i < facts->count; ++i)
        if (!wrong_is_near(facts, (double)matrix->got[i], i)) {
            facts->wrong[i] = true;
            facts->wrong_count++;
            facts->in_row[row_of(matrix, i)]++;
            facts->in_column[column_of(matrix, i)]++;
        }
    return facts->wrong_count > 0;
}

/* Returns whether the first quarter of the result is right and all other numbers are VALUE, apart
 * from a few that are right by chance. */
static bool is_first_quarter(const struct facts *facts, float value)
{
    size_t quarter = facts->count / sizeof(float), others = 0, first = 0;
    while (first < facts->count && !facts->wrong[first])
        ++first;
    for (size_t i = quarter; i < facts->count; ++i)
        others += !is_value(facts, i, value);
    return facts->count >= 64 && first == quarter && others <= (facts->count - quarter) / 50;
}

/* Explains that all wrong numbers are VALUE. NAME is how the explanation calls this value. */
static bool tell_all(const struct facts *facts, float value, const char *name)
{
    char question[200];
    if (is_first_quarter(facts, value))
        return TELL(facts,
                    "all wrong numbers are %s, and the first quarter is right: does a copy of %s "
                    "numbers copy only %s bytes?",
                    name, NUMBER(facts->count), NUMBER(facts->count));
    return facts->wrong_count > 1 &&
           TELL(facts, "all of them are %s%s", name, wrong_ask_for_threads(facts, question));
}

static bool name_value(struct facts *facts)
{
    char question[200];
    if (facts->matrix->hides && are_right_again(facts))
        return TELL(
            facts,
            "computed from main()'s numbers, not from the GPU's: main() must copy the input to the GPU unchanged, and not pass its numbers as arguments of a kernel");
    if (are_unwritten(facts))
        return TELL(facts, "never written, so %s the contents of new memory%s",
                    facts->wrong_count > 1 ? "they have" : "it has",
                    wrong_ask_for_threads(facts, question));
    if (are_all(facts, NAN))
        return tell_all(facts, NAN, "NaN (not a number)");
    if (are_all(facts, 0))
        return tell_all(facts, 0, "0");
    if (tell_times(facts))
        return true;
    facts->log_chance = measure_chance(facts);
    return tell_source(facts) || tell_partly_unwritten(facts);
}

static void free_facts(struct facts *facts)
{
    free(facts->wrong);
    free(facts->in_row);
}

bool judge_wrong_matrix(const struct judge_matrix *matrix, char *text, size_t size)
{
    char place[220] = "", value[200] = "";
    struct facts facts = {.matrix = matrix,
                          .count = matrix->height * matrix->width,
                          .text = value,
                          .size = sizeof value};
    bool told = false;
    if (find_wrong(&facts)) {
        bool has_place = wrong_place(&facts, place, sizeof place), has_value = name_value(&facts);
        told = has_place || has_value;
        snprintf(text, size, "%s%s%s", place, has_place && has_value ? "; " : "",
                 has_value ? value : "");
    }
    free_facts(&facts);
    return told;
}

bool judge_is_matrix(const struct judge_matrix *matrix, const double *other)
{
    struct facts facts = {.matrix = matrix, .count = matrix->height * matrix->width};
    bool is = judge_first_outside(matrix->got, other, matrix->bounds, facts.count) == facts.count &&
              find_wrong(&facts);
    if (is) {
        facts.log_chance = measure_chance(&facts);
        is = wrong_is_no_chance(&facts, facts.wrong_count);
    }
    free_facts(&facts);
    return is;
}
