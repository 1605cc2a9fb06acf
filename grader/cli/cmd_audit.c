/* lanewise audit: grades one submission on the emulator and on the GPU and shows where they
 * disagree.
 *
 * A submission can be right on only one device because it detects the device and cheats, or because
 * it has an error that a GPU happens not to show. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "grade/agree.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"

struct options {
    const char *lab, *submission, *seed;
    bool unsafe;
};

static const struct cli_option table[] = {CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB),
                                          CLI_TEXT(submission, "submission", "PATH", CLI_HELP_FILE),
                                          CLI_TEXT(seed, "seed", "N", CLI_HELP_SEED),
                                          CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE), CLI_END};

static const struct cli_syntax syntax = {
    .command = "audit",
    .usage =
        "usage: lanewise audit --lab NAME [OPTIONS]\n"
        "Grades a submission on the emulator and on this machine's GPU with the same seed, and\n"
        "lists the checks that pass on only one of them.\n",
    .options = table,
    .end = "exit code: 0 the devices agree, 1 they differ, 2 wrong usage or environment (no GPU),\n"
           "3 the grader failed\n",
    .word_advice = "name the file with --submission"};

#define complain(...) cli_complain("audit", __VA_ARGS__)

/* --- both gradings ---------------------------------------------------------------------------- */

static int print_disagreements(const json_t *found, const char *lab, uint64_t seed)
{
    size_t i;
    json_t *one;
    json_array_foreach(found, i, one)
    {
        const char *id = json_text_of(one, "id");
        printf("%s: %s%spasses on the %s, but not on the %s (%s)\n    %s\n", lab, id,
               *id ? ": " : "", json_text_of(one, "right_on"), json_text_of(one, "wrong_on"),
               json_text_of(one, "status"), json_text_of(one, "message"));
    }
    if (i == 0)
        printf("%s: both devices agree on every check (seed %llu)\n", lab,
               (unsigned long long)seed);
    return i ? EXIT_NOT_YET : EXIT_FULL;
}

/* Grades on both devices and compares the results. GRADING is complete except for the device. */
static int audit(struct grading *grading)
{
    json_t *results[2] = {NULL, NULL}, *found;
    char error[6000];
    int code = 0;
    for (int device = ON_EMULATOR; device <= ON_GPU && code == 0; ++device) {
        grading->device = (enum grading_device)device;
        enum grade_end end = grade_submission(grading, &results[device], error, sizeof error);
        if (end != GRADE_DONE)
            code = cli_complain_end("audit", end, grading->lab->name, error);
        else
            printf("%s on the %s: %.6g of %.6g points\n", grading->lab->name,
                   grading_device_name(grading->device), json_number_of(results[device], "score"),
                   json_number_of(results[device], "max_score"));
    }
    if (code == 0) {
        found = agree_devices(results[ON_EMULATOR], results[ON_GPU]);
        code = print_disagreements(found, grading->lab->name, grading->seed.number);
        json_decref(found);
    }
    json_decref(results[ON_EMULATOR]);
    json_decref(results[ON_GPU]);
    return code;
}

static int perform(const struct options *options, struct grading *grading)
{
    static struct submission submission; /* static because it is too large for the stack */
    static struct lab lab;
    char error[6000];
    int code;
    if (!cli_open_lab("audit", options->lab, &lab))
        return EXIT_USAGE;
    if (submission_open(&lab, options->submission, &submission, error, sizeof error)) {
        grading->lab = &lab;
        grading->submission = &submission;
        code = audit(grading);
        submission_close(&submission);
    } else
        code = complain(EXIT_USAGE, "%s", error);
    labs_close(&lab);
    return code;
}

int cmd_audit(int argc, char **argv)
{
    static char gpu_name[256];
    struct options options = {0};
    struct grading grading = {.gpu_name = gpu_name};
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_choose_seed("audit", options.seed, &grading.seed))
        return EXIT_USAGE;
    if (!installed_gpu_find(gpu_name, sizeof gpu_name))
        return complain(EXIT_USAGE, "no GPU to compare the emulator with: %s", gpu_name);
    cli_catch_signals();
    if (!cli_check_sandbox("audit", options.unsafe))
        return EXIT_USAGE;
    grading.unsafe = options.unsafe;
    grading.gpu_arch = installed_gpu_arch();
    return perform(&options, &grading);
}
