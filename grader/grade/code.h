/* Splits CUDA C++ into tokens, lines and definitions, and compares sequences. Macros are not
 * expanded, and types are not known. */
#ifndef GRADE_CODE_H
#define GRADE_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* A name, a number, a literal or an operator. Comments and white space belong to no token. */
struct token {
    const char *begin;
    size_t length;
    unsigned line; /* from 1 */
};

/* A range of a sequence: COUNT elements, beginning with element FIRST. */
struct span {
    size_t first, count;
};

/* A source text, split into tokens. The spans are ranges of tokens. */
struct code {
    const char *text;
    struct token *tokens;
    struct span *parts; /* functions and other definitions, with the directives before them */
    struct span *lines; /* the tokens of each line that has any */
    size_t token_count, part_count, line_count;
};

/* Splits TEXT into CODE. TEXT must live as long as CODE. The caller calls code_close(), even after
 * a failure. */
bool code_open(struct code *code, const char *text);
void code_close(struct code *code);

/* Returns the part (function or other definition) that contains token number AT. */
struct span code_part_of(const struct code *code, size_t at);
/* Returns the name of the function that PART defines, or NULL. */
const struct token *code_function(const struct code *code, struct span part);
/* Returns the name of the constant whose definition begins at token I: `#define NAME VALUE`, or
 * outside of all functions `const ... NAME = VALUE;`. VALUE gets its tokens. Returns NULL if no
 * definition begins there. */
const struct token *code_constant(const struct code *code, size_t i, struct span *value);
/* Returns the name of the type that PART defines, or NULL. */
const struct token *code_type(const struct code *code, struct span part);
/* Returns the column of TOKEN in its line, from 1. */
unsigned code_column(const struct code *code, const struct token *token);
/* Returns whether span A of LEFT and span B of RIGHT have the same tokens. */
bool code_is_same(const struct code *left, struct span a, const struct code *right, struct span b);
/* Returns whether CODE has a part with the same tokens as PART of OTHER. */
bool code_has_part(const struct code *code, const struct code *other, struct span part);

/* Returns whether SPAN has a token that is the same as TOKEN. */
bool code_has_token(const struct code *code, struct span span, const struct token *token);

/* Returns whether a launch in CODE uses TOKEN for its size. */
bool code_sizes_launch(const struct code *code, const struct token *token);

#define CODE_QUOTE 68 /* size of the buffer that code_quote() fills */
/* Copies the first line of SPAN's code to TEXT. Writes `...` for the part of SPAN that is left out:
 * further lines, or the end of a long line. */
void code_quote(const struct code *code, struct span span, char text[CODE_QUOTE]);

bool token_is(const struct token *token, const char *text);
/* Returns whether TOKEN is one of TEXTS, a list that ends with NULL. */
bool token_is_one_of(const struct token *token, const char *const *texts);
/* Returns whether TOKEN is written as constants are: in capitals, such as TILE. */
bool token_is_constant(const struct token *token);
/* Returns whether TOKEN is a name or a keyword. */
bool token_is_name(const struct token *token);
bool token_is_same(const struct token *left, const struct token *right);

/* A difference between two sequences: where the left sequence has the span LEFT, the right sequence
 * has the span RIGHT. One of the two spans may be empty. */
struct difference {
    struct span left, right;
};

/* Compares two sequences of COUNTS elements along a longest common subsequence. IS_SAME compares
 * element I of the left sequence with element J of the right one. LIST gets at most MOST
 * differences, in order. Returns their number. */
size_t code_compare(const size_t counts[2],
                    bool (*is_same)(const void *context, size_t i, size_t j), const void *context,
                    struct difference *list, size_t most);

#endif
