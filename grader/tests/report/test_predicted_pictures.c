/* Tests the pictures of predicted times: the numbers that they show, the pictures themselves, and
 * the command. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "report/predicted.h"
#include "report/predicted_html.h"
#include "report/predicted_terminal.h"
#include "report/svg_predicted.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(predicted_pictures, .init = shell_init, .fini = shell_fini, .timeout = 200);
TestSuite(golden_predicted_pictures, .init = shell_init, .fini = shell_fini, .timeout = 200);

/* A chip with round numbers, and two launches. One computes, the other copies. */
#define CHIP                                                                                       \
    "'gpu': 'round', 'title': 'ROUND 1', 'measured': true, 'most_warps': 1000,"                    \
    "'roofs': {'instructions': 100, 'flops': 6400, 'dram': 100, 'l2': 400, 'shared': 1600}"
static const char document_text[] =
    "{'launches': ["
    " {'kernel': 'void product<16>(float const*, int)', 'grid': [25, 2, 1], 'block': [16, 8, 1],"
    "  'status': 'ok', 'counters': {}, 'lines': [], 'predicted': {" CHIP ","
    "   'us': 12, 'low_us': 8, 'high_us': 18, 'limit': 'l2', 'also': 'dram',"
    "   'flops': 1e7, 'instructions': 4e5, 'dram_bytes': 1e5, 'l2_bytes': 2.5e6, 'shared_bytes': 2e6,"
    "   'parts': {'issue': 3, 'l2': 7.5, 'dram': 1, 'launch': 2, 'tail': 4.5, 'fp64': 0.01},"
    "   'warps': [200, 200, 200, 100]}},"
    " {'kernel': 'copy<a & b>(int)', 'grid': [8, 1, 1], 'block': [33, 1, 1],"
    "  'status': 'ok', 'counters': {}, 'lines': [], 'predicted': {" CHIP ","
    "   'us': 3, 'low_us': 2, 'high_us': 4, 'limit': 'launch', 'flops': 0, 'instructions': 2e4,"
    "   'dram_bytes': 1e5, 'l2_bytes': 1e5, 'shared_bytes': 0,"
    "   'parts': {'issue': 0.5, 'dram': 1, 'launch': 2}, 'warps': [16, 16, 16, 16]}},"
    " {'kernel': 'failed()', 'grid': [1, 1, 1], 'block': [1, 1, 1], 'status': 'timeout',"
    "  'counters': {}, 'lines': []}]}";

static json_t *load(void)
{
    char *text = strdup(document_text);
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    json_t *document = json_loads(text, 0, NULL);
    cr_assert(document);
    free(text);
    return document;
}

/* Reads launch NUMBER of DOCUMENT. */
static struct report_prediction read_launch(const json_t *document, size_t number)
{
    struct report_prediction p;
    const json_t *launch = json_array_get(json_object_get(document, "launches"), number);
    cr_assert(report_read_prediction(launch, &p));
    return p;
}

/* --- numbers ------------------------------------------------------------------------------------ */

Test(predicted_pictures, a_point_lies_under_its_lowest_roof)
{
    json_t *document = load();
    struct report_prediction p = read_launch(document, 0);
    struct report_roofline r;
    cr_expect(report_counts_flops(&p));
    report_roofline(&p, true, &r);
    cr_expect_float_eq(r.rate, 1000, 1e-6); /* 1e7 FLOP in 12 - 2 us */
    cr_expect_float_eq(r.intensity[0], 100, 1e-9);
    cr_expect_float_eq(r.intensity[1], 4, 1e-9);
    cr_expect_str_eq(r.lowest, "L2");
    cr_expect_float_eq(r.allowed, 1600, 1e-6);
    p.bytes[1] = 0;
    report_roofline(&p, true, &r);
    cr_expect_str_eq(r.lowest, "the arithmetic units");
    cr_expect_float_eq(r.allowed, 6400, 1e-6);
    p = read_launch(document, 1);
    cr_expect(!report_counts_flops(&p));
    report_roofline(&p, false, &r);
    cr_expect_float_eq(r.rate, 20, 1e-6); /* 2e4 instructions in 1 us */
    cr_expect_str_eq(r.lowest, "DRAM");
    cr_expect_float_eq(r.allowed, 20, 1e-6);
    json_decref(document);
}

