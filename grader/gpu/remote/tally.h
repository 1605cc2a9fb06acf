/* Counts a program's requests for the record, so that checks do not rely on the program's own
 * counts. A copy that the client splits into several messages counts as one request. */
#ifndef GPU_REMOTE_TALLY_H
#define GPU_REMOTE_TALLY_H

#include <stdint.h>

#include "gpu/remote/wire.h"

#define TALLY_MOST (1ull << 45) /* the largest sum of rows; readers of the record refuse more */

struct tally {
    uint64_t requests[WIRE_CALL_COUNT], rows[WIRE_CALL_COUNT];
    uint64_t sectors[WIRE_CALL_COUNT]; /* read and written by copies and fills on the device */
    /* The next message of a copy in parts: request WHAT, at address AT, with LEFT bytes or rows
     * still to move. LEFT is 0 if no more parts follow. */
    struct tally_part {
        uint64_t what, at, left;
    } next;
};

void tally_add(struct tally *tally, const struct wire_head *request);
/* Counts the sectors of REQUEST. Call it when REQUEST has succeeded. */
void tally_add_sectors(struct tally *tally, const struct wire_head *request);
/* Writes the counts to DEVICE's record. */
void tally_record(const struct tally *tally, struct emu_device *device);

#endif
