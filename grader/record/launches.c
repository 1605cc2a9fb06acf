/* Reads the lines of the record about launches and about the timeline of a program's work. */
#include "record/parts.h"

#include "base/json.h"
#include "gpu/counters.h"
#include "gpu/occupancy.h"
#include "gpu/rules.h"

#define MAX_PARTS   32u
#define MAX_MOMENTS 1000u

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

bool record_add_launch(json_t *launches, const json_t *from)
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

bool record_add_work(json_t *list, const json_t *from)
{
    json_t *work = json_object();
    bool good = json_array_size(list) < RECORD_WORK && copy_text(work, from, "name", MAX_NAME) &&
                copy_text(work, from, "engine", MAX_NAME) &&
                copy_number(work, from, "stream", INT64_MAX) && copy_real(work, from, "start_us") &&
                copy_real(work, from, "end_us") &&
                (!json_object_get(from, "bytes") || copy_number(work, from, "bytes", MAX_OFFSET));
    return json_array_append_new(list, work) == 0 && good;
}

bool record_copy_timeline(json_t *document, const json_t *from, json_t *work)
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
