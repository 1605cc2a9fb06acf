/* Reads the record. Values get into the document only by the copy_ functions, which check their
 * type and range. */
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "gpu/counters.h"
#include "gpu/occupancy.h"
#include "gpu/rules.h"
#include "record/lines.h"
#include "record/losses.h"

enum {
    MAX_NAME = 1024,           /* a longer name of a kernel or file is cut to this many bytes */
    MAX_MESSAGE = 1024,        /* a longer message is cut to this many bytes */
    MAX_TRUSTED = 1 << 30,     /* maximum size in bytes of a trusted program's record */
    MAX_SOURCE_LINE = 1 << 24, /* maximum line number in a source file */
    MAX_RELATED = 8,           /* maximum number of related places of a finding */
    MAX_FUNCTION = 100,        /* maximum length in bytes of the name of an API function */
    MAX_FUNCTIONS = 1000,      /* maximum number of different API functions; CUDA has fewer */
    MAX_COST = 32,             /* maximum number of sectors or wavefronts of one request */
};

#define MAX_REAL    1e18
#define MAX_PARTS   32u
#define MAX_MOMENTS 1000u
#define MAX_OFFSET  (1ll << 48) /* maximum distance in bytes between two lanes' addresses */

/* --- copying values after checking their type and range --------------------------------------- */

/* Copies OBJECT's string NAME to INTO, as one printable line of at most MAX bytes. */
static bool copy_text(json_t *into, const json_t *object, const char *name, size_t max)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (!text)
        return false;
    size_t size = strnlen(text, max);
    char *copy = strndup(text, size);
    if (!copy)
        return false;
    base_clean_text(copy, size);
    for (char *at = copy; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    int failed = json_object_set_new(into, name, json_string(copy));
    free(copy);
    return failed == 0;
}

static bool read_number(const json_t *value, json_int_t max, json_int_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= 0 && *number <= max;
}

static bool copy_number(json_t *into, const json_t *object, const char *name, json_int_t max)
{
    json_int_t number;
    return read_number(json_object_get(object, name), max, &number) &&
           json_object_set_new(into, name, json_integer(number)) == 0;
}

static bool copy_real(json_t *into, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    double number = json_number_value(value);
    return json_is_number(value) && number >= 0 && number < MAX_REAL &&
           json_object_set_new(into, name, json_real(number)) == 0;
}

/* Copies OBJECT's line or column NAME to INTO. After a #line directive, a line can be any number; a
 * number that is too large is stored as 0, which means unknown. */
static bool copy_place(json_t *into, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number;
    bool known = read_number(value, MAX_SOURCE_LINE, &number);
    return json_is_integer(value) &&
           json_object_set_new(into, name, json_integer(known ? number : 0)) == 0;
}

static bool copy_triple(json_t *into, const json_t *object, const char *name)
{
    const json_t *from = json_object_get(object, name);
    json_t *triple = json_array();
    bool good = json_array_size(from) == 3;
    for (size_t i = 0; i < 3 && good; i++) {
        json_int_t number;
        good = read_number(json_array_get(from, i), UINT32_MAX, &number) &&
               json_array_append_new(triple, json_integer(number)) == 0;
    }
    if (good)
        return json_object_set_new(into, name, triple) == 0;
    json_decref(triple);
    return false;
}

/* Copies OBJECT's counters to INTO, in their fixed order. If ALL is true, fails if a counter is
 * missing that every launch must have. */
static bool copy_counters(json_t *into, const json_t *object, bool all)
{
    const json_t *from = json_object_get(object, "counters");
    json_t *counters = json_object();
    bool good = json_is_object(from);
    for (int i = 0; i < EMU_COUNTER_COUNT && good; i++) {
        const char *name = emu_counter_name(i);
        if ((all && i < EMU_COUNTERS_ALWAYS) || json_object_get(from, name))
            good = copy_number(counters, from, name, RECORD_COUNTER);
    }
    if (good)
        return json_object_set_new(into, "counters", counters) == 0;
    json_decref(counters);
    return false;
}

/* --- launches --------------------------------------------------------------------------------- */

