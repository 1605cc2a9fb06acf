/* Tests values that are known before a kernel starts (execute/fixed.c), and sequences of
 * instructions that are counted together, called stretches (execute/stretch.c). Neither may change
 * results or counts. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

static struct fixture f;

static void open_fixture(void)
{
    fixture_open(&f, NULL);
}

static void close_fixture(void)
{
    fixture_close(&f);
}

TestSuite(fixed, .init = open_fixture, .fini = close_fixture);

#define GRID    3u
#define WIDTH   16u /* width of a block; its height is 4, so it has two warps */
#define THREADS (4 * WIDTH)

/* A kernel in which each thread stores %v. Its second parameter is N below. */
#define KERNEL(body)                                                                               \
    ".visible .entry k(.param .u64 out, .param .u64 n)\n{\n.reg .b32 %v, %a, %b, %x, %y;\n"        \
    ".reg .b64 %p, %q, %d;\n.reg .pred %t;\n" body                                                 \
    "\nmov.u32 %x, %tid.x; mov.u32 %y, %tid.y; mad.lo.u32 %x, %y, 16, %x;\n"                       \
    "mov.u32 %y, %ctaid.x; mad.lo.u32 %x, %y, 64, %x;\n"                                           \
    "ld.param.u64 %p, [out]; cvta.to.global.u64 %q, %p; mad.wide.u32 %d, %x, 4, %q;\n"             \
    "st.global.u32 [%d], %v; ret;\n}\n"

/* A kernel that computes %f, whose lower half is stored. %a is the thread's number in its block, in
 * a register of its own, and %g is 5. */
#define PRODUCT(body)                                                                              \
    KERNEL("{.reg .b64 %e, %f, %g; mov.u32 %a, %tid.y; mov.u32 %b, %tid.x;"                        \
           "mad.lo.u32 %a, %a, 16, %b; ld.param.u64 %g, [n]; and.b64 %g, %g, 0xffffffff;\n" body   \
           " cvt.u32.u64 %v, %f;}")

