/* Splits PTX text into tokens. Tokens point into the text; nothing is copied. */
#ifndef GPU_PTX_LEX_H
#define GPU_PTX_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_token_kind {
    PTX_END,
    PTX_WORD,   /* a name: add, %r1, $L__BB0_2, _ (without dots) */
    PTX_DOT,    /* a dot and a name: .reg, .s32, .x (the text does not include the dot) */
    PTX_INT,    /* an integer: `value` */
    PTX_F32,    /* 0f3F800000; `value` has the bits */
    PTX_F64,    /* 0d3FF0000000000000, or a decimal fraction; `value` has the bits */
    PTX_STRING, /* a string in quotes (the text does not include the quotes) */
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

/* Returns whether C can be part of a name, after the name's first character. */
bool ptx_is_word(int c);

void ptx_lex_init(struct ptx_lexer *lexer, const char *text, size_t size);

/* Returns the next token. At the end of the text, each call returns PTX_END. */
struct ptx_token ptx_lex(struct ptx_lexer *lexer);

#endif
