/* Tests 128-bit atomics, and how registers of 128 bits are filled and read. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opcode_memory.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const orders[] = {"",     ".relaxed", ".acquire", ".release", ".acq_rel",
                                     ".cta", ".cluster", ".gpu",     ".sys"};
static const struct {
    const char *name, *home;
} spaces[] = {{".global", "global"},
              {".shared", "shared"},
              {".shared::cta", "shared"},
              {".shared::cluster", "shared"},
              {".global.L2::cache_hint", "global"},
              {"", "global"},
              {"", "shared"}};

/* An operation: the old value in memory, the operands, and the expected value in memory. The lower
 * half of each comes first. */
static const struct operation {
    const char *name;
    uint64_t old[2], b[2], c[2], want[2];
} operations[] = {
    {"exch.b128", {1, 2}, {3, 4}, {0, 0}, {3, 4}},
    {"cas.b128", {1, 2}, {1, 2}, {5, 6}, {5, 6}},
    {"cas.b128", {1, 2}, {1, 3}, {5, 6}, {1, 2}},
    {"cas.b128", {1, 2}, {2, 2}, {5, 6}, {1, 2}},
};

static char *wide_name(size_t order, size_t space, const struct operation *operation)
{
    char *text = NULL;
    cr_assert(asprintf(&text, "atom%s%s.%s", orders[order], spaces[space].name, operation->name) >
                  0,
              "out of memory");
    return text;
}

void wide_each(name_visitor *visit, void *context)
{
    visit("mov.b128", context);
    for (size_t i = 0; i < COUNT(orders) * COUNT(spaces) * COUNT(operations); i++) {
        char *name = wide_name(i % COUNT(orders), i / COUNT(orders) % COUNT(spaces),
                               &operations[i / COUNT(orders) / COUNT(spaces)]);
        visit(name, context);
        free(name);
    }
}

/* --- 16 bytes for each thread --------------------------------------------------------------------- */

/* The kernel reads old, b and c, and stores the returned value, then the value in memory. The
 * returned value passes through a mov.b128. */
static char *wide_ptx(size_t space, const char *name, bool is_cas)
{
    char *text = NULL;
    bool shared = strcmp(spaces[space].home, "shared") == 0;
    int n = asprintf(
        &text,
        ".visible .entry k(.param .u64 words, .param .u64 results)\n{\n.shared .align 16 .b8 "
        "near[1024];\n.reg .b64 in, out, at, place, address, x, y;\n.reg .b32 t;\n.reg .b128 a, b, "
        "c, d;\n"
        "mov.u32 t, %%tid.x;\nld.param.u64 in, [words];\nld.param.u64 out, [results];\n"
        "mul.wide.u32 at, t, 48;\nadd.s64 in, in, at;\nmul.wide.u32 at, t, 32;\n"
        "add.s64 out, out, at;\nld.global.b128 a, [in];\nld.global.v2.b64 {x, y}, [in+16];\n"
        "mov.b128 b, {x, y};\nld.global.b128 c, [in+32];\n"
        "mul.wide.u32 at, t, 16;\nmov.u64 place, near;\nadd.s64 place, place, at;\n%s"
        "st.%s.b128 [place], a;\nmov.u64 address, place;\n%s%s d, [address], b%s%s;\nmov.b128 a, "
        "d;\n"
        "mov.b128 {x, y}, a;\nst.global.v2.b64 [out], {x, y};\n"
        "ld.relaxed.gpu.%s.b128 d, [place];\nmov.b128 {x, _}, d;\nst.global.b64 [out+16], x;\n"
        "mov.b128 {_, y}, d;\nst.global.b64 [out+24], y;\nret;\n}\n",
        shared ? "" : "add.s64 place, out, 16;\n", spaces[space].home,
        *spaces[space].name ? ""
        : shared            ? "cvta.shared.u64 address, address;\n"
                            : "",
        name, is_cas ? ", c" : "", strstr(spaces[space].name, "hint") ? ", in" : "",
        spaces[space].home);
    cr_assert(n > 0, "out of memory");
    return text;
}

