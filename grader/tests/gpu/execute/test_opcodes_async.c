/* Tests asynchronous copies between global and shared memory, and mbarriers. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "opcode_async.h"
#include "tests/support/emulator_fixture.h"

/* The operations of cp.reduce.async.bulk. Their results are tested in bulk_reduce.cu. */
#define CLUSTER_REDUCTIONS(ROW)                                                                    \
    ROW("add.u32")                                                                                 \
    ROW("add.s32")                                                                                 \
    ROW("add.u64")                                                                                 \
    ROW("min.u32")                                                                                 \
    ROW("min.s32")                                                                                 \
    ROW("max.u32")                                                                                 \
    ROW("max.s32")                                                                                 \
    ROW("inc.u32")                                                                                 \
    ROW("dec.u32")                                                                                 \
    ROW("and.b32")                                                                                 \
    ROW("or.b32")                                                                                  \
    ROW("xor.b32")
#define REDUCTIONS(ROW)                                                                            \
    CLUSTER_REDUCTIONS(ROW)                                                                        \
    ROW("add.f32")                                                                                 \
    ROW("add.f64")                                                                                 \
    ROW("add.noftz.f16")                                                                           \
    ROW("add.noftz.bf16")                                                                          \
    ROW("min.u64")                                                                                 \
    ROW("min.s64")                                                                                 \
    ROW("min.f16")                                                                                 \
    ROW("min.bf16")                                                                                \
    ROW("max.u64")                                                                                 \
    ROW("max.s64")                                                                                 \
    ROW("max.f16")                                                                                 \
    ROW("max.bf16")                                                                                \
    ROW("and.b64")                                                                                 \
    ROW("or.b64")                                                                                  \
    ROW("xor.b64")
#define TO_GLOBAL  "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint."
#define TO_CLUSTER "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes."
#define GLOBAL_ROW(op)                                                                             \
    {TO_GLOBAL op,                                                                                 \
     "@!z bra I; " TO_GLOBAL op " [g], [at], 16, g; cp.async.bulk.commit_group; "                  \
     "cp.async.bulk.wait_group 0; I:",                                                             \
     64, EMU_OK, NULL},
#define CLUSTER_ROW(op)                                                                            \
    {TO_CLUSTER op,                                                                                \
     "@!z bra I; mbarrier.init.shared.b64 [m], 1; " TO_CLUSTER op " [at], [at], 16, [m]; I:", 64,  \
     EMU_BAD_INSTRUCTION, "cluster-access"},

/* Each thread t stores t, or combines t with 7. The thread at the other end of the block waits for
 * all bytes. */
#define ASYNC_ROW(mnemonic, bytes, operands, want)                                                     \
    {mnemonic,                                                                                         \
     "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], " bytes \
     "; I: bar.sync 0; cvt.u64.u32 s, t; " mnemonic " [across], " operands ", [m]; "                   \
     "W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [at];",            \
     want, EMU_OK, NULL},
