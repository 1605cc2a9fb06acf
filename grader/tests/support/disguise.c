#include "tests/support/disguise.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS  500
#define CHUNKS 100

struct words {
    char *words[WORDS];
    size_t count;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t index_of(const struct words *words, const char *word, size_t length)
{
    size_t i = 0;
    while (i < words->count &&
           (strlen(words->words[i]) != length || memcmp(words->words[i], word, length) != 0))
        i++;
    return i;
}

static void add_word(struct words *words, const char *word, size_t length)
{
    if (index_of(words, word, length) < words->count)
        return;
    cr_assert_lt(words->count, WORDS);
    words->words[words->count++] = strndup(word, length);
}

static void free_words(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->words[i]);
}

/* Returns the end of the token at TEXT: a comment, a string, a word, a number or one character. At
 * the end of the text, returns TEXT. */
static const char *token_end(const char *text)
{
    const char *at = text + 1;
    if (!*text)
        return text;
    if (strncmp(text, "//", 2) == 0)
        return text + strcspn(text, "\n");
    if (strncmp(text, "/*", 2) == 0)
        return strstr(text + 2, "*/") + 2;
    if (*text == '"' || *text == '\'') {
        for (; *at != *text; at++)
            at += *at == '\\';
        return at + 1;
    }
    while (is_word(*text) && (is_word(*at) || (isdigit((unsigned char)*text) && *at == '.')))
        at++;
    return at;
}

static bool is_comment(const char *token)
{
    return token[0] == '/' && (token[1] == '/' || token[1] == '*');
}

/* Collects the words that must keep their names: the words in KNOWN, the words of C and CUDA, and
 * the members of structs, because these may be CUDA's. */
static void add_kept(struct words *kept, const char *source, const char *known)
{
    static const char *const language[] = {
        "define", "include", "h",         "if",        "else",     "for",      "while",   "do",
        "return", "int",     "unsigned",  "long",      "float",    "double",   "char",    "void",
        "const",  "static",  "struct",    "template",  "bool",     "true",     "false",   "size_t",
        "sizeof", "extern",  "NULL",      "threadIdx", "blockIdx", "blockDim", "gridDim", "dim3",
        "min",    "max",     "atomicAdd", "fmaf",      "fabs",     "isnan",    "memset",  "malloc",
        "free",   "printf",  "main",      "volatile",  "break",    "continue", "int2",    "int4",
        "float4", "pragma",  "unroll",    "auto"};
    for (size_t i = 0; i < sizeof language / sizeof *language; i++)
        add_word(kept, language[i], strlen(language[i]));
    const char *const texts[] = {known, source};
    for (size_t i = 0; i < 2; i++)
        for (const char *at = texts[i], *end, *before = ""; *at; at = end) {
            end = token_end(at);
            bool member = *before == '.' || *before == '>', own = isalpha((unsigned char)*at);
            if ((own || *at == '_') &&
                (i == 0 || member || strncmp(at, "__", 2) == 0 || strncmp(at, "cuda", 4) == 0))
                add_word(kept, at, (size_t)(end - at));
            before = at;
        }
}

/* Writes one chunk without comments, with renamed words and one token per line. A preprocessor
 * directive stays on one line. */
static void put_chunk(FILE *to, const char *at, const char *end, const struct words *kept,
                      struct words *renamed)
{
    bool directive = false;
    for (const char *next; at < end; at = next) {
        size_t length = (size_t)((next = token_end(at)) - at);
        directive = directive ? *at != '\n' || at[-1] == '\\' : *at == '#';
        bool word = isalpha((unsigned char)*at) || *at == '_';
        if (is_comment(at))
            continue;
        if (word && index_of(kept, at, length) == kept->count) {
            add_word(renamed, at, length);
            fprintf(to, "q%zux", index_of(renamed, at, length));
        } else
            fwrite(at, 1, length, to);
        if (!directive && word)
            fputc(directive ? ' ' : '\n', to);
    }
}

struct chunk {
    const char *begin, *end;
    bool kernel;
};

/* Cuts SOURCE into chunks after each function, so that each chunk ends with a closing brace. */
static size_t cut(const char *source, struct chunk chunks[CHUNKS])
{
    size_t count = 0;
    int depth = 0;
    const char *begin = source;
    for (const char *at = source, *end; *at; at = end) {
        end = token_end(at);
        depth += (*at == '{') - (*at == '}');
        if ((*at != '}' || depth > 0 || *end == ';') && *end)
            continue;
        cr_assert_lt(count, CHUNKS);
        chunks[count] = (struct chunk){begin, end, false};
        chunks[count].kernel = memmem(begin, (size_t)(end - begin), "__global__", 10) != NULL;
        count++;
        begin = end;
    }
    return count;
}

