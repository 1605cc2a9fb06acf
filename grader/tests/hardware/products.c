#include "tests/hardware/products.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hardware/answers.h"
#include "tests/support/emulator_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- the instructions --------------------------------------------------------------------------- */

static const struct shape {
    const char *name;
    unsigned m, n, k;
} shapes[] = {
    {"m8n8k4", 8, 8, 4},       {"m16n8k4", 16, 8, 4},     {"m16n8k8", 16, 8, 8},
    {"m16n8k16", 16, 8, 16},   {"m8n8k16", 8, 8, 16},     {"m16n8k32", 16, 8, 32},
    {"m8n8k32", 8, 8, 32},     {"m16n8k64", 16, 8, 64},   {"m8n8k128", 8, 8, 128},
    {"m16n8k128", 16, 8, 128}, {"m16n8k256", 16, 8, 256}, {"m16n16k16", 16, 16, 16},
    {"m32n8k16", 32, 8, 16},   {"m8n32k16", 8, 32, 16},   {"m16n16k8", 16, 16, 8},
};

/* The types of d, a, b and c, separated by spaces. `first` and `last` are modifiers before and
 * after the types. A list with several types or shapes stands for each of them. */
static const struct family {
    const char *op, *shapes, *layouts, *first, *d, *a, *b, *c, *last;
} families[] = {
    {"mma", "m8n8k4", "row.row row.col col.row col.col", "", "f32", "f16", "f16", "f32", ""},
    {"mma", "m8n8k4", "row.row row.col col.row col.col", "", "f16", "f16", "f16", "f16", ""},
    {"mma", "m8n8k4", "row.col", "", "f32", "f16", "f16", "f16", ""},
    {"mma", "m16n8k8 m16n8k16", "row.col", "", "f32", "f16", "f16", "f32", ""},
    {"mma", "m16n8k8 m16n8k16", "row.col", "", "f16", "f16", "f16", "f16", ""},
    {"mma", "m16n8k8 m16n8k16", "row.col", "", "f32", "bf16", "bf16", "f32", ""},
    {"mma", "m16n8k4 m16n8k8", "row.col", "", "f32", "tf32", "tf32", "f32", ""},
    {"mma", "m8n8k4 m16n8k4 m16n8k8 m16n8k16", "row.col", "", "f64", "f64", "f64", "f64", ""},
    {"mma", "m16n8k32", "row.col", "", "f32", "e4m3 e5m2", "e4m3 e5m2", "f32", ""},
    {"mma", "m16n8k32", "row.col", "", "f16", "e4m3 e5m2", "e4m3 e5m2", "f16", ""},
    {"mma", "m16n8k16", "row.col", "", "f32", "e4m3", "e4m3 e5m2", "f32", ""},
    {"mma", "m8n8k16 m16n8k16 m16n8k32", "row.col", "", "s32", "s8 u8", "s8 u8", "s32", ""},
    {"mma", "m8n8k16 m16n8k16 m16n8k32", "row.col", ".satfinite", "s32", "s8 u8", "s8 u8", "s32",
     ""},
    {"mma", "m8n8k32 m16n8k32 m16n8k64", "row.col", "", "s32", "s4 u4", "s4 u4", "s32", ""},
    {"mma", "m8n8k32 m16n8k32 m16n8k64", "row.col", ".satfinite", "s32", "s4 u4", "s4 u4", "s32",
     ""},
    {"mma", "m8n8k128 m16n8k128 m16n8k256", "row.col", "", "s32", "b1", "b1", "s32", ".xor.popc"},
    {"mma", "m8n8k128 m16n8k128 m16n8k256", "row.col", "", "s32", "b1", "b1", "s32", ".and.popc"},
    {"wmma", "m16n16k16 m32n8k16 m8n32k16", "row.col", "", "f16 f32", "f16", "f16", "f16 f32", ""},
    {"wmma", "m16n16k16 m32n8k16 m8n32k16", "row.col", "", "f32", "bf16", "bf16", "f32", ""},
    {"wmma", "m16n16k16", "row.row col.row col.col", "", "f32", "f16", "f16", "f32", ""},
    {"wmma", "m16n16k8", "row.row row.col col.row col.col", "", "f32", "tf32", "tf32", "f32", ""},
    {"wmma", "m16n16k16 m32n8k16 m8n32k16", "row.col", "", "s32", "s8", "s8", "s32", ""},
    {"wmma", "m16n16k16 m32n8k16 m8n32k16", "row.col", "", "s32", "u8", "u8", "s32", " .satfinite"},
    {"wmma", "m8n8k4", "row.col", "", "f64", "f64", "f64", "f64", ""},
    {"wmma", "m8n8k32", "row.col", "", "s32", "s4", "s4", "s32", ""},
    {"wmma", "m8n8k32", "row.col", "", "s32", "u4", "u4", "s32", " .satfinite"},
    {"wmma", "m8n8k128", "row.col", "", "s32", "b1", "b1", "s32", ".xor.popc .and.popc"},
};

