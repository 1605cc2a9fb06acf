/* Finds the loss that explains a figure. A loss is a finding about wasted work; it explains a
 * figure if it increases the counter that the check judges. Reports the cause of the loss, and the
 * points that the check would give without it. */
#include "checks/judging.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "checks/internal.h"
#include "checks/run.h"
#include "checks/verdict.h"
#include "record/losses.h"

/* Returns the id of the losses that increase COUNTER, or the first one if COUNTER is a list of
 * counters. Returns "" if there are no such losses. */
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

/* Returns whether FINDING is about the kind of access that COUNTER counts: a bank conflict of
 * loads, for example, does not explain a counter of stores. COUNTER may be NULL. */
static bool is_of_access(const char *counter, const json_t *finding)
{
    const char *cause = json_text_of(finding, "cause");
    bool stores = counter && strstr(counter, "shared_store");
    bool loads = counter && strstr(counter, "shared_load");
    return !(stores && strstr(cause, " read ")) && !(loads && strstr(cause, " write "));
}

/* Returns the loss of type ID in the student's file that wastes most, or NULL. Findings are sorted
 * by waste. */
static const json_t *find_loss(const struct check *check, const struct run *run, const char *id)
{
    const char *counter = check->info->figure.counter;
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(run->record, "findings"), i, finding)
    {
        if (record_is_loss(finding) && strcmp(json_text_of(finding, "id"), id) == 0 &&
            is_of_access(counter, finding) &&
            check_is_own_file(check, json_text_of(finding, "file")))
            return finding;
    }
    return NULL;
}

/* Returns the value that the figure would have without LOSS. Assumes that the figure is
 * proportional to its counter. */
static double ideal_value(const struct check *check, const struct run *run, const json_t *loss)
{
    double all = check_counter(run, check->info->figure.counter);
    bool branches = strcmp(json_text_of(loss, "id"), "divergent-branch") == 0;
    double less = branches ? json_number_of(loss, "count") : (double)record_loss_waste(loss);
    return all > less ? check->verdict.value * (all - less) / all : 0;
}

static void describe_spare(struct check *check, const struct run *run, const json_t *loss)
{
    double share = judge_share(&check->budget, ideal_value(check, run, loss));
    double most = check->points, points = judge_points(share, most);
    int used = snprintf(check->verdict.spare, sizeof check->verdict.spare, "%s",
                        json_text_of(loss, "spare"));
    char *end = check->verdict.spare + used;
    size_t left = sizeof check->verdict.spare - (size_t)used;
    if (used == 0 || left < 60)
        return;
    if (share >= 1)
        snprintf(end, left, "; the check would pass");
    else if (points > judge_points(check->verdict.share, most))
        snprintf(end, left, "; the check would give %.4g of %.4g points", points, most);
}

static void point_at(struct check *check, const json_t *loss)
{
    check_point_at(check, json_text_of(loss, "file"), (unsigned)json_integer_of(loss, "line"),
                   (unsigned)json_integer_of(loss, "column"));
    snprintf(check->verdict.cause, sizeof check->verdict.cause, "%s", json_text_of(loss, "cause"));
    snprintf(check->verdict.loss_case, sizeof check->verdict.loss_case, "%s",
             json_text_of(loss, "case"));
}

static void point_and_advise(struct check *check, const json_t *loss)
{
    const char *help = json_text_of(loss, "help");
    point_at(check, loss);
    if (*help)
        check_advise(check, "%c%s.", toupper((unsigned char)*help), help + 1);
}

void check_point_at_excess(struct check *check, const struct run *run, const char *id,
                           double excess)
{
    const json_t *loss = find_loss(check, run, id);
    if (!loss || 2.0 * (double)record_loss_waste(loss) < excess)
        return;
    point_and_advise(check, loss);
}

/* If a divergent branch makes most of the program's instructions run in fewer than 8 of 32 lanes,
 * makes the report show the branch. An access by few lanes wastes nothing, but such a program makes
 * many of them. */
static bool point_at_idle_lanes(struct check *check, const struct run *run)
{
    const json_t *loss = find_loss(check, run, "divergent-branch");
    if (!loss || json_number_of(loss, "share") < 50 ||
        4 * json_number_of(loss, "ideal") > json_number_of(loss, "cost"))
        return false;
    point_and_advise(check, loss);
    return true;
}

bool check_point_at_loss(struct check *check, const struct run *run)
{
    const char *counter = check->info->figure.counter;
    const json_t *loss = NULL;
    for (const char *at = counter; at; at = strchr(at, ' ')) {
        at += *at == ' ';
        const char *id = losses_of(at);
        const json_t *other = *id ? find_loss(check, run, id) : NULL;
        if (other && (!loss || record_loss_waste(other) > record_loss_waste(loss)))
            loss = other;
    }
    if (!loss)
        return strncmp(counter, "global_", strlen("global_")) == 0 &&
               point_at_idle_lanes(check, run);
    point_at(check, loss);
    describe_spare(check, run, loss);
    return true;
}