static void run_wide(struct fixture *fixture, size_t space, const struct operation *op,
                     const char *name)
{
    enum { THREADS = 33 }; /* these are a whole warp and one lane of another */
    uint64_t in[THREADS][3][2], out[THREADS][2][2];
    for (unsigned t = 0; t < THREADS; t++)
        memcpy(in[t], (const void *)op->old, sizeof in[t]);
    char *ptx = wide_ptx(space, name, op->name[0] == 'c');
    fixture_load(fixture, ptx);
    emu_addr words = fixture_upload(fixture, in, sizeof in);
    emu_addr results = fixture_upload(fixture, NULL, sizeof out);
    fixture_run(fixture, (struct fixture_launch){.block = {THREADS}, .params = {words, results}});
    fixture_download(fixture, out, results, sizeof out);
    for (unsigned t = 0; t < THREADS; t++)
        cr_expect(memcmp(out[t][0], op->old, 16) == 0 && memcmp(out[t][1], op->want, 16) == 0,
                  "%s in %s memory, thread %u: returned %" PRIu64 " %" PRIu64 ", left %" PRIu64
                  " %" PRIu64,
                  name, spaces[space].home, t, out[t][0][0], out[t][0][1], out[t][1][0],
                  out[t][1][1]);
    emu_free(fixture->device, words);
    emu_free(fixture->device, results);
    emu_unload(fixture->device, fixture->module);
    free(ptx);
}

Test(opcodes, wide)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < COUNT(operations); i++)
        for (size_t space = 0; space < COUNT(spaces); space++)
            for (size_t order = 0; order < COUNT(orders); order++) {
                char *name = wide_name(order, space, &operations[i]);
                run_wide(&fixture, space, &operations[i], name);
                free(name);
            }
    fixture_close(&fixture);
}

/* --- one place for all threads --------------------------------------------------------------------- */

/* Each thread adds (1, 3). It retries until no other thread has changed the value in between. */
static const char count_ptx[] =
    ".visible .entry k(.param .u64 word)\n{\n.reg .b64 w, x, y;\n.reg .b128 a, b, c;\n"
    ".reg .pred p;\nld.param.u64 w, [word];\nld.relaxed.gpu.global.b128 a, [w];\n"
    "again:\nmov.b128 {x, y}, a;\nadd.u64 x, x, 1;\nadd.u64 y, y, 3;\nmov.b128 b, {x, y};\n"
    "atom.relaxed.gpu.global.cas.b128 c, [w], a, b;\nmov.b128 {x, _}, a;\nmov.b128 {y, _}, c;\n"
    "mov.b128 a, c;\nsetp.ne.u64 p, x, y;\n@p bra again;\nret;\n}\n";

Test(opcodes, wide_contention)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        enum { CTAS = 6, BLOCK = 96 };
        struct fixture fixture;
        uint64_t sum[2] = {0};
        fixture_open(&fixture, &(struct emu_options){.workers = workers});
        fixture_load(&fixture, count_ptx);
        emu_addr word = fixture_upload(&fixture, sum, sizeof sum);
        fixture_run(&fixture,
                    (struct fixture_launch){.grid = {CTAS}, .block = {BLOCK}, .params = {word}});
        fixture_download(&fixture, sum, word, sizeof sum);
        cr_expect(sum[0] == CTAS * BLOCK && sum[1] == 3 * CTAS * BLOCK,
                  "%u workers: the sums are %" PRIu64 " and %" PRIu64, workers, sum[0], sum[1]);
        fixture_close(&fixture);
    }
}

/* --- values that are refused -------------------------------------------------------------------- */

Test(opcodes, wide_refusals)
{
    static const char *const texts[] = {
        "mov.b128 q, 5;",
        "mov.b128 q, d;",
        "mov.b128 d, q;",
        "mov.b128 q, {w, w, w, w};",
        "mov.b128 {d, d}, {d, d, d};",
        "mov.b64 d, q;",
        "ld.global.b128 d, [d];",
        "ld.global.b64 q, [d];",
        "ld.global.v2.b128 {q, q}, [d];",
        "ld.global.b32 w, [q];",
        "st.global.b128 [d], _;",
        "atom.global.exch.b128 q, [d], d;",
        "atom.global.cas.b128 q, [d], q;",
        "atom.global.cas.b128 q, [d], q, 0;",
        "cvt.u64.u32 q, w;",
        "cvt.u32.u64 w, q;",
    };
    struct fixture fixture;
    char ptx[300];
    fixture_open(&fixture, NULL);
    for (size_t i = 0; i < COUNT(texts); i++) {
        snprintf(
            ptx, sizeof ptx,
            ".visible .entry bad()\n{\n.reg .b32 w;\n.reg .b64 d;\n.reg .b128 q;\n%s\nret;\n}\n",
            texts[i]);
        fixture_load(&fixture, ptx);
        const char *why = fixture_refusal(&fixture, "bad");
        cr_expect(strstr(why, "PTX line 9: "), "'%s' is not refused, but '%s'", texts[i], why);
        emu_unload(fixture.device, fixture.module);
    }
    fixture_close(&fixture);
}
