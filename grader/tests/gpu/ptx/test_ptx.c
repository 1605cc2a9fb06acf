/* Tests the lexer and the parser with all unusual forms of PTX that compilers and inline assembly
 * write. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/lex.h"
#include "gpu/ptx/module.h"
#include "tests/support/emulator_fixture.h"

/* --- tokens ------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    enum ptx_token_kind kind;
    const char *name; /* the token's text, or NULL */
    uint64_t value;
    int length; /* number of bytes of the text that form the token, or 0 for all */
} tokens[] = {
    {"add", PTX_WORD, "add", 0, 0},
    {"%r12", PTX_WORD, "%r12", 0, 0},
    {"$L__BB0_2:", PTX_WORD, "$L__BB0_2", 0, 9},
    {"_", PTX_WORD, "_", 0, 0},
    {"_ZN3fooEv(", PTX_WORD, "_ZN3fooEv", 0, 9},
    {".reg", PTX_DOT, "reg", 0, 0},
    {".x", PTX_DOT, "x", 0, 0},
    {"0", PTX_INT, NULL, 0, 0},
    {"42", PTX_INT, NULL, 42, 0},
    {"42U", PTX_INT, NULL, 42, 0},
    {"017", PTX_INT, NULL, 15, 0},
    {"0x1F", PTX_INT, NULL, 31, 0},
    {"0xffffffffffffffff", PTX_INT, NULL, UINT64_MAX, 0},
    {"0XfFU", PTX_INT, NULL, 255, 0},
    {"0b1011", PTX_INT, NULL, 11, 0},
    {"18446744073709551615", PTX_INT, NULL, UINT64_MAX, 0},
    {"0f3F800000", PTX_F32, NULL, 0x3f800000, 0},
    {"0F3f800000", PTX_F32, NULL, 0x3f800000, 0},
    {"0d3FF0000000000000", PTX_F64, NULL, 0x3ff0000000000000, 0},
    {"0D400921FB54442D18", PTX_F64, NULL, 0x400921fb54442d18, 0},
    {"1.5", PTX_F64, NULL, 0x3ff8000000000000, 0},
    {"2.5e-1", PTX_F64, NULL, 0x3fd0000000000000, 0},
    {"1.0E+2", PTX_F64, NULL, 0x4059000000000000, 0},
    {"9.0", PTX_F64, NULL, 0x4022000000000000, 0},
    {"\"a b\"", PTX_STRING, "a b", 0, 0},
    {"\"a \\\" b\"", PTX_STRING, "a \\\" b", 0, 0},
    {"{", PTX_PUNCT, "{", 0, 0},
    {"|", PTX_PUNCT, "|", 0, 0},
    {"@%p1", PTX_PUNCT, "@", 0, 1},
    {"-4", PTX_PUNCT, "-", 0, 1},
    {"  \t\r\n\v// words\n/* more\n words */add", PTX_WORD, "add", 0, 0},
    {"/* never closed", PTX_END, NULL, 0, 0},
    {"// to the end", PTX_END, NULL, 0, 0},
    {"", PTX_END, NULL, 0, 0},
    {"#", PTX_BAD, "#", 0, 0},
    {"\x80", PTX_BAD, "\x80", 0, 0},
    {".5", PTX_BAD, ".", 0, 1},
};

