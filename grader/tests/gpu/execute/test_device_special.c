/* Tests the value of each special register. These values depend on the launch's grid and blocks. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gpu/ptx/module.h"
#include "tests/support/emulator_fixture.h"

/* 3 x 2 x 2 CTAs of 5 x 4 x 3 threads. The sizes differ, so that exchanged dimensions are
 * noticed. */
static const uint32_t grid[3] = {3, 2, 2}, block[3] = {5, 4, 3};
enum { CTAS = 12, THREADS = 60, STATIC = 32, DYNAMIC = 80 };

/* Returns whether the launch determines the register's value. This includes registers that are 0 in
 * an ordinary launch. */
static bool has_own_value(enum ptx_special special)
{
    switch (special) {
    case PTX_SPECIAL_nwarpid:
    case PTX_SPECIAL_smid:
    case PTX_SPECIAL_nsmid:
    case PTX_SPECIAL_gridid:
        return false;
    default:
        return !ptx_special_is_dynamic(special);
    }
}

/* Returns the expected value for thread I of CTA C, which are numbered in the order of their
 * indices. Returns -1 if is_plausible() must check the value instead. */
static int64_t expected(enum ptx_special special, unsigned c, unsigned i)
{
    unsigned lane = i % 32;
    switch (special) {
    case PTX_SPECIAL_tid_x:
        return i % 5;
    case PTX_SPECIAL_tid_y:
        return i / 5 % 4;
    case PTX_SPECIAL_tid_z:
        return i / 20;
    case PTX_SPECIAL_ntid_x:
        return 5;
    case PTX_SPECIAL_ntid_y:
        return 4;
    case PTX_SPECIAL_ntid_z:
        return 3;
    case PTX_SPECIAL_ctaid_x:
        return c % 3;
    case PTX_SPECIAL_ctaid_y:
        return c / 3 % 2;
    case PTX_SPECIAL_ctaid_z:
        return c / 6;
    case PTX_SPECIAL_nctaid_x:
        return 3;
    case PTX_SPECIAL_nctaid_y:
    case PTX_SPECIAL_nctaid_z:
        return 2;
    case PTX_SPECIAL_laneid:
        return lane;
    case PTX_SPECIAL_warpid:
        return i / 32;
    case PTX_SPECIAL_lanemask_eq:
        return (int64_t)1 << lane;
    case PTX_SPECIAL_lanemask_lt:
        return ((int64_t)1 << lane) - 1;
    case PTX_SPECIAL_lanemask_le:
        return ((int64_t)2 << lane) - 1;
    case PTX_SPECIAL_lanemask_ge:
        return 0xffffffff ^ (((int64_t)1 << lane) - 1);
    case PTX_SPECIAL_lanemask_gt:
        return 0xffffffff ^ (((int64_t)2 << lane) - 1);
    case PTX_SPECIAL_dynamic_smem_size:
        return DYNAMIC;
    case PTX_SPECIAL_total_smem_size:
        return 128; /* the size, rounded up to the unit of allocation */
    case PTX_SPECIAL_aggr_smem_size:
        return STATIC + DYNAMIC + 1024;
    case PTX_SPECIAL_reserved_smem_end:
        return 288;
    case PTX_SPECIAL_reserved_smem_1: /* after the program's memory, rounded up to 16 */
        return (STATIC + DYNAMIC + 15) / 16 * 16;
    case PTX_SPECIAL_reserved_smem_cap:
        return 1024;
    case PTX_SPECIAL_clusterid_x: /* without clusters, every CTA is a cluster of its own */
        return c % 3;
    case PTX_SPECIAL_clusterid_y:
        return c / 3 % 2;
    case PTX_SPECIAL_clusterid_z:
        return c / 6;
    case PTX_SPECIAL_nclusterid_x:
        return 3;
    case PTX_SPECIAL_nclusterid_y:
    case PTX_SPECIAL_nclusterid_z:
        return 2;
    case PTX_SPECIAL_cluster_nctaid_x:
    case PTX_SPECIAL_cluster_nctaid_y:
    case PTX_SPECIAL_cluster_nctaid_z:
    case PTX_SPECIAL_cluster_nctarank:
        return 1;
    default:
        return has_own_value(special) ? 0 : -1;
    }
}

