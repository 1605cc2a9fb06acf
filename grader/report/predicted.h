/* Computes the contents of the pictures of a predicted time, as numbers and sentences. The
 * functions are pure.
 *
 *   a launch of lanewise/run/v1 --report_read_prediction()--> struct report_prediction
 *     --> the limits: each part's time
 *     --report_roofline()--> a point and the chip's roofs
 *     --report_waves()--> warps over time */
#ifndef REPORT_PREDICTED_H
#define REPORT_PREDICTED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define REPORT_PARTS   14
#define REPORT_ROOFS   3  /* number of kinds of memory that have a roof */
#define REPORT_MOMENTS 60 /* maximum number of points in time for which the occupancy is known */
#define REPORT_TEXT    320

/* The pictures, as bits of a set. */
enum { REPORT_LIMITS = 1, REPORT_ROOFLINE = 2, REPORT_WAVES = 4, REPORT_ALL_PICTURES = 7 };

/* Finds the pictures in LIST, such as "limits,roofline". Returns false if a name in LIST is not one
 * of limits, roofline, occupancy, all and none. */
bool report_find_pictures(const char *list, unsigned *pictures);

/* A part of a predicted time: its name in JSON, its name in pictures, and its name in "limited by
 * ...". */
struct report_part {
    const char *name, *short_name, *limit;
};
extern const struct report_part report_parts[REPORT_PARTS];

/* A launch's prediction. The document owns the strings. */
struct report_prediction {
    const char *kernel, *gpu; /* such as "NVIDIA H200" */
    bool measured;            /* the chip's parameters were measured on such a chip */
    double us, low_us, high_us;
    double part_us[REPORT_PARTS]; /* the launch's time if it needed only this part of the chip */
    /* index of the part that limits the launch, or REPORT_PARTS if unknown */
    unsigned limit;
    unsigned also;              /* a part that limits it nearly as much, or REPORT_PARTS */
    double flops, instructions; /* numbers of FLOP and of warp instructions in the launch */
    double bytes[REPORT_ROOFS]; /* bytes that DRAM, L2 and shared memory moved */
    double flops_roof, instructions_roof,
        bytes_roof[REPORT_ROOFS]; /* in G per second, or 0 if the chip has no such unit */
    /* number of warps on the chip at each point in time, and the largest number that fits */
    double warps[REPORT_MOMENTS], most_warps;
    unsigned moments;
    double blocks, block_warps; /* blocks in the grid, and warps in a block */
};

/* Reads LAUNCH, which must live as long as P. Returns false if it has no prediction. */
bool report_read_prediction(const json_t *launch, struct report_prediction *p);

/* Returns the predicted time in microseconds without the time that the launch itself takes. */
double report_working_us(const struct report_prediction *p);

/* Returns whether the launch does enough float arithmetic for its speed to be shown in FLOP/s. */
bool report_counts_flops(const struct report_prediction *p);

struct report_roofline {
    bool by_flops; /* true if the rates count FLOP, false if they count warp instructions */
    /* rate of the launch, and maximum rate of the chip, in G per second */
    double rate, peak;
    const char *name[REPORT_ROOFS]; /* "DRAM", or NULL if the chip has no such unit */
    double bandwidth[REPORT_ROOFS]; /* GB per second */
    double intensity[REPORT_ROOFS]; /* FLOP or instructions per byte, or 0 if no byte was moved */
    double allowed;                 /* the rate that the lowest roof allows this launch */
    const char *lowest;             /* the name of that roof */
};
void report_roofline(const struct report_prediction *p, bool by_flops, struct report_roofline *r);

/* The limits of the axes of a logarithmic plot that contains all roofs and all COUNT launches, as
 * decimal logarithms. */
struct report_axes {
    double left, right, bottom, top;
};
struct report_axes report_axes(const struct report_roofline *lines, unsigned count);

struct report_waves {
    /* number of warps on the chip over time, divided by the largest number that fits */
    double share[REPORT_MOMENTS];
    double average;   /* the average of these shares */
    double at_a_time; /* number of blocks that fit on the chip at the same time */
    double waves;     /* blocks / at_a_time */
    double launch_us, tail_us;
};
void report_waves(const struct report_prediction *p, struct report_waves *waves);

/* Writes the end of "limited by ...", such as "the L2 cache, and nearly by DRAM". Returns TEXT. */
const char *report_limit_name(const struct report_prediction *p, char text[REPORT_TEXT]);

/* Write the one or two sentences that appear under a picture. Return TEXT. */
const char *report_limits_text(const struct report_prediction *p, char text[REPORT_TEXT]);
const char *report_roofline_text(const struct report_roofline *r, char text[REPORT_TEXT]);
const char *report_waves_text(const struct report_prediction *p, const struct report_waves *waves,
                              char text[REPORT_TEXT]);

/* Writes TIME, in microseconds, with three digits and a unit, such as "7.12 us" or "36.2 ms".
 * Returns TEXT. */
const char *report_time(char text[32], double time);

/* Writes VALUE with three digits, such as "0.0123", "7.12" or "64,200". Returns TEXT. */
const char *report_rounded(char text[32], double value);

#endif
