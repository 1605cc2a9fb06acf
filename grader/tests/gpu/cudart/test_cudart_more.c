/* More tests of the runtime library with programs that check themselves (support/check.cuh). Each
 * prints "all right" on the emulator and, unchanged, on a GPU. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "tests/support/shell.h"

TestSuite(cudart_more, .init = shell_init, .fini = shell_fini, .timeout = 600);

static const struct {
    const char *program, *environment;
} runs[] = {
    {"memory_more", ""}, {"memory_more", "LANEWISE_POISON=9"},  {"streams", ""},
    {"cooperative", ""}, {"cooperative", "LANEWISE_WORKERS=1"}, {"graphs", ""},
    {"clusters", ""},    {"clusters", "LANEWISE_WORKERS=1"},
};

ParameterizedTestParameters(cudart_more, programs_find_their_results_right)
{
    static int indices[sizeof runs / sizeof *runs];
    for (int i = 0; i < (int)(sizeof runs / sizeof *runs); i++)
        indices[i] = i;
    return cr_make_param_array(int, indices, sizeof runs / sizeof *runs);
}

ParameterizedTest(int *index, cudart_more, programs_find_their_results_right)
{
    int code;
    char *output = shell(&code, "%s $LANEWISE run --lines 0 $PROGRAMS/%s 2>&1",
                         runs[*index].environment, runs[*index].program);
    cr_expect(code == 0 && strstr(output, "all right\n"), "%s %s: exit status %d: %s",
              runs[*index].environment, runs[*index].program, code, output);
    free(output);
}

/* Compares a program's output, line by line, with the output that was recorded on a GPU. */
static void expect_recorded(const char *program)
{
    char name[100];
    free(shell_must("$LANEWISE run --lines 0 $PROGRAMS/%s >out 2>/dev/null", program));
    snprintf(name, sizeof name, "%s.expected", program);
    char *got = shell_file("out", NULL), *got_rest = got;
    char *right = shell_source(name), *right_rest = right;
    for (int line = 1; got_rest || right_rest; line++) {
        const char *one = strsep(&got_rest, "\n"), *other = strsep(&right_rest, "\n");
        cr_assert(one && other && strcmp(one, other) == 0,
                  "%s, line %d: \"%.300s\", a GPU says \"%.300s\"", program, line,
                  one ? one : "(end)", other ? other : "(end)");
    }
    free(got);
    free(right);
}

/* Without observers, the emulator uses a faster path for irregular accesses. */
Test(cudart_more, accesses_are_the_same_without_observers)
{
    static const char *const ways[][2] = {{"", "global of 4 bytes: 533680f9 d222d11d cudaSuccess"},
                                          {"some", "global of 1 bytes: "},
                                          {"outside", " cudaErrorIllegalAddress"},
                                          {"uneven", " cudaErrorMisalignedAddress"}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char *watched = shell_must("$LANEWISE run --lines 0 $PROGRAMS/apart %s 2>/dev/null || true",
                                   ways[i][0]);
        char *alone = shell_must("LD_PRELOAD=$PRELOAD LD_LIBRARY_PATH=$LIB "
                                 "$PROGRAMS/apart %s 2>/dev/null",
                                 ways[i][0]);
        cr_expect_str_eq(alone, watched);
        cr_expect(strstr(alone, ways[i][1]), "%s: %s", ways[i][0], alone);
        free(watched);
        free(alone);
    }
}

Test(cudart_more, answers_are_those_of_a_gpu)
{
    expect_recorded("api_more");
}

Test(cudart_more, nodes_of_graphs_answer_like_a_gpu)
{
    expect_recorded("api_graphs");
}

Test(cudart_more, conditional_nodes_work_like_on_a_gpu)
{
    expect_recorded("conditional");
    char *drawing = shell_file("drawing_of_condition", NULL);
    cr_expect(strstr(drawing, "CONDITIONAL\ngraph_2\n") && strstr(drawing, "cluster_2"), "%s",
              drawing);
    free(drawing);
}

Test(cudart_more, graphs_are_drawn)
{
    expect_recorded("api_graphs");
    char *drawing = shell_file("drawing_of_all", NULL);
    cr_expect(strstr(drawing, "digraph dot {\nsubgraph cluster_1 {\n") == drawing, "%s", drawing);
    cr_expect(strstr(drawing, "MEMCPY\n(DtoH,16)\n"), "%s", drawing);
    cr_expect(strstr(drawing, "\"graph_1_node_1\" -> \"graph_1_node_2\";\n"), "%s", drawing);
    cr_expect(strstr(drawing, "subgraph cluster_2 {\n"), "the drawing of a child graph: %s",
              drawing);
    free(drawing);
    drawing = shell_file("drawing_with_kernel", NULL);
    cr_expect(strstr(drawing, "_Z4fillPii\ngrid 1 x 1 x 1\nblock 4 x 1 x 1\n"), "%s", drawing);
    free(drawing);
}

Test(cudart_more, managed_ranges_and_batches_answer_like_a_gpu)
{
    expect_recorded("api_ranges");
}

Test(cudart_more, libraries_answer_like_a_gpu)
{
    expect_recorded("api_libraries");
}

Test(cudart_more, simd_intrinsics_answer_like_a_gpu)
{
    expect_recorded("simd");
}

Test(cudart_more, bulk_copies_reduce_like_on_a_gpu)
{
    expect_recorded("bulk_reduce");
}

Test(cudart_more, spaces_are_those_of_a_gpu)
{
    expect_recorded("spaces");
}

/* Texels, filtered values and values at edges have exactly the GPU's bits. */
Test(cudart_more, textures_answer_like_a_gpu)
{
    expect_recorded("textures");
}

/* Mipmap levels, and cube maps read by direction, have exactly the GPU's bits, too. */
Test(cudart_more, mipmaps_and_cubes_answer_like_a_gpu)
{
    expect_recorded("mipmaps");
}

Test(cudart_more, halves_answer_like_a_gpu)
{
    expect_recorded("halves");
}
