#include "report/class_totals.h"
#include "base/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Enlarges ARRAY by one zeroed element. Before, it has COUNT elements of SIZE bytes. Returns the
 * enlarged array, or NULL when out of memory; ARRAY is then unchanged. */
static void *grow(void *array, size_t count, size_t size)
{
    char *larger = realloc(array, (count + 1) * size);
    if (larger)
        memset(larger + count * size, 0, size);
    return larger;
}

/* --- shares ----------------------------------------------------------------------------------- */

/* Returns SCORE as a fraction of MOST, the full score, limited to the range from 0 to 1. */
static double share_of(double score, double most)
{
    double share = most > 0 ? score / most : 0;
    return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Returns the number of the histogram's bin for SHARE. The last bin is for full marks only. */
static unsigned bin_of(double share)
{
    unsigned bin = (unsigned)(share * (CLASS_BINS - 1) + 1e-9);
    return share > 1 - 1e-6 ? CLASS_BINS - 1 : bin < CLASS_BINS - 2 ? bin : CLASS_BINS - 2;
}

/* --- checks and findings ---------------------------------------------------------------------- */

static enum class_outcome outcome_of(const char *status)
{
    static const char *const names[CLASS_OUTCOMES] = {"passed",  "partial", "failed",
                                                      "timeout", "crashed", "not-built"};
    for (unsigned i = 0; i < CLASS_OUTCOMES; i++)
        if (strcmp(status, names[i]) == 0)
            return (enum class_outcome)i;
    return CLASS_CRASHED; /* the status "no-result" counts as a crash, too */
}

static struct class_check *find_check(struct class_totals *totals, const char *lab,
                                      const json_t *check)
{
    for (size_t i = 0; i < totals->check_count; i++)
        if (strcmp(totals->checks[i].lab, lab) == 0 &&
            strcmp(totals->checks[i].id, json_text_of(check, "id")) == 0)
            return &totals->checks[i];
    struct class_check *larger = grow(totals->checks, totals->check_count, sizeof *larger);
    if (!larger)
        return NULL;
    totals->checks = larger;
    larger[totals->check_count] =
        (struct class_check){.lab = lab,
                             .id = json_text_of(check, "id"),
                             .title = json_text_of(check, "title"),
                             .max_points = json_number_of(check, "max_points")};
    return &larger[totals->check_count++];
}

static void add_check(struct class_totals *totals, const char *lab, const json_t *check)
{
    struct class_check *sum = find_check(totals, lab, check);
    if (!sum)
        return;
    sum->graded++;
    sum->outcomes[outcome_of(json_text_of(check, "status"))]++;
    sum->lost += json_number_of(check, "max_points") - json_number_of(check, "points");
}

static struct class_finding *find_finding(struct class_totals *totals, const char *lab,
                                          const json_t *finding)
{
    for (size_t i = 0; i < totals->finding_count; i++)
        if (strcmp(totals->findings[i].lab, lab) == 0 &&
            strcmp(totals->findings[i].id, json_text_of(finding, "id")) == 0)
            return &totals->findings[i];
    struct class_finding *larger = grow(totals->findings, totals->finding_count, sizeof *larger);
    if (!larger)
        return NULL;
    totals->findings = larger;
    larger[totals->finding_count] =
        (struct class_finding){.lab = lab,
                               .id = json_text_of(finding, "id"),
                               .severity = json_text_of(finding, "severity"),
                               .example = finding};
    return &larger[totals->finding_count++];
}

/* Returns true if one of the first COUNT findings has the same id as FINDING. */
static bool is_repeated(const json_t *findings, size_t count, const json_t *finding)
{
    for (size_t i = 0; i < count; i++)
        if (json_equal(json_object_get(json_array_get(findings, i), "id"),
                       json_object_get(finding, "id")))
            return true;
    return false;
}

/* Counts each kind of finding once per student, even if several lines have it. */
static void add_findings(struct class_totals *totals, const char *lab, const json_t *findings)
{
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if (strcmp(json_text_of(finding, "severity"), "note") == 0 ||
            is_repeated(findings, i, finding))
            continue;
        struct class_finding *sum = find_finding(totals, lab, finding);
        if (sum)
            sum->students++;
    }
}

