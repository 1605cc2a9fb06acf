/* Tests the functions that PTX only declares (printf, assert, malloc and free), their limits, and
 * the stack. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* --- printf ------------------------------------------------------------------------------------- */

#define PRINTER                                                                                    \
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);\n"

/* A format with up to 3 arguments of up to 8 bytes. The arguments are in local memory, where nvcc
 * would put them. */
static const struct {
    const char *format;
    unsigned bytes[3]; /* size of each argument, or 0 for none */
    uint64_t arguments[3];
    const char *want;
    uint32_t result; /* the number that printf() must return */
} prints[] = {
    {"hello\n", {0}, {0}, "hello\n", 0},
    {"%d %i", {4, 4}, {0xffffffff, 42}, "-1 42", 2},
    {"%u %x %X", {4, 4, 4}, {0xffffffff, 0xbeef, 0xbeef}, "4294967295 beef BEEF", 3},
    {"%o|%c|%%", {4, 4}, {8, 'A'}, "10|A|%", 2},
    {"%lld %llu", {8, 8}, {0xffffffffffffffff, 0xffffffffffffffff}, "-1 18446744073709551615", 2},
    {"%ld %zu", {8, 8}, {0x100000000, 5}, "4294967296 5", 2},
    {"%f %.3e", {8, 8}, {0x3ff8000000000000, 0x40c81c8000000000}, "1.500000 1.234e+04", 2},
    {"%g", {8}, {0x4024000000000000}, "10", 1},
    {"%5d|%-5d|%05d", {4, 4, 4}, {42, 42, 42}, "   42|42   |00042", 3},
    {"%*d|%.*f", {4, 4}, {6, 42}, NULL, 0},           /* a missing argument causes no crash */
    {"%d %lld %d", {4, 8, 4}, {1, 2, 3}, "1 2 3", 3}, /* the second argument is aligned */
    {"%p", {8}, {0x1234}, "0x1234", 1},
    {"%", {0}, {0}, "%", 0},
    {"100%", {0}, {0}, "100%", 0},
    {"%n%d", {4}, {7}, "7", 1}, /* %n writes nothing */
    {"%1000000d", {4}, {7}, NULL, 0},
};

static char *printing_kernel(const char *format, const unsigned bytes[3],
                             const uint64_t arguments[3])
{
    char *text = NULL;
    size_t size;
    unsigned at = 0;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, PRINTER ".global .align 1 .b8 format[%zu] = {", strlen(format) + 1);
    for (size_t i = 0; i <= strlen(format); i++)
        fprintf(out, "%s%d", i ? ", " : "", format[i]);
    fprintf(out, "};\n.visible .entry k(.param .u64 out)\n{\n.local .align 8 .b8 depot[32];\n"
                 ".reg .b64 a, f, o, v;\n.reg .b32 r;\nmov.u64 a, depot;\ncvta.local.u64 a, a;\n");
    for (unsigned i = 0; i < 3 && bytes[i]; i++) {
        at = (at + bytes[i] - 1) / bytes[i] * bytes[i];
        fprintf(out, "mov.u64 v, %#lx;\nst.local.u%u [depot+%u], v;\n", (unsigned long)arguments[i],
                8 * bytes[i], at);
        at += bytes[i];
    }
    fprintf(out, "mov.u64 f, format;\ncvta.global.u64 f, f;\n{\n.param .b64 p0;\n.param .b64 p1;\n"
                 ".param .b32 r0;\nst.param.b64 [p0], f;\nst.param.b64 [p1], a;\n"
                 "call.uni (r0), vprintf, (p0, p1);\nld.param.b32 r, [r0];\n}\n"
                 "ld.param.u64 o, [out];\nst.global.u32 [o], r;\nret;\n}\n");
    fclose(out);
    return text;
}

Test(builtin, printf)
{
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
        struct fixture f;
        char *text, *ptx = printing_kernel(prints[i].format, prints[i].bytes, prints[i].arguments);
        size_t length;
        fixture_open(&f, NULL);
        fixture_load(&f, ptx);
        emu_addr out = fixture_upload(&f, NULL, 4);
        fixture_run(&f, (struct fixture_launch){.block = {1}, .params = {out}});
        emu_output(f.device, EMU_STDOUT, &text, &length);
        const char *want = prints[i].want;
        if (want) {
            cr_expect(text && length == strlen(want) && memcmp(text, want, length) == 0,
                      "'%s' printed '%.*s'", prints[i].format, (int)length, text ? text : "");
            uint32_t result = fixture_word(&f, out, 0);
            cr_expect(result == prints[i].result, "'%s' returned %u", prints[i].format, result);
        }
        free(text);
        emu_output(f.device, EMU_STDOUT, &text, &length);
        cr_expect(!text && !length, "the output is returned only once");
        free(ptx);
        fixture_close(&f);
    }
}

/* Every thread prints, in the order of the lanes. Output that does not fit into the buffer is
 * lost. */
