/* Reads the findings of the record. Equal findings become one. */
#include "record/parts.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

#define MAX_RELATED 8 /* maximum number of related places of a finding */

static const char *text_of(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

const json_t *record_other_access(const json_t *finding)
{
    const json_t *first = json_array_get(json_object_get(finding, "related"), 0);
    return first && !json_object_get(first, "message") ? first : NULL;
}

void record_write_places(FILE *to, const json_t *finding)
{
    size_t i;
    json_t *place;
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        const char *file = json_text_of(place, "file"), *slash = strrchr(file, '/');
        bool is_other = *file && strcmp(file, json_text_of(finding, "file")) != 0;
        if (*json_text_of(place, "message"))
            fprintf(to, "; %s: line %lld%s%s", json_text_of(place, "message"),
                    (long long)json_integer_of(place, "line"), is_other ? " of " : "",
                    is_other ? (slash ? slash + 1 : file) : "");
    }
}

/* Returns the key of FINDING, which the caller frees. Findings with equal keys become one finding.
 * The key has the id, and the source line or both lines. If there is no source line, it has the id,
 * the kernel and the message. For a finding about a launch, it also has the kernel, because one
 * line can launch several kernels. */
static char *finding_key(const json_t *finding)
{
    char *key;
    const char *file = text_of(finding, "file");
    const json_t *related = record_other_access(finding);
    bool is_launch = strcmp(text_of(finding, "id"), "invalid-launch") == 0;
    int size = asprintf(
        &key, "%s\n%s\n%lld\n%s\n%s\n%s\n%lld", text_of(finding, "id"), file,
        (long long)json_integer_of(finding, "line"), *file ? "" : text_of(finding, "message"),
        *file && !is_launch ? "" : text_of(finding, "kernel"),
        related ? text_of(related, "file") : "", (long long)json_integer_of(related, "line"));
    return size < 0 ? NULL : key;
}

static void add_number(json_t *known, const json_t *finding, const char *name)
{
    json_int_t sum = json_integer_of(known, name) + json_integer_of(finding, name);
    if (json_object_get(known, name))
        json_object_set_new(known, name, json_integer(sum < RECORD_COUNTER ? sum : RECORD_COUNTER));
}

static json_int_t waste_of(const json_t *finding)
{
    return json_integer_of(finding, "cost") - json_integer_of(finding, "ideal");
}

/* Adds the launch of FINDING to KNOWN, an equal finding: increments the number of launches, and
 * updates the minimum and the maximum waste per launch. */
static void count_launch(json_t *known, const json_t *finding)
{
    json_int_t waste = waste_of(finding), least = waste_of(known), most = least, launches = 1;
    if (json_object_get(known, "launches")) {
        launches = json_integer_of(known, "launches");
        least = json_integer_of(known, "least_waste");
        most = json_integer_of(known, "most_waste");
    }
    json_object_set_new(known, "launches", json_integer(launches + 1));
    json_object_set_new(known, "least_waste", json_integer(waste < least ? waste : least));
    json_object_set_new(known, "most_waste", json_integer(waste > most ? waste : most));
}

/* Adds the counts of FINDING to those of KNOWN, an equal finding. If FINDING wastes more, also
 * copies its cause. */
static void add_same(json_t *known, const json_t *finding)
{
    if (json_object_get(finding, "cost"))
        count_launch(known, finding);
    static const char *const of_cause[] = {"cause", "help", "column", "worst_cost", "worst_ideal"};
    bool is_worse = waste_of(finding) > waste_of(known);
    for (size_t i = 0; is_worse && i < sizeof of_cause / sizeof *of_cause; i++) {
        json_t *value = json_object_get(finding, of_cause[i]);
        if (value)
            json_object_set(known, of_cause[i], value);
        else
            json_object_del(known, of_cause[i]);
    }
    add_number(known, finding, "count");
    add_number(known, finding, "cost");
    add_number(known, finding, "ideal");
}

static bool merge_finding(json_t *findings, json_t *all_known, json_t *finding)
{
    char *key = finding_key(finding);
    if (!key)
        return false;
    json_t *known = json_object_get(all_known, key);
    if (known)
        add_same(known, finding);
    else if (json_array_size(findings) < RECORD_FINDINGS) {
        json_object_set(all_known, key, finding);
        json_array_append(findings, finding);
    }
    free(key);
    return true;
}

/* Copies the related places of a finding, if there are any. */
static bool copy_related(json_t *finding, const json_t *from)
{
    const json_t *places = json_object_get(from, "related");
    json_t *copies, *place;
    size_t i;
    if (!places)
        return true;
    if (!json_is_array(places) || json_array_size(places) > MAX_RELATED)
        return false;
    copies = json_array();
    bool good = json_object_set_new(finding, "related", copies) == 0;
    json_array_foreach(places, i, place)
    {
        json_t *copy = json_object();
        good = good && copy_text(copy, place, "file", MAX_NAME) &&
               copy_place(copy, place, "line") &&
               (!json_object_get(place, "message") || copy_text(copy, place, "message", MAX_NAME));
        good = json_array_append_new(copies, copy) == 0 && good;
    }
    return good;
}

/* Copies the members that only losses have. */
static bool copy_loss(json_t *finding, const json_t *from)
{
    if (!json_object_get(from, "cause"))
        return true;
    return copy_text(finding, from, "cause", MAX_MESSAGE) &&
           copy_number(finding, from, "cost", RECORD_COUNTER) &&
           copy_number(finding, from, "ideal", RECORD_COUNTER) &&
           copy_number(finding, from, "worst_cost", RECORD_COUNTER) &&
           copy_number(finding, from, "worst_ideal", RECORD_COUNTER);
}

/* Copies the description of the array that an access was meant for, if it is known. */
static bool copy_array(json_t *finding, const json_t *from)
{
    const json_t *array = json_object_get(from, "array");
    if (!array)
        return true;
    json_t *copy = json_object();
    bool good = copy_text(copy, array, "name", MAX_NAME) &&
                copy_number(copy, array, "bytes", RECORD_COUNTER) &&
                copy_number(copy, array, "offset", RECORD_COUNTER) &&
                copy_number(copy, array, "access_bytes", RECORD_COUNTER);
    return json_object_set_new(finding, "array", copy) == 0 && good;
}

bool record_add_finding(json_t *findings, json_t *known, const json_t *from)
{
    json_t *finding = json_object();
    bool good =
        copy_text(finding, from, "id", MAX_NAME) &&
        copy_text(finding, from, "severity", MAX_NAME) &&
        copy_text(finding, from, "kernel", MAX_NAME) &&
        copy_text(finding, from, "file", MAX_NAME) && copy_place(finding, from, "line") &&
        copy_place(finding, from, "column") && copy_text(finding, from, "message", MAX_MESSAGE) &&
        copy_number(finding, from, "count", RECORD_COUNTER) && copy_related(finding, from) &&
        (!json_object_get(from, "help") || copy_text(finding, from, "help", MAX_MESSAGE)) &&
        (!json_object_get(from, "deduction") || copy_text(finding, from, "deduction", MAX_NAME)) &&
        copy_array(finding, from) && copy_loss(finding, from) &&
        merge_finding(findings, known, finding);
    json_decref(finding);
    return good;
}
