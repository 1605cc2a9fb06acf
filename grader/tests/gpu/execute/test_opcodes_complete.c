/* Tests that every opcode in opcodes.def is tested.
 *
 * This file splits every mnemonic that a test runs into its parts: opcode, types, and words
 * (modifiers such as rounding, comparison or space). Then it checks each opcode with each of its
 * types and each of its words. Either a test must run this combination. Or the table of refusals
 * below must list it, and loading it must give a clear error. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/module.h"
#include "opcode_async.h"
#include "opcode_control.h"
#include "opcode_lanes.h"
#include "opcode_matrix.h"
#include "opcode_memory.h"
#include "opcode_rows.h"
#include "opcode_tensor.h"
#include "opcode_texture.h"
#include "tests/support/emulator_fixture.h"

#define NO_WORD PTX_MOD_COUNT  /* the opcode has no word */
#define NO_TYPE PTX_TYPE_COUNT /* bra, bar and other opcodes without a type */

/* The combinations that tests run, by opcode, first type, second type and word. It is 27 MB large,
 * so only the test that needs it allocates it. */
static bool (*runs)[PTX_TYPE_COUNT + 1][PTX_TYPE_COUNT + 1][PTX_MOD_COUNT + 1];

static int find(const char *word, const char *(*name_of)(int), int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, name_of(i)) == 0)
            return i;
    return -1;
}

static const char *opcode_name(int i)
{
    return ptx_opcodes[i].name;
}

static const char *type_name(int i)
{
    return ptx_type_name((enum ptx_type)i);
}

static const char *word_name(int i)
{
    return ptx_modifier_name((enum ptx_modifier)i);
}

/* Returns the longest opcode at the start of TEXT. Moves TEXT past it, or sets TEXT to NULL at the
 * end. */
static int take_opcode(char **text)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < PTX_OPCODE_COUNT; i++) {
        size_t length = strlen(opcode_name(i));
        if (length > longest && strncmp(*text, opcode_name(i), length) == 0 &&
            strchr(".", (*text)[length])) {
            found = i;
            longest = length;
        }
    }
    *text = (*text)[longest] ? *text + longest + 1 : NULL;
    return found;
}

static void note(const char *mnemonic, void *context)
{
    char copy[120], *rest = copy;
    int types[4] = {NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE}, type_count = 0, words[16] = {NO_WORD},
        word_count = 1;
    snprintf(copy, sizeof copy, "%s", mnemonic);
    int opcode = take_opcode(&rest);
    cr_assert(opcode >= 0, "a test runs '%s', which opcodes.def does not list", mnemonic);
    while (rest) {
        const char *part = strsep(&rest, ".");
        int type = find(part, type_name, PTX_TYPE_COUNT);
        int word = find(part, word_name, PTX_MOD_COUNT);
        cr_assert((type >= 0 && type_count < 4) || (word >= 0 && word_count < 16),
                  "a test runs '%s', but '%s' is unknown", mnemonic, part);
        if (type >= 0)
            types[type_count++] = type;
        else
            words[word_count++] = word;
    }
    for (int i = 0; i < word_count; i++)
        runs[opcode][types[0]][types[1]][words[i]] = true;
}

static void note_access(const struct access *access, void *context)
{
    char *name = memory_mnemonic(access);
    note(name, context);
    free(name);
}

static void note_everything(void)
{
    for (const struct opcode_table *table = opcode_tables(); table->rows; table++)
        for (size_t i = 0; i < table->length; i++)
            if (table->rows[i].name)
                note(table->rows[i].name, NULL);
    for (const struct control_row *row = control_rows; row->mnemonic; row++)
        note(row->mnemonic, NULL);
    for (const char *const *name = lane_mnemonics; *name; name++)
        note(*name, NULL);
    memory_each_load(note_access, NULL);
    memory_each_store(note_access, NULL);
    atomic_each(note, NULL);
    wide_each(note, NULL);
    texture_each(note, NULL);
    async_each(note, NULL);
    tensor_each(note, NULL);
    matrix_each(note, NULL);
}

/* --- refusals ----------------------------------------------------------------------------------- */

