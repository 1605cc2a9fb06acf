/* Writes the state of a CTA straight from the machine. Tests compare it with the state that a
 * reader reconstructs from the recording, so nothing here uses the recording or its model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/observe/stepper.h"

/* The model's number of the first register of function NUMBER. */
static uint32_t first_register(const struct launch_view *launch, uint32_t number)
{
    uint32_t count = 0, first, end, index;
    for (uint32_t n = 0; n < number; n++) {
        view_range(launch, n, &first, &end);
        count += view_function(launch, first, &index)->register_count;
    }
    return count;
}

/* Writes a list of words: for each lane one, two or four; for a predicate one for all lanes. */
static void dump_words(FILE *to, const uint8_t *bytes, uint32_t width)
{
    unsigned count = width ? WARP : 1, parts = width > 4 ? width / 4 : 1;
    for (unsigned k = 0; k < parts; k++)
        for (unsigned l = 0; l < count; l++) {
            uint32_t word = 0;
            size_t at = width == 16 ? (k / 2 * WARP + l) * 8 + 4 * (k % 2)
                                    : (size_t)width * l + 4 * (size_t)k;
            memcpy(&word, bytes + at, width && width < 4 ? width : 4);
            fprintf(to, "%s%u", k || l ? "," : "", word);
        }
}

static void dump_registers(FILE *to, const struct launch_view *launch, const struct obs_state *now,
                           uint32_t warp, const struct obs_group *group, bool *any)
{
    uint32_t number = view_frame_function(launch, group->frame), first, end, index;
    uint32_t base = first_register(launch, number);
    view_range(launch, number, &first, &end);
    const struct ptx_function *f = view_function(launch, first, &index);
    for (uint32_t reg = 0; reg < f->register_count; reg++) {
        fprintf(to, "%s[%u,%u,%u,", *any ? "," : "", warp, base + reg, group->lanes);
        dump_words(to, view_register(now->machine, warp, group->frame, reg),
                   ptx_type_bytes(f->registers[reg].type));
        fputc(']', to);
        *any = true;
    }
}

static void dump_warps(FILE *to, const struct launch_view *launch, const struct obs_state *now,
                       uint64_t step)
{
    struct obs_group groups[WARP];
    bool any = false;
    fprintf(to, "\"groups\":[");
    for (uint32_t w = 0; w < launch->warps; w++) {
        unsigned count = view_groups(now->machine, w, groups);
        fprintf(to, "%s[", w ? "," : "");
        for (unsigned i = 0; i < count; i++)
            fprintf(to, "%s[%u,%u,%u]", i ? "," : "", groups[i].lanes, groups[i].pc,
                    groups[i].standing);
        fputc(']', to);
    }
    fprintf(to, "],\"registers\":[");
    for (uint32_t w = 0; w < launch->warps; w++) {
        unsigned count = view_groups(now->machine, w, groups);
        bool wanted = (!now->opened && w == now->warp) || w == step % launch->warps;
        for (unsigned i = 0; i < count && wanted; i++)
            dump_registers(to, launch, now, w, &groups[i], &any);
    }
    fputc(']', to);
}

/* The words that the access covers, as they are now. */
static void dump_accessed(FILE *to, const struct launch_view *launch,
                          const struct obs_access *access)
{
    bool any = false;
    fprintf(to, ",\"global\":[");
    for (uint32_t left = access && access->space == PTX_GLOBAL ? access->mask : 0; left;
         left &= left - 1) {
        uint64_t addr = access->addr[__builtin_ctz(left)] & ~(uint64_t)3;
        const uint8_t *bytes = mem_range(launch->memory, addr, 4);
        uint32_t word;
        if (!bytes)
            continue;
        memcpy(&word, bytes, sizeof word);
        fprintf(to, "%s[%llu,%u]", any ? "," : "", (unsigned long long)addr, word);
        any = true;
    }
    fputc(']', to);
}

void step_dump(int fd, const struct launch_view *launch, const struct obs_state *now, uint64_t step,
               const struct obs_access *access)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fprintf(to, "{\"step\":%llu,", (unsigned long long)step);
    dump_warps(to, launch, now, step);
    fprintf(to, ",\"shared\":[");
    for (uint32_t at = 0; at + 4 <= launch->shared_bytes; at += 4) {
        uint32_t word;
        memcpy(&word, view_shared(now->machine) + at, sizeof word);
        fprintf(to, "%s%u", at ? "," : "", word);
    }
    fputc(']', to);
    dump_accessed(to, launch, access);
    fprintf(to, "}\n");
    fclose(to);
    if (text && write(fd, text, size) < 0)
        fprintf(stderr, "lanewise: the state cannot be written\n");
    free(text);
}
