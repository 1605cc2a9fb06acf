/* Reads the file of a chip, which consists of lines `name = value   # source`. */
#include "gpu/chips.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (64u << 10) /* largest chip file in bytes */

/* The chips that come with Lanewise: CHIP(name, symbol). The file of each chip in predict/chips/ is
 * compiled into the library, so the library needs no files at run time. */
#define CHIPS                                                                                      \
    CHIP(h200, h200)                                                                               \
    CHIP(h100, h100)                                                                               \
    CHIP(a100, a100)                                                                               \
    CHIP(t4, t4)                                                                                   \
    CHIP(rtx4090, rtx4090)                                                                         \
    CHIP(rtx3060, rtx3060)                                                                         \
    CHIP(gtx650, gtx650)                                                                           \
    CHIP(gtx280, gtx280)                                                                           \
    CHIP(8800gt, g8800gt)

#define CHIP(name, symbol)                                                                         \
    __asm__(".pushsection .rodata\n"                                                               \
            ".local chip_" #symbol "\nchip_" #symbol ":\n"                                         \
            ".incbin \"grader/gpu/predict/chips/" #name "\"\n.byte 0\n"                            \
            ".popsection\n");                                                                      \
    extern const char chip_##symbol[] __attribute__((visibility("hidden")));
CHIPS
#undef CHIP

static const struct {
    const char *name, *text;
} pages[] = {
#define CHIP(name, symbol) {#name, chip_##symbol},
    CHIPS
#undef CHIP
};

static const struct field {
    const char *name;
    size_t at;
} fields[] = {
#define C(name, meaning) {#name, offsetof(struct emu_chip, name)},
#include "gpu/chips.def"
#undef C
};
#define FIELDS (sizeof fields / sizeof *fields)

const char *emu_chip_names(void)
{
    return ""
#define CHIP(name, symbol) #name ", "
        CHIPS
#undef CHIP
           "or a file: ./NAME";
}

/* Copies the text from BEGIN to END to TO, without leading and trailing blanks. */
static void copy_text(char *to, size_t size, const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    size_t length = (size_t)(end - begin);
    length = length < size - 1 ? length : size - 1;
    memcpy(to, begin, length);
    to[length] = '\0';
}

/* Sets the field with name NAME. Returns false if there is no such field, or if VALUE is not a
 * number or is negative. */
static bool set(struct emu_chip *chip, bool seen[FIELDS], const char *name, const char *value)
{
    if (strcmp(name, "title") == 0) {
        copy_text(chip->title, sizeof chip->title, value, value + strlen(value));
        return *chip->title;
    }
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end || !(number >= 0) || number > 1e15)
        return false;
    for (size_t i = 0; i < FIELDS; i++)
        if (strcmp(fields[i].name, name) == 0) {
            memcpy((char *)chip + fields[i].at, &number, sizeof number);
            return seen[i] = true;
        }
    return false;
}

static bool read_line(struct emu_chip *chip, bool seen[FIELDS], const char *line, const char *end)
{
    char name[40], value[80];
    const char *comment = memchr(line, '#', (size_t)(end - line));
    end = comment ? comment : end;
    const char *equals = memchr(line, '=', (size_t)(end - line));
    copy_text(name, sizeof name, line, equals ? equals : end);
    if (!equals)
        return !*name;
    copy_text(value, sizeof value, equals + 1, end);
    return set(chip, seen, name, value);
}

static bool read_page(const char *text, struct emu_chip *chip, char *why, size_t size)
{
    bool seen[FIELDS] = {false};
    unsigned number = 1;
    for (const char *line = text; *line; number++) {
        const char *end = strchrnul(line, '\n');
        if (!read_line(chip, seen, line, end)) {
            snprintf(why, size, "line %u of the chip's file is not NAME = NUMBER # SOURCE: %.*s",
                     number, (int)(end - line < 100 ? end - line : 100), line);
            return false;
        }
        line = *end ? end + 1 : end;
    }
    for (size_t i = 0; i < FIELDS; i++)
        if (!seen[i]) {
            snprintf(why, size, "the chip's file does not say %s", fields[i].name);
            return false;
        }
    chip->limits = emu_limits((uint32_t)(chip->capability * 10 + 0.5));
    if (!chip->limits)
        snprintf(why, size, "the chip's file: the limits of compute capability %g are unknown",
                 chip->capability);
    return chip->limits;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, MOST_BYTES + 1) : NULL;
    if (text)
        text[fread(text, 1, MOST_BYTES, file)] = '\0';
    if (file)
        fclose(file);
    return text;
}

bool emu_find_chip(const char *name, struct emu_chip *chip, char *why, size_t size)
{
    *chip = (struct emu_chip){0};
    snprintf(chip->name, sizeof chip->name, "%s", name);
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        if (strcmp(pages[i].name, name) == 0)
            return read_page(pages[i].text, chip, why, size);
    if (!strchr(name, '/')) {
        snprintf(why, size, "unknown GPU \"%s\"; known are %s", name, emu_chip_names());
        return false;
    }
    char *text = read_file(name);
    if (!text)
        snprintf(why, size, "cannot read the chip's file %s: %s", name, strerror(errno));
    bool ok = text && read_page(text, chip, why, size);
    free(text);
    return ok;
}