/* Returns whether VALUE is plausible for a register that has no fixed value. */
static bool is_plausible(enum ptx_special special, uint64_t value)
{
    switch (special) {
    case PTX_SPECIAL_nwarpid:
        return value >= 2;
    case PTX_SPECIAL_smid:
        return value < EMU_MULTIPROCESSORS;
    case PTX_SPECIAL_nsmid:
        return value == EMU_MULTIPROCESSORS;
    case PTX_SPECIAL_clock_hi:
        return value < 16;
    default: /* grid ids, clocks and times are above 0 and only increase */
        return value > 0;
    }
}

static const char *const spellings[] = {
#define SPECIAL(id, spelling, bytes, when) spelling,
#include "gpu/ptx/names.def"
#undef SPECIAL
};

/* Loads a kernel that stores the register for each thread of the grid, in the order of the indices.
 * BOUNDS are the kernel's directives. */
static void load_reader(struct fixture *f, enum ptx_special special, const char *bounds)
{
    char ptx[1500];
    unsigned bits = 8 * ptx_special_bytes(special);
    char read[120];
    snprintf(read, sizeof read, "mov.u%u v, %s;", bits, spellings[special]);
    if (!bits) {
        bits = 32;
        snprintf(read, sizeof read, "mov.pred p, %s;\nselp.u32 v, 1, 0, p;", spellings[special]);
    }
    snprintf(
        ptx, sizeof ptx,
        ".extern .shared .align 16 .b8 more[];\n.visible .entry k(.param .u64 out)\n%s{\n"
        ".shared .align 16 .b8 s[%u];\n.reg .pred p;\n.reg .b32 a, b, i;\n.reg .b64 o, at;\n.reg "
        ".b%u v;\n"
        "mov.u32 i, %%ctaid.z;\nmad.lo.u32 i, i, 2, %%ctaid.y;\nmad.lo.u32 i, i, 3, %%ctaid.x;\n"
        "mad.lo.u32 i, i, 3, %%tid.z;\nmad.lo.u32 i, i, 4, %%tid.y;\nmad.lo.u32 i, i, 5, %%tid.x;\n"
        "ld.param.u64 o, [out];\nmul.wide.u32 at, i, 8;\nadd.s64 o, o, at;\n"
        "st.shared.u8 [s], i;\nst.shared.u8 [more], i;\n"
        "%s\nst.global.b%u [o], v;\nret;\n}\n",
        bounds, STATIC, bits, read, bits);
    fixture_load(f, ptx);
}

/* Reads the register in each thread of the grid, and checks the values. BOUNDS are the kernel's
 * directives. */
static void read_special(struct fixture *f, enum ptx_special special, const char *bounds,
                         uint64_t values[CTAS * THREADS])
{
    size_t size = CTAS * THREADS * sizeof *values;
    struct fixture_launch launch = {.dynamic_shared = DYNAMIC};
    memcpy(launch.grid, grid, sizeof grid);
    memcpy(launch.block, block, sizeof block);
    load_reader(f, special, bounds);
    launch.params[0] = fixture_upload(f, NULL, size);
    fixture_run(f, launch);
    fixture_download(f, values, launch.params[0], size);
}

Test(device, special_registers)
{
    struct fixture f;
    uint64_t values[CTAS * THREADS];
    fixture_open(&f, NULL);
    for (int s = 0; s < PTX_SPECIAL_COUNT; s++) {
        read_special(&f, (enum ptx_special)s, "", values);
        for (unsigned t = 0; t < CTAS * THREADS; t++) {
            int64_t want = expected((enum ptx_special)s, t / THREADS, t % THREADS);
            cr_expect(want < 0 ? is_plausible((enum ptx_special)s, values[t])
                               : values[t] == (uint64_t)want,
                      "%s of thread %u is %" PRIu64 ", want %" PRId64, spellings[s], t, values[t],
                      want);
        }
    }
    fixture_close(&f);
}

