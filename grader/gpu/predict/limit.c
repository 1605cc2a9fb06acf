/* Computes how busy each unit is, and chooses the one that limits the launch.
 *
 * A unit's utilisation ("use") is its work, divided by the maximum work that it could do in the
 * time of the launch. Nsight Compute calls this a throughput in percent of the peak. A student who
 * later profiles the kernel therefore sees the same unit on top:
 *
 * - The utilisation of a first-level cache is relative to the time in which its multiprocessor has
 *   blocks. That of all other units is relative to the whole time of the kernel.
 * - The second-level cache is as busy as the busiest of its three directions: packets that
 *   multiprocessors send, sectors that it returns, and sectors that cross between its halves.
 * - DRAM's utilisation is relative to the bandwidth in the data sheet, which no kernel reaches. */
#include <math.h>

#include "gpu/predict/sample.h"

/* A unit whose utilisation is above this fraction limits the launch. Nsight Compute uses the same
 * fraction. */
#define MOST_OF_IT 0.6

/* A unit is nearly the limit if its utilisation is at most this much below that of the busiest
 * unit, or below MOST_OF_IT. */
#define NEARLY 0.1

/* The fraction of PREDICT_launch that Nsight Compute includes in the time of a kernel. The time
 * between two events is longer than the kernel's time: by 1.1 us on an H200, and by 0.8 us on an
 * H100 (measured). */
#define LAUNCH_PART 0.65

/* The simulated schedulers and pipes never lose a cycle, so the simulation overestimates their
 * utilisation. On average, the real one is this fraction of it (tests/hardware/times). */
#define ISSUED 0.9

/* Returns the cycles for which the second-level cache is busy. */
static double busy_l2(const struct emu_chip *chip, const struct sm_traffic *traffic)
{
    /* number of slices; each receives one packet per cycle */
    double slices = chip->l2_store_bytes_cycle / 32;
    double across = chip->l2_cross_bytes_cycle / 32;
    return fmax(fmax(traffic->received, traffic->sent) / slices,
                across > 0 ? traffic->crossed / across : 0);
}

void predict_use(struct prediction *p, const struct emu_chip *chip,
                 const struct sm_traffic *traffic, double us)
{
    const double *parts = p->part_us;
    double all = us + LAUNCH_PART * parts[PREDICT_launch], cycles = all * chip->clock_mhz;
    /* the average work of a multiprocessor, divided by the work of the busiest one */
    double even = us > 0 ? 1 - parts[PREDICT_tail] / us : 1;
    for (int i = 0; i < PREDICT_shared; i++)
        p->use[i] = ISSUED * even * parts[i] / all;
    /* Shared memory and the first-level cache are one unit. Its utilisation is reported for the
     * larger of the two. The unit is as busy as the busier of its two sides: its data, and its port
     * to the second-level cache. */
    double active = us - chip->start_latency / chip->clock_mhz;
    double busiest = fmax(traffic->passes, traffic->received) / chip->sms / chip->clock_mhz;
    bool is_shared = parts[PREDICT_shared] > parts[PREDICT_l1];
    p->use[is_shared ? PREDICT_shared : PREDICT_l1] = active > 0 ? busiest / even / active : 0;
    p->use[PREDICT_atomics] = parts[PREDICT_atomics] / us;
    p->use[PREDICT_l2] = chip->l2_bytes ? busy_l2(chip, traffic) / cycles : 0;
    p->use[PREDICT_dram] = chip->l2_bytes ? p->dram_bytes / (chip->dram_peak_gbs * 1e3 * all)
                                          : parts[PREDICT_dram] / all;
}

void predict_limit(struct prediction *p, double us)
{
    enum predict_part most = PREDICT_issue, next = PREDICT_PART_COUNT;
    for (int i = 0; i < PREDICT_latency; i++)
        most = p->use[i] > p->use[most] ? (enum predict_part)i : most;
    for (int i = 0; i < PREDICT_latency; i++)
        if (i != (int)most && (next == PREDICT_PART_COUNT || p->use[i] > p->use[next]))
            next = (enum predict_part)i;
    p->limit = most;
    p->also = p->use[next] > p->use[most] - NEARLY ? next : PREDICT_PART_COUNT;
    if (p->use[most] > MOST_OF_IT)
        return;
    p->limit = us < p->part_us[PREDICT_launch] ? PREDICT_launch : PREDICT_latency;
    p->also = p->use[most] > MOST_OF_IT - NEARLY ? most : PREDICT_PART_COUNT;
}
