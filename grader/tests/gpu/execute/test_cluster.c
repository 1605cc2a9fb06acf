/* Tests clusters of CTAs: which launches are valid, and their counters. gpu/execute/clusters.cu
 * tests their results, test_device_special.c their registers, and gpu/observe/planted the findings
 * in kernels. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/emulator_fixture.h"
#include "tests/support/shell.h"

TestSuite(cluster, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* Returns the counters of a launch, in the order of the program. */
static json_int_t counter(const json_t *document, size_t launch, const char *name)
{
    json_t *counters =
        json_object_get(json_array_get(json_object_get(document, "launches"), launch), "counters");
    return json_integer_value(json_object_get(counters, name));
}

/* Requests to shared memory of other blocks have a separate counter. If a warp accesses several
 * blocks, it counts a request for each. */
Test(cluster, requests_to_others_are_counted)
{
    free(shell_must("$LANEWISE run --json out.json $PROGRAMS/cluster-access neighbours_in_turns "
                    "atomics_from_all_blocks"));
    char *text = shell_file("out.json", NULL);
    json_t *document = json_loads(text, 0, NULL);
    cr_expect_eq(counter(document, 0, "cluster_requests"), 2 * 2 * 4); /* 4 warps, 4 rounds */
    cr_expect_eq(counter(document, 0, "shared_load_requests"), 2 * 2 * 5);
    cr_expect_eq(counter(document, 0, "shared_store_requests"), 2 * 2);
    cr_expect_eq(counter(document, 0, "barriers"), 2 * 2 * 5);
    cr_expect_eq(counter(document, 1, "cluster_requests"), 2 * 2);
    cr_expect_eq(counter(document, 1, "shared_atomic_requests"), 2 * 2);
    json_decref(document);
    free(text);
}

/* --- launches ------------------------------------------------------------------------------------- */

static const struct {
    const char *bounds;
    uint32_t grid[3];
    enum emu_status status;
} launches[] = {
    {".reqnctapercluster 2", {4, 1, 1}, EMU_OK},
    {".explicitcluster\n.reqnctapercluster 2, 2, 2", {4, 2, 2}, EMU_OK},
    {".reqnctapercluster 16, 1, 1", {16, 1, 1}, EMU_OK},
    {".reqnctapercluster 3, 5, 1", {3, 10, 2}, EMU_OK},
    {".maxclusterrank 2", {3, 1, 1}, EMU_OK},
    {".reqnctapercluster 2", {3, 1, 1}, EMU_INVALID_CONFIG},
    {".reqnctapercluster 2, 2, 1", {2, 1, 1}, EMU_INVALID_CONFIG},
    {".reqnctapercluster 17", {17, 1, 1}, EMU_INVALID_CONFIG},
    {".reqnctapercluster 4, 5, 1", {4, 5, 1}, EMU_INVALID_CONFIG},
    {".reqnctapercluster 65536, 65536, 4294967295", {1, 1, 1}, EMU_INVALID_CONFIG},
    {".reqnctapercluster 2, 0, 1", {2, 1, 1}, EMU_INVALID_CONFIG},
    {".maxclusterrank 2\n.reqnctapercluster 4", {4, 1, 1}, EMU_INVALID_CONFIG},
    {".explicitcluster", {4, 1, 1}, EMU_INVALID_CONFIG},
    {".blocksareclusters", {4, 1, 1}, EMU_INVALID_PTX},
};

/* Each CTA sends its number to the next CTA of its cluster. */
static void try_launch(size_t i, unsigned workers)
{
    char ptx[2000];
    uint32_t got[64] = {0};
    struct fixture f;
    struct fixture_launch launch = {.block = {40}};
    struct emu_options options = {.workers = workers, .max_warp_instructions = 1000000};
    fixture_open(&f, &options);
    snprintf(
        ptx, sizeof ptx,
        ".visible .entry k(.param .u64 out)\n%s\n{\n.shared .u32 box;\n.reg .pred p;\n"
        ".reg .b32 t, at, r, n, i;\n.reg .b64 o, a;\nmov.u32 t, %%tid.x;\n"
        "setp.eq.u32 p, t, 33;\nmov.u32 i, %%ctaid.z;\nmov.u32 n, %%nctaid.y;\n"
        "mad.lo.u32 i, i, n, %%ctaid.y;\nmov.u32 n, %%nctaid.x;\n"
        "mad.lo.u32 i, i, n, %%ctaid.x;\nmov.u32 r, %%cluster_ctarank;\n"
        "mov.u32 n, %%cluster_nctarank;\nadd.u32 t, r, 1;\nrem.u32 t, t, n;\nmov.u32 at, box;\n"
        "mapa.shared::cluster.u32 at, at, t;\nadd.u32 r, r, 1;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "@p st.shared::cluster.u32 [at], r;\n"
        "barrier.cluster.arrive;\nbarrier.cluster.wait;\nld.shared.u32 t, [box];\n"
        "ld.param.u64 o, [out];\nmul.wide.u32 a, i, 4;\nadd.s64 o, o, a;\n"
        "st.global.u32 [o], t;\nret;\n}\n",
        launches[i].bounds);
    fixture_load(&f, ptx);
    if (launches[i].status == EMU_INVALID_PTX) {
        cr_expect(strstr(fixture_refusal(&f, "k"), "not supported"), "%s", launches[i].bounds);
        fixture_close(&f);
        return;
    }
    memcpy(launch.grid, launches[i].grid, sizeof launch.grid);
    launch.params[0] = fixture_upload(&f, NULL, sizeof got);
    enum emu_status status = fixture_launch(&f, launch);
    fixture_download(&f, got, launch.params[0], sizeof got);
    cr_expect_eq(status, launches[i].status, "%s: %d: %s", launches[i].bounds, (int)status,
                 emu_message(f.device));
    for (uint32_t k = 0; k < launch.grid[0] * launch.grid[1] * launch.grid[2]; k++)
        cr_expect((got[k] != 0) == (status == EMU_OK) && got[k] <= 16, "%s: CTA %u got %u",
                  launches[i].bounds, k, got[k]);
    fixture_close(&f);
}

Test(cluster, launches_are_made_of_clusters)
{
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        try_launch(i, 1);
        try_launch(i, 3);
    }
}