char *disguise(const char *source, const char *known)
{
    struct words kept = {0}, renamed = {0};
    struct chunk chunks[CHUNKS];
    size_t count = cut(source, chunks), size, last = 0;
    char *text = NULL;
    FILE *to = open_memstream(&text, &size);
    cr_assert(to);
    add_kept(&kept, source, known);
    for (size_t i = 0; i < count; i++)
        last = chunks[i].kernel ? i : last;
    for (size_t i = 0; i <= last; i++) /* functions that kernels call must precede them */
        if (!chunks[i].kernel)
            put_chunk(to, chunks[i].begin, chunks[i].end, &kept, &renamed);
    for (size_t i = last + 1; i-- > 0;)
        if (chunks[i].kernel)
            put_chunk(to, chunks[i].begin, chunks[i].end, &kept, &renamed);
    for (size_t i = last + 1; i < count; i++)
        put_chunk(to, chunks[i].begin, chunks[i].end, &kept, &renamed);
    fclose(to);
    free_words(&kept);
    free_words(&renamed);
    return text;
}

/* --- loops ---------------------------------------------------------------------------------------------- */

static bool is_token(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) == strlen(text) && memcmp(at, text, (size_t)(end - at)) == 0;
}

/* Returns the next token at or after AT that is neither space nor a comment. */
static const char *next_token(const char *at)
{
    while (*at && (isspace((unsigned char)*at) || is_comment(at)))
        at = isspace((unsigned char)*at) ? at + 1 : token_end(at);
    return at;
}

/* Returns the end of the text in brackets that begins at AT. If there is no opening bracket at AT,
 * returns the end of the statement, which is the next CLOSE outside of brackets. */
static const char *skip_to(const char *at, char close)
{
    int depth = 0;
    while (*at) {
        char c = *at;
        const char *end = token_end(at);
        depth += c == '(' || c == '{' || c == '[';
        depth -= c == ')' || c == '}' || c == ']';
        if (depth == 0 && c == close)
            return end;
        at = end;
    }
    return at;
}

static const char *skip_statement(const char *at)
{
    at = next_token(at);
    const char *end = token_end(at);
    if (*at == '{')
        return skip_to(at, '}');
    if (is_token(at, end, "for") || is_token(at, end, "while") || is_token(at, end, "if")) {
        at = skip_statement(skip_to(next_token(end), ')'));
        const char *other = next_token(at);
        return is_token(other, token_end(other), "else") ? skip_statement(token_end(other)) : at;
    }
    return skip_to(at, ';');
}

static void put_loops(FILE *to, const char *at, const char *end);

/* Writes the `for` loop at AT as a `while` loop, and returns the end of its body. Returns AT if the
 * loop cannot be changed. */
static const char *put_for(FILE *to, const char *at)
{
    const char *begin = next_token(token_end(at)) + 1, *condition = skip_to(begin, ';');
    const char *step = skip_to(condition, ';'), *header = skip_to(begin - 1, ')');
    const char *end = skip_statement(header);
    if (memmem(header, (size_t)(end - header), "continue", 8))
        return at;
    fprintf(to, "{ %.*s while (%.*s) { ", (int)(condition - begin), begin,
            (int)(step - 1 - condition), condition);
    put_loops(to, header, end);
    put_loops(to, step, header - 1);
    fputs("; } }", to);
    return end;
}

static void put_loops(FILE *to, const char *at, const char *end)
{
    for (const char *next; at < end; at = next) {
        next = token_end(at);
        if (is_token(at, next, "for") && (next = put_for(to, at)) > at)
            continue;
        next = token_end(at);
        const char *name = next_token(at + 2 < end ? at + 2 : end);
        const char *behind = next_token(token_end(name));
        if (name < end && strncmp(at, "++", 2) == 0 && is_word(*name) &&
            (behind >= end || *behind == ';')) {
            fprintf(to, "%.*s += 1", (int)(token_end(name) - name), name);
            next = token_end(name);
        } else
            fwrite(at, 1, (size_t)(next - at), to);
    }
}

char *disguise_loops(const char *source)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    cr_assert(to);
    put_loops(to, source, source + strlen(source));
    fclose(to);
    return text;
}
