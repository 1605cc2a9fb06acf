/* The twin is a second device that also performs the program's requests, but with different data.
 *
 *                            +--> device  sends its replies to the program
 *     program's requests ----+
 *                            +--> twin    gets other data; the program does not see its replies
 *
 * There are two kinds of twins:
 *
 *   judged   The program sees a decoy input, and the twin has the input that is judged. The twin
 *            has the observers and the record. When the program reads an answer (a result) from
 *            its device, the bytes at the same address of the twin are the judged answer.
 *   spoilt   The input cannot be recognised in the data that the program sends. So the twin
 *            gets that data with random changes. The device has the observers and the record.
 *            If both devices give the same answer, the answer does not depend on the data.
 *
 * The twin has its own copy of the memory that the program shares with its device. The program
 * cannot write to this copy; the server repeats the program's writes in it. No request shows when
 * the program reads the shared memory. So with a judged twin, the record lists the pieces of shared
 * memory that kernels wrote, after each launch and at the end. */
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
    /* only with SHOWN: the program reads the answers of the twin instead of those of its device */
    bool misleads;
    /* seed of the random changes to the twin's data, or 0 for no changes */
    uint64_t spoil;
    uint64_t every; /* about one piece of 16 bytes in EVERY is changed */
};

/* A range of memory that the program shares with its device. */
struct twin_share {
    emu_addr addr;
    uint64_t size;
    /* the program's bytes, the twin's bytes, and a copy of the program's bytes after the last
     * request */
    uint8_t *program, *own, *last;
    uint64_t hash;   /* hash of the twin's bytes that kernels wrote */
    uint64_t launch; /* number of the last launch that changed these bytes */
};

struct twin {
    struct emu_device *device; /* NULL if there is no twin; the other members are not used */
    /* the twin has the judged input; otherwise, data with random changes */
    bool is_judged;
    bool misleads; /* the program reads the twin's answers */
    /* the two devices' replies have differed, so the twin's answers do not count */
    bool has_strayed;
    struct views views;
    uint64_t spoil, every;
    int answers_fd;
    uint64_t answered; /* bytes written to answers_fd so far */
    struct twin_share *shares;
    size_t share_count;
    uint64_t launches;
    uint64_t noted; /* bytes of notes about pieces of shared memory that launches changed */
};

/* Opens *DEVICE and the twin that OPTIONS ask for, both with DEVICE_OPTIONS. Only one of the two
 * devices has observers and a record (see above). On failure returns false and opens neither. */
bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device);
/* Closes the twin. Before that, appends to the record the pieces of shared memory that kernels
 * wrote, and the number of input bytes that never arrived at the device. If the two devices'
 * replies have differed, this number is larger than the input. */
void twin_close(struct twin *twin);

/* Changes BYTES, which the program sends, to the twin's data. */
void twin_change(struct twin *twin, uint8_t *bytes, size_t size);
/* Gives the twin its own copy of the SIZE bytes at PROGRAM. The program has lent them to its
 * device, as the memory at ADDR. Returns false when out of memory. */
bool twin_lend(struct twin *twin, emu_addr addr, uint8_t *program, uint64_t size);
/* Frees the memory at ADDR. If it is shared, first records the bytes in it that kernels wrote. */
void twin_free(struct twin *twin, emu_addr addr);
/* Corrects the result of twin_change() for a transfer from shared memory. SEEN has the SIZE bytes
 * that the program sends from its address FROM, and OWN the same bytes after twin_change(). If the
 * program shares the memory at FROM, replaces each word that twin_change() left unchanged by the
 * twin's word: twin_change() may not recognise values in a transfer as short as this one. */
void twin_change_shared(const struct twin *twin, emu_addr from, const uint8_t *seen, uint8_t *own,
                        size_t size);
/* Records the pieces of shared memory that the latest launch changed. Call it after the launch and
 * before twin_settle(). */
void twin_note_launch(struct twin *twin);
/* Call twin_follow() before a request: it copies the program's writes in shared memory to the twin.
 * Call twin_settle() after the request: later changes then count as new writes. */
void twin_follow(struct twin *twin);
void twin_settle(struct twin *twin);

/* Records that the program has read SIZE bytes at FROM. The program received SEEN; the twin has OWN
 * there. */
void twin_note_read(struct twin *twin, struct emu_device *device, emu_addr from,
                    const uint8_t *seen, const uint8_t *own, uint64_t size);

#endif
