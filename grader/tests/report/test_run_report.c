/* Tests the report of `lanewise run`: its totals, and its text on the terminal. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/run_terminal.h"
#include "report/run_totals.h"
#include "tests/support/shell.h"

/* Three launches of two kernels. "loads" has one wasteful line and one good line. */
static const char document_text[] =
    "{'launches': ["
    " {'kernel': 'loads(int*)', 'grid': [2, 1, 1], 'block': [32, 1, 1], 'status': 'ok',"
    "  'counters': {'warp_instructions': 2000, 'thread_instructions': 64000,"
    "   'longest_warp_instructions': 1200, 'global_load_requests': 10, 'global_load_sectors': 320,"
    "   'global_load_sectors_ideal': 40, 'global_load_lines': 160},"
    "  'lines': [{'file': 'a.cu', 'line': 3, 'counters': {'warp_instructions': 1500}},"
    "            {'file': 'a.cu', 'line': 2, 'counters': {'warp_instructions': 500,"
    "              'global_load_requests': 10, 'global_load_sectors': 320,"
    "              'global_load_sectors_ideal': 40}}]},"
    " {'kernel': 'loads(int*)', 'grid': [2, 1, 1], 'block': [32, 1, 1], 'status': 'ok',"
    "  'counters': {'warp_instructions': 1234567, 'thread_instructions': 1234567,"
    "   'longest_warp_instructions': 700}, 'lines': []},"
    " {'kernel': 'tree()', 'grid': [4, 3, 1], 'block': [8, 8, 2], 'status': 'illegal-address',"
    "  'occupancy': {'warps': 48, 'blocks': 12, 'limit': 'registers', 'registers': 40},"
    "  'counters': {'warp_instructions': 8, 'thread_instructions': 64, 'branches': 4,"
    "   'divergent_branches': 1, 'barriers': 5, 'shared_load_requests': 4,"
    "   'shared_load_wavefronts': 12, 'shared_load_wavefronts_ideal': 4,"
    "   'shared_load_bank_conflicts': 8,"
    "   'constant_requests': 6, 'constant_replays': 93,"
    "   'local_load_requests': 3, 'local_load_sectors': 96},"
    "  'lines': [{'file': 'a.cu', 'line': 9, 'counters': {'warp_instructions': 8, 'branches': 4,"
    "   'divergent_branches': 1, 'shared_load_requests': 4, 'shared_load_wavefronts': 12,"
    "   'shared_load_wavefronts_ideal': 4, 'shared_load_bank_conflicts': 8}}]}],"
    " 'findings': [{'id': 'out-of-bounds', 'severity': 'error', 'kernel': 'tree()', 'file': 'a.cu',"
    "  'line': 9, 'column': 5, 'message': 'store outside', 'count': 1200},"
    "  {'id': 'no-ptx', 'severity': 'error', 'kernel': '', 'file': '', 'line': 0, 'column': 0,"
    "  'message': 'no PTX', 'count': 1}]}";

/* Replaces ' by ", because JSON in C strings is easier to read with single quotes. */
static json_t *load(const char *quoted)
{
    char *text = strdup(quoted);
    for (char *at = text; *at; at++)
        if (*at == '\'')
            *at = '"';
    json_error_t error;
    json_t *document = json_loads(text, 0, &error);
    cr_assert(document, "%s", error.text);
    free(text);
    return document;
}

Test(run_totals, launches_of_a_kernel_are_added)
{
    json_t *document = load(document_text);
    struct report_totals totals;
    report_add_up(document, &totals);
    cr_assert_eq(totals.kernel_count, 2);
    const struct report_kernel *loads = &totals.kernels[0], *tree = &totals.kernels[1];
    cr_expect_eq(loads->launches, 2);
    cr_expect_eq(loads->counters.value[EMU_warp_instructions], 1236567);
    cr_expect_eq(loads->counters.value[EMU_longest_warp_instructions], 1200,
                 "longest_warp_instructions is a maximum, not a sum");
    cr_expect(!loads->sizes_differ && !loads->failed);
    cr_expect_str_eq(tree->failed, "illegal-address");
    report_totals_free(&totals);
    json_decref(document);
}

/* If launches have different sizes, each occupancy is printed with the number of its launches. */
Test(run_totals, occupancies_of_different_launches_are_listed)
{
    static const char *const launches[][2] = {{"32", "32"}, {"64", "64"},  {"128", "64"},
                                              {"96", "33"}, {"1024", "8"}, {"1024", "7"}};
    char *text = NULL, line[400];
    size_t size;
    json_t *document = json_pack("{s:[], s:[], s:[]}", "launches", "findings", "calls");
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        snprintf(
            line, sizeof line,
            "{'kernel': 'k()', 'grid': [8, 1, 1], 'block': [%s, 1, 1], 'status': 'ok', 'rules': "
            "'sector', 'counters': {}, 'lines': [], 'occupancy': {'warps': %s, 'blocks': 1, "
            "'limit': 'blocks', 'registers': 9}}",
            launches[i][0], launches[i][1]);
        json_array_append_new(json_object_get(document, "launches"), load(line));
    }
    FILE *memory = open_memstream(&text, &size);
    report_run_terminal(memory, document, &(struct report_run_options){.line_limit = 10});
    fclose(memory);
    static const char wanted[] =
        "  6 launches of different sizes\n"
        "  occupancy              50.0 %          32 of 64 warps, limited by blocks, about 9 registers per "
        "thread\n"
        "                                         1 launch of blocks of 32 threads\n"
        "  occupancy             100.0 %          64 of 64 warps, about 9 registers per thread\n"
        "                                         2 launches, the first of blocks of 64 threads\n";
    cr_expect(strstr(text, wanted), "%s", text);
    cr_expect(strstr(text, "                                         1 more launch with others\n"),
              "%s", text);
    free(text);
    json_decref(document);
}