#define INTEGERS "u16 u32 u64 s16 s32 s64 "
#define UNSIGNED "u16 u32 u64 "
#define NO_CARRY "u16 s16 f32 f64 f16 bf16 f16x2 bf16x2 "
#define NARROW   "u8 s8 u16 s16 u32 s32 "
#define BITS     "b16 b32 b64 "
#define ROUNDING "rn rz rm rp "
#define ORDERED  "lt le gt ge "
#define ONLY_NAN "equ neu ltu leu gtu geu num nan "
#define WHOLE    "rni rzi rmi rpi "
#define HALVES   "f16 f16x2 bf16 bf16x2 "
#define PACKED   "f16x2 bf16x2 "
#define SMALL    "e4m3x2 e5m2x2 "
#define LARGE    "m16n16k16 m32n8k16 m8n32k16 "
/* shapes of matrices */
#define TINY_SHAPES   "m8n8k32 m8n8k128 "
#define BYTE_SHAPES   "m8n8k16 m16n8k32 "
#define NIBBLE_SHAPES "m8n8k32 m16n8k64 "
#define BIT_SHAPES    "m8n8k128 m16n8k128 m16n8k256 "
#define BIT_WORDS     "xor and popc "
#define CVT_ALL       ROUNDING WHOLE "ftz sat satfinite relu -"

/* The combinations that are refused: those that PTX does not have, and a few that the emulator
 * lacks. SECOND is the second type, for opcodes with two types. "" stands for any type or word, "-"
 * for no word. */
