/* Tests instructions that compute nothing: branches, exits, barriers, fences, and the address
 * conversions of cvta. Each mnemonic runs once, and must have its effect. test_warp.c tests how
 * warps diverge and wait. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "opcode_control.h"
#include "tests/support/emulator_fixture.h"

/* TEXT runs in each of 64 threads with t = tid.x and x = 1. Then each thread that has not ended
 * stores x. TEXT can use `near` and `own`, 256 bytes of shared and of local memory. WANT is the sum
 * of all stored words. */
const struct control_row control_rows[] = {
    {"bra", "@p bra L; add.u32 x, x, 10; L:", 32 * 1 + 32 * 11, EMU_OK},
    {"bra", "@!p bra L; add.u32 x, x, 10; L:", 32 * 1 + 32 * 11, EMU_OK},
    {"bra", "bra L; add.u32 x, x, 10; L:", 64, EMU_OK},
    {"bra.uni", "bra.uni L; add.u32 x, x, 10; L:", 64, EMU_OK},
    {"ret", "ret;", 0, EMU_OK},
    {"ret", "@p ret;", 32, EMU_OK},
    {"ret.uni", "ret.uni;", 0, EMU_OK},
    {"exit", "exit;", 0, EMU_OK},
    {"exit", "@!p exit;", 32, EMU_OK},
    {"trap", "@q trap;", 64, EMU_OK}, /* q is false in every thread */
    {"bar.sync", "st.shared.u32 [at], t; bar.sync 0; ld.shared.u32 x, [across];", 2016, EMU_OK},
    {"bar.cta.sync", "st.shared.u32 [at], t; bar.cta.sync 0; ld.shared.u32 x, [across];", 2016,
     EMU_OK},
    {"bar.sync", "st.shared.u32 [at], t; bar.sync 15, 64; ld.shared.u32 x, [across];", 2016,
     EMU_OK},
    {"barrier.sync", "st.shared.u32 [at], t; barrier.sync 3; ld.shared.u32 x, [across];", 2016,
     EMU_OK},
    {"barrier.sync.aligned",
     "st.shared.u32 [at], t; barrier.sync.aligned 3, 64; ld.shared.u32 x, [across];", 2016, EMU_OK},
    {"barrier.cta.sync", "st.shared.u32 [at], t; barrier.cta.sync 0; ld.shared.u32 x, [across];",
     2016, EMU_OK},
    {"barrier.cta.sync.aligned",
     "st.shared.u32 [at], t; barrier.cta.sync.aligned 0; ld.shared.u32 x, [across];", 2016, EMU_OK},
    {"bar.red.popc.u32", "bar.red.popc.u32 x, 0, p;", 64 * 32, EMU_OK},
    {"bar.red.and.pred", "bar.red.and.pred s, 1, 64, p; selp.u32 x, 1, 3, s;", 64 * 3, EMU_OK},
    {"bar.red.or.pred", "bar.red.or.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"bar.arrive", "@!p bar.arrive 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;", 96, EMU_OK},
    {"bar.cta.red.popc.u32", "bar.cta.red.popc.u32 x, 0, p;", 64 * 32, EMU_OK},
    {"bar.cta.red.and.pred", "bar.cta.red.and.pred s, 1, 64, p; selp.u32 x, 1, 3, s;", 64 * 3,
     EMU_OK},
    {"bar.cta.red.or.pred", "bar.cta.red.or.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"bar.cta.arrive", "@!p bar.cta.arrive 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;", 96,
     EMU_OK},
    {"barrier.red.popc.u32", "barrier.red.popc.u32 x, 0, p;", 64 * 32, EMU_OK},
    {"barrier.red.and.pred", "barrier.red.and.pred s, 1, 64, p; selp.u32 x, 1, 3, s;", 64 * 3,
     EMU_OK},
    {"barrier.red.or.pred", "barrier.red.or.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"barrier.arrive", "@!p barrier.arrive 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;", 96,
     EMU_OK},
    {"barrier.red.popc.aligned.u32", "barrier.red.popc.aligned.u32 x, 0, p;", 64 * 32, EMU_OK},
    {"barrier.red.and.aligned.pred",
     "barrier.red.and.aligned.pred s, 1, 64, p; selp.u32 x, 1, 3, s;", 64 * 3, EMU_OK},
    {"barrier.red.or.aligned.pred",
     "barrier.red.or.aligned.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"barrier.arrive.aligned",
     "@!p barrier.arrive.aligned 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;", 96, EMU_OK},
    {"barrier.cta.red.popc.u32", "barrier.cta.red.popc.u32 x, 0, p;", 64 * 32, EMU_OK},
    {"barrier.cta.red.and.pred", "barrier.cta.red.and.pred s, 1, 64, p; selp.u32 x, 1, 3, s;",
     64 * 3, EMU_OK},
    {"barrier.cta.red.or.pred", "barrier.cta.red.or.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64,
     EMU_OK},
    {"barrier.cta.arrive", "@!p barrier.cta.arrive 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;",
     96, EMU_OK},
    {"barrier.cta.red.popc.aligned.u32", "barrier.cta.red.popc.aligned.u32 x, 0, p;", 64 * 32,
     EMU_OK},
    {"barrier.cta.red.and.aligned.pred",
     "barrier.cta.red.and.aligned.pred s, 1, 64, p; selp.u32 x, 1, 3, s;", 64 * 3, EMU_OK},
    {"barrier.cta.red.or.aligned.pred",
     "barrier.cta.red.or.aligned.pred s, 2, 64, !p; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"barrier.cta.arrive.aligned",
     "@!p barrier.cta.arrive.aligned 5, 64; @p bar.sync 5, 64; @p add.u32 x, x, 1;", 96, EMU_OK},
    /* a cluster of one CTA; test_cluster.c has larger ones */
    {"barrier.cluster.arrive",
     "st.shared.u32 [at], t; barrier.cluster.arrive; barrier.cluster.wait; ld.shared.u32 x, "
     "[across];",
     2016, EMU_OK},
    {"barrier.cluster.wait.aligned",
     "st.shared.u32 [at], t; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; "
     "ld.shared.u32 x, [across];",
     2016, EMU_OK},
    {"barrier.cluster.arrive.aligned",
     "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; add.u32 x, x, 1;", 128, EMU_OK},
    {"barrier.cluster.arrive.release", "barrier.cluster.arrive.release; add.u32 x, x, 1;", 128,
     EMU_OK},
    {"barrier.cluster.arrive.relaxed",
     "barrier.cluster.arrive.relaxed; barrier.cluster.wait; add.u32 x, x, 1;", 128, EMU_OK},
    {"barrier.cluster.wait.acquire",
     "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire; add.u32 x, x, 1;", 128,
     EMU_OK},
    {"barrier.cluster.wait",
     "@!p barrier.cluster.arrive; @!p barrier.cluster.wait; @p exit; add.u32 x, x, 1;", 64, EMU_OK},
    {"mapa.u64",
     "cvta.shared.u64 g, near64; mapa.u64 g, g, 0; st.u32 [g], t; ld.shared.u32 x, [at];", 2016,
     EMU_OK},
    {"mapa.u32",
     "cvta.shared.u64 g, near64; cvt.u32.u64 x, g; mapa.u32 x, x, 0; cvt.u64.u32 g, x; "
     "st.u32 [g], t; ld.shared.u32 x, [at];",
     2016, EMU_OK},
    {"mapa.shared::cluster.u32",
     "mapa.shared::cluster.u32 x, at, 0; st.shared::cluster.u32 [x], t; ld.shared.u32 x, [at];",
     2016, EMU_OK},
    {"mapa.shared::cluster.u64",
     "mapa.shared::cluster.u64 g, near64, 0; st.shared::cluster.u32 [g], t; ld.shared.u32 x, [at];",
     2016, EMU_OK},
    {"mapa.shared::cluster.u32",
     "mapa.shared::cluster.u32 x, at, 1; ld.shared::cluster.u32 x, [x];", 0, EMU_ILLEGAL_ADDRESS},
    {"getctarank.u64", "cvta.shared.u64 g, near64; getctarank.u64 x, g; add.u32 x, x, 2;", 128,
     EMU_OK},
    {"getctarank.u32",
     "cvta.shared.u64 g, near64; cvt.u32.u64 x, g; getctarank.u32 x, x; add.u32 x, x, 2;", 128,
     EMU_OK},
    {"getctarank.shared::cluster.u32", "getctarank.shared::cluster.u32 x, at; add.u32 x, x, 2;",
     128, EMU_OK},
    {"getctarank.shared::cluster.u64", "getctarank.shared::cluster.u64 x, near64; add.u32 x, x, 2;",
     128, EMU_OK},
    {"bar.warp.sync", "bar.warp.sync -1; add.u32 x, x, 1;", 128, EMU_OK},
    {"membar.cta", "membar.cta; add.u32 x, x, 1;", 128, EMU_OK},
    {"membar.gl", "membar.gl; add.u32 x, x, 1;", 128, EMU_OK},
    {"membar.sys", "membar.sys; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.sc.cta", "fence.sc.cta; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.sc.cluster", "fence.sc.cluster; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.acq_rel.gpu", "fence.acq_rel.gpu; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.acq_rel.sys", "fence.acq_rel.sys; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.proxy.tensormap::generic.acquire.gpu",
     "fence.proxy.tensormap::generic.acquire.gpu [o], 128; "
     "fence.proxy.tensormap::generic.release.cta; add.u32 x, x, 1;",
     128, EMU_OK},
    {"fence.acquire.gpu", "fence.acquire.gpu; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.release.cta", "fence.release.cta; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.acquire.sync_restrict::shared::cluster.cluster",
     "fence.acquire.sync_restrict::shared::cluster.cluster; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
     "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster; add.u32 x, x, 1;", 128,
     EMU_OK},
    {"fence.proxy.async", "fence.proxy.async; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.proxy.async.global", "fence.proxy.async.global; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.proxy.async.shared::cta", "fence.proxy.async.shared::cta; add.u32 x, x, 1;", 128,
     EMU_OK},
    {"fence.proxy.async.shared::cluster", "fence.proxy.async.shared::cluster; add.u32 x, x, 1;",
     128, EMU_OK},
    {"fence.proxy.alias", "fence.proxy.alias; add.u32 x, x, 1;", 128, EMU_OK},
    {"fence.mbarrier_init.release.cluster", "fence.mbarrier_init.release.cluster; add.u32 x, x, 1;",
     128, EMU_OK},
    {"nanosleep.u32", "nanosleep.u32 20; add.u32 x, x, 1;", 128, EMU_OK},
    {"nanosleep.u32", "nanosleep.u32 t; add.u32 x, x, 1;", 128, EMU_OK},
    {"call.uni",
     "{ .param .b32 i; .param .b32 r; st.param.b32 [i], t; call.uni (r), twice, (i); "
     "ld.param.b32 x, [r]; }",
     4032, EMU_OK},
    {"call",
     "@!p bra L; { .param .b32 i; .param .b32 r; st.param.b32 [i], t; call (r), twice, (i); "
     "ld.param.b32 x, [r]; } L:",
     992 + 32, EMU_OK},
    /* each lane has a stack; a called function leaves the caller's part of it unchanged */
    {"alloca.u64",
     "alloca.u64 g, 512, 16; cvta.local.u64 g, g; st.u32 [g+508], t; ld.u32 x, [g+508];", 2016,
     EMU_OK},
    {"alloca.u64",
     "mul.wide.u32 g, t, 8; add.u64 g, g, 4; alloca.u64 g, g; alloca.u64 near64, 8, 256; "
     "st.local.u32 [near64+4], x; st.local.u32 [g], t; ld.local.u32 x, [near64+4]; "
     "ld.local.u32 at, [g]; add.u32 x, x, at; cvt.u32.u64 at, near64; and.b32 at, at, 255; "
     "add.u32 x, x, at;",
     2016 + 64, EMU_OK},
    {"alloca.u32", "alloca.u32 at, 64, 32; st.local.u32 [at+60], t; ld.local.u32 x, [at+60];", 2016,
     EMU_OK},
    {"alloca.u64",
     "alloca.u64 g, 2000; st.local.u32 [g], t; st.local.u32 [g+1996], t; { .param .b32 i; "
     ".param .b32 r; st.param.b32 [i], t; call (r), twice, (i); } ld.local.u32 x, [g]; "
     "ld.local.u32 at, [g+1996]; add.u32 x, x, at;",
     4032, EMU_OK},
    {"alloca.u64", "mov.u32 x, 0; alloca.u64 g, 1000000;", 0, EMU_ILLEGAL_ADDRESS},
    {"alloca.u64", "mov.u32 x, 0; alloca.u64 g, -16;", 0, EMU_ILLEGAL_ADDRESS},
    {"alloca.u64", "alloca.u64 g, 16; ld.local.u32 x, [g+4096];", 0, EMU_ILLEGAL_ADDRESS},
    {"stackrestore.u64",
     "stacksave.u64 g; alloca.u64 near64, 16; stackrestore.u64 g; alloca.u64 g, 16; "
     "sub.u64 g, g, near64; cvt.u32.u64 at, g; add.u32 x, x, at;",
     64, EMU_OK},
    {"stacksave.u64",
     "stacksave.u64 g; alloca.u64 near64, 16; stacksave.u64 near64; sub.u64 g, near64, g; "
     "cvt.u32.u64 x, g;",
     64 * 16, EMU_OK},
    {"stackrestore.u32",
     "stacksave.u32 at; alloca.u32 x, 16; @p stackrestore.u32 at; alloca.u32 at, 16; "
     "sub.u32 x, at, x;",
     32 * 16, EMU_OK},
    {"stacksave.u32", "stacksave.u32 x; stackrestore.u32 0; sub.u32 x, x, x;", 0, EMU_OK},
    /* the address is converted both ways, and used as a generic address */
    {"cvta.shared.u64", "cvta.shared.u64 g, near64; st.u32 [g], t; ld.u32 x, [g];", 2016, EMU_OK},
    {"cvta.to.shared.u64",
     "cvta.shared.u64 g, near64; cvta.to.shared.u64 g, g; st.shared.u32 [g], t; ld.shared.u32 x, "
     "[at];",
     2016, EMU_OK},
    {"cvta.local.u64", "cvta.local.u64 g, own64; st.u32 [g], t; ld.u32 x, [g];", 2016, EMU_OK},
    {"cvta.to.local.u64",
     "cvta.local.u64 g, own64; cvta.to.local.u64 g, g; st.local.u32 [g], t; ld.local.u32 x, [own];",
     2016, EMU_OK},
    {"cvta.global.u64", "cvta.global.u64 g, o; st.u32 [g], t; ld.global.u32 x, [o];", 2016, EMU_OK},
    {"cvta.to.global.u64", "cvta.to.global.u64 g, o; st.global.u32 [g], t; ld.global.u32 x, [o];",
     2016, EMU_OK},
    {"cvta.const.u64", "mov.u64 g, fixed; cvta.const.u64 g, g; ld.u32 x, [g+4];", 64 * 7, EMU_OK},
    {"cvta.to.const.u64",
     "mov.u64 g, fixed; cvta.const.u64 g, g; cvta.to.const.u64 g, g; ld.const.u32 x, [g+4];",
     64 * 7, EMU_OK},
    {"cvta.param.u64",
     "mov.u64 g, out; cvta.param.u64 g, g; ld.u64 g, [g]; sub.s64 g, o, g; cvt.u32.u64 x, g;",
     4 * 2016, EMU_OK},
    {"cvta.to.param.u64",
     "mov.u64 g, out; cvta.param.u64 g, g; cvta.to.param.u64 g, g; ld.param.u64 g, [g]; "
     "sub.s64 g, o, g; cvt.u32.u64 x, g;",
     4 * 2016, EMU_OK},
    {"cvta.param.u64", "mov.u64 g, out; cvta.param.u64 g, g; st.u64 [g], o;", 64,
     EMU_ILLEGAL_ADDRESS},
    {"isspacep.global", "isspacep.global s, o; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"isspacep.shared",
     "cvta.shared.u64 g, near64; @p mov.u64 g, 0; isspacep.shared s, g; "
     "selp.u32 x, 1, 3, s;",
     128, EMU_OK},
    {"isspacep.shared::cta",
     "cvta.shared.u64 g, near64; isspacep.shared::cta s, g; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"isspacep.shared::cluster", "isspacep.shared::cluster s, o; selp.u32 x, 1, 3, s;", 192,
     EMU_OK},
    {"isspacep.local", "cvta.local.u64 g, own64; isspacep.local s, g; selp.u32 x, 1, 3, s;", 64,
     EMU_OK},
    {"isspacep.const", "mov.u64 g, fixed; isspacep.const s, g; selp.u32 x, 1, 3, s;", 64, EMU_OK},
    {"isspacep.param",
     "mov.u64 g, out; cvta.param.u64 g, g; isspacep.param s, g; "
     "selp.u32 x, 1, 3, s;",
     64, EMU_OK},
    /* cache hints change no values */
    {"prefetch.tensormap", "prefetch.tensormap [o];", 64, EMU_OK},
    {"prefetch.const.tensormap", "prefetch.const.tensormap [o];", 64, EMU_OK},
    {"prefetch.param.tensormap", "prefetch.param.tensormap [o];", 64, EMU_OK},
    {"prefetch.L1", "prefetch.L1 [o]; add.u32 x, x, 1;", 128, EMU_OK},
    {"prefetch.global.L2", "prefetch.global.L2 [o+4096]; add.u32 x, x, 1;", 128, EMU_OK},
    {"prefetch.local.L1", "prefetch.local.L1 [own64]; add.u32 x, x, 1;", 128, EMU_OK},
    {"prefetch.global.L2::evict_last", "prefetch.global.L2::evict_last [o];", 64, EMU_OK},
    {"prefetch.global.L2::evict_normal", "prefetch.global.L2::evict_normal [o];", 64, EMU_OK},
    {"prefetchu.L1", "prefetchu.L1 [o];", 64, EMU_OK},
    {"applypriority.global.L2::evict_normal", "applypriority.global.L2::evict_normal [o], 128;", 64,
     EMU_OK},
    {"discard.global.L2", "discard.global.L2 [o], 128;", 64, EMU_OK},
    {"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64",
     "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 g, 0.5; "
     "ld.global.L2::cache_hint.u32 x, [o], g;",
     0, EMU_OK},
    {"createpolicy.fractional.L2::evict_first.b64",
     "createpolicy.fractional.L2::evict_first.b64 g; st.global.L2::cache_hint.u32 [o], t, g; "
     "ld.global.u32 x, [o];",
     2016, EMU_OK},
    {"createpolicy.fractional.L2::evict_normal.b64",
     "createpolicy.fractional.L2::evict_normal.b64 g;", 64, EMU_OK},
    {"createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64",
     "createpolicy.range.global.L2::evict_last.L2::evict_unchanged.b64 g, [o], 64, 128;", 64,
     EMU_OK},
    {"createpolicy.range.L2::evict_first.b64",
     "createpolicy.range.L2::evict_first.b64 g, [o], t, x;", 64, EMU_OK},
    {"createpolicy.range.L2::evict_normal.b64",
     "createpolicy.range.L2::evict_normal.b64 g, [o], t, x;", 64, EMU_OK},
    {"createpolicy.cvt.L2.b64", "createpolicy.cvt.L2.b64 g, o;", 64, EMU_OK},
    {"griddepcontrol.wait", "griddepcontrol.wait; add.u32 x, x, 1;", 128, EMU_OK},
    {"griddepcontrol.launch_dependents", "griddepcontrol.launch_dependents;", 64, EMU_OK},
    {"pmevent", "pmevent 3;", 64, EMU_OK},
    {"pmevent.mask", "pmevent.mask 5;", 64, EMU_OK},
    {"setmaxnreg.inc.sync.aligned.u32", "setmaxnreg.inc.sync.aligned.u32 40;", 64, EMU_OK},
    {"setmaxnreg.dec.sync.aligned.u32", "setmaxnreg.dec.sync.aligned.u32 24;", 64, EMU_OK},
    {"brkpt", "@q brkpt;", 64, EMU_OK},
    {"brkpt", "brkpt;", 0, EMU_TRAP},
    {"trap", "trap;", 0, EMU_TRAP}, /* last, because on a real GPU nothing runs after a trap */
    {NULL, NULL, 0, EMU_OK},
};

static const char frame[] =
    ".func (.param .b32 result) twice(.param .b32 a)\n{\n.reg .b32 r;\nld.param.b32 r, [a];\n"
    "add.u32 r, r, r;\nst.param.b32 [result], r;\nret;\n}\n"
    ".const .align 4 .u32 fixed[2] = {6, 7};\n"
    ".visible .entry k(.param .u64 out)\n{\n.shared .align 8 .b8 near[256];\n"
    ".local .align 8 .b8 own[256];\n.reg .pred p, q, s;\n.reg .b32 t, x, at, across;\n"
    ".reg .b64 o, g, near64, own64;\nmov.u32 t, %%tid.x;\nmov.u32 x, 1;\n"
    "setp.lt.u32 p, t, 32;\nsetp.ne.u32 q, t, t;\nmov.u32 at, near;\nshl.b32 across, t, 2;\n"
    "add.u32 at, at, across;\nmov.u32 across, near;\nadd.u32 across, across, 252;\n"
    "shl.b32 x, t, 2;\nsub.u32 across, across, x;\nmov.u32 x, 1;\ncvt.u64.u32 near64, at;\n"
    "mov.u64 own64, own;\nld.param.u64 o, [out];\nmul.wide.u32 g, t, 4;\nadd.s64 o, o, g;\n"
    "%s\nst.global.u32 [o], x;\nret;\n}\n";

Test(opcodes, control)
{
    for (const struct control_row *row = control_rows; row->mnemonic; row++) {
        char ptx[2000];
        uint32_t words[64], sum = 0;
        struct fixture fixture;
        snprintf(ptx, sizeof ptx, frame, row->text);
        fixture_open(&fixture, NULL);
        fixture_load(&fixture, ptx);
        emu_addr out = fixture_upload(&fixture, NULL, sizeof words);
        enum emu_status status =
            fixture_launch(&fixture, (struct fixture_launch){.block = {64}, .params = {out}});
        fixture_download(&fixture, words, out, sizeof words);
        for (unsigned i = 0; i < 64; i++)
            sum += words[i];
        cr_expect(status == row->status, "%s: '%s' ended with status %d, want %d: %s",
                  row->mnemonic, row->text, (int)status, (int)row->status,
                  emu_message(fixture.device));
        cr_expect(sum == row->want, "%s: '%s' gave %u, want %u", row->mnemonic, row->text, sum,
                  row->want);
        fixture_close(&fixture);
    }
}