static bool copy_lines(json_t *launch, const json_t *from)
{
    json_t *lines = json_array(), *line;
    size_t i;
    bool good = json_object_set_new(launch, "lines", lines) == 0 && json_is_array(from);
    json_array_foreach(from, i, line)
    {
        json_t *copy = json_object();
        good = good && copy_text(copy, line, "file", MAX_NAME) && copy_place(copy, line, "line") &&
               copy_counters(copy, line, false) &&
               (!json_object_get(line, "time_share") || copy_real(copy, line, "time_share"));
        good = json_array_append_new(lines, copy) == 0 && good;
    }
    return good;
}

/* Copies the occupancy: in warps, and in percent of the warps that a multiprocessor can hold. */
static bool copy_occupancy(json_t *launch, const json_t *from)
{
    json_t *occupancy = json_object();
    bool good = copy_number(occupancy, from, "most_warps", EMU_SM_WARPS);
    double most = json_number_of(occupancy, "most_warps");
    good = good && most > 0 && copy_number(occupancy, from, "warps", (json_int_t)most);
    double warps = json_number_of(occupancy, "warps");
    good = good && json_object_set_new(occupancy, "percent", json_real(100 * warps / most)) == 0 &&
           copy_number(occupancy, from, "blocks", EMU_SM_CTAS) &&
           copy_text(occupancy, from, "limit", MAX_NAME) &&
           copy_number(occupancy, from, "registers", UINT8_MAX);
    return json_object_set_new(launch, "occupancy", occupancy) == 0 && good;
}

/* Copies the name of the rules by which the cost of accesses is counted (gpu/rules.h). */
static bool copy_rules(json_t *launch, const json_t *from)
{
    enum emu_rules rules;
    const char *name = json_string_value(json_object_get(from, "rules"));
    return name && emu_find_rules(name, &rules) && copy_text(launch, from, "rules", MAX_NAME);
}

/* Copies the object NAME of FROM. All its members must be numbers. */
static bool copy_reals(json_t *to, const json_t *from, const char *name)
{
    const json_t *members = json_object_get(from, name);
    json_t *copies = json_object(), *unused;
    bool good = json_is_object(members) && json_object_size(members) <= MAX_PARTS;
    const char *key;
    json_object_foreach((json_t *)members, key, unused) good =
        good && copy_real(copies, members, key);
    return json_object_set_new(to, name, copies) == 0 && good;
}

/* Copies the numbers of resident warps at several moments of the launch. */
static bool copy_warps(json_t *to, const json_t *from)
{
    json_t *warps = json_object_get(from, "warps"), *one;
    bool good = json_is_array(warps) && json_array_size(warps) <= MAX_MOMENTS;
    size_t i;
    json_array_foreach(warps, i, one) good =
        good && json_is_integer(one) && json_integer_value(one) >= 0;
    return good && json_object_set(to, "warps", warps) == 0;
}

/* Copies the predicted time of the launch, if there is one. */
static bool copy_prediction(json_t *launch, const json_t *from)
{
    static const char *const reals[] = {"us",           "low_us",       "high_us",   "cycles",
                                        "instructions", "dram_bytes",   "l2_hits",   "flops",
                                        "l2_bytes",     "shared_bytes", "most_warps"};
    static const char *const optional[] = {"us_ideal_sectors", "us_ideal_wavefronts"};
    if (!from)
        return true;
    json_t *predicted = json_object();
    bool good = copy_text(predicted, from, "gpu", MAX_NAME) &&
                copy_text(predicted, from, "title", MAX_NAME) &&
                json_is_boolean(json_object_get(from, "measured")) &&
                copy_text(predicted, from, "limit", MAX_NAME);
    json_object_set(predicted, "measured", json_object_get(from, "measured"));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        good = good && copy_real(predicted, from, reals[i]);
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        good = good &&
               (!json_object_get(from, optional[i]) || copy_real(predicted, from, optional[i]));
    good = good && copy_reals(predicted, from, "parts") && copy_reals(predicted, from, "use") &&
           copy_reals(predicted, from, "roofs") && copy_warps(predicted, from) &&
           (!json_object_get(from, "also") || copy_text(predicted, from, "also", MAX_NAME));
    return json_object_set_new(launch, "predicted", predicted) == 0 && good;
}