Test(ptx, tokens)
{
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) {
        struct ptx_lexer lexer;
        size_t size = strlen(tokens[i].text);
        char *tight = malloc(size + 1); /* no slack: sanitizers detect a read past the end */
        memcpy(tight, tokens[i].text, size);
        tight = realloc(tight, size ? size : 1);
        ptx_lex_init(&lexer, tight, size);
        struct ptx_token token = ptx_lex(&lexer);
        int length = tokens[i].length ? tokens[i].length : (int)size;
        cr_expect(token.kind == tokens[i].kind, "'%s' is of kind %d", tokens[i].text,
                  (int)token.kind);
        cr_expect(lexer.at - tight == length, "'%s' takes %d bytes", tokens[i].text,
                  (int)(lexer.at - tight));
        if (tokens[i].name)
            cr_expect(token.length == strlen(tokens[i].name) &&
                          memcmp(token.text, tokens[i].name, token.length) == 0,
                      "'%s' is read as '%.*s'", tokens[i].text, (int)token.length, token.text);
        if (token.kind == PTX_INT || token.kind == PTX_F32 || token.kind == PTX_F64)
            cr_expect(token.value == tokens[i].value, "'%s' is %#" PRIx64, tokens[i].text,
                      token.value);
        free(tight);
    }
}

Test(ptx, token_lines)
{
    struct ptx_lexer lexer;
    static const char text[] = "a\nb /* x\n\n */ c // d\n\"e\" f\0g";
    static const uint32_t lines[] = {1, 2, 4, 5, 5};
    ptx_lex_init(&lexer, text, sizeof text);
    for (size_t i = 0; i < 5; i++) {
        struct ptx_token token = ptx_lex(&lexer);
        cr_expect(token.line == lines[i], "token %zu, '%.*s', is at line %u", i, (int)token.length,
                  token.text, token.line);
    }
    cr_expect(ptx_lex(&lexer).kind == PTX_END, "the text ends at its first NUL");
    cr_expect(ptx_lex(&lexer).kind == PTX_END, "again and again");
}

/* --- unusual texts that must load ----------------------------------------------------------------- */

/* A kernel in which BODY puts its result into a, with t = tid.x. TOP is the text before the kernel.
 * WANT is the result of thread 3. */
