#include "tests/gpu/observe/pattern.h"

#include <stdio.h>

#include "tests/support/emulator_fixture.h"

void run_pattern(const struct pattern *p, struct emu_counters *counters)
{
    char ptx[2000];
    struct fixture f;
    snprintf(
        ptx, sizeof ptx,
        ".const .align 16 .b8 c[4096];\n"
        ".visible .entry k(.param .u64 block)\n{\n.shared .align 128 .b8 s[32768];\n"
        ".local .align 16 .b8 l[32768];\n"
        ".reg .pred p, q;\n.reg .b32 t, i, si, li, v, v1, v2, v3;\n.reg .b64 g, gi, ci, d, e;\n"
        "mov.u32 t, %%tid.x;\nld.param.u64 g, [block];\nmad.lo.u32 i, t, %u, %u;\n"
        "cvt.u64.u32 gi, i;\nadd.s64 gi, gi, g;\nmov.u32 si, s;\nadd.u32 si, si, i;\n"
        "mov.u32 li, l;\nadd.u32 li, li, i;\n"
        "cvt.u64.u32 ci, i;\nadd.s64 ci, ci, c;\n"
        "and.b32 v, t, 1;\nsetp.ne.u32 p, v, 0;\nsetp.lt.u32 q, t, 16;\n%s\nret;\n}\n",
        p->scale, p->shift, p->access);
    fixture_open(&f, NULL);
    fixture_load(&f, ptx);
    emu_addr block = fixture_upload(&f, NULL, 65536);
    fixture_run(&f, (struct fixture_launch){.block = {p->threads ? p->threads : 32},
                                            .params = {block},
                                            .counters = counters});
    fixture_close(&f);
}
