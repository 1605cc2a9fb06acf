#include "run/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cudart/fatbin.h"
#include "run/files.h"

#define PROGRAM_BYTES ((size_t)64 << 20)
#define ALIGNMENT     8 /* of a fat binary in the file */
#define DIGITS        16

/* The PTX of one fat binary. False: some of it cannot be read. */
static bool add_fat_binary(struct fatbin *fatbin, struct judge_print *print)
{
    struct fatbin_entry entry;
    char message[FATBIN_MESSAGE];
    int more;
    while ((more = fatbin_next(fatbin, &entry)) > 0) {
        size_t size;
        if (entry.kind != FATBIN_PTX)
            continue;
        char *ptx =
            entry.text_size <= JUDGE_PRINT_TEXT ? fatbin_text(&entry, &size, message) : NULL;
        bool added = ptx && judge_print_add(print, ptx, size);
        free(ptx);
        if (!added)
            return false;
    }
    return more == 0;
}

/* Fat binaries are looked for by their magic number and not by the file's section table, which is one thing
 * less to be wrong about. */
bool run_print_program(const char *program, struct judge_print *print)
{
    struct run_text file;
    struct fatbin fatbin;
    char why[100];
    bool good = true;
    if (!run_read_file(program, PROGRAM_BYTES, &file, why, sizeof why))
        return false;
    for (size_t at = 0; good && at + FATBIN_HEADER_SIZE <= file.size; at += ALIGNMENT) {
        uint32_t magic;
        memcpy(&magic, file.bytes + at, sizeof magic);
        if (magic != FATBIN_MAGIC || !fatbin_open(&fatbin, file.bytes + at, file.size - at))
            continue;
        good = add_fat_binary(&fatbin, print);
    }
    free(file.bytes);
    return good;
}

json_t *run_print_json(const struct judge_print *print)
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

bool run_print_read(const json_t *text, struct judge_print *print)
{
    const char *digits = json_string_value(text);
    size_t count = digits ? strlen(digits) / DIGITS : 0;
    struct judge_print read = {.marks = calloc(count + 1, sizeof *read.marks)};
    for (; read.marks && read.count < count; read.count++, digits += DIGITS)
        if (sscanf(digits, "%16" SCNx64, &read.marks[read.count]) != 1)
            break;
    bool good = read.marks && judge_print_join(print, &read);
    judge_print_free(&read);
    return good;
}
