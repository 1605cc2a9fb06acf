/* Declares the parser's state and the functions that its files share.
 *
 *   tokens.c     tokens, errors, memory      variables.c  types, variables, registers
 *   operands.c   operands                    body.c       instructions, labels, scopes
 *   parse.c      functions, the module       link.c       several texts as one module
 *
 * The parser keeps only the first error. After an error, every further token is PTX_END. So callers
 * need not check for errors: their loops end, and the result is discarded. */
#ifndef GPU_PTX_PARSER_H
#define GPU_PTX_PARSER_H

#include "gpu/ptx/lex.h"
#include "gpu/ptx/module.h"
#include "gpu/ptx/scope.h"

#define PARSE_MAX_DEPTH 64 /* largest depth of nested braces */

/* A use of a label, which is resolved when the scope that declares the label ends. */
struct label_use {
    struct ptx_name name;
    uint32_t instruction, operand, depth;
};

struct parser {
    struct ptx_module *module;
    struct ptx_lexer lexer;
    struct ptx_token token; /* the next token, which has not been taken yet */
    struct ptx_scope *scope;
    uint32_t unit, variable_count;
    struct ptx_function *function; /* the function whose body is being parsed, or NULL */
    struct ptx_function **end;     /* end of the module's list of functions */
    uint32_t register_room, loc_room;
    /* buffer for the code of the current function */
    struct ptx_instruction *code;
    uint32_t code_room;
    struct label_use *uses;
    uint32_t use_count, use_room;
    unsigned depth;
    bool failed;
    char error[256];
};

/* These functions are in tokens.c. parse_accept() takes the next token only if it matches.
 * parse_expect() fails if the next token does not match. */
__attribute__((format(printf, 2, 3))) void parse_fail(struct parser *p, const char *format, ...);
struct ptx_token parse_take(struct parser *p);
bool parse_at_punct(const struct parser *p, char c);
bool parse_at_end(const struct parser *p);
bool parse_accept(struct parser *p, char c);
void parse_expect(struct parser *p, char c);
struct ptx_name parse_name_of(struct ptx_token token);
bool parse_is_dot(const struct parser *p, const char *text);
bool parse_accept_dot(struct parser *p, const char *text);
struct ptx_name parse_expect_word(struct parser *p);
uint64_t parse_expect_int(struct parser *p);
void parse_skip_balanced(struct parser *p);  /* skips { … } including all nested braces */
void parse_skip_statement(struct parser *p); /* skips all tokens up to and including the next ; */

/* Allocates SIZE zeroed bytes in the module's arena. Returns NULL when out of memory. */
void *parse_take_memory(struct parser *p, size_t size);
/* Makes room for one more element in an array in the arena. If the array moves, its old memory
 * stays unused in the arena. */
void *parse_grow(struct parser *p, void *array, uint32_t count, uint32_t *room, size_t size);

/* variables.c */
enum ptx_type parse_expect_type(struct parser *p);
/* Parses the rest of a declaration after its state space: [.align 8] [.v4] .b8 name[16] [= value].
 * Does not take the ';' at the end, because parameters have none. */
struct ptx_variable *parse_variable(struct parser *p, enum ptx_space space);
/* Appends VAR to LIST. Places VAR at the first aligned offset that is at least *USED, and sets
 * *USED to the end of VAR. */
void parse_place(struct ptx_variable **list, struct ptx_variable *var, uint32_t *used);
void parse_declare_variable(struct parser *p, struct ptx_variable *var);
void parse_declare_registers(struct parser *p);

/* operands.c */
struct ptx_operand parse_operand(struct parser *p);
struct ptx_operand parse_named_operand(struct parser *p);
int64_t parse_offset(struct parser *p); /* parses +8, -8 or +-8; returns 0 if there is no offset */

/* Resolves names between units after all units have been parsed (link.c). */
void parse_link(struct parser *p);

/* Parses the body of a function, { … } (body.c). */
void parse_body(struct parser *p);

#endif
