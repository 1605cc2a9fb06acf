/* The queue on a Slurm cluster: chunks of it become tasks of a job array.
 *
 *     pending --chunk.h--> sbatch --array --> `lanewise batch --chunk` on the nodes
 *        ^                                        |
 *        '------ what has no grade --- store <----'  answers, collected while they come
 *
 * Slurm decides what runs where and when, and starts the tasks of a node that has died again. What a job
 * leaves without a grade (it ran out of time, say) goes into the next job, in smaller chunks, so that one
 * bad submission takes few others along; after SLURM_TRIES it is for review.
 *
 * Whatever ends this process, the job goes on, and the next one waits for it in place of starting another. */
#ifndef BATCH_SLURM_H
#define BATCH_SLURM_H

#include "batch/queue.h"

#define BATCH_SLURM_TRIES 3
#define BATCH_SLURM_TASKS                                                                          \
    1000 /* of one job array; Slurm's own limit is 1001 unless a site changed it */

struct batch_slurm {
    const char *folder;  /* absolute, on a file system that the nodes see, too */
    const char *program; /* lanewise, absolute */
    size_t chunk_size;   /* gradings of one task, of the first job */
    const char *gres;    /* "gpu:1"; NULL: none */
    const char *options; /* more options for sbatch, apart by blanks; NULL: none */
};

/* As batch_grade(), by jobs. An interrupt leaves the job running. */
enum batch_end batch_slurm_grade(const struct batch_queue *queue, const struct batch_slurm *slurm,
                                 struct batch_outcome *outcome);

#endif
