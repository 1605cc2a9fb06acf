#include "gpu/predict/memo.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/predict/walk.h"

/* Returns whether two arrays of COUNT elements are equal. */
static bool equal(const void *a, const void *b, uint64_t count, size_t size)
{
    return !count || memcmp(a, b, count * size) == 0;
}

/* These elements have no padding, so they can be compared as bytes. */
_Static_assert(sizeof(struct walk_run) == 16, "struct walk_run has padding");
_Static_assert(sizeof(struct walk_access) == 20, "struct walk_access has padding");

static bool same_walk(const struct walk *a, const struct walk *b)
{
    return a->run_count == b->run_count && a->access_count == b->access_count &&
           a->line_count == b->line_count && a->executed == b->executed && a->kept == b->kept &&
           equal(a->runs, b->runs, a->run_count, sizeof *a->runs) &&
           equal(a->accesses, b->accesses, a->access_count, sizeof *a->accesses) &&
           equal(a->lines, b->lines, a->line_count, sizeof *a->lines);
}

static bool same_ctas(const struct walk_cta *a, const struct walk_cta *b)
{
    for (; a && b; a = a->next, b = b->next) {
        if (a->cta != b->cta || a->warps != b->warps)
            return false;
        for (uint32_t w = 0; w < a->warps; w++)
            if (!same_walk(&a->walk[w], &b->walk[w]))
                return false;
    }
    return !a && !b;
}

const struct prediction *memo_find(const struct memo *memo, const struct memo_key *key,
                                   const struct sample *sample)
{
    uint64_t count = sample->work_count;
    for (unsigned i = 0; i < MEMO_LAUNCHES; i++) {
        const struct memo_entry *old = memo->entries[i];
        if (old && memcmp(&old->key, key, sizeof *key) == 0 && old->work_count == count &&
            equal(old->work, sample->work, count, sizeof *old->work) &&
            equal(old->work + count, sample->longest, count, sizeof *old->work) &&
            same_ctas(old->ctas, sample->ctas))
            return &old->prediction;
    }
    return NULL;
}

static uint64_t bytes_of(const struct sample *sample)
{
    uint64_t bytes = 2 * sample->work_count * sizeof *sample->work;
    for (const struct walk_cta *cta = sample->ctas; cta; cta = cta->next)
        for (uint32_t w = 0; w < cta->warps; w++) {
            const struct walk *walk = &cta->walk[w];
            bytes += sizeof *walk + walk->run_room * sizeof *walk->runs +
                     walk->access_room * sizeof *walk->accesses +
                     walk->line_room * sizeof *walk->lines;
        }
    return bytes;
}

bool prediction_copy(struct prediction *to, const struct prediction *from)
{
    size_t size = from->share_count * sizeof *from->share;
    double *share = from->share ? malloc(size + 1) : NULL;
    if (from->share && !share)
        return false;
    *to = *from;
    to->share = share ? memcpy(share, from->share, size) : NULL;
    return true;
}

static void forget(struct memo_entry *entry)
{
    if (!entry)
        return;
    walk_free_list(entry->ctas);
    free(entry->work);
    free(entry->prediction.share);
    free(entry);
}

void memo_keep(struct memo *memo, const struct memo_key *key, struct sample *sample,
               const struct prediction *prediction)
{
    uint64_t count = sample->work_count;
    struct memo_entry *entry = bytes_of(sample) <= MEMO_BYTES ? malloc(sizeof *entry) : NULL;
    if (!entry)
        return;
    *entry = (struct memo_entry){.key = *key, .work_count = count};
    entry->work = malloc((2 * count + 1) * sizeof *entry->work);
    if (!entry->work || !prediction_copy(&entry->prediction, prediction)) {
        forget(entry);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        entry->work[i] = sample->work[i];
        entry->work[count + i] = sample->longest[i];
    }
    entry->ctas = sample->ctas;
    sample->ctas = NULL;
    struct memo_entry **place = &memo->entries[memo->count++ % MEMO_LAUNCHES];
    forget(*place);
    *place = entry;
}

void memo_clear(struct memo *memo)
{
    for (unsigned i = 0; i < MEMO_LAUNCHES; i++) {
        forget(memo->entries[i]);
        memo->entries[i] = NULL;
    }
}
