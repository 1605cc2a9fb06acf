/* The rules that add or remove a part of an expression: a factor, a term, a condition, or the size
 * of an element. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "grade/rules.h"
#include "grade/visible.h"

/* Returns whether token I, `*`, declares a pointer. */
static bool is_star(const struct rules *rules, size_t i)
{
    static const char *const types[] = {"int",      "float", "double", "char", "void",
                                        "unsigned", "long",  "const",  NULL};
    static const char *const before[] = {";", "{", "}", "const", "struct", "static", NULL};
    return rule_is(rules, i, "*") && (token_is_one_of(rule_at(rules, i - 1), types) ||
                                      token_is_one_of(rule_at(rules, i - 2), before));
}

static bool is_logical(const struct rules *rules, size_t i)
{
    return rule_is(rules, i, "&&") || rule_is(rules, i, "||");
}

/* Returns the number of tokens of the condition that begins at token I, after `&&` or `||`. */
static size_t condition_length(const struct rules *rules, size_t i)
{
    size_t length = 0;
    for (int depth = 0; rule_at(rules, i + length)->length > 0; ++length) {
        const struct token *token = rule_at(rules, i + length);
        bool closes = strchr(")]}", *token->begin);
        if (depth == 0 &&
            (closes || strchr(";,?:", *token->begin) || is_logical(rules, i + length)))
            break;
        depth += (strchr("([{", *token->begin) != NULL) - closes;
    }
    return length;
}

/* Returns the first token of the condition that ends before token END, `&&` or `||`. */
static size_t condition_begin(const struct rules *rules, size_t end)
{
    size_t first = end;
    for (int depth = 0; rule_at(rules, first - 1)->length > 0; --first) {
        const struct token *token = rule_at(rules, first - 1);
        bool opens = strchr("([{", *token->begin);
        if (depth == 0 && (opens || strchr(";,?:", *token->begin) || token_is(token, "=") ||
                           token_is(token, "return") || is_logical(rules, first - 1)))
            break;
        depth += (strchr(")]}", *token->begin) != NULL) - opens;
    }
    return first;
}

/* Removes the factor, the term or the condition before or after the operator I. */
void rule_try_part(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"*", "/", "%", "+", "-", "&&", "||", NULL};
    static const char *const turned[] = {"/", "%", "-", NULL};
    if (!token_is_one_of(rule_at(rules, i), operators) || is_star(rules, i) ||
        rule_is_unary(rules, i) || rule_is_rounding(rules, i))
        return;
    bool is_condition = is_logical(rules, i);
    size_t after = is_condition ? condition_length(rules, i + 1) : rule_term_length(rules, i + 1);
    size_t first = is_condition ? condition_begin(rules, i) : rule_term_begin(rules, i);
    if (after > 0 && !rule_is_last_use(rules, i, 1 + after))
        rule_drop(rules, i, 1 + after);
    if (first < i && !token_is_one_of(rule_at(rules, i), turned) &&
        !rule_is_last_use(rules, first, i - first))
        rule_drop(rules, first, i + 1 - first);
}

/* Exchanges what two comparisons of a condition compare, as in `x < height && y < width`. */
void rule_try_bounds(const struct rules *rules, size_t i)
{
    static const char *const operators[] = {"<", "<=", ">", ">=", NULL};
    size_t first = is_logical(rules, i) ? condition_begin(rules, i) : i, left = first;
    size_t end = i + 1 + (first < i ? condition_length(rules, i + 1) : 0), right = i + 1;
    while (left < i && !token_is_one_of(rule_at(rules, left), operators))
        ++left;
    while (right < end && !token_is_same(rule_at(rules, right), rule_at(rules, left)))
        ++right;
    if (left + 1 >= i || right + 1 >= end)
        return;
    rule_exchange(rules, left + 1, i - left - 1, right + 1, end - right - 1);
    for (size_t k = 0; left - first == right - i - 1 && k < left - first; ++k)
        if (token_is_name(rule_at(rules, first + k)))
            rule_exchange(rules, first + k, 1, i + 1 + k, 1);
}

