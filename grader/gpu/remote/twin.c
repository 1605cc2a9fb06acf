#include "gpu/remote/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/remote/wire.h"
#include "gpu/tools.h"

/* Maximum bytes of answers that are recorded. For the grader, later answers count as not computed
 * by kernels. */
#define MOST_ANSWERS ((uint64_t)256 << 20)
/* Maximum bytes of notes about shared memory. The limit applies to the total of all notes after
 * launches. It also applies separately to the notes about each share when the share ends. */
#define MOST_NOTED ((uint64_t)32 << 20)
#define NOTE       1024u /* a note counts as the bytes of its piece plus this number of bytes */
#define WORD       4u    /* bytes of the smallest number that any lab uses, except LAB_BYTE */

/* Maps SIZE bytes of zeros. Programs may share gigabytes, so a page takes memory only after its
 * first access (MAP_NORESERVE). Returns NULL if this fails. */
static uint8_t *reserve(uint64_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

static void release(struct twin_share share)
{
    if (share.own)
        munmap(share.own, share.size);
    if (share.last)
        munmap(share.last, share.size);
}

/* --- answers that the program reads ----------------------------------------------------------- */

/* Writes the judged answer. After a failed write, writes no more answers, because the reader needs
 * an answer without gaps. */
static void keep_answer(struct twin *twin, const uint8_t *own, uint64_t size)
{
    twin->answered += size;
    if (twin->answers_fd >= 0 &&
        (twin->answered > MOST_ANSWERS || write(twin->answers_fd, own, size) != (ssize_t)size))
        twin->answers_fd = -1;
}

void twin_note_read(struct twin *twin, struct emu_device *device, emu_addr from,
                    const uint8_t *seen, const uint8_t *own, uint64_t size)
{
    bool same = memcmp(seen, own, size) == 0;
    bool made = emu_note_read(twin->is_judged ? twin->device : device, from, seen, size, same);
    if (!twin->is_judged)
        return;
    if (made)
        keep_answer(twin, own, size);
    views_learn(&twin->views, seen, own, size);
}

/* --- shared memory that kernels wrote --------------------------------------------------------- */

/* Adds a line to the record about the SIZE bytes at offset AT of SHARE. Kernels wrote them, the
 * last time in launch number LAUNCH. Appends the program's bytes, then the twin's bytes, to the
 * file of answers. */
static void note_piece(struct twin *twin, const struct twin_share *share, uint64_t at,
                       uint64_t size, uint64_t launch)
{
    char line[80];
    if (twin->answers_fd < 0 || twin->answered + 2 * size > MOST_ANSWERS)
        return;
    snprintf(line, sizeof line, "{\"lent\":{\"bytes\":%llu,\"launch\":%llu}}",
             (unsigned long long)size, (unsigned long long)launch);
    emu_note(twin->device, line, strlen(line));
    keep_answer(twin, share->program + at, size);
    keep_answer(twin, share->own + at, size);
}

/* Finds the next piece of SHARE, from offset *AT on, that kernels wrote. Returns its size, or 0 if
 * there is none. A piece consists of whole words of 4 bytes, except at the end of SHARE, where the
 * last word can be incomplete. */
static uint64_t find_piece(const struct twin *twin, const struct twin_share *share, uint64_t *at)
{
    emu_addr addr = share->addr + *at, last = share->addr + share->size;
    for (uint64_t size; addr < last; addr += size) {
        if (!(size = emu_find_made(twin->device, &addr)))
            return 0;
        emu_addr first = (addr + WORD - 1) / WORD * WORD, end = addr + size;
        end = end == last ? end : end / WORD * WORD;
        *at = first - share->addr;
        if (first < end)
            return end - first;
    }
    return 0;
}

/* Returns the last known launch that wrote the byte at offset AT of SHARE, or 0. Lowers *END to the
 * offset where this may change. */
static uint64_t writer_of(const struct twin_share *share, uint64_t at, uint64_t *end)
{
    for (size_t i = 0; i < TWIN_WRITES; i++) {
        const struct twin_write *write = &share->writes[i];
        uint64_t change = at < write->from ? write->from : write->to;
        *end = at < change && change < *end ? change : *end;
        if (write->from <= at && at < write->to)
            return write->launch;
    }
    return 0;
}

/* Called when SHARE is about to end. Records all its pieces that kernels wrote. Different launches
 * may have written the parts of a piece, such as two versions of an answer. Then also records each
 * part. */
static void note_end(struct twin *twin, const struct twin_share *share)
{
    uint64_t size, noted = 0;
    for (uint64_t at = 0; noted < MOST_NOTED && (size = find_piece(twin, share, &at)); at += size) {
        note_piece(twin, share, at, size, share->writes[0].launch);
        noted += size + NOTE;
        for (uint64_t from = at, to; from < at + size && noted < MOST_NOTED; from = to) {
            to = at + size;
            uint64_t launch = writer_of(share, from, &to);
            if (to - from == size)
                break;
            note_piece(twin, share, from, to - from, launch);
            noted += to - from + NOTE;
        }
    }
}

/* Notes which range of SHARE the last launch wrote. */
static void note_write(struct twin *twin, struct twin_share *share)
{
    emu_addr addr = share->addr;
    uint64_t size = emu_take_written(twin->device, &addr), from = addr - share->addr;
    if (size == 0)
        return;
    memmove(share->writes + 1, share->writes, (TWIN_WRITES - 1) * sizeof *share->writes);
    /* whole words, as in find_piece() */
    share->writes[0] = (struct twin_write){from / WORD * WORD,
                                           (from + size + WORD - 1) / WORD * WORD, twin->launches};
}

/* Records the pieces of SHARE that the latest launch has changed. */
static void note_changes(struct twin *twin, struct twin_share *share)
{
    note_write(twin, share);
    for (uint64_t at = 0, size; (size = find_piece(twin, share, &at)); at += size) {
        const uint8_t *seen = share->program + at;
        if (twin->noted >= MOST_NOTED || memcmp(seen, share->last + at, size) == 0)
            continue;
        note_piece(twin, share, at, size, twin->launches);
        views_learn(&twin->views, seen, share->own + at, size);
        twin->noted += size + NOTE;
    }
}

void twin_note_launch(struct twin *twin)
{
    twin->launches++;
    for (size_t i = 0; twin->is_judged && i < twin->share_count; i++)
        note_changes(twin, &twin->shares[i]);
}

/* --- opening and closing ---------------------------------------------------------------------- */

bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device)
{
    struct emu_options quiet = *device_options;
    quiet.tools = EMU_ONLY;
    quiet.trace = NULL;
    quiet.record_fd = -1;
    quiet.chip = NULL;
    *twin = (struct twin){.is_judged = options->shown,
                          .misleads = options->shown && options->misleads,
                          .spoil = options->spoil,
                          .every = options->every ? options->every : 1,
                          .answers_fd = options->answers_fd};
    *device = NULL;
    bool wanted = options->shown || options->spoil;
    if (options->shown && !views_open(&twin->views, options->shown, options->judged))
        return false;
    if (emu_open(twin->is_judged ? &quiet : device_options, device) == EMU_OK &&
        (!wanted || emu_open(twin->is_judged ? device_options : &quiet, &twin->device) == EMU_OK))
        return true;
    emu_close(*device);
    views_close(&twin->views);
    return false;
}