#define STORE_ASYNC "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes."
#define RED_ASYNC   "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
#define STORE_WORDS(type)                                                                          \
    ASYNC_ROW(STORE_ASYNC #type, "256", "t", 2016)                                                 \
    ASYNC_ROW(STORE_ASYNC "v2." #type, "512", "{t, t}", 2016)                                      \
    ASYNC_ROW(STORE_ASYNC "v4." #type, "1024", "{t, t, t, t}", 2016)
#define STORE_LONGS(type)                                                                          \
    ASYNC_ROW(STORE_ASYNC #type, "512", "s", 2016)                                                 \
    ASYNC_ROW(STORE_ASYNC "v2." #type, "1024", "{s, s}", 2016)

/* TEXT runs in each of 64 threads. Then x is stored. TEXT can use: t = tid.x; x = 1; g = 16 bytes
 * of global memory (the words 100 t, 100 t + 1, …); at = 16 bytes of shared memory (words of 7);
 * across = the 16 bytes of thread 63 - t; m (as generic address: wide) = memory for an mbarrier; z
 * is true for thread 0; p is true for threads below 32. WANT is the sum of all x, if the kernel was
 * not stopped. */
static const struct async_row {
    const char *mnemonics; /* the mnemonics that this row tests */
    const char *text;
    uint32_t want;
    enum emu_status status;
    const char *finding;
} rows[] =
    {
        {"cp.async.ca.shared.global cp.async.wait_all",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.wait_all; ld.shared.u32 x, [at]; ",
         201600, EMU_OK, NULL},
        {"cp.async.ca.shared.global",
         "cp.async.ca.shared.global [at], [g], 8; cp.async.wait_all; ld.shared.u32 x, [at+4];",
         201664, EMU_OK, NULL},
        {"cp.async.ca.shared.global",
         "cp.async.ca.shared.global [at], [g], 16; cp.async.wait_all; ld.shared.u32 x, [at+12];",
         201792, EMU_OK, NULL},
        {"cp.async.cg.shared.global",
         "cp.async.cg.shared.global [at], [g], 16; cp.async.wait_all; ld.shared.u32 x, [at+8];",
         201728, EMU_OK, NULL},
        {"cp.async.cg.shared::cta.global.L2::128B",
         "cp.async.cg.shared::cta.global.L2::128B [at], [g], 16; cp.async.wait_all; ld.shared.u32 x, "
         "[at]; ",
         201600, EMU_OK, NULL},
        {"cp.async.ca.shared.global.L2::64B",
         "cp.async.ca.shared.global.L2::64B [at], [g], 4; cp.async.wait_all; ld.shared.u32 x, [at]; ",
         201600, EMU_OK, NULL},
        {"cp.async.ca.shared.global.L2::cache_hint.L2::256B",
         "cp.async.ca.shared.global.L2::cache_hint.L2::256B [at], [g], 4, g; cp.async.wait_all; "
         "ld.shared.u32 x, [at]; ",
         201600, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at+4], [g+4], 4; cp.async.ca.shared.global [at], [g], 4; "
         "cp.async.wait_all; ld.shared.u32 x, [at]; ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         403264, EMU_OK, NULL},
        {"",
         "cp.async.cg.shared.global [at], [g], 16, 4; cp.async.wait_all; ld.shared.u32 x, [at]; "
         "ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         201600, EMU_OK, NULL},
        {"",
         "mov.u32 y, 4; cp.async.ca.shared.global [at], [g], 8, y; cp.async.wait_all; ld.shared.u32 x, "
         "[at]; ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         201600, EMU_OK, NULL},
        {"",
         "mov.u32 y, 1000; cp.async.ca.shared.global [at], [g], 8, y; cp.async.wait_all; ld.shared.u32 "
         "x, [at]; ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         403264, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global.L2::cache_hint [at], [g], 8, 4, g; cp.async.wait_all; "
         "ld.shared.u32 x, [at]; ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         201600, EMU_OK, NULL},
        {"",
         "mov.u64 g, 0; cp.async.ca.shared.global [at], [g], 4, 0; cp.async.wait_all; ld.shared.u32 x, "
         "[at]; ",
         0, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at], [g], 4, p; cp.async.wait_all; ld.shared.u32 x, [at]; ",
         152000, EMU_OK, NULL},
        {"cp.async.commit_group cp.async.wait_group",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.commit_group; cp.async.ca.shared.global "
         "[at+4], [g+4], 4; cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 x, [at]; "
         "ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         202048, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.commit_group; cp.async.ca.shared.global "
         "[at+4], [g+4], 4; cp.async.commit_group; cp.async.wait_group 0; ld.shared.u32 x, [at]; "
         "ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         403264, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.commit_group; cp.async.wait_group 1000000; "
         "ld.shared.u32 x, [at]; ",
         448, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.commit_group; cp.async.wait_group -1; "
         "ld.shared.u32 x, [at]; ",
         448, EMU_OK, NULL},
        {"",
         "cp.async.wait_group 3; cp.async.wait_all; cp.async.commit_group; cp.async.wait_group 0; "
         "ld.shared.u32 x, [at]; ",
         448, EMU_OK, NULL},
        {"",
         "cp.async.ca.shared.global [at], [g], 4; cp.async.wait_group 0; ld.shared.u32 x, [at]; ",
         448, EMU_OK, NULL},
        {"", "cp.async.ca.shared.global [at], [g], 4; ld.shared.u32 x, [at]; ", 448, EMU_OK, NULL},
        {"",
         "@p cp.async.ca.shared.global [at], [g], 4; @!p bra L; cp.async.commit_group; L: "
         "cp.async.ca.shared.global [at+4], [g+4], 4; cp.async.commit_group; cp.async.wait_group 1; "
         "ld.shared.u32 x, [at]; ld.shared.u32 y, [at+4]; add.u32 x, x, y; ",
         50272, EMU_OK, NULL},
        {"",
         "add.u64 g, g, 2; cp.async.ca.shared.global [at], [g], 4; cp.async.wait_all; ld.shared.u32 x, "
         "[at]; ",
         0, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "add.u32 at, at, 8; @p cp.async.cg.shared.global [at], [g], 16; cp.async.wait_all; "
         "ld.shared.u32 x, [at]; ",
         448, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@p mov.u64 g, 64; cp.async.ca.shared.global [at], [g], 4; cp.async.wait_all; ld.shared.u32 "
         "x, [at]; ",
         152000, EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"",
         "add.u64 g, g, 1008; cp.async.cg.shared.global [at], [g], 16; cp.async.wait_all; "
         "ld.shared.u32 x, [at+12];",
         6303, EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"",
         "cp.async.ca.shared.global [at+4096], [g], 4; cp.async.wait_all; ld.shared.u32 x, [at]; ",
         448, EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"mbarrier.init.shared.b64 mbarrier.arrive.shared.b64 mbarrier.test_wait.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; st.shared.u32 [at], t; "
         "mbarrier.arrive.shared.b64 s, [m]; W: mbarrier.test_wait.shared.b64 q, [m], s; @!q bra W; "
         "ld.shared.u32 x, [across]; ",
         2016, EMU_OK, NULL},
        {"mbarrier.arrive.release.cta.shared::cta.b64 mbarrier.try_wait.acquire.cta.shared::cta.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; st.shared.u32 [at], t; "
         "mbarrier.arrive.release.cta.shared::cta.b64 s, [m], 1; W: "
         "mbarrier.try_wait.acquire.cta.shared::cta.b64 q, [m], s, 100; @!q bra W; ld.shared.u32 x, "
         "[across]; ",
         2016, EMU_OK, NULL},
        {"mbarrier.arrive.relaxed.cluster.shared::cluster.b64 "
         "mbarrier.try_wait.parity.relaxed.cluster.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; st.shared.u32 [at], t; "
         "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [m]; W: "
         "mbarrier.try_wait.parity.relaxed.cluster.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, "
         "[across]; ",
         2016, EMU_OK, NULL},
        {"mbarrier.test_wait.parity.acquire.cta.shared.b64 "
         "mbarrier.test_wait.relaxed.cluster.shared::cta.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; st.shared.u32 [at], t; "
         "mbarrier.arrive.shared.b64 s, [m]; W: mbarrier.test_wait.parity.acquire.cta.shared.b64 q, "
         "[m], 0; @!q bra W; mbarrier.test_wait.relaxed.cluster.shared::cta.b64 q, [m], s; @!q trap; "
         "ld.shared.u32 x, [across]; ",
         2016, EMU_OK, NULL},
        {"mbarrier.init.b64 mbarrier.inval.b64 mbarrier.arrive.b64 mbarrier.test_wait.b64 "
         "mbarrier.try_wait.b64",
         "cvta.shared.u64 gm, wide; @!z bra I; mbarrier.init.b64 [gm], 64; I: bar.sync 0; "
         "st.shared.u32 [at], t; mbarrier.arrive.b64 s, [gm]; W: mbarrier.test_wait.b64 q, [gm], s; "
         "@!q bra W; mbarrier.try_wait.b64 q, [gm], s; @!q trap; bar.sync 0; @z mbarrier.inval.b64 "
         "[gm]; ld.shared.u32 x, [across]; ",
         2016, EMU_OK, NULL},
        {"mbarrier.init.shared::cta.b64 mbarrier.inval.shared.b64 mbarrier.inval.shared::cta.b64",
         "@z mbarrier.init.shared::cta.b64 [m], 1; @z mbarrier.inval.shared.b64 [m]; @z "
         "mbarrier.init.shared.b64 [m+8], 5; @z mbarrier.inval.shared::cta.b64 [m+8];",
         64, EMU_OK, NULL},
        {"mbarrier.try_wait.parity.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; mov.u32 y, 0; mov.u32 x, 0; P: "
         "mbarrier.arrive.shared.b64 s, [m]; and.b32 n, y, 1; W: mbarrier.try_wait.parity.shared.b64 "
         "q, [m], n; @!q bra W; add.u32 x, x, 1; add.u32 y, y, 1; setp.lt.u32 q, y, 3; @q bra P;",
         192, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; "
         "mbarrier.test_wait.parity.shared.b64 q, [m], 1; selp.u32 x, 5, 9, q;",
         320, EMU_OK, NULL},
        {"mbarrier.arrive.noComplete.release.cta.shared.b64 mbarrier.pending_count.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; setp.eq.u32 r, t, 3; @r "
         "mbarrier.arrive.noComplete.release.cta.shared.b64 s, [m], 60; @r mbarrier.pending_count.b64 "
         "x, s; bar.sync 0; @z mbarrier.arrive.shared.b64 s, [m], 4; bar.sync 0; "
         "mbarrier.test_wait.parity.shared.b64 q, [m], 0; @!q trap;",
         127, EMU_OK, NULL},
        {"mbarrier.arrive_drop.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @p "
         "mbarrier.arrive_drop.shared.b64 _, [m]; @p bra E; mbarrier.arrive.shared.b64 s, [m]; "
         "W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; "
         "mbarrier.arrive.shared.b64 s, [m]; V: mbarrier.try_wait.shared.b64 q, [m], s; @!q bra V; "
         "mov.u32 x, 2; E:",
         96, EMU_OK, NULL},
        {"mbarrier.arrive_drop.release.cta.shared::cta.b64 "
         "mbarrier.arrive_drop.relaxed.cluster.shared::cluster.b64 mbarrier.arrive_drop.noComplete.b64 "
         "mbarrier.arrive_drop.noComplete.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; "
         "mbarrier.arrive_drop.release.cta.shared::cta.b64 s, [m], 2; "
         "mbarrier.arrive_drop.relaxed.cluster.shared::cluster.b64 s, [m]; "
         "mbarrier.arrive_drop.noComplete.shared.b64 s, [m], 1; mbarrier.pending_count.b64 x, s; I:",
         124, EMU_OK, NULL},
        {"cp.async.mbarrier.arrive.noinc.shared.b64 cp.async.mbarrier.arrive.noinc.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; cp.async.ca.shared.global [at], "
         "[g], 4; cp.async.mbarrier.arrive.noinc.shared.b64 [m]; W: "
         "mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across]; ",
         201600, EMU_OK, NULL},
        {"cp.async.mbarrier.arrive.shared::cta.b64 cp.async.mbarrier.arrive.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; cp.async.ca.shared.global [at], "
         "[g], 4; cp.async.mbarrier.arrive.shared::cta.b64 [m]; mbarrier.arrive.shared.b64 s, [m]; W: "
         "mbarrier.try_wait.shared.b64 q, [m], s; @!q bra W; ld.shared.u32 x, [across]; ",
         201600, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @p bra B; "
         "mbarrier.arrive.shared.b64 s, [m]; bra M; B: mbarrier.arrive.shared.b64 s, [m]; W: "
         "mbarrier.try_wait.shared.b64 q, [m], s; @!q bra W; M: add.u32 x, x, 1;",
         128, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 63; W: mbarrier.try_wait.parity.shared.b64 q, [m], "
         "0; nanosleep.u32 20; @!q bra W; bra E; I: nanosleep.u32 1000; bra J; J: E: @!z "
         "mbarrier.arrive.shared.b64 s, [m]; add.u32 x, x, 1;",
         128, EMU_OK, NULL},
        {"", "W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W;", 0, EMU_TRAP,
         "bad-mbarrier"},
        {"", "mbarrier.arrive.shared.b64 s, [m+8];", 0, EMU_TRAP, "bad-mbarrier"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @z mbarrier.inval.shared.b64 "
         "[m]; bar.sync 0; mbarrier.arrive.shared.b64 s, [m];",
         0, EMU_TRAP, "bad-mbarrier"},
        {"", "mbarrier.init.b64 [g], 1;", 0, EMU_TRAP, "bad-mbarrier"},
        {"", "@z mbarrier.init.shared.b64 [m], 0;", 0, EMU_TRAP, "bad-mbarrier"},
        {"", "@z mbarrier.init.shared.b64 [m], 1048576;", 0, EMU_TRAP, "bad-mbarrier"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @z mbarrier.arrive.shared.b64 s, "
         "[m], 65;",
         0, EMU_TRAP, "bad-mbarrier"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; "
         "mbarrier.arrive.noComplete.shared.b64 s, [m], 1;",
         0, EMU_TRAP, "bad-mbarrier"},
        {"", "@z mbarrier.init.shared.b64 [m+4], 1;", 64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"", "@z mbarrier.init.shared.b64 [m+1048576], 1;", 64, EMU_ILLEGAL_ADDRESS,
         "out-of-bounds"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @p mbarrier.arrive.shared.b64 s, "
         "[m]; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W;",
         0, EMU_DEADLOCK, "deadlock"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; @p bar.sync 1; W: "
         "mbarrier.test_wait.parity.shared.b64 q, [m], 0; nanosleep.u32 50; @!q bra W;",
         0, EMU_DEADLOCK, "deadlock"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 64; I: bar.sync 0; mov.u32 y, 0; W: "
         "mbarrier.test_wait.parity.shared.b64 q, [m], 0; add.u32 y, y, 1; setp.lt.u32 r, y, 1000; @r "
         "bra W;",
         64, EMU_OK, NULL},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes mbarrier.arrive.expect_tx.shared.b64",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 1024, [m]; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across];",
         201600, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 1024, [m]; I: bar.sync 0; ld.shared.u32 x, [across];",
         448, EMU_OK, NULL},
        {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [at], [g], 512, [m], g; cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [at+512], [g+512], 512, [m]; mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [m], 1024; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across];",
         201600, EMU_OK, NULL},
        {"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 mbarrier.expect_tx.b64 mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64",
         "cvta.shared.u64 gm, wide; @!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [m], 512; mbarrier.expect_tx.b64 [gm], 256; mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [m], 256; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 1024, [m]; mbarrier.arrive.shared.b64 s, [m]; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across];",
         201600, EMU_OK, NULL},
        {"mbarrier.complete_tx.relaxed.cta.shared::cta.b64 mbarrier.complete_tx.b64 mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 mbarrier.complete_tx.shared.b64 mbarrier.expect_tx.shared.b64",
         "cvta.shared.u64 gm, wide; @!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.expect_tx.shared.b64 [m], 100; mbarrier.arrive.shared.b64 s, [m]; mbarrier.test_wait.shared.b64 q, [m], s; @q trap; mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [m], 40; mbarrier.complete_tx.b64 [gm], 30; mbarrier.complete_tx.shared.b64 [m], 20; mbarrier.test_wait.shared.b64 q, [m], s; @q trap; mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [m], 10; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ",
         64, EMU_OK, NULL},
        {"mbarrier.arrive_drop.expect_tx.shared.b64 mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64", "@!z bra I; mbarrier.init.shared.b64 [m], 2; mbarrier.arrive_drop.expect_tx.shared.b64 s, [m], 1024; mbarrier.arrive.expect_tx.relaxed.cluster.shared::cluster.b64 _, [m], 0; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 1024, [m]; V: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra V; mbarrier.arrive.shared.b64 s, [m]; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 1; @!q bra W; ld.shared.u32 x, [across];",
         201600, EMU_OK, NULL},
        {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
         "ld.global.u32 y, [g]; st.shared.u32 [at], y; bar.sync 0; @!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], 512; cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [at+512], [at], 512, [m]; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across];",
         99200, EMU_OK, NULL},
        {"cp.async.bulk.global.shared::cta.bulk_group cp.async.bulk.commit_group cp.async.bulk.wait_group",
         "@!z bra I; cp.async.bulk.global.shared::cta.bulk_group [g], [at], 1024; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; I: bar.sync 0; ld.global.u32 x, [g];",
         448, EMU_OK, NULL},
        {"cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint cp.async.bulk.wait_group.read",
         "@!z bra I; cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [g], [at], 512, g; cp.async.bulk.commit_group; cp.async.bulk.global.shared::cta.bulk_group [g+512], [at+512], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 1; I: bar.sync 0; ld.global.u32 x, [g];",
         152224, EMU_OK, NULL},
        {"",
         "@!z bra I; cp.async.bulk.global.shared::cta.bulk_group [g], [at], 1024; I: bar.sync 0; ld.global.u32 x, [g];",
         201600, EMU_OK, NULL},
        {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], 1024; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [at], [g], 1024, [m], 1, g; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ld.shared.u32 x, [across];",
         201600, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [at], [g], 1024, [m], 2; I:",
         64, EMU_ILLEGAL_ADDRESS, "cluster-access"},
        STORE_WORDS(u32) STORE_WORDS(s32) STORE_WORDS(b32) STORE_WORDS(f32) STORE_LONGS(
            u64) STORE_LONGS(s64) STORE_LONGS(b64) STORE_LONGS(f64) ASYNC_ROW(RED_ASYNC "add.u32",
                                                                              "256", "t", 2464)
            ASYNC_ROW(RED_ASYNC "add.s32", "256", "t", 2464) ASYNC_ROW(
                RED_ASYNC "add.u64", "512", "s",
                2464) ASYNC_ROW(RED_ASYNC "min.u32", "256", "t",
                                420) ASYNC_ROW(RED_ASYNC "min.s32", "256", "t",
                                               420) ASYNC_ROW(RED_ASYNC "max.u32", "256", "t", 2044)
                ASYNC_ROW(RED_ASYNC "max.s32", "256", "t", 2044) ASYNC_ROW(
                    RED_ASYNC "inc.u32", "256",
                    "t", 448) ASYNC_ROW(RED_ASYNC "dec.u32", "256", "t", 363)
                    ASYNC_ROW(RED_ASYNC "and.b32", "256", "t", 224) ASYNC_ROW(
                        RED_ASYNC "or.b32",
                        "256", "t",
                        2240) ASYNC_ROW(RED_ASYNC "xor.b32", "256", "t", 2016){
                        "",
                        "@!z bra I; mbarrier.init.shared.b64 [m], 1; I: bar.sync 0; @z " STORE_ASYNC
                        "v2.b32 [at+4], {t, t}, [m];",
                        64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"", "@z " STORE_ASYNC "b32 [at], t, [m];", 0, EMU_TRAP, "bad-mbarrier"},
        REDUCTIONS(GLOBAL_ROW) CLUSTER_REDUCTIONS(CLUSTER_ROW){
            "cp.async.bulk.prefetch.L2.global cp.async.bulk.prefetch.L2.global.L2::cache_hint",
            "cp.async.bulk.prefetch.L2.global [g], 16; cp.async.bulk.prefetch.L2.global.L2::cache_hint [g], 16, g;",
            64, EMU_OK, NULL},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 8, [m]; I:",
         64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at+8], [g], 16, [m]; I:",
         64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at+8], [g+8], 24, [m]; I:",
         64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at+8], [g+8], 8, [m]; I:",
         64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at+8], [g+8], 2056, [m]; I:",
         64, EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"", "@z cp.async.bulk.global.shared::cta.bulk_group [g+8], [at+8], 24;", 64,
         EMU_MISALIGNED_ADDRESS, "misaligned"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 2048, [m]; I:",
         64, EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at+1040], [g], 512, [m]; I:",
         64, EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"",
         "@z cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 16, [m];",
         0, EMU_TRAP, "bad-mbarrier"},
        {"", "@z cp.async.bulk.global.shared::cta.bulk_group [g+1008], [at], 32;", 64,
         EMU_ILLEGAL_ADDRESS, "out-of-bounds"},
        {"",
         "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], 32; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [at], [g], 16, [m]; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; ",
         0, EMU_DEADLOCK, "deadlock"},
};
#define ROWS (sizeof rows / sizeof *rows)

