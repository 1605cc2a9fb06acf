/* Keeps the names in scope while a PTX text is parsed: registers, variables and labels. A name in
 * an inner scope hides the same name in outer scopes. */
#ifndef GPU_PTX_SCOPE_H
#define GPU_PTX_SCOPE_H

#include "gpu/ptx/module.h"

enum ptx_symbol_kind {
    PTX_SYMBOL_REGISTER, /* `index` is the register's index */
    PTX_SYMBOL_RANGE,    /* %r<21>: %r0 … %r20 are registers `index` … `index + count - 1` */
    PTX_SYMBOL_VARIABLE,
    PTX_SYMBOL_LABEL, /* `index` is the index of the instruction after the label */
};

struct ptx_symbol {
    enum ptx_symbol_kind kind;
    struct ptx_name name;
    uint32_t index, count;
    const struct ptx_variable *variable;
};

struct ptx_scope;

struct ptx_scope *ptx_scope_new(void); /* returns NULL when out of memory */
void ptx_scope_free(struct ptx_scope *scope);

void ptx_scope_enter(struct ptx_scope *scope);
void ptx_scope_leave(struct ptx_scope *scope);
/* Leaves scopes until DEPTH scopes remain. A new struct ptx_scope has one scope. */
void ptx_scope_leave_to(struct ptx_scope *scope, unsigned depth);

/* Adds SYMBOL to the innermost scope, where it hides older symbols of the same name. Returns false
 * when out of memory. */
bool ptx_scope_add(struct ptx_scope *scope, struct ptx_symbol symbol);
bool ptx_scope_find(const struct ptx_scope *scope, struct ptx_name name, enum ptx_symbol_kind kind,
                    struct ptx_symbol *symbol);
/* Finds a register, which was declared by its own name or in a range such as %r<21>. */
bool ptx_scope_register(const struct ptx_scope *scope, struct ptx_name name, uint32_t *index);

#endif
