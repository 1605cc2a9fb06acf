/* Tests every form of copies with tensor maps, and every misuse of them. tensor_maps.cu tests the
 * copied values. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "gpu/tensor_map.h"
#include "opcode_tensor.h"
#include "tests/support/emulator_fixture.h"

#define BYTES ".mbarrier::complete_tx::bytes"

/* Thread 0 copies 16 words of the tensor to shared memory, and all threads read them. */
#define LOAD(words, operands)                                                                      \
    "@!z bra I; mbarrier.init.shared.b64 [m], 1; mbarrier.arrive.expect_tx.shared.b64 s, [m], "    \
    "64; cp.async.bulk.tensor." words " [tile], [map, " operands                                   \
    "; I: bar.sync 0; W: mbarrier.try_wait.parity.shared.b64 q, [m], 0; @!q bra W; "               \
    "ld.shared.u32 x, [at];"
#define LOAD_TO_CLUSTER(words, operands)                                                           \
    "cp.async.bulk.tensor." words ".shared::cluster.global" BYTES,                                 \
        LOAD(words ".shared::cluster.global" BYTES, operands)
/* Thread 0 executes TEXT, and all threads read the tensor. */
#define STORE(text)                                                                                \
    "@!z bra I; " text "; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; I: bar.sync 0; " \
    "ld.global.u32 x, [g];"
#define PUT(words, at)                                                                             \
    "cp.async.bulk.tensor." words ".global.shared::cta.bulk_group",                                \
        STORE("cp.async.bulk.tensor." words ".global.shared::cta.bulk_group [map, " at             \
              "], [tile]")
#define REDUCE(words, at)                                                                          \
    "cp.reduce.async.bulk.tensor." words,                                                          \
        STORE("cp.reduce.async.bulk.tensor." words " [map, " at "], [tile]")
#define REDUCED(operation) REDUCE("1d.global.shared::cta." operation ".bulk_group", "{0}")
#define PREFETCH(words, at)                                                                        \
    "cp.async.bulk.prefetch.tensor." words, "cp.async.bulk.prefetch.tensor." words " [map, " at ";"
#define TO_GLOBAL ".global.shared::cta.add.bulk_group"

/* TEXT runs in 32 threads. Word i of the tensor is 100 + i, and a row has 16 words. TEXT can use:
 * at = word t % 16 of the box at `tile`, which is 7; g = word t % 16 of the tensor; map; x = 1; z
 * is true for thread 0; m = memory for an mbarrier. WANT is the sum of all x. */
