/* Counts a program's requests for the record, because the program could forge counts of its own. A
 * copy that the client splits into several messages counts as one request. */
#ifndef GPU_REMOTE_TALLY_H
#define GPU_REMOTE_TALLY_H

#include <stdint.h>

#include "gpu/remote/wire.h"

/* largest sum of rows; readers of the record reject larger numbers */
#define TALLY_MOST (1ull << 45)

struct tally {
    uint64_t requests[WIRE_CALL_COUNT], rows[WIRE_CALL_COUNT];
    /* sectors of device memory that copies and fills read or wrote */
    uint64_t sectors[WIRE_CALL_COUNT];
    /* The message that must come next if the latest copy has more parts: request WHAT, at address
     * AT, with LEFT bytes or rows to move. LEFT is 0 if no part follows. */
    struct tally_part {
        uint64_t what, at, left;
    } next;
};

void tally_add(struct tally *tally, const struct wire_head *request);
/* Adds the sectors of REQUEST, which must have succeeded. */
void tally_add_sectors(struct tally *tally, const struct wire_head *request);
/* Writes the counts to DEVICE's record. */
void tally_record(const struct tally *tally, struct emu_device *device);

#endif