void twin_close(struct twin *twin)
{
    char line[64];
    if (twin->is_judged) {
        twin_follow(twin);
        for (size_t i = 0; i < twin->share_count; i++)
            note_end(twin, &twin->shares[i]);
        snprintf(line, sizeof line, "{\"missing\":%zu}",
                 twin->has_strayed ? twin->views.input + 1 : views_missing(&twin->views));
        emu_note(twin->device, line, strlen(line));
    }
    emu_close(twin->device);
    views_close(&twin->views);
    for (size_t i = 0; i < twin->share_count; i++)
        release(twin->shares[i]);
    free(twin->shares);
}

void twin_change(struct twin *twin, uint8_t *bytes, size_t size)
{
    if (twin->is_judged)
        views_swap(&twin->views, bytes, size);
    else
        views_spoil(&twin->spoil, twin->every, bytes, size);
}

/* --- shared memory ---------------------------------------------------------------------------- */

bool twin_lend(struct twin *twin, emu_addr addr, uint8_t *program, uint64_t size)
{
    bool was_there = emu_find(twin->device, addr, NULL, NULL) == EMU_OK;
    struct twin_share share = {addr, size, program, reserve(size), reserve(size), {{0}}};
    struct twin_share *more = realloc(twin->shares, (twin->share_count + 1) * sizeof *more);
    if (more)
        twin->shares = more;
    if (more && share.own && share.last &&
        emu_lend(twin->device, addr, share.own, size) == EMU_OK) {
        if (was_there) /* both devices had this memory before, and each keeps its own data */
            memcpy(share.last, program, size);
        emu_watch_lent(twin->device, addr, !was_there);
        twin->shares[twin->share_count++] = share;
        return true;
    }
    release(share);
    return false;
}

void twin_free(struct twin *twin, emu_addr addr)
{
    size_t i = twin->share_count;
    while (i && twin->shares[i - 1].addr != addr)
        i--;
    if (i && twin->is_judged) {
        twin_follow(twin);
        note_end(twin, &twin->shares[i - 1]);
    }
    emu_free(twin->device, addr);
    if (!i)
        return;
    release(twin->shares[i - 1]);
    twin->shares[i - 1] = twin->shares[--twin->share_count];
}

