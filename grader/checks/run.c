#include "checks/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "config.h"
#include "gpu/remote/wire.h"
#include "grade/installed_gpu.h"
#include "record/record.h"
#include "sandbox/sandbox.h"

#define CPU_SECONDS    80
#define DEVICE_SECONDS 5                    /* from the end of the program to that of its device */
#define ADDRESS_BYTES  ((uint64_t)64 << 30) /* the emulator reserves much and touches little */
#define DATA_BYTES     ((uint64_t)4 << 30)
#define THREADS        512 /* the GPU's driver has some, the emulator one for each core */
#define OUTPUT_KEEP    ((size_t)64 << 10)

/* That the sanitizers make everything slow is nobody's fault. */
#ifdef LANEWISE_PRELOAD
#define PATIENCE 3
#else
#define PATIENCE 1
#endif

/* A launch may execute this many warp instructions: several times what the slowest right kernel
 * needs (about 5 million, for one thread and a million numbers), and done in a few seconds. */
#define MAX_INSTRUCTIONS "32000000"

enum { MOST_VARIABLES = 15, MOST_FOLDERS = 10 };

/* "NAME=value" strings, NULL-terminated, and their text. */
struct environment {
    const char *list[MOST_VARIABLES + 1];
    char text[MOST_VARIABLES][PATH_SIZE + 32];
    size_t count;
};

__attribute__((format(printf, 2, 3))) static void add(struct environment *environment,
                                                      const char *format, ...)
{
    va_list args;
    char *text = environment->text[environment->count];
    va_start(args, format);
    vsnprintf(text, sizeof environment->text[0], format, args);
    va_end(args);
    environment->list[environment->count++] = text;
}

static void take_over(struct environment *environment, const char *name)
{
    const char *value = getenv(name);
    if (value && strlen(value) < PATH_SIZE)
        add(environment, "%s=%s", name, value);
}

