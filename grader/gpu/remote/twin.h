/* A second device that does the same as the program's device, with other data.
 *
 *                            +--> device  answers the program
 *     program's requests ----+
 *                            +--> twin    gets other data; its replies are not sent
 *
 * The twin has two uses:
 *
 *   judged   The program sees another input than the judged one. The twin has the judged input,
 *            the observers and the record. The answer is the twin's data at the address
 *            from which the program reads its answer.
 *   spoilt   The judged input could not be found in the program's data. The device has the
 *            observers and the record, and the twin has spoilt data. An answer that is the
 *            same on both devices does not depend on the data.
 *
 * The twin has its own copy of memory that the program shares with its device. It follows the
 * program's writes. There no copy shows what the program reads. So with a judged twin, the record
 * names the pieces of that memory that kernels made, after each launch and at the end. Whether
 * kernels made them is known from the twin's copy, which the program cannot write to. */
#ifndef GPU_REMOTE_TWIN_H
#define GPU_REMOTE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/remote/views.h"

struct twin_options {
    const char *shown, *judged; /* files: the input in both views; or NULL */
    int answers_fd;             /* the twin's bytes for each answer go there; or -1 */
    uint64_t spoil;             /* not 0: the seed of a twin with spoilt data */
    uint64_t every;             /* one piece in EVERY is spoilt */
};

struct twin_share {
    emu_addr addr;
    uint64_t size;
    uint8_t *program, *own, *last; /* bytes: the program's, the twin's, the program's last */
};

struct twin {
    struct emu_device *device; /* NULL: no twin, and the rest is not used */
    bool is_judged;            /* it has the judged data; false: spoilt data */
    bool has_strayed;          /* it no longer does the same, so its answers are void */
    struct views views;
    uint64_t spoil, every;
    int answers_fd;
    uint64_t answered; /* bytes */
    struct twin_share *shares;
    size_t share_count;
    uint64_t noted; /* what launches have made in shares, as bytes of notes */
};

/* Opens *DEVICE and the twin that OPTIONS ask for, both with DEVICE_OPTIONS. Only the judged one
 * has observers and a record. False: it failed, and neither is open. */
bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device);
/* Closes the twin. The end of the record gives the pieces of shared memory that kernels made, and
 * the number of input bytes that never arrived, or more than all if the twin has strayed. */
void twin_close(struct twin *twin);

/* Turns BYTES from the program into the twin's data. */
void twin_change(struct twin *twin, uint8_t *bytes, size_t size);
/* The device has borrowed the program's SIZE bytes at PROGRAM as its memory at ADDR. The twin
 * gets its own memory for them. False: out of memory. */
bool twin_lend(struct twin *twin, emu_addr addr, uint8_t *program, uint64_t size);
/* Notes what kernels made in memory at ADDR that is shared, then frees it. */
void twin_free(struct twin *twin, emu_addr addr);
/* After twin_change() has made OWN of the SIZE bytes SEEN, which the program has at FROM: if it
 * shares that memory, replaces the words that did not change by the twin's. A copy may be too
 * short to be recognised. */
void twin_change_shared(const struct twin *twin, emu_addr from, const uint8_t *seen, uint8_t *own,
                        size_t size);
/* After a launch and before twin_settle(): notes the pieces of shared memory that kernels made, if
 * their contents are new. */
void twin_note_launch(struct twin *twin);
/* twin_follow(), before a request, copies the program's new writes in shared memory to the twin.
 * twin_settle(), after it, takes the present contents as known. */
void twin_follow(struct twin *twin);
void twin_settle(struct twin *twin);

/* Notes that the program received SEEN for SIZE bytes at FROM, where the twin has OWN. */
void twin_note_read(struct twin *twin, struct emu_device *device, emu_addr from,
                    const uint8_t *seen, const uint8_t *own, uint64_t size);

#endif