/* Matrices that are moved between shared memory and registers. Before, each lane stores the 16
 * bytes of its a in shared memory, at s + 16 * lane. `at` is the row that the lane names: any row
 * (of b) for a load, a different row for each lane for a store. */
#define LOAD(count, trans, registers)                                                                                                    \
    {                                                                                                                                    \
        "ldmatrix.sync.aligned.m8n8.x" #count trans ".shared.b16", #count,                                                               \
            "and.b32 x, b0, 31; shl.b32 x, x, 4; add.u32 at, s, x; cvt.u64.u32 wide, at; cvta.shared.u64 wide, wide; bar.warp.sync -1; " \
            "ldmatrix.sync.aligned.m8n8.x" #count trans ".shared.b16 {" registers "}, [at];"                                             \
    }
#define STORE(count, trans, registers)                                                                    \
    {                                                                                                     \
        "stmatrix.sync.aligned.m8n8.x" #count trans ".shared.b16", "4",                                   \
            "shfl.sync.idx.b32 x, b0, 0, 31, -1; and.b32 x, x, 31; xor.b32 x, x, lane; shl.b32 x, x, 4; " \
            "add.u32 at, s, x; cvt.u64.u32 wide, at; cvta.shared.u64 wide, wide; bar.warp.sync -1; "      \
            "stmatrix.sync.aligned.m8n8.x" #count trans ".shared.b16 [at], {" registers                   \
            "}; bar.warp.sync -1; ld.shared.v4.b32 {d0, d1, d2, d3}, "                                    \
            "[own];"                                                                                      \
    }
static const struct {
    const char *name, *registers, *text;
} moves[] = {
    LOAD(1, "", "d0"),
    LOAD(2, "", "d0, d1"),
    LOAD(4, "", "d0, d1, d2, d3"),
    LOAD(1, ".trans", "d0"),
    LOAD(2, ".trans", "d0, d1"),
    LOAD(4, ".trans", "d0, d1, d2, d3"),
    STORE(1, "", "b1"),
    STORE(2, "", "b1, b2"),
    STORE(4, "", "b1, b2, b3, b0"),
    STORE(1, ".trans", "b1"),
    STORE(2, ".trans", "b1, b2"),
    STORE(4, ".trans", "b1, b2, b3, b0"),
    {"movmatrix.sync.aligned.m8n8.trans.b16", "1", "movmatrix.sync.aligned.m8n8.trans.b16 d0, b0;"},
};

/* Returns the bits of one number. */
static unsigned bits_of(const char *type)
{
    static const struct {
        const char *type;
        unsigned bits;
    } widths[] = {{"f64", 64}, {"f32", 32},  {"tf32", 32}, {"s32", 32}, {"b32", 32},
                  {"f16", 16}, {"bf16", 16}, {"s4", 4},    {"u4", 4},   {"b1", 1}};
    for (size_t i = 0; i < COUNT(widths); i++)
        if (strcmp(type, widths[i].type) == 0)
            return widths[i].bits;
    return 8;
}

static bool is_double(const struct products_part *part)
{
    return bits_of(part->type) == 64;
}

/* Finds word NUMBER in a list that is separated by spaces. Returns false if there are fewer
 * words. */
static bool word_of(const char *list, unsigned number, char word[24])
{
    for (; number && list; number--) {
        list = strchr(list, ' ');
        list = list ? list + 1 : NULL;
    }
    if (list)
        snprintf(word, 24, "%.*s", (int)strcspn(list, " "), list);
    return list != NULL;
}

/* One word from each list of a family. */
struct choice {
    char shape[24], layouts[24], d[24], a[24], b[24], c[24], last[24];
};