static const struct row {
    const char *mnemonic, *text;
    unsigned dims;
    uint32_t want;
    enum emu_status status;
    const char *finding;
    enum tensor_type type; /* 0 stands for u32 */
} rows[] = {
    {LOAD_TO_CLUSTER("1d", "{16}], [m]"), 1, 3952, EMU_OK, NULL, 0},
    {LOAD_TO_CLUSTER("2d.tile", "{0, 1}], [m]"), 2, 3952, EMU_OK, NULL, 0},
    {LOAD_TO_CLUSTER("3d", "{0, 1, 0}], [m]"), 3, 3952, EMU_OK, NULL, 0},
    {LOAD_TO_CLUSTER("4d", "{0, 1, 0, 0}], [m]"), 4, 3952, EMU_OK, NULL, 0},
    {LOAD_TO_CLUSTER("5d", "{0, 1, 0, 0, 0}], [m]"), 5, 3952, EMU_OK, NULL, 0},
    {"cp.async.bulk.tensor.1d.shared::cta.global" BYTES ".L2::cache_hint",
     LOAD("1d.shared::cta.global" BYTES ".L2::cache_hint", "{16}], [m], s"), 1, 3952, EMU_OK, NULL,
     0},
    {"cp.async.bulk.tensor.1d.shared::cluster.global" BYTES ".multicast::cluster",
     LOAD("1d.shared::cluster.global" BYTES ".multicast::cluster", "{16}], [m], h"), 1, 3952,
     EMU_OK, NULL, 0},
    {PUT("1d", "{0}"), 1, 224, EMU_OK, NULL, 0},
    {PUT("2d", "{0, 0}"), 2, 224, EMU_OK, NULL, 0},
    {PUT("3d", "{0, 0, 0}"), 3, 224, EMU_OK, NULL, 0},
    {PUT("4d", "{0, 0, 0, 0}"), 4, 224, EMU_OK, NULL, 0},
    {PUT("5d.tile", "{0, 0, 0, 0, 0}"), 5, 224, EMU_OK, NULL, 0},
    {REDUCE("1d" TO_GLOBAL, "{0}"), 1, 3664, EMU_OK, NULL, 0},
    {REDUCE("2d" TO_GLOBAL, "{0, 0}"), 2, 3664, EMU_OK, NULL, 0},
    {REDUCE("3d" TO_GLOBAL, "{0, 0, 0}"), 3, 3664, EMU_OK, NULL, 0},
    {REDUCE("4d" TO_GLOBAL, "{0, 0, 0, 0}"), 4, 3664, EMU_OK, NULL, 0},
    {REDUCE("5d" TO_GLOBAL, "{0, 0, 0, 0, 0}"), 5, 3664, EMU_OK, NULL, 0},
    {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group.L2::cache_hint",
     STORE("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group.L2::cache_hint "
           "[map, {0}], [tile], s"),
     1, 3664, EMU_OK, NULL, 0},
    {REDUCED("min"), 1, 224, EMU_OK, NULL, 0},
    {REDUCED("max"), 1, 3440, EMU_OK, NULL, 0},
    {REDUCED("inc"), 1, 0, EMU_OK, NULL, 0},
    {REDUCED("dec"), 1, 224, EMU_OK, NULL, 0},
    {REDUCED("and"), 1, 112, EMU_OK, NULL, 0},
    {REDUCED("or"), 1, 3552, EMU_OK, NULL, 0},
    {REDUCED("xor"), 1, 3440, EMU_OK, NULL, 0},
    {PREFETCH("1d.L2.global", "{0}]"), 1, 32, EMU_OK, NULL, 0},
    {PREFETCH("2d.L2.global.tile", "{0, 0}]"), 2, 32, EMU_OK, NULL, 0},
    {PREFETCH("3d.L2.global", "{0, 0, 0}]"), 3, 32, EMU_OK, NULL, 0},
    {PREFETCH("4d.L2.global", "{0, 0, 0, 0}]"), 4, 32, EMU_OK, NULL, 0},
    {PREFETCH("5d.L2.global.L2::cache_hint", "{0, 0, 0, 0, 0}], s"), 5, 32, EMU_OK, NULL, 0},
    /* the rows from here on are misuses, with the errors that an H100 reports */
    {NULL, "mov.u64 map, g; cp.async.bulk.prefetch.tensor.1d.L2.global [map, {0}];", 1, 0,
     EMU_BAD_INSTRUCTION, "bad-tensor-map", 0},
    {NULL, "cvta.shared.u64 map, wide; cp.async.bulk.prefetch.tensor.1d.L2.global [map, {0}];", 1,
     0, EMU_BAD_INSTRUCTION, "bad-tensor-map", 0},
    {NULL, "cp.async.bulk.prefetch.tensor.1d.L2.global [map+160, {0}];", 1, 0, EMU_BAD_INSTRUCTION,
     "bad-tensor-map", 0},
    {NULL, "cp.async.bulk.prefetch.tensor.1d.L2.global [map, {0}];", 2, 0, EMU_BAD_INSTRUCTION,
     "bad-tensor-map", 0},
    {NULL, "cp.async.bulk.prefetch.tensor.1d.L2.global [map, {2}];", 1, 0, EMU_BAD_INSTRUCTION,
     "bad-tensor-map", 0},
    {NULL, LOAD("1d.shared::cluster.global" BYTES, "{1}], [m]"), 1, 0, EMU_BAD_INSTRUCTION,
     "bad-tensor-map", 0},
    {NULL, "add.u32 tile, tile, 64; " LOAD("1d.shared::cluster.global" BYTES, "{0}], [m]"), 1, 0,
     EMU_MISALIGNED_ADDRESS, "bad-tensor-map", 0},
    {NULL, STORE("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {0}], [tile+16]"), 1,
     0, EMU_MISALIGNED_ADDRESS, "bad-tensor-map", 0},
    {NULL, STORE("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {-4}], [tile]"), 1, 0,
     EMU_BAD_INSTRUCTION, "bad-tensor-map", 0},
    {NULL,
     STORE("cp.reduce.async.bulk.tensor.1d.global.shared::cta.inc.bulk_group [map, {0}], [tile]"),
     1, 0, EMU_BAD_INSTRUCTION, "bad-tensor-map", TENSOR_S32},
    {NULL, "@z cp.async.bulk.tensor.1d.shared::cluster.global" BYTES " [tile], [map, {0}], [m];", 1,
     0, EMU_TRAP, "bad-mbarrier", 0},
    {NULL,
     "mov.u16 h, 2; " LOAD("1d.shared::cluster.global" BYTES ".multicast::cluster",
                           "{16}], [m], h"),
     1, 0, EMU_ILLEGAL_ADDRESS, "cluster-access", 0},
    /* the tensor is larger than the memory that it is in */
    {NULL, LOAD("1d.shared::cluster.global" BYTES, "{512}], [m]"), 1, 0, EMU_ILLEGAL_ADDRESS,
     "out-of-bounds", 0},
    {NULL, STORE("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {512}], [tile]"), 1,
     0, EMU_ILLEGAL_ADDRESS, "out-of-bounds", 0},
};
#define ROWS (sizeof rows / sizeof *rows)

