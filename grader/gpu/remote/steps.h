/* Checks the timeline that the program's runtime library reports with emu_step(), because a grade
 * can depend on it and a program could send false steps. The program chooses the streams and the
 * events. But the server knows from the requests how many bytes each copy moved, in which
 * direction, and which memory it touched. It enforces these rules:
 *
 *   - A copy has the size of the requests that made it.
 *   - Memory is page-locked only if the program shares it with the device, in the arena.
 *   - Two pieces of work that may overlap do not touch the same bytes of the device's memory. */
#ifndef GPU_REMOTE_STEPS_H
#define GPU_REMOTE_STEPS_H

#include "gpu/remote/arena.h"
#include "gpu/remote/wire.h"

/* Opens the checks for the timeline of DEVICE. emu_is_timed(DEVICE) must be true. Returns NULL when
 * out of memory. */
struct steps *steps_open(struct emu_device *device, const struct arena *arena);
/* Ends the timeline. If no step has reported some copies, adds them as copies that the program
 * waited for. If a step violated a rule, adds work of unknown time. Accepts NULL. */
void steps_close(struct steps *steps);

/* Records that REQUEST has succeeded. ADDR is the first number of its reply. */
void steps_note(struct steps *steps, const struct wire_head *request, emu_addr addr);
/* Records that a launch has touched the COUNT memory ranges of LIST. */
void steps_note_launch(struct steps *steps, const struct emu_touch *list, size_t count);
/* Adds the step that REQUEST describes to the timeline. If the step does not match the earlier
 * requests, first makes it a copy with pageable memory. A kernel that touches shared memory
 * has an unknown time, because its time depends on the bus. */
void steps_take(struct steps *steps, const struct wire_head *request);

#endif