/* Copies the reason why the launch has no predicted time, if there is one. */
static bool copy_gap(json_t *launch, const json_t *from)
{
    if (!from)
        return true;
    json_t *gap = json_object();
    bool good = copy_text(gap, from, "gpu", MAX_NAME) && copy_text(gap, from, "title", MAX_NAME) &&
                copy_text(gap, from, "why", MAX_NAME) && copy_text(gap, from, "file", MAX_NAME) &&
                copy_number(gap, from, "line", UINT32_MAX);
    return json_object_set_new(launch, "not_predicted", gap) == 0 && good;
}

/* Copies the flag that says that the kernel reads a clock. */
static bool copy_clock(json_t *launch, const json_t *from)
{
    const json_t *reads = json_object_get(from, "reads_clock");
    return !reads ||
           (json_is_true(reads) && json_object_set_new(launch, "reads_clock", json_true()) == 0);
}

/* Copies the description of the part of the launch that racecheck and initcheck have checked, if
 * they have not checked all of it. */
static bool copy_watched(json_t *launch, const json_t *from)
{
    return !json_object_get(from, "watched") || copy_text(launch, from, "watched", MAX_NAME);
}

static bool add_launch(json_t *launches, const json_t *from)
{
    json_t *launch = json_object();
    bool good = copy_text(launch, from, "kernel", MAX_NAME) && copy_triple(launch, from, "grid") &&
                copy_triple(launch, from, "block") &&
                copy_number(launch, from, "static_shared_bytes", UINT32_MAX) &&
                copy_number(launch, from, "dynamic_shared_bytes", UINT32_MAX) &&
                copy_number(launch, from, "constant_bytes", UINT32_MAX) &&
                copy_occupancy(launch, json_object_get(from, "occupancy")) &&
                copy_text(launch, from, "status", MAX_NAME) && copy_rules(launch, from) &&
                copy_clock(launch, from) && copy_watched(launch, from) &&
                copy_counters(launch, from, true) &&
                copy_lines(launch, json_object_get(from, "lines")) &&
                copy_prediction(launch, json_object_get(from, "predicted")) &&
                copy_gap(launch, json_object_get(from, "not_predicted"));
    return json_array_append_new(launches, launch) == 0 && good;
}

/* --- the timeline ----------------------------------------------------------------------------- */

/* Adds a work item of a stream. */
static bool add_work(json_t *list, const json_t *from)
{
    json_t *work = json_object();
    bool good = json_array_size(list) < RECORD_WORK && copy_text(work, from, "name", MAX_NAME) &&
                copy_text(work, from, "engine", MAX_NAME) &&
                copy_number(work, from, "stream", INT64_MAX) && copy_real(work, from, "start_us") &&
                copy_real(work, from, "end_us") &&
                (!json_object_get(from, "bytes") || copy_number(work, from, "bytes", MAX_OFFSET));
    return json_array_append_new(list, work) == 0 && good;
}

static bool copy_timeline(json_t *document, const json_t *from, json_t *work)
{
    static const char *const reals[] = {"us", "kernels_us", "copies_us", "overlapped_us"};
    static const char *const numbers[] = {"kernels", "copies", "unknown", "on_host"};
    json_t *timeline = json_object();
    bool good = copy_text(timeline, from, "gpu", MAX_NAME) &&
                copy_text(timeline, from, "title", MAX_NAME) &&
                json_is_boolean(json_object_get(from, "measured"));
    json_object_set(timeline, "measured", json_object_get(from, "measured"));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        good = good && copy_real(timeline, from, reals[i]);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        good = good && copy_number(timeline, from, numbers[i], RECORD_COUNTER);
    json_object_set(timeline, "work", work);
    return json_object_set_new(document, "timeline", timeline) == 0 && good;
}

/* --- findings --------------------------------------------------------------------------------- */

