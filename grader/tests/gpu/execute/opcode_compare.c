/* The rows of setp and set. They are built from two small tables: relations between two operands,
 * and the relations that make each comparison true. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_compare.h"

#define MAX_ROWS 16000

/* How a relates to b: '<', '=' or '>', or '?' if one of them is NaN. */
struct relation {
    const char *type;
    uint64_t a, b;
    char relation;
    char flushed; /* the relation with .ftz, or 0 if it is the same */
};

static const struct relation relations[] = {
    {"16", 5, 5, '=', 0},
    {"16", 0, 0xffff, '!', 0}, /* '!' means different bits that have no order */
    {"16", 0x8000, 0x7fff, '!', 0},
    {"32", 5, 5, '=', 0},
    {"32", 0x80000000, 0x7fffffff, '!', 0},
    {"32", 0x00000000, 0x80000000, '!', 0}, /* as floats they are equal */
    {"32", 0x7fc00000, 0x7fc00000, '=', 0},
    {"64", 5, 5, '=', 0},
    {"64", 0x100000000, 0x000000000, '!', 0},
    {"64", 0x8000000000000000, 0x8000000000000000, '=', 0},
    {"u16", 1, 2, '<', 0},
    {"u16", 0xffff, 1, '>', 0},
    {"u16", 0x7fff, 0x8000, '<', 0},
    {"u16", 0x8000, 0x8000, '=', 0},
    {"s16", 1, 2, '<', 0},
    {"s16", 0xffff, 1, '<', 0},
    {"s16", 0x7fff, 0x8000, '>', 0},
    {"s16", 0x8000, 0x8000, '=', 0},
    {"u32", 1, 2, '<', 0},
    {"u32", 0xffffffff, 1, '>', 0},
    {"u32", 0x7fffffff, 0x80000000, '<', 0},
    {"u32", 0x80000000, 0x80000000, '=', 0},
    {"s32", 1, 2, '<', 0},
    {"s32", 0xffffffff, 1, '<', 0},
    {"s32", 0x7fffffff, 0x80000000, '>', 0},
    {"s32", 0x80000000, 0x80000000, '=', 0},
    {"u64", 1, 2, '<', 0},
    {"u64", 0xffffffffffffffff, 1, '>', 0},
    {"u64", 0x100000000, 0xffffffff, '>', 0},
    {"u64", 0x7fffffffffffffff, 0x8000000000000000, '<', 0},
    {"u64", 0x8000000000000000, 0x8000000000000000, '=', 0},
    {"s64", 1, 2, '<', 0},
    {"s64", 0xffffffffffffffff, 1, '<', 0},
    {"s64", 0x7fffffffffffffff, 0x8000000000000000, '>', 0},
    {"s64", 0x8000000000000000, 0x8000000000000000, '=', 0},
    {"f16", 0x3c00, 0x4000, '<', 0},
    {"f16", 0xbc00, 0xc000, '>', 0},
    {"f16", 0x8000, 0x0000, '=', 0},
    {"f16", 0x7c00, 0x7bff, '>', 0},
    {"f16", 0xfc00, 0xfbff, '<', 0},
    {"f16", 0x7e00, 0x3c00, '?', 0},
    {"f16", 0x3c00, 0xfc01, '?', 0},
    {"f16", 0x0001, 0x0000, '>', '='},
    {"f16", 0x8001, 0x03ff, '<', '='},
    {"f16", 0x03ff, 0x0400, '<', '<'},
    {"bf16", 0x3f80, 0x4000, '<', 0},
    {"bf16", 0xbf80, 0xc000, '>', 0},
    {"bf16", 0x8000, 0x0000, '=', 0},
    {"bf16", 0x7f80, 0x7f7f, '>', 0},
    {"bf16", 0xff80, 0xff7f, '<', 0},
    {"bf16", 0x7fc0, 0x3f80, '?', 0},
    {"bf16", 0x3f80, 0xff81, '?', 0},
    {"bf16", 0x0001, 0x0000, '>', 0},
    {"f32", 0x3f800000, 0x40000000, '<', 0},
    {"f32", 0xbf800000, 0xc0000000, '>', 0},
    {"f32", 0x80000000, 0x00000000, '=', 0},
    {"f32", 0x7f800000, 0x7f7fffff, '>', 0},
    {"f32", 0xff800000, 0xff7fffff, '<', 0},
    {"f32", 0x7f800000, 0x7f800000, '=', 0},
    {"f32", 0x7fc00000, 0x3f800000, '?', 0},
    {"f32", 0x3f800000, 0xffc00001, '?', 0},
    {"f32", 0x7fc00000, 0x7fc00000, '?', 0},
    {"f32", 0x00000001, 0x00000000, '>', '='},
    {"f32", 0x80000001, 0x007fffff, '<', '='},
    {"f32", 0x007fffff, 0x00800000, '<', '<'},
    {"f64", 0x3ff0000000000000, 0x4000000000000000, '<', 0},
    {"f64", 0xbff0000000000000, 0xc000000000000000, '>', 0},
    {"f64", 0x8000000000000000, 0x0000000000000000, '=', 0},
    {"f64", 0x7ff0000000000000, 0x7fefffffffffffff, '>', 0},
    {"f64", 0x7ff8000000000000, 0x3ff0000000000000, '?', 0},
    {"f64", 0x3ff0000000000000, 0xfff8000000000001, '?', 0},
    {"f64", 0x0000000000000001, 0x0000000000000000, '>', 0},
};

