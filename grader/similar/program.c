#include "similar/program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "gpu/fatbin/fatbin.h"

#define PROGRAM_BYTES ((size_t)64 << 20)
#define ALIGNMENT     8 /* of a fat binary in the file */
#define DIGITS        16
#define MOST_ENTRIES  10000 /* of all fat binaries: a program has a few */

/* What may be looked at of one program: fat binaries lie where the program says, so thousands of them could
 * announce the same text, and each would be read. */
struct reading {
    struct fingerprint *print;
    size_t entries, text; /* so far; bytes */
};

static bool add_text(const struct fatbin_entry *entry, struct reading *reading)
{
    char message[FATBIN_MESSAGE];
    size_t size, announced = entry->text_size;
    if (announced > FINGERPRINT_TEXT - reading->text)
        return false;
    char *ptx = fatbin_text(entry, &size, message);
    reading->text +=
        ptx && size > announced ? size : announced; /* what is not packed may announce 0 */
    bool added =
        ptx && reading->text <= FINGERPRINT_TEXT && fingerprint_add(reading->print, ptx, size);
    free(ptx);
    return added;
}

/* The PTX of one fat binary. False: some of it cannot be read, or there is too much. */
static bool add_fat_binary(struct fatbin *fatbin, struct reading *reading)
{
    struct fatbin_entry entry;
    int more;
    while ((more = fatbin_next(fatbin, &entry)) > 0)
        if (++reading->entries > MOST_ENTRIES ||
            (entry.kind == FATBIN_PTX && !add_text(&entry, reading)))
            return false;
    return more == 0;
}

/* Fat binaries are looked for by their magic number and not by the file's section table, which is one thing
 * less to be wrong about. */
bool fingerprint_program(const char *program, struct fingerprint *print)
{
    struct text file;
    struct fatbin fatbin;
    struct reading reading = {.print = print};
    char why[100];
    bool good = true;
    if (!base_read_file(program, PROGRAM_BYTES, &file, why, sizeof why))
        return false;
    for (size_t at = 0; good && at + FATBIN_HEADER_SIZE <= file.size; at += ALIGNMENT) {
        uint32_t magic;
        memcpy(&magic, file.bytes + at, sizeof magic);
        if (magic != FATBIN_MAGIC || !fatbin_open(&fatbin, file.bytes + at, file.size - at))
            continue;
        good = add_fat_binary(&fatbin, &reading);
    }
    free(file.bytes);
    return good;
}

json_t *fingerprint_json(const struct fingerprint *print)
{
    char *text = malloc(print->count * DIGITS + 1);
    if (!text)
        return NULL;
    text[0] = 0;
    for (size_t i = 0; i < print->count; i++)
        snprintf(text + i * DIGITS, DIGITS + 1, "%016" PRIx64, print->marks[i]);
    json_t *string = json_string(text);
    free(text);
    return string;
}

bool fingerprint_read(const json_t *text, struct fingerprint *print)
{
    const char *digits = json_string_value(text);
    size_t count = digits ? strlen(digits) / DIGITS : 0;
    struct fingerprint read = {.marks = calloc(count + 1, sizeof *read.marks)};
    for (; read.marks && read.count < count; read.count++, digits += DIGITS)
        if (sscanf(digits, "%16" SCNx64, &read.marks[read.count]) != 1)
            break;
    bool good = read.marks && fingerprint_join(print, &read);
    fingerprint_free(&read);
    return good;
}
