/* Splits PTX text into tokens. Tokens point into the text, which is not copied. */
#ifndef GPU_PTX_LEX_H
#define GPU_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,   /* a name without dots: add, %r1, $L__BB0_2, _ */
    PTX_DOT,    /* a dot and a name: .reg, .s32, .x (the token's text begins after the dot) */
    PTX_INT,    /* an integer, in `value` */
    PTX_F32,    /* 0f3F800000; `value` has the float's bits */
    PTX_F64,    /* 0d3FF0000000000000 or a decimal fraction; `value` has the double's bits */
    PTX_STRING, /* a string in quotes (the token's text does not include the quotes) */
    PTX_PUNCT,  /* one of { } ( ) [ ] < > , ; : = + - * ! | @ */
    PTX_BAD,    /* any other character */
};

struct ptx_token {
    enum ptx_token_kind kind;
    const char *text;
    uint32_t length;
    uint32_t line; /* line number, from 1 */
    uint64_t value;
};

struct ptx_lexer {
    const char *at, *end;
    uint32_t line;
};

/* Returns whether the character C can be in a name, except as its first character. */
bool ptx_is_word(int c);

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size);

/* Returns the next token. At the end of the text, each call returns PTX_END. */
struct ptx_token ptx_lex(struct ptx_lexer *lexer);

#endif