Test(builtin, printf_of_many_threads)
{
    static const unsigned bytes[3] = {0};
    static const uint64_t arguments[3] = {0};
    struct fixture f;
    char *text, *ptx = printing_kernel("0123456789", bytes, arguments);
    size_t length;
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    emu_addr out = fixture_upload(&f, NULL, 4);
    fixture_run(&f, (struct fixture_launch){.grid = {3}, .block = {40}, .params = {out}});
    emu_output(f.device, EMU_STDOUT, &text, &length);
    cr_expect(length == 3 * 40 * 10, "%zu characters", length);
    free(text);
    cr_expect(emu_set_limit(f.device, EMU_PRINT, 1000) == EMU_OK);
    fixture_run(&f, (struct fixture_launch){.grid = {3}, .block = {40}, .params = {out}});
    emu_output(f.device, EMU_STDOUT, &text, &length);
    cr_expect(length == 1000, "%zu characters", length);
    free(text);
    free(ptx);
    fixture_close(&f);
}

/* --- assert ------------------------------------------------------------------------------------- */

Test(builtin, assertion)
{
    struct fixture f;
    char *text;
    size_t length;
    fixture_open(&f, NULL);
    fixture_load(
        &f,
        ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
        ".param .b64 e);\n.file 1 \"a.cu\"\n"
        ".global .align 1 .b8 what[6] = {120, 32, 62, 32, 48};\n"
        ".global .align 1 .b8 file[5] = {97, 46, 99, 117};\n.global .align 1 .b8 name[4] = {107, "
        "40, 41};\n"
        ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 t;\n.reg .b64 a, b, c;\n.loc 1 4 2\n"
        "mov.u32 t, %tid.x;\nsetp.ne.u32 p, t, 3;\n@p bra END;\n.loc 1 12 5\n"
        "mov.u64 a, what;\ncvta.global.u64 a, a;\nmov.u64 b, file;\ncvta.global.u64 b, b;\n"
        "mov.u64 c, name;\ncvta.global.u64 c, c;\n{\n.param .b64 p0;\n.param .b64 p1;\n"
        ".param .b32 p2;\n.param .b64 p3;\n.param .b64 p4;\nst.param.b64 [p0], a;\n"
        "st.param.b64 [p1], b;\nst.param.b32 [p2], 12;\nst.param.b64 [p3], c;\n"
        "st.param.b64 [p4], 1;\ncall.uni __assertfail, (p0, p1, p2, p3, p4);\n}\nEND:\nret;\n}\n");
    enum emu_status status = fixture_launch(&f, (struct fixture_launch){.block = {8}});
    cr_expect(status == EMU_ASSERT, "ended with %d", (int)status);
    json_t *line = fixture_record(&f, -1), *finding = fixture_finding(line, "assertion");
    cr_expect(json_integer_value(json_object_get(finding, "line")) == 12);
    cr_expect(strstr(json_string_value(json_object_get(finding, "message")), "x > 0"));
    cr_expect(strcmp(json_string_value(json_object_get(json_object_get(line, "launch"), "status")),
                     "assert") == 0);
    json_decref(line);
    emu_output(f.device, EMU_STDERR, &text, &length);
    static const char want[] =
        "a.cu:12: k(): block: [0,0,0], thread: [3,0,0] Assertion `x > 0` failed.\n";
    cr_expect(text && length == strlen(want) && memcmp(text, want, length) == 0, "'%.*s'",
              (int)length, text ? text : "");
    free(text);
    fixture_close(&f);
}

/* --- malloc and free ---------------------------------------------------------------------------- */

#define HEAP                                                                                       \
    ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"                               \
    ".extern .func free(.param .b64 block);\n"

/* Each thread allocates SIZE bytes, writes its number into them, reads it after a barrier, and
 * frees them. out gets the pointer and the number that was read. */
static const char allocating_kernel[] = HEAP
    ".visible .entry k(.param .u64 out, .param .u64 size, .param .u64 keep)\n{\n.reg .pred p, q;\n"
    ".reg .b32 t, v;\n.reg .b64 o, at, m, s, k;\nmov.u32 t, %tid.x;\nld.param.u64 o, [out];\n"
    "ld.param.u64 s, [size];\nld.param.u64 k, [keep];\nmul.wide.u32 at, t, 16;\nadd.s64 o, o, at;\n"
    "{\n.param .b64 p0;\n.param .b64 r0;\nst.param.b64 [p0], s;\ncall.uni (r0), malloc, (p0);\n"
    "ld.param.b64 m, [r0];\n}\nst.global.u64 [o], m;\nsetp.eq.u64 p, m, 0;\n"
    "mov.u32 v, 0;\n@!p st.u32 [m], t;\nbar.sync 0;\n@!p ld.u32 v, [m];\nst.global.u32 [o+8], v;\n"
    "setp.ne.u64 q, k, 0;\n@q bra END;\n{\n.param .b64 p0;\nst.param.b64 [p0], m;\n"
    "call.uni free, (p0);\n}\nEND:\nret;\n}\n";