static const struct refusal {
    const char *opcode, *types, *second, *words;
} refusals[] = {
    {"cp.reduce.async.bulk", "u32 s32 u64 s64 b32 b64 f32 f64", "", "noftz"},
    {"cp.reduce.async.bulk", "s64 f32 f64 f16 bf16 b64", "",
     "shared::cluster mbarrier::complete_tx::bytes"},
    {"cp.reduce.async.bulk", "s64 b32 b64", "", "add"},
    {"cp.reduce.async.bulk", "f32 f64 b32 b64", "", "min max"},
    {"cp.reduce.async.bulk", "s32 u64 s64 f32 f64 f16 bf16 b32 b64", "", "inc dec"},
    {"cp.reduce.async.bulk", "u32 s32 u64 s64 f32 f64 f16 bf16", "", "and or xor"},
    {"st.async", "u64 s64 b64 f64", "", "v4"},
    {"red.async", "b32", "", "add"},
    {"red.async", "u64 b32", "", "min max"},
    {"red.async", "s32 u64 b32", "", "inc dec"},
    {"red.async", "u32 s32 u64", "", "and or xor"},
    {"add", INTEGERS, "", ROUNDING "ftz"},
    {"add", UNSIGNED "s16 s64", "", "sat"},
    {"add", NO_CARRY, "", "cc"},
    {"add", "f64", "", "ftz sat"},
    {"add", HALVES, "", "rz rm rp"},
    {"add", "bf16 bf16x2", "", "ftz sat"},
    {"sub", HALVES, "", "rz rm rp"},
    {"sub", "bf16 bf16x2", "", "ftz sat"},
    {"mul", HALVES, "", "rz rm rp lo hi wide"},
    {"mul", "bf16 bf16x2", "", "ftz sat"},
    {"fma", HALVES, "", "rz rm rp"},
    {"fma", "bf16 bf16x2", "", "ftz sat"},
    {"fma", "f32 f64", "", "relu"},
    {"abs", "bf16 bf16x2", "", "ftz"},
    {"neg", "bf16 bf16x2", "", "ftz"},
    {"min", "bf16 bf16x2", "", "ftz"},
    {"max", "bf16 bf16x2", "", "ftz"},
    {"ex2", "f16 f16x2", "", "ftz"},
    {"sub", INTEGERS, "", ROUNDING "ftz"},
    {"sub", UNSIGNED "s16 s64", "", "sat"},
    {"sub", NO_CARRY, "", "cc"},
    {"sub", "f64", "", "ftz sat"},
    {"mul", INTEGERS, "", ROUNDING "ftz sat"},
    {"mul", "u64 s64", "", "wide"},
    {"mul", "f32 f64", "", "lo hi wide"},
    {"mul", "f64", "", "ftz sat"},
    {"mad", INTEGERS, "", ROUNDING "ftz"},
    {"mad", UNSIGNED "s16 s64", "", "sat"},
    {"mad", NO_CARRY, "", "cc"},
    {"mad24", "u32", "", "sat"},
    {"mad", "u64 s64", "", "wide"},
    {"mad", "f32 f64", "", "lo hi wide"},
    {"mad", "f64", "", "ftz sat"},
    {"fma", "f64", "", "ftz sat"},
    {"div", INTEGERS, "", ROUNDING "ftz approx full"},
    {"div", "f64", "", "ftz approx full"},
    {"add", "u16x2 s16x2", "", ROUNDING "ftz sat cc"},
    {"min", UNSIGNED "s16 s64 u16x2 f32 f64 " HALVES, "", "relu"},
    {"max", UNSIGNED "s16 s64 u16x2 f32 f64 " HALVES, "", "relu"},
    {"min", "u16x2 s16x2", "", "ftz NaN xorsign abs"},
    {"max", "u16x2 s16x2", "", "ftz NaN xorsign abs"},
    {"abs", "s16 s32 s64 f64", "", "ftz"},
    {"neg", "s16 s32 s64 f64", "", "ftz"},
    {"min", INTEGERS "f64", "", "ftz NaN xorsign abs"},
    {"max", INTEGERS "f64", "", "ftz NaN xorsign abs"},
    {"sqrt", "f64", "", "ftz approx"},
    {"setp", BITS, "", ORDERED "lo ls hi hs " ONLY_NAN "ftz"},
    {"setp", "u16 u32 u64", "", ONLY_NAN "ftz"},
    {"setp", "s16 s32 s64", "", "lo ls hi hs " ONLY_NAN "ftz"},
    {"setp", "f32 f64", "", "lo ls hi hs"},
    {"setp", "f64 bf16 bf16x2", "", "ftz"},
    {"setp", HALVES, "", "lo ls hi hs"},
    {"set", "", BITS, ORDERED "lo ls hi hs " ONLY_NAN "ftz"},
    {"set", "", "u16 u32 u64", ONLY_NAN "ftz"},
    {"set", "", "s16 s32 s64", "lo ls hi hs " ONLY_NAN "ftz"},
    {"set", "", "f32 f64", "lo ls hi hs"},
    {"set", "", "f64 bf16 bf16x2", "ftz"},
    {"set", "", HALVES, "lo ls hi hs"},
    {"set", "u16 s16", BITS INTEGERS "f32 f64",
     "-"}, /* PTX also compares these types with results in f16 and bf16 */
    {"set", HALVES, BITS INTEGERS "f32 f64", "-"},
    {"set", "f32", HALVES, "-"},
    {"set", "u16 s16", PACKED, "-"},
    {"set", "f16", "bf16 " PACKED, "-"},
    {"set", "bf16", "f16 " PACKED, "-"},
    {"set", "f16x2", "f16 bf16 bf16x2", "-"},
    {"set", "bf16x2", "f16 bf16 f16x2", "-"},
    {"slct", "", "s32", "ftz"},
    {"cvt", NARROW "u64 s64", NARROW "u64 s64", ROUNDING "rni rzi rmi rpi ftz"},
    {"cvt", NARROW "u64 s64", "f32 f64", ROUNDING},
    {"cvt", NARROW "u64 s64", "f64", "ftz"},
    {"cvt", "f32 f64", NARROW "u64 s64", "rni rzi rmi rpi ftz"},
    {"cvt", "f32", "f32", ROUNDING},
    {"cvt", "f32", "f64", "rni rzi rmi rpi"},
    {"cvt", "f64", "f32 f64", ROUNDING},
    {"cvt", "f64", "f32", "rni rzi rmi rpi"},
    {"cvt", "f64", "f64", "ftz"},
    {"cvt", NARROW "u64 s64 f32 f64", "", "relu"},
    {"cvt", NARROW "u64 s64", "f16 bf16", ROUNDING "ftz"},
    {"cvt", "", "bf16", "sat"},
    {"cvt", "bf16", "", "sat"},
    {"cvt", "f16 bf16", NARROW "u64 s64", WHOLE "ftz relu"},
    {"cvt", "f16 bf16", "f32", WHOLE},
    {"cvt", "f16 bf16", "f64", WHOLE "ftz relu"},
    {"cvt", "f32", "f16 bf16", ROUNDING WHOLE},
    {"cvt", "f64", "f16 bf16", ROUNDING WHOLE "ftz"},
    {"cvt", "f16", "f16", ROUNDING "ftz relu"},
    {"cvt", "bf16", "bf16", ROUNDING "ftz relu"},
    {"cvt", "f16", "bf16", WHOLE "ftz relu"},
    {"cvt", "bf16", "f16", WHOLE "ftz relu"},
    {"cvt", PACKED, "f32", "rm rp ftz sat " WHOLE},
    {"cvt", PACKED, NARROW "u64 s64 f16 bf16 f64", ROUNDING WHOLE "ftz sat relu -"},
    {"cvt", NARROW "u64 s64 f32 f64 " HALVES, "", "satfinite"},
    {"cvt", SMALL, NARROW "u64 s64 f16 bf16 bf16x2 f64 " SMALL, CVT_ALL},
    {"cvt", NARROW "u64 s64 f32 f64 f16 bf16 bf16x2", SMALL, CVT_ALL},
    {"cvt", SMALL, "", "rz rm rp ftz sat " WHOLE},
    {"cvt", "f16x2", SMALL, "rz rm rp ftz sat " WHOLE},
    {"cvt", "tf32", "f32", ROUNDING WHOLE "ftz sat satfinite relu"},
    {"cvt", "tf32", NARROW "u64 s64 f64 tf32 " HALVES SMALL, "rna " CVT_ALL},
    {"cvt", NARROW "u64 s64 f32 f64 " HALVES SMALL, "tf32", CVT_ALL},
    {"cvt", NARROW "u64 s64 f32 f64 " HALVES SMALL, "", "rna"},
    /* saturation has no effect if the result's type holds every value of the operand's type */
    {"cvt", "u8", "u8", "sat"},
    {"cvt", "u16", "u8 u16", "sat"},
    {"cvt", "u32", "u8 u16 u32", "sat"},
    {"cvt", "u64", "u8 u16 u32 u64", "sat"},
    {"cvt", "s8", "s8", "sat"},
    {"cvt", "s16", "s8 s16 u8", "sat"},
    {"cvt", "s32", "s8 s16 s32 u8 u16", "sat"},
    {"cvt", "s64", NARROW "s64", "sat"},
    {"ld", "u64 s64 b64 f64", "", "v4"},
    {"ld", "b128", "", "v2 v4"},
    {"st", "b128", "", "v2 v4"},
    {"ldu", "u64 s64 b64 f64", "", "v4"},
    {"st", "u64 s64 b64 f64", "", "v4"},
    {"st", "", "", "param"}, /* only a device function can store its result by st.param */
    {"atom", "b32 b64", "", "add min max inc dec"},
    {"atom", "b16", "", "add min max inc dec and or xor exch"},
    {"atom", "b128", "", "add min max inc dec and or xor v2 v4 noftz"},
    {"atom", HALVES, "", "min max inc dec and or xor exch cas"},
    {"atom", "b16 u32 u64 s32 s64 b32 b64 f32 f64", "", "noftz"},
    {"atom", "f32 f64", "", "min max inc dec and or xor exch cas"},
    {"atom", "u32 u64 s32 s64", "", "and or xor exch cas"},
    {"atom", "u64 s32 s64", "", "inc dec"},
    {"atom", "s64", "", "add"},
    {"atom", "b16 u32 u64 s32 s64 b32 b64 f64", "", "v2 v4"},
    {"red", "b32 b64", "", "add min max inc dec"},
    {"red", HALVES, "", "min max inc dec and or xor"},
    {"red", "u32 u64 s32 s64 b32 b64 f32 f64", "", "noftz"},
    {"red", "f32 f64", "", "min max inc dec and or xor"},
    {"red", "u32 u64 s32 s64", "", "and or xor"},
    {"red", "u64 s32 s64", "", "inc dec"},
    {"red", "s64", "", "add"},
    {"red", "u32 u64 s32 s64 b32 b64 f64", "", "v2 v4"},
    {"tex", "", "s32", "grad"},
    {"tex", "f32 u32 s32", "s32", "cube acube"},
    {"suld", "b64", "", "v4"},
    {"sust", "b64", "", "v4"},
    {"vote", "pred", "", "ballot"},
    {"bar.red", "u32", "", "and or"},
    {"bar.red", "pred", "", "popc"},
    {"bar.cta.red", "u32", "", "and or"},
    {"bar.cta.red", "pred", "", "popc"},
    {"barrier.red", "u32", "", "and or"},
    {"barrier.red", "pred", "", "popc"},
    {"barrier.cta.red", "u32", "", "and or"},
    {"barrier.cta.red", "pred", "", "popc"},
    {"redux", "b32", "", "add min max"},
    {"redux", "u32 s32", "", "and or xor"},
    {"vote", "b32", "", "all any uni"},
    {"wmma.load.a", "f16 bf16 u8 s8", "", "m8n8k4 m16n16k8 " TINY_SHAPES},
    {"wmma.load.b", "f16 bf16 u8 s8", "", "m8n8k4 m16n16k8 " TINY_SHAPES},
    {"wmma.load.c", "f16", "", "m8n8k4 m16n16k8 " TINY_SHAPES},
    {"wmma.store.d", "f16", "", "m8n8k4 m16n16k8 " TINY_SHAPES},
    {"wmma.load.c", "f32", "", "m8n8k4 " TINY_SHAPES},
    {"wmma.store.d", "f32", "", "m8n8k4 " TINY_SHAPES},
    {"wmma.load.c", "s32", "", "m8n8k4 m16n16k8"},
    {"wmma.store.d", "s32", "", "m8n8k4 m16n16k8"},
    {"wmma.load.a", "f64", "", LARGE "m16n16k8 " TINY_SHAPES},
    {"wmma.load.b", "f64", "", LARGE "m16n16k8 " TINY_SHAPES},
    {"wmma.load.c", "f64", "", LARGE "m16n16k8 " TINY_SHAPES},
    {"wmma.store.d", "f64", "", LARGE "m16n16k8 " TINY_SHAPES},
    {"wmma.load.a", "tf32", "", LARGE "m8n8k4 " TINY_SHAPES},
    {"wmma.load.b", "tf32", "", LARGE "m8n8k4 " TINY_SHAPES},
    {"wmma.load.a", "u4 s4", "", LARGE "m8n8k4 m16n16k8 m8n8k128 col"},
    {"wmma.load.b", "u4 s4", "", LARGE "m8n8k4 m16n16k8 m8n8k128 row"},
    {"wmma.load.a", "b1", "", LARGE "m8n8k4 m16n16k8 m8n8k32 col"},
    {"wmma.load.b", "b1", "", LARGE "m8n8k4 m16n16k8 m8n8k32 row"},
    {"wmma.mma", "f64", "f64", LARGE "m16n16k8 satfinite " BIT_WORDS TINY_SHAPES},
    {"wmma.mma", "f16 f32", "f16 f32", "m8n8k4 m16n16k8 rn satfinite " BIT_WORDS TINY_SHAPES},
    {"wmma.mma", "f32", "bf16", "m8n8k4 m16n16k8 rn satfinite " BIT_WORDS TINY_SHAPES},
    {"wmma.mma", "f32", "tf32", LARGE "m8n8k4 rn satfinite " BIT_WORDS TINY_SHAPES},
    {"wmma.mma", "s32", "u8 s8", "m8n8k4 m16n16k8 rn " BIT_WORDS TINY_SHAPES},
    {"wmma.mma", "s32", "u4 s4", LARGE "m8n8k4 m16n16k8 m8n8k128 rn " BIT_WORDS},
    {"wmma.mma", "s32", "b1", LARGE "m8n8k4 m16n16k8 m8n8k32 rn satfinite"},
    {"wmma.mma", "f16", "bf16 tf32 u8 s8 u4 s4 b1 f64", ""},
    {"wmma.mma", "f32", "u8 s8 u4 s4 b1 f64", ""},
    {"wmma.mma", "s32", "f16 f32 bf16 tf32 f64", ""},
    {"wmma.mma", "f64", "f16 f32 bf16 tf32 u8 s8 u4 s4 b1", ""},
    {"mma", "f16 f32", "f16", BYTE_SHAPES NIBBLE_SHAPES BIT_SHAPES "m16n8k4 satfinite " BIT_WORDS},
    {"mma", "f32", "bf16",
     BYTE_SHAPES NIBBLE_SHAPES BIT_SHAPES "m8n8k4 m16n8k4 satfinite " BIT_WORDS},
    {"mma", "f32", "tf32",
     BYTE_SHAPES NIBBLE_SHAPES BIT_SHAPES "m8n8k4 m16n8k16 satfinite " BIT_WORDS},
    {"mma", "f16 f32", "e4m3 e5m2",
     NIBBLE_SHAPES BIT_SHAPES "m8n8k16 m8n8k4 m16n8k4 m16n8k8 satfinite " BIT_WORDS},
    {"mma", "f16", "e4m3 e5m2", "m16n8k16"},
    {"mma", "f32", "e5m2", "m16n8k16"},
    {"mma", "f64", "f64", BYTE_SHAPES NIBBLE_SHAPES BIT_SHAPES "satfinite " BIT_WORDS},
    {"mma", "s32", "u8 s8", NIBBLE_SHAPES BIT_SHAPES "m8n8k4 m16n8k4 m16n8k8 " BIT_WORDS},
    {"mma", "s32", "u4 s4", BIT_SHAPES "m8n8k16 m8n8k4 m16n8k4 m16n8k8 m16n8k16 " BIT_WORDS},
    {"mma", "s32", "b1", BYTE_SHAPES NIBBLE_SHAPES "m8n8k4 m16n8k4 m16n8k8 m16n8k16 satfinite"},
    {"mma", "f16", "bf16 tf32 u8 s8 u4 s4 b1 f64", ""},
    {"mma", "f32", "u8 s8 u4 s4 b1 f64", ""},
    {"mma", "s32", "f16 bf16 tf32 e4m3 e5m2 f64", ""},
    {"mma", "f64", "f16 bf16 tf32 e4m3 e5m2 u8 s8 u4 s4 b1", ""},
};
#define REFUSALS (sizeof refusals / sizeof *refusals)
static bool used[REFUSALS];

