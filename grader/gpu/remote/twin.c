#include "gpu/remote/twin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/remote/wire.h"
#include "gpu/tools.h"

#define MOST_ANSWERS ((uint64_t)256 << 20) /* bytes; later answers count as not made by kernels */

/* Maps SIZE bytes of zeros. A page takes memory only when it is touched, because a program can
 * share gigabytes. NULL: it failed. */
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

/* --- opening and closing ---------------------------------------------------------------------- */

bool twin_open(struct twin *twin, const struct twin_options *options,
               const struct emu_options *device_options, struct emu_device **device)
{
    struct emu_options quiet = *device_options;
    quiet.tools = EMU_ONLY;
    quiet.trace = NULL;
    quiet.record_fd = -1;
    *twin = (struct twin){.is_judged = options->shown,
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
    struct twin_share share = {addr, size, program, reserve(size), reserve(size)};
    struct twin_share *more = realloc(twin->shares, (twin->share_count + 1) * sizeof *more);
    if (more)
        twin->shares = more;
    if (more && share.own && share.last &&
        emu_lend(twin->device, addr, share.own, size) == EMU_OK) {
        if (was_there) /* both devices had memory there: each keeps its own data */
            memcpy(share.last, program, size);
        twin->shares[twin->share_count++] = share;
        return true;
    }
    release(share);
    return false;
}

void twin_free(struct twin *twin, emu_addr addr)
{
    size_t i = twin->share_count;
    emu_free(twin->device, addr);
    while (i && twin->shares[i - 1].addr != addr)
        i--;
    if (!i)
        return;
    release(twin->shares[i - 1]);
    twin->shares[i - 1] = twin->shares[--twin->share_count];
}

/* Copies the program's writes among the SIZE bytes at AT to the twin. Where the program's bytes did
 * not change, the twin keeps its own bytes, which kernels may have written. But an input number is
 * replaced as a whole, even if some of its bytes did not change. */
static void follow_span(struct twin *twin, struct twin_share *share, uint64_t at, uint64_t size)
{
    uint8_t *changed = malloc(size);
    const uint8_t *program = share->last + at; /* a copy, which the program cannot change */
    if (!changed)
        return;
    for (uint64_t i = 0; i < size; i++)
        changed[i] = share->last[at + i] != share->program[at + i];
    memcpy(share->last + at, share->program + at, size);
    uint8_t *bytes = malloc(size);
    if (bytes) {
        memcpy(bytes, program, size);
        twin_change(twin, bytes, size);
        for (uint64_t i = 0; i < size; i++)
            if (changed[i] || (twin->is_judged && bytes[i] != program[i]))
                share->own[at + i] = bytes[i];
    }
    free(bytes);
    free(changed);
}

/* The first page from AT on that the program has written to (WRITTEN), or has not written to. */
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

/* --- answers ---------------------------------------------------------------------------------- */

/* Writes the judged answer. After a failed write it writes nothing more: the reader of the file
 * notices missing bytes. */
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
