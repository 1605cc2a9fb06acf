/* Prints occupancy as text. */
#include "report/occupancy.h"

#include <stdbool.h>
#include <string.h>

#include "base/number.h"
#include "gpu/device.h"

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_capability(FILE *to, uint32_t capability)
{
    fprintf(to, "%u.%u", capability / 10, capability % 10);
}

static void print_demand(FILE *to, const struct emu_demand *demand)
{
    fprintf(to, "%u thread%s per block, ", demand->threads, plural(demand->threads));
    if (demand->registers)
        fprintf(to, "%u register%s per thread, ", demand->registers, plural(demand->registers));
    else
        fprintf(to, "any number of registers, ");
    fprintf(to, "%s byte%s of shared memory per block\n", NUMBER(demand->shared),
            plural(demand->shared));
}

/* --- one capability --------------------------------------------------------------------------- */

struct table {
    const struct emu_limits *limits;
    const struct emu_demand *demand;
    struct emu_occupancy now;
    uint32_t most[EMU_OCCUPANCY_LIMITS];
};

static void print_row(FILE *to, const struct table *t, enum emu_occupancy_limit limit,
                      const char *block, uint64_t sm)
{
    fprintf(to, "  %-15s  %-28s  %14s  ", emu_occupancy_limit_name(limit), block, NUMBER(sm));
    if (t->most[limit] == UINT32_MAX)
        fprintf(to, "   any\n");
    else
        fprintf(to, "%6u%s\n", t->most[limit], t->most[limit] == t->now.ctas ? "  <- limit" : "");
}

static void print_registers(const struct table *t, char *text, size_t size)
{
    struct emu_demand warp = {.threads = EMU_WARP_SIZE, .registers = t->demand->registers};
    uint32_t of_block = emu_occupancy_registers(t->limits, t->demand),
             warps = emu_occupancy_warps(t->demand);
    if (t->limits->register_parts)
        snprintf(text, size, "%s: %u warp%s of %s", NUMBER(of_block), warps, plural(warps),
                 NUMBER(emu_occupancy_registers(t->limits, &warp)));
    else
        snprintf(text, size, "%s for all its warps", NUMBER(of_block));
}

static void print_limits(FILE *to, const struct table *t)
{
    char text[80];
    fprintf(to, "  %-15s  %-28s  %14s  blocks\n", "resource", "used by a block", "available");
    snprintf(text, sizeof text, "%u", emu_occupancy_warps(t->demand));
    print_row(to, t, EMU_BY_WARPS, text, t->limits->sm_warps);
    print_row(to, t, EMU_BY_BLOCKS, "1", t->limits->sm_blocks);
    print_registers(t, text, sizeof text);
    print_row(to, t, EMU_BY_REGISTERS, text, t->limits->sm_registers);
    snprintf(text, sizeof text, "%s bytes",
             NUMBER(emu_occupancy_shared(t->limits, t->demand->shared)));
    print_row(to, t, EMU_BY_SHARED, text, t->limits->sm_shared);
}

static uint64_t value_of(const struct emu_demand *demand, enum emu_occupancy_limit resource)
{
    return resource == EMU_BY_WARPS       ? demand->threads
           : resource == EMU_BY_REGISTERS ? demand->registers
                                          : demand->shared;
}

static void set_value(struct emu_demand *demand, enum emu_occupancy_limit resource, uint64_t value)
{
    if (resource == EMU_BY_WARPS)
        demand->threads = (uint32_t)value;
    else if (resource == EMU_BY_REGISTERS)
        demand->registers = (uint32_t)value;
    else
        demand->shared = value;
}

/* Reduces the value of RESOURCE in DEMAND until CTAS blocks fit. Returns false if they do not fit
 * even with the lowest value. */
static bool lower(const struct emu_limits *limits, enum emu_occupancy_limit resource, uint32_t ctas,
                  struct emu_demand *demand)
{
    uint32_t most[EMU_OCCUPANCY_LIMITS];
    uint64_t least = resource == EMU_BY_SHARED ? 0 : 1;
    uint64_t value = value_of(demand, resource);
    if (resource == EMU_BY_SHARED && value > limits->block_shared_optin)
        value = limits->block_shared_optin;
    for (;; value--) {
        set_value(demand, resource, value);
        emu_occupancy_most(limits, demand, most);
        if (most[resource] >= ctas)
            return true;
        if (value == least)
            return false;
    }
}

