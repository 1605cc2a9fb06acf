/* Tests which of several equal copies counts as the answer. In a program that converges, main()
 * sees equal bytes in several versions of the answer, but the judged bytes of these versions
 * differ. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"
#include "checks/verdict.h"

/* provenance.c calls these functions only to fail a check, or to run a program again. */
#define STUB(type, name, ...)                                                                      \
    type name(__VA_ARGS__)                                                                         \
    {                                                                                              \
        abort();                                                                                   \
    }
STUB(void, check_fail, struct check *check, const char *status, const char *format, ...)
STUB(void, check_advise, struct check *check, const char *format, ...)
STUB(void, check_refuse, struct check *check, const struct run *run, const char *hint,
     const char *format, ...)
STUB(bool, check_is_open, const struct check *check)
STUB(bool, check_is_lost, const struct check *check)
STUB(unsigned long, check_requests, const struct run *run, const char *what)
STUB(const struct run *, check_run_openly, struct check *check, const struct run *hidden)
STUB(struct case_data *, check_run_scrambled, struct check *check, const struct run *run,
     enum emu_scramble memory)
STUB(struct case_data *, check_run_misled, struct check *check, const struct run *run,
     const struct case_data *shown)

static const float seen[2] = {1, 2}, older[2] = {3, 4}, newer[2] = {5, 6};

/* Judges the answer SEEN of a run with COPIES. The file of answers has the COUNT floats of
 * JUDGED. */
static void expect_newer(json_t *copies, const float *judged, size_t count)
{
    static struct check check;
    check = (struct check){0};
    struct run *run = &check.runs[0];
    struct case_data *result = case_new();
    cr_assert(copies && case_add(result, "x", CASE_FLOAT, seen, 2));
    *run = (struct run){.result = result, .record = json_pack("{s:o}", "copies", copies)};
    run->plan.hides = true;
    run->judged = (struct text){(char *)judged, count * sizeof *judged};
    const struct answer *answer = check_answer(&check, run, "x");
    cr_assert(answer && answer->made);
    cr_expect_eq(memcmp(answer->array.values, newer, sizeof newer), 0);
    check_free_answers(run);
    json_decref(run->record);
    case_free(result);
}

Test(provenance, the_latest_of_equal_copies_counts)
{
    const float judged[] = {older[0], older[1], newer[0], newer[1]};
    char hex[HASH_SIZE];
    struct base_hash *hash = base_hash_new();
    base_hash_add(hash, seen, sizeof seen);
    base_hash_end(hash, hex);
    json_t *copies = json_array();
    for (int i = 0; i < 2; i++)
        json_array_append_new(copies, json_pack("{s:i, s:s, s:b, s:b}", "bytes", 8, "sha256", hex,
                                                "made", 1, "same", 0));
    expect_newer(copies, judged, 4);
}

Test(provenance, the_memory_that_a_launch_wrote_last_counts)
{
    const float judged[] = {seen[0], seen[1], newer[0], newer[1],
                            seen[0], seen[1], older[0], older[1]};
    expect_newer(json_pack("[{s:i, s:b, s:i}, {s:i, s:b, s:i}]", "bytes", 8, "lent", 1, "launch",
                           48, "bytes", 8, "lent", 1, "launch", 47),
                 judged, 8);
}

/* Two versions of the answer are in one allocation. */
Test(provenance, the_part_that_a_launch_wrote_last_counts)
{
    const float judged[] = {seen[0],  seen[1],  seen[0],  seen[1], older[0], older[1],
                            newer[0], newer[1], seen[0],  seen[1], older[0], older[1],
                            seen[0],  seen[1],  newer[0], newer[1]};
    expect_newer(json_pack("[{s:i, s:b, s:i}, {s:i, s:b, s:i}, {s:i, s:b, s:i}]", "bytes", 16,
                           "lent", 1, "launch", 48, "bytes", 8, "lent", 1, "launch", 47, "bytes", 8,
                           "lent", 1, "launch", 48),
                 judged, 16);
}

/* The search gives up on a result of very many copies that are not in order. */
Test(provenance, of_many_small_copies_ends, .timeout = 20)
{
    enum { MANY = 40000 };
    static struct check check;
    static float answer_of_main[MANY];
    struct run *run = &check.runs[0];
    json_t *copies = json_array();
    for (int i = 0; i < MANY; ++i) {
        char hex[HASH_SIZE];
        answer_of_main[MANY - 1 - i] = (float)i;
        struct base_hash *hash = base_hash_new();
        base_hash_add(hash, &answer_of_main[MANY - 1 - i], sizeof(float));
        base_hash_end(hash, hex);
        json_array_append_new(copies,
                              json_pack("{s:i, s:s, s:b}", "bytes", 4, "sha256", hex, "made", 1));
    }
    struct case_data *result = case_new();
    cr_assert(case_add(result, "x", CASE_FLOAT, answer_of_main, MANY));
    *run = (struct run){.result = result, .record = json_pack("{s:o}", "copies", copies)};
    const struct answer *answer = check_answer(&check, run, "x");
    cr_expect(answer && !answer->made);
    check_free_answers(run);
    json_decref(run->record);
    case_free(result);
}
