/* Tests atom and red: every operation, type, space, order and scope.
 *
 * First each thread works on its own word, whose expected value is in the table below. Then all
 * threads of several CTAs work on one word, and no old value may occur twice. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct operation {
    const char *name;         /* operation and type */
    uint64_t old, b, c, want; /* want is the expected value in memory */
    const char *home;         /* the only space for this row, or NULL for every space */
};

static const struct operation operations[] = {
    {"add.u32", 5, 7, 0, 12, NULL},
    {"add.u32", 0xffffffff, 1, 0, 0, NULL},
    {"add.s32", 0x7fffffff, 1, 0, 0x80000000, NULL},
    {"add.s32", 5, 0xffffffff, 0, 4, NULL},
    {"add.u64", 0xffffffff, 1, 0, 0x100000000, NULL},
    {"add.u64", 0xffffffffffffffff, 2, 0, 1, NULL},
    {"add.f32", 0x3f800000, 0x40000000, 0, 0x40400000, NULL},
    {"add.f32", 0x3f800000, 0x33800000, 0, 0x3f800000, NULL}, /* a tie */
    {"add.f32", 0x3f800001, 0x33800000, 0, 0x3f800002, NULL},
    {"add.f32", 0x7f800000, 0xff800000, 0, 0x7fffffff, NULL},
    {"add.f32", 0x80000000, 0x00000000, 0, 0x00000000, NULL},
    /* denormals are flushed to 0 in global memory and kept in shared memory */
    {"add.f32", 0x00000001, 0x00000001, 0, 0x00000000, "global"},
    {"add.f32", 0x00000001, 0x00000001, 0, 0x00000002, "shared"},
    {"add.f32", 0x80ffffff, 0x00800000, 0, 0x80000000, "global"},
    {"add.f32", 0x80ffffff, 0x00800000, 0, 0x807fffff, "shared"},
    {"add.f64", 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000, NULL},
    {"add.f64", 0x0000000000000001, 0x0000000000000001, 0, 0x0000000000000002, NULL},
    {"add.noftz.f16", 0x3c00, 0x4000, 0, 0x4200, NULL},
    {"add.noftz.f16", 0x3c01, 0x1000, 0, 0x3c02, NULL}, /* a tie */
    {"add.noftz.f16", 0x0001, 0x0001, 0, 0x0002, NULL},
    {"add.noftz.f16", 0x7c00, 0xfc00, 0, 0x7fff, NULL},
    {"add.noftz.bf16", 0x3f80, 0x4000, 0, 0x4040, NULL},
    {"add.noftz.bf16", 0x3f81, 0x3b80, 0, 0x3f82, NULL},
    {"add.noftz.bf16", 0x0001, 0x0001, 0, 0x0002, NULL},
    {"add.noftz.f16x2", 0x3c007bff, 0x40004c00, 0, 0x42007c00, NULL},
    {"add.noftz.bf16x2", 0x3f807f7f, 0x40007b00, 0, 0x40407f80, NULL},
    {"min.u32", 0x80000000, 1, 0, 1, NULL},
    {"min.u32", 1, 0x80000000, 0, 1, NULL},
    {"min.s32", 0x80000000, 1, 0, 0x80000000, NULL},
    {"min.s32", 1, 0x80000000, 0, 0x80000000, NULL},
    {"min.u64", 0x8000000000000000, 0x100000000, 0, 0x100000000, NULL},
    {"min.s64", 0x100000000, 0x8000000000000000, 0, 0x8000000000000000, NULL},
    {"max.u32", 0x80000000, 1, 0, 0x80000000, NULL},
    {"max.u32", 1, 0x80000000, 0, 0x80000000, NULL},
    {"max.s32", 0x80000000, 1, 0, 1, NULL},
    {"max.s32", 1, 0x80000000, 0, 1, NULL},
    {"max.u64", 0x8000000000000000, 0x100000000, 0, 0x8000000000000000, NULL},
    {"max.s64", 0x100000000, 0x8000000000000000, 0, 0x100000000, NULL},
    {"inc.u32", 5, 7, 0, 6, NULL},
    {"inc.u32", 7, 7, 0, 0, NULL},
    {"inc.u32", 8, 7, 0, 0, NULL},
    {"inc.u32", 0, 0, 0, 0, NULL},
    {"dec.u32", 5, 7, 0, 4, NULL},
    {"dec.u32", 0, 7, 0, 7, NULL},
    {"dec.u32", 8, 7, 0, 7, NULL},
    {"dec.u32", 7, 7, 0, 6, NULL},
    {"and.b32", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00, NULL},
    {"and.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0x0f000f000f000f00, NULL},
    {"or.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0, NULL},
    {"or.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xfff0fff0fff0fff0, NULL},
    {"xor.b32", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, NULL},
    {"xor.b64", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0, 0xf0f0f0f0f0f0f0f0, NULL},
    {"exch.b32", 0x12345678, 0x9abcdef0, 0, 0x9abcdef0, NULL},
    {"exch.b64", 0x123456789abcdef0, 0xfedcba9876543210, 0, 0xfedcba9876543210, NULL},
    {"cas.b16", 5, 5, 9, 9, NULL},
    {"cas.b16", 5, 6, 9, 5, NULL},
    {"cas.b32", 5, 5, 9, 9, NULL},
    {"cas.b32", 5, 6, 9, 5, NULL},
    {"cas.b64", 0x100000005, 0x100000005, 9, 9, NULL},
    {"cas.b64", 0x100000005, 0x200000005, 9, 0x100000005, NULL},
};

/* Vectors, whose elements are added separately. The old value, b and the expected result are packed
 * into words. */
static const struct vector {
    const char *name;
    unsigned count, bits; /* number of elements, and bits of each element */
    uint32_t old[4], b[4], want[4];
} vectors[] = {
    {"add.v2.f32",
     2,
     32,
     {0x3f800000, 0x7f800000},
     {0x40000000, 0xff800000},
     {0x40400000, 0x7fffffff}},
    {"add.v4.f32",
     4,
     32,
     {0x3f800000, 0x00000001, 0x3f800001, 0xbf800000},
     {0x40000000, 0x00000001, 0x33800000, 0x3f800000},
     {0x40400000, 0x00000000, 0x3f800002, 0x00000000}},
    {"add.noftz.v2.f16", 2, 16, {0x00013c00}, {0x00014000}, {0x00024200}},
    {"add.noftz.v4.f16",
     4,
     16,
     {0x00013c00, 0x7c003c01},
     {0x00014000, 0xfc001000},
     {0x00024200, 0x7fff3c02}},
    {"add.noftz.v2.bf16", 2, 16, {0x00013f80}, {0x00014000}, {0x00024040}},
    {"add.noftz.v4.bf16",
     4,
     16,
     {0x00013f80, 0x3f813f80},
     {0x00014000, 0x3b804000},
     {0x00024040, 0x3f824040}},
    {"add.noftz.v2.f16x2",
     2,
     32,
     {0x3c007bff, 0x00013c00},
     {0x40004c00, 0x00014000},
     {0x42007c00, 0x00024200}},
    {"add.noftz.v4.f16x2",
     4,
     32,
     {0x3c007bff, 0x00013c00, 0, 0x3c003c00},
     {0x40004c00, 0x00014000, 0x3c003c00, 0},
     {0x42007c00, 0x00024200, 0x3c003c00, 0x3c003c00}},
    {"add.noftz.v2.bf16x2",
     2,
     32,
     {0x3f807f7f, 0x00013f80},
     {0x40007b00, 0x00014000},
     {0x40407f80, 0x00024040}},
    {"add.noftz.v4.bf16x2",
     4,
     32,
     {0x3f807f7f, 0x00013f80, 0, 0x3f803f80},
     {0x40007b00, 0x00014000, 0x3f803f80, 0},
     {0x40407f80, 0x00024040, 0x3f803f80, 0x3f803f80}},
};

/* The space in the instruction's name, and the space in which the word is. */
static const struct {
    const char *name, *home;
} spaces[] = {{".global", "global"},
              {".shared", "shared"},
              {".shared::cta", "shared"},
              {".shared::cluster", "shared"},
              {".global.L2::cache_hint", "global"},
              {"", "global"},
              {"", "shared"}};

static const char *const atom_orders[] = {"",
                                          ".relaxed",
                                          ".acquire",
                                          ".release",
                                          ".acq_rel",
                                          ".cta",
                                          ".cluster",
                                          ".gpu",
                                          ".sys",
                                          ".relaxed.cta",
                                          ".acq_rel.gpu",
                                          ".acquire.cluster",
                                          ".release.sys"};
static const char *const red_orders[] = {
    "", ".relaxed", ".release", ".cta", ".cluster", ".gpu", ".sys", ".relaxed.gpu", ".release.sys"};

/* The parts of a mnemonic such as "atom.relaxed.gpu.global.add.u32". */
struct form {
    const char *opcode, *order;
    size_t space;
    const struct operation *operation;
};

static bool is_red(const struct form *form)
{
    return *form->opcode == 'r';
}

static bool has_form(const struct form *form)
{
    const char *home = form->operation->home;
    bool swaps = strncmp(form->operation->name, "exch", 4) == 0 ||
                 strncmp(form->operation->name, "cas", 3) == 0;
    return !(is_red(form) && swaps) && (!home || strcmp(home, spaces[form->space].home) == 0);
}

static char *form_name(const struct form *form)
{
    char *text = NULL;
    cr_assert(asprintf(&text, "%s%s%s.%s", form->opcode, form->order, spaces[form->space].name,
                       form->operation->name) > 0,
              "out of memory");
    return text;
}

typedef void form_visitor(const struct form *form, void *context);

static void each_order(struct form form, const char *const *orders, size_t count,
                       form_visitor *visit, void *context)
{
    for (size_t i = 0; i < count; i++) {
        form.order = orders[i];
        if (has_form(&form))
            visit(&form, context);
    }
}

static void each_form(form_visitor *visit, void *context)
{
    for (size_t i = 0; i < COUNT(operations); i++) {
        for (size_t s = 0; s < COUNT(spaces); s++) {
            struct form form = {.space = s, .operation = &operations[i]};
            form.opcode = "atom";
            each_order(form, atom_orders, COUNT(atom_orders), visit, context);
            form.opcode = "red";
            each_order(form, red_orders, COUNT(red_orders), visit, context);
        }
    }
}

struct named {
    name_visitor *visit;
    void *context;
};

static void visit_name(const struct form *form, void *argument)
{
    struct named *named = argument;
    char *name = form_name(form);
    named->visit(name, named->context);
    free(name);
}

static char *vector_name(const char *opcode, const struct vector *vector)
{
    char *text = NULL;
    cr_assert(asprintf(&text, "%s.global.%s", opcode, vector->name) > 0, "out of memory");
    return text;
}

void atomic_each(name_visitor *visit, void *context)
{
    each_form(visit_name, &(struct named){visit, context});
    for (size_t i = 0; i < 2 * COUNT(vectors); i++) {
        char *name = vector_name(i % 2 ? "red" : "atom", &vectors[i / 2]);
        visit(name, context);
        free(name);
    }
}

/* --- one word for each thread ------------------------------------------------------------------- */

/* The kernel reads old, b and c, and stores the returned value, then the word in memory. */
static char *atomic_ptx(const struct form *form, const char *mnemonic)
{
    char *text = NULL;
    const char *operation = form->operation->name;
    bool is_narrow = strstr(operation, "16") && !strstr(operation, "16x2");
    unsigned bits = strstr(operation, "64") ? 64 : is_narrow ? 16 : 32;
    bool shared = strcmp(spaces[form->space].home, "shared") == 0;
    const char *third = strncmp(operation, "cas", 3) == 0 ? ", c" : "";
    const char *policy = strstr(spaces[form->space].name, "cache_hint") ? ", in" : "";
    int n = asprintf(
        &text,
        ".visible .entry k(.param .u64 words, .param .u64 results)\n{\n.shared .align 8 .b8 "
        "near[512];\n.reg .b64 in, out, at, address;\n.reg .b32 t;\n.reg .b%u a, b, c, d;\n"
        "mov.u32 t, %%tid.x;\nld.param.u64 in, [words];\nld.param.u64 out, [results];\n"
        "mul.wide.u32 at, t, 24;\nadd.s64 in, in, at;\nmul.wide.u32 at, t, 16;\n"
        "add.s64 out, out, at;\nld.global.b%u a, [in];\nld.global.b%u b, [in+8];\n"
        "ld.global.b%u c, [in+16];\nmov.b%u d, a;\n"
        "mul.wide.u32 at, t, 8;\nmov.u64 address, near;\nadd.s64 address, address, at;\n%s"
        "st.%s.b%u [address], a;\n%s%s %s[address], b%s%s;\nst.global.b%u [out], d;\n"
        "ld%s.b%u d, [address];\nst.global.b%u [out+8], d;\nret;\n}\n",
        bits, bits, bits, bits, bits, shared ? "" : "add.s64 address, out, 8;\n",
        spaces[form->space].home, bits,
        *spaces[form->space].name ? ""
        : shared                  ? "cvta.shared.u64 address, address;\n"
                                  : "",
        mnemonic, is_red(form) ? "" : "d, ", third, policy, bits,
        *policy ? ".global" : spaces[form->space].name, bits, bits);
    cr_assert(n > 0, "out of memory");
    return text;
}

static void run_form(const struct form *form, void *argument)
{
    enum { THREADS = 33 }; /* these are a whole warp and one lane of another */
    struct fixture *fixture = argument;
    const struct operation *op = form->operation;
    uint64_t in[THREADS][3], out[THREADS][2];
    for (unsigned t = 0; t < THREADS; t++)
        memcpy(in[t], (uint64_t[]){op->old, op->b, op->c}, sizeof in[t]);
    char *name = form_name(form), *ptx = atomic_ptx(form, name);
    fixture_load(fixture, ptx);
    emu_addr words = fixture_upload(fixture, in, sizeof in);
    emu_addr results = fixture_upload(fixture, NULL, sizeof out);
    fixture_run(fixture, (struct fixture_launch){.block = {THREADS}, .params = {words, results}});
    fixture_download(fixture, out, results, sizeof out);
    unsigned t = 0;
    while (t < THREADS && out[t][0] == op->old && out[t][1] == op->want)
        t++;
    if (t < THREADS)
        cr_expect(false,
                  "%s in %s memory, thread %u: %#" PRIx64 " op %#" PRIx64 ", %#" PRIx64
                  ": returned %#" PRIx64 " and left %#" PRIx64 ", want %#" PRIx64,
                  name, spaces[form->space].home, t, op->old, op->b, op->c, out[t][0], out[t][1],
                  op->want);
    emu_free(fixture->device, words);
    emu_free(fixture->device, results);
    emu_unload(fixture->device, fixture->module);
    free(ptx);
    free(name);
}

Test(opcodes, atomic)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    each_form(run_form, &fixture);
    fixture_close(&fixture);
}

/* --- one vector for each thread ------------------------------------------------------------------ */

/* `words` has the vector in memory, then b. The atomic's result is stored in `results`; the memory
 * changes in `words`. */
static char *vector_ptx(const char *name, const struct vector *v)
{
    char *text = NULL;
    const char *d = v->count == 2 ? "{d0, d1}" : "{d0, d1, d2, d3}";
    const char *b = v->count == 2 ? "{b0, b1}" : "{b0, b1, b2, b3}";
    int n = asprintf(
        &text,
        ".visible .entry k(.param .u64 words, .param .u64 results)\n{\n.reg .b64 in, out, at;\n"
        ".reg .b32 t;\n.reg .b%u b<4>, d<4>;\nmov.u32 t, %%tid.x;\nld.param.u64 in, [words];\n"
        "ld.param.u64 out, [results];\nmul.wide.u32 at, t, 32;\nadd.s64 in, in, at;\n"
        "mul.wide.u32 at, t, 16;\nadd.s64 out, out, at;\nld.global.v%u.b%u %s, [in+16];\n"
        "ld.global.v%u.b%u %s, [in];\n%s %s%s[in], %s;\nst.global.v%u.b%u [out], %s;\nret;\n}\n",
        v->bits, v->count, v->bits, b, v->count, v->bits, d, name, *name == 'r' ? "" : d,
        *name == 'r' ? "" : ", ", b, v->count, v->bits, d);
    cr_assert(n > 0, "out of memory");
    return text;
}

static void run_vector(struct fixture *fixture, const char *opcode, const struct vector *v)
{
    enum { THREADS = 33 };
    uint32_t in[THREADS][2][4], out[THREADS][4];
    size_t size = (size_t)v->count * v->bits / 8;
    for (unsigned t = 0; t < THREADS; t++) {
        memcpy(in[t][0], v->old, sizeof v->old);
        memcpy(in[t][1], v->b, sizeof v->b);
    }
    char *name = vector_name(opcode, v), *ptx = vector_ptx(name, v);
    fixture_load(fixture, ptx);
    emu_addr words = fixture_upload(fixture, in, sizeof in);
    emu_addr results = fixture_upload(fixture, NULL, sizeof out);
    fixture_run(fixture, (struct fixture_launch){.block = {THREADS}, .params = {words, results}});
    fixture_download(fixture, in, words, sizeof in);
    fixture_download(fixture, out, results, sizeof out);
    for (unsigned t = 0; t < THREADS; t++) {
        cr_expect(memcmp(in[t][0], v->want, size) == 0,
                  "%s, thread %u: left %08x %08x %08x %08x, want %08x %08x %08x %08x", name, t,
                  in[t][0][0], in[t][0][1], in[t][0][2], in[t][0][3], v->want[0], v->want[1],
                  v->want[2], v->want[3]);
        cr_expect(memcmp(out[t], v->old, size) == 0, "%s, thread %u: returned %08x %08x", name, t,
                  out[t][0], out[t][1]);
    }
    emu_free(fixture->device, words);
    emu_free(fixture->device, results);
    emu_unload(fixture->device, fixture->module);
    free(ptx);
    free(name);
}

Test(opcodes, atomic_vectors)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < COUNT(vectors); i++) {
        run_vector(&fixture, "atom", &vectors[i]);
        run_vector(&fixture, "red", &vectors[i]);
    }
    fixture_close(&fixture);
}

