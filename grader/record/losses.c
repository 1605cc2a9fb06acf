#include "record/losses.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "gpu/counters.h"
#include "gpu/finding_kinds.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

bool record_is_loss(const json_t *finding)
{
    return json_object_get(finding, "cause") != NULL;
}

json_int_t record_loss_waste(const json_t *finding)
{
    return json_integer_of(finding, "cost") - json_integer_of(finding, "ideal");
}

/* --- units ------------------------------------------------------------------------------------ */

/* A unit in which losses are counted. The total of a run in this unit is the sum of the counters in
 * ALL. */
struct unit {
    const char *name, *id; /* losses whose ids begin with `id` are counted in this unit */
    unsigned count;        /* number of entries in ALL */
    enum emu_counter all[4];
};

static const struct unit units[] = {
    {"sectors",
     "uncoalesced-",
     4,
     {EMU_global_load_sectors, EMU_global_store_sectors, EMU_global_atomic_sectors,
      EMU_global_reduction_sectors}},
    {"sectors",
     "redundant-load",
     4,
     {EMU_global_load_sectors, EMU_global_store_sectors, EMU_global_atomic_sectors,
      EMU_global_reduction_sectors}},
    {"wavefronts", "bank-conflict", 2, {EMU_shared_load_wavefronts, EMU_shared_store_wavefronts}},
    {"warp instructions", "divergent-branch", 1, {EMU_warp_instructions}},
    {"warp instructions", "serial-kernel", 1, {EMU_warp_instructions}},
};

static const struct unit *unit_of(const char *id)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
        if (strncmp(id, units[i].id, strlen(units[i].id)) == 0)
            return &units[i];
    return NULL;
}

static json_int_t total_of(const json_t *document, const struct unit *unit)
{
    size_t i;
    json_t *launch;
    json_int_t sum = 0;
    json_array_foreach(json_object_get(document, "launches"), i, launch)
    {
        for (unsigned j = 0; j < unit->count; j++)
            sum += json_integer_of(json_object_get(launch, "counters"),
                                   emu_counter_name(unit->all[j]));
    }
    return sum;
}

/* --- words ------------------------------------------------------------------------------------ */

static void write_message(char *text, size_t size, const json_t *loss)
{
    const char *id = json_text_of(loss, "id");
    double requests = (double)json_integer_of(loss, "count"),
           cost = (double)json_integer_of(loss, "cost"),
           ideal = (double)json_integer_of(loss, "ideal");
    json_int_t worst = json_integer_of(loss, "worst_cost"),
               least = json_integer_of(loss, "worst_ideal");
    const char *waste = NUMBER((uint64_t)record_loss_waste(loss));
    if (strncmp(id, "uncoalesced-", 12) == 0 && requests > 0)
        snprintf(text, size, "%.1f sectors per request; %.1f would be enough", cost / requests,
                 ideal / requests);
    else if (strcmp(id, "bank-conflict") == 0 && least > 0)
        snprintf(text, size, "%lld-way bank conflict, %s extra wavefronts",
                 (long long)((worst + least - 1) / least), waste);
    else if (strcmp(id, "divergent-branch") == 0)
        snprintf(text, size,
                 "lanes of a warp take different paths here, %s extra warp instructions", waste);
    else if (strcmp(id, "redundant-load") == 0)
        snprintf(text, size, "the same words are loaded again, %s extra sectors", waste);
    else if (strcmp(id, "serial-kernel") == 0)
        snprintf(text, size, "one lane does nearly all of the work, %s extra warp instructions",
                 waste);
    else
        snprintf(text, size, "%s", json_text_of(loss, "message"));
}

/* TEXT has the waste of all launches together. Appends the number of launches, and the waste per
 * launch. */