static bool lists(const char *list, const char *word)
{
    char spaced[600], wanted[24];
    cr_assert(snprintf(spaced, sizeof spaced, " %s ", list) < (int)sizeof spaced);
    snprintf(wanted, sizeof wanted, " %s ", word);
    return !*list || strstr(spaced, wanted);
}

/* A combination to check. */
struct combination {
    int opcode, type, second, word;
};

static bool is_refused_by_table(const struct combination *c)
{
    bool found = false;
    for (size_t i = 0; i < REFUSALS; i++) {
        const struct refusal *r = &refusals[i];
        if (strcmp(r->opcode, opcode_name(c->opcode)) != 0 || c->type == NO_TYPE ||
            !lists(r->types, type_name(c->type)) ||
            (c->second != NO_TYPE && !lists(r->second, type_name(c->second))) ||
            !lists(r->words, c->word == NO_WORD ? "-" : word_name(c->word)))
            continue;
        used[i] = found = true;
    }
    return found;
}

/* --- refusals ----------------------------------------------------------------------------------- */

static bool is_opcode(const struct combination *c, const char *names)
{
    return lists(names, opcode_name(c->opcode));
}

static bool is_float(int type)
{
    return type != NO_TYPE && ptx_type_class((enum ptx_type)type) == 'F';
}

