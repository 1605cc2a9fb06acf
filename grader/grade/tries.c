#include "grade/tries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/code.h"

static void copy_includes(FILE *to, const char *source)
{
    for (const char *line = source; *line; line += *line == '\n') {
        size_t length = strcspn(line, "\n");
        const char *word = line + 1 + strspn(line + 1, " \t");
        if (*line == '#' && strncmp(word, "include", strlen("include")) == 0)
            fprintf(to, "%.*s\n", (int)length, line);
        line += length;
    }
}

/* Writes an #undef for each macro that SOURCE defines, so that the next namespace can define it
 * again. */
static void undefine(FILE *to, const char *source)
{
    for (const char *at = source; (at = strstr(at, "#define")); ++at) {
        const char *name = at + strlen("#define");
        name += strspn(name, " \t");
        fprintf(to, "#undef %.*s\n", (int)strcspn(name, " \t(\n"), name);
    }
}

/* Returns the offset of the end of PART in the source. */
static size_t end_of(const struct code *code, struct span part)
{
    const struct token *last = &code->tokens[part.first + part.count - 1];
    return (size_t)(last->begin + last->length - code->text);
}

/* Returns the number of the function that contains EDIT: only this function, and the parts that
 * depend on it, must be built again. Returns `part_count` if EDIT is not inside the body of one
 * function, or adds a preprocessor directive. */
static size_t find_part(const struct code *code, const struct small_edit *edit)
{
    size_t i = 0;
    while (i < code->part_count && end_of(code, code->parts[i]) < edit->end)
        ++i;
    if (i == code->part_count || !code_function(code, code->parts[i]))
        return code->part_count;
    const struct token *first = &code->tokens[code->parts[i].first];
    bool is_inside = edit->begin >= (size_t)(first->begin - code->text) &&
                     edit->begin < end_of(code, code->parts[i]);
    const char *body = memchr(first->begin, '{', end_of(code, code->parts[i]));
    return is_inside && body && edit->begin > (size_t)(body - code->text) &&
                   !strchr(edit->text, '#')
               ? i
               : code->part_count;
}

/* Finds the parts that must be built again if part CHANGED is changed: main() and all parts that
 * depend on CHANGED. Also includes all types, because the compiler searches for a function in the
 * namespaces of its arguments' types, too. */
static void find_copied(const struct code *code, size_t changed, bool copied[])
{
    bool more = true;
    for (size_t i = 0; i < code->part_count; ++i) {
        const struct token *name = code_function(code, code->parts[i]);
        copied[i] =
            i == changed || (name && token_is(name, "main")) || code_type(code, code->parts[i]);
    }
    while (more) {
        more = false;
        for (size_t i = 0; i < code->part_count; ++i) {
            const struct token *name = copied[i] ? code_function(code, code->parts[i]) : NULL;
            name = copied[i] && !name ? code_type(code, code->parts[i]) : name;
            for (size_t j = 0; name && j < code->part_count; ++j)
                if (!copied[j] && code_has_token(code, code->parts[j], name))
                    copied[j] = more = true;
        }
    }
}

/* Writes the source text of PART. Applies EDIT, unless it is NULL. */
static void write_part(FILE *to, const struct code *code, struct span part,
                       const struct small_edit *edit)
{
    const struct token *first = &code->tokens[part.first];
    const char *end = code->text + end_of(code, part);
    if (edit)
        fprintf(to, "%.*s%s%.*s\n", (int)(code->text + edit->begin - first->begin), first->begin,
                edit->text, (int)(end - code->text - (ptrdiff_t)edit->end), code->text + edit->end);
    else
        fprintf(to, "%.*s\n", (int)(end - first->begin), first->begin);
}

/* Writes the namespace for edit I. If the edit changes only part CHANGED, the namespace has this
 * part and the parts that depend on it. If CHANGED is `part_count`, the namespace has the whole
 * file. */
static void write_try(FILE *to, const struct tries *tries, const struct code *code, size_t i,
                      size_t changed)
{
    const struct small_edit *edit = &tries->edits->list[i];
    /* the file name in #line shows which edit a compiler's message is about */
    fprintf(to, "namespace try_%zu {\n", i);
    if (changed < code->part_count) {
        bool *copied = calloc(code->part_count, sizeof *copied);
        fprintf(to, "using namespace whole;\n");
        if (copied)
            find_copied(code, changed, copied);
        for (size_t j = 0; copied && j < code->part_count; ++j)
            if (copied[j]) {
                fprintf(to, "#line %u \"try_%zu/%s\"\n", code->tokens[code->parts[j].first].line, i,
                        tries->file_name);
                write_part(to, code, code->parts[j], j == changed ? edit : NULL);
            }
        free(copied);
    } else {
        undefine(to, code->text);
        fprintf(to, "#line 1 \"try_%zu/%s\"\n%.*s%s%s\n", i, tries->file_name, (int)edit->begin,
                code->text, edit->text, code->text + edit->end);
        undefine(to, edit->text);
    }
    fprintf(to, "}\n");
}

static void write_main(FILE *to, const struct tries *tries)
{
    fprintf(to, "#line 1 \"main.cu\"\nint main(int argc, char **argv)\n{\n"
                "    switch (atoi(strrchr(argv[0], '-') + 1)) {\n");
    for (size_t i = 0; i < tries->edits->count; ++i)
        if (!tries->is_out[i])
            fprintf(to, "    case %zu: return try_%zu::main(argc, argv);\n", i, i);
    fprintf(to, "    }\n    return whole::main(argc, argv);\n}\n");
}

char *tries_write(const struct tries *tries, size_t *size)
{
    char *text = NULL;
    struct code code;
    FILE *to = open_memstream(&text, size);
    if (to && code_open(&code, tries->source)) {
        copy_includes(to, code.text);
        fprintf(to, "namespace whole {\n#line 1 \"%s\"\n%s\n}\n", tries->file_name, code.text);
        /* namespaces with the whole file come last, because they may change macros */
        for (int whole = 0; whole < 2; ++whole)
            for (size_t i = 0; i < tries->edits->count; ++i) {
                size_t changed = find_part(&code, &tries->edits->list[i]);
                if (!tries->is_out[i] && (changed == code.part_count) == whole)
                    write_try(to, tries, &code, i, changed);
            }
        write_main(to, tries);
    }
    code_close(&code);
    if (to)
        fclose(to);
    return text;
}
