/* Gives observers the state of a CTA after each instruction: the pc of each lane, and the contents
 * of the registers. Implements a part of observe/view.h. */
#include "gpu/execute/access.h"
#include "gpu/execute/operations.h"
#include "gpu/execute/path.h"
#include "gpu/tools.h"

void cta_report_state(const struct cta *cta, struct obs_state *now)
{
    const struct listener *follower = &cta->worker->follower;
    now->machine = cta;
    now->cta = cta->linear;
    follower->observer->state(follower->state, now);
}

static uint8_t standing_of(const struct path *path)
{
    switch (path->state) {
    case PATH_AT_BARRIER:
        return OBS_AT_BARRIER;
    case PATH_AT_WARP_SYNC:
        return OBS_AT_WARP_SYNC;
    case PATH_AT_MEETING:
        return OBS_AT_MEETING;
    default:
        return OBS_READY;
    }
}

/* Adds a group. If an earlier group is at the same pc in the same frame, adds the lanes to that
 * group instead. Returns the number of groups. */
static unsigned add_group(struct obs_group *groups, unsigned count, struct obs_group new)
{
    for (unsigned i = 0; i < count; i++) {
        if (groups[i].pc == new.pc &&
            groups[i].standing == new.standing &&groups[i].frame == new.frame) {
            groups[i].lanes |= new.lanes;
            return count;
        }
    }
    groups[count] = new;
    return count + 1;
}

/* Finds the groups of a warp's lanes. A lane belongs to the topmost stack entry that contains it.
 * An entry that has reached its reconvergence point is popped only when the path runs next, so
 * until then it counts as waiting for the other side of the branch. */
unsigned view_groups(const struct cta *machine, uint32_t index, struct obs_group groups[32])
{
    const struct warp *warp = &machine->warps[index];
    unsigned count = 0;
    for (uint32_t i = 0; i < warp->path_count; i++) {
        const struct path *path = warp->paths[i];
        uint32_t seen = 0;
        bool below = false;
        for (uint32_t k = path->state == PATH_DONE ? 0 : path->depth; k-- > 0;) {
            const struct path_entry *entry = &path->stack[k];
            uint32_t lanes = entry->lanes & ~seen;
            bool waits = below || (entry->pc == entry->meet && k && path->stack[0].lanes & ~lanes);
            seen |= entry->lanes;
            below |= !waits;
            if (lanes)
                count = add_group(groups, count,
                                  (struct obs_group){lanes, entry->pc,
                                                     waits ? (uint8_t)OBS_BELOW : standing_of(path),
                                                     entry->frame});
        }
    }
    return count;
}

const uint8_t *view_register(const struct cta *machine, uint32_t index, const struct frame *frame,
                             uint32_t reg)
{
    const struct warp *warp = &machine->warps[index];
    struct slot fixed = frame->image->fixed[reg];
    if (fixed.offset == NO_SLOT)
        return frame->registers + frame->image->slots[reg];
    return (fixed.bank == BANK_REGISTERS ? frame->registers : warp->bank[fixed.bank]) +
           fixed.offset;
}

uint32_t view_frame_function(const struct launch_view *launch, const struct frame *frame)
{
    return (uint32_t)(frame->image - launch->kernel->images);
}

uint32_t view_register_place(const struct launch_view *launch, uint32_t function, uint32_t reg)
{
    const struct image *image = &launch->kernel->images[function];
    return image->fixed[reg].offset == NO_SLOT ? image->slots[reg] : UINT32_MAX;
}

const uint8_t *view_shared(const struct cta *machine)
{
    return machine->shared;
}

bool view_is_init_checked(const struct cta *machine)
{
    const struct launch *launch = machine->launch;
    return launch->view.options->tools & EMU_INITCHECK && !launch->watch_is_over;
}

const uint8_t *view_local(const struct cta *machine, uint32_t warp, unsigned lane, uint64_t addr,
                          uint64_t size)
{
    return access_local(&machine->warps[warp], lane, addr, size);
}