/* Returns another word that the opcode needs. Returns none if the refused word already is of this
 * kind. */
static const char *companion(const struct combination *c)
{
    const char *word = c->word == NO_WORD ? "-" : word_name(c->word);
    bool rounds = lists(ROUNDING "rni rzi rmi rpi approx full", word);
    if (is_opcode(c, "mul mad mul24 mad24 madc") && !is_float(c->type) &&
        !lists("lo hi wide", word))
        return ".lo";
    if (is_opcode(c, "mad fma div rcp sqrt") && is_float(c->type) && !rounds)
        return ".rn";
    if (is_opcode(c, "rsqrt"))
        return ".approx";
    if (is_opcode(c, "setp set") && !lists("eq ne " ORDERED "lo ls hi hs " ONLY_NAN, word))
        return ".eq";
    if (is_opcode(c, "cvt") && lists(SMALL, type_name(c->type)))
        return rounds ? ".satfinite" : ".rn.satfinite";
    if (is_opcode(c, "cvt") && !rounds && c->word != NO_WORD && is_float(c->second) &&
        !is_float(c->type))
        return ".rzi";
    if (is_opcode(c, "cvt") && !rounds && is_float(c->type) && !is_float(c->second))
        return ".rn";
    if (is_opcode(c, "atom red") && (c->word == PTX_MOD_noftz || lists(HALVES, type_name(c->type))))
        return c->word == PTX_MOD_noftz ? ".add" : ".noftz";
    return is_opcode(c, "vote redux") ? ".sync" : "";
}

