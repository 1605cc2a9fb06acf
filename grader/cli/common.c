#include "cli/common.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/files.h"
#include "base/kit.h"
#include "base/text.h"
#include "grade/installed_gpu.h"
#include "report/result_json.h"
#include "sandbox/process.h"
#include "sandbox/sandbox.h"

#define MOST_ON_GPU 8 /* more would only wait, because one program is timed at a time */

/* Composes a message as one line. The caller frees the text. */
static char *compose(const char *format, va_list arguments)
{
    char *text, *line;
    if (vasprintf(&text, format, arguments) < 0)
        return NULL;
    line = base_one_line(text);
    free(text);
    return line;
}

int cli_complain(const char *command, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *line = compose(format, arguments);
    va_end(arguments);
    fflush(stdout);
    fprintf(stderr, "lanewise %s: %s\n", command, line ? line : "out of memory");
    free(line);
    return code;
}

void cli_say(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *line = compose(format, arguments);
    va_end(arguments);
    fprintf(to, "%s\n", line ? line : "out of memory");
    free(line);
}

bool cli_choose_device(const char *command, const char *text, enum grading_device *device,
                       char *name, size_t size)
{
    *device = ON_EMULATOR;
    if (!text || strcmp(text, "auto") == 0) {
        if (installed_gpu_find(name, size))
            *device = ON_GPU;
    } else if (strcmp(text, "gpu") == 0) {
        if (!installed_gpu_find(name, size)) {
            cli_complain(command, EXIT_USAGE,
                         "no GPU to grade on: %s; --device emulator grades without one", name);
            return false;
        }
        *device = ON_GPU;
    } else if (strcmp(text, "emulator") != 0) {
        cli_complain(command, EXIT_USAGE,
                     "unknown device \"%s\"; --device must be auto, emulator or gpu", text);
        return false;
    }
    return true;
}

/* Sets *NUMBER to the number in TEXT, or to a random number if TEXT is NULL. */
static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    if (!text && getrandom(number, sizeof *number, 0) == sizeof *number) {
        *number >>= 11; /* keep 53 bits, which every JSON reader reads exactly */
        return true;
    }
    errno = 0;
    *number = text ? strtoull(text, &end, 10) : 0;
    return text && errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == 0 &&
           *number <= INT64_MAX;
}

bool cli_choose_seed(const char *command, const char *text, struct grade_seed *seed)
{
    char error[PATH_SIZE + 200];
    uint64_t number;
    if (!read_number(text, &number))
        cli_complain(command, EXIT_USAGE,
                     "the seed must be a whole number from 0 to %lld, not \"%s\"",
                     (long long)INT64_MAX, text ? text : "");
    else if (!grade_seed_of(number, seed, error, sizeof error))
        cli_complain(command, EXIT_USAGE, "LANEWISE_SECRET: %s", error);
    else {
        if (*error)
            cli_complain(command, 0, "warning: %s", error);
        return true;
    }
    return false;
}

bool cli_check_sandbox(const char *command, bool unsafe)
{
    char why[400];
    enum sandbox_level level = sandbox_best_level(why, sizeof why);
    if (level > SANDBOX_NONE && why[0])
        cli_complain(command, 0, "warning: weak sandbox: it has only %s (%s)",
                     sandbox_level_protects(level), why);
    else if (level == SANDBOX_NONE && unsafe)
        cli_complain(command, 0,
                     "warning: no sandbox; submissions can do anything that you can do");
    else if (level == SANDBOX_NONE)
        cli_complain(
            command, EXIT_USAGE,
            "no sandbox on this machine (%s); a submission could do anything that you can do. For code you trust, add --unsafe (with make: UNSAFE=1)",
            why);
    return level > SANDBOX_NONE || unsafe;
}

static bool is_same_file(const char *left, const char *right)
{
    struct stat a, b;
    return left && right && stat(left, &a) == 0 && stat(right, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Returns the reason why PATH must not be overwritten, or NULL. If the user forgot the name of an
 * output file, the next word on the command line, which may be a source file, is taken for its
 * name. */
static const char *find_trouble(const char *path, const struct cli_files *files)
{
    const char *ending = strrchr(path, '.');
    struct stat status;
    if (ending && strcmp(ending, ".cu") == 0)
        return "it is the name of a source file";
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IXUSR))
        return "it is a program";
    for (size_t i = 0; i < CLI_FILES; ++i)
        if (is_same_file(path, files->inputs[i]))
            return "this command reads from it";
    return report_json_writable(path) ? NULL : strerror(errno);
}

