#include "checks/processes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kit.h"
#include "checks/inputs.h"
#include "checks/internal.h"
#include "gpu/environment.h"
#include "gpu/remote/wire.h"
#include "grade/installed_gpu.h"
#include "record/record.h"
#include "sandbox/sandbox.h"

/* large, because the emulator reserves much more memory than it uses */
#define ADDRESS_BYTES ((uint64_t)64 << 30)
#define DATA_BYTES    ((uint64_t)4 << 30)
/* maximum number; the driver has several threads, the emulator one per core */
#define THREADS     512
#define OUTPUT_KEEP ((size_t)64 << 10)

/* The factor by which time limits are longer than usual. Programs are slower with sanitizers, or if
 * another CPU is emulated (tests/arm64/try.sh). */
#ifdef LANEWISE_PATIENCE
#define PATIENCE LANEWISE_PATIENCE
#elif defined LANEWISE_PRELOAD
#define PATIENCE 3
#else
#define PATIENCE 1
#endif

/* The number of warp instructions that a launch may execute. The emulator executes this number in a
 * few seconds. The slowest correct kernel (one thread, a million numbers) needs about 5 million. */
#define MAX_INSTRUCTIONS           32000000
#define MAX_INSTRUCTIONS_ONCE_HUNG 12000000

/* The total time that all runs of a check may take, in seconds. A correct submission needs a few
 * seconds. The checks runner's own limit is five times as long (main.c), for busy machines. */
#define CHECK_SECONDS 120

/* The limits of a run on each device: first for a submission that has never hung, then for one that
 * has. A correct main() takes 0.1 s, and its kernels rarely more than 1 s. On a GPU, starting the
 * driver takes several seconds. */
static const struct run_limits limits_of[][2] = {
    [ON_EMULATOR] = {{.wall = 120, .idle = 2, .program = 2, .device = 10},
                     {.wall = 60, .idle = 1, .program = 1, .device = 4, .are_short = true}},
    [ON_GPU] = {{.wall = 10, .program = 80}, {.wall = 3, .program = 80, .are_short = true}},
};

struct run_limits run_limits_of(enum grading_device device, bool has_hung)
{
    struct run_limits limits = limits_of[device][has_hung];
    limits.wall *= PATIENCE;
    limits.program *= PATIENCE;
    limits.device *= PATIENCE;
    limits.idle *= PATIENCE;
    limits.check = CHECK_SECONDS * PATIENCE;
    limits.instructions = has_hung ? MAX_INSTRUCTIONS_ONCE_HUNG : MAX_INSTRUCTIONS;
    return limits;
}

double run_seconds(enum grading_device device, const struct process_outcome *program,
                   const struct process_outcome *server)
{
    return device == ON_GPU ? program->seconds
                            : program->cpu_seconds + program->idle_seconds + server->cpu_seconds;
}

enum { MOST_VARIABLES = 16, MOST_FOLDERS = 10 };

/* A NULL-terminated list of "NAME=value" strings, and the text that it points to. */
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

static void pass_on(struct environment *environment, const char *name)
{
    const char *value = getenv(name);
    if (value && strlen(value) < PATH_SIZE)
        add(environment, "%s=%s", name, value);
}

