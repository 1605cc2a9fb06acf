/* Tests the facts in the handouts (handouts/ladders/facts.py): no fact is missing, the emulator's
 * counts agree with theory, and a recording of other rungs is refused. Also tests that all figures
 * are well-formed.
 *
 * A ladder is a series of versions of one kernel, each faster than the previous one. A version is
 * called a rung. */
#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

#ifndef LANEWISE_PRELOAD /* the ordinary build makes the facts once */

#define LADDERS LANEWISE_ROOT "/handouts/ladders/"
#define FACTS   LANEWISE_ROOT "/build/ladders/facts.json"

static json_t *load_facts(void)
{
    json_error_t error;
    json_t *facts = json_load_file(FACTS, 0, &error);
    cr_assert(facts, "make facts: %s", error.text);
    return facts;
}

static const json_t *rungs_of(const json_t *facts, const char *ladder)
{
    return json_object_get(json_object_get(json_object_get(facts, "ladders"), ladder), "rungs");
}

/* Returns the number in COLUMN for RUNG of LADDER, or NaN. */
static double fact(const json_t *facts, const char *ladder, const char *rung, const char *column)
{
    const json_t *value = json_object_get(json_object_get(rungs_of(facts, ladder), rung), column);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* --- required facts ---------------------------------------------------------------------------------- */

/* Returns whether the recording of the H100's times declares itself older than this rung, or than
 * its ladder. */
static bool is_unrecorded(const json_t *facts, const char *ladder, const char *rung)
{
    const json_t *device = json_object_get(json_object_get(facts, "devices"), "h100");
    const char *without = json_string_value(json_object_get(device, "without"));
    char *list = strdup(without ? without : ""), *rest, *key;
    size_t length = strlen(ladder);
    bool found = false;
    for (key = strtok_r(list, " ", &rest); key && !found; key = strtok_r(NULL, " ", &rest))
        found = strncmp(key, ladder, length) == 0 &&
                (!key[length] || (key[length] == '.' && strcmp(key + length + 1, rung) == 0));
    free(list);
    return found;
}

/* Returns whether the rung launches nothing on the emulator. */
static bool is_uncounted(const char *rung)
{
    return strcmp(rung, "on-gpu") == 0 || strcmp(rung, "cpu") == 0 ||
           strncmp(rung, "cpu-", 4) == 0 || strncmp(rung, "cublas", 6) == 0;
}

static void check_rung(const json_t *facts, const char *ladder, const char *rung)
{
    const char *title =
        json_string_value(json_object_get(json_object_get(rungs_of(facts, ladder), rung), "title"));
    cr_expect(title && *title, "%s.%s has no title", ladder, rung);
    bool is_recorded = !is_unrecorded(facts, ladder, rung);
    if (strcmp(rung, "cpu-blas") == 0) /* the machine of the recording may have no BLAS */
        return;
    cr_expect_eq(fact(facts, ladder, rung, "time_h100") > 0, is_recorded, "%s.%s: a time", ladder,
                 rung);
    cr_expect_eq(fact(facts, ladder, rung, "spread_h100") >= 0, is_recorded, "%s.%s: a spread",
                 ladder, rung);
    if (!is_uncounted(rung))
        cr_expect(fact(facts, ladder, rung, "longest_warp") > 0, "%s.%s was not counted", ladder,
                  rung);
}

Test(ladders, have_all_facts_of_all_rungs)
{
    json_t *facts = load_facts();
    glob_t found;
    cr_assert_eq(glob(LADDERS "*.cu", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char *ladder = basename(found.gl_pathv[i]);
        const char *rung;
        json_t *row;
        *strrchr(ladder, '.') = '\0';
        cr_expect(json_object_size(rungs_of(facts, ladder)) >= 4, "%s has too few rungs", ladder);
        json_object_foreach((json_t *)rungs_of(facts, ladder), rung, row)
            check_rung(facts, ladder, rung);
    }
    globfree(&found);
    json_decref(facts);
}

/* --- predictions ------------------------------------------------------------------------------------- */

static const struct {
    const char *ladder, *predicted, *measured;
} predictions[] = {
    {"sumsq", "predicted_h100", "time_h100"},   {"coalesce", "predicted_h100", "time_h100"},
    {"atomics", "predicted_h100", "time_h100"}, {"reduce", "predicted_h100", "time_h100"},
    {"pitch", "predicted_h100", "time_h100"},   {"matmul", "predicted_1000_h100", "time_1000_h100"},
    {"sumsq", "predicted_8800gt", "then"},      {"reduce", "predicted_8800gt", "then"},
    {"matmul", "predicted_8800gt", "then"},
};

/* Predicted times differ from the times measured on an H100 by at most a factor of two. On an 8800
 * GT, whose numbers come from documents, the product with tiles of 16 is predicted 2.1 times too
 * slow. */
Test(ladders, take_about_as_long_as_predicted)
{
    json_t *facts = load_facts();
    for (size_t i = 0; i < sizeof predictions / sizeof *predictions; i++) {
        const char *ladder = predictions[i].ladder, *rung;
        json_t *row;
        int compared = 0;
        json_object_foreach((json_t *)rungs_of(facts, ladder), rung, row)
        {
            double predicted = fact(facts, ladder, rung, predictions[i].predicted);
            double measured = fact(facts, ladder, rung, predictions[i].measured);
            if (isnan(predicted) || isnan(measured))
                continue;
            compared++;
            double most = strstr(predictions[i].predicted, "8800gt") ? 2.2 : 2;
            cr_expect(predicted < most * measured && measured < most * predicted,
                      "%s.%s: %s %g, %s %g", ladder, rung, predictions[i].predicted, predicted,
                      predictions[i].measured, measured);
        }
        cr_expect_geq(compared, 3, "%s has too few predictions", ladder);
    }
    json_decref(facts);
}

/* --- theory ------------------------------------------------------------------------------------------ */

static const struct row {
    const char *ladder, *rung, *column;
    double want;
} rows[] = {
    {"sumsq", "one-thread", "load_requests", 1 << 20},
    {"sumsq", "block-1024", "load_requests", (1 << 20) / 32},
    {"sumsq", "one-thread", "then", 640e6},
    {"sumsq", "grid", "atomic_requests", 1056 * 8},
    {"sumsq", "grid-reduced", "atomic_requests", 1056},
    /* 512 x 512 pixels, 32 in one request; 16 blocks of 256 threads */
    {"picture", "pixel", "atomic_requests", 512 * 512 / 32},
    {"picture", "pixel", "atomic_collisions", 512 * 512 / 32 * 31},
    {"picture", "blocks-16", "atomic_collisions", 16 * 8 * 31},
    {"picture", "tree", "atomic_requests", 16},
    {"picture", "tree", "atomic_collisions", 0},
    {"picture", "block", "atomic_collisions_flat", 512 * 512 / 32 * 31},
    {"picture", "copies", "atomic_collisions_flat", 0},
    {"picture", "copies", "bank_conflicts", 0},
    {"picture", "one-thread", "then", 31418},
    {"votes", "scan", "barriers", 65536 / 32 * 10},
    {"votes", "ballot", "barriers", 65536 / 32 * 2},
    {"votes", "ballot", "atomic_requests", 65536 / 256},
    {"votes", "warps", "atomic_requests", 65536 / 256},
    {"votes", "warps-32", "atomic_requests", 65536 / 32},
    {"votes", "warps", "barriers", 0},
    {"groups", "shuffles", "atomic_requests", 65536 / 32},
    {"groups", "shuffles", "atomic_collisions", 0},
    {"groups", "walk", "atomic_requests", 0},
    {"coalesce", "interleaved-132", "load_sectors_per_request", 4},
    {"coalesce", "interleaved-4224", "load_sectors_per_request", 4},
    /* The sectors of a load today, and the transactions of a half-warp's load on an 8800 GT and on
     * a GTX 280. */
    {"strides", "stride-1", "load_sectors_per_request", 4},
    {"strides", "stride-2", "load_sectors_per_request", 8},
    {"strides", "stride-3", "load_sectors_per_request", 12},
    {"strides", "stride-4", "load_sectors_per_request", 16},
    {"strides", "stride-8", "load_sectors_per_request", 32},
    {"strides", "stride-32", "load_sectors_per_request", 32},
    {"strides", "offset-1", "load_sectors_per_request", 5},
    {"strides", "offset-8", "load_sectors_per_request", 4},
    {"strides", "stride-1", "load_transactions_per_half_warp_g80", 1},
    {"strides", "stride-2", "load_transactions_per_half_warp_g80", 16},
    {"strides", "offset-1", "load_transactions_per_half_warp_g80", 16},
    {"strides", "stride-2", "load_transactions_per_half_warp_gt200", 1},
    {"strides", "stride-4", "load_transactions_per_half_warp_gt200", 2},
    {"strides", "stride-32", "load_transactions_per_half_warp_gt200", 16},
    /* each structure has 12 bytes */
    {"aos", "structures", "load_sectors_per_request", 12},
    {"aos", "arrays", "load_sectors_per_request", 4},
    {"aos", "one-field", "load_sectors_per_request", 32},
    {"aos", "structures", "load_transactions_per_half_warp_g80", 48},
    {"aos", "arrays", "load_transactions_per_half_warp_g80", 3},
    {"aos", "padded", "load_transactions_per_half_warp_g80", 2},
    {"aos", "structures", "load_transactions_per_half_warp_gt200", 6},
    /* 8 warps load 1,024 times: a stride of 2, 4, 8 ... needs 1, 3, 7 ... more passes */
    {"banks", "stride-1", "bank_conflicts", 0},
    {"banks", "stride-2", "bank_conflicts", 8 * 1024},
    {"banks", "stride-4", "bank_conflicts", 3 * 8 * 1024},
    {"banks", "stride-16", "bank_conflicts", 15 * 8 * 1024},
    {"banks", "stride-17", "bank_conflicts", 0},
    {"banks", "stride-32", "bank_conflicts", 31 * 8 * 1024},
    {"banks", "stride-33", "bank_conflicts", 0},
    {"banks", "stride-32", "bank_conflicts_g80", 15 * 16 * 1024},
    /* extra passes of a half-warp on an 8800 GT, and of a warp on a current GPU */
    {"types", "char", "load_conflicts_per_request_g80", 3},
    {"types", "char", "load_conflicts_per_request", 0},
    {"types", "short", "load_conflicts_per_request_g80", 1},
    {"types", "short", "load_conflicts_per_request", 0},
    {"types", "int", "load_conflicts_per_request_g80", 0},
    {"types", "double", "load_conflicts_per_request_g80", 2},
    {"types", "double", "load_conflicts_per_request", 0},
    {"types", "float-char", "load_conflicts_per_request_g80", 1},
    {"types", "float-char", "load_conflicts_per_request", 1},
    {"types", "float2", "load_conflicts_per_request_g80", 1},
    {"types", "float2", "load_conflicts_per_request", 1},
    {"types", "float3", "load_conflicts_per_request_g80", 0},
    {"types", "float3", "load_conflicts_per_request", 0},
    {"types", "float4", "load_conflicts_per_request", 3},
    {"types", "sum-32", "shared_load_requests", 8 * 1024},
    {"types", "sum-64", "shared_load_requests", 8 * 1024 / 2},
    {"types", "sum-128", "shared_load_requests", 8 * 1024 / 4},
    {"types", "sum-128", "shared_load_wavefronts", 8 * 1024},
    /* 32 blocks of 256 threads; an H200 gave the same counts */
    {"reduce", "conflicts", "bank_conflicts", 2240 + 1120},
    {"reduce", "mask", "bank_conflicts", 0},
    {"reduce", "sequential", "bank_conflicts", 0},
    {"reduce", "halves-unrolled", "bank_conflicts", 0},
    {"reduce", "halves-unrolled", "barriers", 32 * 8 * 9},
    {"reduce", "halves-unrolled", "then", 136e3},
    {"reduce", "shuffle", "barriers", 32 * 8},
    {"transpose", "naive", "store_sectors_per_request", 32},
    {"transpose", "tile", "bank_conflicts", 31 * 256 * 256 / 32},
    {"transpose", "tile-padded", "bank_conflicts", 0},
    {"pitch", "copy-8191-pitched", "lines_per_request", 1},
    {"atomics", "pixel", "adds", 4096 * 4096},
    {"atomics", "block", "atomic_requests", 1056},
    {"divergence", "ways-1", "divergent_branches", 0},
    {"divergence", "ways-1", "active_lanes", 32},
    {"occupancy", "threads-32", "occupancy", 50},
    {"occupancy", "threads-768", "occupancy", 75},
    {"occupancy", "threads-1024", "occupancy", 100},
    {"occupancy", "shared-192", "occupancy", 12.5},
    {"matmul", "tiles-16-padded", "bank_conflicts", 0},
    {"matmul", "tiles-16-padded", "then", 25.64},
    {"matmul", "tiles-16-padded", "then_kernel", 48},
    {"block_size", "warps-1", "occupancy", 50},
    {"block_size", "rows-200", "occupancy", 100},
    {"block_size", "warps-24", "occupancy", 75},
    {"block_size", "warps-4", "occupancy", 25},
    {"solver", "stencil-tile", "barriers", 4 * 256 * 256 / 32},
    {"solver", "stencil-tile", "global_store_sectors", 4 * 256 * 256 / 8},
    {"solver", "main-8", "looks", 9},
    {"precision", "sums-pairs", "double_operations", 0},
    {"precision", "halves-float", "ulp", 0},
    {"precision", "halves-float", "load_requests", 32 * 4096 / 64},
    {"precision", "halves-double", "load_requests", 32 * 4096 / 32},
    {"read_only", "filter-scattered", "constant_replays", 8192 * 8 / 32 * 15 * 7},
    {"read_only", "filter-constant", "constant_replays", 0},
    {"read_only", "filter-all", "load_requests", 8192 / 32 * 15},
    {"read_only", "slopes-ldg", "load_requests", 13 * 256 * 128 / 32},
    {"read_only", "slopes-restrict", "load_requests", 5 * 256 * 128 / 32},
    {"fast_product", "tiles", "shared_requests", 256 * 256 / 32 * (2 * 256 + 2 * 256 / 16)},
    {"fast_product", "vectors", "shared_requests", 4 * 8 * 32 * (4 * 8 + 4 + 1)},
    {"fast_product", "vectors", "waits", 4 * 8 * 32 * 2},
    {"fast_product", "copies", "waits", 4 * 8},
    {"fast_product", "copies", "async_copies", 4 * 8 * 32},
    {"fast_product", "copies", "async_copies_exposed", 4 * 8},
};

Test(ladders, count_what_theory_says)
{
    json_t *facts = load_facts();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        double is = fact(facts, row->ladder, row->rung, row->column);
        cr_expect(fabs(is - row->want) < 1e-9, "%s.%s.%s is %g, want %g", row->ladder, row->rung,
                  row->column, is, row->want);
    }
    json_decref(facts);
}

/* With chunks, every warp except the last ones needs one sector per lane. A kernel that loads tiles
 * of A and B into shared memory makes fewer loads than the naive kernel: a sixteenth with tiles of
 * 16 x 16, a 32nd with tiles of 32 x 32. */
Test(ladders, count_nearly_what_theory_says)
{
    json_t *facts = load_facts();
    cr_expect(fact(facts, "coalesce", "chunks-132", "load_sectors_per_request") > 31.9);
    cr_expect(fabs(fact(facts, "solver", "dense-rows", "load_sectors_per_request") - 16.5) < 0.05);
    cr_expect(fabs(fact(facts, "solver", "dense-columns", "load_sectors_per_request") - 2.5) <
              0.05);
    double naive = fact(facts, "matmul", "naive", "load_requests");
    cr_expect(fact(facts, "matmul", "tiles-16-padded", "load_requests") < naive / 15);
    cr_expect(fact(facts, "matmul", "tiles-32-padded", "load_requests") < naive / 30);
    /* Each thread makes four products in each of 1,024 steps, and there are 8 warps. Each product
     * takes one more instruction. */
    double product = fact(facts, "costs", "int-fma", "warp_instructions");
    cr_expect(fact(facts, "costs", "int-mul24", "warp_instructions") > product + 8 * 1024);
    json_decref(facts);
}

/* --- recordings of other rungs -------------------------------------------------------------------------- */

TestSuite(ladders_made, .init = shell_init, .fini = shell_fini);

#define JOIN                                                                                       \
    "join() { python3 -B " LADDERS "facts.py --out facts --ladders " LANEWISE_ROOT                 \
    "/build/ladders/transpose.json --data $PWD/h100.tsv 2>&1; }\n"                                 \
    "grep '^#\\|^transpose' " LANEWISE_ROOT "/handouts/data/h100.tsv >h100.tsv\n"

Test(ladders_made, refuse_recordings_of_other_rungs)
{
    int code;
    free(shell_must(JOIN "join && test -s facts.json && test -s facts.lua"));
    char *text = shell(&code, JOIN "sed -i '/tile-padded/d' h100.tsv; join");
    cr_expect(code == 1 && strstr(text, "lacks transpose.tile-padded; run make record-ladders"),
              "%s", text);
    free(text);
    free(shell_must(
        JOIN "sed -i '/tile-padded/d; /# without/d; 1i# without: transpose.tile-padded' h100.tsv; "
             "join"));
    text = shell(&code, JOIN "sed -i 's/tile-padded/tile-37/' h100.tsv; join");
    cr_expect(code == 1 && strstr(text, "transpose has no rung tile-37; run make record-ladders"),
              "%s", text);
    free(text);
}

/* On the emulator, the ladder that compares with the CPU goes only up to a small size. Its times
 * can be joined and drawn. */
Test(ladders_made, cross_over)
{
    free(shell_must(
        "LADDER_MOST=32 LADDER_CORES=2 $LANEWISE run " LANEWISE_ROOT
        "/build/ladders/crossover times 2>log >times || { cat log; exit 1; }\n"
        "{ printf '# device: Emulator\\n# date: today\\n'; sed 's/^/crossover\\t/' times; } >h100.tsv\n"
        "python3 -B " LADDERS "facts.py --out facts --ladders " LANEWISE_ROOT
        "/build/ladders/crossover.json --data h100.tsv\n"
        "grep -q '\"beats_cores_h100\": \"never\"' facts.json\n"
        "draw() { " LANEWISE_ROOT "/handouts/figures/$1.py facts.json; }\n"
        "draw crossover | grep 'tiles of 16, with copies'\n"
        "draw crossover-sum | grep 'sum, one core'"));
}

Test(ladders_made, are_asked_for_counts_or_times)
{
    int code;
    char *text = shell(&code, "$LANEWISE run " LANEWISE_ROOT "/build/ladders/aos slowly");
    cr_expect(code == 2 && strstr(text, "aos counts|times"), "%s", text);
    free(text);
}

/* Each figure is one XML document that describes its content, and all its text fits inside. */
Test(ladders_made, figures_are_well_formed)
{
    free(shell_must(
        "cat >check.py <<'END'\n"
        "import sys, xml.etree.ElementTree as tree\n"
        "name = '{http://www.w3.org/2000/svg}'\n"
        "for path in sys.argv[1:]:\n"
        "    svg = tree.parse(path).getroot()\n"
        "    assert len(svg.find(name + 'title').text) > 20, path\n"
        "    width, height = float(svg.get('width')), float(svg.get('height'))\n"
        "    for text in svg.iter(name + 'text'):\n"
        "        size = (5.3 if 'small' in text.get('class', '') else 6.2) * len(text.text)\n"
        "        back = {'middle': 0.5, 'end': 1}.get(text.get('text-anchor'), 0)\n"
        "        left = float(text.get('x')) - size * back\n"
        "        assert left >= -8 and left + size <= width + 8, (path, text.text)\n"
        "        assert 0 < float(text.get('y')) <= height, (path, text.text)\n"
        "END\n"
        "for script in " LANEWISE_ROOT "/handouts/figures/*.py; do\n"
        "    $script " FACTS " >$(basename $script).svg || exit 1\n"
        "done; python3 check.py *.svg"));
}

/* Every figure is shown in some handout. (transpose belongs to a lab that has no page yet.) */
Test(ladders_made, figures_are_shown)
{
    char *unseen = shell_must("cd " LANEWISE_ROOT "/handouts && for script in figures/*.py; do "
                              "name=$(basename $script .py); [ $name = transpose ] || "
                              "grep -q \"(figures/$name.svg)\" *.md || echo $name; done");
    cr_expect_str_empty(unseen, "drawn, but on no page: %s", unseen);
    free(unseen);
}

#endif
