/* Tests `lanewise explain`: the table of findings, the command, and the examples, each of which
 * must have its finding. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "gpu/finding_kinds.h"
#include "tests/support/shell.h"

#define COLUMNS  100
#define EXAMPLES LANEWISE_ROOT "/grader/report/examples"

TestSuite(explain, .init = shell_init, .fini = shell_fini, .timeout = 600);

/* --- the table -------------------------------------------------------------------------------- */

Test(explain, every_finding_is_described)
{
    for (size_t i = 0; i < emu_finding_kind_count; i++) {
        const struct finding_kind *kind = &emu_finding_kinds[i];
        cr_expect_eq(emu_finding_kind(kind->id), kind, "%s is in the table twice", kind->id);
        cr_expect(strcmp(kind->severity, "error") == 0 || strcmp(kind->severity, "warning") == 0 ||
                  strcmp(kind->severity, "note") == 0);
        cr_expect(*kind->title && *kind->help && *kind->text, "%s", kind->id);
    }
}

/* Every id that the sources report must be in the table. */
Test(explain, every_id_in_the_sources_is_in_the_table)
{
    char *ids =
        shell_must("cd " LANEWISE_ROOT
                   "/grader && { grep -rhE '(rt_finding(_at)?|findings_add|tell|report)\\(|id = ' "
                   "gpu/cudart gpu/observe; sed -n '/fault_ids\\[\\]/,/};/p' gpu/observe/*.c; } | "
                   "grep -oE '\"[a-z-]+\"' | tr -d '\"' | sort -u");
    size_t count = 0;
    for (char *id = strtok(ids, "\n"); id; id = strtok(NULL, "\n"), count++)
        cr_expect(emu_finding_kind(id), "%s is not in gpu/findings.def", id);
    cr_expect_gt(count, (size_t)15);
    free(ids);
}

/* --- the command ------------------------------------------------------------------------------ */

static void expect_narrow(const char *id, const char *text)
{
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        cr_expect_leq(strcspn(text, "\n"), (size_t)COLUMNS, "%s: %.40s", id, text);
}

Test(explain, lists_all_findings)
{
    char *text = shell_must("$LANEWISE explain");
    for (size_t i = 0; i < emu_finding_kind_count; i++)
        cr_expect(strstr(text, emu_finding_kinds[i].id), "%s", emu_finding_kinds[i].id);
    expect_narrow("the list", text);
    free(text);
}

Test(explain, explains_one_finding)
{
    for (size_t i = 0; i < emu_finding_kind_count; i++) {
        char *shown = shell_must("$LANEWISE explain %s", emu_finding_kinds[i].id);
        expect_narrow(emu_finding_kinds[i].id, shown);
        free(shown);
    }
    char *text = shell_must("$LANEWISE explain race-shared");
    cr_expect(strstr(text, "Threads run in any order"), "%s", text);
    cr_expect(strstr(text, "may not have written it yet"), "%s", text);
    free(text);
}

Test(explain, refuses_unknown_findings)
{
    int code;
    char *text = shell(&code, "$LANEWISE explain bank");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(text,
                     "lanewise explain: unknown finding \"bank\"; did you mean bank-conflict?\n");
    free(text);
    text = shell(&code, "$LANEWISE explain money");
    cr_expect_eq(code, 2);
    cr_expect_str_eq(
        text, "lanewise explain: unknown finding \"money\"; lanewise explain lists all findings\n");
    free(text);
}

/* --- the examples ----------------------------------------------------------------------------- */

/* Returns whether line LINE of SOURCE is in the function NAME. */
static bool is_line_of(const char *source, json_int_t line, const char *name)
{
    char here[40] = "";
    for (; line > 0 && *source; line--, source += strcspn(source, "\n") + 1)
        if (sscanf(source, "static void %39[a-z](", here) != 1)
            sscanf(source, "__global__ void %39[a-z](", here);
    return strcmp(here, name) == 0;
}

/* Returns whether FINDING is in the function FUNCTION. A finding in host code has no kernel, but a
 * line. */
static bool is_of(const json_t *finding, const char *source, const char *function)
{
    const char *name = json_string_value(json_object_get(finding, "kernel"));
    const char *space = strstr(name, "::");
    size_t length = strlen(function);
    name = space ? space + 2 : name;
    if (!*name)
        return is_line_of(source, json_integer_value(json_object_get(finding, "line")), function);
    return strncmp(name, function, length) == 0 && name[length] == '(';
}

/* Builds all examples as one program, because the compiler needs a second or two for each program.
 * "all ID" runs the example of finding ID, whose functions are in a separate namespace. What an
 * example's main() returns is ignored, because under another name it has to return something. */
static void build_examples(void)
{
    free(shell_must(
        "{ printf '#include <%%s>\n' assert.h stdio.h stdlib.h string.h\n"
        "for file in " EXAMPLES "/*.cu; do id=$(basename $file .cu); name=example_${id//-/_}\n"
        "echo \"namespace $name {\n#define main run\n#include \\\"$file\\\"\n#undef main\n}\"\n"
        "run=\"$run    if (strcmp(id, \\\"$id\\\") == 0) return $name::run(), 0;\n\"; done\n"
        "printf '%%s\n' 'static int run(const char *id) {' \"$run    return 99; }\" "
        "'int main(int argc, char **argv) { return run(argv[1]); }'; } >all.cu\n"
        "$NVCC -cudart shared -g -lineinfo -L$LIB -o all all.cu"));
}

/* Runs the example of finding ID. Its wrong() must have this finding, and its right() must have
 * none. */
static void try_example(const char *id)
{
    size_t i;
    json_t *finding;
    bool found = false;
    free(shell_must(
        "{ $LANEWISE run --tools racecheck,initcheck --json a.json ./all %s >a.txt 2>&1 || "
        "test $? -ne 99; }",
        id));
    char *text = shell_file("a.json", NULL), *source = shell_must("cat " EXAMPLES "/%s.cu", id);
    json_t *document = json_loads(text, 0, NULL);
    json_array_foreach(json_object_get(document, "findings"), i, finding)
    {
        const char *is = json_string_value(json_object_get(finding, "id"));
        found = found || (is_of(finding, source, "wrong") && strcmp(is, id) == 0);
        cr_expect(!is_of(finding, source, "right"), "%s: right() has [%s]", id, is);
    }
    cr_expect(found, "%s: wrong() lacks this finding", id);
    json_decref(document);
    free(text);
    free(source);
}

Test(explain, examples_have_their_findings)
{
    size_t count = 0;
    build_examples();
    for (size_t i = 0; i < emu_finding_kind_count; i++)
        if (emu_finding_kinds[i].has_example) {
            try_example(emu_finding_kinds[i].id);
            count++;
        }
    char *files = shell_must("ls " EXAMPLES "/*.cu | wc -l");
    cr_expect_eq((size_t)atoi(files), count, "a file that is no finding's example");
    free(files);
}