static const char frame[] =
    ".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.shared .align 16 .b8 near[1024];\n"
    ".shared .align 8 .b8 barriers[64];\n.reg .pred p, q, r, z;\n"
    ".reg .b32 t, x, y, n, at, across, m;\n.reg .b64 o, g, s, gm, wide;\nmov.u32 t, %%tid.x;\n"
    "setp.lt.u32 p, t, 32;\nsetp.eq.u32 z, t, 0;\nmov.u32 at, near;\nshl.b32 x, t, 4;\n"
    "add.u32 at, at, x;\nmov.u32 across, near;\nadd.u32 across, across, 1008;\n"
    "sub.u32 across, across, x;\nmov.u32 y, 7;\nst.shared.v4.u32 [at], {y, y, y, y};\n"
    "mov.u32 m, barriers;\ncvt.u64.u32 wide, m;\nld.param.u64 o, [out];\n"
    "mul.wide.u32 g, t, 4;\nadd.s64 o, o, g;\nld.param.u64 g, [in];\nmul.wide.u32 s, t, 16;\n"
    "add.s64 g, g, s;\nbar.sync 0;\nmov.u32 x, 1;\n%s\nst.global.u32 [o], x;\nret;\n}\n";

static void check_row(const struct async_row *row)
{
    char ptx[2400];
    uint32_t words[64], input[64][4], sum = 0;
    struct fixture fixture;
    for (unsigned i = 0; i < 256; i++)
        input[i / 4][i % 4] = 100 * (i / 4) + i % 4;
    snprintf(ptx, sizeof ptx, frame, row->text);
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    emu_addr in = fixture_upload(&fixture, input, sizeof input);
    emu_addr out = fixture_upload(&fixture, NULL, sizeof words);
    enum emu_status status =
        fixture_launch(&fixture, (struct fixture_launch){.block = {64}, .params = {in, out}});
    fixture_download(&fixture, words, out, sizeof words);
    for (unsigned i = 0; i < 64; i++)
        sum += words[i];
    cr_expect(status == row->status, "'%s' ended with status %d, want %d: %s", row->text,
              (int)status, (int)row->status, emu_message(fixture.device));
    cr_expect(sum == row->want || status == EMU_TRAP, "'%s' gave %u, want %u", row->text, sum,
              row->want);
    json_t *line = fixture_record(&fixture, -1);
    if (row->finding)
        fixture_finding(line, row->finding);
    else
        cr_expect(fixture_finding_count(line) == 0, "'%s': there are findings", row->text);
    json_decref(line);
    fixture_close(&fixture);
}

