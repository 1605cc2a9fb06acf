/* Rewrites nvcc's messages. They come from two programs, which use different forms:
 *
 *     a.cu(4): error: expected a ";"             cudafe++, with a copy of the line and a caret
 *           p[0] = x;
 *           ^
 *
 *     a.cu:1:10: fatal error: nothere.h: ...     gcc, with "    1 | ..." and a caret
 *
 * The first form is converted to the second. The linker's messages about missing functions are
 * replaced by messages in plain words. If there are many errors, only the first few are shown.
 * Warnings are shown only if the program was built.
 *
 * A message and the lines that belong to it are called a block. A block begins with a line in one
 * of these forms, and ends before an empty line or the next such line. nvcc compiles every file
 * twice, for the device and for the host, so it prints many blocks twice. */
#include "compile/messages.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define MAX_BLOCKS 64 /* at most this many blocks are remembered, to detect repeated blocks */
#define MAX_NOTES  12 /* maximum number of lines between a message and its caret */
/* at most this many errors are shown; later ones often follow from the first */
#define MAX_ERRORS 5

struct text_job {
    const char *name, *shown, *source;
    FILE *to;
    unsigned lines, max_lines; /* number of lines written so far, and its maximum */
    unsigned errors;           /* number of errors found so far */
    bool rejected;             /* the compiler reported an error, so warnings are not shown */
    unsigned seen_count;
    char *seen[MAX_BLOCKS]; /* the first lines of all blocks so far */
};

/* Returns whether LINE begins with "name(12): ". Sets *NUMBER to the number, and *REST to the text
 * after it. */
static bool match_cudafe(const struct text_job *job, const char *line, unsigned *number,
                         const char **rest)
{
    size_t length = strlen(job->name);
    char *end;
    if (strncmp(line, job->name, length) != 0 || line[length] != '(')
        return false;
    *number = (unsigned)strtoul(line + length + 1, &end, 10);
    if (strncmp(end, "): ", 3) != 0)
        return false;
    *rest = end + 3;
    return true;
}

static bool is_caret(const char *line)
{
    const char *mark = line + strspn(line, " ");
    return mark[0] == '^' && mark[1] == 0;
}

/* Returns the column of the source line to which cudafe++'s caret points, or 0 if it is unknown.
 * cudafe++ prints a copy of the line, indented by two spaces, in which keywords may be expanded.
 * From the caret on, the copy must equal the source. */
static unsigned find_column(const struct text_job *job, unsigned number, const char *copy,
                            const char *caret)
{
    const char *line;
    size_t length, copied = strlen(copy), at = strcspn(caret, "^");
    if (at >= copied || !base_source_line(job->source, number, &line, &length))
        return 0;
    size_t rest = copied - at;
    if (rest > length || strncmp(line + length - rest, copy + at, rest) != 0)
        return 0;
    return (unsigned)(length - rest + 1);
}

/* Returns whether a block with this first line has been seen before. Otherwise remembers the
 * line. */
static bool seen_before(struct text_job *job, const char *line)
{
    for (unsigned i = 0; i < job->seen_count; ++i)
        if (strcmp(job->seen[i], line) == 0)
            return true;
    if (job->seen_count < MAX_BLOCKS && (job->seen[job->seen_count] = strdup(line)))
        ++job->seen_count;
    return false;
}

/* Writes LINE. Replaces the file's name by the name that the student knows. */
static void put_line(struct text_job *job, const char *line)
{
    size_t length = strlen(job->name);
    const char *hit;
    if (++job->lines > job->max_lines)
        return;
    while ((hit = strstr(line, job->name))) {
        bool whole = (hit == line || (!isalnum((unsigned char)hit[-1]) && hit[-1] != '_')) &&
                     !isalnum((unsigned char)hit[length]);
        const char *from = hit;
        while (whole && from > line && !isspace((unsigned char)from[-1]) &&
               !strchr("\"'`(", from[-1]))
            --from; /* also replace the folder before the name */
        fwrite(line, 1, (size_t)(from - line), job->to);
        fputs(whole ? job->shown : job->name, job->to);
        line = hit + length;
    }
    fprintf(job->to, "%s\n", line);
}

/* One message of cudafe++: the parts of its first line, and the lines up to the caret. */
struct cudafe_block {
    unsigned number;  /* number of the line in the source */
    const char *rest; /* the first line, after the number */
    unsigned count;
    /* notes, if any; then the copy of the source line; then the caret */
    const char *lines[MAX_NOTES];
};

