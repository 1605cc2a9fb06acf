/* Tests kernels that launch kernels. The PTX is a hand-written version of the code that nvcc
 * generates for <<<...>>> in a kernel. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

/* The registers for a launch in a kernel, and the code that launches KERNEL(out, number) with GRID
 * blocks of BLOCK threads in STREAM. Afterwards %r is the launch's error code, or 7 if there was no
 * parameter buffer. */
#define REGISTERS                                                                                  \
    ".reg .pred p, q;\n.reg .b32 t, n, m, r;\n.reg .b64 o, a, f, b;\nmov.u32 t, %%tid.x;\n"        \
    "ld.param.u64 o, [out];\nld.param.u64 a, [number];\ncvt.u32.u64 n, a;\n"                       \
    "setp.eq.u32 p, t, 0;\n@!p ret;\n"
#define LAUNCH(kernel, number, grid, block, stream)                                                \
    "mov.u64 f, " kernel ";\nmov.u32 r, 7;\nmov.u32 m, " number ";\n{\n.param .b64 x;\n"           \
    ".param .align 4 .b8 y[12];\n.param .align 4 .b8 z[12];\n.param .b32 w;\n.param .b64 v;\n"     \
    "st.param.b64 [x], f;\nst.param.b32 [y], " grid ";\nst.param.b32 [y+4], 1;\n"                  \
    "st.param.b32 [y+8], 1;\nst.param.b32 [z], " block ";\nst.param.b32 [z+4], 1;\n"               \
    "st.param.b32 [z+8], 1;\nst.param.b32 [w], 0;\n"                                               \
    "call.uni (v), __cudaCDP2GetParameterBufferV2, (x, y, z, w);\nld.param.b64 b, [v];\n}\n"       \
    "setp.ne.u64 q, b, 0;\ncvt.u64.u32 a, m;\n@q st.u64 [b], o;\n@q st.u64 [b+8], a;\n{\n"         \
    ".param .b64 x;\n.param .b64 y;\n.param .b32 v;\nst.param.b64 [x], b;\n"                       \
    "st.param.b64 [y], " stream ";\ncall.uni (v), __cudaCDP2LaunchDeviceV2, (x, y);\n"             \
    "ld.param.b32 t, [v];\nselp.b32 r, t, r, q;\n}\n"

/* Calls a function of the runtime with two, one or no arguments. Stores its error code AT bytes
 * after the start of the output. a is the generic address of the local variable `place`. */
#define PLACE                                                                                      \
    ".local .align 8 .b8 place[8];\n.reg .b64 c;\nmov.u64 a, place;\ncvta.local.u64 a, a;\n"
#define CALL2(at, name, x, type, y)                                                                \
    "{\n.param .b64 x;\n.param ." type " y;\n.param .b32 v;\nst.param.b64 [x], " x                 \
    ";\nst.param." type " [y], " y ";\ncall.uni (v), __cudaCDP2" name                              \
    ", (x, y);\nld.param.b32 t, [v];\n}\nst.global.u32 [o+" at "], t;\n"
#define CALL1(at, name, x)                                                                         \
    "{\n.param .b64 x;\n.param .b32 v;\nst.param.b64 [x], " x ";\ncall.uni (v), __cudaCDP2" name   \
    ", (x);\nld.param.b32 t, [v];\n}\nst.global.u32 [o+" at "], t;\n"
#define CALL0(at, name)                                                                            \
    "{\n.param .b32 v;\ncall.uni (v), __cudaCDP2" name                                             \
    ", ();\nld.param.b32 t, [v];\n}\nst.global.u32 [o+" at "], t;\n"

static const char externs[] =
    ".extern .func (.param .b32 v) __cudaCDP2Malloc (.param .b64 x, .param .b64 y);\n"
    ".extern .func (.param .b32 v) __cudaCDP2Free (.param .b64 x);\n"
    ".extern .func (.param .b32 v) __cudaCDP2StreamCreateWithFlags (.param .b64 x, .param .b32 y);\n"
    ".extern .func (.param .b32 v) __cudaCDP2StreamDestroy (.param .b64 x);\n"
    ".extern .func (.param .b32 v) __cudaCDP2EventCreateWithFlags (.param .b64 x, .param .b32 y);\n"
    ".extern .func (.param .b32 v) __cudaCDP2EventRecord (.param .b64 x, .param .b64 y);\n"
    ".extern .func (.param .b32 v) __cudaCDP2EventDestroy (.param .b64 x);\n"
    ".extern .func (.param .b32 v) __cudaCDP2GetDevice (.param .b64 x);\n"
    ".extern .func (.param .b32 v) __cudaCDP2GetDeviceCount (.param .b64 x);\n"
    ".extern .func (.param .b32 v) __cudaCDP2GetLastError ();\n"
    ".extern .func (.param .b32 v) __cudaCDP2PeekAtLastError ();\n"
    ".extern .func (.param .b64 v) __cudaCDP2GetParameterBufferV2 (.param .b64 x, "
    ".param .align 4 .b8 y[12], .param .align 4 .b8 z[12], .param .b32 w);\n"
    ".extern .func (.param .b32 v) __cudaCDP2LaunchDeviceV2 (.param .b64 x, .param .b64 y);\n"
    /* writes its number to the next unused place; out[0] counts the numbers */
    ".visible .entry note(.param .u64 out, .param .u64 number)\n{\n.reg .b32 i, n;\n"
    ".reg .b64 o, a;\nld.param.u64 o, [out];\nld.param.u64 a, [number];\ncvt.u32.u64 n, a;\n"
    "atom.global.add.u32 i, [o], 1;\nmul.wide.u32 a, i, 4;\nadd.s64 o, o, a;\n"
    "st.global.u32 [o+4], n;\nret;\n}\n";

