/* Tests that the parser refuses texts that are not PTX, names their lines, and survives damaged
 * texts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/module.h"
#include "tests/support/emulator_fixture.h"

/* --- texts that must be refused ----------------------------------------------------------------- */

/* Kernel bodies that are refused. The message names the line, and the other kernels of
 * the module still run. */
static const struct {
    const char *body, *says;
} bad_bodies[] = {
    /* in a header, the finding has the line of the call */
    {".loc 2 9 9, function_name $i, inlined_at 1 42 7\nadd.bogus.u32 a, a, a;", "bogus"},
    {"frobnicate.u32 a, a;", "unsupported instruction 'frobnicate.u32'"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {a}, {a}, {a}, {a}, a, 0;",
     "'.sp' in instruction 'mma'"},
    {"wgmma.fence.sync.aligned;", "unsupported instruction 'wgmma.fence.sync.aligned'"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {a, a, a, a}, d, d, p, 1, 1, 0, 0;",
     "unsupported instruction 'wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16'"},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [a], "
     "[d, {a, a, a}], [a], {h};",
     "'.im2col' in instruction 'cp.async.bulk.tensor'"},
    {"wgmma.commit_group.sync.aligned;",
     "unsupported instruction 'wgmma.commit_group.sync.aligned'"},
    {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {a, a}, [a];",
     "'.m16n16' in instruction 'ldmatrix'"},
    {"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [a], {a};",
     "'.m16n8' in instruction 'stmatrix'"},
    {"vadd2.u32.u32.u32 a.h10, a, a, a;", "'.h10' after an operand of 'vadd2'"},
    {"add.u33 a, a, a;", "u33"},
    {"add a, a, a;", "add"},
    {"add.u32.u32 a, a, a;", "add"},
    {"add.b32 a, a, a;", "add.b32"},
    {"add.u32.frob a, a, a;", "frob"},
    {"add.u32 a, a;", "operands"},
    {"add.u32 a, a, a, a;", "operands"},
    {"add.u32 a, a, a, a, a, a;", "operands"},
    {"add.u32 a, a, nothing;", "nothing"},
    {"add.u32 a, a, %nothing;", "%nothing"},
    {"add.u32 a, a, %r5;", "%r5"},
    {".reg .b32 %x<3>; add.u32 a, a, %x3;", "%x3"}, /* the range ends at %x2 */
    {".reg .b32 %x<3>; add.u32 a, a, %x4294967296;", "%x4294967296"},
    {"add.u32 a, a, d;", "64 bits where 32 are needed"},
    {"add.u32 d, a, a;", "64 bits where 32 are needed"},
    {"add.u32 5, a, a;", "destination"},
    {"add.u32 a, a, [d];", "add.u32"},
    {"add.u32 a, a, {a, a};", "add.u32"},
    {"add.u32 a, a, p;", "add.u32"},
    {"add.u32 a, a a;", "expected"},
    {"add.u32 a, a, a", "expected"},
    {"@a add.u32 a, a, a;", "predicate"},
    {"@ add.u32 a, a, a;", "PTX line 11"},
    {"setp.lt.u32 a, a, a;", "predicate"},
    {"setp.u32 p, a, a;", "setp.u32"},
    {"selp.u32 a, a, a, a;", "predicate"},
    {"mov.u32 a, %laneidx;", "%laneidx"},
    {"mov.u32 a, %tid.w;", "%tid"},
    {"mov.u32 {a, a}, {a, a};", "mov.u32"},
    {"ld.global.u32 a, d;", "address"},
    {"ld.global.u32 a, [d;", "expected"},
    {"ld.global.u32 a, [p];", "address"},
    {"ld.global.u32 a, [h];", "address"},
    {"ld.global.v2.u32 a, [d];", "ld.global.v2.u32"},
    {"ld.global.v4.u32 {a, a}, [d];", "ld.global.v4.u32"},
    {"ld.global.u32 {a, a, a, a, a, a, a, a, a}, [d];", "vector"},
    {"ld.global.u64 a, [d];", "ld.global.u64"},
    {"ld.frob.u32 a, [d];", "frob"},
    {"bra 5;", "label"},
    {"bra a;", "label"},
    {"bra NOWHERE;", "NOWHERE"},
    {"{ L: } bra L;", "'L'"},
    {"bra L; { L: }", "'L'"},
    {".reg .b32 more", "expected"},
    {".reg .b32 %x<99999999>;", "registers"},
    {".reg .b32 %x<>;", "expected"},
    {".reg .f16x9 x;", "f16x9"},
    {".reg .v4 .b32 x;", "vector"},
    {".frob 5;", "frob"},
    {".loc 1 2;", "expected"},
    {".loc 1 2 3, sideways 4 5 6\n", "sideways"},
    {".shared .align 3 .b8 s[4];", "align"},
    {".shared .align 4 .b8 s[99999999999];", "4 GiB"},
    {"call frobnicate;", "frobnicate"},
    {"{{{", "expected"},
    {"add.u32 a, a, \"text\";", "expected"},
    {"\"text\";", "expected"},
    {"#;", "expected"},
};

