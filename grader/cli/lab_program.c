#include "cli/lab_program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/common.h"

static bool build(const char *command, const struct lab *lab, const char *path,
                  struct cli_lab_program *built)
{
    struct submission submission;
    struct compile_build result;
    char error[PATH_SIZE + 200], why[400];
    if (!submission_open(lab, path, &submission, error, sizeof error)) {
        cli_complain(command, EXIT_USAGE, "%s", error);
        return false;
    }
    snprintf(built->source, sizeof built->source, "%s", path ? submission.shown : built->own);
    struct compile_job job = {.source = &submission.source,
                              .file_name = lab->file,
                              .shown = submission.shown,
                              .device = ON_EMULATOR,
                              .debug = built->debug,
                              .level = sandbox_best_level(why, sizeof why),
                              .folder = built->folder};
    compile_build(&job, &result);
    bool good = result.end == COMPILE_DONE;
    if (result.messages && result.messages[0])
        fprintf(stderr, "%s\n", result.messages);
    if (good)
        memcpy(built->program, result.program, sizeof built->program);
    else if (result.end != COMPILE_INTERRUPTED)
        cli_complain(command, EXIT_USAGE, "%s could not be built", submission.shown);
    compile_build_free(&result);
    submission_close(&submission);
    return good;
}

bool cli_build_lab_program(const char *command, const char *word, const char *submission,
                           struct cli_lab_program *built)
{
    struct lab lab;
    built->folder[0] = '\0';
    if (!cli_open_lab(command, word, &lab))
        return false;
    bool good = lab_own_path(&lab, built->own);
    cli_catch_signals();
    if (good && !base_private_folder(built->folder)) {
        built->folder[0] = '\0';
        cli_complain(command, EXIT_USAGE, "cannot make a temporary folder: %s", strerror(errno));
        good = false;
    }
    good = good && build(command, &lab, submission, built);
    labs_close(&lab);
    return good;
}

void cli_forget_lab_program(const struct cli_lab_program *built)
{
    if (built->folder[0])
        base_remove_tree(built->folder);
}

/* Compare only the names of the files, because a cached program was built in another folder. */
bool cli_is_lab_file(const char *path, const struct cli_lab_program *built)
{
    const char *slash = strrchr(path, '/');
    return slash && built->folder[0] && strcmp(slash, strrchr(built->own, '/')) == 0;
}

/* If "file" of OBJECT is the file that was built, replaces it with the path of the student's
 * file. */
static void rename_in(json_t *object, const struct cli_lab_program *built)
{
    const char *file = json_string_value(json_object_get(object, "file"));
    if (file && cli_is_lab_file(file, built))
        json_object_set_new(object, "file", json_string(built->own));
}

void cli_name_lab_file(json_t *record, const struct cli_lab_program *built)
{
    size_t i, j;
    json_t *launch, *line, *finding, *access;
    json_array_foreach(json_object_get(record, "launches"), i, launch)
    {
        json_array_foreach(json_object_get(launch, "lines"), j, line) rename_in(line, built);
    }
    json_array_foreach(json_object_get(record, "findings"), i, finding) rename_in(finding, built);
    json_array_foreach(json_object_get(record, "accesses"), i, access) rename_in(access, built);
}
