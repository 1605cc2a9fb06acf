/* One run of `lanewise batch`: its options, and all that it opens before it grades. */
#ifndef CLI_BATCH_SESSION_H
#define CLI_BATCH_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "batch/queue.h"
#include "batch/roster.h"
#include "batch/scan.h"
#include "cli/cli.h"
#include "cli/common.h"
#include "report/bar.h"

struct options {
    const char *submissions, *out, *labs, *roster, *course, *attempt, *late_penalty, *late_limit,
        *per_day, *device, *seed, *jobs, *chunk_size, *gres, *slurm_options, *key;
    const char *chunk; /* --chunk, which only tasks on a cluster use */
    bool unsafe, slurm;
};

#define complain(...) cli_complain("batch", __VA_ARGS__)

/* The state of one run of the command. */
struct session {
    struct options options;
    struct course course;
    struct course_policy terms;
    struct batch_roster roster;
    struct batch_lab labs[MAX_LABS];
    size_t lab_count;   /* number of labs to grade, which come first in labs[] */
    size_t other_count; /* number of the kit's other labs, which follow in labs[] */
    enum grading_device device;
    char gpu_name[256];
    struct grade_seed seed;
    struct seal_key key; /* the key that signs the results, if has_key */
    bool has_key;
    unsigned jobs;
    size_t chunk_size;
    int lock;
    /* this process has made the folder of --out, and has not yet scanned the hand-ins */
    bool new_out;
    char scratch[PATH_SIZE]; /* the temporary folder of gradings, or "" if there is none */
    struct batch_store *store;
    struct report_bar bar;
};

/* Checks the options and reads all files that they name, before the command writes anything. */
bool batch_session_prepare(struct session *session);
/* Makes and locks the folder of --out, opens the store of grades, and chooses the seed. */
bool batch_session_open(struct session *session);
void batch_session_close(struct session *session);

/* Complains about the store's last error and returns false. */
bool batch_session_fail(struct session *session);
/* Returns the number in TEXT, which cli_read_options() has checked, or OTHERWISE if TEXT is
 * NULL. */
unsigned batch_number_or(const char *text, unsigned otherwise);

#endif
