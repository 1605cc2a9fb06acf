/* Runs nvcc in a sandbox, and caches the programs that it builds. */
#include "compile/build.h"

#include "base/clock.h"
#include "base/kit.h"
#include "base/text.h"
#include "compile/messages.h"
#include "compile/reserved.h"
#include "sandbox/process.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* maximum number of programs, about 50 KB each; the oldest are removed */
#define CACHE_ENTRIES 1024
#define CACHE_PROGRAM (4 << 20)    /* a program with more bytes is not cached */
#define PROGRAM_BYTES (64 << 20)   /* maximum size of a program */
#define SCRATCH_BYTES (1ull << 30) /* space for the compiler's temporary files */
#define PROCESSES     256          /* maximum; nvcc starts about ten, one after another */
#define MESSAGE_LINES 40           /* maximum number of lines to show; students rarely read more */

#define MAX_FLAGS     26

/* Flags for equal results on every CPU. Without them, on arm64, char would be unsigned, even in
 * kernels, and the host would round a * b + c only once. */
#ifdef __aarch64__
#define PORTABLE "-Xcudafe=--signed_chars", "-Xcompiler=-fsigned-char,-ffp-contract=off",
#else
#define PORTABLE
#endif

/* This linker takes a quarter of the time of the system's usual linker. Not all systems have it. */
#define FAST_LINKER "/usr/bin/ld.gold"

const char *grading_device_name(enum grading_device device)
{
    return device == ON_GPU ? "gpu" : "emulator";
}

const char *compile_compiler(void)
{
    const char *path = getenv("NVCC");
    return path && path[0] ? path : kit_nvcc();
}

/* --- the parts of the kit that are built into programs ---------------------------------------- */

static const char *libraries(void)
{
    static char folder[PATH_SIZE];
    kit_path(folder, "%s/lib", LANEWISE_BUILD);
    return folder;
}

static const char *headers(void)
{
    static char folder[PATH_SIZE];
    kit_path(folder, "shared");
    return folder;
}

/* Returns the folder of the cache, which is common to all builds. */
static const char *cache(void)
{
    static char folder[PATH_SIZE];
    if (!folder[0])
        kit_kept_path(folder, "build", "cache");
    return folder;
}

/* --- the command line ------------------------------------------------------------------------- */

/* The flags that contain paths. A flag that is not used is "". */
struct path_flags {
    char headers[PATH_SIZE + 2], host[PATH_SIZE + 64], hidden[PATH_SIZE + 64];
};

static const struct path_flags *path_flags(void)
{
    static struct path_flags flags;
    snprintf(flags.headers, sizeof flags.headers, "-I%s", headers());
    /* -w suppresses gcc's warnings, because cudafe++ prints the same warnings in plainer words. -g1
     * lets findings name the lines of host calls. -fmacro-prefix-map hides the path of lab.h in
     * CHECK_CUDA(). */
    snprintf(flags.hidden, sizeof flags.hidden, "-Xcompiler=-w,-g1,-fmacro-prefix-map=%s/=%s",
             headers(), !kit_tools() && access(FAST_LINKER, X_OK) == 0 ? ",-fuse-ld=gold" : "");
    if (kit_tools())
        snprintf(flags.host, sizeof flags.host, "-ccbin=%s/bin/g++", kit_tools());
    return &flags;
}

/* Macros with which nvcc reads fewer headers. A macro is defined unless the source contains one of
 * the texts in NEEDED_BY, so that programs that compile without these macros compile with them. */