static bool is_error(const struct class_finding *finding)
{
    return strcmp(finding->severity, "error") == 0;
}

/* Compares two findings. Errors come first, because a wrong program loses more points than a slow
 * one. */
static int by_frequency(const void *left, const void *right)
{
    const struct class_finding *a = left, *b = right;
    if (is_error(a) != is_error(b))
        return is_error(a) ? -1 : 1;
    if (a->students != b->students)
        return a->students < b->students ? 1 : -1;
    int lab = strcmp(a->lab, b->lab);
    return lab ? lab : strcmp(a->id, b->id);
}

/* --- labs ------------------------------------------------------------------------------------- */

/* Counts STATUS if it means that there is no grade or no program. */
static void add_status(struct class_lab *lab, const char *status)
{
    lab->missing += strcmp(status, "missing") == 0 || strcmp(status, "too-late") == 0;
    lab->not_built += strcmp(status, "not-built") == 0;
    lab->open += strcmp(status, "review") == 0 || strcmp(status, "pending") == 0;
}

static void add_trend(struct class_lab *lab, const json_t *attempts, double most)
{
    size_t i;
    json_t *attempt;
    json_array_foreach(attempts, i, attempt)
    {
        const json_t *score = json_object_get(attempt, "score");
        if (i >= CLASS_ATTEMPTS || !json_is_number(score))
            continue;
        lab->trend[i].sum += share_of(json_number_value(score), most);
        lab->trend[i].count++;
    }
}

static void add_grade(struct class_totals *totals, struct class_lab *lab, const json_t *grade,
                      const json_t *gradings)
{
    const json_t *result = json_object_get(gradings, json_text_of(grade, "key"));
    double most = json_number_of(grade, "max_score");
    size_t i;
    json_t *check;
    add_status(lab, json_text_of(grade, "status"));
    add_trend(lab, json_object_get(grade, "attempts"), most);
    if (!*json_text_of(grade, "key") || !json_is_number(json_object_get(grade, "score")))
        return;
    double share = share_of(json_number_of(grade, "score"), most);
    lab->graded++;
    lab->sum += share;
    lab->bins[bin_of(share)]++;
    lab->full += bin_of(share) == CLASS_BINS - 1;
    json_array_foreach(json_object_get(result, "checks"), i, check)
        add_check(totals, lab->lab, check);
    /* a program with full marks has lost no points by its findings */
    if (bin_of(share) < CLASS_BINS - 1)
        add_findings(totals, lab->lab, json_object_get(result, "findings"));
}

static void add_labs(struct class_totals *totals, const json_t *labs)
{
    size_t i;
    json_t *lab;
    json_array_foreach(labs, i, lab)
    {
        struct class_lab *larger = grow(totals->labs, totals->lab_count, sizeof *larger);
        if (!larger)
            return;
        totals->labs = larger;
        larger[totals->lab_count++] = (struct class_lab){.lab = json_text_of(lab, "lab"),
                                                         .title = json_text_of(lab, "title")};
    }
}

void report_class_totals(const json_t *class, struct class_totals *totals)
{
    const json_t *gradings = json_object_get(class, "gradings");
    size_t i;
    json_t *student;
    *totals = (struct class_totals){0};
    add_labs(totals, json_object_get(class, "labs"));
    json_array_foreach(json_object_get(class, "students"), i, student)
    {
        totals->students++;
        if (json_is_number(json_object_get(student, "total")))
            totals->bins[bin_of(
                share_of(json_number_of(student, "total"), json_number_of(student, "max")))]++;
    }
    /* loop over the labs first, so that checks are sorted by lab */
    for (size_t k = 0; k < totals->lab_count; k++)
        json_array_foreach(json_object_get(class, "students"), i, student)
        {
            const json_t *labs = json_object_get(student, "labs");
            add_grade(totals, &totals->labs[k], json_object_get(labs, totals->labs[k].lab),
                      gradings);
        }
    if (totals->finding_count)
        qsort(totals->findings, totals->finding_count, sizeof *totals->findings, by_frequency);
}

void report_class_totals_free(struct class_totals *totals)
{
    free(totals->labs);
    free(totals->checks);
    free(totals->findings);
    *totals = (struct class_totals){0};
}
