/* The twin is a second device that also performs the program's requests, but with different data.
 *
 *                            +--> device  answers the program
 *     program's requests ----+
 *                            +--> twin    gets other data; its replies are not sent
 *
 * The twin has two uses:
 *
 *   judged   The program sees a decoy input, and the twin has the input that is judged. The twin
 *            has the observers and the record. When the program reads its answer, the bytes at the
 *            same address of the twin are the answer that is judged.
 *   spoilt   The input could not be found in the data that the program sends. So the twin gets
 *            that data with random changes ("spoilt"). The device has the observers and the record.
 *            An answer that is the same on both devices does not depend on the data.
 *
 * The twin has its own copy of memory that the program shares with its device. It follows the
 * program's writes. The program's reads of this memory are not visible as copies. So with a judged
 * twin, the record names the pieces of that memory that kernels made, after each launch and at the
 * end. The twin's copy, which the program cannot write to, shows whether kernels made them. */
#ifndef GPU_REMOTE_TWIN_H
#define GPU_REMOTE_TWIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/device.h"
#include "gpu/remote/views.h"

struct twin_options {
    const char *shown, *judged; /* paths of the decoy and the judged input, or NULL */
    int answers_fd;             /* descriptor for the twin's answers, or -1 */
    bool misleads;              /* with SHOWN, the program itself reads the twin's answers */
    /* the seed with which the twin's data is spoilt, or 0 for no spoiling */
    uint64_t spoil;
    uint64_t every; /* one piece of 16 bytes in EVERY is spoilt */
};

/* A range of memory that the program shares with its device. */
struct twin_share {
    emu_addr addr;
    uint64_t size;
    /* the program's bytes, the twin's bytes, and the program's bytes after the last request */
    uint8_t *program, *own, *last;
};

struct twin {
    struct emu_device *device; /* NULL if there is no twin; the other members are not used */
    bool is_judged;            /* the twin has the judged input, otherwise spoilt data */
    bool misleads;             /* the program reads the twin's bytes */
    /* its replies differ from the device's, so its answers do not count */
    bool has_strayed;
    struct views views;
    uint64_t spoil, every;
    int answers_fd;
    uint64_t answered; /* bytes of answers so far */
    struct twin_share *shares;
    size_t share_count;
    uint64_t noted; /* bytes of notes about the pieces of shares that launches made */
};

/* Opens *DEVICE and the twin that OPTIONS ask for, both with DEVICE_OPTIONS. Only one of them has
 * observers and a record (see above). On failure returns false and opens neither. */
bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device);
/* Closes the twin. The end of the record gives the pieces of shared memory that kernels made, and
 * the number of input bytes that never arrived, or more than all if the twin has strayed. */
void twin_close(struct twin *twin);

/* Turns BYTES from the program into the twin's data. */
void twin_change(struct twin *twin, uint8_t *bytes, size_t size);
/* Gives the twin its own memory for the SIZE bytes at PROGRAM, which the program has lent to its
 * device as the memory at ADDR. Returns false when out of memory. */
bool twin_lend(struct twin *twin, emu_addr addr, uint8_t *program, uint64_t size);
/* Notes the bytes that kernels made in memory at ADDR that is shared, then frees it. */
void twin_free(struct twin *twin, emu_addr addr);
/* Changes OWN, which twin_change() has made from the SIZE bytes SEEN, which the program has at
 * FROM. If the program shares that memory, the words that twin_change() did not change become the
 * twin's words, because a copy may be too short to be recognised. */
void twin_change_shared(const struct twin *twin, emu_addr from, const uint8_t *seen, uint8_t *own,
                        size_t size);
/* Notes the pieces of shared memory that kernels made, if their contents are new. Call it after a
 * launch and before twin_settle(). */
void twin_note_launch(struct twin *twin);
/* twin_follow(), before a request, copies the program's new writes in shared memory to the twin.
 * twin_settle(), after it, notes the present contents as known. */
void twin_follow(struct twin *twin);
void twin_settle(struct twin *twin);

/* Notes that the program read SIZE bytes at FROM and received SEEN, where the twin has OWN. */
void twin_note_read(struct twin *twin, struct emu_device *device, emu_addr from,
                    const uint8_t *seen, const uint8_t *own, uint64_t size);

#endif
