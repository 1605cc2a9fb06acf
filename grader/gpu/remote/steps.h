/* Checks the steps that the program's runtime library takes (emu_step()), because points can depend
 * on the timeline. The program chooses the streams of its work, and the events. But the requests
 * show which bytes its work has copied, between which sides, and which memory it has touched. So a
 * step can only state things that are possible:
 *
 *   - A copy is as large as the requests that made it.
 *   - Memory is page-locked only if the program shares it with the device, in the arena.
 *   - Work that nothing orders touches no common bytes of the device's memory. */
#ifndef GPU_REMOTE_STEPS_H
#define GPU_REMOTE_STEPS_H

#include "gpu/remote/arena.h"
#include "gpu/remote/wire.h"

/* Opens the checks of the steps that DEVICE gets, which must be timed. Returns NULL when out of
 * memory. */
struct steps *steps_open(struct emu_device *device, const struct arena *arena);
/* Ends the timeline. Copies without a step count as copies that the program waits for. After an
 * impossible step, the timeline has work of unknown time. Accepts NULL. */
void steps_close(struct steps *steps);

/* Records that REQUEST has succeeded. ADDR is the first number of its reply. */
void steps_note(struct steps *steps, const struct wire_head *request, emu_addr addr);
/* Records that a launch has touched the COUNT ranges of LIST. */
void steps_note_launch(struct steps *steps, const struct emu_touch *list, size_t count);
/* Takes the step that REQUEST describes, as far as it is true. A copy that differs from the step
 * counts as a copy between the device and pageable memory. The time of a kernel that touches shared
 * memory is unknown, because it depends on the bus. */
void steps_take(struct steps *steps, const struct wire_head *request);

#endif