/* The document while it is being built. */
struct builder {
    json_t *document, *launches, *findings, *accesses, *calls, *requests, *rows, *sectors;
    json_t *known; /* findings by their finding_key(), to detect equal findings */
    json_t *copies, *work;
    json_t *repeated; /* by id: launches that later lines may repeat, with their findings */
};

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

static bool merge_finding(struct builder *builder, json_t *finding)
{
    char *key = finding_key(finding);
    if (!key)
        return false;
    json_t *known = json_object_get(builder->known, key);
    if (known)
        add_same(known, finding);
    else if (json_array_size(builder->findings) < RECORD_FINDINGS) {
        json_object_set(builder->known, key, finding);
        json_array_append(builder->findings, finding);
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

static bool add_finding(struct builder *builder, const json_t *from)
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
        copy_array(finding, from) && copy_loss(finding, from) && merge_finding(builder, finding);
    json_decref(finding);
    return good;
}

/* --- accesses --------------------------------------------------------------------------------- */

static bool is_one_of(const json_t *object, const char *name, const char *const *words)
{
    const char *text = text_of(object, name);
    while (text && *words && strcmp(text, *words) != 0)
        words++;
    return text && *words;
}

/* Copies the byte offsets of 32 lanes. An offset must be a multiple of BYTES, or null for an
 * inactive lane. At least one lane must have an offset. */
static bool copy_offsets(json_t *into, const json_t *object, json_int_t bytes)
{
    const json_t *from = json_object_get(object, "offsets");
    json_t *offsets = json_array();
    bool good = json_array_size(from) == RECORD_LANES, some = false;
    json_object_set_new(into, "offsets", offsets);
    for (size_t i = 0; i < RECORD_LANES && good; i++) {
        const json_t *one = json_array_get(from, i);
        json_int_t offset = 0;
        bool takes_part = !json_is_null(one);
        good = !takes_part || (read_number(one, MAX_OFFSET, &offset) && offset % bytes == 0);
        some = some || takes_part;
        json_array_append_new(offsets, takes_part ? json_integer(offset) : json_null());
    }
    return good && some;
}

static bool copy_access(json_t *access, const json_t *from)
{
    static const char *const kinds[] = {"load", "store", "atomic", "reduction", NULL};
    static const char *const spaces[] = {"global", "shared", NULL};
    json_int_t bytes = json_integer_of(from, "bytes");
    return copy_text(access, from, "kernel", MAX_NAME) &&
           copy_text(access, from, "file", MAX_NAME) && copy_place(access, from, "line") &&
           copy_place(access, from, "column") && copy_triple(access, from, "block") &&
           copy_number(access, from, "warp", 31) && copy_number(access, from, "step", UINT32_MAX) &&
           is_one_of(from, "kind", kinds) && copy_text(access, from, "kind", MAX_NAME) &&
           is_one_of(from, "space", spaces) && copy_text(access, from, "space", MAX_NAME) &&
           bytes >= 1 && bytes <= 16 && (bytes & (bytes - 1)) == 0 &&
           copy_number(access, from, "bytes", 16) && copy_number(access, from, "cost", MAX_COST) &&
           copy_number(access, from, "ideal", MAX_COST) && copy_offsets(access, from, bytes);
}

/* Checks all accesses, and keeps the one of each line that wastes most. */
static bool add_accesses(struct builder *builder, const json_t *from)
{
    json_t *accesses = json_array(), *one;
    size_t i;
    bool good = true;
    json_array_foreach(from, i, one)
    {
        json_t *access = json_object();
        good = good && copy_access(access, one);
        json_array_append_new(accesses, access);
    }
    if (good)
        record_add_accesses(builder->accesses, accesses, NULL);
    json_decref(accesses);
    return good;
}

/* --- calls and requests ----------------------------------------------------------------------- */

static bool is_function_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length < MAX_FUNCTION && name[length] == '\0';
}

/* Adds the counts in FROM, which may be NULL, to COUNTS. A program with several processes has
 * counts from each process. */