static void fill_program(struct environment *environment, const struct run_files *files,
                         const struct run_plan *plan)
{
    add(environment, "PATH=/usr/bin:/bin");
    add(environment, "LC_ALL=C");
    /* pass on the path of the driver's library, and the GPU that the batch system assigned */
    if (plan->device == ON_GPU) {
        pass_on(environment, "CUDA_VISIBLE_DEVICES");
        pass_on(environment, "LD_LIBRARY_PATH");
        /* With one queue instead of eight, the driver starts and ends a process twice as fast.
         * Timed runs have all eight, so that kernels of different streams can overlap. */
        if (plan->repeats == 0)
            add(environment, "CUDA_DEVICE_MAX_CONNECTIONS=1");
        return;
    }
    add(environment, "LD_LIBRARY_PATH=%s%s%s", files->program_folder, kit_libraries() ? ":" : "",
        kit_libraries() ?: "");
    add(environment, WIRE_VARIABLE "=1");
    add(environment, "GLIBC_TUNABLES=" EMU_TUNABLES);
#ifdef LANEWISE_PRELOAD
    /* preload the sanitizer, because the runtime library is built with it, but the program is
     * not */
    add(environment, "LD_PRELOAD=" LANEWISE_PRELOAD);
    add(environment, "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS);
#endif
}

static void fill_device(struct environment *environment, const struct run_files *files,
                        const struct check *check, const struct run_plan *plan,
                        const struct run_limits *limits)
{
    add(environment, "LANEWISE_RECORD=%s", files->record);
    add(environment, "LANEWISE_RECORD_BYTES=%zu", RECORD_BYTES);
    add(environment, "LANEWISE_POISON=%llu", (unsigned long long)files->poison);
    add(environment, "LANEWISE_WIDER_PITCH=%u", files->wider_pitch);
    add(environment, "LANEWISE_MEMORY=%llu", (unsigned long long)RUN_GPU_BYTES);
    add(environment, "LANEWISE_DETERMINISTIC=1");
    add(environment, "LANEWISE_MAX_INSTRUCTIONS=%u", limits->instructions);
    add(environment, "LANEWISE_TOOLS=origins%s%s%s", check->info->rows ? ",rows" : "",
        check->info->waits ? ",waits" : "", plan->watched ? ",racecheck,initcheck" : "");
    if (check->info->gpu || check->info->slowest > 0)
        add(environment, "LANEWISE_GPU=%s", check->info->gpu ?: "h200");
    if (plan->scrambles)
        add(environment, "LANEWISE_SCRAMBLE=%d", plan->scrambles);
    if (plan->backwards)
        add(environment, "LANEWISE_BACKWARDS=1");
    else if (check->job.pictures)
        add(environment, "LANEWISE_TRACE=*");
    if (plan->hides) {
        add(environment, "LANEWISE_SHOWN=%s", files->shown_path);
        add(environment, "LANEWISE_JUDGED=%s", files->judged_path);
        add(environment, "LANEWISE_ANSWERS=%s", files->answers);
        if (plan->misleads)
            add(environment, "LANEWISE_MISLEADS=1");
    } else if (plan->spoils) {
        add(environment, "LANEWISE_SPOIL=%llu", (unsigned long long)files->spoil);
        add(environment, "LANEWISE_SPOIL_EVERY=%zu", plan->spoils);
    }
#ifdef LANEWISE_PRELOAD
    /* turns off the leak check, which does not work in a sandbox */
    add(environment, "ASAN_OPTIONS=" LANEWISE_ASAN_OPTIONS);
#endif
}

/* Adds the folders in TEXT, which are separated by colons, to LIST. Adds at most ROOM folders. */
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
    struct process_command driven = *command;
    char libraries[PATH_SIZE];
    /* no limits, because the driver reserves and shares much memory */
    driven.address_bytes = driven.data_bytes = driven.file_bytes = 0;
    snprintf(libraries, sizeof libraries, "%s", getenv("LD_LIBRARY_PATH") ?: "");
    add_folders(libraries, folders, MOST_FOLDERS);
    sandbox->gpu = true;
    int lock = installed_gpu_lock(alone);
    process_run(&driven, outcome);
    installed_gpu_unlock(lock);
}

static void run_on_emulator(const struct run_files *files, bool hides,
                            const struct process_command *command,
                            const struct environment *environment, unsigned cpu_seconds,
                            struct process_outcome *outcome, struct process_outcome *device_outcome)
{
    char path[PATH_SIZE];
    const char *const words[] = {path, NULL};
    const char *const read[] = {files->program_folder, hides ? files->shown_path : NULL,
                                files->judged_path, NULL};
    const char *const keep[] = {files->record, hides ? files->answers : NULL, NULL};
    struct sandbox sandbox = *command->sandbox;
    struct process_command device = *command;
    base_path(path, "%s/lanewise-device", files->program_folder);
    sandbox.folder = device.folder = files->device_folder;
    sandbox.read = read;
    sandbox.keep = keep;
    sandbox.shares = true;
#ifndef LANEWISE_PRELOAD
    sandbox.bare = true; /* it is statically linked, so it needs no files (gpu/remote/rules.mk) */
#endif
    device.sandbox = &sandbox;
    device.argv = words;
    device.environment = environment->list;
    /* the device has no limit of wall time, except after the program has ended */
    device.cpu_seconds = cpu_seconds;
    /* no limit on file sizes, because the memory that the device shares with the program is a
     * file */
    device.file_bytes = 0;
    process_run_served(command, &device, outcome, device_outcome);
}

