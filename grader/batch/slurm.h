/* The queue on a Slurm cluster: chunks of it become tasks of a job array.
 *
 *     pending --chunk.h--> sbatch --array --> `lanewise batch --chunk` on the nodes
 *        ^                                        |
 *        '------- ungraded entries --- store <----'  answers, collected as they arrive
 *
 * Slurm decides where and when tasks run, and restarts tasks whose node has died. Entries that a
 * job leaves without a grade (a task ran out of time, say) go into the next job in smaller
 * chunks, so that one bad submission affects few others. After BATCH_SLURM_TRIES jobs they are
 * for review.
 *
 * If this process ends early, the job continues. The next process waits for that job instead of
 * starting another. */
#ifndef BATCH_SLURM_H
#define BATCH_SLURM_H

#include "batch/queue.h"

#define BATCH_SLURM_TRIES 3
#define BATCH_SLURM_TASKS                                                                          \
    1000 /* of one job array; Slurm's own limit is 1001 unless a site changed it */

struct batch_slurm {
    const char *folder;  /* absolute, on a file system that the nodes share */
    const char *program; /* lanewise, absolute */
    size_t chunk_size;   /* gradings in a task of the first job */
    const char *gres;    /* "gpu:1"; NULL: none */
    const char *options; /* more options for sbatch, separated by blanks; NULL: none */
};

/* Like batch_grade(), but as Slurm jobs. An interrupt leaves the job running. */
enum batch_end batch_slurm_grade(const struct batch_queue *queue, const struct batch_slurm *slurm,
                                 struct batch_outcome *outcome);

#endif