/* A kernel, and the value that thread T (0-63) of block C stores if N is 0x700000005. */
static const struct row {
    const char *name, *ptx;
    uint32_t constant, by_thread, by_block; /* constant + T * by_thread + C * by_block */
} rows[] = {
    /* products and the sums that use them (execute/fuse.c) */
    {"a product in a sum", PRODUCT("mul.wide.u32 %e, %a, 4; add.u64 %f, %e, %g;"), 5, 4, 0},
    {"a signed product in a sum", PRODUCT("mul.wide.s32 %e, %a, 8; add.s64 %f, %g, %e;"), 5, 8, 0},
    {"a product of a number that is no power of two",
     PRODUCT("mul.wide.s32 %e, %a, 12; add.s64 %f, %g, %e;"), 5, 12, 0},
    {"a product of a negative number",
     PRODUCT("neg.s32 %a, %a; mul.wide.s32 %e, %a, 16; add.s64 %f, %g, %e;"), 5, 0u - 16, 0},
    {"a product by a negative number", PRODUCT("mul.wide.s32 %e, %a, -4; add.s64 %f, %g, %e;"), 5,
     0u - 4, 0},
    {"a product that two sums read",
     PRODUCT("mul.wide.u32 %e, %a, 4; add.u64 %f, %e, %g; add.u64 %f, %f, %e;"), 5, 8, 0},
    {"a product added to itself", PRODUCT("mul.wide.u32 %e, %a, 4; add.u64 %f, %e, %e;"), 0, 8, 0},
    {"a sum that replaces its other source",
     PRODUCT("mov.u64 %f, %g; mul.wide.u32 %e, %a, 2; add.u64 %f, %f, %e;"), 5, 2, 0},
    {"a product before a loop, of a number that the loop changes",
     PRODUCT("mov.u64 %f, 0; mov.u32 %b, 0; mul.wide.u32 %e, %a, 4;\nL: add.u64 %f, %f, %e;"
             "add.u32 %a, %a, 1; add.u32 %b, %b, 1; setp.lt.u32 %t, %b, 3; @%t bra L;"),
     0, 12, 0},
    {"a product under a guard",
     PRODUCT("mov.u64 %e, 1; mul.wide.u32 %e, %a, 4; setp.eq.u32 %t, %a, 99;"
             "@!%t add.u64 %f, %g, %e;"),
     5, 4, 0},
    {"a parameter", KERNEL("ld.param.u32 %v, [n];"), 5, 0, 0},
    {"both halves of a parameter",
     KERNEL("ld.param.u32 %a, [n+4]; ld.param.u32 %b, [n]; sub.u32 %v, %a, %b;"), 2, 0, 0},
    {"a whole parameter", KERNEL("ld.param.u64 %d, [n]; shr.u64 %d, %d, 32; cvt.u32.u64 %v, %d;"),
     7, 0, 0},
    {"written twice", KERNEL("mov.u32 %v, 9; mov.u32 %v, %tid.x; mov.u32 %v, 1;"), 1, 0, 0},
    {"written again under a guard",
     KERNEL("mov.u32 %v, 9; setp.eq.u32 %t, %v, 9; @%t mov.u32 %v, 4;"), 4, 0, 0},
    {"under a guard alone", KERNEL("mov.u32 %a, 9; setp.ne.u32 %t, %a, 9; @%t mov.u32 %v, 4;"), 0,
     0, 0},
    {"never written", KERNEL(""), 0, 0, 0},
    {"the block's number", KERNEL("mov.u32 %v, %ctaid.x;"), 0, 0, 1},
    {"the number in the block",
     KERNEL("mov.u32 %a, %tid.y; mov.u32 %b, %tid.x; mad.lo.u32 %v, %a, 16, %b;"), 0, 1, 0},
    {"sizes of the launch",
     KERNEL("mov.u32 %a, %nctaid.x; mov.u32 %b, %ntid.x; add.u32 %v, %a, %b;"), GRID + WIDTH, 0, 0},
    {"moved several times", KERNEL("mov.u32 %a, 6; mov.b32 %b, %a; mov.u32 %v, %b;"), 6, 0, 0},
    {"a copy from before the change",
     KERNEL(
         "mov.u32 %v, 0; mov.u32 %a, 0;\nL: mov.u32 %b, %a; add.u32 %a, %a, 1; add.u32 %v, %v, %b;"
         "setp.lt.u32 %t, %a, 5; @%t bra L;"),
     10, 0, 0},
    {"set on one side of a branch",
     KERNEL("mov.u32 %a, %tid.x; mov.u32 %v, 3; setp.lt.u32 %t, %a, 99; @%t bra L;\nmov.u32 %b, 8;"
            "mov.u32 %v, %b;\nL:"),
     3, 0, 0},
    {"computed from a parameter",
     KERNEL("ld.param.u32 %a, [n]; {.reg .b64 %e; mul.wide.u32 %e, %a, 3; cvt.u32.u64 %b, %e;}"
            "shl.b32 %v, %b, 2;"),
     60, 0, 0},
    {"computed from the block's number",
     KERNEL("mov.u32 %a, %ctaid.x; mul.lo.u32 %b, %a, 7; add.u32 %v, %b, 2;"), 2, 0, 7},
    {"computed from the thread's numbers",
     KERNEL("mov.u32 %a, %tid.y; mov.u32 %b, %tid.x; mad.lo.u32 %a, %a, 16, %b;\n"
            "{.reg .b32 %e, %f; mov.u32 %e, %tid.y; shl.b32 %f, %e, 4; add.u32 %v, %f, %b;}"),
     0, 1, 0},
    {"computed from both",
     KERNEL("{.reg .b32 %e, %f, %g, %h; mov.u32 %e, %tid.y; shl.b32 %f, %e, 4; mov.u32 %g, %tid.x;"
            "add.u32 %h, %f, %g; mov.u32 %a, %ctaid.x; mul.lo.u32 %b, %a, 5; add.u32 %v, %h, %b;}"),
     0, 1, 5},
    {"read by an instruction without a result",
     KERNEL("mov.u32 %a, %tid.x; shl.b32 %b, %a, 1; nanosleep.u32 %a; shr.u32 %v, %b, 9;"), 0, 0,
     0},
    {"computed under a guard",
     KERNEL("mov.u32 %a, 9; setp.ne.u32 %t, %a, 9; @%t add.u32 %v, 1, 2;"), 0, 0, 0},
    {"computed in a loop",
     KERNEL(
         "mov.u32 %v, 0; mov.u32 %b, 0;\nL: mov.u32 %a, %ctaid.x; add.u32 %b, %b, 1;"
         "{.reg .b32 %e; shl.b32 %e, %a, 1; add.u32 %v, %v, %e;} setp.lt.u32 %t, %b, 4; @%t bra L;"),
     0, 0, 8},
};