/* A span of a share: the program's bytes, and the bytes that replace them on the twin. */
struct span {
    const struct twin_share *share;
    uint64_t at, size; /* offset in the share, and size in bytes */
    uint8_t *seen, *own;
};

/* Returns whether twin_change() has recognised the word at the bytes from I to END - 1. By chance,
 * the number that replaces a word may equal it. Then the words on both sides decide. */
static bool is_recognised(const struct span *span, uint64_t i, uint64_t end)
{
    const uint8_t *seen = span->seen, *own = span->own;
    return memcmp(seen + i, own + i, end - i) != 0 ||
           (i >= WORD && end + WORD <= span->size &&
            memcmp(seen + i - WORD, own + i - WORD, WORD) != 0 &&
            memcmp(seen + end, own + end, WORD) != 0);
}

/* Returns whether the word at the bytes from I to END - 1 must be written to the twin. It must be
 * written if the program has changed it since the last request. Otherwise, the twin usually keeps
 * its own word, which a kernel may have written. The exception is a word that twin_change() has
 * recognised for a judged twin. It is written, too, even if it is unchanged: twin_change()
 * recognises a word only together with the words around it, and these may have changed. */
static bool is_new(const struct twin *twin, const struct span *span, uint64_t i, uint64_t end)
{
    const struct twin_share *share = span->share;
    const uint8_t *seen = span->seen + i, *own = span->own + i;
    return memcmp(seen, share->last + span->at + i, end - i) != 0 ||
           (twin->is_judged && is_recognised(span, i, end) &&
            memcmp(own, share->own + span->at + i, end - i) != 0);
}

/* Writes the new words to the twin, with one write for each contiguous group of them. */
static void write_new(struct twin *twin, const struct span *span)
{
    emu_addr addr = span->share->addr + span->at;
    for (uint64_t from = 0, to = 0, next; from < span->size; from = to = next) {
        for (;; to = next) {
            next = to + WORD - (addr + to) % WORD;
            next = next < span->size ? next : span->size;
            if (to == span->size || !is_new(twin, span, to, next))
                break;
        }
        if (from < to)
            emu_write(twin->device, addr + from, span->own + from, to - from);
    }
}

/* Copies the program's writes in the SIZE bytes at AT to the twin. Reads each byte only once,
 * because the program may continue to write. */
static void follow_span(struct twin *twin, const struct twin_share *share, uint64_t at,
                        uint64_t size)
{
    struct span span = {share, at, size, .seen = malloc(size), .own = malloc(size)};
    if (span.seen && span.own) {
        memcpy(span.seen, share->program + at, size);
        memcpy(span.own, span.seen, size);
        twin_change(twin, span.own, size);
        write_new(twin, &span);
        memcpy(share->last + at, span.seen, size);
    }
    free(span.seen);
    free(span.own);
}

void twin_change_shared(const struct twin *twin, emu_addr from, const uint8_t *seen, uint8_t *own,
                        size_t size)
{
    const struct twin_share *share = twin->shares, *end = share + twin->share_count;
    while (share < end && (from < share->addr || from - share->addr >= share->size))
        share++;
    uint64_t at = share < end ? from - share->addr : 0;
    if (share == end || size > share->size - at || memcmp(share->last + at, seen, size) != 0)
        return;
    for (size_t i = 0; i + WORD <= size; i += WORD)
        if (memcmp(own + i, seen + i, WORD) == 0)
            memcpy(own + i, share->own + at + i, WORD);
}

/* Returns the offset of the first page, from AT on, that the program has written to. If WRITTEN is
 * false, finds the first page that the program has not written to. */
static uint64_t find_page(const struct twin_share *share, uint64_t at, bool written)
{
    while (at < share->size) {
        uint64_t size = share->size - at < WIRE_PAGE ? share->size - at : WIRE_PAGE;
        if ((memcmp(share->program + at, share->last + at, size) != 0) == written)
            return at;
        at += size;
    }
    return share->size;
}

void twin_follow(struct twin *twin)
{
    for (size_t i = 0; i < twin->share_count; i++) {
        struct twin_share *share = &twin->shares[i];
        for (uint64_t at = 0, end; at < share->size; at = end) {
            at = find_page(share, at, true);
            end = find_page(share, at, false);
            if (at < end)
                follow_span(twin, share, at, end - at);
        }
    }
}

void twin_settle(struct twin *twin)
{
    for (size_t i = 0; i < twin->share_count; i++)
        memcpy(twin->shares[i].last, twin->shares[i].program, twin->shares[i].size);
}
