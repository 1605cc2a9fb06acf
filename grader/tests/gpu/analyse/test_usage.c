/* Tests the estimate of a kernel's number of registers. It is computed from the registers that are
 * live at the same time, and from ptxas's rules. test_hardware_occupancy.c tests how accurate the
 * estimates are. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/analyse/usage.h"
#include "tests/support/emulator_fixture.h"

static const struct ptx_function *parse(const char *bounds, const char *body,
                                        struct ptx_module **module)
{
    char ptx[1200], error[200];
    snprintf(ptx, sizeof ptx,
             FIXTURE_PTX ".shared .align 8 .b8 s[64];\n.entry k(.param .u32 n) %s {\n"
                         ".reg .pred p;\n.reg .b32 a, b, c, d, e;\n.reg .b64 x, y, z;\n%s\nret;\n}",
             bounds, body);
    *module = ptx_parse(ptx, strlen(ptx), error, sizeof error);
    cr_assert(*module, "%s\n%s", error, ptx);
    const struct ptx_function *f = (*module)->functions;
    cr_assert(!f->error, "%s\n%s", f->error, ptx);
    return f;
}

#define STORE(register) "st.shared.u32 [s], " #register ";"

static const struct {
    const char *name, *body;
    uint32_t live, hoisted;
} bodies[] = {
    {"nothing", "", 0, 0},
    {"two words", "mov.u32 a, %tid.x; add.u32 b, a, 1; add.u32 c, b, a; " STORE(c), 2, 2},
    {"a result that is never read", "mov.u32 a, %tid.x; add.u32 b, a, 1;", 1, 1},
    {"two of 64 bits",
     "mov.u64 x, %clock64; add.u64 y, x, 1; add.u64 z, x, y; st.shared.u64 [s], z;", 4, 4},
    {"a predicate", "mov.u32 a, %tid.x; setp.eq.u32 p, a, 0; @p add.u32 a, a, 1; " STORE(a), 1, 1},
    {"a guarded result keeps the old value live",
     "mov.u32 b, %tid.x; mov.u32 a, %tid.x; setp.eq.u32 p, a, 0; @p mov.u32 b, 1; " STORE(b), 2, 2},
    {"values that all threads share",
     "ld.param.u32 a, [n]; mov.u32 b, %ctaid.x; mul.lo.u32 c, a, b; mov.u32 d, %tid.x; "
     "add.u32 e, c, d; " STORE(e),
     1, 1},
    {"loads move up",
     "mov.u32 a, %tid.x; ld.shared.u32 b, [s]; add.u32 c, a, b; ld.shared.u32 d, [s+4]; "
     "add.u32 e, c, d; " STORE(e),
     2, 3},
    {"loads stay below a barrier",
     "mov.u32 a, %tid.x; ld.shared.u32 b, [s]; add.u32 c, a, b; bar.sync 0; "
     "ld.shared.u32 d, [s+4]; add.u32 e, c, d; " STORE(e),
     2, 2},
    {"a loop",
     "mov.u32 a, %tid.x; mov.u32 b, %tid.y; mov.u32 c, %tid.z; L: add.u32 a, a, b; "
     "setp.lt.u32 p, a, 100; @p bra L; add.u32 a, a, c; " STORE(a),
     3, 3},
    {"a value needed on one side only",
     "mov.u32 a, %tid.x; mov.u32 b, %tid.y; setp.eq.u32 p, a, b; @p bra L; " STORE(
         a) " ret; L: "
            "mov.u32 c, %tid.z; " STORE(c) " add.u32 c, c, 1; " STORE(c),
     2, 2},
};

Test(usage, live_values)
{
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct ptx_module *module;
        struct usage usage;
        cr_assert(analyse_usage(parse("", bodies[i].body, &module), &usage));
        cr_expect(usage.live == bodies[i].live && usage.hoisted == bodies[i].hoisted,
                  "%s: %u registers live, and %u with loads moved up; want %u and %u",
                  bodies[i].name, usage.live, usage.hoisted, bodies[i].live, bodies[i].hoisted);
        ptx_free(module);
    }
}

static const struct {
    const char *bounds;
    uint32_t limit;
} limits[] = {
    {"", 255},
    {".maxntid 1024, 1, 1", 64},
    {".maxntid 256", 255},
    {".maxntid 256, 1, 1 .minnctapersm 4", 64},
    {".reqntid 16, 16, 4 .minnctapersm 2", 32},
    {".maxntid 1000 .minnctapersm 1 .maxnreg 40", 40},
    {".maxnreg 999", 255},
    {".maxntid 1024 .minnctapersm 32", 64}, /* this is impossible, so ptxas ignores it */
};

Test(usage, bounds)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct ptx_module *module;
        uint32_t limit = usage_limit(parse(limits[i].bounds, "", &module));
        cr_expect(limit == limits[i].limit, "'%s': %u registers, want %u", limits[i].bounds, limit,
                  limits[i].limit);
        ptx_free(module);
    }
}

Test(usage, registers)
{
    struct usage usage = {.live = 20, .hoisted = 60, .instructions = 500};
    cr_expect(usage_registers(&(struct usage){0}) == 8, "an empty kernel");
    cr_expect(usage_registers(&usage) == 32, "up to 32 registers cost no occupancy");
    usage.live = 1000;
    cr_expect(usage_registers(&usage) == USAGE_MOST, "no more than a thread can have");
    usage = (struct usage){.live = 2, .calls = true};
    cr_expect(usage_registers(&usage) == 24, "a kernel with calls keeps registers for the callee");
}