/* Opens a device with the kernels above and a kernel K that contains BODY. */
static void open_with(struct fixture *f, const char *body)
{
    char *ptx;
    fixture_open(f, NULL);
    cr_assert(asprintf(&ptx,
                       "%s.visible .entry k(.param .u64 out, .param .u64 number)\n{\n%sret;\n}\n",
                       externs, body) > 0);
    for (char *percent = ptx; (percent = strstr(percent, "%%")); percent++)
        memmove(percent, percent + 1, strlen(percent));
    fixture_load(f, ptx);
    free(ptx);
}

/* Grids run in stream order: each grid is followed by the grids that it launches, and tail launches
 * come last. */
Test(child, grids_run_in_their_order)
{
    static const uint32_t order[] = {5, 5, 6, 7, 6, 9};
    struct fixture f;
    char *body;
    cr_assert(asprintf(&body, "%ssetp.gt.u32 q, n, 0;\n@q bra inner;\n%s%s%s%sret;\ninner:\n%s",
                       REGISTERS, LAUNCH("note", "9", "1", "1", "3"),
                       LAUNCH("note", "5", "2", "1", "0"), LAUNCH("k", "6", "1", "32", "0"),
                       LAUNCH("note", "6", "1", "1", "4"),
                       LAUNCH("note", "n", "1", "1", "0") LAUNCH("note", "7", "1", "1", "0")) > 0);
    open_with(&f, body);
    emu_addr out = fixture_upload(&f, NULL, 64);
    fixture_run(&f, (struct fixture_launch){.params = {out, 0}});
    cr_expect_eq(fixture_word(&f, out, 0), 6);
    for (unsigned i = 0; i < 6; i++)
        cr_expect(fixture_word(&f, out, i + 1) == order[i], "%u: %u", i,
                  fixture_word(&f, out, i + 1));
    fixture_close(&f);
    free(body);
}

/* Every grid is in the record, as if the host had launched it. */
Test(child, grids_are_recorded)
{
    struct fixture f;
    size_t lines = 0;
    open_with(&f, REGISTERS LAUNCH("note", "1", "3", "32", "0") LAUNCH("note", "1", "1", "1", "0"));
    emu_addr out = fixture_upload(&f, NULL, 1024);
    struct emu_counters counters;
    fixture_run(&f, (struct fixture_launch){.params = {out, 0}, .counters = &counters});
    char *record = fixture_record_text(&f);
    for (const char *at = record; (at = strchr(at, '\n')); at++)
        lines++;
    cr_expect(lines == 3, "%zu lines: %s", lines, record);
    cr_expect(fixture_word(&f, out, 0) == 97);
    free(record);
    fixture_close(&f);
}

static const struct {
    const char *name, *body;
    uint32_t result; /* the CUDA runtime's error code, or 7 if there was no buffer */
} refusals[] = {
    {"no kernel", REGISTERS LAUNCH("0", "1", "1", "1", "0"), 7},
    {"a stream of the host's", REGISTERS LAUNCH("note", "1", "1", "1", "77"), 400},
    {"a good one", REGISTERS LAUNCH("note", "1", "1", "1", "0"), 0},
};

Test(child, refusals_have_their_codes)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct fixture f;
        char body[4000];
        snprintf(body, sizeof body, "%sst.global.u32 [o+40], r;\n", refusals[i].body);
        open_with(&f, body);
        emu_addr out = fixture_upload(&f, NULL, 64);
        fixture_run(&f, (struct fixture_launch){.params = {out, 0}});
        cr_expect(fixture_word(&f, out, 10) == refusals[i].result, "%s: %u", refusals[i].name,
                  fixture_word(&f, out, 10));
        cr_expect(fixture_word(&f, out, 0) == (refusals[i].result ? 0 : 1), "%s", refusals[i].name);
        fixture_close(&f);
    }
}