Test(run_totals, the_worst_line_is_first)
{
    json_t *document = load(document_text);
    struct report_totals totals;
    report_add_up(document, &totals);
    cr_assert_eq(totals.line_count, 3);
    cr_expect(totals.lines[0].number == 2 && totals.lines[0].waste == 280);
    cr_expect(totals.lines[1].number == 9 && totals.lines[1].waste == 9);
    cr_expect(totals.lines[2].number == 3 && totals.lines[2].waste == 0);
    cr_expect(!totals.unknown_lines);
    report_totals_free(&totals);
    json_decref(document);
}

static char *print(const char *quoted, struct report_run_options options)
{
    char *text = NULL;
    size_t size;
    json_t *document = load(quoted);
    FILE *to = open_memstream(&text, &size);
    report_run_terminal(to, document, &options);
    fclose(to);
    json_decref(document);
    return text;
}

TestSuite(run_report, .init = shell_init, .fini = shell_fini);

/* Prints the report of the document in a folder that contains a.cu. */
static char *print_in_folder(struct report_run_options options)
{
    char *folder = shell_must("printf '\\n  sum += in[i];\\n' >a.cu; echo -n \"$PWD\"");
    cr_assert_eq(chdir(folder), 0);
    free(folder);
    return print(document_text, options);
}

Test(run_report, text_is_as_designed)
{
    char *text = print_in_folder((struct report_run_options){.line_limit = 10});
    const char *right =
        "\n"
        "loads(int*)\n"
        "  2 launches of 2 blocks of 32 threads\n"
        "  warp instructions   1,236,567          longest warp 1,200, 1.1 of 32 lanes active\n"
        "  global loads               10 requests         320 sectors  "
        "32.0 per request, ideal 4.0; 16.0 lines\n"
        "\n"
        "tree()\n"
        "  1 launch of 4 x 3 blocks of 8 x 8 x 2 threads, illegal-address\n"
        "  occupancy              75.0 %          48 of 64 warps, limited by registers, "
        "about 40 registers per thread\n"
        "  warp instructions           8          longest warp 0, 8.0 of 32 lanes active\n"
        "  branches                    4          1 divergent, 25.0 %\n"
        "  constant loads              6 requests          93 replays  16.5 words per request\n"
        "  barriers                    5\n"
        "  shared loads                4 requests          12 wavefronts  "
        "8 conflicts, 2.0 per request\n"
        "  local loads                 3 requests          96 sectors  32.0 per request\n"
        "\n"
        "Worst lines first\n"
        "  a.cu:2  500 warp instructions\n"
        "      sum += in[i];\n"
        "      global loads: 32.0 sectors per request; 4.0 would be enough (280 "
        "wasted)\n"
        "  a.cu:9  8 warp instructions\n"
        "      shared loads: 8 bank conflicts in 4 requests\n"
        "      branches: 1 of 4 divergent\n"
        "\n"
        "handouts/glossary.md explains lanes, sectors, wavefronts and other terms.\n"
        "\n"
        "a.cu:9:5: error: tree: store outside [out-of-bounds], 1,200 times\n"
        "lanewise: error: no PTX [no-ptx]\n"
        "\n"
        "lanewise explain ID explains the finding marked [ID].\n";
    cr_expect_str_eq(text, right, "got:\n%s", text);
    free(text);
}

Test(run_report, lines_can_be_limited_and_asked_for)
{
    char *one = print_in_folder((struct report_run_options){.line_limit = 1});
    cr_expect(strstr(one, "a.cu:2  ") && !strstr(one, "a.cu:9  "), "%s", one);
    char *all = print(document_text, (struct report_run_options){.lines_asked = true,
                                                                 .line_limit = REPORT_ALL_LINES});
    cr_expect(strstr(all, "a.cu:3  1,500 warp"), "%s", all);
    char *none = print(document_text, (struct report_run_options){.line_limit = 0});
    cr_expect(!strstr(none, "Worst lines"), "%s", none);
    free(one);
    free(all);
    free(none);
}

Test(run_report, colour_is_only_where_asked_for)
{
    char *plain = print_in_folder((struct report_run_options){.line_limit = 10});
    char *coloured =
        print(document_text, (struct report_run_options){.colour = true, .line_limit = 10});
    cr_expect(!strchr(plain, '\033'));
    cr_expect(strstr(coloured, "\033[1;31m32.0 per request\033[0m"), "%s", coloured);
    free(plain);
    free(coloured);
}

Test(run_report, a_program_without_lines_is_told_how_to_get_them)
{
    char *text = print("{'launches': [{'kernel': 'k()', 'grid': [1, 1, 1], 'block': [1, 1, 1],"
                       " 'status': 'ok', 'counters': {}, 'lines': [{'file': '', 'line': 0,"
                       " 'counters': {}}]}], 'findings': []}",
                       (struct report_run_options){.line_limit = 10});
    cr_expect(strstr(text, "nvcc -lineinfo"), "%s", text);
    free(text);
}
