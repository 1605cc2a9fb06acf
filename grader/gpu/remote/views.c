#include "gpu/remote/views.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/lanes.h"

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

/* --- searching -------------------------------------------------------------------------------- */

enum { WORD_BYTES = 4 };

/* Words that are compared at once. A comparison sets an element to all ones where it is true. */
typedef uint32_t words __attribute__((vector_size(64), aligned(1), may_alias));

/* Returns whether one of the 64 words that begin at the 64 bytes from AT on equals WORD. */
LANES_INLINE bool is_near(const uint8_t *at, uint32_t word)
{
    words found = {0};
    uint32_t any = 0;
    for (unsigned i = 0; i < WORD_BYTES; i++)
        found |= (words)(*(const words *)(const void *)(at + i) == word);
    for (unsigned i = 0; i < sizeof found / WORD_BYTES; i++)
        any |= found[i];
    return any;
}

/* Returns the offset in BYTES of a word that is likely to be rare: one with few bytes of 0. */
static size_t rare_word(const uint8_t *bytes, size_t size)
{
    size_t rare = 0;
    int most = -1;
    for (size_t at = 0; at + WORD_BYTES <= size; at += WORD_BYTES) {
        int count = 0;
        for (unsigned i = 0; i < WORD_BYTES; i++)
            count += bytes[at + i] != 0;
        rare = count > most ? at : rare;
        most = count > most ? count : most;
    }
    return rare;
}

/* Does the same as memmem(), which takes long in arrays of small ints, because their bytes are
 * often equal. Searches first for a rare word of WANTED, which has at least four bytes. */
LANES_CLONES static const uint8_t *search(const uint8_t *bytes, size_t size, const uint8_t *wanted,
                                          size_t length)
{
    if (size < length)
        return NULL;
    size_t rare = rare_word(wanted, length), last = size - length;
    uint32_t word;
    memcpy(&word, wanted + rare, sizeof word);
    for (size_t at = 0, step; at <= last; at += step) {
        step = last - at < sizeof(words) ? last - at + 1 : sizeof(words);
        bool is_whole = at + rare + sizeof(words) + WORD_BYTES <= size;
        if (is_whole && !is_near(bytes + at + rare, word))
            continue;
        for (size_t i = at; i < at + step; i++)
            if (memcmp(bytes + i, wanted, length) == 0)
                return bytes + i;
    }
    return NULL;
}

/* --- data from the program -------------------------------------------------------------------- */

/* Returns the number of bytes at the beginning of the SIZE BYTES that equal the shown view from
 * offset AT on. */
static size_t match(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    const uint8_t *shown = views->shown + at;
    size_t most = smaller(size, views->size - at), i = 0;
    for (size_t step = 4096; step >= 64; step /= 8)
        while (i + step <= most && memcmp(shown + i, bytes + i, step) == 0)
            i += step;
    while (i < most && shown[i] == bytes[i])
        i++;
    return i;
}

/* An array of the input: the offset of its first element, and the size of an element in bytes. */
struct array {
    size_t begin, unit;
};

/* Returns the first array of the input that ends after offset AT. If there is none, returns one
 * that begins at AT. shared/lab.h describes the format of the input. */
static struct array array_at(const struct views *views, size_t at)
{
    enum { MAGIC = 8, TYPE = 24, COUNT = 32, HEAD = 40 };
    uint32_t type = 0;
    uint64_t count = 0;
    size_t unit = 4;
    for (size_t head = MAGIC; head + HEAD <= views->input;
         head += HEAD + (count * unit + 7) / 8 * 8) {
        memcpy(&type, views->shown + head + TYPE, sizeof type);
        memcpy(&count, views->shown + head + COUNT, sizeof count);
        unit = type == 5 ? 1 : type == 3 || type == 4 ? 8 : 4;
        if (at < head + HEAD + count * unit)
            return (struct array){head + HEAD, unit};
    }
    return (struct array){at, unit};
}

/* Does the same as match(), but counts only whole elements. After a row, bytes of the gap can by
 * chance equal the first bytes of the next number. */
static size_t match_whole(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    size_t length = match(views, at, bytes, size);
    return length == size ? length : length - (at + length) % array_at(views, at).unit;
}

/* Returns whether BYTES begin with a piece of the shown view from offset AT on. */
static bool continues(const struct views *views, size_t at, const uint8_t *bytes, size_t size)
{
    return size > 0 && match(views, at, bytes, size) >= smaller(size, PIECE);
}

/* Finds BYTES in the shown view and sets *AT to their offset. First tries the position after the
 * piece that was found last, because programs often copy one piece after another. Then tries the
 * beginning of the array at that position, or of the next array if the position is in its head. */
static bool find(const struct views *views, const uint8_t *bytes, size_t size, size_t *at)
{
    *at = views->next;
    if (continues(views, *at, bytes, size))
        return true;
    *at = array_at(views, views->next).begin;
    if (size >= PIECE && continues(views, *at, bytes, size))
        return true;
    const uint8_t *place =
        size < PIECE ? NULL : search(views->shown, views->size, bytes, smaller(size, NEEDLE));
    *at = place ? (size_t)(place - views->shown) : 0;
    return place != NULL;
}

/* If BYTES begin with a gap between two rows, returns the gap's length. The gap ends where the next
 * PIECE bytes of the view begin. Returns SIZE if BYTES does not contain them. After the last row of
 * an array, there is no gap: the view's next bytes are the head of another array, which programs do
 * not copy, and to search all BYTES for it would take long. */
static size_t gap(const struct views *views, const uint8_t *bytes, size_t size)
{
    bool is_last = array_at(views, views->next).begin > views->next;
    const uint8_t *place = is_last || views->next + PIECE > views->size
                               ? NULL
                               : search(bytes, size, views->shown + views->next, PIECE);
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
    const uint8_t *place = rows < FEWEST ? NULL : search(views->shown, views->size, bytes, ROW);
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