Test(ptx, bodies_that_are_refused)
{
    for (size_t i = 0; i < sizeof bad_bodies / sizeof *bad_bodies; i++) {
        char ptx[1000];
        struct fixture f;
        snprintf(ptx, sizeof ptx,
                 ".file 1 \"x.cu\"\n.visible .entry good()\n{\nret;\n}\n"
                 ".visible .entry _Z3badv(.param .u64 q) { .reg .b16 h; .reg .b32 a; .reg .b64 d; "
                 ".reg .pred p;\n.loc 1 42 7\n%s\nret;\n}\n.visible .entry after()\n{\nret;\n}\n",
                 bad_bodies[i].body);
        fixture_open(&f, NULL);
        bool braces = strstr(bad_bodies[i].body, "{{{");
        if (braces) { /* an open brace makes the other kernels part of this kernel */
            char whole[1200];
            snprintf(whole, sizeof whole, "%s%s", FIXTURE_PTX, ptx);
            enum emu_status status = emu_load(f.device, whole, strlen(whole), &f.module);
            cr_expect(status == EMU_INVALID_PTX || status == EMU_OK, "'%s'", bad_bodies[i].body);
            fixture_close(&f);
            continue;
        }
        fixture_load(&f, ptx);
        char why[600];
        snprintf(why, sizeof why, "%s", fixture_refusal(&f, "_Z3badv"));
        cr_expect(strstr(why, bad_bodies[i].says) && strstr(why, "'bad()'") &&
                      strstr(why, "PTX line "),
                  "'%s': '%s'", bad_bodies[i].body, why);
        cr_expect(strstr(why, "x.cu:42: "), "'%s': no source line in '%s'", bad_bodies[i].body,
                  why);
        cr_expect(!strchr(why, '\n'), "'%s': more than one line", bad_bodies[i].body);
        fixture_run(&f, (struct fixture_launch){.kernel = "good"});
        fixture_run(&f, (struct fixture_launch){.kernel = "after"});
        fixture_close(&f);
    }
}

static const struct {
    const char *text, *says;
} bad_modules[] = {
    {"", ".version"},
    {"\n\n", ".version"},
    {"int main() { return 0; }", ".version"},
    {"\x7f"
     "ELF\x02\x01\x01",
     ".version"},
    {".version", "version"},
    {".version 0.5\n", "version"},
    {".version abc\n", "version"},
    {".version 8.5\n.address_size 32\n", "64-bit"},
    {".version 8.5\nhello", "directive"},
    {".version 8.5\n.frobnicate 5\n", "frobnicate"},
    {".version 8.5\n.visible .entry", "name"},
    {".version 8.5\n.visible .entry 5()", "name"},
    {".version 8.5\n.visible .entry k", "expected"},
    {".version 8.5\n.visible .entry k(", "expected"},
    {".version 8.5\n.visible .entry k(.param .u32", "name"},
    {".version 8.5\n.visible .entry k(.param .u32 a,", "expected"},
    {".version 8.5\n.global", "type"},
    {".version 8.5\n.global .u32", "name"},
    {".version 8.5\n.global .u32 a", "expected"},
    {".version 8.5\n.global .u32 a[", "number"},
    {".version 8.5\n.global .u32 a[4", "expected"},
    {".version 8.5\n.global .u32 a[2] = {1, 2, 3};", "more initial values"},
    {".version 8.5\n.global .u32 a = ;", "constant"},
    {".version 8.5\n.global .u32 a[2] = {1, ;", "constant"},
    {".version 8.5\n.global .align 7 .u32 a;", "align"},
    {".version 8.5\n.global .u32 a[99999999999999];", "4 GiB"},
    {".version 8.5\n.global .u32 a[4294967295][4294967295][4294967295];", "4 GiB"},
    {".version 8.5\n.const .b8 a[65537];", "constant memory"},
    {".version 8.5\n.const .b8 a[65536];\n.const .b8 b;", "constant memory"},
    {".version 8.5\n.file 1\n", "path"},
    {".version 8.5\n.target\n", "name"},
    {".version 8.5\n.section .debug_str {", ""},
};