static const struct trap {
    const char *name, *top, *body;
    uint32_t want;
} traps[] = {
    {"several statements on one line", "", "{ .reg .b32 x; add.u32 x, t, 1; mul.lo.u32 a, x, 2; }",
     8},
    {"a register declared again in a scope", "",
     ".reg .b32 x; mov.u32 x, 5; { .reg .b32 x; mov.u32 x, 7; } mov.u32 a, x;", 5},
    {"a register of another type in a scope", "",
     ".reg .b32 x; mov.u32 x, 5; { .reg .b64 x; mov.u64 x, 7; cvt.u32.u64 a, x; } add.u32 a, a, x;",
     12},
    {"scopes one after the other", "",
     "mov.u32 a, 0; { .reg .b32 x; mov.u32 x, 1; add.u32 a, a, x; } { .reg .b32 x; mov.u32 x, 2; "
     "add.u32 a, a, x; }",
     3},
    {"scopes nested three deep", "", "{{{ .reg .b32 x; mov.u32 x, 4; { mov.u32 a, x; } }}}", 4},
    {"names without percent", "",
     ".reg .b32 foo, _bar, $baz; mov.u32 foo, 1; mov.u32 _bar, 2; "
     "mov.u32 $baz, 3; add.u32 a, foo, _bar; add.u32 a, a, $baz;",
     6},
    {"names like opcodes and types", "",
     ".reg .b32 add, u32, ret; mov.u32 add, 1; mov.u32 u32, 2; "
     "add.u32 ret, add, u32; mov.u32 a, ret;",
     3},
    {"a range, and a register with a similar name", "",
     ".reg .b32 %x<3>, %x7; mov.u32 %x2, 5; mov.u32 %x7, 6; "
     "add.u32 a, %x2, %x7;",
     11},
    {"ranges with similar names", "",
     ".reg .b32 %r<12>; .reg .b64 %rd<3>; .reg .b32 %r1x<2>; mov.u32 %r11, 5; "
     "mov.u64 %rd1, 6; mov.u32 %r1x1, 7; cvt.u32.u64 a, %rd1; "
     "add.u32 a, a, %r11; add.u32 a, a, %r1x1;",
     18},
    {"a range without percent", "", ".reg .b32 v<4>; mov.u32 v3, 9; mov.u32 a, v3;", 9},
    {"pragma in the body", "", ".pragma \"nounroll\"; mov.u32 a, 5;", 5},
    {"pragma at the top", ".pragma \"nounroll\";\n", "mov.u32 a, 5;", 5},
    {"debug sections", ".section .debug_str\n{\n$info:\n.b8 1,2,3\n.b32 5\n.b64 .debug_str\n}\n",
     "mov.u32 a, 5;", 5},
    {"weak and common variables",
     ".weak .global .align 4 .u32 w = 3;\n.common .global .align 4 .u32 c;\n",
     "ld.global.u32 a, [w];", 3},
    {"attributes of linking", ".visible .global .align 4 .u32 w = 3;\n", "ld.global.u32 a, [w];",
     3},
    {"float constants in hex", "",
     ".reg .f32 x; .reg .f64 y; mov.f32 x, 0f40A00000; "
     "mov.f64 y, 0d4008000000000000; cvt.rzi.u32.f32 a, x; "
     ".reg .b32 b; cvt.rzi.u32.f64 b, y; add.u32 a, a, b;",
     8},
    {"decimal fractions", "",
     ".reg .f32 x; .reg .f64 y; mov.f32 x, 2.5; mov.f64 y, 1.5; "
     "add.f32 x, x, x; add.f64 y, y, y; cvt.rzi.u32.f32 a, x; .reg .b32 b; "
     "cvt.rzi.u32.f64 b, y; add.u32 a, a, b;",
     8},
    {"negative numbers", "", "add.s32 a, t, -10; neg.s32 a, a;", 7},
    {"numbers in every base", "",
     "add.u32 a, t, 0x10; add.u32 a, a, 010; add.u32 a, a, 0b11; "
     "add.u32 a, a, 5U;",
     35},
    {"the lowest number", "",
     ".reg .b64 x; mov.s64 x, -9223372036854775808; shr.u64 x, x, 60; "
     "cvt.u32.u64 a, x;",
     8},
    {"a large unsigned number", "",
     ".reg .b64 x; mov.u64 x, 0xFFFFFFFFFFFFFFFF; cvt.u32.u64 a, x; "
     "not.b32 a, a;",
     0},
    {"pair of predicates", "",
     ".reg .pred p, q; setp.eq.u32 p|q, t, 3; selp.u32 a, 10, 20, q; "
     "@p add.u32 a, a, 1;",
     21},
    {"value and predicate", "",
     ".reg .pred p; .reg .b32 x; shfl.sync.idx.b32 x|p, t, 5, 31, -1; "
     "selp.u32 a, x, 0, p;",
     5},
    {"sink in a pair", "", ".reg .pred p; setp.eq.u32 p|_, t, 3; selp.u32 a, 10, 20, p;", 10},
    {"negated predicates", "",
     ".reg .pred p; setp.eq.u32 p, t, 4; @!p mov.u32 a, 6; "
     "selp.u32 a, a, 0, !p;",
     6},
    {"blanks everywhere", "", "@ %pp add .u32 a , t , 4 ; @ ! %pp\tadd\n.u32 a,t,2;", 5},
    {"comments between tokens", "", "add.u32 /* one */ a, // two\n t /* three\n */, 4; /**/", 7},
    {"labels in scopes, twice the same", "",
     "mov.u32 a, 0; { .reg .pred p; setp.lt.u32 p, t, 100; @p bra DONE; add.u32 a, a, 100; DONE: "
     "add.u32 a, a, 1; } { .reg .pred p; setp.lt.u32 p, t, 100; @p bra DONE; add.u32 a, a, 100; "
     "DONE: "
     "add.u32 a, a, 2; }",
     3},
    {"a label in the enclosing scope", "",
     "mov.u32 a, 0; { .reg .pred p; setp.lt.u32 p, t, 100; @p bra OUT; add.u32 a, a, 100; } "
     "OUT: add.u32 a, a, 2;",
     2},
    {"an inner label hides an outer one", "",
     "mov.u32 a, 0; { bra HERE; add.u32 a, a, 100; HERE: add.u32 a, a, 1; } bra HERE; "
     "add.u32 a, a, 100; HERE: add.u32 a, a, 2;",
     3},
    {"a branch backwards out of a scope", "",
     "mov.u32 a, 0; AGAIN: add.u32 a, a, 1; { .reg .pred p; setp.lt.u32 p, a, 4; @p bra AGAIN; }",
     4},
    {"two labels at one place", "", "bra B; mov.u32 a, 1; A: B: mov.u32 a, 2;", 2},
    {"labels like opcodes", "",
     "bra add; mov.u32 a, 1; add: mov.u32 a, 2; bra ret; ret: add.u32 a, a, 1;", 3},
    {"negative offsets", ".global .align 4 .u32 w[4] = {1, 2, 3, 4};\n",
     ".reg .b64 x; mov.u64 x, w; add.s64 x, x, 8; .reg .b32 b; ld.global.u32 a, [x+-4]; "
     "ld.global.u32 b, [x+-8]; mad.lo.u32 a, a, 10, b; ld.global.u32 b, [x + 4]; mad.lo.u32 a, a, "
     "10, b;",
     214},
    {"variables with offsets", ".global .align 4 .u32 w[4] = {1, 2, 3, 4};\n",
     ".reg .b64 x; .reg .b32 b; ld.global.u32 a, [w+8]; mov.u64 x, w+12; ld.global.u32 b, [x]; "
     "mad.lo.u32 a, a, 10, b;",
     34},
    {"an address of 32 bits", ".shared .align 4 .b8 sh[64];\n",
     ".reg .b32 x; mov.u32 x, sh; add.u32 x, x, 8; st.shared.u32 [x+4], 6; ld.shared.u32 a, "
     "[sh+12];",
     6},
    {"vectors with sinks", ".global .align 16 .u32 w[4] = {1, 2, 3, 4};\n",
     ".reg .b32 x, y; ld.global.v4.u32 {_, x, _, y}, [w]; mad.lo.u32 a, x, 10, y;", 24},
    {"vectors of numbers", ".global .align 16 .u32 w[4];\n",
     ".reg .b32 x; st.global.v2.u32 [w+8], {7, 9}; ld.global.v2.u32 {a, x}, [w+8]; mad.lo.u32 a, "
     "a, 10, x;",
     79},
    {"WARP_SZ", "", "mov.u32 a, WARP_SZ;", 32},
    {"modifiers in another order", ".global .align 4 .u32 w = 5;\n",
     "ld.global.relaxed.gpu.u32 a, [w];", 5},
    {".loc in the middle", ".file 1 \"a.cu\"\n",
     ".loc 1 9 2\nmov.u32 a, 1;\n.loc 1 6 3, function_name $name, inlined_at 1 9 2\nadd.u32 a, a, "
     "1;\n"
     ".loc 1 0 0\nadd.u32 a, a, 1;",
     3},
    {".file with time and size", ".file 1 \"a.cu\", 1700000000, 4096\n", "mov.u32 a, 1;", 1},
    {"shared memory declared late", "",
     "mov.u32 a, 1; .shared .align 4 .b8 late[16]; "
     "st.shared.u32 [late], 31; ld.shared.u32 a, [late+0];",
     31},
    {"local memory in a scope", "",
     "{ .local .align 4 .b8 mine[8]; st.local.u32 [mine+4], t; "
     "ld.local.u32 a, [mine+4]; }",
     3},
    {"a constant whose initial values are fewer than its size",
     ".const .align 4 .b8 c[8] = {1, 0, 0, 0, 2};\n", "ld.const.u32 a, [c+4];", 2},
    {"guard before a scope's branch", "",
     ".reg .pred p; setp.eq.u32 p, t, 3; mov.u32 a, 0; "
     "@!p bra END; { mov.u32 a, 9; } END:",
     9},
};