Test(opcodes, copies_and_mbarriers)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i]);
}

/* In each row, 32 threads copy BYTES each, STRIDE bytes apart in source and destination. The
 * figures are Nsight Compute's for the same copies on an NVIDIA H200. */
static const struct {
    unsigned bytes, stride, sectors, sectors_ideal, lines, wavefronts, wavefronts_ideal;
} copies[] = {
    {4, 4, 4, 4, 1, 1, 1}, {8, 8, 8, 8, 2, 2, 2},   {16, 16, 16, 16, 4, 4, 4},
    {4, 8, 8, 4, 2, 2, 1}, {8, 32, 32, 8, 8, 8, 2}, {16, 32, 32, 16, 8, 8, 4},
};

Test(opcodes, copies_are_counted_as_by_a_gpu)
{
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        char ptx[800];
        struct fixture fixture;
        struct emu_counters counters;
        const uint64_t *value = counters.value;
        snprintf(ptx, sizeof ptx,
                 ".visible .entry k(.param .u64 in)\n{\n.shared .align 16 .b8 near[1024];\n"
                 ".reg .b32 t, at, x;\n.reg .b64 g, s;\nmov.u32 t, %%tid.x;\nmov.u32 at, near;\n"
                 "mad.lo.u32 at, t, %u, at;\nld.param.u64 g, [in];\nmul.wide.u32 s, t, %u;\n"
                 "add.s64 g, g, s;\ncp.async.ca.shared.global [at], [g], %u;\n"
                 "cp.async.wait_all;\nret;\n}\n",
                 copies[i].stride, copies[i].stride, copies[i].bytes);
        fixture_open(&fixture, NULL);
        fixture_load(&fixture, ptx);
        emu_addr in = fixture_upload(&fixture, NULL, 1024);
        fixture_run(&fixture, (struct fixture_launch){.params = {in}, .counters = &counters});
        cr_expect(
            value[EMU_global_load_requests] == 1 && value[EMU_shared_store_requests] == 1 &&
                value[EMU_global_load_sectors] == copies[i].sectors &&
                value[EMU_global_load_sectors_ideal] == copies[i].sectors_ideal &&
                value[EMU_global_load_lines] == copies[i].lines &&
                value[EMU_shared_store_wavefronts] == copies[i].wavefronts &&
                value[EMU_shared_store_wavefronts_ideal] == copies[i].wavefronts_ideal,
            "%u bytes, %u apart: %lu sectors, ideal %lu, %lu lines, %lu wavefronts, ideal %lu",
            copies[i].bytes, copies[i].stride, value[EMU_global_load_sectors],
            value[EMU_global_load_sectors_ideal], value[EMU_global_load_lines],
            value[EMU_shared_store_wavefronts], value[EMU_shared_store_wavefronts_ideal]);
        fixture_close(&fixture);
    }
}

