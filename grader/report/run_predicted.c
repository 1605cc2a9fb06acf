#include "report/run_predicted.h"

#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "report/predicted.h"
#include "report/predicted_terminal.h"

/* Returns the member NAME of PREDICTED, the time that is predicted for ideal accesses. If there is
 * no such member, returns US, the predicted time of the launch. */
static double time_or(const json_t *predicted, const char *name, double us)
{
    double time = json_number_of(predicted, name);
    return time > 0 ? time : us;
}

void report_predicted_add(struct report_predicted *predicted, const json_t *launch)
{
    const json_t *from = json_object_get(launch, "predicted");
    const json_t *gap = json_object_get(launch, "not_predicted");
    double us = json_number_of(from, "us");
    if (gap) {
        predicted->unknown++;
        predicted->gap = predicted->gap ? predicted->gap : gap;
    }
    if (!from)
        return;
    if (!predicted->title || us > predicted->longest_us) {
        predicted->longest = launch;
        predicted->longest_us = us;
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

#define MOST_LINES  3
#define LEAST_SHARE 0.1

/* Considers only the lines in LINES whose shares of the time are below BELOW and above LEAST_SHARE.
 * Returns the one with the largest share, or NULL if there is none. */
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

/* Prints the lines on which the longest launch spends most of its time. */
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

/* Draws the longest launch P as the pictures in the set DRAWN. */
static void print_pictures(FILE *to, const struct report_prediction *p, unsigned drawn, bool colour)
{
    if (drawn & REPORT_LIMITS)
        report_draw_limits(to, p, colour);
    if (drawn & REPORT_ROOFLINE)
        report_draw_roofline(to, p, colour);
    if (drawn & REPORT_WAVES)
        report_draw_waves(to, p, colour);
}

/* Says why some launches have no predicted time. */
static void print_gap(FILE *to, const struct report_predicted *predicted)
{
    if (!predicted->gap)
        return;
    fprintf(to, "  no predicted time on %s", json_text_of(predicted->gap, "title"));
    if (predicted->title)
        fprintf(to, " for %s launch%s", NUMBER(predicted->unknown),
                predicted->unknown == 1 ? "" : "es");
    fprintf(to, ": %s\n", json_text_of(predicted->gap, "why"));
}

void report_predicted_print(FILE *to, const struct report_predicted *predicted, unsigned drawn,
                            bool colour)
{
    struct report_prediction p;
    char time[32], low[32], high[32], limit[REPORT_TEXT];
    print_gap(to, predicted);
    if (!predicted->title || !report_read_prediction(predicted->longest, &p))
        return;
    fprintf(to, "  predicted time on %s: %s (%s to %s)%s\n    limited by %s\n", predicted->title,
            report_time(time, predicted->us), report_time(low, predicted->low_us),
            report_time(high, predicted->high_us),
            predicted->launches > 1 ? " for all launches" : "", report_limit_name(&p, limit));
    print_pictures(to, &p, drawn, colour);
    print_lines(to, json_object_get(predicted->longest, "lines"));
    print_without(to, "with the ideal number of sectors", predicted->sectors_us, predicted->us);
    print_without(to, "without bank conflicts", predicted->wavefronts_us, predicted->us);
    if (!predicted->measured)
        fprintf(
            to,
            "    this GPU was never measured: the model's parameters come from documents and from "
            "the H200,\n    and it is not known how reliable the interval is\n");
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
    fprintf(to, "    the time of the host's own work is not included\n");
}