static const char *register_of(int type)
{
    unsigned bytes = ptx_type_bytes((enum ptx_type)type);
    return type == PTX_pred ? "p" : bytes == 16 ? "q" : bytes == 8 ? "d" : bytes == 2 ? "h" : "w";
}

static void print_operands(FILE *out, const struct combination *c)
{
    const char *letters = ptx_opcodes[c->opcode].operands, *own = register_of(c->type);
    const char *read = c->second == NO_TYPE ? own : register_of(c->second);
    for (const char *at = letters, *comma = " "; *at && *at != '?'; at++, comma = ", ") {
        bool to = at == letters;
        switch (*at) {
        case 'm':
            fprintf(out, "%s[%s]", comma, is_opcode(c, "st") ? "argument" : "d");
            break;
        case 'x':
        case 'p':
            fprintf(out, "%sp", comma);
            break;
        default: /* slct: only the last operand has the second type */
            fprintf(out, "%s%s", comma, to || (is_opcode(c, "slct") && at[1]) ? own : read);
        }
    }
    if (is_opcode(c, "cvt") && lists(PACKED SMALL, type_name(c->type)) && c->second != PTX_f16x2)
        fprintf(out, ", %s", read);
    if (is_opcode(c, "atom") && c->word == PTX_MOD_cas)
        fprintf(out, ", %s", own);
}