static void append_launches(char *text, size_t size, const json_t *loss)
{
    size_t used = strlen(text);
    json_int_t launches = json_integer_of(loss, "launches"),
               least = json_integer_of(loss, "least_waste"),
               most = json_integer_of(loss, "most_waste");
    if (launches < 2)
        return;
    used +=
        (size_t)snprintf(text + used, size - used, " in %s launches, ", NUMBER((uint64_t)launches));
    if (least == most)
        snprintf(text + used, size - used, "%s each", NUMBER((uint64_t)most));
    else
        snprintf(text + used, size - used, "%s to %s each", NUMBER((uint64_t)least),
                 NUMBER((uint64_t)most));
}

/* Writes the ideal cost in words, such as "625 sectors, 8.0x fewer". */
static void write_spare(char *text, size_t size, const json_t *loss, const struct unit *unit)
{
    double times = (double)json_integer_of(loss, "cost") / (double)json_integer_of(loss, "ideal");
    size_t length =
        strlen(unit->name) - (json_integer_of(loss, "ideal") == 1); /* "1 sector" has no "s" */
    snprintf(text, size, "%s %.*s, %.1fx fewer", NUMBER((uint64_t)json_integer_of(loss, "ideal")),
             (int)length, unit->name, times);
}

/* Members that are needed only to write the message. They are removed afterwards. */
static const char *const of_launches[] = {"worst_cost", "worst_ideal", "launches", "least_waste",
                                          "most_waste"};

static void describe_loss(json_t *loss, const json_t *document)
{
    const char *id = json_text_of(loss, "id");
    const struct unit *unit = unit_of(id);
    char text[200];
    write_message(text, sizeof text, loss);
    if (strstr(text, " extra "))
        append_launches(text, sizeof text, loss);
    json_object_set_new(loss, "message", json_string(text));
    for (size_t i = 0; i < sizeof of_launches / sizeof *of_launches; i++)
        json_object_del(loss, of_launches[i]);
    json_int_t all = unit ? total_of(document, unit) : 0;
    if (all <= 0 || json_integer_of(loss, "ideal") <= 0)
        return;
    write_spare(text, sizeof text, loss, unit);
    double share = 100.0 * (double)json_integer_of(loss, "cost") / (double)all;
    json_object_update_new(loss, json_pack("{ss,ss,sf}", "unit", unit->name, "spare", text, "share",
                                           share < 100 ? share : 100));
}

/* --- order ------------------------------------------------------------------------------------ */

struct entry {
    json_t *finding;
    size_t number;
};

/* Returns the rank by which findings are sorted: errors before losses before notes. */
static int rank_of(const json_t *finding)
{
    return record_is_loss(finding)                                  ? 1
           : strcmp(json_text_of(finding, "severity"), "note") == 0 ? 2
                                                                    : 0;
}

static int by_waste(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    int rank = rank_of(left->finding), other_rank = rank_of(right->finding);
    json_int_t more = rank == 1 ? record_loss_waste(left->finding) : 0,
               other = other_rank == 1 ? record_loss_waste(right->finding) : 0;
    if (rank != other_rank)
        return rank - other_rank;
    if (more != other)
        return more < other ? 1 : -1;
    return (left->number > right->number) - (left->number < right->number);
}

static void sort(json_t *findings)
{
    size_t count = json_array_size(findings);
    struct entry *entries = calloc(count ? count : 1, sizeof *entries);
    for (size_t i = 0; entries && i < count; i++)
        entries[i] = (struct entry){json_incref(json_array_get(findings, i)), i};
    if (!entries)
        return; /* out of memory: leave the findings unsorted */
    qsort(entries, count, sizeof *entries, by_waste);
    for (size_t i = 0; i < count; i++)
        json_array_set_new(findings, i, entries[i].finding);
    free(entries);
}

void record_describe_losses(json_t *document)
{
    size_t i;
    json_t *finding, *findings = json_object_get(document, "findings");
    json_array_foreach(findings, i, finding)
    {
        const struct finding_kind *kind = emu_finding_kind(json_text_of(finding, "id"));
        if (kind && !json_object_get(finding, "help"))
            json_object_set_new(finding, "help", json_string(kind->help));
        if (record_is_loss(finding))
            describe_loss(finding, document);
    }
    sort(findings);
}