/* The relations that make each comparison true, and the classes of types that have it. */
static const struct {
    const char *name, *classes, *holds;
} comparisons[] = {
    {"eq", "busf", "="}, {"ne", "busf", "<>!"}, {"lt", "usf", "<"}, {"le", "usf", "<="},
    {"gt", "usf", ">"},  {"ge", "usf", ">="},   {"lo", "u", "<"},   {"ls", "u", "<="},
    {"hi", "u", ">"},    {"hs", "u", ">="},     {"equ", "f", "=?"}, {"neu", "f", "<>?"},
    {"ltu", "f", "<?"},  {"leu", "f", "<=?"},   {"gtu", "f", ">?"}, {"geu", "f", ">=?"},
    {"num", "f", "<=>"}, {"nan", "f", "?"},
};
#define COMPARISONS (sizeof comparisons / sizeof *comparisons)

static const char *const types[] = {"b16", "b32", "b64", "u16", "u32", "u64", "s16",
                                    "s32", "s64", "f32", "f64", "f16", "bf16"};
static const char *const combinations[] = {"", "and", "or", "xor"};

static bool combine(const char *how, bool a, bool b)
{
    switch (*how) {
    case 'a':
        return a && b;
    case 'o':
        return a || b;
    case 'x':
        return a != b;
    default:
        return a;
    }
}

/* --- rows --------------------------------------------------------------------------------------- */

static struct opcode_row rows[MAX_ROWS];
static size_t length;

static void add(struct opcode_row row)
{
    cr_assert(length < MAX_ROWS, "make MAX_ROWS larger");
    rows[length++] = row;
}

static char *text(const char *format, const char *a, const char *b, const char *c, const char *d,
                  const char *e)
{
    char *made = NULL;
    cr_assert(asprintf(&made, format, a, b, c, d, e) > 0, "out of memory");
    return made;
}

/* Returns the class of a type: 'b', 'u', 's' or 'f', as in the table of comparisons. */
static char class_of(const char *type)
{
    return strcmp(type, "bf16") == 0 ? 'f' : *type;
}

static bool is_half(const char *type)
{
    return class_of(type) == 'f' && strstr(type, "16");
}

/* Returns whether a relation is for TYPE: it has the type's full name, or is for untyped bits of
 * its width. */
static bool is_for(const struct relation *relation, const char *type)
{
    return strcmp(relation->type, class_of(type) == 'b' ? type + 1 : type) == 0;
}

struct form {
    const char *opcode; /* "setp", or "set" with the type of its result */
    const char *result_type, *type, *combination;
    size_t comparison;
    bool ftz;
};

static bool outcome(const struct form *form, const struct relation *relation, bool contrary, bool c)
{
    char is = form->ftz && relation->flushed ? relation->flushed : relation->relation;
    bool holds = strchr(comparisons[form->comparison].holds, is) != NULL;
    return combine(form->combination, holds != contrary, c);
}