static char *refusal_ptx(const struct combination *c)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    cr_assert(out, "out of memory");
    fprintf(out,
            ".file 1 \"/tmp/build/a.cu\"\n.visible .entry good()\n{\nret;\n}\n.visible .entry "
            "bad(.param .u64 "
            "argument)\n{\n.reg .pred p;\n.reg .b16 h;\n.reg .b32 w;\n.reg .b64 d; .reg .b128 "
            "q;\n.loc 1 7 3\n%s%s",
            opcode_name(c->opcode), companion(c));
    if (is_opcode(c, "atom red") && c->word != PTX_MOD_global)
        fprintf(out, ".global");
    if (c->word != NO_WORD)
        fprintf(out, ".%s", word_name(c->word));
    if (c->type != NO_TYPE)
        fprintf(out, ".%s", type_name(c->type));
    if (c->second != NO_TYPE)
        fprintf(out, ".%s", type_name(c->second));
    print_operands(out, c);
    fprintf(out, ";\nret;\n}\n");
    fclose(out);
    return text;
}

/* the error must be in PTX line 16: three lines of the header, then line 13 of the text above */
static void expect_refusal(struct fixture *fixture, const struct combination *c)
{
    char *ptx = refusal_ptx(c);
    fixture_load(fixture, ptx);
    const char *why = fixture_refusal(fixture, "bad");
    bool is_clear = strstr(why, "/tmp/build/a.cu:7: kernel 'bad': PTX line 16: ") == why &&
                    strstr(why, opcode_name(c->opcode));
    cr_expect(is_clear, "this should be refused clearly, but the message is '%s':\n%s", why, ptx);
    fixture_run(fixture,
                (struct fixture_launch){.kernel = "good"}); /* its other kernels still run */
    emu_unload(fixture->device, fixture->module);
    free(ptx);
}

/* --- every combination -------------------------------------------------------------------------- */

