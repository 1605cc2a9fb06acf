/* Compares two results member by member. */
#include "grade/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "grade/seal.h"

bool agree_is_sound(const json_t *result)
{
    const char *schema, *lab, *submission, *hash, *device, *id;
    json_int_t seed;
    double score;
    json_t *checks, *check;
    size_t i;
    if (json_unpack((json_t *)result, "{s:s, s:s, s:s, s:s, s:s, s:I, s:F, s:o}", "schema", &schema,
                    "lab", &lab, "submission", &submission, "source_sha256", &hash, "device",
                    &device, "seed", &seed, "score", &score, "checks", &checks) != 0 ||
        strcmp(schema, "lanewise/result/v1") != 0 || seed < 0 || !json_is_array(checks))
        return false;
    json_array_foreach(checks, i, check)
    {
        double points;
        if (json_unpack(check, "{s:s, s:F}", "id", &id, "points", &points) != 0)
            return false;
    }
    return true;
}

/* --- comparing two gradings on the same device ------------------------------------------------ */

static void remove_members(json_t *object, const char *const *keys)
{
    for (; *keys; ++keys)
        json_object_del(object, *keys);
}

static bool ran_out_of_time(const json_t *check)
{
    return strcmp(json_text_of(check, "status"), "timeout") == 0;
}

/* Returns a copy of RESULT with only the members that a second grading must reproduce. It has no
 * causes, because the search for causes stops after a fixed time, and the remaining causes follow
 * from the findings. How far a check gets before it runs out of time depends on the machine. If a
 * check ran out of time, the copy also lacks its details, and the findings and lines of all
 * checks. */
static json_t *reproducible_part(const json_t *result)
{
    static const char *const of_result[] = {"seconds", "sandbox", "graded_by", "seal", "version",
                                            "print",   "secret",  "causes",    NULL};
    static const char *const of_build[] = {"seconds", "cached", NULL};
    static const char *const of_check[] = {"seconds", "printed", NULL};
    static const char *const by_chance[] = {"case",     "message", "hint",  "note",
                                            "counters", "figure",  "place", NULL};
    static const char *const of_all[] = {"findings", "lines", "accesses", NULL};
    json_t *copy = json_deep_copy(result), *check;
    size_t i;
    bool late = false;
    remove_members(copy, of_result);
    remove_members(json_object_get(copy, "build"), of_build);
    json_array_foreach(json_object_get(copy, "checks"), i, check)
    {
        remove_members(check, of_check);
        late |= ran_out_of_time(check);
        if (ran_out_of_time(check))
            remove_members(check, by_chance);
    }
    if (late)
        remove_members(copy, of_all);
    return copy;
}

static bool same_bytes(const json_t *left, const json_t *right)
{
    char *a = seal_canonical(left), *b = seal_canonical(right);
    bool same = a && b && strcmp(a, b) == 0;
    free(a);
    free(b);
    return same;
}

/* Returns the element of CHECKS with this ID, or NULL if there is none. */
static json_t *find_check(const json_t *checks, const char *id)
{
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check)
    {
        if (strcmp(json_text_of(check, "id"), id) == 0)
            return check;
    }
    return NULL;
}

/* Returns the first member in which two objects differ, or NULL if there is none. */
static const char *find_difference(const json_t *left, const json_t *right)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)left, key, value)
    {
        if (!json_equal(value, json_object_get(right, key)))
            return key;
    }
    json_object_foreach((json_t *)right, key, value)
    {
        if (!json_object_get(left, key))
            return key;
    }
    return NULL;
}

/* Describes the first difference between the checks, for a message. Returns false if there is
 * none. */
static bool describe_check_difference(const json_t *recorded, const json_t *now, char *what,
                                      size_t size)
{
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(recorded, "checks"), i, check)
    {
        const char *id = json_text_of(check, "id"), *key;
        const json_t *other = find_check(json_object_get(now, "checks"), id);
        double points = json_number_of(check, "points");
        double points_now = json_number_of(other, "points");
        if (other && same_bytes(check, other))
            continue;
        if (!other || points != points_now) {
            snprintf(what, size, "check %s: recorded %.6g points, now %.6g", id, points,
                     points_now);
            return true;
        }
        key = find_difference(check, other);
        snprintf(what, size, "the same points, but \"%s\" of check %s differs", key ? key : "", id);
        return true;
    }
    return false;
}

static void describe_difference(const json_t *recorded, const json_t *now, char *what, size_t size)
{
    double score = json_number_of(recorded, "score");
    double score_now = json_number_of(now, "score");
    char check[200] = "";
    describe_check_difference(recorded, now, check, sizeof check);
    if (score != score_now)
        snprintf(what, size, "recorded %.6g, now %.6g%s%s", score, score_now, *check ? "; " : "",
                 check);
    else if (*check)
        snprintf(what, size, "%s", check);
    else {
        const char *key = find_difference(recorded, now);
        snprintf(what, size, "the same points, but \"%s\" differs", key ? key : "");
    }
}

bool agree_same(const json_t *recorded, const json_t *now, char *what, size_t size)
{
    json_t *left = reproducible_part(recorded), *right = reproducible_part(now);
    bool same = left && right && same_bytes(left, right);
    if (!same)
        describe_difference(left, right, what, size);
    json_decref(left);
    json_decref(right);
    return same;
}

/* --- comparing gradings on two devices -------------------------------------------------------- */

/* Returns true if the program computed right results, even if it was slow. A check has a figure
 * only if its results were right, so it counts as right even if the figure earned no points. */
static bool is_right(const json_t *check)
{
    const char *status = json_text_of(check, "status");
    return strcmp(status, "passed") == 0 || strcmp(status, "partial") == 0 ||
           json_is_object(json_object_get(check, "figure"));
}

static bool was_built(const json_t *result)
{
    return strcmp(json_text_of(json_object_get(result, "build"), "status"), "built") == 0;
}

static json_t *describe_build(const json_t *right, const json_t *wrong)
{
    return json_pack("{s:s, s:s, s:s, s:s}", "right_on", json_text_of(right, "device"), "wrong_on",
                     json_text_of(wrong, "device"), "status", "not-built", "message",
                     "the program could not be built");
}

static json_t *describe_check(const json_t *right, const json_t *wrong)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", json_text_of(wrong, "id"), "title",
                     json_text_of(wrong, "title"), "right_on", json_text_of(right, "device"),
                     "wrong_on", json_text_of(wrong, "device"), "status",
                     json_text_of(wrong, "status"), "message", json_text_of(wrong, "message"));
}

json_t *agree_devices(const json_t *on_emulator, const json_t *on_gpu)
{
    json_t *found = json_array(), *check;
    size_t i;
    if (found && was_built(on_emulator) != was_built(on_gpu)) {
        bool here = was_built(on_emulator);
        json_array_append_new(
            found, describe_build(here ? on_emulator : on_gpu, here ? on_gpu : on_emulator));
        return found;
    }
    json_array_foreach(json_object_get(on_emulator, "checks"), i, check)
    {
        const json_t *other =
            find_check(json_object_get(on_gpu, "checks"), json_text_of(check, "id"));
        /* skips a check of counters, which runs on the emulator in both gradings */
        if (!other || strcmp(json_text_of(other, "device"), json_text_of(check, "device")) == 0 ||
            is_right(check) == is_right(other))
            continue;
        json_array_append_new(found, is_right(check) ? describe_check(check, other)
                                                     : describe_check(other, check));
    }
    return found;
}