/* Returns the expected value for the same grid in clusters of 3 x 1 x 2. */
static int64_t expected_in_cluster(enum ptx_special special, unsigned c)
{
    unsigned x = c % 3, y = c / 3 % 2, z = c / 6;
    switch (special) {
    case PTX_SPECIAL_clusterid_x:
    case PTX_SPECIAL_clusterid_z:
    case PTX_SPECIAL_cluster_ctaid_y:
        return 0;
    case PTX_SPECIAL_clusterid_y:
        return y;
    case PTX_SPECIAL_nclusterid_x:
    case PTX_SPECIAL_nclusterid_z:
    case PTX_SPECIAL_cluster_nctaid_y:
    case PTX_SPECIAL_is_explicit_cluster:
        return 1;
    case PTX_SPECIAL_nclusterid_y:
    case PTX_SPECIAL_cluster_nctaid_z:
        return 2;
    case PTX_SPECIAL_cluster_ctaid_x:
        return x;
    case PTX_SPECIAL_cluster_ctaid_z:
        return z;
    case PTX_SPECIAL_cluster_nctaid_x:
        return 3;
    case PTX_SPECIAL_cluster_ctarank:
        return 3 * z + x;
    default: /* cluster_nctarank */
        return 6;
    }
}

Test(device, special_registers_of_clusters)
{
    struct fixture f;
    uint64_t values[CTAS * THREADS];
    fixture_open(&f, NULL);
    for (int s = PTX_SPECIAL_clusterid_x; s <= PTX_SPECIAL_is_explicit_cluster; s++) {
        read_special(&f, (enum ptx_special)s, ".explicitcluster\n.reqnctapercluster 3, 1, 2\n",
                     values);
        for (unsigned t = 0; t < CTAS * THREADS; t++) {
            uint64_t want = (uint64_t)expected_in_cluster((enum ptx_special)s, t / THREADS);
            cr_expect(values[t] == want, "%s of thread %u is %" PRIu64 ", want %" PRIu64,
                      spellings[s], t, values[t], want);
        }
    }
    fixture_close(&f);
}

/* clock() grows between two reads, twice as much for twice the work, and from launch to launch. */
Test(device, clocks)
{
    struct fixture f;
    uint64_t first[3], second[3];
    fixture_open(&f, NULL);
    fixture_load(&f,
                 ".visible .entry k(.param .u64 out)\n{\n.reg .b64 o, a, b, c;\n.reg .b32 x, y;\n"
                 "ld.param.u64 o, [out];\nmov.u32 x, %clock;\nmov.u64 a, %clock64;\n"
                 "add.u32 y, x, 1;\nmov.u64 b, %clock64;\nadd.u32 y, y, 1;\nadd.u32 y, y, 1;\n"
                 "add.u32 y, y, 1;\nmov.u64 c, %clock64;\nst.global.v2.u64 [o], {a, b};\n"
                 "st.global.u64 [o+16], c;\nret;\n}\n");
    emu_addr out = fixture_upload(&f, NULL, 24);
    fixture_run(&f, (struct fixture_launch){.params = {out}});
    fixture_download(&f, first, out, sizeof first);
    fixture_run(&f, (struct fixture_launch){.params = {out}});
    fixture_download(&f, second, out, sizeof second);
    cr_expect(first[0] < first[1] && first[1] < first[2], "clock() stands still");
    cr_expect(first[2] - first[1] == 2 * (first[1] - first[0]), "%lu and then %lu",
              first[1] - first[0], first[2] - first[1]);
    cr_expect(second[0] > first[2], "a later launch reads an earlier time");
    cr_expect(second[1] - second[0] == first[1] - first[0], "two runs differ");
    fixture_close(&f);
}
