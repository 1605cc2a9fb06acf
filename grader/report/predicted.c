#include "report/predicted.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"

/* The parts of a predicted time, in the order in which reports show them. */
const struct report_part report_parts[REPORT_PARTS] = {
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
enum { LAUNCH = 12, TAIL = 13 };

static const struct {
    const char *name, *bytes, *roof;
} memories[REPORT_ROOFS] = {{"DRAM", "dram_bytes", "dram"},
                            {"L2", "l2_bytes", "l2"},
                            {"shared memory", "shared_bytes", "shared"}};

bool report_find_pictures(const char *list, unsigned *pictures)
{
    static const struct {
        const char *name;
        unsigned picture;
    } known[] = {{"limits", REPORT_LIMITS},
                 {"roofline", REPORT_ROOFLINE},
                 {"occupancy", REPORT_WAVES},
                 {"all", REPORT_ALL_PICTURES},
                 {"none", 0}};
    *pictures = 0;
    for (;; list++) {
        size_t length = strcspn(list, ","), i = 0, count = sizeof known / sizeof *known;
        while (i < count &&
               (strlen(known[i].name) != length || strncmp(known[i].name, list, length) != 0))
            i++;
        if (i == count)
            return false;
        *pictures |= known[i].picture;
        list += length;
        if (!*list)
            return true;
    }
}

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

const char *report_rounded(char text[32], double value)
{
    double step = value >= 1000 ? pow(10, floor(log10(value)) - 2) : 1;
    if (value < 999.5 || value > 1e15)
        snprintf(text, 32, "%.3g", value);
    else
        snprintf(text, 32, "%s", NUMBER((uint64_t)(round(value / step) * step)));
    return text;
}

/* --- reading ---------------------------------------------------------------------------------- */

static double product_of(const json_t *launch, const char *size)
{
    double product = 1;
    for (size_t i = 0; i < 3; i++)
        product *= (double)json_integer_value(json_array_get(json_object_get(launch, size), i));
    return product;
}

static void read_warps(const json_t *from, struct report_prediction *p)
{
    const json_t *warps = json_object_get(from, "warps");
    p->most_warps = json_number_of(from, "most_warps");
    for (; p->moments < REPORT_MOMENTS && p->moments < json_array_size(warps); p->moments++)
        p->warps[p->moments] = (double)json_integer_value(json_array_get(warps, p->moments));
}

bool report_read_prediction(const json_t *launch, struct report_prediction *p)
{
    const json_t *from = json_object_get(launch, "predicted");
    const json_t *parts = json_object_get(from, "parts"), *roofs = json_object_get(from, "roofs");
    *p = (struct report_prediction){.limit = REPORT_PARTS, .also = REPORT_PARTS};
    p->us = json_number_of(from, "us");
    if (!(p->us > 0))
        return false;
    p->kernel = json_text_of(launch, "kernel");
    p->gpu = json_text_of(from, "title");
    p->measured = json_is_true(json_object_get(from, "measured"));
    p->low_us = json_number_of(from, "low_us");
    p->high_us = json_number_of(from, "high_us");
    for (unsigned i = 0; i < REPORT_PARTS; i++) {
        p->part_us[i] = json_number_of(parts, report_parts[i].name);
        if (strcmp(report_parts[i].name, json_text_of(from, "limit")) == 0)
            p->limit = i;
        if (strcmp(report_parts[i].name, json_text_of(from, "also")) == 0)
            p->also = i;
    }
    p->flops = json_number_of(from, "flops");
    p->instructions = json_number_of(from, "instructions");
    p->flops_roof = json_number_of(roofs, "flops");
    p->instructions_roof = json_number_of(roofs, "instructions");
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        p->bytes[i] = json_number_of(from, memories[i].bytes);
        p->bytes_roof[i] = json_number_of(roofs, memories[i].roof);
    }
    read_warps(from, p);
    p->blocks = product_of(launch, "grid");
    p->block_warps = ceil(product_of(launch, "block") / 32);
    return true;
}

double report_working_us(const struct report_prediction *p)
{
    double us = p->us - p->part_us[LAUNCH];
    return us > p->us / 1e6 ? us : p->us / 1e6;
}

/* --- the roofline ----------------------------------------------------------------------------- */

/* A launch's speed is shown in FLOP/s if its floating-point operations are at least this fraction
 * of those that its number of instructions allows. */
#define LEAST_FLOPS 0.02

bool report_counts_flops(const struct report_prediction *p)
{
    return p->flops > LEAST_FLOPS * 32 * p->instructions;
}