/* Removes a condition: its statement is always executed. */
void rule_try_condition(const struct rules *rules, size_t i)
{
    size_t count = rule_condition_length(rules, i);
    struct small_edit *edit =
        count > 0 && rule_is(rules, i + 1, "(") ? rule_put(rules, i + 2, count, "true") : NULL;
    if (edit)
        edit_say(edit, "without the condition `%s` in line %u", rule_quote(rules, i + 2, count),
                 edit->line);
}

/* Multiplies a variable by a factor with which the function multiplies it elsewhere. */
void rule_try_factor(const struct rules *rules, size_t i)
{
    static const char *const factors[] = {"*", "/", "%", NULL};
    if (!rule_is_read(rules, i) || token_is_constant(rule_at(rules, i)) ||
        token_is_one_of(rule_at(rules, i - 1), factors) ||
        token_is_one_of(rule_at(rules, i + 1), factors))
        return;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        bool is_before = rule_is(rules, j - 1, "*") && !rule_is_unary(rules, j - 1);
        bool is_same = token_is_same(rule_at(rules, i), rule_at(rules, j)) && j != i;
        size_t factor = is_before ? j - 2 : j + 2;
        const struct token *by = rule_at(rules, factor);
        char text[100];
        if (!is_same || !(is_before || rule_is(rules, j + 1, "*")) ||
            !(isdigit((unsigned char)*by->begin) || token_is_constant(by)))
            continue;
        snprintf(text, sizeof text, "%.*s * %.*s", (int)by->length, by->begin,
                 (int)rule_at(rules, i)->length, rule_at(rules, i)->begin);
        rule_change_term(rules, i, 1, text);
    }
}

/* Lets a loop begin one later or earlier, or at half the number. */
void rule_try_start(const struct rules *rules, size_t i)
{
    size_t begin = i;
    while (begin > rules->part.first && !strchr("(;{}", *rule_at(rules, begin)->begin))
        --begin;
    size_t count = rule_is(rules, i, "=") ? rule_argument_length(rules, i + 1) : 0;
    bool is_number = count == 1 && isdigit((unsigned char)*rule_at(rules, i + 1)->begin);
    if (count == 0 || is_number || !rule_is(rules, begin, "(") || !rule_is(rules, begin - 1, "for"))
        return;
    rule_append(rules, i + count, " + 1");
    rule_append(rules, i + count, " - 1");
    rule_append(rules, i + count, " / 2");
}

/* --- sizes in bytes --------------------------------------------------------------------------- */

/* Functions of the CUDA library and launches, and which of their arguments count bytes. */
static const struct {
    const char *name, *arguments;
} in_bytes[] = {{"cudaMalloc", "2"},         {"cudaMallocManaged", "2"},
                {"cudaMallocAsync", "2"},    {"cudaMallocHost", "2"},
                {"cudaMallocPitch", "3"},    {"cudaMemset", "3"},
                {"cudaMemsetAsync", "3"},    {"cudaMemset2D", "24"},
                {"cudaMemcpy", "3"},         {"cudaMemcpyAsync", "3"},
                {"cudaMemcpy2D", "245"},     {"cudaMemcpy2DAsync", "245"},
                {"cudaMemcpyToSymbol", "3"}, {"<<<", "3"}};

/* Multiplies an argument that counts bytes, which begins at token I, by the size of an element. */
static void try_elements(const struct rules *rules, size_t i)
{
    static const char *const sizes[] = {"4", "8"};
    size_t count = rule_argument_length(rules, i);
    bool has_size = false, is_name = count == 1 || rule_is(rules, i + 1, ".");
    char term[150], text[200];
    for (size_t j = i; j < i + count; ++j)
        has_size |= rule_is(rules, j, "sizeof");
    for (size_t j = 0; j < ROWS(sizes) && count > 0 && !has_size; ++j) {
        snprintf(text, sizeof text, is_name ? "%s * %s" : "(%s) * %s",
                 rule_copy(rules, i, count, term, sizeof term), sizes[j]);
        struct small_edit *edit = rule_put(rules, i, count, text);
        if (edit)
            edit_say(edit, "with bytes, such as `%s * sizeof(%s)`, in line %u",
                     rule_quote(rules, i, count), j == 0 ? "float" : "double", edit->line);
    }
}

