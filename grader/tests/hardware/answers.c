#include "tests/hardware/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- mnemonics outside the tables ----------------------------------------------------------------- */

/* For each space: sets `at` to the address of a thread's memory. */
#define PLACE_global "mov.b64 at, out; "
#define PLACE_shared                                                                               \
    ".shared .align 8 .b64 s[256]; .reg .b64 i; mov.u32 x, %tid.x; mul.wide.u32 at, x, 8; "        \
    "mov.b64 i, s; add.u64 at, at, i; "

/* Memory initially holds a. The result combines o, the value that the atomic returned, and n, the
 * new value in memory. */
#define ATOM(space, op, type, bits, form, operands, result)                                        \
    ROWT("atom." #space "." op "." type, form,                                                     \
         "{" PLACE_##space " .reg .b" #bits " o, n; st." #space ".b" #bits                         \
                           " [at], a; atom." #space "." op "." type " o, [at], " operands          \
                           "; ld." #space ".b" #bits " n, [at]; " result "}")
#define ATOM16(space, op, type) ATOM(space, op, type, 16, "w=hh", "b", "mov.b32 d, {o, n};")
#define ATOM32(space, op, type) ATOM(space, op, type, 32, "d=ww", "b", "mov.b64 d, {o, n};")
#define ATOM64(space, op, type)                                                                    \
    ATOM(space, op, type, 64, "d=dd", "b", "mul.lo.u64 o, o, 3; add.u64 d, o, n;")
/* Compares only the new value in memory, because a GPU can return another NaN than the one in
 * memory. */
#define ATOM_F64(space) ATOM(space, "add", "f64", 64, "D=dd", "b", "mov.b64 d, n;")

/* For every second value of c, memory initially holds the value with which cas compares. */
#define CAS(space, bits, form, result)                                                             \
    ROWT("atom." #space ".cas.b" #bits, form,                                                      \
         "{" PLACE_##space ".reg .b" #bits " o, n; .reg .b32 m; .reg .pred r; "                    \
                           "cvt.u32.u" #bits " m, c; and.b32 m, m, 2; setp.ne.b32 r, m, 0; "       \
                           "selp.b" #bits " b, a, b, r; st." #space ".b" #bits " [at], a; "        \
                           "atom." #space ".cas.b" #bits " o, [at], b, c; ld." #space ".b" #bits   \
                           " n, [at]; " result "}")

#define RED(space, op, type, bits, form)                                                           \
    ROWT("red." #space "." op "." type, form,                                                      \
         "{" PLACE_##space "st." #space ".b" #bits " [at], a; "                                    \
                           "red." #space "." op "." type " [at], b; ld." #space ".b" #bits         \
                           " d, [at];}")
#define RED16(space, op, type) RED(space, op, type, 16, "h=hh")
#define RED32(space, op, type) RED(space, op, type, 32, "w=ww")
#define RED64(space, op, type) RED(space, op, type, 64, "d=dd")

/* The operations that both atom and red have. Their types are NAME followed by 16, 32 or 64. */
/* clang-format off */
#define BOTH(name, space)                                                                          \
    name##32(space, "add", "u32") name##32(space, "add", "s32") name##32(space, "add", "f32")      \
    name##32(space, "min", "u32") name##32(space, "min", "s32")                                    \
    name##32(space, "max", "u32") name##32(space, "max", "s32")                                    \
    name##32(space, "inc", "u32") name##32(space, "dec", "u32")                                    \
    name##32(space, "and", "b32") name##32(space, "or", "b32") name##32(space, "xor", "b32")       \
    name##64(space, "add", "u64")                                                                  \
    name##64(space, "min", "u64") name##64(space, "min", "s64")                                    \
    name##64(space, "max", "u64") name##64(space, "max", "s64")                                    \
    name##64(space, "and", "b64") name##64(space, "or", "b64") name##64(space, "xor", "b64")       \
    name##16(space, "add.noftz", "f16") name##16(space, "add.noftz", "bf16")                       \
    name##32(space, "add.noftz", "f16x2") name##32(space, "add.noftz", "bf16x2")
#define ATOMICS(space)                                                                             \
    BOTH(ATOM, space) ATOM_F64(space) ATOM32(space, "exch", "b32") ATOM64(space, "exch", "b64")    \
    BOTH(RED, space) RED(space, "add", "f64", 64, "D=dd")                                          \
    CAS(space, 16, "w=hhh", "mov.b32 d, {o, n};") CAS(space, 32, "d=www", "mov.b64 d, {o, n};")    \
    CAS(space, 64, "d=ddd", "mul.lo.u64 o, o, 3; add.u64 d, o, n;")
/* clang-format on */

/* Sets `at` to 16 bytes of memory for each thread. In global memory, these are the bytes of the
 * thread's operands, which it has already read. */
#define WIDE_PLACE_global "add.u64 at, in, 15; and.b64 at, at, -16; "
#define WIDE_PLACE_shared                                                                          \
    ".shared .align 16 .b8 s[4096]; .reg .b64 i; mov.u32 x, %tid.x; mul.wide.u32 at, x, 16; "      \
    "mov.b64 i, s; add.u64 at, at, i; "

/* Memory initially holds (a, c). The result combines o, the value that the atomic returned, and n,
 * the new value in memory. */
#define WIDE(name, space, operation)                                                               \
    ROWT(name, "d=dddd",                                                                           \
         "{" WIDE_PLACE_##space                                                                    \
         ".reg .b64 o0, o1, n0, n1; mov.b64 o0, 0; mov.b64 o1, 0; "                                \
         "st." #space ".v2.b64 [at], {a, c}; " operation " ld." #space ".v2.b64 {n0, n1}, [at]; "  \
         "mad.lo.u64 d, o0, 3, o1; mad.lo.u64 d, d, 3, n0; mad.lo.u64 d, d, 3, n1;}")
#define EXCH128(space)                                                                             \
    WIDE("atom." #space ".exch.b128", space,                                                       \
         ".reg .b128 q, r; mov.b128 q, {b, e}; atom." #space ".exch.b128 r, [at], q; "             \
         "mov.b128 {o0, o1}, r;")
/* For every fourth value of c, memory initially holds the value with which cas compares. */
#define CAS128(space)                                                                              \
    WIDE("atom." #space ".cas.b128", space,                                                        \
         ".reg .b128 q, r, w; .reg .b32 m; .reg .pred p0, p1; cvt.u32.u64 m, c; "                  \
         "and.b32 x, m, 2; setp.ne.b32 p0, x, 0; and.b32 x, m, 4; setp.ne.b32 p1, x, 0; "          \
         "selp.b64 n0, a, b, p0; selp.b64 n1, c, e, p1; mov.b128 q, {n0, n1}; "                    \
         "mov.b128 w, {e, b}; atom." #space ".cas.b128 r, [at], q, w; mov.b128 {o0, o1}, r;")

/* Vectors: the atomic adds the first elements of (b, e) to the first elements of (a, c). */
#define ADD_V2_32(type)                                                                            \
    ".reg .b32 v0, v1; mov.b64 {v0, v1}, b; atom.global.add." type                                 \
    " {v0, v1}, [at], {v0, v1}; mov.b64 o0, {v0, v1};"
#define ADD_V4_32(type)                                                                            \
    ".reg .b32 v0, v1, v2, v3; mov.b64 {v0, v1}, b; mov.b64 {v2, v3}, e; atom.global.add." type    \
    " {v0, v1, v2, v3}, [at], {v0, v1, v2, v3}; mov.b64 o0, {v0, v1}; mov.b64 o1, {v2, v3};"
#define ADD_V2_16(type)                                                                            \
    ".reg .b16 v0, v1, v2, v3; mov.b64 {v0, v1, v2, v3}, b; atom.global.add." type                 \
    " {v0, v1}, [at], {v0, v1}; mov.b64 o0, {v0, v1, v2, v3};"
#define ADD_V4_16(type)                                                                            \
    ".reg .b16 v0, v1, v2, v3; mov.b64 {v0, v1, v2, v3}, b; atom.global.add." type                 \
    " {v0, v1, v2, v3}, [at], {v0, v1, v2, v3}; mov.b64 o0, {v0, v1, v2, v3};"
#define ATOM_VECTOR(add, type) WIDE("atom.global.add." type, global, add(type))
#define RED_VECTOR(type, registers)                                                                \
    WIDE(                                                                                          \
        "red.global.add." type, global,                                                            \
        ".reg .b32 v0, v1, v2, v3; mov.b64 {v0, v1}, b; mov.b64 {v2, v3}, e; red.global.add." type \
        " [at], {" registers "};")

/* All 32 lanes take part: a is the value, b is the lane or distance, and c has the clamp and the
 * segments. */
#define SHUFFLE(mode)                                                                              \
    ROWT("shfl.sync." mode ".b32", "d=www",                                                        \
         "{.reg .b32 v, s; .reg .pred r; shfl.sync." mode ".b32 v|r, a, b, c, -1; "                \
         "selp.b32 s, 1, 0, r; mov.b64 d, {v, s};}")
#define VOTE(mode) ROWT("vote.sync." mode ".pred", "p=p", "vote.sync." mode ".pred d, a, -1;")

/* Makes lanes agree often: there are few different values or, in every other warp, only one. */
#define MATCH_ANY(type, letter)                                                                    \
    ROWT("match.any.sync." type, "w=" letter,                                                      \
         "{.reg ." type " v; and." type " v, a, 3; match.any.sync." type " d, v, -1;}")
#define MATCH_ALL(type, letter)                                                                    \
    ROWT("match.all.sync." type, "d=" letter,                                                      \
         "{.reg ." type " v; .reg .b32 m, s; .reg .pred r; and.b32 s, t, 32; "                     \
         "setp.eq.u32 r, s, 0; selp." type " v, 0, a, r; match.all.sync." type " m|r, v, -1; "     \
         "selp.b32 s, 1, 0, r; mov.b64 d, {m, s};}")
#define REDUX(op) ROWT("redux.sync." op, "w=w", "redux.sync." op " d, a, -1;")

/* clang-format off */
static const struct opcode_row more_rows[] = {
    ATOMICS(global) ATOMICS(shared)
    EXCH128(global) EXCH128(shared) CAS128(global) CAS128(shared)
    ROWT("mov.b128", "d=dd", "{.reg .b128 q, r; .reg .b64 u, v; mov.b128 q, {a, b}; mov.b128 r, q; "
                             "mov.b128 {u, v}, r; mad.lo.u64 d, u, 3, v;}")
    ATOM_VECTOR(ADD_V2_32, "v2.f32") ATOM_VECTOR(ADD_V4_32, "v4.f32")
    ATOM_VECTOR(ADD_V2_16, "noftz.v2.f16") ATOM_VECTOR(ADD_V4_16, "noftz.v4.f16")
    ATOM_VECTOR(ADD_V2_16, "noftz.v2.bf16") ATOM_VECTOR(ADD_V4_16, "noftz.v4.bf16")
    ATOM_VECTOR(ADD_V2_32, "noftz.v2.f16x2") ATOM_VECTOR(ADD_V4_32, "noftz.v4.f16x2")
    ATOM_VECTOR(ADD_V2_32, "noftz.v2.bf16x2") ATOM_VECTOR(ADD_V4_32, "noftz.v4.bf16x2")
    RED_VECTOR("v2.f32", "v0, v1") RED_VECTOR("v4.f32", "v0, v1, v2, v3")
    RED_VECTOR("noftz.v2.f16x2", "v0, v1") RED_VECTOR("noftz.v4.bf16x2", "v0, v1, v2, v3")
    SHUFFLE("up") SHUFFLE("down") SHUFFLE("bfly") SHUFFLE("idx")
    VOTE("all") VOTE("any") VOTE("uni")
    ROWT("vote.sync.ballot.b32", "w=p", "vote.sync.ballot.b32 d, a, -1;")
    MATCH_ANY("b32", "w") MATCH_ANY("b64", "d") MATCH_ALL("b32", "w") MATCH_ALL("b64", "d")
    REDUX("add.u32") REDUX("add.s32") REDUX("min.u32") REDUX("min.s32") REDUX("max.u32")
    REDUX("max.s32") REDUX("and.b32") REDUX("or.b32") REDUX("xor.b32")
    /* PTX does not define fns for a base above 31 or an offset of -2^31 */
    ROWT("fns.b32", "w=www",
         "{.reg .b32 n; and.b32 n, b, 31; rem.s32 c, c, 100; fns.b32 d, a, n, c;}")
};
/* clang-format on */

/* Returns false for the tables' row of fns, which the row above replaces. */
static bool is_defined_everywhere(const struct opcode_row *row)
{
    return strcmp(row->name, "fns.b32") != 0 || row->text;
}

static void each_of(struct opcode_table table, answers_visitor *visit, void *context)
{
    for (size_t i = 0; i < table.length; i++)
        if (table.rows[i].name && is_defined_everywhere(&table.rows[i]))
            visit(&table.rows[i], context);
}

void answers_each(answers_visitor *visit, void *context)
{
    const struct opcode_table *tables = opcode_tables();
    struct opcode_table more = {more_rows, OPCODE_ROWS_LENGTH(more_rows)};
    for (size_t i = 0; tables[i].rows; i++)
        each_of(tables[i], visit, context);
    each_of(more, visit, context);
}

char *answers_key(const struct opcode_row *row)
{
    char *key = NULL;
    const char *text = row->text ? row->text : "-";
    return asprintf(&key, "%s\t%s\t%s\t%s", row->ulps ? "close" : "exact", row->name, row->form,
                    text) > 0
               ? key
               : NULL;
}

/* --- kernels ------------------------------------------------------------------------------------ */

/* Returns the row's kernels, changed to run in a grid: a thread's number is its number in the grid.
 * (The tables' own kernels run in one block.) */
char *answers_ptx(const struct opcode_row *row)
{
    static const char in_block[] = "mov.u32 t, %tid.x;";
    static const char in_grid[] = "{.reg .b32 n, i; mov.u32 t, %tid.x; mov.u32 n, %ntid.x; "
                                  "mov.u32 i, %ctaid.x; mad.lo.u32 t, i, n, t;}";
    char *text = opcode_ptx(row), *ptx = NULL;
    size_t size;
    FILE *out = open_memstream(&ptx, &size);
    const char *at = text;
    for (const char *found; (found = strstr(at, in_block)); at = found + strlen(in_block))
        fprintf(out, "%.*s%s", (int)(found - at), at, in_grid);
    fputs(at, out);
    fclose(out);
    free(text);
    return ptx;
}

/* --- operands ------------------------------------------------------------------------------------- */

uint64_t answers_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Edge values: integers at the ends of their ranges, and for floats of each width zeros, denormals,
 * ties, infinities and NaN. A narrower operand uses the low bits, so each value serves several
 * widths. */
static const uint64_t edges[] = {
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x7fffffff,
    0x80000000,
    0x80000001,
    0xffffffff,
    0xfffffffe,
    0x7fffffffffffffff,
    0x8000000000000000,
    0x8000000000000001,
    0xffffffffffffffff,
    0xfffffffffffffffe,
    0x100000000,
    0x00000001,
    0x007fffff,
    0x00800000,
    0x00800001,
    0x80800000,
    0x807fffff,
    0x3f800000,
    0xbf800000,
    0x3f000000,
    0x3f800001,
    0x40000000,
    0x40490fdb,
    0x33800000,
    0x34000000,
    0x4b000000,
    0x4b800000,
    0x4f000000,
    0x4effffff,
    0x5f000000,
    0xcf000000,
    0x7f7fffff,
    0xff7fffff,
    0x7f800000,
    0xff800000,
    0x7fc00000,
    0x7f800001,
    0xffc12345,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fe0000000000000,
    0x0000000000000001,
    0x000fffffffffffff,
    0x0010000000000000,
    0x8010000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0x7ff0000000000001,
    0xfff8000000012345,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x47efffffe0000000,
    0x47effffff0000000,
};
#define EDGES (sizeof edges / sizeof *edges)

/* Returns a float of moderate size with random low bits, in the low word. In half of the cases,
 * returns such a double instead. */
static uint64_t moderate(uint64_t random)
{
    uint32_t single = (uint32_t)(random & 0x807fffff) | (uint32_t)(117 + random / 0x800000 % 21)
                                                            << 23;
    if (random >> 40 & 1)
        return single;
    return (random & 0x800fffffffffffffu) | (uint64_t)(1013 + (random >> 52) % 21) << 52;
}

static uint64_t operand(uint64_t *state)
{
    uint64_t choice = answers_random(state), random = answers_random(state);
    switch (choice % 8) {
    case 0:
    case 1:
    case 2:
        return edges[random % EDGES];
    case 3:
        return random % 70;
    case 4:
    case 5:
        return moderate(random);
    default:
        return random;
    }
}

/* Edge values of f16 and bf16: denormals, ones, the largest number, infinities, NaN. */
static const uint16_t half_edges[] = {
    0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x3e00,
    0x4000, 0x57ff, 0x5bff, 0x5c00, 0x6400, 0x77ff, 0x7800, 0x7bff, 0x7c00, 0x7c01, 0x7e00,
    0x007f, 0x0080, 0x0081, 0x3f00, 0x3f7f, 0x3f80, 0x3f81, 0x3fc0, 0x42ff, 0x4380, 0x46ff,
    0x477f, 0x4780, 0x4f00, 0x5f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff,
};
#define HALF_EDGES (sizeof half_edges / sizeof *half_edges)

/* Returns four 16-bit numbers: edge values, f16 or bf16 numbers of similar size, or random bits. */
static uint64_t half_operand(uint64_t *state)
{
    uint64_t kind = answers_random(state), value = 0;
    for (unsigned k = 0; k < 4; k++) {
        uint64_t random = answers_random(state);
        uint64_t edge = half_edges[random % HALF_EDGES] | (random >> 32 & 0x8000);
        uint64_t f16 = (random & 0x83ff) | (10 + (random >> 32) % 11) << 10;
        uint64_t bf16 = (random & 0x807f) | (122 + (random >> 32) % 11) << 7;
        uint64_t choices[] = {edge, f16, bf16, random & 0xffff};
        value = value << 16 | choices[(kind >> (2 * k)) & 3];
    }
    return value;
}

/* Returns a float or double with about as many significant bits as f16 or bf16 has. Rounding it
 * often meets ties and near ties. */
static uint64_t short_operand(uint64_t *state)
{
    uint64_t random = answers_random(state), cut = answers_random(state), beside = cut >> 8 & 1;
    unsigned exponent = (unsigned)(random >> 40) % 48;
    if (cut & 1)
        return (random & 0x807fffff & ~0u << (11 + (cut >> 16) % 6)) |
               (uint64_t)(100 + exponent) << 23 | beside;
    return (random & 0x800fffffffffffffu & ~(uint64_t)0 << (40 + (cut >> 16) % 6)) |
           (uint64_t)(996 + exponent) << 52 | beside;
}

static uint64_t operand_of_half(uint64_t *state)
{
    uint64_t choice = answers_random(state) % 8;
    return choice < 4 ? half_operand(state) : choice < 6 ? short_operand(state) : operand(state);
}

void answers_inputs(const struct opcode_row *row, uint64_t *inputs)
{
    uint64_t state = 2026;
    bool is_half = strstr(row->name, "f16") != NULL;
    for (size_t i = 0; i < (size_t)ANSWERS_SETS * ANSWERS_SLOTS; i++)
        inputs[i] = is_half ? operand_of_half(&state) : operand(&state);
}

/* --- results ------------------------------------------------------------------------------------ */

static uint64_t with_one_nan(char letter, uint64_t value)
{
    double wide;
    float narrow;
    memcpy(&wide, &value, sizeof wide);
    memcpy(&narrow, &value, sizeof narrow);
    if ((letter == 'F' && isnan(narrow)) || (letter == 'D' && isnan(wide)))
        return letter == 'F' ? 0x7fffffff : 0x7ff8000000000000;
    return value;
}

/* Returns the absolute error that the PTX manual allows, or 0 if its bound is relative. */
static double absolute_bound(const char *name, double a)
{
    if (strncmp(name, "sin.", 4) == 0 || strncmp(name, "cos.", 4) == 0)
        return fabs(a) <= 2 * M_PI ? exp2(-20.5) : fabs(a) <= 100 * M_PI ? exp2(-14.7) : 1;
    if (strncmp(name, "lg2.", 4) == 0 && a >= 0.5 && a <= 2)
        return exp2(-22);
    return 0;
}

static double single(uint64_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool answers_is_right(const struct opcode_row *row, uint64_t a, uint64_t got, uint64_t want)
{
    return opcode_is_right(row, got, want) ||
           fabs(single(got) - single(want)) <= 2 * absolute_bound(row->name, single(a));
}

uint64_t answers_digest(const struct opcode_row *row, const uint64_t *outputs)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a hash of the results' bytes */
    for (size_t i = 0; i < ANSWERS_SETS; i++) {
        uint64_t value = with_one_nan(row->form[0], outputs[i]);
        for (unsigned k = 0; k < 64; k += 8)
            hash = (hash ^ (value >> k & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

void answers_emulate(const struct opcode_row *row, const uint64_t *inputs, uint64_t *outputs)
{
    struct fixture fixture;
    char *ptx = answers_ptx(row);
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    emu_addr in = fixture_upload(&fixture, inputs, ANSWERS_SETS * ANSWERS_SLOTS * sizeof *inputs);
    emu_addr out = fixture_upload(&fixture, NULL, ANSWERS_SETS * sizeof *outputs);
    fixture_run(&fixture, (struct fixture_launch){.kernel = "plain",
                                                  .grid = {ANSWERS_SETS / ANSWERS_BLOCK},
                                                  .block = {ANSWERS_BLOCK},
                                                  .params = {in, out}});
    fixture_download(&fixture, outputs, out, ANSWERS_SETS * sizeof *outputs);
    fixture_close(&fixture);
    free(ptx);
}
