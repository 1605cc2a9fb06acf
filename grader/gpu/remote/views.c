#include "gpu/remote/views.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* bytes of the shortest piece that is replaced; grader/checks/inputs.c generates inputs in
     * which two pieces are unlikely to be equal */
    PIECE = 16,
    NEEDLE = 32, /* bytes that find() searches for in the whole view */
    /* limit for the bytes that views_learn() adds, because each search reads all of them */
    MOST_LEARNED = 1 << 20,
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* --- the two views ---------------------------------------------------------------------------- */

/* Maps the file PATH, followed by space for learned bytes, and sets *SIZE to the file's size. A
 * page of the file is read only when it is used. Returns NULL on failure. */
static uint8_t *map_file(const char *path, size_t *size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool there = fd >= 0 && fstat(fd, &status) == 0;
    *size = there ? (size_t)status.st_size : 0;
    uint8_t *bytes = mmap(NULL, *size + MOST_LEARNED, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes != MAP_FAILED && *size > 0)
        there = mmap(bytes, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == bytes;
    if (fd >= 0)
        close(fd);
    if (there && bytes != MAP_FAILED)
        return bytes;
    if (bytes != MAP_FAILED)
        munmap(bytes, *size + MOST_LEARNED);
    return NULL;
}

static void unmap(uint8_t *bytes, size_t size)
{
    if (bytes)
        munmap(bytes, size + MOST_LEARNED);
}

bool views_open(struct views *views, const char *shown, const char *judged)
{
    size_t size, other;
    *views = (struct views){.shown = map_file(shown, &size)};
    views->judged = map_file(judged, &other);
    views->size = views->input = size;
    views->arrived = calloc(size / 8 + 1, 1);
    if (views->shown && views->judged && views->arrived && other == size)
        return true;
    unmap(views->judged, other);
    views->judged = NULL;
    views_close(views);
    return false;
}

void views_close(struct views *views)
{
    unmap(views->shown, views->input);
    unmap(views->judged, views->input);
    free(views->arrived);
    *views = (struct views){0};
}

void views_learn(struct views *views, const uint8_t *shown, const uint8_t *judged, size_t size)
{
    if (size < PIECE || size > MOST_LEARNED - (views->size - views->input) ||
        memcmp(shown, judged, size) == 0)
        return;
    memcpy(views->shown + views->size, shown, size);
    memcpy(views->judged + views->size, judged, size);
    views->size += size;
}

static void note_arrived(struct views *views, size_t at, size_t size)
{
    size_t end = at + size, whole = smaller((at + 7) / 8 * 8, end), rest = end / 8 * 8;
    for (; at < whole; at++)
        views->arrived[at / 8] |= (uint8_t)(1u << at % 8);
    if (at < rest)
        memset(views->arrived + at / 8, 0xff, (rest - at) / 8);
    for (at = at < rest ? rest : at; at < end; at++)
        views->arrived[at / 8] |= (uint8_t)(1u << at % 8);
}

size_t views_missing(const struct views *views)
{
    size_t missing = 0;
    for (size_t i = 0; i < views->input; i++) {
        uint8_t arrived = views->arrived[i / 8];
        if (arrived == 0xff)
            i |= 7; /* skip the other bits of this byte, which are also set */
        else
            missing += !(arrived >> i % 8 & 1) && views->shown[i] != views->judged[i];
    }
    return missing;
}

/* --- data from the program -------------------------------------------------------------------- */

/* Returns the number of bytes at the beginning of the SIZE BYTES that equal the shown view from
 * offset AT on. */
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

/* Returns the size in bytes of an element of the array to which offset AT of the input belongs.
 * shared/lab.h describes the format of the input. */
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
        size = type == 5 ? 1 : type == 3 || type == 4 ? 8 : 4;
    }
    return size;
}

/* Does the same as match(), but counts only whole elements. After a row, bytes of the gap can by
 * chance equal the first bytes of the next number. */
static size_t match_whole(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    size_t length = match(views, at, bytes, size);
    return length == size ? length : length - (at + length) % unit(views, at);
}

/* Finds BYTES in the shown view and sets *AT to their offset. First tries the position after the
 * piece that was found last, because programs often copy one piece after another. */
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

/* If BYTES begin with a gap between two rows, returns the gap's length. The gap ends where the next
 * PIECE bytes of the view begin. Returns SIZE if BYTES does not contain them. */
static size_t gap(const struct views *views, const uint8_t *bytes, size_t size)
{
    const uint8_t *place = views->next + PIECE > views->size
                               ? NULL
                               : memmem(bytes, size, views->shown + views->next, PIECE);
    return place ? (size_t)(place - bytes) : size;
}

/* Replaces the SIZE BYTES, which equal the shown view at AT, with the judged bytes. */
static void swap_piece(struct views *views, size_t at, uint8_t *bytes, size_t size)
{
    memcpy(bytes, views->judged + at, size);
    if (at < views->input)
        note_arrived(views, at, smaller(size, views->input - at));
    views->next = at + size;
}

/* Replaces structures of three 4-byte words that the program has padded to four words. Because each
 * structure is shorter than PIECE, several of them must follow one another in the view, too. */
static void swap_padded(struct views *views, uint8_t *bytes, size_t size)
{
    enum { ROW = 12, PITCH = 16, FEWEST = 4 };
    size_t rows = (size + PITCH - ROW) / PITCH;
    const uint8_t *place = rows < FEWEST ? NULL : memmem(views->shown, views->size, bytes, ROW);
    size_t at = place ? (size_t)(place - views->shown) : 0, i = 0;
    while (place && i < rows && at + (i + 1) * ROW <= views->size &&
           memcmp(views->shown + at + i * ROW, bytes + i * PITCH, ROW) == 0)
        i++;
    for (size_t k = 0; i == rows && k < rows; k++)
        swap_piece(views, at + k * ROW, bytes + k * PITCH, ROW);
}

void views_swap(struct views *views, uint8_t *bytes, size_t size)
{
    for (size_t done = 0, at, step; done < size; done += step) {
        step = gap(views, bytes + done, size - done);
        if (step > 0 && step < size - done)
            continue;
        if (!find(views, bytes + done, size - done, &at)) {
            swap_padded(views, bytes + done, size - done);
            return;
        }
        step = match_whole(views, at, bytes + done, size - done);
        swap_piece(views, at, bytes + done, step);
    }
}

/* --- programs that change their numbers before they copy them --------------------------------- */

/* Returns the next number of the generator xorshift64*. */
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