Test(ptx, modules_that_are_refused)
{
    struct fixture f;
    fixture_open(&f, NULL);
    for (size_t i = 0; i < sizeof bad_modules / sizeof *bad_modules; i++) {
        const char *text = bad_modules[i].text;
        enum emu_status status = emu_load(f.device, text, strlen(text), &f.module);
        const char *why = emu_message(f.device);
        if (!*bad_modules[i].says) { /* any result is right, but it must not crash */
            continue;
        }
        cr_expect(status == EMU_INVALID_PTX, "'%s' is taken", text);
        cr_expect(strstr(why, bad_modules[i].says) && strstr(why, "PTX line"), "'%s': '%s'", text,
                  why);
        cr_expect(!strchr(why, '\n'), "'%s': '%s'", text, why);
    }
    fixture_close(&f);
}

/* A refused kernel head affects only its own kernel, too. */
Test(ptx, heads_that_are_refused)
{
    static const char *const heads[] = {"k(.param .pred a)",  "k(.param .f99 a)",
                                        "k(.param .u32 a b)", "k(.param .u32)",
                                        "k .maxntid",         "k(.param .align 3 .u32 a)"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char ptx[300];
        struct fixture f;
        snprintf(ptx, sizeof ptx,
                 ".visible .entry %s\n{\nret;\n}\n.visible .entry good()\n{\nret;\n}\n", heads[i]);
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        fixture_run(&f, (struct fixture_launch){.kernel = "good"});
        const char *why = fixture_refusal(&f, "k");
        cr_expect(!strcmp(heads[i], "k .maxntid") || strstr(why, "PTX line 4"), "'%s': '%s'",
                  heads[i], why);
        fixture_close(&f);
    }
}

Test(ptx, deep_nesting)
{
    struct fixture f;
    fixture_open(&f, NULL);
    for (unsigned depth = 10; depth <= 100000; depth *= 10) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        fprintf(out, "%s.visible .entry k()\n{\n", FIXTURE_PTX);
        for (unsigned i = 0; i < depth; i++)
            fputc('{', out);
        for (unsigned i = 0; i < depth; i++)
            fputc('}', out);
        fprintf(out, "ret;\n}\n.global .u32 a[2] = ");
        for (unsigned i = 0; i < depth; i++)
            fputc('{', out);
        fclose(out);
        enum emu_status status = emu_load(f.device, text, size, &f.module);
        cr_expect(status == EMU_INVALID_PTX, "depth %u", depth);
        free(text);
    }
    /* The text has a mov and a call whose vectors and brackets are nested 100,000 deep, and never
     * closed. */
    for (int i = 0; i < 2; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        fprintf(out, "%s.visible .entry k()\n{\n%s", FIXTURE_PTX, i ? "call (" : "mov.u32 ");
        for (unsigned n = 0; n < 100000; n++)
            fputs("{{[", out);
        fclose(out);
        emu_load(f.device, text, size, &f.module); /* may fail, but must return */
        free(text);
    }
    fixture_close(&f);
}

/* --- damaged texts ------------------------------------------------------------------------------ */