/* Counts elements in place of bytes, or bytes in place of elements. */
void rule_try_bytes(const struct rules *rules, size_t i)
{
    size_t first = i + (rule_is(rules, i, "<<<") ? 1 : 2);
    size_t length = rule_is(rules, i, "sizeof") ? 1 : 0;
    if (length > 0) {
        length += rule_is(rules, i + 1, "*");
        length += rule_term_length(rules, i + length);
        rule_change_term(rules, i, length, "1");
        rule_change_term(rules, i, length, "8");
    }
    for (size_t row = 0; row < ROWS(in_bytes); ++row)
        for (char number = '1'; rule_is(rules, i, in_bytes[row].name) && number < '6'; ++number) {
            size_t is_name = rule_argument_length(rules, first) == 1;
            size_t value = is_name ? rule_find_value(rules, first) : 0;
            bool is_size = strchr(in_bytes[row].arguments, number);
            if (is_size && value > 0)
                try_elements(rules, value);
            if (is_size)
                try_elements(rules, first);
            first += rule_argument_length(rules, first) + 1;
            if (!rule_is(rules, first - 1, ","))
                break;
        }
}

/* --- indices ---------------------------------------------------------------------------------- */

enum { NAMES_MOST = 4 };

/* Stores the numbers of the different variables among COUNT tokens from token I on in NAMES.
 * Returns their number. */
static size_t find_names(const struct rules *rules, size_t i, size_t count,
                         size_t names[NAMES_MOST])
{
    size_t found = 0;
    for (size_t j = i; j < i + count; ++j) {
        bool is_new = token_is_name(rule_at(rules, j)) && !token_is_constant(rule_at(rules, j));
        for (size_t k = 0; k < found; ++k)
            is_new &= !token_is_same(rule_at(rules, names[k]), rule_at(rules, j));
        if (is_new && found < NAMES_MOST)
            names[found++] = j;
    }
    return found;
}

/* Returns the length of the shortest sum that begins at token I, ends in the same expression, and
 * has all COUNT NAMES. Returns 0 if there is none. */
static size_t sum_length(const struct rules *rules, size_t i, const size_t *names, size_t count)
{
    static const char *const words[] = {"if", "for", "while", "switch", NULL};
    size_t found[NAMES_MOST];
    size_t length = token_is_one_of(rule_at(rules, i - rule_is(rules, i, "(")), words)
                        ? 0
                        : rule_term_length(rules, i);
    while (length > 0) {
        size_t more = 0, own = find_names(rules, i, length, found);
        bool is_product = rule_is(rules, i + length, "*");
        for (size_t k = 0; k < count; ++k)
            for (size_t j = i; j < i + length; ++j)
                if (token_is_same(rule_at(rules, j), rule_at(rules, names[k]))) {
                    ++more;
                    break;
                }
        if (more == count && own == count && !is_product)
            return length;
        if (!is_product && !rule_is(rules, i + length, "+"))
            return 0;
        size_t term = rule_term_length(rules, i + length + 1);
        length = term > 0 ? length + 1 + term : 0;
    }
    return 0;
}

/* Returns how often the function has the COUNT tokens from token I on. */
static size_t count_uses(const struct rules *rules, size_t i, size_t count)
{
    size_t uses = 0, end = rules->part.first + rules->part.count;
    for (size_t j = rules->part.first; j + count <= end; ++j)
        uses += code_is_same(rules->code, (struct span){i, count}, rules->code,
                             (struct span){j, count});
    return uses;
}

/* Returns whether COUNT tokens from token I on have a product, and neither members nor arrays. */
static bool is_plain_product(const struct rules *rules, size_t i, size_t count)
{
    static const char *const others[] = {".", "->", "[", "?", NULL};
    bool is_product = false;
    for (size_t j = i; j < i + count; ++j) {
        is_product |= rule_is(rules, j, "*");
        if (token_is_one_of(rule_at(rules, j), others))
            return false;
    }
    return is_product;
}

