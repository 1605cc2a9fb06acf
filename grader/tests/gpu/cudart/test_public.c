/* Tests features that public CUDA programs turned out to need. Each test has as few lines of PTX as
 * possible. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"

#define LANES 32u

/* Scans of bits call ballot with the mask of the lower lanes. Each lane gets the votes of the lanes
 * in its own mask. */
Test(public, ballot_of_the_lanes_below)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".visible .entry k(.param .u64 out)\n{\n.reg .pred p, q;\n.reg .b64 o, at;\n"
                 ".reg .b32 t, a, b, m;\nmov.u32 t, %laneid;\nmov.u32 m, %lanemask_lt;\n"
                 "ld.param.u64 o, [out];\nmul.wide.u32 at, t, 8;\nadd.s64 o, o, at;\n"
                 "and.b32 a, t, 2;\nsetp.ne.u32 p, a, 0;\nvote.sync.ballot.b32 a, p, m;\n"
                 "vote.sync.any.pred q, p, m;\nselp.u32 b, 1, 0, q;\n"
                 "st.global.v2.u32 [o], {a, b};\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 8 * LANES);
    fixture_run(&fixture, (struct fixture_launch){.params = {out}});
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t votes = 0xccccccccu & ((1u << lane) - 1);
        uint32_t got = fixture_word(&fixture, out, 2 * lane);
        uint32_t any = fixture_word(&fixture, out, 2 * lane + 1);
        cr_expect(got == votes, "ballot, lane %u: got %#x, want %#x", lane, got, votes);
        cr_expect(any == (votes != 0), "any, lane %u: got %u", lane, any);
    }
    fixture_close(&fixture);
}

/* Kernels from sorting templates have very long names. The message must still contain the
 * reason. */
Test(public, refusal_of_a_kernel_with_an_endless_name)
{
    struct fixture fixture;
    char name[1500], ptx[2 * sizeof name];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(ptx, sizeof ptx, ".visible .entry %s()\n{\nfrobnicate.b32 a;\nret;\n}\n", name);
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    const char *why = fixture_refusal(&fixture, name);
    cr_expect(strstr(why, "nnn...'") && strstr(why, "frobnicate"), "the message is '%s'", why);
    fixture_close(&fixture);
}

/* Later CTAs reuse the state of earlier CTAs, so every special register must be set again. */
Test(public, specials_of_every_cta)
{
    struct fixture fixture;
    uint32_t count = 7 * 5 * 3, threads = 40;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".visible .entry k(.param .u64 out)\n{\n.reg .b64 o, at;\n.reg .b32 a, b, c, t;\n"
                 "ld.param.u64 o, [out];\nmov.u32 a, %ctaid.z;\nmov.u32 b, %nctaid.y;\n"
                 "mov.u32 c, %ctaid.y;\nmad.lo.u32 a, a, b, c;\nmov.u32 b, %nctaid.x;\n"
                 "mov.u32 c, %ctaid.x;\nmad.lo.u32 a, a, b, c;\nmov.u32 b, %ntid.y;\n"
                 "mov.u32 c, %tid.y;\nmad.lo.u32 t, a, b, c;\nmov.u32 b, %ntid.x;\n"
                 "mov.u32 c, %tid.x;\nmad.lo.u32 t, t, b, c;\nmul.wide.u32 at, t, 8;\n"
                 "add.s64 o, o, at;\nmov.u32 b, %smid;\nst.global.v2.u32 [o], {t, b};\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 8 * count * threads);
    fixture_run(&fixture,
                (struct fixture_launch){.grid = {7, 5, 3}, .block = {10, 4}, .params = {out}});
    for (uint32_t t = 0; t < count * threads; t++) {
        uint32_t got = fixture_word(&fixture, out, 2 * t), smid = t / threads % 132;
        uint32_t on = fixture_word(&fixture, out, 2 * t + 1);
        cr_expect(got == t && on == smid, "thread %u: got %u on multiprocessor %u, want %u", t, got,
                  on, smid);
    }
    fixture_close(&fixture);
}

/* A predicated ld.param must not change the registers of inactive lanes. */
Test(public, parameter_in_some_lanes)
{
    struct fixture fixture;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".visible .entry k(.param .u64 out, .param .u64 wide)\n{\n.reg .pred p;\n"
                 ".reg .b64 o, at, w;\n.reg .b32 t, a, b;\nmov.u32 t, %laneid;\n"
                 "ld.param.u64 o, [out];\nmul.wide.u32 at, t, 16;\nadd.s64 o, o, at;\n"
                 "and.b32 a, t, 1;\nsetp.ne.u32 p, a, 0;\nmov.u64 w, 7;\nmov.u32 b, 9;\n"
                 "@p ld.param.u64 w, [wide];\n@!p ld.param.u32 b, [wide+4];\n"
                 "cvt.u64.u32 at, b;\nst.global.v2.u64 [o], {w, at};\nret;\n}\n");
    emu_addr out = fixture_upload(&fixture, NULL, 16 * LANES);
    fixture_run(&fixture, (struct fixture_launch){.params = {out, 0x1234567890abcdef}});
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t row[2], wide = lane & 1 ? 0x1234567890abcdef : 7, high = lane & 1 ? 9 : 0x12345678;
        fixture_download(&fixture, row, out + 16 * lane, sizeof row);
        cr_expect(row[0] == wide && row[1] == high, "lane %u: got %#lx and %#lx", lane, row[0],
                  row[1]);
    }
    fixture_close(&fixture);
}