static void check(const struct row *row, emu_addr out)
{
    uint32_t got[GRID * THREADS];
    fixture_download(&f, got, out, sizeof got);
    for (uint32_t i = 0; i < GRID * THREADS; i++) {
        uint32_t want = row->constant + i % THREADS * row->by_thread + i / THREADS * row->by_block;
        cr_expect(got[i] == want, "%s: thread %u has %u, want %u", row->name, i, got[i], want);
    }
}

Test(fixed, values)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        emu_addr out = fixture_upload(&f, NULL, GRID * THREADS * sizeof(uint32_t));
        fixture_load(&f, rows[i].ptx);
        fixture_run(&f, (struct fixture_launch){
                            .grid = {GRID}, .block = {WIDTH, 4}, .params = {out, 0x700000005u}});
        check(&rows[i], out);
    }
}

Test(fixed, each_launch_has_its_own_parameters)
{
    emu_addr out = fixture_upload(&f, NULL, GRID * THREADS * sizeof(uint32_t));
    fixture_load(&f, KERNEL("ld.param.u32 %a, [n]; add.u32 %v, %a, %a;"));
    for (uint32_t n = 1; n < 4; n++) {
        fixture_run(
            &f, (struct fixture_launch){.grid = {GRID}, .block = {WIDTH, 4}, .params = {out, n}});
        check(&(struct row){.name = "launched again", .constant = 2 * n}, out);
    }
}

/* A long loop of five instructions. Three of them form a stretch, two of which need no execution.
 * The loop has so many rounds that time slices end at every place in it. */
Test(fixed, skipped_instructions_are_counted)
{
    enum { TURNS = 40000, BEFORE = 1, AFTER = 10 };
    struct emu_counters counters;
    emu_addr out = fixture_upload(&f, NULL, GRID * THREADS * sizeof(uint32_t));
    fixture_load(&f,
                 KERNEL("mov.u32 %v, 0;\nL: mov.u32 %a, 1; add.u32 %v, %v, %a; mov.u32 %b, 40000;"
                        "setp.lt.u32 %t, %v, %b; @%t bra L;"));
    fixture_run(
        &f, (struct fixture_launch){.block = {WIDTH, 4}, .params = {out}, .counters = &counters});
    uint64_t each = BEFORE + 5 * TURNS + AFTER, warps = THREADS / 32;
    cr_expect_eq(counters.value[EMU_warp_instructions], warps * each);
    cr_expect_eq(counters.value[EMU_thread_instructions], THREADS * each);
    cr_expect_eq(counters.value[EMU_branches], warps * TURNS);
    cr_expect_eq(counters.value[EMU_longest_warp_instructions], each);
    cr_expect_eq(fixture_word(&f, out, 0), TURNS);
}