static bool add_counts(json_t *counts, const json_t *from)
{
    const char *name;
    json_t *value;
    bool good = !from || json_is_object(from);
    json_object_foreach((json_t *)from, name, value)
    {
        json_int_t count, before = json_integer_of(counts, name);
        good = good && is_function_name(name) && read_number(value, RECORD_COUNTER, &count) &&
               json_object_size(counts) < MAX_FUNCTIONS &&
               json_object_set_new(counts, name,
                                   json_integer(before + count < RECORD_COUNTER
                                                    ? before + count
                                                    : RECORD_COUNTER)) == 0;
    }
    return good;
}

/* --- copies to the host ----------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return text && strlen(text) == HASH_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == HASH_SIZE - 1;
}

static bool add_copy(json_t *copies, const json_t *from)
{
    const char *hash = json_string_value(json_object_get(from, "sha256"));
    const json_t *made = json_object_get(from, "made"), *same = json_object_get(from, "same");
    json_t *copy = json_object();
    bool good = is_hash(hash) && json_is_boolean(made) && json_is_boolean(same) &&
                copy_number(copy, from, "bytes", RECORD_COUNTER) &&
                json_object_set_new(copy, "sha256", json_string(hash)) == 0 &&
                json_object_set_new(copy, "made", json_boolean(json_is_true(made))) == 0 &&
                json_object_set_new(copy, "same", json_boolean(json_is_true(same))) == 0;
    return json_array_append_new(copies, copy) == 0 && good;
}

static bool add_lent(json_t *copies, const json_t *from)
{
    json_t *copy = json_object();
    bool good = copy_number(copy, from, "bytes", RECORD_COUNTER) &&
                copy_number(copy, from, "launch", RECORD_COUNTER) &&
                json_object_set_new(copy, "lent", json_true()) == 0;
    return json_array_append_new(copies, copy) == 0 && good;
}

/* --- launches that repeat earlier launches ---------------------------------------------------- */

static bool add_findings(struct builder *builder, const json_t *findings)
{
    const json_t *finding;
    size_t i;
    bool good = !findings || json_is_array(findings);
    json_array_foreach(findings, i, finding)
    {
        good = good && add_finding(builder, finding);
    }
    return good;
}

/* Stores the document's last launch, and its FINDINGS, under ID. Later lines of the record may
 * repeat them. */
static bool keep_launch(struct builder *builder, const json_t *id, json_t *findings)
{
    char key[30];
    if (!id)
        return true;
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
    size_t count = json_array_size(builder->launches);
    return json_is_integer(id) && count && json_array_size(findings) <= RECORD_REPEATED_FINDINGS &&
           json_object_set_new(
               builder->repeated, key,
               json_pack("[O,O]", json_array_get(builder->launches, count - 1), findings)) == 0;
}

/* Adds the launch with this ID again. All repetitions refer to the same JSON object. */
static bool repeat_launch(struct builder *builder, const json_t *id)
{
    char key[30];
    snprintf(key, sizeof key, "%lld", (long long)json_integer_value(id));
    const json_t *old = json_is_integer(id) ? json_object_get(builder->repeated, key) : NULL;
    return old && json_array_append(builder->launches, json_array_get(old, 0)) == 0 &&
           add_findings(builder, json_array_get(old, 1));
}

/* --- the file --------------------------------------------------------------------------------- */

static bool add_line(struct builder *builder, const char *text, size_t size)
{
    json_t *line = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    const json_t *launch = json_object_get(line, "launch");
    const json_t *repeats = json_object_get(line, "repeats");
    json_t *findings = json_object_get(line, "findings");
    const json_t *calls = json_object_get(line, "calls");
    const json_t *requests = json_object_get(line, "requests");
    const json_t *accesses = json_object_get(line, "accesses");
    const json_t *copy = json_object_get(line, "copy"), *missing = json_object_get(line, "missing");
    const json_t *lent = json_object_get(line, "lent");
    const json_t *work = json_object_get(line, "work"),
                 *timeline = json_object_get(line, "timeline");
    bool known = launch || repeats || findings || calls || requests || copy || lent || missing ||
                 work || timeline;
    bool good = json_is_object(line) && known && (!copy || add_copy(builder->copies, copy)) &&
                (!lent || add_lent(builder->copies, lent)) &&
                (!missing || copy_number(builder->document, line, "missing", RECORD_COUNTER)) &&
                add_counts(builder->calls, calls) && add_counts(builder->requests, requests) &&
                add_counts(builder->rows, json_object_get(line, "rows")) &&
                add_counts(builder->sectors, json_object_get(line, "sectors")) &&
                (!repeats || repeat_launch(builder, repeats)) &&
                (!accesses || json_is_array(accesses)) &&
                (!launch || add_launch(builder->launches, launch)) &&
                (!work || add_work(builder->work, work)) &&
                (!timeline || copy_timeline(builder->document, timeline, builder->work)) &&
                add_findings(builder, findings) &&
                (!launch || keep_launch(builder, json_object_get(line, "id"), findings));
    good = good && add_accesses(builder, accesses);
    json_decref(line);
    return good;
}

