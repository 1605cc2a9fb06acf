/* The loss behind a figure: which finding explains the counter that a check judges, why it costs so
 * much, and what the check would give if it were ideal. */
#include "checks/internal.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "record/losses.h"

/* Losses that make COUNTER large, by how their ids begin; "" if none does. */
static const char *losses_of(const char *counter)
{
    static const struct {
        const char *counter, *id;
    } rows[] = {
        {"global_load_sectors", "uncoalesced-load"}, {"global_store_sectors", "uncoalesced-store"},
        {"global_", "uncoalesced-atomic"},           {"shared_", "bank-conflict"},
        {"divergent_branches", "divergent-branch"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
        if (strncmp(counter, rows[i].counter, strlen(rows[i].counter)) == 0)
            return rows[i].id;
    return "";
}

/* A bank conflict of loads explains nothing to a check of stores, and the other way round. */
static bool is_of_access(const char *counter, const json_t *finding)
{
    const char *cause = json_text_of(finding, "cause");
    return !(strstr(counter, "shared_store") && strstr(cause, " read ")) &&
           !(strstr(counter, "shared_load") && strstr(cause, " write "));
}

/* The most wasteful of them in the student's file, or NULL: findings are sorted. */
static const json_t *find_loss(const struct check *check, const struct trial *trial, const char *id)
{
    const char *counter = check->info->figure.counter;
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(trial->record, "findings"), i, finding)
    {
        if (record_is_loss(finding) && strcmp(json_text_of(finding, "id"), id) == 0 &&
            is_of_access(counter, finding) &&
            check_is_own_file(check, json_text_of(finding, "file")))
            return finding;
    }
    return NULL;
}

/* The figure if LOSS were none, the rest being as it is: figures are proportional to their counters. */
static double ideal_value(const struct check *check, const struct trial *trial, const json_t *loss)
{
    double all = check_counter(trial, check->info->figure.counter);
    bool branches = strcmp(json_text_of(loss, "id"), "divergent-branch") == 0;
    double less = branches ? json_number_of(loss, "count") : (double)record_loss_waste(loss);
    return all > less ? check->value * (all - less) / all : 0;
}

static void tell_spare(struct check *check, const struct trial *trial, const json_t *loss)
{
    double share = judge_share(&check->budget, ideal_value(check, trial, loss));
    double most = check->points, points = judge_points(share, most);
    int used = snprintf(check->spare, sizeof check->spare, "%s", json_text_of(loss, "spare"));
    char *end = check->spare + used;
    size_t left = sizeof check->spare - (size_t)used;
    if (used == 0 || left < 60)
        return;
    if (share >= 1)
        snprintf(end, left, "; the check would pass");
    else if (points > judge_points(check->share, most))
        snprintf(end, left, "; the check would give %.4g of %.4g points", points, most);
}

bool check_point_at_loss(struct check *check, const struct trial *trial)
{
    const char *id = losses_of(check->info->figure.counter);
    const json_t *loss = *id ? find_loss(check, trial, id) : NULL;
    if (!loss)
        return false;
    check_point_at(check, json_text_of(loss, "file"), (unsigned)json_integer_of(loss, "line"),
                   (unsigned)json_integer_of(loss, "column"));
    snprintf(check->cause, sizeof check->cause, "%s", json_text_of(loss, "cause"));
    tell_spare(check, trial, loss);
    return true;
}