static void print_change(FILE *to, const struct table *t, enum emu_occupancy_limit limit,
                         struct emu_demand *next)
{
    static const char *const of[] = {[EMU_BY_WARPS] = "threads per block",
                                     [EMU_BY_REGISTERS] = "registers per thread",
                                     [EMU_BY_SHARED] = "bytes of shared memory per block"};
    if (limit == EMU_BY_BLOCKS) {
        fprintf(
            to,
            "  not possible: a multiprocessor holds at most %u blocks; larger blocks would use more of its warps\n",
            t->limits->sm_blocks);
        return;
    }
    uint64_t now = value_of(next, limit);
    if (lower(t->limits, limit, t->now.ctas + 1, next))
        fprintf(to, "  at most %s %s, instead of %s\n", NUMBER(value_of(next, limit)), of[limit],
                NUMBER(now));
    else
        fprintf(to, "  %s: even the minimum is too much\n", of[limit]);
}

/* Prints what must change so that one more block fits: a new value for each resource that limits
 * the number of blocks. */
static void print_changes(FILE *to, const struct table *t)
{
    struct emu_demand next = *t->demand;
    if (t->now.ctas && t->now.warps == t->limits->sm_warps) {
        fprintf(to, "All warps are in use.\n");
        return;
    }
    fprintf(to, t->now.ctas ? "To fit one more block:\n"
                            : "Not even one block fits. To make one fit:\n");
    for (int i = 0; i < EMU_OCCUPANCY_LIMITS; i++)
        if (t->most[i] == t->now.ctas)
            print_change(to, t, (enum emu_occupancy_limit)i, &next);
    struct emu_occupancy then = emu_occupancy_of(t->limits, &next);
    if (then.ctas > t->now.ctas)
        fprintf(to, "Then the occupancy is %.1f %%: %u of %u warps.\n",
                100 * base_ratio(then.warps, t->limits->sm_warps), then.warps, t->limits->sm_warps);
}

void report_occupancy(FILE *to, const struct emu_limits *limits, const struct emu_demand *demand)
{
    struct table t = {limits, demand, .now = emu_occupancy_of(limits, demand)};
    emu_occupancy_most(limits, demand, t.most);
    fprintf(to, "Compute capability ");
    print_capability(to, limits->capability);
    fprintf(to, " (%s), ", limits->generation);
    print_demand(to, demand);
    fprintf(to,
            "\nOccupancy %.1f %%: %u block%s of %u warp%s, %u of %u warps of a multiprocessor\n\n",
            100 * base_ratio(t.now.warps, limits->sm_warps), t.now.ctas, plural(t.now.ctas),
            emu_occupancy_warps(demand), plural(emu_occupancy_warps(demand)), t.now.warps,
            limits->sm_warps);
    print_limits(to, &t);
    fprintf(to, "\n");
    print_changes(to, &t);
    if (t.now.ctas && demand->shared > limits->block_shared)
        fprintf(to,
                "More than %s bytes need dynamic shared memory and\n"
                "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ...).\n",
                NUMBER(limits->block_shared));
}

/* --- all capabilities ------------------------------------------------------------------------- */

static void print_binding(FILE *to, const struct emu_limits *limits,
                          const struct emu_demand *demand, uint32_t ctas)
{
    uint32_t most[EMU_OCCUPANCY_LIMITS];
    const char *comma = "";
    emu_occupancy_most(limits, demand, most);
    for (int i = 0; i < EMU_OCCUPANCY_LIMITS; i++)
        if (most[i] == ctas) {
            fprintf(to, "%s%s", comma, emu_occupancy_limit_name((enum emu_occupancy_limit)i));
            comma = ", ";
        }
    fprintf(to, "\n");
}