static void put_cudafe_block(struct text_job *job, const struct cudafe_block *block)
{
    unsigned column = 0, notes = block->count;
    if (notes >= 2 && is_caret(block->lines[notes - 1])) {
        notes -= 2;
        column = find_column(job, block->number, block->lines[notes], block->lines[notes + 1]);
    }
    job->lines += 3 + notes;
    if (job->lines > job->max_lines)
        return;
    fprintf(job->to, "%s:%u:", job->shown, block->number);
    if (column > 0)
        fprintf(job->to, "%u:", column);
    fprintf(job->to, " %s\n", block->rest);
    for (unsigned i = 0; i < notes; ++i)
        fprintf(job->to, "%s\n", block->lines[i]);
    base_print_snippet(job->to, job->source, block->number, column, NULL);
}

/* Returns whether LINE says nothing about the source: advice about nvcc's flags, and lines such as
 * "2 errors detected in the compilation of ...". */
static bool is_noise(const char *line)
{
    return strncmp(line, "Remark: ", 8) == 0 || strstr(line, " detected in the compilation of ") ||
           strncmp(line, "compilation terminated", 22) == 0 ||
           strcmp(line, "collect2: error: ld returned 1 exit status") == 0 ||
           strstr(line, ": in function `") || /* printed by the linker before its messages */
           /* printed by the linker about functions in libraries */
           strstr(line, ": warning: the use of `");
}

/* If LINE is the linker's message about a missing function, writes a plain message instead, once
 * for each function. Returns whether LINE is such a message. */
static bool put_undefined(struct text_job *job, const char *line)
{
    static const char words[] = "undefined reference to ";
    const char *hit = strstr(line, words);
    if (!hit)
        return false;
    const char *name = hit + strlen(words) + 1; /* + 1 for the quotation mark */
    int length = (int)strcspn(name, "'");
    if (seen_before(job, hit))
        return true;
    ++job->lines;
    if (length == 4 && strncmp(name, "main", 4) == 0)
        fprintf(
            job->to,
            "%s: error: main(), where the program begins, is missing: restore the original main()\n",
            job->shown);
    else
        fprintf(job->to, "%s: error: %.*s is used but not defined: is it missing or misspelt?\n",
                job->shown, length, name);
    return true;
}

/* Returns whether the message that begins with LINE is not shown. */
static bool is_left_out(struct text_job *job, const char *line)
{
    bool own = strncmp(line, job->name, strlen(job->name)) == 0;
    if (strstr(line, "warning:") || strstr(line, "): warning #"))
        return job->rejected || !own || seen_before(job, line);
    return seen_before(job, line) || ++job->errors > MAX_ERRORS;
}

/* Returns the line at *AT, without its newline, and moves *AT to the next line. Returns NULL at the
 * end of the text. */
static char *next_line(char **at)
{
    char *line = *at;
    if (!line || !*line)
        return NULL;
    *at = strchr(line, '\n');
    if (*at)
        *(*at)++ = 0;
    return line;
}

/* Reads the lines of the block up to its caret or an empty line. */
static void take_block(struct cudafe_block *block, char **text)
{
    char *line;
    block->count = 0;
    while (block->count < MAX_NOTES && (line = next_line(text)) && *line) {
        block->lines[block->count++] = line;
        if (is_caret(line))
            break;
    }
}

static void convert(struct text_job *job, char *text)
{
    bool skipping = false;
    char *line;
    while ((line = next_line(&text))) {
        struct cudafe_block block = {0};
        bool cudafe = match_cudafe(job, line, &block.number, &block.rest);
        if (put_undefined(job, line))
            continue;
        if (is_noise(line))
            skipping = false;
        else if (cudafe || strstr(line, "error:") || strstr(line, "warning:") ||
                 strstr(line, "): warning #"))
            skipping = is_left_out(job, line);
        /* skip notes, because nvcc lists dozens of candidates from headers */
        else if (strstr(line, "): note #"))
            skipping = true;
        else if (!*line || is_noise(line))
            skipping = false;
        if (cudafe) {
            take_block(&block, &text);
            if (!skipping)
                put_cudafe_block(job, &block);
        } else if (*line && !skipping && !is_noise(line)) {
            put_line(job, line);
        }
    }
}

char *compile_messages(const char *raw, const char *name, const char *shown, const char *source,
                       unsigned max_lines)
{
    char *result = NULL, *copy = strdup(raw);
    size_t size = 0;
    struct text_job job = {.name = name,
                           .shown = shown,
                           .source = source,
                           .max_lines = max_lines,
                           .rejected = strstr(raw, "error:") || strstr(raw, "): error")};
    if (!copy || !(job.to = open_memstream(&result, &size))) {
        free(copy);
        return NULL;
    }
    convert(&job, copy);
    if (job.lines > max_lines)
        fputs("...\n", job.to);
    if (job.errors > MAX_ERRORS)
        fprintf(job.to, "and %u more error%s: fix the first ones and compile again\n",
                job.errors - MAX_ERRORS, job.errors > MAX_ERRORS + 1 ? "s" : "");
    fclose(job.to);
    for (unsigned i = 0; i < job.seen_count; ++i)
        free(job.seen[i]);
    free(copy);
    if (result)
        base_clean_text(result, size);
    return result;
}