/* Exchanges two variables everywhere in an index, as in `[(dx + 1) * 3 + dy]`. */
void rule_try_transposed(const struct rules *rules, size_t i)
{
    size_t names[NAMES_MOST], length = rule_argument_length(rules, i + 1);
    size_t count = rule_is(rules, i, "[") ? find_names(rules, i + 1, length, names) : 0;
    char text[400] = "", *to = text;
    if (count < 2 || count > 3 || !is_plain_product(rules, i + 1, length))
        return;
    const struct token *one = rule_at(rules, names[0]), *other = rule_at(rules, names[count - 1]);
    for (size_t j = i + 1; j < i + 1 + length && to < text + sizeof text - 100; ++j) {
        const struct token *token = rule_at(rules, j);
        token = token_is_same(token, one) ? other : token_is_same(token, other) ? one : token;
        to += snprintf(to, 100, "%.*s ", (int)token->length, token->begin);
    }
    struct small_edit *edit = rule_put(rules, i + 1, length, text);
    if (edit)
        edit_say(edit, "with `%.*s` and `%.*s` exchanged in an index in line %u", (int)one->length,
                 one->begin, (int)other->length, other->begin, edit->line);
}

/* Exchanges row and column of an index, `[a * 3 + b]`, whose row has a constant: `[b * N + a]`. */
void rule_try_column_first(const struct rules *rules, size_t i)
{
    size_t length = rule_is(rules, i, "[") ? rule_argument_length(rules, i + 1) : 0;
    size_t row = length > 0 ? rule_term_length(rules, i + 1) : 0, plus = i + 1 + row;
    char text[400], parts[3][120];
    if (row == 0 || !rule_is(rules, plus, "*"))
        return;
    plus += 1 + rule_term_length(rules, plus + 1);
    size_t column = i + 1 + length - plus - 1;
    for (size_t j = i + 1; rule_is(rules, plus, "+") && j < i + 1 + row; ++j) {
        if (!token_is_constant(rule_at(rules, j)))
            continue;
        snprintf(text, sizeof text, "(%s) * %s + %s",
                 rule_copy(rules, plus + 1, column, parts[0], sizeof parts[0]),
                 rule_copy(rules, j, 1, parts[1], sizeof parts[1]),
                 rule_copy(rules, i + 1, row, parts[2], sizeof parts[2]));
        rule_change_term(rules, i + 1, length, text);
        return;
    }
}

/* Exchanges row and column of an index, `[a * n + b]`, whose rows then have another length, one of
 * the function's parameters: `[b * m + a]`. */
void rule_try_rows(const struct rules *rules, size_t i)
{
    struct variable list[VISIBLE_MOST];
    char text[300], names[2][80];
    bool is_index = rule_is(rules, i, "[") && rule_is(rules, i + 2, "*") &&
                    rule_is(rules, i + 4, "+") && rule_is(rules, i + 6, "]");
    size_t count = is_index ? rule_find_parameters(rules, list) : 0;
    for (size_t j = 0; j < count; ++j) {
        if (token_is_same(list[j].name, rule_at(rules, i + 3)))
            continue;
        snprintf(text, sizeof text, "%s * %.*s + %s",
                 rule_copy(rules, i + 5, 1, names[0], sizeof names[0]), (int)list[j].name->length,
                 list[j].name->begin, rule_copy(rules, i + 1, 1, names[1], sizeof names[1]));
        rule_change_term(rules, i + 1, 5, text);
    }
}

/* Replaces an index, or a part of a sum, by another expression of the function that has the same
 * variables. The function must use the expression at least as often as the part of a sum. */
void rule_try_expression(const struct rules *rules, size_t i)
{
    static const char *const after[] = {"*", "/", "%", ".", "->", NULL};
    size_t names[NAMES_MOST], count = rule_argument_length(rules, i + 1);
    bool is_index = rule_is(rules, i, "["), is_part = rule_is(rules, i, "+");
    size_t name_count = is_index || is_part ? find_names(rules, i + 1, count, names) : 0;
    char text[200];
    if (name_count < 2)
        return;
    for (size_t j = rules->part.first; j < rules->part.first + rules->part.count; ++j) {
        bool begins = !token_is_one_of(rule_at(rules, j - 1), after) &&
                      (token_is_name(rule_at(rules, j)) || rule_is(rules, j, "("));
        size_t length = begins ? sum_length(rules, j, names, name_count) : 0;
        if (length == 0 || (j >= i && j <= i + count) ||
            (is_part && count_uses(rules, j, length) < count_uses(rules, i + 1, count)))
            continue;
        rule_copy(rules, j, length, text, sizeof text);
        rule_change_term(rules, i + 1, count, text);
    }
}