Test(ptx, traps)
{
    for (size_t i = 0; i < sizeof traps / sizeof *traps; i++) {
        char ptx[3000];
        struct fixture f;
        snprintf(ptx, sizeof ptx,
                 "%s.visible .entry k(.param .u64 out)\n.maxntid 64, 1, 1\n.pragma \"x\";\n{\n"
                 ".reg .pred %%pp;\n.reg .b32 t, a;\n.reg .b64 o, at;\nmov.u32 t, %%tid.x;\n"
                 "setp.ge.u32 %%pp, t, 4;\nmov.u32 a, 0;\n%s\nld.param.u64 o, [out];\n"
                 "mul.wide.u32 at, t, 4;\nadd.s64 o, o, at;\nst.global.u32 [o], a;\nret;\n}\n",
                 traps[i].top, traps[i].body);
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        const char *refusal = fixture_refusal(&f, "k");
        cr_expect(!*refusal, "%s: %s", traps[i].name, refusal);
        if (!*refusal) {
            emu_addr out = fixture_upload(&f, NULL, 4 * 32);
            fixture_run(&f, (struct fixture_launch){.params = {out}});
            uint32_t got = fixture_word(&f, out, 3);
            cr_expect(got == traps[i].want, "%s: %u, want %u", traps[i].name, got, traps[i].want);
        }
        fixture_close(&f);
    }
}