bool cli_clear_outputs(const char *command, const struct cli_files *files)
{
    bool good = true;
    for (size_t i = 0; i < CLI_FILES; ++i) {
        const char *path = files->outputs[i], *trouble = path ? find_trouble(path, files) : NULL;
        if (path && !trouble && !base_remove_output(path))
            trouble = strerror(errno);
        if (trouble && good && command)
            cli_complain(command, EXIT_USAGE, "cannot write %s: %s", path, trouble);
        good = good && !trouble;
    }
    return good;
}

int cli_clear_after_mistake(int code, const struct cli_files *files)
{
    if (code == EXIT_USAGE)
        cli_clear_outputs(NULL, files);
    return code;
}

bool cli_read_key(const char *command, const char *path, struct seal_key *key, bool *has_key)
{
    char error[PATH_SIZE + 200];
    if (!path)
        path = getenv("LANEWISE_KEY");
    *has_key = path && path[0];
    if (!*has_key || seal_key_read(path, key, error, sizeof error))
        return true;
    cli_complain(command, EXIT_USAGE, "%s", error);
    return false;
}

int cli_complain_end(const char *command, enum grade_end end, const char *lab, const char *error)
{
    if (end == GRADE_DONE)
        return 0;
    if (end == GRADE_INTERRUPTED)
        return 128 + SIGINT;
    if (end == GRADE_IMPOSSIBLE)
        return cli_complain(command, EXIT_USAGE, "%s", error);
    return cli_complain(command, EXIT_GRADER,
                        "the grader failed (not your fault); %s was not graded: %s", lab, error);
}

unsigned cli_most_gradings(enum grading_device device)
{
    unsigned cores = (unsigned)get_nprocs();
    return device == ON_GPU && cores > MOST_ON_GPU ? MOST_ON_GPU : cores;
}

static void on_signal(int number)
{
    process_interrupt();
}

void cli_catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* `lanewise grade | head` must still write its result */
    /* so that a write beyond the limit of file sizes fails like any other write */
    signal(SIGXFSZ, SIG_IGN);
}

bool cli_open_lab(const char *command, const char *word, struct lab *lab)
{
    char error[2 * PATH_SIZE], name[LAB_NAME_SIZE], labs[PATH_SIZE];
    if (!word) {
        labs_text(labs, sizeof labs);
        cli_complain(command, EXIT_USAGE,
                     "name the lab: add --lab NAME (with make: LAB=NAME), one of %s", labs);
        return false;
    }
    if (labs_find(word, name, error, sizeof error) && labs_open(name, lab, error, sizeof error))
        return true;
    if (!process_interrupted()) /* Ctrl-C also ends the process that describes the lab */
        cli_complain(command, EXIT_USAGE, "%s", error);
    return false;
}

bool cli_read_course(const char *path, struct course *course)
{
    char error[4096];
    if (course_read(path, course, error, sizeof error))
        return true;
    /* print the error without the command's name, so that it begins with "FILE:LINE:", as editors
     * expect */
    fflush(stdout);
    fprintf(stderr, "%s\n", error);
    return false;
}

bool cli_wants_handout(const struct lab *lab, char page[PATH_SIZE])
{
    char own[PATH_SIZE], pristine[PATH_SIZE], full[PATH_SIZE], why[100];
    struct text mine = {0}, skeleton = {0};
    bool same = lab_own_path(lab, own) && lab_pristine_path(lab, pristine) &&
                base_read_file(own, 1 << 20, &mine, why, sizeof why) &&
                base_read_file(pristine, 1 << 20, &skeleton, why, sizeof why) &&
                mine.size == skeleton.size && memcmp(mine.bytes, skeleton.bytes, mine.size) == 0;
    free(mine.bytes);
    free(skeleton.bytes);
    return same && base_path(page, "handouts/%s.md", lab->name) && kit_path(full, "%s", page) &&
           access(full, R_OK) == 0;
}
