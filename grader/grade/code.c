#include "grade/code.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUOTED 60 /* maximum number of bytes of code that code_quote() copies */

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the length in bytes of the comment or white space at AT, or 0 if there is none. */
static size_t skip_length(const char *at)
{
    const char *end;
    if (isspace((unsigned char)*at) || (at[0] == '\\' && at[1] == '\n'))
        return 1;
    if (at[0] == '/' && at[1] == '/')
        return strcspn(at, "\n");
    if (at[0] != '/' || at[1] != '*')
        return 0;
    end = strstr(at + 2, "*/");
    return end ? (size_t)(end + 2 - at) : strlen(at);
}

static size_t literal_length(const char *at)
{
    size_t length = 1;
    while (at[length] && at[length] != *at && at[length] != '\n')
        length += at[length] == '\\' && at[length + 1] ? 2 : 1;
    return length + (at[length] == *at);
}

static size_t number_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || at[length] == '.' ||
           (length > 0 && strchr("+-", at[length]) && strchr("eEpP", at[length - 1]) &&
            !(at[0] == '0' && strchr("xX", at[1]) && strchr("eE", at[length - 1]))))
        ++length;
    return length;
}

static size_t operator_length(const char *at)
{
    static const char *const operators[] = {
        "<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
        "!=",  "&&",  "||",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "::"};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i)
        if (strncmp(at, operators[i], strlen(operators[i])) == 0)
            return strlen(operators[i]);
    return 1;
}

static size_t token_length(const char *at)
{
    size_t length = 0;
    if (*at == '"' || *at == '\'')
        return literal_length(at);
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return number_length(at);
    while (is_letter(at[length]))
        ++length;
    return length > 0 ? length : operator_length(at);
}

bool token_is(const struct token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->begin, text, token->length) == 0;
}

bool token_is_one_of(const struct token *token, const char *const *texts)
{
    for (; *texts; ++texts)
        if (token_is(token, *texts))
            return true;
    return false;
}

bool token_is_constant(const struct token *token)
{
    bool is_capital = isupper((unsigned char)*token->begin) && token->length > 1;
    for (size_t i = 0; i < token->length; ++i)
        is_capital &= !islower((unsigned char)token->begin[i]);
    return is_capital;
}

bool token_is_name(const struct token *token)
{
    return is_letter(*token->begin) && !isdigit((unsigned char)*token->begin);
}

bool token_is_same(const struct token *left, const struct token *right)
{
    return left->length == right->length && memcmp(left->begin, right->begin, left->length) == 0;
}

/* Splits CODE's text into tokens. Each token has at least one byte. */
static void split_tokens(struct code *code)
{
    const char *text = code->text;
    unsigned line = 1;
    while (code->tokens && *text) {
        size_t length = skip_length(text);
        if (length == 0) {
            length = token_length(text);
            code->tokens[code->token_count++] = (struct token){text, length, line};
        }
        for (; length > 0 && *text; --length)
            line += *text++ == '\n';
    }
}

static void split_parts(struct code *code)
{
    const struct token *token = code->tokens;
    int depth = 0;
    size_t first = 0;
    for (size_t i = 0; i < code->token_count; ++i) {
        depth += token_is(&token[i], "{") - token_is(&token[i], "}");
        bool is_last = i + 1 == code->token_count;
        bool ends = depth == 0 &&
                    (token_is(&token[i], ";") ||
                     (token_is(&token[i], "}") && (is_last || !token_is(&token[i + 1], ";"))));
        if (!ends && !is_last)
            continue;
        code->parts[code->part_count++] = (struct span){first, i + 1 - first};
        first = i + 1;
    }
}

static void split_lines(struct code *code)
{
    const struct token *token = code->tokens;
    for (size_t i = 0; i < code->token_count; ++i) {
        if (i == 0 || token[i].line != token[i - 1].line)
            code->lines[code->line_count++] = (struct span){i, 0};
        code->lines[code->line_count - 1].count++;
    }
}

void code_close(struct code *code)
{
    free(code->tokens);
    free(code->parts);
    free(code->lines);
    *code = (struct code){0};
}

bool code_open(struct code *code, const char *text)
{
    *code =
        (struct code){.text = text, .tokens = malloc((strlen(text) + 1) * sizeof(struct token))};
    split_tokens(code);
    code->parts = calloc(code->token_count + 1, sizeof *code->parts);
    code->lines = calloc(code->token_count + 1, sizeof *code->lines);
    if (!code->tokens || !code->parts || !code->lines)
        return false;
    split_parts(code);
    split_lines(code);
    return true;
}

bool code_is_same(const struct code *left, struct span a, const struct code *right, struct span b)
{
    bool same = a.count == b.count;
    for (size_t i = 0; same && i < a.count; ++i)
        same = token_is_same(&left->tokens[a.first + i], &right->tokens[b.first + i]);
    return same;
}

struct span code_part_of(const struct code *code, size_t at)
{
    for (size_t i = 0; i < code->part_count; ++i)
        if (at < code->parts[i].first + code->parts[i].count)
            return code->parts[i];
    return (struct span){0, 0};
}

bool code_has_part(const struct code *code, const struct code *other, struct span part)
{
    for (size_t i = 0; i < code->part_count; ++i)
        if (code_is_same(code, code->parts[i], other, part))
            return true;
    return false;
}

bool code_has_token(const struct code *code, struct span span, const struct token *token)
{
    for (size_t i = 0; i < span.count; ++i)
        if (token_is_same(&code->tokens[span.first + i], token))
            return true;
    return false;
}