/* --- one word for all threads ------------------------------------------------------------------- */

enum { CTAS = 6, BLOCK = 96, ALL = CTAS * BLOCK };

/* Each thread adds 1. The sum must be right, and all old values must differ. */
static void add_together(const char *type, unsigned workers)
{
    char ptx[800];
    unsigned bits = strstr(type, "64") ? 64 : 32;
    const char *one = strcmp(type, "f32") == 0   ? "0f3F800000"
                      : strcmp(type, "f64") == 0 ? "0d3FF0000000000000"
                                                 : "1";
    snprintf(ptx, sizeof ptx,
             ".visible .entry k(.param .u64 word, .param .u64 olds)\n{\n.reg .b64 w, o, at;\n"
             ".reg .b32 t, c, n;\n.reg .b%u d;\nmov.u32 t, %%tid.x;\nmov.u32 c, %%ctaid.x;\n"
             "mov.u32 n, %%ntid.x;\nmad.lo.u32 t, c, n, t;\nmul.wide.u32 at, t, 8;\n"
             "ld.param.u64 w, [word];\nld.param.u64 o, [olds];\nadd.s64 o, o, at;\n"
             "atom.global.add.%s d, [w], %s;\nst.global.b%u [o], d;\nret;\n}\n",
             bits, type, one, bits);
    struct fixture fixture;
    fixture_open(&fixture, &(struct emu_options){.workers = workers});
    fixture_load(&fixture, ptx);
    uint64_t sum, olds[ALL], seen[ALL] = {0};
    emu_addr word = fixture_upload(&fixture, NULL, 8),
             old = fixture_upload(&fixture, NULL, 8 * ALL);
    fixture_run(&fixture,
                (struct fixture_launch){.grid = {CTAS}, .block = {BLOCK}, .params = {word, old}});
    fixture_download(&fixture, &sum, word, sizeof sum);
    fixture_download(&fixture, olds, old, sizeof olds);
    for (unsigned i = 0; i <= ALL; i++) {
        uint64_t bits_seen = i < ALL ? olds[i] : sum;
        float narrow;
        double wide;
        memcpy(&narrow, &bits_seen, sizeof narrow);
        memcpy(&wide, &bits_seen, sizeof wide);
        uint64_t value = *type != 'f' ? bits_seen : bits == 32 ? (uint64_t)narrow : (uint64_t)wide;
        if (i == ALL)
            cr_expect(value == ALL, "add.%s, %u workers: the sum is %" PRIu64, type, workers,
                      value);
        else if (value < ALL)
            seen[value]++;
    }
    for (unsigned i = 0; i < ALL; i++)
        cr_expect(seen[i] == 1, "add.%s, %u workers: old value %u occurred %" PRIu64 " times", type,
                  workers, i, seen[i]);
    fixture_close(&fixture);
}

Test(opcodes, atomic_contention)
{
    static const char *const types[] = {"u32", "u64", "f32", "f64"};
    for (size_t i = 0; i < COUNT(types); i++)
        for (unsigned workers = 1; workers <= 2; workers++)
            add_together(types[i], workers);
}