Test(predicted_pictures, waves_are_counted)
{
    json_t *document = load();
    struct report_prediction p = read_launch(document, 0);
    struct report_waves waves;
    report_waves(&p, &waves); /* 50 blocks of 4 warps; the 200 warps that fit are 50 blocks */
    cr_expect_float_eq(waves.at_a_time, 50, 1e-9);
    cr_expect_float_eq(waves.waves, 1, 1e-9);
    cr_expect_float_eq(waves.average, 0.175, 1e-9);
    cr_expect_float_eq(waves.share[3], 0.1, 1e-9);
    p = read_launch(document, 1);
    report_waves(&p, &waves); /* 33 threads are 2 warps */
    cr_expect_float_eq(waves.at_a_time, 8, 1e-9);
    json_decref(document);
}

static const struct {
    double value;
    const char *text;
} rounded[] = {{0, "0"},          {0.012345, "0.0123"},   {7.125, "7.12"},
               {999.4, "999"},    {999.6, "1,000"},       {64204.8, "64,200"},
               {1043.3, "1,040"}, {1e9, "1,000,000,000"}, {123.4, "123"}};

Test(predicted_pictures, numbers_are_rounded)
{
    char text[32];
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
        cr_expect_str_eq(report_rounded(text, rounded[i].value), rounded[i].text, "%g: %s",
                         rounded[i].value, text);
}

static const struct {
    const char *list;
    bool known;
    unsigned pictures;
} lists[] = {{"limits", true, REPORT_LIMITS},
             {"roofline,occupancy", true, REPORT_ROOFLINE | REPORT_WAVES},
             {"all", true, REPORT_ALL_PICTURES},
             {"none", true, 0},
             {"", false, 0},
             {"roof", false, 0},
             {"limits,", false, 0}};

Test(predicted_pictures, lists_are_read)
{
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        unsigned pictures;
        bool known = report_find_pictures(lists[i].list, &pictures);
        cr_expect(known == lists[i].known && (!known || pictures == lists[i].pictures), "\"%s\"",
                  lists[i].list);
    }
}

/* --- pictures ----------------------------------------------------------------------------------- */

Test(golden_predicted_pictures, as_svg)
{
    static const struct {
        const char *name;
        unsigned picture;
    } pictures[] = {{"predicted-roofline.svg", REPORT_ROOFLINE},
                    {"predicted-limits.svg", REPORT_LIMITS},
                    {"predicted-occupancy.svg", REPORT_WAVES}};
    json_t *document = load();
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        cr_expect(report_predicted_svg(memory, document, pictures[i].picture));
        fclose(memory);
        golden_check(pictures[i].name, text);
        free(text);
    }
    json_decref(document);
}

/* The timeline has two frames: one in pageable memory, then one in page-locked memory, in two
 * streams. */
Test(golden_predicted_pictures, timeline)
{
    static const struct {
        const char *name, *engine;
        int stream;
        double start, end;
    } pieces[] = {{"copy to the device, pageable memory", "to-device", 1, 0, 30},
                  {"scale<a & b>(int*)", "compute", 1, 30, 35},
                  {"copy from the device", "from-device", 1, 35, 55},
                  {"copy to the device", "to-device", 2, 35, 55},
                  {"scale<a & b>(int*)", "compute", 2, 55, 60}};
    json_t *work = json_array();
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        json_array_append_new(work,
                              json_pack("{ss,ss,si,sf,sf}", "name", pieces[i].name, "engine",
                                        pieces[i].engine, "stream", pieces[i].stream, "start_us",
                                        pieces[i].start, "end_us", pieces[i].end));
    json_t *timeline =
        json_pack("{ss,sf,sf,sf,sf,so}", "title", "ROUND 1", "us", 60.0, "kernels_us", 10.0,
                  "copies_us", 50.0, "overlapped_us", 0.0, "work", work);
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    report_svg_timeline(memory, timeline, &(struct report_drawing){"timeline", false});
    fclose(memory);
    golden_check("predicted-timeline.svg", text);
    free(text);
    json_decref(timeline);
}