/* Runs a kernel with BODY, and compares the words that begin at `out`. */
static void expect_words(const char *body, const uint32_t *right, unsigned count)
{
    struct fixture f;
    open_with(&f, body);
    emu_addr out = fixture_upload(&f, NULL, 256);
    fixture_run(&f, (struct fixture_launch){.params = {out, 0}});
    for (unsigned i = 0; i < count; i++)
        cr_expect(fixture_word(&f, out, i) == right[i], "word %u: %u", i, fixture_word(&f, out, i));
    fixture_close(&f);
}

/* clang-format off: one step in each line */
static const char memory_steps[] = REGISTERS PLACE CALL2(
    "0", "Malloc", "a", "b64",
    "100") "ld.local.u64 b, [place];\nmov.u32 m, 44;\nst.u32 [b+96], m;\nld.u32 m, [b+96];\n"
           "st.global.u32 [o+4], m;\n" CALL1("8", "Free", "b")
               CALL2("12", "Malloc", "a", "b64", "1099511627776")
                   CALL2("16", "Malloc", "a", "b64", "0") "ld.local.u64 b, [place];\n" CALL1(
                       "20", "Free", "b") CALL1("24", "GetDevice", "a")
                       CALL1("28", "GetDeviceCount",
                             "a") "ld.local.u32 m, [place];\nst.global.u32 [o+32], m;\n";

static const char stream_steps[] = REGISTERS PLACE CALL2(
    "0", "StreamCreateWithFlags", "a", "b32",
    "0") CALL0("4", "PeekAtLastError") CALL0("8", "GetLastError") CALL0("12", "GetLastError")
    CALL2("16", "StreamCreateWithFlags", "a", "b32", "1") "ld.local.u64 c, [place];\n" LAUNCH(
        "note", "5", "1", "1",
        "c") "st.global.u32 [o+20], r;\nmov.u64 a, place;\ncvta.local.u64 a, a;\n" CALL2("24",
                                                                                         "EventCreateWithFlags",
                                                                                         "a", "b32",
                                                                                         "0")
        CALL2("28", "EventCreateWithFlags", "a", "b32", "2") "ld.local.u64 b, [place];\n" CALL2(
            "32", "EventRecord", "b", "b64",
            "c") CALL2("36", "EventRecord", "c", "b64",
                       "c") CALL1("40", "EventDestroy", "b") CALL1("44", "StreamDestroy", "b")
            CALL1("48", "StreamDestroy", "c") "mov.u32 t, 0;\nst.global.u32 [o+52], t;\n" LAUNCH(
                "note", "6", "1", "1", "c") "st.global.u32 [o+56], r;\n" CALL0("60",
                                                                               "GetLastError");
/* clang-format on */

Test(child, kernels_allocate_memory)
{
    static const uint32_t right[] = {0, 44, 0, 2, 0, 0, 0, 0, 1};
    expect_words(memory_steps, right, 9);
}

/* Streams and events must exist and have the right flags. An error stays until the kernel reads it.
 * The successful launch increments word 0, and stores its number 5 in word 2. */
Test(child, kernels_create_streams)
{
    static const uint32_t right[] = {2, 1, 5, 0, 0, 0, 1, 0, 0, 400, 0, 400, 0, 0, 400, 400};
    expect_words(stream_steps, right, 16);
}

/* A kernel that launches itself without end stops at the depth at which a GPU refuses the
 * launch. */
Test(child, endless_descent_ends)
{
    struct fixture f;
    open_with(&f, REGISTERS "atom.global.add.u32 n, [o], 1;\n" LAUNCH(
                      "k", "1", "1", "1", "0") "st.global.u32 [o+4], r;\n");
    emu_addr out = fixture_upload(&f, NULL, 64);
    fixture_run(&f, (struct fixture_launch){.params = {out, 0}});
    cr_expect(fixture_word(&f, out, 0) == 25, "%u grids", fixture_word(&f, out, 0));
    cr_expect(fixture_word(&f, out, 1) == 65, "error %u", fixture_word(&f, out, 1));
    fixture_close(&f);
}

/* The grid's shape is checked only when the grid starts, so it is the host's launch that fails. */
Test(child, an_impossible_grid_fails_the_launch)
{
    struct fixture f;
    open_with(&f, REGISTERS LAUNCH("note", "1", "1", "2000", "0"));
    emu_addr out = fixture_upload(&f, NULL, 64);
    enum emu_status status = fixture_launch(&f, (struct fixture_launch){.params = {out, 0}});
    cr_expect(status == EMU_INVALID_CONFIG && strstr(emu_message(f.device), "2000 x 1 x 1"), "%s",
              emu_message(f.device));
    fixture_close(&f);
}
