#include "gpu/observe/findings.h"

#include <stdlib.h>
#include <string.h>

void findings_init(struct findings *findings)
{
    memset(findings, 0, sizeof *findings);
    pthread_mutex_init(&findings->lock, NULL);
}

void findings_free(struct findings *findings)
{
    pthread_mutex_destroy(&findings->lock);
    free(findings->list);
}

static struct finding *new_finding(struct findings *findings)
{
    if (findings->count == FINDINGS_MAX)
        return NULL;
    if (findings->count == findings->room) {
        uint32_t room = findings->room ? 2 * findings->room : 16;
        struct finding *list = realloc(findings->list, room * sizeof *list);
        if (!list)
            return NULL;
        findings->list = list;
        findings->room = room;
    }
    return &findings->list[findings->count++];
}

struct finding *findings_add_pair(struct findings *findings, const char *id, uint32_t pc,
                                  uint32_t related, uint64_t count)
{
    pthread_mutex_lock(&findings->lock);
    for (uint32_t i = 0; i < findings->count; i++) {
        struct finding *known = &findings->list[i];
        if (known->pc == pc && known->related == related && strcmp(known->id, id) == 0) {
            known->count += count;
            return NULL;
        }
    }
    struct finding *finding = new_finding(findings);
    if (finding)
        *finding = (struct finding){.id = id, .pc = pc, .related = related, .count = count};
    else
        findings->dropped++;
    return finding;
}

struct finding *findings_add(struct findings *findings, const char *id, uint32_t pc)
{
    return findings_add_pair(findings, id, pc, NO_PC, 1);
}

void findings_unlock(struct findings *findings)
{
    pthread_mutex_unlock(&findings->lock);
}