/* --- operands --------------------------------------------------------------------------------- */

/* Returns the number of the name of the function whose call has token I as an argument, or 0. */
static size_t find_call(const struct rules *rules, size_t i)
{
    for (int depth = 0; rule_at(rules, i - 1)->length > 0; --i) {
        const struct token *token = rule_at(rules, i - 1);
        if (strchr(";{}", *token->begin))
            return 0;
        if (depth == 0 && token_is(token, "("))
            return token_is_name(rule_at(rules, i - 2)) ? i - 2 : 0;
        depth += token_is(token, ")") - token_is(token, "(");
    }
    return 0;
}

/* Takes a factor out of a sum, so that less is rounded: `a * b - a * c` becomes `a * (b - c)`. */
void rule_try_common_factor(const struct rules *rules, size_t i)
{
    size_t second = rule_term_begin(rules, i), first = rule_term_begin(rules, second - 1);
    size_t factor = second - 1 - first, rest = i + 1 + factor + 1;
    size_t count = rule_term_length(rules, rest);
    char text[400], parts[3][120];
    if (!(rule_is(rules, i, "-") || rule_is(rules, i, "+")) || second == i || factor == 0 ||
        count == 0 || !rule_is(rules, second - 1, "*") || !rule_is(rules, rest - 1, "*") ||
        !code_is_same(rules->code, (struct span){first, factor}, rules->code,
                      (struct span){i + 1, factor}))
        return;
    snprintf(text, sizeof text, "%s * (%s %c %s)",
             rule_copy(rules, first, factor, parts[0], sizeof parts[0]),
             rule_copy(rules, second, i - second, parts[1], sizeof parts[1]),
             *rule_at(rules, i)->begin, rule_copy(rules, rest, count, parts[2], sizeof parts[2]));
    rule_change_term(rules, first, rest + count - first, text);
}

/* Exchanges the operands of a difference, or negates an argument of a product that is rounded only
 * once. */
void rule_try_difference(const struct rules *rules, size_t i)
{
    static const char *const calls[] = {"fmaf", "fma", "__fmaf_rn", "expf", "exp", NULL};
    char text[100];
    size_t count = rule_term_length(rules, i + 1), first = rule_term_begin(rules, i);
    if (rule_is(rules, i, "-") && !rule_is_unary(rules, i) && !rule_is_rounding(rules, i) &&
        count > 0 && first < i)
        rule_exchange(rules, first, i - first, i + 1, count);
    bool ends = rule_is(rules, i + 1, ",") || rule_is(rules, i + 1, ")");
    bool begins = rule_is(rules, i - 1, ",") || rule_is(rules, i - 1, "(");
    size_t call = begins && ends ? find_call(rules, i) : 0;
    if (call == 0 || !token_is_one_of(rule_at(rules, call), calls))
        return;
    snprintf(text, sizeof text, "-%.*s", (int)rule_at(rules, i)->length, rule_at(rules, i)->begin);
    rule_change_term(rules, i, 1, text);
}

/* Replaces 0 or 1 in an index by a variable, or by the number of the block or the thread. */
void rule_try_number_of(const struct rules *rules, size_t i)
{
    static const char *const built_in[] = {"threadIdx.x", "blockIdx.x"};
    struct variable list[VISIBLE_MOST];
    char name[80];
    bool begins =
        rule_is(rules, i - 1, "[") || rule_is(rules, i - 1, "+") || rule_is(rules, i - 1, "-");
    if (!begins || !rule_is(rules, i + 1, "]") ||
        !(rule_is(rules, i, "0") || rule_is(rules, i, "1")))
        return;
    size_t count = visible_find(rules->code, rules->part, i, list);
    for (size_t j = count, made = 0; j-- > 0 && made < 3;)
        if (visible_is_integer(&list[j]) && !list[j].is_macro) {
            snprintf(name, sizeof name, "%.*s", (int)list[j].name->length, list[j].name->begin);
            rule_change_term(rules, i, 1, name);
            ++made;
        }
    for (size_t j = 0; rule_is(rules, i - 1, "[") && j < ROWS(built_in); ++j)
        rule_change_term(rules, i, 1, built_in[j]);
}