void report_occupancy_all(FILE *to, const struct emu_demand *demand)
{
    const struct emu_limits *limits;
    print_demand(to, demand);
    fprintf(to, "\n       generation  occupancy     warps  blocks  limited by\n");
    for (uint32_t i = 0; (limits = emu_limits_at(i)); i++) {
        struct emu_occupancy o = emu_occupancy_of(limits, demand);
        fprintf(to, "%3u.%u  %-10s  %7.1f %%  %2u of %2u  %6u  ", limits->capability / 10,
                limits->capability % 10, limits->generation,
                100 * base_ratio(o.warps, limits->sm_warps), o.warps, limits->sm_warps, o.ctas);
        print_binding(to, limits, demand, o.ctas);
    }
}

/* --- limits ----------------------------------------------------------------------------------- */

void report_limits(FILE *to, const struct emu_limits *limits)
{
    const char *name;
    uint32_t value;
    fprintf(to, "Compute capability ");
    print_capability(to, limits->capability);
    fprintf(to, " (%s)\n\n%14s  threads on a multiprocessor\n", limits->generation,
            NUMBER((uint64_t)limits->sm_warps * EMU_WARP_SIZE));
    for (uint32_t i = 0; (name = emu_limits_field(limits, i, &value)); i++)
        fprintf(to, "%14s  %s\n", NUMBER(value), name);
    fprintf(to, "\nIt has\n");
    for (uint32_t i = 0; (name = emu_limits_feature(i, &value)); i++)
        if (value <= limits->capability)
            fprintf(to, "  %s\n", name);
}

/* Starts a row of a table with the capability. Returns false after the last row. */
static bool print_row_of(FILE *to, uint32_t i, const struct emu_limits **limits)
{
    if (!(*limits = emu_limits_at(i)))
        return false;
    fprintf(to, "%3u.%u  %-10s", (*limits)->capability / 10, (*limits)->capability % 10,
            (*limits)->generation);
    return true;
}

static void print_resident(FILE *to)
{
    const struct emu_limits *l;
    fprintf(to,
            "On a multiprocessor   warps  threads  blocks    registers  in parts  shared memory\n");
    for (uint32_t i = 0; print_row_of(to, i, &l); i++)
        fprintf(to, "  %8u  %7s  %6u  %11s  %8.0u  %13s\n", l->sm_warps,
                NUMBER((uint64_t)l->sm_warps * EMU_WARP_SIZE), l->sm_blocks,
                NUMBER(l->sm_registers), l->register_parts, NUMBER(l->sm_shared));
}

static void print_of_block(FILE *to)
{
    const struct emu_limits *l;
    fprintf(to, "A block        threads    width, height, depth   registers  per thread  unit  "
                "shared memory   opt-in  reserved  unit\n");
    for (uint32_t i = 0; print_row_of(to, i, &l); i++)
        fprintf(to, "  %3s  %7s, %6s, %5u   %9s  %10u  %4u  %13s  %7s  %8s  %4u\n",
                NUMBER(l->block_threads), NUMBER(l->block_x), NUMBER(l->block_y), l->block_z,
                NUMBER(l->block_registers), l->thread_registers, l->register_unit,
                NUMBER(l->block_shared), NUMBER(l->block_shared_optin), NUMBER(l->shared_reserved),
                l->shared_unit);
}

static void print_of_grid(FILE *to)
{
    const struct emu_limits *l;
    fprintf(to, "A grid                   width   height    depth  kernels at a time  banks"
                "  shared memory can be set to, in KiB\n");
    for (uint32_t i = 0; print_row_of(to, i, &l); i++) {
        fprintf(to, "  %13s  %7s  %7s  %17u  %5u  %u", NUMBER(l->grid_x), NUMBER(l->grid_y),
                NUMBER(l->grid_z), l->grids, l->banks, l->splits[0]);
        for (int k = 1; k < EMU_SPLITS && l->splits[k]; k++)
            fprintf(to, ", %u", l->splits[k]);
        fprintf(to, "\n");
    }
}

void report_limits_all(FILE *to)
{
    const char *name;
    uint32_t since;
    print_resident(to);
    fprintf(to, "\n");
    print_of_block(to);
    fprintf(to, "\n");
    print_of_grid(to);
    fprintf(to, "\nSince\n");
    for (uint32_t i = 0; (name = emu_limits_feature(i, &since)); i++)
        fprintf(to, "%3u.%u  %s\n", since / 10, since % 10, name);
}