static void set_name(struct product *p, const struct family *f, const struct choice *w)
{
    bool is_half = strcmp(w->a, "f16") == 0;
    char types[100];
    snprintf(types, sizeof types, "%s.%s.%s.%s", w->d, w->a, w->b, w->c);
    if (is_half)
        snprintf(types, sizeof types, "%s.%s", w->d, w->c);
    if (strcmp(f->op, "mma") == 0)
        snprintf(p->name, sizeof p->name, "mma.sync.aligned.%s.%s%s.%s.%s.%s.%s%s", w->shape,
                 w->layouts, f->first, w->d, w->a, w->b, w->c, w->last);
    else if (strstr(w->last, "popc"))
        snprintf(p->name, sizeof p->name, "wmma.mma%s.sync.aligned.%s.%s.%s", w->last, w->layouts,
                 w->shape, types);
    else
        snprintf(p->name, sizeof p->name, "wmma.mma.sync.aligned.%s.%s.%s%s", w->layouts, w->shape,
                 types, w->last);
}

static void visit_choice(const struct family *f, const struct choice *w, products_visitor *visit,
                         void *context)
{
    struct product p = {.layouts = w->layouts};
    size_t i = 0;
    while (strcmp(shapes[i].name, w->shape) != 0)
        i++;
    snprintf(p.op, sizeof p.op, "%s", f->op);
    p.m = shapes[i].m;
    p.n = shapes[i].n;
    p.k = shapes[i].k;
    /* mma.m8n8k4 of f16 computes four products */
    unsigned times = strcmp(w->a, "f16") == 0 && p.k == 4 ? 4 : 1;
    struct products_part *parts[] = {&p.a, &p.b, &p.c, &p.d};
    const char *types[] = {w->a, w->b, w->c, w->d};
    unsigned numbers[] = {p.m * p.k, p.k * p.n, p.m * p.n, p.m * p.n};
    for (i = 0; i < 4; i++) {
        unsigned bits = bits_of(types[i]), width = bits == 64 ? 64 : 32;
        *parts[i] = (struct products_part){types[i], times * numbers[i] * bits / width / 32};
    }
    set_name(&p, f, w);
    visit(&p, context);
}

/* Makes all choices of words from list number LIST and the later ones. */
static void choose(const struct family *f, unsigned list, struct choice *w, products_visitor *visit,
                   void *context)
{
    const char *const lists[] = {f->shapes, f->layouts, f->d, f->a, f->b, f->c, f->last};
    char(*const words[])[24] = {&w->shape, &w->layouts, &w->d, &w->a, &w->b, &w->c, &w->last};
    if (list == COUNT(lists)) {
        visit_choice(f, w, visit, context);
        return;
    }
    for (unsigned i = 0; word_of(lists[list], i, *words[list]); i++)
        choose(f, list + 1, w, visit, context);
}

void products_each(products_visitor *visit, void *context)
{
    struct choice words;
    for (size_t i = 0; i < COUNT(families); i++)
        choose(&families[i], 0, &words, visit, context);
    for (size_t i = 0; i < COUNT(moves); i++) {
        unsigned registers = (unsigned)atoi(moves[i].registers);
        struct product p = {.a = {"b32", 4}, .b = {"b32", 4}, .c = {"b32", 0}};
        p.d = (struct products_part){"b32", registers};
        p.text = moves[i].text;
        snprintf(p.name, sizeof p.name, "%s", moves[i].name);
        visit(&p, context);
    }
}

/* --- kernels -------------------------------------------------------------------------------------- */

static void print_registers(FILE *out, char letter, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "%s%c%u", i ? ", " : "{", letter, i);
    fprintf(out, "}");
}

/* Prints instructions that move all registers of PART between memory and the lanes. */
static void print_moves(FILE *out, const char *move, const char *at, unsigned first, char letter,
                        const struct products_part *part, unsigned apart)
{
    const char *type = is_double(part) ? "b64" : "b32";
    for (unsigned i = 0; i < part->registers; i++)
        if (*move == 'l')
            fprintf(out, "%s.%s %c%u, [%s+%u];\n", move, type, letter, i, at, first + i * apart);
        else
            fprintf(out, "%s.%s [%s+%u], %c%u;\n", move, type, at, first + i * apart, letter, i);
}

static void print_mma(FILE *out, const struct product *p)
{
    fprintf(out, "%s ", p->name);
    print_registers(out, 'd', p->d.registers);
    fprintf(out, ", ");
    print_registers(out, 'a', p->a.registers);
    fprintf(out, ", ");
    print_registers(out, 'b', p->b.registers);
    fprintf(out, ", ");
    print_registers(out, 'c', p->c.registers);
    fprintf(out, ";\n");
}

