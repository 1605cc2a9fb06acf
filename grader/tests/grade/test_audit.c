/* Tests lanewise audit, which grades one submission on two devices. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/agree.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

/* --- two devices ------------------------------------------------------------------------------------ */

static json_t *graded(const char *device, const char *build, const char *checks)
{
    json_t *list = json_loads(checks, 0, NULL);
    cr_assert(list, "%s", checks);
    return json_pack("{s:s, s:{s:s}, s:o}", "device", device, "build", "status", build, "checks",
                     list);
}

#define CHECK_OF(id, device, status, figure)                                                       \
    "{\"id\": \"" id "\", \"title\": \"t\", \"device\": \"" device "\", \"status\": \"" status     \
    "\", \"message\": \"why " device "\", \"figure\": " figure "}"
#define FIGURE "{\"value\": 1, \"full\": 2, \"naive\": 3}"

static const struct {
    const char *name, *emulator, *gpu;
    const char *wrong_on; /* the device that is wrong; NULL if the devices agree */
} audit_rows[] = {
    {"both right", CHECK_OF("a", "emulator", "passed", "null"),
     CHECK_OF("a", "gpu", "passed", "null"), NULL},
    {"both wrong", CHECK_OF("a", "emulator", "failed", "null"),
     CHECK_OF("a", "gpu", "crashed", "null"), NULL},
    {"wrong on the GPU", CHECK_OF("a", "emulator", "passed", "null"),
     CHECK_OF("a", "gpu", "failed", "null"), "gpu"},
    {"wrong on the emulator", CHECK_OF("a", "emulator", "timeout", "null"),
     CHECK_OF("a", "gpu", "passed", "null"), "emulator"},
    {"slow is not wrong", CHECK_OF("a", "emulator", "failed", FIGURE),
     CHECK_OF("a", "gpu", "passed", FIGURE), NULL},
    {"partly", CHECK_OF("a", "emulator", "partial", FIGURE),
     CHECK_OF("a", "gpu", "no-result", "null"), "gpu"},
    {"both verdicts are from the emulator", CHECK_OF("a", "emulator", "passed", "null"),
     CHECK_OF("a", "emulator", "failed", "null"), NULL},
    {"a check on one device only", CHECK_OF("a", "emulator", "failed", "null"),
     CHECK_OF("b", "gpu", "passed", "null"), NULL},
};

Test(audit, flags_what_is_right_on_one_device_only)
{
    for (size_t i = 0; i < sizeof audit_rows / sizeof *audit_rows; ++i) {
        char emulator[600], gpu[600];
        snprintf(emulator, sizeof emulator, "[%s]", audit_rows[i].emulator);
        snprintf(gpu, sizeof gpu, "[%s]", audit_rows[i].gpu);
        json_t *left = graded("emulator", "built", emulator), *right = graded("gpu", "built", gpu);
        json_t *found = agree_devices(left, right), *first = json_array_get(found, 0);
        const char *wrong_on = json_string_value(json_object_get(first, "wrong_on"));
        const char *message = json_string_value(json_object_get(first, "message"));
        cr_expect_eq(json_array_size(found), audit_rows[i].wrong_on ? 1 : 0, "%s",
                     audit_rows[i].name);
        if (audit_rows[i].wrong_on)
            cr_expect(wrong_on && strcmp(wrong_on, audit_rows[i].wrong_on) == 0 &&
                          strcmp(message + 4, wrong_on) == 0,
                      "%s: %s, %s", audit_rows[i].name, wrong_on, message);
        json_decref(found);
        json_decref(left);
        json_decref(right);
    }
}

Test(audit, flags_what_builds_on_one_device_only)
{
    json_t *left = graded("emulator", "built", "[]"), *right = graded("gpu", "rejected", "[]");
    json_t *found = agree_devices(left, right);
    cr_expect_eq(json_array_size(found), 1);
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(found, 0), "wrong_on")),
                     "gpu");
    json_decref(found);
    found = agree_devices(right, right);
    cr_expect_eq(json_array_size(found), 0);
    json_decref(found);
    json_decref(left);
    json_decref(right);
}

TestSuite(audit_command, .init = submission_init, .fini = shell_fini, .timeout = 100);

Test(audit_command, says_in_a_line_that_there_is_no_gpu)
{
    int code;
    char *there = shell(&code, "$LANEWISE doctor | grep -c '^GPU *none'");
    free(there);
    if (code != 0)
        cr_skip("this machine has a GPU");
    char *output = shell(&code, "$LANEWISE audit --lab 2 2>&1");
    cr_expect_eq(code, 2);
    cr_expect(strstr(output, "no GPU to compare the emulator with: ") &&
                  strchr(output, '\n') == output + strlen(output) - 1,
              "%s", output);
    free(output);
}