static const struct shortcut {
    const char *flag;
    const char *const needed_by[11];
} shortcuts[] = {
    /* the special functions of C++17, such as std::beta(): a quarter of the time */
    {"-D_GLIBCXX_BITS_SPECFUN_H",
     {"assoc_", "beta", "ellint", "expint", "hermite", "laguerre", "legendre", "zeta", "sph_",
      "cyl_"}},
    /* libcu++, which cooperative_groups.h includes for atomic reductions: three quarters */
    {"-D_CG_LIMIT_INCLUDED_DEPENDENCIES", {"cuda/", "cuda::", "_update"}},
    /* loads and stores with cache hints, funnel shifts; atomic functions of scopes and of doubles;
     * texture and surface objects: together a tenth */
    {"-D__SM_32_INTRINSICS_H__",
     {"__ld", "__st", "__funnelshift", "_fp", "_bf", "mma", "curand", "cuda/", "cub/", "thrust/"}},
    {"-D__SM_60_ATOMIC_FUNCTIONS_H__",
     {"atomic", "cooperative", "pipeline", "barrier", "cuda/", "cub/", "thrust/"}},
    {"-D__TEXTURE_INDIRECT_FUNCTIONS_H__", {"tex"}},
    {"-D__SURFACE_INDIRECT_FUNCTIONS_H__", {"surf"}},
};

#define SHORTCUTS (sizeof shortcuts / sizeof *shortcuts)

static bool has_any(const struct text *source, const char *const *texts)
{
    while (*texts && !strstr(source->bytes, *texts))
        texts++;
    return *texts != NULL;
}

/* Fills FLAGS with nvcc's command line, without the source and the output. Ends the list with NULL.
 * Returns the number of words. */
static size_t fill_flags(const char *flags[MAX_FLAGS], const struct compile_job *job)
{
    const struct path_flags *paths = path_flags();
    /* -O0 and -O1 affect only main(), which does little; the PTX is the same as with -O3. -O0 takes
     * a tenth less time. On a GPU, main() also measures times. --no-device-link skips a step that
     * is only needed if kernels are in several files. */
    const char *const common[] = {PORTABLE job->device == ON_GPU ? "-O1" : "-O0",
                                  "--no-device-link",
                                  job->debug ? "-G" : "-lineinfo",
                                  "-std=c++17",
                                  paths->headers,
                                  "-Wno-deprecated-gpu-targets",
                                  paths->hidden};
    static const char *const emulator[] = {"-cudart=shared",
                                           "-gencode=arch=compute_80,code=compute_80"};
    const char *const gpu[] = {"-cudart=static", "-arch", job->gpu_arch};
    size_t count = 0;
    flags[count++] = compile_compiler();
    for (size_t i = 0; i < sizeof common / sizeof *common; ++i)
        flags[count++] = common[i];
    if (job->device == ON_GPU)
        for (size_t i = 0; i < sizeof gpu / sizeof *gpu; ++i)
            flags[count++] = gpu[i];
    else
        for (size_t i = 0; i < sizeof emulator / sizeof *emulator; ++i)
            flags[count++] = emulator[i];
    if (paths->host[0])
        flags[count++] = paths->host;
    if (job->hasty)
        flags[count++] = "-Xcudafe=--error_limit=100000";
    for (size_t i = 0; i < SHORTCUTS; ++i)
        if (!has_any(job->source, shortcuts[i].needed_by))
            flags[count++] = shortcuts[i].flag;
    flags[count] = NULL;
    return count;
}

/* --- the cache -------------------------------------------------------------------------------- */

static void add_string(struct base_hash *hash, const char *text)
{
    /* hash the NUL, too, so that "ab", "c" differs from "a", "bc" */
    base_hash_add(hash, text, strlen(text) + 1);
}

static void add_compiler(struct base_hash *hash)
{
    struct stat status;
    if (stat(compile_compiler(), &status) != 0)
        return;
    base_hash_add(hash, &status.st_size, sizeof status.st_size);
    base_hash_add(hash, &status.st_mtim, sizeof status.st_mtim);
}

static int is_header(const struct dirent *entry)
{
    const char *dot = strrchr(entry->d_name, '.');
    return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".cuh") == 0);
}