static uint64_t expected(const struct form *form, const struct relation *relation, bool c)
{
    bool yes = outcome(form, relation, false, c);
    if (strcmp(form->opcode, "setp") == 0 &&
        is_half(form->type)) /* the half types have no second result */
        return yes;
    if (strcmp(form->opcode, "setp") == 0)
        return yes | (uint64_t)outcome(form, relation, true, c) << 1;
    static const struct {
        const char *type;
        uint64_t yes;
    } results[] = {{"u16", 0xffff},     {"s16", 0xffff},     {"f16", 0x3c00},     {"bf16", 0x3f80},
                   {"u32", 0xffffffff}, {"s32", 0xffffffff}, {"f32", 0x3f800000}, {NULL, 0}};
    size_t i = 0;
    while (results[i].type && strcmp(results[i].type, form->result_type) != 0)
        i++;
    return yes ? results[i].yes : 0;
}

static void add_form(const struct form *form)
{
    char words[24], letter = strstr(form->type, "16") ? 'h' : strstr(form->type, "32") ? 'w' : 'd';
    bool is_setp = strcmp(form->opcode, "setp") == 0, combined = *form->combination;
    snprintf(words, sizeof words, ".%s%s%s%s", comparisons[form->comparison].name,
             combined ? "." : "", form->combination, form->ftz ? ".ftz" : "");
    char *name = is_setp
                     ? text("%s%s.%s", form->opcode, words, form->type, "", "")
                     : text("%s%s.%s.%s", form->opcode, words, form->result_type, form->type, "");
    char result = is_setp                           ? is_half(form->type) ? 'p' : 'P'
                  : strstr(form->result_type, "16") ? 'h'
                                                    : 'w';
    char operands[8] = {result, '=', letter, letter, combined ? 'p' : 0};
    add((struct opcode_row){.name = name, .form = text("%s", operands, "", "", "", "")});
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        const struct relation *r = &relations[i];
        for (unsigned c = 0; c <= combined && is_for(r, form->type); c++)
            add((struct opcode_row){.in = {r->a, r->b, c}, .want = expected(form, r, c)});
    }
}

/* Adds the rows of one comparison. The result type of set changes from one comparison to the next;
 * eq and ne get every pair of types. */
static void add_comparison(struct form form)
{
    const char *results[] = {"u32", "s32", "f32", "u16", "s16"};
    static unsigned turn;
    unsigned count = is_half(form.type) ? 5 : 3;
    if (is_half(form.type))
        results[2] = form.type;
    form.opcode = "setp";
    add_form(&form);
    form.opcode = "set";
    bool all = form.comparison < 2 && !*form.combination && !form.ftz;
    for (unsigned i = 0; i < (all ? count : 1); i++) {
        form.result_type = results[(turn + i) % count];
        add_form(&form);
    }
    turn++;
}

static void add_type(const char *type)
{
    for (size_t k = 0; k < COMPARISONS; k++) {
        if (!strchr(comparisons[k].classes, class_of(type)))
            continue;
        struct form form = {.type = type, .comparison = k, .combination = ""};
        add_comparison(form);
        form.ftz = true;
        if (strcmp(type, "f32") == 0 || strcmp(type, "f16") == 0)
            add_comparison(form);
        form.ftz = false;
        form.combination = combinations[1 + k % 3];
        add_comparison(form);
    }
    for (size_t i = 1; i <= 3; i++) /* adds each combination at least once */
        add_comparison(
            (struct form){.type = type, .comparison = 0, .combination = combinations[i]});
}

/* Adds rows of setp with one result, and with _ as the second result. */
static void add_single_results(void)
{
    static const struct opcode_row singles[] = {
        ROWT("setp.lt.s32", "p=ww", "@setp.lt.s32 d, a, b;") V2(0xffffffff, 1, 1)
            V2(1, 0xffffffff, 0) V2(1, 1, 0) ROWT("setp.lt.s32", "p=ww", "@setp.lt.s32 d|_, a, b;")
                V2(0xffffffff, 1, 1) V2(1, 1, 0)
                    ROWT("setp.gt.and.u32", "p=wwp", "@setp.gt.and.u32 d, a, b, !c;") V3(2, 1, 0, 1)
                        V3(2, 1, 1, 0) V3(1, 2, 0, 0)};
    for (size_t i = 0; i < OPCODE_ROWS_LENGTH(singles); i++)
        add(singles[i]);
}

struct opcode_table opcode_compare_table(void)
{
    if (!length) {
        add_single_results();
        for (size_t i = 0; i < sizeof types / sizeof *types; i++)
            add_type(types[i]);
    }
    return (struct opcode_table){rows, length};
}
