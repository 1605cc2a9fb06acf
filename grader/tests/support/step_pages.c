#include "tests/support/step_pages.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/browser.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

#define STEPS 50 /* number of steps after which states are compared */

json_t *step_page_meta(const char *file)
{
    char *page = shell_file(file, NULL);
    static const char begin[] = "<script type=\"application/json\" id=\"meta\">";
    char *at = strstr(page, begin), *end = at ? strstr(at, "</script>") : NULL;
    json_error_t error;
    cr_assert(end, "%s has no document", file);
    json_t *meta =
        json_loadb(at + sizeof begin - 1, (size_t)(end - at) - (sizeof begin - 1), 0, &error);
    cr_assert(meta, "%s: %s", file, error.text);
    free(page);
    return meta;
}

long long step_page_block(const json_t *meta)
{
    const json_t *cta = json_object_get(meta, "cta"), *grid = json_object_get(meta, "grid");
    long long block = 0;
    for (size_t i = 3; i-- > 0;)
        block = block * json_integer_value(json_array_get(grid, i)) +
                json_integer_value(json_array_get(cta, i));
    return block;
}

/* Writes NAME.html for the program that `step` runs with ARGUMENTS, and NAME.truth with the
 * machine's state after random steps, in random order. Returns false if no kernel ran. */
static bool make_page(const char *name, const char *arguments)
{
    int code;
    char list[STEPS * 12] = "", file[100];
    char *output = shell(&code, "$LANEWISE step -o %s.html %s 2>&1", name, arguments);
    bool ran = code == 0;
    cr_assert(ran || strstr(output, "lanewise step: no kernel ran\n"), "%s: exit status %d: %s",
              name, code, output);
    free(output);
    if (!ran)
        return false;
    snprintf(file, sizeof file, "%s.html", name);
    json_t *meta = step_page_meta(file);
    long long steps = json_integer_value(json_object_get(meta, "steps"));
    for (int i = 0; i < STEPS; i++)
        sprintf(list + strlen(list), "%s%lld", i ? "," : "", rand() % steps);
    free(shell_must("export LANEWISE_STEPS_DUMP=$PWD/%s.dump LANEWISE_STEPS_DUMP_AT=%s\n"
                    "$LANEWISE step -o %s.html --launch %lld --block %lld %s >log 2>&1\n"
                    "awk '{print $0 \",\"}' %s.dump | shuf --random-source=<(yes) >%s.truth",
                    name, list, name, json_integer_value(json_object_get(meta, "launch")),
                    step_page_block(meta), arguments, name, name));
    json_decref(meta);
    return true;
}

static bool make_lab_page(const struct step_program *program)
{
    char arguments[100];
    snprintf(arguments, sizeof arguments, "--lab %s", program->lab);
    free(shell_must("cp -r labs kept"));
    if (program->mutant) {
        char *file = shell_must("printf %%s labs/%s/*.cu", program->lab);
        if (*program->mutant)
            submission_write_mutant(program->lab, program->mutant, file);
        else
            submission_write(program->lab, (struct edit[SUBMISSION_EDITS]){{NULL, NULL}}, file);
        free(file);
    }
    bool ran = make_page(program->name, arguments);
    free(shell_must("rm -r labs && mv kept labs"));
    return ran;
}

bool step_page_make(const struct step_program *program)
{
    return program->lab ? make_lab_page(program) : make_page(program->name, program->mutant);
}

void step_page_probe(const char *name, const char *probe)
{
    free(shell_must(
        "{ sed '/Content-Security-Policy/d' %s.html\n"
        "echo '<script>const page=\"%s\", truth=['; cat %s.truth; echo ']</script><script>'\n"
        "cat $TESTS/report/%s; echo '</script>'; } >%s.probe.html",
        name, name, name, probe, name));
}

void step_page_compare(const struct step_program *programs, size_t count)
{
    char *pages = calloc(count + 1, 100);
    for (size_t i = 0; i < count; i++) {
        step_page_probe(programs[i].name, "step_probe.js");
        sprintf(pages + strlen(pages), "'%s.probe.html',", programs[i].name);
    }
    char *output = browser_visit(pages);
    for (size_t i = 0; i < count; i++) {
        char want[120];
        snprintf(want, sizeof want, "%s: 0 differences, overflow 0\n", programs[i].name);
        cr_expect(strstr(output, want), "no \"%s\" in\n%s", want, output);
    }
    cr_expect(!strstr(output, "CONSOLE"), "the browser complains:\n%s", output);
    free(output);
    free(pages);
}