static bool add_lines(struct builder *builder, FILE *file, char *error, size_t size)
{
    char *text = NULL;
    size_t room = 0;
    unsigned number = 0;
    bool good = true;
    for (ssize_t length; good && json_array_size(builder->launches) <= RECORD_LAUNCHES &&
                         (length = getline(&text, &room, file)) > 0;) {
        number++;
        if (text[length - 1] != '\n')
            break; /* the last line is incomplete */
        good = add_line(builder, text, length);
    }
    if (!good)
        snprintf(error, size, "is malformed in line %u", number);
    if (good && json_array_size(builder->launches) > RECORD_LAUNCHES) {
        snprintf(error, size, "has more than %u launches", RECORD_LAUNCHES);
        good = false;
    }
    free(text);
    return good;
}

static FILE *open_record(int fd, size_t most, char *error, size_t size)
{
    struct stat status;
    bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = regular && status.st_size <= (off_t)most ? fdopen(fd, "r") : NULL;
    if (!file) {
        if (regular)
            snprintf(error, size, "is larger than %zu MB: are there too many launches?",
                     most >> 20);
        else
            snprintf(error, size, "is not a file");
        close(fd);
    }
    return file;
}

static json_t *read_record(int fd, size_t most, char *error, size_t size)
{
    FILE *file = open_record(fd, most, error, size);
    if (!file)
        return NULL;
    struct builder builder = {.document = json_object(),
                              .launches = json_array(),
                              .findings = json_array(),
                              .accesses = json_array(),
                              .calls = json_object(),
                              .requests = json_object(),
                              .rows = json_object(),
                              .sectors = json_object(),
                              .known = json_object(),
                              .copies = json_array(),
                              .work = json_array(),
                              .repeated = json_object()};
    json_object_set_new(builder.document, "schema", json_string(RECORD_SCHEMA));
    json_object_set_new(builder.document, "launches", builder.launches);
    json_object_set_new(builder.document, "findings", builder.findings);
    json_object_set_new(builder.document, "calls", builder.calls);
    json_object_set_new(builder.document, "requests", builder.requests);
    json_object_set_new(builder.document, "rows", builder.rows);
    json_object_set_new(builder.document, "sectors", builder.sectors);
    json_object_set_new(builder.document, "accesses", builder.accesses);
    json_object_set_new(builder.document, "copies", builder.copies);
    bool good = add_lines(&builder, file, error, size);
    fclose(file);
    json_decref(builder.known);
    json_decref(builder.work);
    json_decref(builder.repeated);
    if (good) {
        record_describe_losses(builder.document);
        return builder.document;
    }
    json_decref(builder.document);
    return NULL;
}

json_t *record_take(int fd, char *error, size_t size)
{
    return read_record(fd, MAX_TRUSTED, error, size);
}

/* Reads a record. Opens only regular files, because a hostile process may have put something else
 * at PATH. */
json_t *record_read(const char *path, char *error, size_t size)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        snprintf(error, size, "%s",
                 errno == ENOENT  ? "is missing"
                 : errno == ELOOP ? "is not a file"
                                  : strerror(errno));
        return NULL;
    }
    return read_record(fd, RECORD_BYTES, error, size);
}