/* Directives between the parameters and the body. */
Test(ptx, performance_directives)
{
    static const struct {
        const char *text;
        uint32_t max_threads;
    } rows[] = {
        {"", 1024},
        {".maxntid 256", 256},
        {".maxntid 16, 8, 2", 256},
        {".maxntid 256, 1, 1\n.minnctapersm 4", 256},
        {".reqntid 64", 64},
        {".minnctapersm 2 .maxnreg 32", 1024},
        {".maxnreg 32\n.maxntid 96", 96},
        {".pragma \"nounroll\";", 1024},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char ptx[300];
        struct fixture f;
        struct emu_kernel_info info;
        uint32_t kernel;
        snprintf(ptx, sizeof ptx, ".visible .entry k()\n%s\n{\nret;\n}\n", rows[i].text);
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        cr_assert(emu_kernel(f.device, f.module, "k", &kernel) == EMU_OK, "'%s'", rows[i].text);
        cr_assert(emu_kernel_info(f.device, kernel, &info) == EMU_OK);
        cr_expect(info.max_threads == rows[i].max_threads, "'%s': %u", rows[i].text,
                  info.max_threads);
        fixture_close(&f);
    }
}

Test(ptx, parameter_lists)
{
    static const struct {
        const char *text;
        uint32_t count, bytes;
    } rows[] = {
        {"", 0, 0},
        {".param .u32 a", 1, 4},
        {".param .align 8 .b8 a[12], .param .u8 b, .param .u16 c", 3, 16},
        {".param .u64 .ptr .global .align 4 a, .param .u32 b", 2, 12},
        {".param .u64 .ptr a, .param .u64 .ptr .align 1 b", 2, 16},
        {".param .f32 a, .param .f64 b", 2, 16},
        {".param .align 4 .b8 a[3][4]", 1, 12},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char ptx[300];
        struct fixture f;
        struct emu_kernel_info info;
        uint32_t kernel;
        snprintf(ptx, sizeof ptx, ".visible .entry k(%s)\n{\nret;\n}\n", rows[i].text);
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        cr_assert(emu_kernel(f.device, f.module, "k", &kernel) == EMU_OK, "'%s'", rows[i].text);
        cr_assert(emu_kernel_info(f.device, kernel, &info) == EMU_OK);
        cr_expect(info.param_count == rows[i].count && info.param_bytes == rows[i].bytes,
                  "'%s': %u of %u bytes", rows[i].text, info.param_count, info.param_bytes);
        fixture_close(&f);
    }
}