void compile_add_headers(struct base_hash *hash)
{
    struct dirent **entries;
    int count = scandir(headers(), &entries, is_header, alphasort);
    for (int i = 0; i < count; ++i) {
        char path[PATH_SIZE], why[64];
        struct text text;
        if (base_path(path, "%s/%s", headers(), entries[i]->d_name) &&
            base_read_file(path, 1 << 20, &text, why, sizeof why)) {
            add_string(hash, entries[i]->d_name);
            base_hash_add(hash, text.bytes, text.size + 1);
            free(text.bytes);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* Computes the path of the job's program in the cache. Returns false on failure. */
static bool find_cache_path(const struct compile_job *job, char path[PATH_SIZE])
{
    const char *flags[MAX_FLAGS];
    char hex[HASH_SIZE];
    struct base_hash *hash = base_hash_new();
    if (!hash)
        return false;
    fill_flags(flags, job);
    for (size_t i = 0; flags[i]; ++i)
        add_string(hash, flags[i]);
    add_string(hash, job->file_name);
    add_compiler(hash);
    compile_add_headers(hash);
    base_hash_add(hash, job->source->bytes, job->source->size);
    base_hash_end(hash, hex);
    return base_path(path, "%s/%s", cache(), hex);
}

/* Copies a program. Any user may read and execute the copy, because a sandbox may run as a separate
 * user. */
static bool copy_program(const char *from, const char *to)
{
    struct text bytes;
    char why[64];
    if (!base_read_file(from, PROGRAM_BYTES, &bytes, why, sizeof why))
        return false;
    bool copied = base_write_file(to, bytes.bytes, bytes.size, 0755);
    free(bytes.bytes);
    return copied;
}

static void set_messages(const struct compile_job *job, struct compile_build *build,
                         const char *raw)
{
    build->messages = job->hasty ? strdup(raw)
                                 : compile_messages(raw, job->file_name, job->shown,
                                                    job->source->bytes, MESSAGE_LINES);
}

static bool take_from_cache(const struct compile_job *job, struct compile_build *build,
                            const char *cached)
{
    char log[PATH_SIZE], why[64];
    struct text raw;
    if (access(cached, X_OK) != 0 || !base_path(log, "%s.log", cached) ||
        !base_read_file(log, 1 << 20, &raw, why, sizeof why))
        return false;
    bool taken = copy_program(cached, build->program);
    if (taken)
        set_messages(job, build, raw.bytes);
    free(raw.bytes);
    return taken;
}

static int is_program(const struct dirent *entry)
{
    return strlen(entry->d_name) == HASH_SIZE - 1;
}

static void remove_entry(const char *name)
{
    char path[PATH_SIZE];
    if (base_path(path, "%s/%s", cache(), name))
        unlink(path);
    if (base_path(path, "%s/%s.log", cache(), name))
        unlink(path);
}

/* Removes the oldest program if there are more than CACHE_ENTRIES. */
static void prune_cache(void)
{
    struct dirent **entries;
    int count = scandir(cache(), &entries, is_program, NULL), oldest = -1;
    time_t least = 0;
    for (int i = 0; i < count; ++i) {
        char path[PATH_SIZE];
        struct stat status;
        if (!base_path(path, "%s/%s", cache(), entries[i]->d_name) || stat(path, &status) != 0)
            continue;
        if (oldest < 0 || status.st_mtime < least) {
            oldest = i;
            least = status.st_mtime;
        }
    }
    if (count > CACHE_ENTRIES && oldest >= 0)
        remove_entry(entries[oldest]->d_name);
    for (int i = 0; i < count; ++i)
        free(entries[i]);
    if (count >= 0)
        free(entries);
}

static void put_into_cache(const char *cached, const char *program, const char *raw)
{
    char log[PATH_SIZE];
    struct stat status;
    if (stat(program, &status) != 0 || status.st_size > CACHE_PROGRAM)
        return;
    mkdir(cache(), 0700);
    if (base_path(log, "%s.log", cached) && base_write_file(log, raw, strlen(raw), 0600) &&
        copy_program(program, cached))
        prune_cache();
}

/* --- the compiler ----------------------------------------------------------------------------- */

static void fail(struct compile_build *build, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void fail(struct compile_build *build, const char *format, ...)
{
    va_list arguments;
    build->end = COMPILE_BROKEN;
    va_start(arguments, format);
    if (vasprintf(&build->messages, format, arguments) < 0)
        build->messages = NULL;
    va_end(arguments);
}

/* Compiles the file FROM in the job's folder to a program. If ONLY is "-c", compiles to an object
 * file instead, under the program's name. */
static void run_compiler(const struct compile_job *job, struct compile_build *build,
                         const char *from, const char *only, struct process_outcome *outcome)
{
    const char *words[MAX_FLAGS + 6];
    char path[PATH_SIZE], temporary[PATH_SIZE + 8], brought[PATH_SIZE + 24];
    size_t count = fill_flags(words, job);
    char search[PATH_SIZE + 2];
    snprintf(search, sizeof search, "-L%s", libraries());
    /* this path is not one of the flags that are hashed, so it does not affect the cache key */
    words[count++] = search;
    words[count++] = from;
    words[count++] = "-o";
    words[count++] = build->program;
    words[count++] = only;
    words[count] = NULL;
    const char *slash = strrchr(compile_compiler(), '/');
    char source[PATH_SIZE];
    base_path(source, "%s/%s", job->folder, from);
    const char *const read[] = {source, headers(), libraries(), compile_compiler(), NULL};
    const char *const keep[] = {build->program, NULL};
    struct sandbox sandbox = {.level = job->level,
                              .folder = job->folder,
                              .read = read,
                              .keep = keep,
                              .scratch_bytes = SCRATCH_BYTES,
                              .processes = PROCESSES,
                              .forks = true};
    snprintf(path, sizeof path, "PATH=%.*s:/usr/local/bin:/usr/bin:/bin",
             slash ? (int)(slash - compile_compiler()) : 0, compile_compiler());
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", job->folder);
    snprintf(brought, sizeof brought, "LD_LIBRARY_PATH=%s", kit_libraries() ?: "");
    const char *environment[] = {path, temporary, "LC_ALL=C", kit_libraries() ? brought : NULL,
                                 NULL};
    struct process_command command = {
        .argv = words,
        .environment = environment,
        .folder = job->folder,
        /* five times as much, because the machine may be busy; the CPU time is the real limit */
        .wall_seconds = 5 * COMPILE_SECONDS,
        .cpu_seconds = COMPILE_SECONDS,
        .address_bytes = 8ull << 30,
        .file_bytes = 4 * (uint64_t)PROGRAM_BYTES,
        .output_keep = 256 << 10,
        .output_limit = 8 << 20,
        .sandbox = &sandbox,
    };
    process_run(&command, outcome);
}

/* Returns whether the compiler has written a program into the empty file that was created for it.
 * Makes the program executable. */
static bool has_program(const struct compile_build *build)
{
    struct stat status;
    return stat(build->program, &status) == 0 && status.st_size > 0 &&
           chmod(build->program, 0755) == 0;
}

/* Returns nvcc's complaint about its own set-up, or NULL if there is none. A source can put any
 * text into the compiler's messages. Therefore a message counts as such a complaint only if nvcc
 * also prints one for an empty program. */
static const char *find_complaint(const struct compile_job *job, struct compile_build *build,
                                  const struct process_outcome *outcome)
{
    static const char name[] = "empty.cu", source[] = "int main() {}\n";
    const char *fatal = strstr(outcome->output ? outcome->output : "", "nvcc fatal");
    char path[PATH_SIZE];
    struct process_outcome once_more;
    if (!fatal || (outcome->end == PROCESS_EXITED && outcome->code == 0) ||
        !base_path(path, "%s/%s", job->folder, name) ||
        !base_write_file(path, source, strlen(source), 0600))
        return NULL;
    run_compiler(job, build, name, job->device == ON_GPU ? "-c" : NULL, &once_more);
    if (once_more.end == PROCESS_EXITED && once_more.code == 0)
        fatal = NULL;
    process_outcome_free(&once_more);
    return fatal;
}

/* If the compiler did not find CUB or Thrust, adds an explanation: a sandbox hides their folders
 * from submissions (sandbox/visible_files.c). */
static void explain_hidden(struct compile_build *build, const char *raw)
{
    static const char *const hidden[] = {": cub/", ": thrust/"};
    char *more = NULL;
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; ++i) {
        const char *found = strstr(raw, hidden[i]);
        const char *why = found ? strstr(found, ": No such file") : NULL;
        if (why && !memchr(found, '\n', (size_t)(why - found)) &&
            asprintf(
                &more,
                "%s\nCUB and Thrust cannot be used during grading: write the kernel yourself\n",
                build->messages) >= 0) {
            free(build->messages);
            build->messages = more;
            return;
        }
    }
}

/* Returns whether the system killed a program of the compiler, as it does when memory runs out.
 * Then nvcc exits with 128 + SIGKILL, or gcc prints a message. A submission can also make the
 * compiler print this message, but it gains nothing, because it then gets no grade. */
static bool is_killed(const struct process_outcome *outcome)
{
    return (outcome->end == PROCESS_SIGNALLED && outcome->code == SIGKILL) ||
           (outcome->end == PROCESS_EXITED && outcome->code != 0 &&
            (outcome->code == 128 + SIGKILL ||
             strstr(outcome->output, "fatal error: Killed signal terminated program")));
}

/* Sets BUILD->end from how the compiler ended. */
static void judge_compiler(const struct compile_job *job, struct compile_build *build,
                           struct process_outcome *outcome)
{
    const char *fatal;
    if (outcome->end == PROCESS_NOT_STARTED)
        fail(build, "cannot start %s: %s", compile_compiler(), process_start_error(outcome));
    else if (outcome->end == PROCESS_INTERRUPTED)
        build->end = COMPILE_INTERRUPTED;
    else if (outcome->end == PROCESS_TIMED_OUT ||
             (outcome->code != 0 && outcome->cpu_seconds >= COMPILE_SECONDS))
        build->end = COMPILE_TOO_LONG;
    else if (is_killed(outcome))
        fail(build, "the system killed the compiler, probably for lack of memory: try again");
    else if ((fatal = find_complaint(job, build, outcome)))
        fail(build, "%.*s", (int)strcspn(fatal, "\n"), fatal);
    else {
        bool good = outcome->end == PROCESS_EXITED && outcome->code == 0;
        build->end = good && has_program(build) ? COMPILE_DONE : COMPILE_REJECTED;
        set_messages(job, build, outcome->output);
        if (build->end == COMPILE_REJECTED && build->messages)
            explain_hidden(build, outcome->output);
    }
}

/* Returns whether the object file defines no symbol of CUDA or of the C library. If it does, writes
 * a message. */
static bool check_object(struct compile_build *build)
{
    char name[200];
    if (!compile_find_reserved(build->program, name, sizeof name))
        return true;
    base_clean_text(name, strlen(name));
    free(build->messages);
    build->end = COMPILE_REJECTED;
    if (asprintf(
            &build->messages,
            "your program defines %s, a name that belongs to CUDA or to the C library: choose another name",
            name[0] ? name : "something") < 0)
        build->messages = NULL;
    return false;
}

/* Checks the object file of a program for the GPU, and links it. Such a program runs in the same
 * process as the runtime that measures its times, so it must not replace functions of the runtime.
 * Keeps the compiler's messages about the object file. */
static void link_object(const struct compile_job *job, struct compile_build *build)
{
    static const char object[] = "object.o";
    char path[PATH_SIZE], *messages = build->messages;
    struct process_outcome outcome;
    if (!check_object(build))
        return;
    if (!base_path(path, "%s/%s", job->folder, object) || rename(build->program, path) != 0 ||
        !base_write_file(build->program, "", 0, 0755)) {
        fail(build, "cannot write into %s: %s", job->folder, strerror(errno));
        return;
    }
    build->messages = NULL;
    run_compiler(job, build, object, NULL, &outcome);
    judge_compiler(job, build, &outcome);
    process_outcome_free(&outcome);
    free(build->end == COMPILE_DONE ? build->messages : messages);
    if (build->end == COMPILE_DONE)
        build->messages = messages;
}

/* Checks the compiler's release, because $NVCC may name a compiler that the set-up would reject. A
 * program built with the headers of another release would pass structures that our runtime does not
 * know. A compiler that prints no release is accepted. */
static bool check_release(struct compile_build *build)
{
    const char *const words[] = {compile_compiler(), "--version", NULL};
    const char *const environment[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", NULL};
    struct process_command command = {.argv = words,
                                      .environment = environment,
                                      .wall_seconds = COMPILE_SECONDS,
                                      .output_keep = 4096,
                                      .output_limit = 4096};
    struct process_outcome outcome;
    if (kit_nvcc_is_checked() && strcmp(words[0], kit_nvcc()) == 0)
        return true;
    process_run(&command, &outcome);
    const char *release = strstr(outcome.output ? outcome.output : "", "release ");
    bool good = !release || strncmp(release + 8, COMPILE_RELEASE, strlen(COMPILE_RELEASE)) == 0;
    if (!good)
        fail(
            build,
            "NVCC=%s is from CUDA %.*s, but grading needs CUDA 13: set NVCC to a CUDA 13 compiler, or unset it",
            words[0], (int)strcspn(release + 8, ",\n"), release + 8);
    process_outcome_free(&outcome);
    return good;
}

/* Returns whether the compiler and its files exist. If not, writes to BUILD which of them is
 * missing. */
static bool check_tools(const struct compile_job *job, struct compile_build *build)
{
    char source[PATH_SIZE], library[PATH_SIZE];
    if (access(compile_compiler(), X_OK) != 0)
        fail(build, "no CUDA compiler at %s: run make doctor", compile_compiler());
    else if (job->device == ON_EMULATOR && base_path(library, "%s/libcudart.so", libraries()) &&
             access(library, R_OK) != 0)
        fail(build, "%s is missing: run make lanewise", library);
    else if (!base_path(source, "%s/%s", job->folder, job->file_name) ||
             !base_write_file(source, job->source->bytes, job->source->size, 0600) ||
             !base_write_file(build->program, "", 0, 0755))
        fail(build, "cannot write into %s: %s", job->folder, strerror(errno));
    else
        return check_release(build);
    return false;
}

/* Copies our runtime library, and the device program with which it communicates, to the folder of a
 * program for the emulator. Any user can read the copies. */
static void add_runtime(const struct compile_job *job, struct compile_build *build)
{
    static const char *const files[][2] = {{"remote/libcudart.so.13", "libcudart.so.13"},
                                           {"lanewise-device", "lanewise-device"}};
    char from[PATH_SIZE], path[PATH_SIZE];
    if (job->device != ON_EMULATOR || build->end != COMPILE_DONE)
        return;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
        if (!base_path(from, "%s/%s", libraries(), files[i][0]) ||
            !base_path(path, "%s/%s", job->folder, files[i][1]) || !copy_program(from, path))
            fail(build, "cannot copy %s: %s", from, strerror(errno));
}

void compile_build(const struct compile_job *job, struct compile_build *build)
{
    char cached[PATH_SIZE];
    double start = clock_seconds();
    *build = (struct compile_build){.end = COMPILE_DONE};
    bool cacheable = !job->hasty && find_cache_path(job, cached);
    if (!base_path(build->program, "%s/program-%s", job->folder, grading_device_name(job->device)))
        fail(build, "the path of %s is too long", job->folder);
    else if (cacheable && take_from_cache(job, build, cached))
        build->cached = true;
    else if (check_tools(job, build)) {
        struct process_outcome outcome;
        run_compiler(job, build, job->file_name, job->device == ON_GPU ? "-c" : NULL, &outcome);
        judge_compiler(job, build, &outcome);
        if (build->end == COMPILE_DONE && job->device == ON_GPU)
            link_object(job, build);
        if (build->end == COMPILE_DONE && cacheable)
            put_into_cache(cached, build->program, outcome.output);
        process_outcome_free(&outcome);
    }
    add_runtime(job, build);
    build->seconds = clock_seconds() - start;
}

void compile_build_free(struct compile_build *build)
{
    free(build->messages);
    build->messages = NULL;
}