static const char frame[] =
    ".visible .entry k(.param .u64 in, .param .u64 maps, .param .u64 out)\n{\n"
    ".shared .align 128 .b8 near[128];\n.shared .align 8 .b8 barriers[8];\n.reg .pred q, z;\n"
    ".reg .b16 h;\n.reg .b32 t, x, y, at, tile, m;\n.reg .b64 o, g, s, map, wide;\n"
    "mov.u32 t, %%tid.x;\nsetp.eq.u32 z, t, 0;\nmov.u32 tile, near;\nmov.u32 m, barriers;\n"
    "mov.u16 h, 1;\ncvt.u64.u32 wide, tile;\nld.param.u64 map, [maps];\nld.param.u64 o, [out];\n"
    "mul.wide.u32 g, t, 4;\nadd.s64 o, o, g;\nand.b32 y, t, 15;\nshl.b32 y, y, 2;\n"
    "add.u32 at, tile, y;\nmov.u32 x, 7;\nst.shared.u32 [at], x;\ncvt.u64.u32 s, y;\n"
    "ld.param.u64 g, [in];\nadd.s64 g, g, s;\nbar.sync 0;\nmov.u32 x, 1;\n%s\n"
    "st.global.u32 [o], x;\nret;\n}\n";

#define SECOND 160 /* offset of a second map, whose address is not a multiple of 64 */

static void check_row(const struct row *row)
{
    char ptx[2400];
    uint32_t words[32], input[256], sum = 0;
    uint8_t maps[SECOND + TENSOR_MAP_BYTES] = {0};
    struct fixture fixture;
    struct tensor_map map = {.magic = TENSOR_MAP_MAGIC,
                             .size = {row->dims == 1 ? 1024 : 16, 64, 1, 1, 1},
                             .stride = {64, 4096, 4096, 4096},
                             .box = {16, 1, 1, 1, 1},
                             .step = {1, 1, 1, 1, 1},
                             .dims = (uint8_t)row->dims,
                             .type = row->type ? (uint8_t)row->type : TENSOR_U32};
    for (uint32_t i = 0; i < 256; i++)
        input[i] = 100 + i;
    snprintf(ptx, sizeof ptx, frame, row->text);
    fixture_open(&fixture, NULL);
    fixture_load(&fixture, ptx);
    emu_addr in = fixture_upload(&fixture, input, sizeof input);
    map.address = in;
    memcpy(maps, &map, sizeof map);
    memcpy(maps + SECOND, &map, sizeof map);
    emu_addr at = fixture_upload(&fixture, maps, sizeof maps);
    emu_addr out = fixture_upload(&fixture, NULL, sizeof words);
    enum emu_status status =
        fixture_launch(&fixture, (struct fixture_launch){.params = {in, at, out}});
    fixture_download(&fixture, words, out, sizeof words);
    for (unsigned i = 0; i < 32; i++)
        sum += words[i];
    cr_expect(status == row->status, "'%s' ended with status %d, want %d: %s", row->text,
              (int)status, (int)row->status, emu_message(fixture.device));
    cr_expect(status != EMU_OK || sum == row->want, "'%s' gave %u, want %u", row->text, sum,
              row->want);
    json_t *line = fixture_record(&fixture, -1);
    if (row->finding)
        fixture_finding(line, row->finding);
    else
        cr_expect(fixture_finding_count(line) == 0, "'%s': there are findings", row->text);
    json_decref(line);
    fixture_close(&fixture);
}

Test(opcodes, copies_of_boxes)
{
    for (size_t i = 0; i < ROWS; i++)
        check_row(&rows[i]);
}

void tensor_each(name_visitor *visit, void *context)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].mnemonic)
            visit(rows[i].mnemonic, context);
}

/* Instructions that the emulator refuses, and a part of its message. */
static const struct {
    const char *text, *says;
} refused[] = {
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col" BYTES
     " [tile], [map, {0, 0, 0}], [m], {h};",
     "'.im2col'"},
    {"cp.async.bulk.tensor.2d.shared::cluster.global" BYTES " [tile], [map, {0}], [m];",
     "there must be a tensor map with 2 coordinates"},
    {"cp.async.bulk.tensor.1d.global.shared::cta" BYTES " [map, {0}], [tile], [m];",
     "does not support this form"},
    {"cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {0}], [tile], s;",
     "does not support this form"},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.bulk_group [tile], [map, {0}];",
     "does not support this form"},
    {"cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group [map, {0}], [tile];",
     "does not support this form"},
    {"fence.acq_rel.gpu [map], 128;", "does not support this form"},
};

Test(opcodes, other_copies_of_boxes_are_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char ptx[2400];
        struct fixture fixture;
        snprintf(ptx, sizeof ptx, frame, refused[i].text);
        fixture_open(&fixture, NULL);
        fixture_load(&fixture, ptx);
        const char *why = fixture_refusal(&fixture, "k");
        cr_expect(strstr(why, refused[i].says), "'%s': %s", refused[i].text, why);
        fixture_close(&fixture);
    }
}
