#include "report/run_predicted.h"

#include <string.h>

#include "base/json.h"

/* The names of the parts of a prediction, in the order in which they are printed. */
static const struct {
    const char *name, *short_name, *limit;
} parts[] = {
    {"issue", "issue", "issuing instructions"},
    {"fp32", "float", "float arithmetic"},
    {"integer", "integer", "integer arithmetic"},
    {"fp64", "double", "double arithmetic"},
    {"special", "special", "special functions"},
    {"matrix", "matrix", "tensor cores"},
    {"shared", "shared", "shared memory"},
    {"l1", "L1", "the L1 cache"},
    {"l2", "L2", "the L2 cache"},
    {"dram", "DRAM", "DRAM"},
    {"atomics", "atomics", "atomics on the same words"},
    {"latency", "latency", "latency: too little work to hide the waits"},
    {"launch", "launch", "the launch itself"},
    {"tail", "tail", "multiprocessors without work"},
};
#define PARTS (sizeof parts / sizeof *parts)

const char *report_time(char text[32], double time)
{
    static const char *const units[] = {"us", "ms", "s"};
    unsigned unit = 0;
    for (; time >= 9999.5 && unit < 2; unit++)
        time /= 1000;
    int digits = time < 9.995 ? 2 : time < 99.95 ? 1 : 0;
    snprintf(text, 32, "%.*f %s", digits, time, units[unit]);
    return text;
}

/* The predicted time NAME, which is for a hypothetical launch; if it is not known, US, the launch's
 * own time. */
static double time_or(const json_t *predicted, const char *name, double us)
{
    double time = json_number_of(predicted, name);
    return time > 0 ? time : us;
}

void report_predicted_add(struct report_predicted *predicted, const json_t *launch)
{
    const json_t *from = json_object_get(launch, "predicted");
    double us = json_number_of(from, "us");
    if (!from)
        return;
    if (!predicted->title || us > predicted->longest_us) {
        predicted->longest = from;
        predicted->lines = json_object_get(launch, "lines");
        predicted->longest_us = us;
        predicted->limit = json_string_value(json_object_get(from, "limit"));
    }
    predicted->title = json_string_value(json_object_get(from, "title"));
    predicted->measured = json_is_true(json_object_get(from, "measured"));
    predicted->launches++;
    predicted->us += us;
    predicted->low_us += json_number_of(from, "low_us");
    predicted->high_us += json_number_of(from, "high_us");
    predicted->sectors_us += time_or(from, "us_ideal_sectors", us);
    predicted->wavefronts_us += time_or(from, "us_ideal_wavefronts", us);
}

static const char *limit_text(const char *limit)
{
    for (size_t i = 0; i < PARTS && limit; i++)
        if (strcmp(parts[i].name, limit) == 0)
            return parts[i].limit;
    return "an unknown part";
}

/* Prints the parts of the longest launch that take at least a hundredth of its time. */
static void print_parts(FILE *to, const struct report_predicted *predicted)
{
    const json_t *object = json_object_get(predicted->longest, "parts");
    bool any = false;
    for (size_t i = 0; i < PARTS; i++) {
        char text[32];
        double us = json_number_of(object, parts[i].name);
        if (us < predicted->longest_us / 100)
            continue;
        fprintf(to, "%s%s %s", any ? ", " : "    each alone: ", parts[i].short_name,
                report_time(text, us));
        any = true;
    }
    fputs(any ? "\n" : "", to);
}

#define MOST_LINES  3
#define LEAST_SHARE 0.1

/* The line of LINES with the largest share of the time below BELOW; NULL: none has LEAST_SHARE. */
static const json_t *costliest(const json_t *lines, double below)
{
    const json_t *best = NULL;
    double most = LEAST_SHARE;
    size_t i;
    json_t *line;
    json_array_foreach((json_t *)lines, i, line)
    {
        double share = json_number_of(line, "time_share");
        if (share < below && share > most) {
            best = line;
            most = share;
        }
    }
    return best;
}

/* Prints the lines of the longest launch for which its warps wait most. */
static void print_lines(FILE *to, const json_t *lines)
{
    const json_t *line = costliest(lines, 2);
    for (int i = 0; i < MOST_LINES && line; i++) {
        const char *file = json_string_value(json_object_get(line, "file"));
        const char *name = file ? strrchr(file, '/') : NULL;
        double share = json_number_of(line, "time_share");
        fprintf(to, "%s%s:%lld %.0f %%", i ? ", " : "    most of the time at ",
                name ? name + 1 : "line ", (long long)json_integer_of(line, "line"), 100 * share);
        line = costliest(lines, share);
    }
    fputs(costliest(lines, 2) ? "\n" : "", to);
}

static void print_without(FILE *to, const char *what, double us, double all)
{
    char text[32];
    if (us < 0.95 * all)
        fprintf(to, "    %s: %s\n", what, report_time(text, us));
}

void report_predicted_print(FILE *to, const struct report_predicted *predicted)
{
    char time[32], low[32], high[32];
    if (!predicted->title)
        return;
    fprintf(to, "  predicted time on %s: %s (%s to %s)%s\n    limited by %s\n", predicted->title,
            report_time(time, predicted->us), report_time(low, predicted->low_us),
            report_time(high, predicted->high_us),
            predicted->launches > 1 ? " for all launches" : "", limit_text(predicted->limit));
    print_parts(to, predicted);
    print_lines(to, predicted->lines);
    print_without(to, "with the ideal number of sectors", predicted->sectors_us, predicted->us);
    print_without(to, "without bank conflicts", predicted->wavefronts_us, predicted->us);
    if (!predicted->measured)
        fprintf(to, "    this GPU was never measured: its numbers come from documents and from the "
                    "H200,\n    and nobody knows how often the interval holds\n");
}

void report_timeline_print(FILE *to, const json_t *document)
{
    const json_t *timeline = json_object_get(document, "timeline");
    char all[32], kernels[32], copies[32], both[32];
    json_int_t unknown = json_integer_of(timeline, "unknown");
    if (!timeline)
        return;
    fprintf(to, "\nwhole program: %s on %s: kernels %s, copies %s, overlapped %s\n",
            report_time(all, json_number_of(timeline, "us")), json_text_of(timeline, "title"),
            report_time(kernels, json_number_of(timeline, "kernels_us")),
            report_time(copies, json_number_of(timeline, "copies_us")),
            report_time(both, json_number_of(timeline, "overlapped_us")));
    if (unknown)
        fprintf(to, "    without %lld launch%s whose time is not known\n", (long long)unknown,
                unknown == 1 ? "" : "es");
    fprintf(to, "    the host's own work takes time, too, which is not predicted\n");
}
