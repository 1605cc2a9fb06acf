#include "remote/views.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE =
        16, /* bytes that are no coincidence: a check sees to that when it makes the shown case */
    NEEDLE = 32,            /* bytes to search all views for */
    MOST_LEARNED = 1 << 20, /* bytes: each search goes through them */
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- what is shown for what ------------------------------------------------------------------------- */

/* The content of PATH, with *SIZE bytes; NULL: it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint8_t *bytes = fd >= 0 && fstat(fd, &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
    size_t done = 0;
    for (ssize_t got = 1; bytes && got > 0; done += got > 0 ? (size_t)got : 0)
        got = read(fd, bytes + done, (size_t)status.st_size - done);
    if (bytes && done != (size_t)status.st_size) {
        free(bytes);
        bytes = NULL;
    }
    if (fd >= 0)
        close(fd);
    *size = done;
    return bytes;
}

bool views_open(struct views *views, const char *shown, const char *judged)
{
    size_t size;
    *views = (struct views){.shown = read_file(shown, &views->input)};
    views->judged = read_file(judged, &size);
    views->size = views->input = size;
    views->arrived = calloc(size + 1, 1);
    if (views->shown && views->judged && views->arrived)
        return true;
    views_close(views);
    return false;
}

void views_close(struct views *views)
{
    free(views->shown);
    free(views->judged);
    free(views->arrived);
    *views = (struct views){0};
}

void views_learn(struct views *views, const uint8_t *shown, const uint8_t *judged, size_t size)
{
    size_t all = views->size + size;
    if (size < PIECE || all - views->input > MOST_LEARNED || memcmp(shown, judged, size) == 0)
        return;
    uint8_t *more = realloc(views->shown, all);
    views->shown = more ? more : views->shown;
    uint8_t *other = more ? realloc(views->judged, all) : NULL;
    views->judged = other ? other : views->judged;
    if (!other)
        return;
    memcpy(more + views->size, shown, size);
    memcpy(other + views->size, judged, size);
    views->size = all;
}

size_t views_missing(const struct views *views)
{
    size_t missing = 0;
    for (size_t i = 0; i < views->input; i++)
        missing += !views->arrived[i] && views->shown[i] != views->judged[i];
    return missing;
}

/* --- what a program hands over ------------------------------------------------------------------------ */

/* How many of BYTES are what is shown from AT on. */
static size_t match(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    const uint8_t *shown = views->shown + at;
    size_t most = smaller(size, views->size - at), i = 0;
    while (i + 64 <= most && memcmp(shown + i, bytes + i, 64) == 0)
        i += 64;
    while (i < most && shown[i] == bytes[i])
        i++;
    return i;
}

/* Bytes of an element at AT: of the input as shared/lab.h describes it. */
static size_t unit(const struct views *views, size_t at)
{
    enum { MAGIC = 8, TYPE = 24, COUNT = 32, HEAD = 40 };
    uint32_t type = 0;
    uint64_t count = 0;
    size_t size = 4;
    for (size_t head = MAGIC; head < at && head + HEAD <= views->input;
         head += HEAD + (count * size + 7) / 8 * 8) {
        memcpy(&type, views->shown + head + TYPE, sizeof type);
        memcpy(&count, views->shown + head + COUNT, sizeof count);
        size = type == 3 || type == 4 ? 8 : 4;
    }
    return size;
}

/* The same in whole elements: a gap may begin like the number that comes behind it. */
static size_t match_whole(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    size_t length = match(views, at, bytes, size);
    return length == size ? length : length - (at + length) % unit(views, at);
}

/* Finds the place at which BYTES begin in the views: first of all behind the piece before. */
static bool find(const struct views *views, const uint8_t *bytes, size_t size, size_t *at)
{
    *at = views->next;
    if (size > 0 && match(views, *at, bytes, size) >= smaller(size, PIECE))
        return true;
    const uint8_t *place =
        size < PIECE ? NULL : memmem(views->shown, views->size, bytes, smaller(size, NEEDLE));
    *at = place ? (size_t)(place - views->shown) : 0;
    return place != NULL;
}

/* How many of BYTES to pass over until the piece before goes on: the gap between two rows. SIZE: it does not. */
static size_t gap(const struct views *views, const uint8_t *bytes, size_t size)
{
    const uint8_t *place = views->next + PIECE > views->size
                               ? NULL
                               : memmem(bytes, size, views->shown + views->next, PIECE);
    return place ? (size_t)(place - bytes) : size;
}

/* Puts SIZE judged bytes from AT on in the place of those shown. */
static void swap_piece(struct views *views, size_t at, uint8_t *bytes, size_t size)
{
    memcpy(bytes, views->judged + at, size);
    if (at < views->input)
        memset(views->arrived + at, 1, smaller(size, views->input - at));
    views->next = at + size;
}

void views_swap(struct views *views, uint8_t *bytes, size_t size)
{
    for (size_t done = 0, at, step; done < size; done += step) {
        step = gap(views, bytes + done, size - done);
        if (step > 0 && step < size - done)
            continue;
        if (!find(views, bytes + done, size - done, &at))
            return;
        step = match_whole(views, at, bytes + done, size - done);
        swap_piece(views, at, bytes + done, step);
    }
}

/* --- programs that prepare their numbers ---------------------------------------------------------------- */

/* xorshift64*. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

void views_spoil(uint64_t *state, uint64_t every, uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE) {
        if (next_random(state) % every)
            continue;
        for (size_t i = at; i < size && i < at + PIECE; i++)
            bytes[i] ^= (uint8_t)(next_random(state) >> 56 | 1);
    }
}