/* Returns the number of registers in each lane. A factor of f16 has 8 in every shape. */
static unsigned fragment(const struct products_part *part, bool is_factor)
{
    return is_factor && strcmp(part->type, "f16") == 0 ? 8 : part->registers;
}

/* Prints the kernel of a wmma product. The matrices go through shared memory, because wmma does not
 * define which lane holds which number. */
static void print_wmma(FILE *out, const struct product *p)
{
    const char *shape = NULL;
    for (size_t i = 0; i < COUNT(shapes); i++)
        if (shapes[i].m == p->m && shapes[i].n == p->n && shapes[i].k == p->k)
            shape = shapes[i].name;
    const struct products_part *parts[] = {&p->a, &p->b, &p->c};
    for (unsigned i = 0; i < 3; i++) {
        unsigned bytes = is_double(parts[i]) ? 8 : 4;
        fprintf(out, "mov.u32 at, s; add.u32 at, at, %u; mad.lo.u32 own, lane, %u, at;\n", i * 2048,
                bytes);
        print_moves(out, "st.shared", "own", 0, "abc"[i], parts[i], 32 * bytes);
    }
    fprintf(out, "bar.warp.sync -1;\n");
    for (unsigned i = 0; i < 3; i++) {
        bool by_column = i == 0 ? *p->layouts == 'c' : i == 1 ? p->layouts[4] == 'c' : false;
        unsigned rows = i == 1 ? p->k : p->m, columns = i == 0 ? p->k : p->n;
        fprintf(out, "add.u32 at, s, %u; wmma.load.%c.sync.aligned.%s.%s.shared.%s ", i * 2048,
                "abc"[i], by_column ? "col" : "row", shape, parts[i]->type);
        print_registers(out, "abc"[i], fragment(parts[i], i < 2));
        fprintf(out, ", [at], %u;\n", by_column ? rows : columns);
    }
    struct product whole = *p;
    whole.a.registers = fragment(&p->a, true);
    whole.b.registers = fragment(&p->b, true);
    print_mma(out, &whole);
    fprintf(out, "add.u32 at, s, 6144; wmma.store.d.sync.aligned.row.%s.shared.%s [at], ", shape,
            p->d.type);
    print_registers(out, 'd', p->d.registers);
    fprintf(out, ", %u;\nbar.warp.sync -1; mad.lo.u32 own, lane, %u, at;\n", p->n,
            is_double(&p->d) ? 8 : 4);
    print_moves(out, "ld.shared", "own", 0, 'd', &p->d, is_double(&p->d) ? 256 : 128);
}

char *products_ptx(const struct product *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct products_part *parts[] = {&p->a, &p->b, &p->c, &p->d};
    const char *letters = "abcd";
    unsigned inputs = p->a.registers + p->b.registers + p->c.registers, first = 0;
    fprintf(out, ".version 8.7\n.target sm_90\n.address_size 64\n"
                 ".visible .entry plain(.param .u64 pin, .param .u64 pout)\n{\n"
                 ".reg .b64 in, out, i, wide; .reg .b32 x, lane, set, s, at, own;\n"
                 ".shared .align 128 .b8 m[8192];\n");
    for (unsigned i = 0; i < 4; i++)
        fprintf(out, ".reg .b%d %c<16>;\n", is_double(parts[i]) ? 64 : 32, letters[i]);
    fprintf(out,
            "ld.param.u64 in, [pin]; ld.param.u64 out, [pout]; mov.u32 lane, %%laneid; "
            "mov.u32 set, %%ctaid.x; mov.u32 s, m;\n"
            "mad.lo.u32 x, set, %u, lane; mul.wide.u32 i, x, 8; add.u64 in, in, i;\n"
            "mad.lo.u32 x, set, %u, lane; mul.wide.u32 i, x, 8; add.u64 out, out, i;\n",
            32 * inputs, 32 * p->d.registers);
    for (unsigned i = 0; i < 3; i++) {
        print_moves(out, "ld.global", "in", first, letters[i], parts[i], 256);
        first += 256 * parts[i]->registers;
    }
    if (p->text)
        fprintf(out, "mad.lo.u32 own, lane, 16, s; st.shared.v4.b32 [own], {a0, a1, a2, a3};\n%s\n",
                p->text);
    else if (strcmp(p->op, "mma") == 0)
        print_mma(out, p);
    else
        print_wmma(out, p);
    print_moves(out, "st.global", "out", 0, 'd', &p->d, 256);
    fprintf(out, "ret;\n}\n");
    fclose(out);
    return text;
}

