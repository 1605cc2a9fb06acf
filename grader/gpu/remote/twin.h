/* A second device beside the one that a program talks to, which does all the same with other data.
 *
 *                            +--> device  answers the program
 *     program's requests ----+
 *                            +--> twin    gets other data, and answers nobody
 *
 * There are two uses. Where the program is shown another input than it is judged by, the twin has
 * the judged one: it is watched and has the record, and what it holds where the program reads its
 * answer is the answer. Where the input could not be told from what the program sent, the device
 * itself is watched, and the twin has spoilt data: an answer that is the same there does not come
 * from the data.
 *
 * Memory that the program shares with its device is another in the twin, and follows what the
 * program writes. */
#ifndef GPU_REMOTE_TWIN_H
#define GPU_REMOTE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/remote/views.h"

struct twin_options {
    const char *shown,
        *judged;    /* files: the input as the program sees it, and as it is judged; or NULL */
    int answers_fd; /* where what the twin has in the place of each answer is written; or -1 */
    uint64_t spoil; /* not 0: the seed of a twin with spoilt data, */
    uint64_t every; /* of which one piece in so many is spoilt */
};

struct twin_share {
    emu_addr addr;
    uint64_t size;
    uint8_t *program, *own,
        *last; /* the program's bytes, the twin's, and the program's as they were */
};

struct twin {
    struct emu_device *device; /* NULL: there is none, and the rest is not used */
    bool is_judged;            /* and its data is the judged one; else it is spoilt */
    bool has_strayed;          /* it no longer does the same: what is judged is good for nothing */
    struct views views;
    uint64_t spoil, every;
    int answers_fd;
    uint64_t answered; /* bytes */
    struct twin_share *shares;
    size_t share_count;
};

/* Opens the twin that OPTIONS ask for, and *DEVICE, both as DEVICE_OPTIONS say; only the one that
 * is judged is watched and has a record. False: not possible, and nothing is open. */
bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device);
/* Closes the twin. The end of the record says what of the input never came: all, if the twin has
 * strayed. */
void twin_close(struct twin *twin);

/* Makes BYTES, which the program sends, what the twin gets of them. */
void twin_change(struct twin *twin, uint8_t *bytes, size_t size);
/* The device has got the program's SIZE bytes at PROGRAM as its memory at ADDR; so has the twin
 * then, in memory of its own. False: memory is out. */
bool twin_lend(struct twin *twin, emu_addr addr, uint8_t *program, uint64_t size);
void twin_free(struct twin *twin, emu_addr addr);
/* Before a request: what the program has written to shared memory since the last one reaches the
 * twin. After: what is there now is no news. */
void twin_follow(struct twin *twin);
void twin_settle(struct twin *twin);

/* The program was given SEEN for SIZE bytes at FROM, and the twin has OWN there. */
void twin_note_read(struct twin *twin, struct emu_device *device, emu_addr from,
                    const uint8_t *seen, const uint8_t *own, uint64_t size);

#endif
