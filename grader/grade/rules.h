/* What the rules of edits_by_rules() share. Each rule looks at one token, and adds the edits that
 * begin at this token. */
#ifndef GRADE_RULES_H
#define GRADE_RULES_H

#include "grade/code.h"
#include "grade/edits.h"
#include "grade/visible.h"

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

/* Adds the edit that replaces COUNT tokens, beginning at token I, by TEXT, which the message
 * shows. Returns NULL if the rule may make no more edits. */
struct small_edit *rule_change_term(const struct rules *rules, size_t i, size_t count,
                                    const char *text);

/* Adds the edit that inserts TEXT after token I. */
void rule_append(const struct rules *rules, size_t i, const char *text);

/* Adds the edit that inserts TEXT, a condition, before the statement at token I. The message quotes
 * COUNT tokens of the statement. */
void rule_insert(const struct rules *rules, size_t i, const char *text, size_t count);

/* Adds the edit that removes COUNT tokens, beginning at token I. */
void rule_drop(const struct rules *rules, size_t i, size_t count);

/* Adds the edit that puts brackets around COUNT tokens, beginning at token I. Returns NULL if the
 * rule may make no more edits. */
struct small_edit *rule_put_brackets(const struct rules *rules, size_t i, size_t count);

/* Copies the text of COUNT tokens, beginning at token I, to TEXT, and returns TEXT. */
const char *rule_copy(const struct rules *rules, size_t i, size_t count, char *text, size_t size);

/* Adds the edit that exchanges two ranges of tokens: FIRST_COUNT tokens from token FIRST on, and
 * COUNT tokens from token I on. */
void rule_exchange(const struct rules *rules, size_t first, size_t first_count, size_t i,
                   size_t count);

/* Returns whether PART has the name NAME. */
bool rule_has_name(const struct code *code, struct span part, const char *name);

/* Returns whether one of COUNT tokens from token I on is a variable of the function that has no
 * other use. */
bool rule_is_last_use(const struct rules *rules, size_t i, size_t count);

/* Returns whether TOKEN is the name of a shuffle, a vote or the like, such as `__shfl_sync`. */
bool rule_is_warp_function(const struct token *token);
/* Returns whether token I begins the mask of lanes in the call of a warp function. */
bool rule_is_lane_mask(const struct rules *rules, size_t i);
/* Returns whether token I is a variable whose value is read. */
bool rule_is_read(const struct rules *rules, size_t i);

/* Returns the first token of the term, such as a name, a call or a bracket, that ends before token
 * END. Returns END if there is none. */
size_t rule_term_begin(const struct rules *rules, size_t end);
/* Returns the number of tokens of the term that begins at token I, or 0. */
size_t rule_term_length(const struct rules *rules, size_t i);

/* Returns whether the operator I has no operand before it. */
bool rule_is_unary(const struct rules *rules, size_t i);
/* Returns whether token I, an operator or a number, belongs to `+ d - 1) / d`. */
bool rule_is_rounding(const struct rules *rules, size_t i);

/* Returns the number of tokens of the argument that begins at token I. The argument ends before a
 * comma or closing bracket that is not inside its own brackets. */
size_t rule_argument_length(const struct rules *rules, size_t i);

/* Stores the function's integer parameters in LIST, and returns their number. */
size_t rule_find_parameters(const struct rules *rules, struct variable list[VISIBLE_MOST]);

/* Returns the number of tokens from token I to the next semicolon, or 0 if a block begins or ends
 * before it. */
size_t rule_length_to_semicolon(const struct rules *rules, size_t i);

/* Returns the number of tokens between the brackets of the `if` I, or 0 if token I is no `if`. */
size_t rule_condition_length(const struct rules *rules, size_t i);

/* Returns the number of tokens of the statement that begins at token I. Returns 0 if no statement
 * begins there, or if it is a declaration, a loop or another control statement. */
size_t rule_statement_length(const struct rules *rules, size_t i);

/* Returns the number of the first token of the value that the function gives to the variable I in
 * its declaration, or 0. */
size_t rule_find_value(const struct rules *rules, size_t i);

/* Typical mistakes, each with its own pattern of code. */
void rule_try_saved(const struct rules *rules, size_t i);
void rule_try_lane(const struct rules *rules, size_t i);
void rule_try_last_lane(const struct rules *rules, size_t i);
void rule_try_ring(const struct rules *rules, size_t i);
void rule_try_reference(const struct rules *rules, size_t i);
void rule_try_wide(const struct rules *rules, size_t i);
void rule_try_exact(const struct rules *rules, size_t i);
void rule_try_bits(const struct rules *rules, size_t i);
void rule_try_half(const struct rules *rules, size_t i);
void rule_try_stream(const struct rules *rules, size_t i);
void rule_try_share(const struct rules *rules, size_t i);
void rule_try_two_sum(const struct rules *rules, size_t i);
void rule_try_absolute(const struct rules *rules, size_t i);