/* --- operands ------------------------------------------------------------------------------------- */

enum kind {
    NEAR,   /* numbers of similar size */
    FAR,    /* numbers of very different sizes */
    LARGE,  /* c is much larger than the products */
    ANY,    /* random bits */
    EDGES,  /* zeros, denormals, ones, the largest numbers, infinities, NaN */
    SPARSE, /* mostly zeros; the others are of very different sizes */
    POWERS, /* powers of two and their neighbours, which often cancel */
    TINY,   /* denormals and their neighbours */
};

struct format {
    unsigned exponent, mantissa; /* bits */
    unsigned unused;             /* bits below the mantissa, which are filled at random */
};

static bool find_format(const char *type, struct format *format)
{
    static const struct {
        const char *type;
        struct format format;
    } formats[] = {{"f16", {5, 10, 0}}, {"bf16", {8, 7, 0}},  {"tf32", {8, 10, 13}},
                   {"f32", {8, 23, 0}}, {"f64", {11, 52, 0}}, {"e4m3", {4, 3, 0}},
                   {"e5m2", {5, 2, 0}}};
    for (size_t i = 0; i < COUNT(formats); i++)
        if (strcmp(type, formats[i].type) == 0) {
            *format = formats[i].format;
            return true;
        }
    return false;
}

static unsigned below(uint64_t random, unsigned limit)
{
    return (unsigned)(random >> 33) % limit;
}

/* Returns the bits of the exponent: that of 1.0, or at most SPREAD away. */
static unsigned around_one(const struct format *f, int shift, unsigned spread, uint64_t random)
{
    int bias = (1 << (f->exponent - 1)) - 1;
    int field = bias + shift + (int)below(random, 2 * spread + 1) - (int)spread;
    int most = 2 * bias;
    return (unsigned)(field < 0 ? 0 : field > most ? most : field);
}

static uint64_t edge(const struct format *f, uint64_t random)
{
    uint64_t ones = (UINT64_C(1) << f->mantissa) - 1, one = (1u << (f->exponent - 1)) - 1u;
    uint64_t top = ((UINT64_C(1) << f->exponent) - 1) << f->mantissa, unit = one << f->mantissa;
    uint64_t values[] = {0,        0,
                         0,        1,
                         ones,     ones + 1,
                         ones + 2, unit,
                         unit,     unit + 1,
                         unit - 1, unit + ones + 1,
                         top - 1,  top - ones - 1};
    unsigned choice = below(random, 256);
    return choice == 0 ? top : choice == 1 ? top + 1 + (random & ones) / 2 : values[choice % 14];
}

/* Returns the exponent bits of a tiny number. A sum is about as small as the product of two
 * factors. */
static unsigned tiny_field(const struct format *f, bool is_sum, uint64_t random)
{
    unsigned bias = (1u << (f->exponent - 1)) - 1;
    if (is_sum || f->exponent <= 5)
        return below(random, is_sum && f->exponent > 5 ? 3 * f->mantissa / 2 : 4);
    return bias / 2 - 6 + below(random, 12);
}

static uint64_t random_float(const struct format *f, enum kind kind, bool is_sum, uint64_t *state)
{
    uint64_t random = answers_random(state), ones = (UINT64_C(1) << f->mantissa) - 1;
    uint64_t mantissa = answers_random(state) & ones, sign = random & 1;
    unsigned wide = f->exponent <= 4 ? 5 : f->exponent <= 5 ? 11 : 16, field;
    wide = is_sum && f->exponent > 5 ? 2 * wide : wide;
    switch (kind) {
    case NEAR:
        field = around_one(f, 0, 2, random);
        break;
    case LARGE:
        field = is_sum ? around_one(f, f->exponent > 5 ? 18 : 9, f->exponent > 5 ? 9 : 5, random)
                       : around_one(f, 0, 2, random);
        break;
    case ANY:
        return answers_random(state);
    case EDGES:
        return edge(f, random) | sign << (f->exponent + f->mantissa);
    case SPARSE:
        if (below(answers_random(state), 4))
            return 0;
        field = around_one(f, 0, wide, random);
        break;
    case POWERS:
        mantissa = (const uint64_t[]){0, 0, 0, 1, ones, ones / 2 + 1, 0, 0}[mantissa & 7];
        field = around_one(f, 0, is_sum ? 12 : 6, random);
        break;
    case TINY:
        field = tiny_field(f, is_sum, random);
        break;
    default:
        field = around_one(f, 0, wide, random);
    }
    return (sign << f->exponent | field) << f->mantissa | mantissa;
}

