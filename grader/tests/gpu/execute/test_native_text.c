/* What of a kernel is translated: the text that its compiler gets. */
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tests/support/emulator_fixture.h"

static atomic_bool was_asked, has_loop, loads;
static atomic_uint fetched; /* registers, at all entries together */

/* Only reads: none of these tests needs the library. */
static void *read_text(const char *text, size_t size, const char *name, void **library)
{
    const char *kernel = memmem(text, size, "LANES_FUNCTION image_0", 22);
    const char *end = kernel ? strstr(kernel, "default:") : NULL;
    cr_expect_str_eq(name, "native_enter");
    atomic_store(&has_loop, kernel && strstr(kernel, "row_xor_b32(lanes"));
    atomic_store(&loads, kernel && strstr(kernel, "load_again_u32_u32("));
    for (const char *at = kernel; at && end && (at = strstr(at, "copy_u32(")) && at < end; at++)
        atomic_fetch_add(&fetched, 1);
    atomic_store(&was_asked, true);
    *library = NULL;
    return NULL;
}

static void unload(void *library)
{
    (void)library;
}

#define ADDS "add.u32 a, a, 3;\nxor.b32 a, a, i;\nadd.u32 a, a, i;\nshr.u32 a, a, 1;\n"

static void run_until_asked(const char *ptx)
{
    static const struct emu_compiler compiler = {read_text, unload};
    struct fixture fixture;
    fixture_open(&fixture, &(struct emu_options){.workers = 1, .compiler = &compiler});
    fixture_load(&fixture, ptx);
    for (int launch = 0; launch < 200 && !atomic_load(&was_asked); launch++)
        fixture_run(&fixture, (struct fixture_launch){.grid = {64}, .block = {64}});
    for (int i = 0; i < 500 && !atomic_load(&was_asked); i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    fixture_close(&fixture);
}

#define LOOP                                                                                       \
    "ROUND:\n" ADDS ADDS ADDS ADDS ADDS ADDS                                                       \
    "add.u32 i, i, 1;\nsetp.lt.u32 p, i, 100;\n@p bra ROUND;\n"

static void expect_loop(const char *ptx)
{
    run_until_asked(ptx);
    cr_expect(atomic_load(&was_asked) && atomic_load(&has_loop), "asked: %d, with the loop: %d",
              (int)atomic_load(&was_asked), (int)atomic_load(&has_loop));
}

/* Each launch is too short to be worth it, and so are those that make it worth a look; what is behind a barrier, a warp's
 * first turn does not show. */
Test(native_text, short_launches_are_translated_behind_their_barriers)
{
    expect_loop(".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 i, a;\n"
                "mov.u32 a, %tid.x;\nmov.u32 i, 0;\nbar.sync 0;\n" LOOP "ret;\n}\n");
}

/* The first block of each launch has nothing to do, as those at the edge of a field. */
Test(native_text, first_blocks_do_not_stand_for_all)
{
    expect_loop(".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 i, a;\n"
                "mov.u32 a, %ctaid.x;\nsetp.eq.u32 p, a, 0;\n@p ret;\n"
                "mov.u32 i, 0;\n" LOOP "ret;\n}\n");
}

/* Every second launch does little, and something else: it is never the one that makes the kernel worth a translation. */
Test(native_text, one_launch_does_not_stand_for_all)
{
    expect_loop(".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 i, a;\n.reg .b64 n;\n"
                "mov.u32 a, %tid.x;\nmov.u32 i, 0;\nmov.u64 n, %gridid;\nand.b64 n, n, 1;\n"
                "setp.eq.u64 p, n, 0;\n@p bra LONG;\n" LOOP "ret;\nLONG:\n"
                "add.u32 a, a, i;\nshr.u32 a, a, 1;\nadd.u32 i, i, 1;\n"
                "setp.lt.u32 p, i, 20000;\n@p bra LONG;\nret;\n}\n");
}

#define KEPT(use) use(0) use(1) use(2) use(3) use(4) use(5) use(6) use(7)
#define SET(n)    "add.u32 r" #n ", a, " #n ";\n"
#define ADD(n)    "add.u32 a, a, r" #n ";\n"

/* Eight registers wait while the loop between two barriers runs: it is entered with its own two alone, at its beginning and
 * behind the barrier, and what is behind it with all but one. */
Test(native_text, what_waits_stays_in_the_frame)
{
    expect_loop(".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 i, a, r<8>;\n"
                ".shared .b32 s[64];\nmov.u32 a, %tid.x;\nmov.u32 i, 0;\n" KEPT(
                    SET) "bar.sync 0;\n" LOOP
                         "bar.sync 0;\n" KEPT(ADD) "st.shared.u32 [s], a;\nret;\n}\n");
    cr_expect_leq(atomic_load(&fetched), 2 + 2 + 9, "%u registers", atomic_load(&fetched));
    cr_expect_geq(atomic_load(&fetched), 9, "%u registers", atomic_load(&fetched));
}

/* A place that the instruction names is an address like any other. */
Test(native_text, loads_from_named_places_are_translated)
{
    run_until_asked(
        ".visible .entry k()\n{\n.reg .pred p;\n.reg .b32 i, a, b;\n"
        ".shared .b32 s[64];\nmov.u32 a, %tid.x;\nmov.u32 i, 0;\n"
        "st.shared.u32 [s+4], 7;\nROUND:\nld.shared.u32 b, [s+4];\nadd.u32 a, a, b;\n" ADDS ADDS
            ADDS ADDS "add.u32 i, i, 1;\nsetp.lt.u32 p, i, 100;\n@p bra ROUND;\n"
        "st.shared.u32 [s], a;\nret;\n}\n");
    cr_expect(atomic_load(&was_asked) && atomic_load(&loads));
}