/* The count must equal that of bar.sync, regardless of how often the warps poll. */
Test(opcodes, arrivals_at_mbarriers_are_counted_as_barriers)
{
    struct fixture fixture;
    struct emu_counters counters;
    fixture_open(&fixture, NULL);
    fixture_load(&fixture,
                 ".visible .entry k()\n{\n.shared .align 8 .b64 m;\n.reg .pred z, q;\n"
                 ".reg .b32 n, t;\n.reg .b64 s;\nmov.u32 t, %tid.x;\nsetp.eq.u32 z, t, 0;\n"
                 "@z mbarrier.init.shared.b64 [m], 96;\nbar.sync 0;\nmov.u32 n, 5;\n"
                 "AGAIN:\nmbarrier.arrive.shared.b64 s, [m];\n"
                 "WAIT:\nmbarrier.test_wait.shared.b64 q, [m], s;\n@!q bra WAIT;\n"
                 "sub.u32 n, n, 1;\nsetp.ne.u32 z, n, 0;\n@z bra AGAIN;\nret;\n}\n");
    fixture_run(&fixture, (struct fixture_launch){.block = {96}, .counters = &counters});
    cr_expect_eq(counters.value[EMU_barriers], 3 * 6, "%lu", counters.value[EMU_barriers]);
    fixture_close(&fixture);
}

void async_each(name_visitor *visit, void *context)
{
    for (size_t i = 0; i < ROWS; i++) {
        char copy[400], *rest = copy;
        snprintf(copy, sizeof copy, "%s", rows[i].mnemonics);
        while (rest && *rest)
            visit(strsep(&rest, " "), context);
    }
}