/* Returns a sum of integers: a small one, or one at an end of its range, so that it overflows. */
static uint64_t random_sum(enum kind kind, uint64_t *state)
{
    uint64_t random = answers_random(state), small = below(answers_random(state), 4000);
    return kind == LARGE    ? (random & 1 ? 0x7fffffffu - small : 0x80000000u + small)
           : kind == SPARSE ? 0
           : kind == ANY    ? random
                            : small - 2000;
}

static uint64_t random_integer(unsigned bits, enum kind kind, uint64_t *state)
{
    uint64_t random = answers_random(state), top = UINT64_C(1) << (bits - 1);
    const uint64_t ends[] = {0, 1, top, top - 1, 2 * top - 1};
    switch (kind) {
    case EDGES:
        return ends[below(random, 5)];
    case SPARSE:
        return below(random, 4) ? 0 : random;
    case LARGE: /* make most products have the same sign */
        return below(random, 8) ? top - 1 : random;
    default:
        return random;
    }
}

static uint64_t random_number(const char *type, enum kind kind, bool is_sum, uint64_t *state)
{
    struct format format;
    if (!find_format(type, &format))
        return is_sum ? random_sum(kind, state) : random_integer(bits_of(type), kind, state);
    uint64_t number = random_float(&format, kind, is_sum, state);
    return format.unused
               ? number << format.unused | (answers_random(state) & ((1u << format.unused) - 1u))
               : number;
}

/* Returns one register of a lane: one number, or several numbers side by side. */
static uint64_t random_register(const char *type, enum kind kind, bool is_sum, uint64_t *state)
{
    unsigned bits = bits_of(type), all = bits == 64 ? 64 : 32;
    uint64_t value = 0, ones = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (bits == 1)
        return answers_random(state) & 0xffffffffu;
    for (unsigned at = 0; at < all; at += bits)
        value |= (random_number(type, kind, is_sum, state) & ones) << at;
    return value;
}

size_t products_input_words(const struct product *p)
{
    return (size_t)PRODUCTS_SETS * 32 * (p->a.registers + p->b.registers + p->c.registers);
}

size_t products_output_words(const struct product *p)
{
    return (size_t)PRODUCTS_SETS * 32 * p->d.registers;
}

void products_inputs(const struct product *p, uint64_t *inputs)
{
    const struct products_part *parts[] = {&p->a, &p->b, &p->c};
    uint64_t state = 31;
    for (unsigned set = 0; set < PRODUCTS_SETS; set++)
        for (unsigned part = 0; part < 3; part++)
            for (unsigned i = 0; i < 32 * parts[part]->registers; i++)
                *inputs++ =
                    random_register(parts[part]->type, set % PRODUCTS_KINDS, part == 2, &state);
}

/* --- results -------------------------------------------------------------------------------------- */

uint64_t products_digest(const struct product *p, const uint64_t *outputs, unsigned kind)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a hash of the results' bytes */
    size_t words = products_output_words(p) / PRODUCTS_SETS;
    for (size_t set = kind; set < PRODUCTS_SETS; set += PRODUCTS_KINDS)
        for (size_t i = 0; i < words; i++)
            for (unsigned k = 0; k < (is_double(&p->d) ? 64 : 32); k += 8)
                hash = (hash ^ (outputs[set * words + i] >> k & 0xff)) * 0x100000001b3u;
    return hash;
}

void products_emulate(const struct product *p, const uint64_t *inputs, uint64_t *outputs)
{
    struct fixture fixture;
    char *ptx = products_ptx(p);
    size_t bytes = products_output_words(p) * sizeof *outputs;
    fixture_open(&fixture, NULL);
    fixture_load_whole(&fixture, ptx);
    emu_addr in = fixture_upload(&fixture, inputs, products_input_words(p) * sizeof *inputs);
    emu_addr out = fixture_upload(&fixture, NULL, bytes);
    fixture_run(&fixture, (struct fixture_launch){
                              .kernel = "plain", .grid = {PRODUCTS_SETS}, .params = {in, out}});
    fixture_download(&fixture, outputs, out, bytes);
    fixture_close(&fixture);
    free(ptx);
}
