/* What the rules of edits_by_rules() share. Each rule looks at one token, and adds the edits that
 * begin at this token. */
#ifndef GRADE_RULES_H
#define GRADE_RULES_H

#include "grade/code.h"
#include "grade/edits.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

struct rules {
    const struct code *code;
    struct edits *edits;
    struct span part; /* the function in which edits are made */
    size_t most;      /* the rule stops when there are this many edits in total */
    bool has_barriers;
};

/* Returns token I, or an empty token if I is outside of the function. */
const struct token *rule_at(const struct rules *rules, size_t i);
bool rule_is(const struct rules *rules, size_t i, const char *text);

/* Returns a quotation of the COUNT tokens that begin at token I. */
const char *rule_quote(const struct rules *rules, size_t i, size_t count);

/* Adds the edit that replaces COUNT tokens, beginning at token I, by TEXT. If COUNT is 0, the edit
 * inserts TEXT after token I - 1. Returns NULL if the rule may make no more edits. */
struct small_edit *rule_put(const struct rules *rules, size_t i, size_t count, const char *text);

/* Adds the edit that replaces token I by TEXT. KIND says what the two texts are, such as
 * "operator", for the message. */
void rule_change(const struct rules *rules, size_t i, const char *text, const char *kind);

/* Returns whether PART has the name NAME. */
bool rule_has_name(const struct code *code, struct span part, const char *name);

/* The rules that replace one name by another. */
void rule_try_name(const struct rules *rules, size_t i);
void rule_try_cuda_name(const struct rules *rules, size_t i);
void rule_try_index(const struct rules *rules, size_t i);
void rule_try_line_names(const struct rules *rules, size_t i);

/* The rule that replaces a variable, a constant or a thread's number by another one of the same
 * type, the nearest declared first. */
void rule_try_visible(const struct rules *rules, size_t i);

#endif