void report_roofline(const struct report_prediction *p, bool by_flops, struct report_roofline *r)
{
    double work = by_flops ? p->flops : p->instructions;
    *r = (struct report_roofline){.by_flops = by_flops,
                                  .rate = work / report_working_us(p) / 1e3,
                                  .peak = by_flops ? p->flops_roof : p->instructions_roof,
                                  .lowest = by_flops ? "the arithmetic units" : "the schedulers"};
    r->allowed = r->peak;
    for (unsigned i = 0; i < REPORT_ROOFS; i++) {
        r->name[i] = p->bytes_roof[i] > 0 ? memories[i].name : NULL;
        r->bandwidth[i] = p->bytes_roof[i];
        r->intensity[i] = p->bytes[i] > 0 && r->name[i] ? work / p->bytes[i] : 0;
        if (r->intensity[i] > 0 && r->intensity[i] * r->bandwidth[i] < r->allowed) {
            r->allowed = r->intensity[i] * r->bandwidth[i];
            r->lowest = memories[i].name;
        }
    }
}

struct report_axes report_axes(const struct report_roofline *lines, unsigned count)
{
    double least = lines->peak, most = 0, slowest = lines->peak / 10;
    for (unsigned k = 0; k < count; k++) {
        slowest = lines[k].rate > 0 ? fmin(slowest, lines[k].rate) : slowest;
        for (unsigned i = 0; i < REPORT_ROOFS; i++) {
            double ridge = lines->name[i] ? lines->peak / lines->bandwidth[i] : 0;
            double at = lines[k].intensity[i];
            least = fmin(least, fmin(ridge > 0 ? ridge : least, at > 0 ? at : least));
            most = fmax(most, fmax(ridge, at));
        }
    }
    return (struct report_axes){.left = log10(least / 3),
                                .right = log10(most * 3),
                                .bottom = log10(slowest / 3),
                                .top = log10(lines->peak * 2)};
}

/* --- the occupancy ---------------------------------------------------------------------------- */

void report_waves(const struct report_prediction *p, struct report_waves *waves)
{
    double fullest = 0, sum = 0;
    *waves = (struct report_waves){.launch_us = p->part_us[LAUNCH], .tail_us = p->part_us[TAIL]};
    for (unsigned i = 0; i < p->moments; i++) {
        double share = p->most_warps > 0 ? p->warps[i] / p->most_warps : 0;
        waves->share[i] = share < 1 ? share : 1;
        sum += waves->share[i];
        fullest = p->warps[i] > fullest ? p->warps[i] : fullest;
    }
    waves->average = p->moments ? sum / p->moments : 0;
    waves->at_a_time = p->block_warps > 0 ? floor(fullest / p->block_warps + 0.5) : 0;
    waves->waves = waves->at_a_time > 0 ? p->blocks / waves->at_a_time : 0;
}

/* --- sentences -------------------------------------------------------------------------------- */

const char *report_limit_name(const struct report_prediction *p, char text[REPORT_TEXT])
{
    bool is_known = p->limit < REPORT_PARTS, has_also = is_known && p->also < REPORT_PARTS;
    snprintf(text, REPORT_TEXT, "%s%s%s",
             is_known ? report_parts[p->limit].limit : "an unknown part",
             has_also ? ", and nearly by " : "", has_also ? report_parts[p->also].limit : "");
    return text;
}

const char *report_limits_text(const struct report_prediction *p, char text[REPORT_TEXT])
{
    char us[32], low[32], high[32], limit[REPORT_TEXT];
    snprintf(text, REPORT_TEXT, "%s, predicted%s: %s (%s to %s), limited by %s.", p->gpu,
             p->measured ? "" : " for a GPU that was never measured", report_time(us, p->us),
             report_time(low, p->low_us), report_time(high, p->high_us),
             report_limit_name(p, limit));
    return text;
}

const char *report_roofline_text(const struct report_roofline *r, char text[REPORT_TEXT])
{
    char rate[32], allowed[32];
    snprintf(
        text, REPORT_TEXT,
        "The launch does %s %s. The lowest roof (%s) allows %s, and the launch reaches %.3g %% "
        "of that.",
        report_rounded(rate, r->rate), r->by_flops ? "GFLOP/s" : "G warp instructions/s", r->lowest,
        report_rounded(allowed, r->allowed), r->allowed > 0 ? 100 * r->rate / r->allowed : 0);
    return text;
}

const char *report_waves_text(const struct report_prediction *p, const struct report_waves *waves,
                              char text[REPORT_TEXT])
{
    char tail[32], count[32];
    snprintf(count, sizeof count, waves->waves < 9.95 ? "%.1f" : "%.0f", waves->waves);
    int size = snprintf(text, REPORT_TEXT,
                        "%s block%s of %.0f warp%s, %s at a time: %s wave%s. On average %.3g %% of "
                        "the chip's %s warps",
                        NUMBER((uint64_t)p->blocks), p->blocks == 1 ? "" : "s", p->block_warps,
                        p->block_warps == 1 ? "" : "s", NUMBER((uint64_t)waves->at_a_time), count,
                        strcmp(count, "1.0") == 0 ? "" : "s", 100 * waves->average,
                        NUMBER((uint64_t)p->most_warps));
    if (waves->tail_us > p->us / 100)
        snprintf(text + size, REPORT_TEXT - (size_t)size, "; multiprocessors without work cost %s.",
                 report_time(tail, waves->tail_us));
    else
        snprintf(text + size, REPORT_TEXT - (size_t)size, ".");
    return text;
}
