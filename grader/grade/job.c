/* Writes and reads a job as JSON. */
#include "grade/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

bool grade_job_write(const struct grade_job *job, const char *path)
{
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:O*, s:O*, s:O*, s:O*, s:f, s:f}",
        "device", grading_device_name(job->device), "sandbox", sandbox_level_name(job->level),
        "bubblewrap", job->bubblewrap, "seed", (json_int_t)job->seed.number, "secret",
        job->seed.secret, "folder", job->folder, "file_name", job->file_name, "emulator",
        job->programs[ON_EMULATOR], "gpu", job->programs[ON_GPU], "solution", job->solution,
        "pictures", job->pictures, "terms", job->terms, "source", job->source, "only", job->only,
        "tries", job->tries, "work", job->work, "instructions", job->instructions);
    char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
    /* mode 0600: the job contains the secret of the inputs, and sandboxed programs can enter the
     * folder */
    bool written = text && base_write_file(path, text, strlen(text), 0600);
    free(text);
    json_decref(json);
    return written;
}

static bool copy(char *to, size_t size, const char *from)
{
    return snprintf(to, size, "%s", from) < (int)size;
}

bool grade_job_read(struct grade_job *job)
{
    const char *path = getenv(GRADE_JOB_VARIABLE);
    const char *device, *level, *bubblewrap, *folder, *file_name, *emulator, *gpu, *solution;
    int pictures;
    json_t *json = path ? json_load_file(path, 0, NULL) : NULL;
    bool good = json_unpack(json, "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:b}", "device",
                            &device, "sandbox", &level, "bubblewrap", &bubblewrap, "folder",
                            &folder, "file_name", &file_name, "emulator", &emulator, "gpu", &gpu,
                            "solution", &solution, "pictures", &pictures) == 0 &&
                grade_seed_read(json, &job->seed) && sandbox_level_find(level, &job->level) &&
                copy(job->bubblewrap, sizeof job->bubblewrap, bubblewrap) &&
                copy(job->folder, sizeof job->folder, folder) &&
                copy(job->file_name, sizeof job->file_name, file_name) &&
                copy(job->programs[ON_EMULATOR], PATH_SIZE, emulator) &&
                copy(job->programs[ON_GPU], PATH_SIZE, gpu) &&
                copy(job->solution, sizeof job->solution, solution);
    if (good) {
        job->device = strcmp(device, "gpu") == 0 ? ON_GPU : ON_EMULATOR;
        job->pictures = pictures;
        job->terms = json_incref(json_object_get(json, "terms"));
        job->source = json_incref(json_object_get(json, "source"));
        job->only = json_incref(json_object_get(json, "only"));
        job->tries = json_incref(json_object_get(json, "tries"));
        job->work = json_number_of(json, "work");
        job->instructions = json_number_of(json, "instructions");
    }
    json_decref(json);
    return good;
}
