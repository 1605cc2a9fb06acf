/* Writes a step, and the state after it, directly from the emulator. Tests compare this with the
 * state that a reader computes from the recording. So nothing here may use the recording or its
 * model. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/observe/step_state.h"

/* Returns the model's index of the first register of function NUMBER. */
static uint32_t first_register(const struct launch_view *launch, uint32_t number)
{
    uint32_t count = 0, first, end, index;
    for (uint32_t n = 0; n < number; n++) {
        view_range(launch, n, &first, &end);
        count += view_function(launch, first, &index)->register_count;
    }
    return count;
}

/* Writes a register as a list of words (4 bytes). A register has one, two or four words per lane; a
 * predicate is a single word. */
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
        bool wanted = launch->options->steps->dump_count &&
                      ((!now->opened && w == now->warp) || w == step % launch->warps);
        for (unsigned i = 0; i < count && wanted; i++)
            dump_registers(to, launch, now, w, &groups[i], &any);
    }
    fputc(']', to);
}

static void dump_access(FILE *to, const struct obs_access *access)
{
    uint32_t cost = 0, ideal = 0;
    if (step_has_cost(access))
        obs_measure(access, &cost, &ideal);
    fprintf(
        to,
        "{\"space\":%u,\"kind\":%u,\"bytes\":%u,\"mask\":%u,\"cost\":%u,\"ideal\":%u,\"addr\":[",
        step_space(access->space), access->kind, access->bytes, access->mask, cost, ideal);
    for (uint32_t left = access->mask; left; left &= left - 1)
        fprintf(to, "%s%llu", left == access->mask ? "" : ",",
                (unsigned long long)access->addr[__builtin_ctz(left)]);
    fprintf(to, "]}");
}

/* Writes the present contents of the words of global memory that the access covers, as [address,
 * word]. */
static void dump_words_at(FILE *to, const struct launch_view *launch,
                          const struct obs_access *access, bool *any)
{
    for (uint32_t left = access->space == PTX_GLOBAL ? access->mask : 0; left; left &= left - 1) {
        uint64_t first = access->addr[__builtin_ctz(left)];
        for (uint64_t addr = first & ~(uint64_t)3; addr < first + access->bytes; addr += 4) {
            const uint8_t *bytes = mem_range(launch->memory, addr, 4);
            uint32_t word;
            if (!bytes)
                continue;
            memcpy(&word, bytes, sizeof word);
            fprintf(to, "%s[%llu,%u]", *any ? "," : "", (unsigned long long)addr, word);
            *any = true;
        }
    }
}

/* Writes the present contents of the words of local memory that the access covers, as [lane,
 * address, word]. */
static void dump_local(FILE *to, const struct obs_state *now, const struct obs_access *access,
                       bool *any)
{
    for (uint32_t left = access->space == PTX_LOCAL ? access->mask : 0; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t first = access->addr[lane];
        for (uint64_t addr = first & ~(uint64_t)3; addr < first + access->bytes; addr += 4) {
            const uint8_t *bytes = view_local(now->machine, now->warp, lane, addr, 4);
            uint32_t word;
            if (!bytes)
                continue;
            memcpy(&word, bytes, sizeof word);
            fprintf(to, "%s[%u,%llu,%u]", *any ? "," : "", lane, (unsigned long long)addr, word);
            *any = true;
        }
    }
}

static void dump_accesses(FILE *to, const struct step_state *state, const struct obs_state *now)
{
    bool any = false;
    fprintf(to, ",\"accesses\":[");
    for (uint32_t i = 0; i < state->access_count; i++) {
        fputs(i ? "," : "", to);
        dump_access(to, &state->accesses[i]);
    }
    fprintf(to, "],\"global\":[");
    for (uint32_t i = 0; i < state->access_count; i++)
        dump_words_at(to, state->launch, &state->accesses[i], &any);
    fprintf(to, "],\"local\":[");
    any = false;
    for (uint32_t i = 0; i < state->access_count; i++)
        dump_local(to, now, &state->accesses[i], &any);
    fputc(']', to);
}

void step_dump(const struct step_state *state, const struct obs_state *now)
{
    const struct launch_view *launch = state->launch;
    uint64_t step = state->steps->steps - 1;
    int fd = state->wanted->dump_fd;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return;
    fprintf(to, "{\"step\":%llu,", (unsigned long long)step);
    if (now->opened)
        fprintf(to, "\"opened\":true,");
    else
        fprintf(to, "\"warp\":%u,\"pc\":%u,\"active\":%u,", now->warp, now->pc, now->active);
    dump_warps(to, launch, now, step);
    fprintf(to, ",\"shared\":[");
    for (uint32_t at = 0; at + 4 <= launch->shared_bytes; at += 4) {
        uint32_t word;
        memcpy(&word, view_shared(now->machine) + at, sizeof word);
        fprintf(to, "%s%u", at ? "," : "", word);
    }
    fputc(']', to);
    dump_accesses(to, state, now);
    fprintf(to, "}\n");
    fclose(to);
    if (text && write(fd, text, size) < 0)
        fprintf(stderr, "lanewise: the state cannot be written\n");
    free(text);
}
