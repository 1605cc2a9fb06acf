/* Checks the timeline that the program's runtime library reports with emu_step(), because points
 * can depend on it. The program chooses the streams and the events. But the requests show how many
 * bytes a copy moved, in which direction, and which memory it touched. So a step can only report
 * something that is possible:
 *
 *   - A copy has the size of the requests that made it.
 *   - Memory is page-locked only if the program shares it with the device, in the arena.
 *   - Two pieces of work that may overlap do not touch the same bytes of the device's memory. */
#ifndef GPU_REMOTE_STEPS_H
#define GPU_REMOTE_STEPS_H

#include "gpu/remote/arena.h"
#include "gpu/remote/wire.h"

/* Opens the checks for the timeline of DEVICE, whose emu_is_timed() must be true. Returns NULL when
 * out of memory. */
struct steps *steps_open(struct emu_device *device, const struct arena *arena);
/* Ends the timeline. Copies that no step reported are added as copies that the program waited for.
 * If a step was impossible, adds work of unknown time. Accepts NULL. */
void steps_close(struct steps *steps);

/* Records that REQUEST has succeeded. ADDR is the first number of its reply. */
void steps_note(struct steps *steps, const struct wire_head *request, emu_addr addr);
/* Records that a launch has touched the COUNT memory ranges of LIST. */
void steps_note_launch(struct steps *steps, const struct emu_touch *list, size_t count);
/* Adds the step that REQUEST describes to the timeline, after correcting it. If the requests show
 * other work than the step, the work counts as a copy with pageable memory. A kernel that touches
 * shared memory has an unknown time, because its time depends on the bus. */
void steps_take(struct steps *steps, const struct wire_head *request);

#endif
