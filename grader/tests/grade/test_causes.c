/* Tests how a grading makes causes from findings, and programs from edits. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "course/lab.h"
#include "course/submission.h"
#include "grade/finding.h"
#include "grade/tries.h"

/* A kernel whose body is TEXT, which begins in line 3. */
#define KERNEL(text) "__global__ void f(int n)\n{\n" text "\n}\n"

/* If the compiler splits a loop, the finding about an unset variable can be wrong. COUNT is the
 * number of causes: a variable without a value must be declared. */
static const struct {
    const char *name, *source;
    size_t count;
} unset[] = {
    {"variable", KERNEL("int a;\na += n;"), 1},
    {"array", KERNEL("int a[4];\na[0] += n;"), 1},
    {"all have values", KERNEL("int a = 0, b[4] = {};\na += b[n];"), 0},
    {"shared array", KERNEL("__shared__ int a[4];\na[0] += n;"), 0},
    {"variable on the CPU", "int main()\n{\nint a;\nreturn a;\n}\n", 0},
};

Test(causes, of_unset_variables_need_a_declaration)
{
    for (size_t i = 0; i < sizeof unset / sizeof *unset; ++i) {
        struct submission submission = {
            .source = {.bytes = (char *)unset[i].source, .size = strlen(unset[i].source)},
            .shown = "a.cu"};
        struct lab lab = {.file = "a.cu"};
        struct grading grading = {.lab = &lab, .submission = &submission};
        struct grade_result result = {
            .grading = &grading, .checks = json_array(), .causes = json_array()};
        result.findings =
            json_pack("[{s:s, s:s, s:i}]", "id", "unset-variable", "file", "a.cu", "line", 4);
        grade_add_unset(&result);
        cr_expect_eq(json_array_size(result.causes), unset[i].count, "%s", unset[i].name);
        json_decref(result.checks);
        json_decref(result.causes);
        json_decref(result.findings);
    }
}

/* The namespace of an edit has the changed function and all that call it, even if a directive is
 * before the function. */
Test(causes, edits_also_change_the_callers)
{
    static const char source[] = "#include \"lab.h\"\n#define W (64 / \\\n 32)\n"
                                 "int f(int n)\n{\n    return n;\n}\nint g(int n)\n{\n"
                                 "    return f(n);\n}\nint h()\n{\n    return 0;\n}\n"
                                 "int main(void)\n{\n    return g(1);\n}\n";
    struct edits edits = {.count = 1};
    bool is_out[1] = {false};
    size_t size;
    const char *at = strstr(source, "n;");
    edits.list[0] = (struct small_edit){.begin = (size_t)(at - source),
                                        .end = (size_t)(at - source) + 1,
                                        .text = "n + 1",
                                        .line = 6};
    char *text = tries_write(&(struct tries){&edits, is_out, source, "a.cu"}, &size);
    cr_assert_not_null(text);
    char *edited = strstr(text, "namespace try_0");
    cr_assert_not_null(edited);
    cr_expect(strstr(edited, "return n + 1;"));
    cr_expect(strstr(edited, "return f(n);"));
    cr_expect(strstr(edited, "return g(1);"));
    cr_expect(!strstr(edited, "int h()"));
    cr_expect(strstr(text, "case 0: return try_0::main(argc, argv);"));
    free(text);
}