static void expect_blocks(struct fixture *f, emu_addr out, unsigned threads)
{
    uint64_t words[64][2];
    fixture_download(f, words, out, threads * 16);
    for (unsigned i = 0; i < threads; i++) {
        cr_expect(words[i][0] && words[i][0] % 16 == 0 && (uint32_t)words[i][1] == i,
                  "thread %u: %#lx holds %u", i, (unsigned long)words[i][0], (uint32_t)words[i][1]);
        for (unsigned k = 0; k < i; k++)
            cr_expect(words[k][0] != words[i][0], "threads %u and %u have the same block", k, i);
    }
}

Test(builtin, allocation)
{
    struct fixture f;
    uint64_t words[2];
    fixture_open(&f, NULL);
    fixture_load(&f, allocating_kernel);
    emu_addr out = fixture_upload(&f, NULL, 64 * 16);
    cr_expect(emu_set_limit(f.device, EMU_HEAP, 1 << 20) == EMU_OK);
    cr_expect(emu_get_limit(f.device, EMU_HEAP) == 1 << 20);
    for (unsigned round = 0; round < 100; round++) /* this is 1,600 KB, so free() must work */
        fixture_run(&f, (struct fixture_launch){.block = {64}, .params = {out, 256}});
    expect_blocks(&f, out, 64);
    cr_expect(emu_set_limit(f.device, EMU_HEAP, 2 << 20) == EMU_INVALID_VALUE,
              "the heap is in use");
    /* an allocation that is larger than the heap returns a null pointer, and is no error */
    fixture_run(&f, (struct fixture_launch){.block = {1}, .params = {out, 2 << 20}});
    fixture_download(&f, words, out, sizeof words);
    cr_expect(words[0] == 0);
    fixture_run(&f, (struct fixture_launch){.block = {1}, .params = {out, UINT64_MAX}});
    fixture_download(&f, words, out, sizeof words);
    cr_expect(words[0] == 0);
    /* memory that a kernel does not free stays allocated for later kernels, until the heap is
     * full */
    unsigned launches = 0;
    do {
        fixture_run(&f, (struct fixture_launch){.block = {1}, .params = {out, 1000, 1}});
        fixture_download(&f, words, out, sizeof words);
    } while (words[0] && ++launches < 2000);
    cr_expect(launches > 900 && launches <= 1048, "%u blocks of 1000 bytes in a megabyte",
              launches);
    fixture_close(&f);
}

/* --- the stack ---------------------------------------------------------------------------------- */

static void expect_failed_call(const char *name, const char *ptx, const char *id)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    enum emu_status status = fixture_launch(&f, (struct fixture_launch){.params = {12345}});
    cr_expect(status == EMU_ILLEGAL_ADDRESS, "%s: ended with %d", name, (int)status);
    json_t *line = fixture_record(&f, -1);
    fixture_finding(line, id);
    json_decref(line);
    fixture_close(&f);
}

Test(builtin, calls_that_fail)
{
    expect_failed_call("endless recursion",
                       ".func again()\n{\ncall.uni again;\nret;\n}\n"
                       ".visible .entry k(.param .u64 x)\n{\ncall.uni again;\nret;\n}\n",
                       "stack-overflow");
    expect_failed_call(
        "a pointer that does not point to a function",
        ".func other()\n{\nret;\n}\n.visible .entry k(.param .u64 x)\n{\n.reg .b64 f;\n"
        "ld.param.u64 f, [x];\nproto : .callprototype _ ();\ncall f, (), proto;\nret;\n}\n",
        "bad-call");
}

/* A recursion may be as deep as the stack allows. A larger stack allows a deeper one. */
Test(builtin, stack_limit)
{
    struct fixture f;
    fixture_open(&f, NULL);
    fixture_load(&f, ".func deep(.param .b32 n)\n{\n.local .align 8 .b8 l[112];\n.reg .pred p;\n"
                     ".reg .b32 a;\nld.param.b32 a, [n];\nst.local.u32 [l+108], a;\n"
                     "setp.eq.u32 p, a, 0;\n@p ret;\nsub.u32 a, a, 1;\n{\n.param .b32 x;\n"
                     "st.param.b32 [x], a;\ncall.uni deep, (x);\n}\nret;\n}\n"
                     ".visible .entry k(.param .u64 n)\n{\n.reg .b32 a;\nld.param.u32 a, [n];\n{\n"
                     ".param .b32 x;\nst.param.b32 [x], a;\ncall.uni deep, (x);\n}\nret;\n}\n");
    cr_expect(fixture_launch(&f, (struct fixture_launch){.params = {3}}) == EMU_OK);
    cr_expect(fixture_launch(&f, (struct fixture_launch){.params = {500}}) == EMU_ILLEGAL_ADDRESS);
    cr_expect(emu_set_limit(f.device, EMU_STACK, 128 << 10) == EMU_OK);
    cr_expect(fixture_launch(&f, (struct fixture_launch){.params = {500}}) == EMU_OK, "%s",
              emu_message(f.device));
    cr_expect(emu_set_limit(f.device, EMU_STACK, 1 << 30) == EMU_INVALID_VALUE);
    cr_expect(emu_set_limit(f.device, EMU_STACK, 0) == EMU_INVALID_VALUE);
    fixture_close(&f);
}
