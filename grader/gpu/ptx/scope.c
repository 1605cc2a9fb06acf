/* The names are both in a hash table, whose chains have the newest symbol first, and on a stack, in
 * the order of declaration. Leaving a scope pops its symbols from the stack, newest first. So each
 * popped symbol is at the head of its chain. */
#include "gpu/ptx/scope.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096

struct entry {
    struct ptx_symbol symbol;
    struct entry *chain; /* the next older symbol in the same bucket */
    /* the next older symbol on the stack */
    struct entry *before;
    uint32_t bucket;
    unsigned depth;
};

struct ptx_scope {
    struct entry *buckets[BUCKETS];
    struct entry *newest;
    unsigned depth;
};

struct ptx_scope *ptx_scope_new(void)
{
    struct ptx_scope *scope = calloc(1, sizeof *scope);
    if (scope)
        scope->depth = 1;
    return scope;
}

void ptx_scope_free(struct ptx_scope *scope)
{
    if (!scope)
        return;
    ptx_scope_leave_to(scope, 0);
    free(scope);
}

void ptx_scope_enter(struct ptx_scope *scope)
{
    scope->depth++;
}

void ptx_scope_leave(struct ptx_scope *scope)
{
    while (scope->newest && scope->newest->depth == scope->depth) {
        struct entry *entry = scope->newest;
        scope->buckets[entry->bucket] = entry->chain;
        scope->newest = entry->before;
        free(entry);
    }
    scope->depth--;
}

void ptx_scope_leave_to(struct ptx_scope *scope, unsigned depth)
{
    while (scope->depth > depth)
        ptx_scope_leave(scope);
}

static uint32_t bucket_of(struct ptx_name name)
{
    uint32_t hash = 2166136261u; /* the hash function is FNV-1a */
    for (uint32_t i = 0; i < name.length; i++)
        hash = (hash ^ (unsigned char)name.text[i]) * 16777619u;
    return hash % BUCKETS;
}

bool ptx_scope_add(struct ptx_scope *scope, struct ptx_symbol symbol)
{
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return false;
    uint32_t bucket = bucket_of(symbol.name);
    *entry = (struct entry){symbol, scope->buckets[bucket], scope->newest, bucket, scope->depth};
    scope->buckets[bucket] = scope->newest = entry;
    return true;
}

bool ptx_scope_find(const struct ptx_scope *scope, struct ptx_name name, enum ptx_symbol_kind kind,
                    struct ptx_symbol *symbol)
{
    const struct entry *entry = scope->buckets[bucket_of(name)];
    for (; entry; entry = entry->chain) {
        if (entry->symbol.kind == kind && entry->symbol.name.length == name.length &&
            memcmp(entry->symbol.name.text, name.text, name.length) == 0) {
            *symbol = entry->symbol;
            return true;
        }
    }
    return false;
}

bool ptx_scope_register(const struct ptx_scope *scope, struct ptx_name name, uint32_t *index)
{
    struct ptx_symbol symbol;
    if (ptx_scope_find(scope, name, PTX_SYMBOL_REGISTER, &symbol)) {
        *index = symbol.index;
        return true;
    }
    struct ptx_name prefix = name;
    while (prefix.length && isdigit((unsigned char)prefix.text[prefix.length - 1]))
        prefix.length--;
    uint32_t digits = name.length - prefix.length;
    if (!digits || digits > 6 || !ptx_scope_find(scope, prefix, PTX_SYMBOL_RANGE, &symbol))
        return false;
    uint32_t member = 0;
    for (uint32_t i = prefix.length; i < name.length; i++)
        member = member * 10 + (uint32_t)(name.text[i] - '0');
    if (member >= symbol.count)
        return false;
    *index = symbol.index + member;
    return true;
}