static void fill_program(struct environment *environment, const struct process *process,
                         const struct check_run *run)
{
    add(environment, "PATH=/usr/bin:/bin");
    add(environment, "LC_ALL=C");
    if (run->device == ON_GPU) { /* where the driver is, and which GPU a batch system gave us */
        take_over(environment, "CUDA_VISIBLE_DEVICES");
        take_over(environment, "LD_LIBRARY_PATH");
        return;
    }
    add(environment, "LD_LIBRARY_PATH=%s", process->program_folder);
    add(environment, WIRE_VARIABLE "=1");
#ifdef LANEWISE_PRELOAD
    /* The runtime library is built with it too, and its program is not. */
    add(environment, "LD_PRELOAD=" LANEWISE_PRELOAD);
    add(environment, "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS);
#endif
}

static void fill_device(struct environment *environment, const struct process *process,
                        const struct check *check, const struct check_run *run)
{
    add(environment, "LANEWISE_RECORD=%s", process->record);
    add(environment, "LANEWISE_RECORD_BYTES=%zu", RECORD_BYTES); /* more than that is too much */
    add(environment, "LANEWISE_POISON=%llu", (unsigned long long)process->poison);
    add(environment, "LANEWISE_MEMORY=%llu", (unsigned long long)PROCESS_GPU_BYTES);
    add(environment, "LANEWISE_DETERMINISTIC=1");
    add(environment, "LANEWISE_MAX_INSTRUCTIONS=" MAX_INSTRUCTIONS);
    add(environment, "LANEWISE_TOOLS=%s", run->watched ? "origins,racecheck,initcheck" : "origins");
    if (run->backwards)
        add(environment, "LANEWISE_BACKWARDS=1");
    else if (check->job.pictures)
        add(environment, "LANEWISE_TRACE=*");
    if (run->hides) {
        add(environment, "LANEWISE_SHOWN=%s", process->shown_path);
        add(environment, "LANEWISE_JUDGED=%s", process->judged_path);
        add(environment, "LANEWISE_ANSWERS=%s", process->answers);
    } else if (run->spoils) {
        add(environment, "LANEWISE_SPOIL=%llu", (unsigned long long)process->spoil);
        add(environment, "LANEWISE_SPOIL_EVERY=%zu", run->spoils);
    }
#ifdef LANEWISE_PRELOAD
    add(environment, "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS); /* no sandbox lets it look for leaks */
#endif
}

/* Adds the folders of TEXT, which colons separate, to a list with ROOM for more. */
static void add_folders(char *text, const char **list, size_t room)
{
    char *rest, *folder = strtok_r(text, ":", &rest);
    for (; folder && room > 0; folder = strtok_r(NULL, ":", &rest))
        if (folder[0] == '/' && access(folder, F_OK) == 0) {
            *list++ = folder;
            --room;
        }
}

static void run_on_gpu(const struct process_command *command, struct sandbox *sandbox,
                       const char **folders, bool alone, struct process_outcome *outcome)
{
    struct process_command driven =
        *command; /* the driver reserves, shares and grows as it likes */
    char libraries[PATH_SIZE];
    driven.address_bytes = driven.data_bytes = driven.file_bytes = 0;
    snprintf(libraries, sizeof libraries, "%s", getenv("LD_LIBRARY_PATH") ?: "");
    add_folders(libraries, folders, MOST_FOLDERS);
    sandbox->gpu = true;
    int turn = installed_gpu_lock(alone);
    process_run(&driven, outcome);
    installed_gpu_unlock(turn);
}

static void run_on_emulator(const struct process *process, bool hides,
                            const struct process_command *command,
                            const struct environment *environment, struct process_outcome *outcome,
                            struct process_outcome *device_outcome)
{
    char path[PATH_SIZE];
    const char *const words[] = {path, NULL};
    const char *const read[] = {process->program_folder, hides ? process->shown_path : NULL,
                                process->judged_path, NULL};
    const char *const keep[] = {process->record, hides ? process->answers : NULL, NULL};
    struct sandbox sandbox = *command->sandbox;
    struct process_command device = *command;
    base_path(path, "%s/lanewise-device", process->program_folder);
    sandbox.folder = device.folder = process->device_folder;
    sandbox.read = read;
    sandbox.keep = keep;
    sandbox.shares = true;
#ifndef LANEWISE_PRELOAD
    sandbox.bare = true; /* gpu/remote/rules.mk links it so */
#endif
    device.sandbox = &sandbox;
    device.argv = words;
    device.environment = environment->list;
    device.wall_seconds = PATIENCE * DEVICE_SECONDS;
    device.file_bytes = 0; /* memory that it shares with the program is a file */
    process_run_served(command, &device, outcome, device_outcome);
}

void process_execute(const struct process *process, const struct check *check,
                     const struct check_run *run, int seconds, struct process_outcome *program,
                     struct process_outcome *device)
{
    struct environment environment = {.count = 0}, device_environment = {.count = 0};
    char count[16];
    const char *read[MOST_FOLDERS + 3] = {process->program_folder, process->input};
    const char *const keep[] = {process->result, NULL};
    const char *words[12] = {run->program, "--case",    "case", "--result",
                             "result",     "--repeats", count};
    size_t word_count = 7;
    if (run->copy_rate) {
        words[word_count++] = "--copy-rate";
        words[word_count++] = "1";
    }
    if (run->device == ON_GPU) { /* on the emulator a launch has ended when it returns */
        words[word_count++] = "--late-work";
        words[word_count++] = "1";
    }
    struct sandbox sandbox = {.level = check->job.level,
                              .folder = process->folder,
                              .read = read,
                              .keep = keep,
                              .processes = THREADS};
    struct process_command command = {
        .argv = words,
        .environment = environment.list,
        .folder = process->folder,
        .wall_seconds = PATIENCE * seconds,
        .cpu_seconds = CPU_SECONDS,
        .address_bytes = ADDRESS_BYTES,
        .data_bytes = DATA_BYTES,
        .file_bytes = PROCESS_FILE_BYTES,
        .output_keep = OUTPUT_KEEP,
        .output_limit = PROCESS_OUTPUT_LIMIT,
        .sandbox = &sandbox,
    };
#ifdef LANEWISE_PRELOAD
    command.address_bytes = command.data_bytes = 0; /* its shadow is larger than all */
#endif
    snprintf(count, sizeof count, "%d", run->repeats);
    fill_program(&environment, process, run);
    fill_device(&device_environment, process, check, run);
    if (run->device == ON_GPU)
        run_on_gpu(&command, &sandbox, read + 2, run->repeats > 0, program);
    else
        run_on_emulator(process, run->hides, &command, &device_environment, program, device);
}

/* --- files ------------------------------------------------------------------------------------------ */

/* The program sees the path of its folder, which must not say what is looked at: it could do one thing for each check. */
static bool make_folders(struct process *process, const struct check *check)
{
    return base_new_folder(check->job.folder, "run-", process->folder) &&
           base_path(process->device_folder, "%s-device", process->folder) &&
           base_make_folder(process->device_folder);
}

static bool name_files(struct process *process, const struct check_run *run)
{
    const char *last = strrchr(run->program, '/');
    return base_path(process->input, "%s/case", process->folder) &&
           base_path(process->result, "%s/result", process->folder) &&
           base_path(process->record, "%s/record", process->device_folder) &&
           base_path(process->shown_path, "%s/shown", process->device_folder) &&
           base_path(process->judged_path, "%s/judged", process->device_folder) &&
           base_path(process->answers, "%s/answers", process->device_folder) &&
           base_path(process->program_folder, "%.*s", (int)(last - run->program), run->program);
}

static bool write_views(const struct process *process, const struct case_data *shown,
                        const struct case_data *input)
{
    return case_write(shown, process->shown_path) && case_write(input, process->judged_path) &&
           base_write_file(process->answers, "", 0, 0600);
}

bool process_prepare(struct process *process, const struct check *check,
                     const struct check_run *run, const struct case_data *input,
                     const struct case_data *shown)
{
    process->poison = check_random_apart(check, "fresh memory");
    process->spoil = check_random_apart(check, "spoilt");
    return make_folders(process, check) && name_files(process, run) &&
           case_write(shown ? shown : input, process->input) &&
           base_write_file(process->result, "", 0, 0600) &&
           base_write_file(process->record, "", 0, 0600) &&
           (!shown || write_views(process, shown, input));
}

void process_remove(const struct process *process)
{
    base_remove_tree(process->folder);
    base_remove_tree(process->device_folder);
}