/* The rules for conditions at the ends of warps, arrays and pictures. */
void rule_try_edge_lane(const struct rules *rules, size_t i);
void rule_try_used_index(const struct rules *rules, size_t i);
void rule_try_other_axis(const struct rules *rules, size_t i);
void rule_try_middle(const struct rules *rules, size_t i);

/* The rules for how many threads work, and where they stop. */
void rule_try_once(const struct rules *rules, size_t i);
void rule_try_one_thread(const struct rules *rules, size_t i);
void rule_try_span(const struct rules *rules, size_t i);
void rule_try_loop(const struct rules *rules, size_t i);
void rule_try_step(const struct rules *rules, size_t i);
void rule_try_clear(const struct rules *rules, size_t i);
void rule_try_limit(const struct rules *rules, size_t i);
void rule_try_allocated(const struct rules *rules, size_t i);
void rule_try_block_size(const struct rules *rules, size_t i);

/* Mistakes that the language C invites. */
void rule_try_precedence(const struct rules *rules, size_t i);
void rule_try_char(const struct rules *rules, size_t i);
void rule_try_unsigned(const struct rules *rules, size_t i);
void rule_try_mask(const struct rules *rules, size_t i);
void rule_try_cast(const struct rules *rules, size_t i);
void rule_try_pitch(const struct rules *rules, size_t i);
void rule_try_quotient(const struct rules *rules, size_t i);
void rule_try_parameter(const struct rules *rules, size_t i);
void rule_try_dimension(const struct rules *rules, size_t i);

/* The rules that change operators, numbers and terms. */
void rule_try_comparison(const struct rules *rules, size_t i);
void rule_try_operator(const struct rules *rules, size_t i);
void rule_try_sign(const struct rules *rules, size_t i);
void rule_try_brackets(const struct rules *rules, size_t i);
void rule_try_assignment(const struct rules *rules, size_t i);
void rule_try_number(const struct rules *rules, size_t i);
void rule_try_less(const struct rules *rules, size_t i);
void rule_try_last(const struct rules *rules, size_t i);
void rule_try_off_by_one(const struct rules *rules, size_t i);
void rule_try_more(const struct rules *rules, size_t i);
void rule_try_term(const struct rules *rules, size_t i);
void rule_try_multiple(const struct rules *rules, size_t i);
void rule_try_scale(const struct rules *rules, size_t i);
void rule_try_unit(const struct rules *rules, size_t i);
void rule_try_offset(const struct rules *rules, size_t i);
void rule_try_rounding(const struct rules *rules, size_t i);

/* The rules that add or remove a part of an expression. */
void rule_try_part(const struct rules *rules, size_t i);
void rule_try_bounds(const struct rules *rules, size_t i);
void rule_try_condition(const struct rules *rules, size_t i);
void rule_try_factor(const struct rules *rules, size_t i);
void rule_try_start(const struct rules *rules, size_t i);
void rule_try_bytes(const struct rules *rules, size_t i);
void rule_try_expression(const struct rules *rules, size_t i);
void rule_try_column_first(const struct rules *rules, size_t i);
void rule_try_rows(const struct rules *rules, size_t i);
void rule_try_transposed(const struct rules *rules, size_t i);
void rule_try_common_factor(const struct rules *rules, size_t i);
void rule_try_difference(const struct rules *rules, size_t i);
void rule_try_number_of(const struct rules *rules, size_t i);

/* The rules that change arguments, declarations and whole statements. */
void rule_try_order(const struct rules *rules, size_t i);
void rule_try_type(const struct rules *rules, size_t i);
void rule_try_barrier(const struct rules *rules, size_t i);
void rule_try_guard(const struct rules *rules, size_t i);
void rule_try_without(const struct rules *rules, size_t i);
void rule_try_moved(const struct rules *rules, size_t i);
void rule_try_else(const struct rules *rules, size_t i);
void rule_try_behind(const struct rules *rules, size_t i);
void rule_try_cleared(const struct rules *rules, size_t i);
void rule_try_unrolled(const struct rules *rules, size_t i);

/* The rules that replace one name by another. */
void rule_try_name(const struct rules *rules, size_t i);
void rule_try_major(const struct rules *rules, size_t i);
void rule_try_cuda_name(const struct rules *rules, size_t i);
void rule_try_index(const struct rules *rules, size_t i);
void rule_try_line_names(const struct rules *rules, size_t i);

/* The rule that replaces a variable, a constant or a thread's number by another one of the same
 * type, the nearest declared first. */
void rule_try_visible(const struct rules *rules, size_t i);
/* Takes only variables that the same line has. */
void rule_try_name_of_line(const struct rules *rules, size_t i);
/* Also tries variables that are declared farther away. */
void rule_try_any_visible(const struct rules *rules, size_t i);
/* Extends the value of a constant like that of another one. */
void rule_try_like_constant(const struct rules *rules, size_t i);
/* Replaces a number or a constant by a constant of the file. */
void rule_try_constant(const struct rules *rules, size_t i);

#endif