void run_processes(const struct run_files *files, const struct check *check,
                   const struct run_plan *plan, const struct run_limits *limits,
                   struct process_outcome *program, struct process_outcome *device)
{
    struct environment environment = {.count = 0}, device_environment = {.count = 0};
    char count[16];
    const char *read[MOST_FOLDERS + 3] = {files->program_folder, files->input};
    const char *const keep[] = {files->result, NULL};
    const char *words[12] = {plan->program, "--case",    "case", "--result",
                             "result",      "--repeats", count};
    size_t word_count = 7;
    if (plan->copy_rate) {
        words[word_count++] = "--copy-rate";
        words[word_count++] = "1";
    }
    if (plan->device == ON_GPU) { /* on the emulator, a kernel has ended when its launch returns */
        words[word_count++] = "--late-work";
        words[word_count++] = "1";
    }
    struct sandbox sandbox = {.level = check->job.level,
                              .folder = files->folder,
                              .read = read,
                              .keep = keep,
                              .processes = THREADS};
    struct process_command command = {
        .argv = words,
        .environment = environment.list,
        .folder = files->folder,
        .wall_seconds = limits->wall,
        .idle_seconds = limits->idle,
        .cpu_seconds = limits->program,
        .address_bytes = ADDRESS_BYTES,
        .data_bytes = DATA_BYTES,
        .file_bytes = RUN_FILE_BYTES,
        .output_keep = OUTPUT_KEEP,
        .output_limit = RUN_OUTPUT_BYTES,
        .sandbox = &sandbox,
    };
#ifdef LANEWISE_PRELOAD
    /* no limits, because the sanitizer's shadow memory is larger */
    command.address_bytes = command.data_bytes = 0;
#endif
    snprintf(count, sizeof count, "%d", plan->repeats);
    fill_program(&environment, files, plan);
    fill_device(&device_environment, files, check, plan, limits);
    if (plan->device == ON_GPU)
        run_on_gpu(&command, &sandbox, read + 2, plan->repeats > 0, program);
    else
        run_on_emulator(files, plan->hides, &command, &device_environment, limits->device, program,
                        device);
}

/* --- files ------------------------------------------------------------------------------------ */

/* Makes the folders of a run. Their names do not depend on the check: a program sees its folder's
 * path, and could otherwise behave differently in each check. */
static bool make_folders(struct run_files *files, const struct check *check)
{
    return base_new_folder(check->job.folder, "run-", files->folder) &&
           base_path(files->device_folder, "%s-device", files->folder) &&
           base_make_folder(files->device_folder);
}

static bool name_files(struct run_files *files, const struct run_plan *plan)
{
    const char *last = strrchr(plan->program, '/');
    return base_path(files->input, "%s/case", files->folder) &&
           base_path(files->result, "%s/result", files->folder) &&
           base_path(files->record, "%s/record", files->device_folder) &&
           base_path(files->shown_path, "%s/shown", files->device_folder) &&
           base_path(files->judged_path, "%s/judged", files->device_folder) &&
           base_path(files->answers, "%s/answers", files->device_folder) &&
           base_path(files->program_folder, "%.*s", (int)(last - plan->program), plan->program);
}

static bool write_views(const struct run_files *files, const struct case_data *shown,
                        const struct case_data *input)
{
    return case_write(shown, files->shown_path) && case_write(input, files->judged_path) &&
           base_write_file(files->answers, "", 0, 0600);
}

/* Starts to record whether a process opens the case. Call this after the case was written. */
static void watch_input(struct run_files *files)
{
    files->opens = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (files->opens >= 0 && inotify_add_watch(files->opens, files->input, IN_OPEN) < 0) {
        close(files->opens);
        files->opens = -1;
    }
}

bool run_files_opened(const struct run_files *files)
{
    struct inotify_event event;
    return files->opens < 0 || read(files->opens, &event, sizeof event) > 0;
}

bool run_files_make(struct run_files *files, const struct check *check, const struct run_plan *plan,
                    const struct case_data *input, const struct case_data *shown)
{
    files->poison = check_random_number(check, "fresh memory");
    files->spoil = check_random_number(check, "spoilt");
    files->wider_pitch =
        plan->wider_pitch ?: 1 + (unsigned)(check_random_number(check, "pitch") % 3);
    files->opens = -1;
    if (!make_folders(files, check) || !name_files(files, plan) ||
        !case_write(shown ? shown : input, files->input))
        return false;
    watch_input(files);
    return base_write_file(files->result, "", 0, 0600) &&
           base_write_file(files->record, "", 0, 0600) &&
           (!plan->hides || write_views(files, shown ? shown : input, input));
}

void run_files_remove(const struct run_files *files)
{
    if (files->opens >= 0)
        close(files->opens);
    base_remove_tree(files->folder);
    base_remove_tree(files->device_folder);
}
