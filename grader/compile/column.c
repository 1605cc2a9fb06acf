/* Corrects columns. Some keywords of CUDA C are macros: the compiler sees __global__ as
 * __attribute__((global)), which is longer. So compile_true_column() scans the original line, and
 * counts the additional bytes of each such keyword, until it reaches the column. It knows no other
 * macros. If the result is inside a word or after the end of the line, another macro has moved the
 * token, and the column is unknown. */
#include "compile/column.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#define MAX_SOURCE (16 << 20)

/* Returns the number of bytes by which the word at TEXT (LENGTH bytes) grows when its macro is
 * expanded. */
static unsigned growth_of(const char *text, size_t length)
{
    static const struct {
        const char *word;
        unsigned growth;
    } words[] = {{"__global__", 13},      {"__device__", 13},       {"__host__", 13},
                 {"__shared__", 13},      {"__constant__", 13},     {"__managed__", 13},
                 {"__forceinline__", 26}, {"__launch_bounds__", 13}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncmp(text, words[i].word, length) == 0)
            return words[i].growth;
    return 0;
}

static bool is_of_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

unsigned compile_true_column(const char *line, size_t length, unsigned column)
{
    size_t at = 0, grown = 0, word;
    for (; at < length && at + grown + 1 < column; at += word) {
        for (word = 0; at + word < length && is_of_word(line[at + word]);)
            word++;
        grown += growth_of(line + at, word);
        word += word == 0;
    }
    bool is_there = column > 0 && at < length && at + grown + 1 == column;
    return is_there && line[at] != ' ' && line[at] != '\t' ? (unsigned)at + 1 : 0;
}

/* The file that was read last. Consecutive findings are often in the same file. */
struct source {
    const char *name;
    struct text text;
};

static const char *text_of(struct source *source, const char *name)
{
    char why[200];
    if (!source->name || strcmp(source->name, name) != 0) {
        free(source->text.bytes);
        source->name = name;
        if (!base_read_file(name, MAX_SOURCE, &source->text, why, sizeof why))
            source->text.bytes = NULL;
    }
    return source->text.bytes;
}

void compile_true_columns(json_t *findings)
{
    struct source source = {0};
    size_t i, length;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        const char *name = json_text_of(finding, "file"), *line;
        unsigned number = (unsigned)json_integer_of(finding, "line");
        unsigned column = (unsigned)json_integer_of(finding, "column");
        const char *text = *name && column ? text_of(&source, name) : NULL;
        if (text && base_source_line(text, number, &line, &length))
            json_object_set_new(finding, "column",
                                json_integer(compile_true_column(line, length, column)));
    }
    free(source.text.bytes);
}