bool code_sizes_launch(const struct code *code, const struct token *token)
{
    bool is_inside = false;
    for (size_t i = 0; i < code->token_count; ++i) {
        is_inside |= token_is(&code->tokens[i], "<<<") || token_is(&code->tokens[i], "dim3");
        is_inside &= !strchr(";{}", *code->tokens[i].begin) && !token_is(&code->tokens[i], ">>>");
        if (is_inside && token_is_same(&code->tokens[i], token))
            return true;
    }
    return false;
}

void code_quote(const struct code *code, struct span span, char text[CODE_QUOTE])
{
    const struct token *first = &code->tokens[span.first], *last = first + span.count - 1;
    size_t length = (size_t)(last->begin + last->length - first->begin);
    size_t whole = strcspn(first->begin, "\n");
    whole = whole < QUOTED ? whole : QUOTED;
    snprintf(text, CODE_QUOTE, "%.*s%s", (int)(length < whole ? length : whole), first->begin,
             length > whole ? "..." : "");
}

/* Returns whether token I + 1 of TOKEN is in the same line as token I, or in a line that continues
 * it. */
static bool is_continued(const struct token *token, size_t i)
{
    const char *end = token[i].begin + token[i].length;
    return token[i + 1].line == token[i].line ||
           memmem(end, (size_t)(token[i + 1].begin - end), "\\\n", 2);
}

const struct token *code_function(const struct code *code, struct span part)
{
    const struct token *token = &code->tokens[part.first];
    if (part.count < 4 || !token_is(&token[part.count - 1], "}"))
        return NULL; /* unlike a function, a type or an array ends with a semicolon */
    for (size_t i = 0; i + 1 < part.count && !token_is(&token[i], "{"); ++i) {
        bool is_directive = token_is(&token[i], "#"); /* such as `#define WARPS (THREADS / 32)` */
        while (is_directive && i + 2 < part.count && is_continued(token, i))
            ++i;
        if (!is_directive && token_is_name(&token[i]) && token_is(&token[i + 1], "(") &&
            !token_is(&token[i], "__launch_bounds__"))
            return &token[i];
    }
    return NULL;
}

const struct token *code_constant(const struct code *code, size_t i, struct span *value)
{
    static const char *const words[] = {"const", "constexpr", NULL};
    const struct token *token = &code->tokens[i];
    size_t end = i;
    if (i + 3 >= code->token_count)
        return NULL;
    if (token_is(token, "#") && token_is(&token[1], "define")) {
        bool has_parameters =
            token_is(&token[3], "(") && token[3].begin == token[2].begin + token[2].length;
        while (end + 1 < code->token_count && is_continued(code->tokens, end))
            ++end;
        size_t first = i + 3;
        while (has_parameters && first < end && !token_is(&code->tokens[first], ")"))
            ++first;
        first += has_parameters;
        *value = (struct span){first, end >= first ? end + 1 - first : 0};
        return &token[2];
    }
    if (!token_is_one_of(token, words) || code_function(code, code_part_of(code, i)) ||
        code_type(code, code_part_of(code, i)))
        return NULL;
    while (end + 1 < code->token_count && !strchr("=;", *code->tokens[end].begin))
        ++end;
    *value = (struct span){end + 1, 0};
    while (end + 1 + value->count < code->token_count &&
           !token_is(&code->tokens[end + 1 + value->count], ";"))
        ++value->count;
    bool is_set = token_is(&code->tokens[end], "=") && token_is_name(&code->tokens[end - 1]);
    return is_set ? &code->tokens[end - 1] : NULL;
}

const struct token *code_type(const struct code *code, struct span part)
{
    static const char *const words[] = {"struct", "class", "union", "enum"};
    const struct token *token = &code->tokens[part.first];
    for (size_t i = 0; i + 2 < part.count && !code_function(code, part); ++i)
        for (size_t j = 0; j < sizeof words / sizeof *words; ++j)
            if (token_is(&token[i], words[j]) && token_is(&token[i + 2], "{"))
                return &token[i + 1];
    return NULL;
}

unsigned code_column(const struct code *code, const struct token *token)
{
    const char *begin = token->begin;
    while (begin > code->text && begin[-1] != '\n')
        --begin;
    return (unsigned)(token->begin - begin) + 1;
}

size_t code_compare(const size_t counts[2],
                    bool (*is_same)(const void *context, size_t i, size_t j), const void *context,
                    struct difference *list, size_t most)
{
    /* longest[i * width + j] is the length of the longest common subsequence of two suffixes: the
     * left sequence from I on, and the right one from J on */
    size_t width = counts[1] + 1, found = 0, i = 0, j = 0;
    uint16_t *longest = calloc((counts[0] + 1) * width, sizeof *longest);
    if (!longest)
        return 0;
    for (i = counts[0]; i-- > 0;)
        for (j = counts[1]; j-- > 0;) {
            uint16_t right = longest[i * width + j + 1], down = longest[(i + 1) * width + j];
            longest[i * width + j] = is_same(context, i, j)
                                         ? (uint16_t)(longest[(i + 1) * width + j + 1] + 1)
                                     : right > down ? right
                                                    : down;
        }
    for (i = j = 0; (i < counts[0] || j < counts[1]) && found < most;) {
        struct difference difference = {{i, 0}, {j, 0}};
        while (i < counts[0] && j < counts[1] && is_same(context, i, j))
            ++i, ++j;
        difference.left.first = i, difference.right.first = j;
        while ((i < counts[0] || j < counts[1]) &&
               !(i < counts[0] && j < counts[1] && is_same(context, i, j))) {
            bool is_left = j == counts[1] || (i < counts[0] && longest[(i + 1) * width + j] >=
                                                                   longest[i * width + j + 1]);
            i += is_left;
            j += !is_left;
        }
        difference.left.count = i - difference.left.first;
        difference.right.count = j - difference.right.first;
        if (difference.left.count + difference.right.count > 0)
            list[found++] = difference;
    }
    free(longest);
    return found;
}