static void check(struct fixture *fixture, struct combination c)
{
    bool run = false;
    /* Only for cvt, every word must be tested with every pair of types. For the other opcodes with
     * a second type, any first type is enough. */
    for (int t = 0; t <= PTX_TYPE_COUNT; t++)
        if (t == c.type || (is_opcode(&c, "set") && c.word != NO_WORD))
            run |= runs[c.opcode][t][c.second][c.word];
    bool refused = is_refused_by_table(&c);
    cr_expect(run || refused, "no row for %s with type %s%s%s and word '%s'", opcode_name(c.opcode),
              c.type == NO_TYPE ? "none" : type_name(c.type), c.second == NO_TYPE ? "" : ", ",
              c.second == NO_TYPE ? "" : type_name(c.second),
              c.word == NO_WORD ? "" : word_name(c.word));
    cr_expect(!run || !refused || c.word == PTX_MOD_param, "%s.%s is both run and refused",
              opcode_name(c.opcode), c.word == NO_WORD ? "" : word_name(c.word));
    if (refused && (!run || c.word == PTX_MOD_param)) /* kernels cannot write their parameters */
        expect_refusal(fixture, &c);
}

static bool is_video(int opcode)
{
    const char *name = ptx_opcodes[opcode].name;
    return *name == 'v' && strchr("24", name[strlen(name) - 1]);
}

static void check_words(struct fixture *fixture, int opcode, int type, int second)
{
    for (int word = 0; word < PTX_MOD_COUNT; word++)
        if (*ptx_opcodes[opcode].modifiers && lists(ptx_opcodes[opcode].modifiers, word_name(word)))
            check(fixture, (struct combination){opcode, type, second, word});
    check(fixture, (struct combination){opcode, type, second, NO_WORD});
}

static uint32_t types_of(int a, int b)
{
    return ptx_opcodes[a].types | ptx_opcodes[b].types;
}

/* Returns the set of possible second types: for cvt all its types, for comparisons all comparable
 * types, for slct the signed types, for textures the types of coordinates. */
static uint32_t second_types(int opcode)
{
    uint32_t values = ptx_opcodes[PTX_OP_setp].types, packed = 1u << PTX_f16x2 | 1u << PTX_bf16x2;
    return opcode == PTX_OP_cvt   ? ptx_opcodes[opcode].types & ~packed
           : opcode == PTX_OP_set ? values
           : opcode == PTX_OP_dp4a || opcode == PTX_OP_dp2a || is_video(opcode)
               ? 1u << PTX_u32 | 1u << PTX_s32
           : opcode == PTX_OP_wmma_mma
               ? types_of(PTX_OP_wmma_load_a, PTX_OP_wmma_load_c) & ~(1u << PTX_s32)
           : opcode == PTX_OP_mma
               ? ptx_opcodes[PTX_OP_wmma_load_a].types | 1u << PTX_e4m3 | 1u << PTX_e5m2
           : opcode == PTX_OP_tld4                         ? 1u << PTX_f32
           : opcode == PTX_OP_slct || opcode == PTX_OP_tex ? 1u << PTX_s32 | 1u << PTX_f32
                                                           : 0;
}

Test(opcodes, nothing_is_missing)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    runs = calloc(PTX_OPCODE_COUNT, sizeof *runs);
    cr_assert(runs);
    note_everything();
    for (int opcode = 0; opcode < PTX_OPCODE_COUNT; opcode++) {
        if (!ptx_opcodes[opcode].types)
            check_words(&fixture, opcode, NO_TYPE, NO_TYPE);
        for (int type = 0; type < PTX_TYPE_COUNT; type++) {
            if (!(ptx_opcodes[opcode].types >> type & 1))
                continue;
            uint32_t second = second_types(opcode);
            if (!second)
                check_words(&fixture, opcode, type, NO_TYPE);
            for (int other = 0; other < PTX_TYPE_COUNT; other++)
                if (second >> other & 1)
                    check_words(&fixture, opcode, type, other);
        }
    }
    for (size_t i = 0; i < REFUSALS; i++)
        cr_expect(used[i], "row %zu of the refusals, '%s', matches nothing in opcodes.def", i,
                  refusals[i].opcode);
    free(runs);
    fixture_close(&fixture);
}