Test(golden_predicted_pictures, in_characters)
{
    json_t *document = load();
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    for (size_t i = 0; i < 2; i++) {
        struct report_prediction p = read_launch(document, i);
        report_draw_limits(memory, &p, false);
        report_draw_roofline(memory, &p, false);
        report_draw_waves(memory, &p, false);
    }
    fclose(memory);
    golden_check("predicted-pictures", text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_expect_leq(strlen(line), 100, "%zu columns: %s", strlen(line), line);
    free(text);
    json_decref(document);
}

Test(predicted_pictures, nothing_is_drawn_of_nothing)
{
    json_t *document = json_pack("{s:[]}", "launches");
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    cr_expect(!report_predicted_svg(memory, document, REPORT_LIMITS));
    cr_expect(!report_predicted_html(memory, document, "a"));
    fclose(memory);
    cr_expect_str_empty(text);
    free(text);
    json_decref(document);
}

/* --- the command -------------------------------------------------------------------------------- */

static const struct {
    const char *name, *script, *message;
} refusals[] = {
    {"no GPU", "--picture a.svg", "--draw and --picture need a GPU to predict: add --gpu h200"},
    {"an unknown picture", "--gpu h200 --draw roof", "unknown pictures \"roof\""},
    {"another format", "--gpu h200 --picture a.png", "ends in .svg or .html, not \"a.png\""},
    {"several in an SVG", "--gpu h200 --draw all --picture a.svg", "an SVG holds one picture"},
};

Test(predicted_pictures, usage_errors_are_one_line)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        int code;
        char *output = shell(&code, "$LANEWISE run %s $PROGRAMS/predicted", refusals[i].script);
        char *end = strchr(output, '\n');
        cr_expect_eq(code, 2, "%s: exit code %d", refusals[i].name, code);
        cr_expect(strstr(output, refusals[i].message) && end && !end[1], "%s: %s", refusals[i].name,
                  output);
        free(output);
    }
}

/* The page and its pictures are well-formed. The browser counts the texts that are not completely
 * inside of their picture. */
#define PROBE                                                                                      \
    "<script>onload=()=>{let out=0,pictures=[...document.querySelectorAll('svg')];"                \
    "for(const s of pictures){const a=s.getBoundingClientRect();"                                  \
    "for(const t of s.querySelectorAll('text')){const b=t.getBoundingClientRect();"                \
    "out+=b.left<a.left||b.right>a.right+1||b.bottom>a.bottom+1}}"                                 \
    "const ids=[...document.querySelectorAll('[id]')].map(e=>e.id);"                               \
    "document.body.dataset.said=`${pictures.length} pictures, ${out} texts outside, `+"            \
    "`ids twice ${ids.length-new Set(ids).size}`}</script>"

Test(predicted_pictures, the_page_looks_right_in_a_browser)
{
    free(
        shell_must("$LANEWISE run --gpu h200 --picture a.html $PROGRAMS/predicted >/dev/null 2>&1\n"
                   "sed '/Content-Security-Policy/d' a.html >b.html; cat >>b.html <<'END'\n%s\nEND",
                   PROBE));
    char *output = shell_must(
        "HOME=$PWD timeout 60 chromium --headless --no-sandbox --disable-gpu "
        "--disable-dev-shm-usage --user-data-dir=$PWD/profile --virtual-time-budget=5000 "
        "--dump-dom file://$PWD/b.html 2>/dev/null | grep -o 'data-said=\"[^\"]*'");
    cr_expect_str_eq(output, "data-said=\"10 pictures, 0 texts outside, ids twice 0\n", "%s",
                     output);
    free(output);
}