/* A text with many kinds of PTX. */
static const char sample[] = FIXTURE_PTX
    ".file 1 \"a.cu\"\n.extern .shared .align 16 .b8 more[];\n"
    ".global .align 8 .u64 links[2] = {generic(text)+1, text};\n.global .align 1 .b8 text[3] = {1, "
    "-2, 3};\n"
    ".const .align 4 .f32 c[2] = {0f3F800000, 0fC0000000};\n"
    ".func (.param .b32 r) twice(.param .b32 a)\n{\n.reg .b32 x;\nld.param.b32 x, [a];\n"
    "add.u32 x, x, x;\nst.param.b32 [r], x;\nret;\n}\n"
    ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[24])\n.maxntid 64, 1, 1\n{\n"
    ".reg .pred %p<4>;\n.reg .b16 %h<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<7>;\n.shared .align 4 "
    ".b8 sh[64];\n"
    ".local .align 8 .b8 own[16];\n.loc 1 3 5\nmov.u32 %r1, %tid.x;\nsetp.lt.s32 %p1|%p2, %r1, 5;\n"
    "@!%p1 bra $L__BB0_2;\n.pragma \"nounroll\";\n{ .reg .b32 t; add.u32 t, %r1, -1; mov.u32 %r2, "
    "t; }\n"
    "$L__BB0_2:\n.loc 2 97 13, function_name $i+4, inlined_at 1 5 9\nld.param.u64 %rd1, [out];\n"
    "shfl.sync.up.b32 %r3|%p3, %r1, 1, 0, -1;\nmov.b64 %rd2, {%r1, %r2};\n"
    "ld.global.v2.u32 {%r4, _}, [%rd1+-0];\nst.shared.u32 [sh+4], %r4;\nbar.sync 0;\n"
    "atom.global.add.u32 %r5, [%rd1], 1;\ncvt.rn.f32.u32 %r6, %r5;\nadd.rn.ftz.f32 %r6, %r6, "
    "0f3F000000;\n"
    "{\n.param .b32 p0;\n.param .b32 p1;\nst.param.b32 [p0], %r6;\ncall.uni (p1), twice, (p0);\n"
    "ld.param.b32 %r7, [p1];\n}\n@%p2 ret;\nst.global.u32 [%rd1], %r7;\nret;\n}\n";

/* Loads the text, and runs its kernel if it still exists. The calls may fail but must return. */
static void try_text(struct fixture *f, const char *text, size_t size)
{
    uint64_t params[64] = {0};
    uint32_t kernel;
    struct emu_kernel_info info;
    if (emu_load(f->device, text, size, &f->module) != EMU_OK) {
        cr_assert(*emu_message(f->device), "no message");
        return;
    }
    if (emu_kernel(f->device, f->module, "k", &kernel) != EMU_OK) {
        cr_assert(*emu_message(f->device), "no message");
    } else if (emu_kernel_info(f->device, kernel, &info) == EMU_OK &&
               info.param_bytes <= sizeof params) {
        struct emu_launch launch = {.kernel = kernel, .grid = {2, 1, 1}, .block = {48, 1, 1}};
        launch.params = params;
        launch.param_bytes = sizeof params;
        emu_launch(f->device, &launch, NULL);
    }
    emu_unload(f->device, f->module);
}

Test(ptx, sample_is_sound)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load_whole(&f, sample);
    cr_expect(!*fixture_refusal(&f, "k"), "%s", fixture_refusal(&f, "k"));
    fixture_close(&f);
}

static const struct emu_options few_instructions = {.deterministic = true,
                                                    .max_warp_instructions = 20000};

/* The text is truncated after each byte. */
Test(ptx, truncated_text)
{
    struct fixture f;
    fixture_open(&f, &few_instructions);
    for (size_t size = 0; size < sizeof sample; size++) {
        char *tight = malloc(size + 1);
        memcpy(tight, sample, size);
        tight = realloc(tight, size ? size : 1);
        try_text(&f, tight, size);
        free(tight);
    }
    fixture_close(&f);
}

/* Replaces each byte by each of these values. Then tries thousands of texts with several damaged
 * bytes. */
Test(ptx, damaged_text, .timeout = 600)
{
    static const char bytes[] = "\1 ;,.{}[]()@!|%$_0x9-\"\n\xff";
    struct fixture f;
    char *text = strdup(sample);
    fixture_open(&f, &few_instructions);
    for (size_t at = 0; at + 1 < sizeof sample; at++) {
        for (size_t b = 0; b + 1 < sizeof bytes; b += 1 + at % 3) {
            text[at] = bytes[b];
            try_text(&f, text, sizeof sample);
        }
        text[at] = sample[at];
    }
    uint32_t seed = 12345;
    for (unsigned n = 0; n < 4000; n++) {
        memcpy(text, sample, sizeof sample);
        for (unsigned i = 0; i < 1 + n % 6; i++) {
            seed = seed * 1664525u + 1013904223u;
            size_t at = (seed >> 8) % (sizeof sample - 40),
                   from = (seed >> 3) % (sizeof sample - 40);
            memmove(text + at, sample + from, 1 + (seed >> 28));
        }
        try_text(&f, text, sizeof sample);
    }
    free(text);
    fixture_close(&f);
}
