/* Runs the queue on a Slurm cluster. Chunks of the queue become tasks of a job array.
 *
 *     pending --chunk.h--> sbatch --array --> `lanewise batch --chunk` on the nodes
 *        ^                                        |
 *        '------- ungraded entries --- store <----'  answers, collected as they arrive
 *
 * Slurm decides where and when tasks run, and restarts tasks whose node has died. A job may leave
 * entries without a grade, for example because a task ran out of time. The next job gets them in
 * smaller chunks, so that one bad submission affects few others. Entries that have no grade after
 * BATCH_SLURM_TRIES jobs are listed for review.
 *
 * If this process ends early, the job continues. The next process waits for that job instead of
 * starting another. */
#ifndef BATCH_SLURM_H
#define BATCH_SLURM_H

#include "batch/queue.h"

#define BATCH_SLURM_TRIES 3
#define BATCH_SLURM_TASKS 1000 /* maximum number of tasks in a job; Slurm's own limit is 1001 */

struct batch_slurm {
    const char *folder;  /* absolute path, on a file system that the nodes share */
    const char *program; /* absolute path of lanewise */
    size_t chunk_size;   /* number of gradings in each task of the first job */
    const char *gres;    /* value of sbatch's --gres, such as "gpu:1", or NULL if there is none */
    /* more options for sbatch, separated by blanks, or NULL if there is none */
    const char *options;
};

/* Does the same as batch_grade(), but in Slurm jobs. An interrupt leaves the job running. */
enum batch_end batch_slurm_grade(const struct batch_queue *queue, const struct batch_slurm *slurm,
                                 struct batch_outcome *outcome);

#endif
