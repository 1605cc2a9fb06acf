#include "similar/program.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "gpu/fatbin/fatbin.h"
#include "similar/kernels.h"

#define PROGRAM_BYTES ((size_t)64 << 20)
#define ALIGNMENT     8 /* alignment of fat binaries in the file */
/* maximum number of entries in all fat binaries together; a real program has a few */
#define MOST_ENTRIES 10000

/* The progress of reading one program. The numbers of entries and bytes are limited, because a
 * hostile program can contain thousands of fat binaries that all refer to the same text. */
struct reading {
    struct fingerprint *fingerprint;
    size_t entries, text; /* number of entries, and of bytes of text, read so far */
};

static bool add_text(const struct fatbin_entry *entry, struct reading *reading)
{
    char message[FATBIN_MESSAGE];
    size_t size, announced = entry->text_size;
    if (announced > KERNELS_MOST_PTX - reading->text)
        return false;
    char *ptx = fatbin_text(entry, &size, message);
    reading->text +=
        /* an entry that is not compressed may announce a size of 0 */
        ptx && size > announced ? size : announced;
    bool added = ptx && reading->text <= KERNELS_MOST_PTX &&
                 fingerprint_add_ptx(reading->fingerprint, ptx, size);
    free(ptx);
    return added;
}

/* Adds the marks of the PTX in a fat binary. Returns false if it cannot be read, or if there is
 * more PTX than allowed. */
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

/* Adds the marks of a program. Searches for the magic number of fat binaries, because the file's
 * section table cannot be trusted. */
bool fingerprint_add_program(const char *program, struct fingerprint *fingerprint)
{
    struct text file;
    struct fatbin fatbin;
    struct reading reading = {.fingerprint = fingerprint};
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
