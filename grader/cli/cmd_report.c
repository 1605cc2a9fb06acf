/* lanewise report: grades one lab and writes the result as an HTML page. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"
#include "report/html.h"

struct options {
    const char *lab, *submission, *out, *steps, *device, *seed, *date;
    bool unsafe;
};

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB),
    CLI_TEXT(submission, "submission", "PATH", CLI_HELP_FILE),
    CLI_TEXT(out, "out", "FILE", "where to write the page (default: report.html)"),
    CLI_TEXT(steps, "step", "FILE",
             "also write a page that steps through the program (lanewise step);\n"
             "the findings link to it"),
    CLI_TEXT(device, "device", "DEVICE", CLI_HELP_DEVICE),
    CLI_TEXT(seed, "seed", "N", CLI_HELP_SEED),
    CLI_TEXT(date, "date", "TEXT", "the date on the page (default: now)"),
    CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "report",
    .usage =
        "usage: lanewise report --lab NAME [OPTIONS]\n"
        "Grades one lab and writes one HTML page, with pictures of how the costliest lines access\n"
        "memory. The page needs no network and no scripts.\n",
    .options = table,
    .end = "exit code: 0 full marks, 1 less, 2 wrong usage or environment, 3 the grader failed\n",
    .word_advice = "name the file with --submission"};

#define complain(...) cli_complain("report", __VA_ARGS__)

/* --- the page --------------------------------------------------------------------------------- */

static const char *today(char text[64])
{
    time_t now = time(NULL);
    struct tm local;
    strftime(text, 64, "%Y-%m-%d %H:%M", localtime_r(&now, &local));
    return text;
}

/* Writes the page. Writes to memory first, so that the file is never half written. */
static bool write_page(const char *path, const json_t *result, const struct report_page *page)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return false;
    report_html(memory, result, page);
    bool written = fclose(memory) == 0 && base_write_output(path, text, size, 0644);
    free(text);
    return written;
}

/* Finds the address of the page of steps, for the links in the report. If both pages are in the
 * same folder, the address is only the page's name. */
static bool find_address(const struct options *options, char address[PATH_SIZE])
{
    const char *name = base_name(options->steps);
    size_t folder = (size_t)(name - options->steps);
    if (folder == (size_t)(base_name(options->out) - options->out) &&
        strncmp(options->steps, options->out, folder) == 0)
        return base_path(address, "%s", name);
    char *whole = realpath(options->steps, NULL);
    bool good = whole && base_path(address, "file://%s", whole);
    free(whole);
    return good;
}

/* Runs `lanewise step` for the submission. The program's output is not shown. */
static bool write_steps(const struct options *options)
{
    char self[] = "/proc/self/exe";
    char *const words[] = {(char *)"lanewise",
                           (char *)"step",
                           (char *)"-o",
                           (char *)options->steps,
                           (char *)"--lab",
                           (char *)options->lab,
                           (char *)(options->submission ? "--submission" : NULL),
                           (char *)options->submission,
                           NULL};
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        execv(self, words);
        _exit(EXIT_GRADER);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int report(const struct options *options, const struct grading *grading)
{
    char error[6000], now[64];
    json_t *result = NULL;
    enum grade_end end = grade_submission(grading, &result, error, sizeof error);
    if (end == GRADE_INTERRUPTED)
        return 128 + SIGINT;
    if (end != GRADE_DONE)
        return complain(end == GRADE_IMPOSSIBLE ? EXIT_USAGE : EXIT_GRADER, "%s", error);
    struct report_page page = {.source = grading->submission->source.bytes,
                               .date = options->date ? options->date : today(now)};
    char address[PATH_SIZE];
    if (options->steps && write_steps(options) && find_address(options, address))
        page.steps = address;
    double score = json_number_of(result, "score");
    double max_score = json_number_of(result, "max_score");
    int code = score < max_score ? EXIT_NOT_YET : EXIT_FULL;
    if (!write_page(options->out, result, &page))
        code = complain(EXIT_USAGE, "cannot write %s: %s", options->out, strerror(errno));
    else
        cli_say(stdout, "%s: %.6g of %.6g points; the report was written to %s", grading->lab->name,
                score, max_score, options->out);
    json_decref(result);
    return code;
}

static int perform(const struct options *options, struct grading *grading)
{
    static struct submission submission; /* static because it is too large for the stack */
    static struct lab lab;
    char error[6000];
    int code;
    if (!cli_open_lab("report", options->lab, &lab))
        return EXIT_USAGE;
    if (submission_open(&lab, options->submission, &submission, error, sizeof error)) {
        grading->lab = &lab;
        grading->submission = &submission;
        code = report(options, grading);
        submission_close(&submission);
    } else
        code = complain(EXIT_USAGE, "%s", error);
    labs_close(&lab);
    return code;
}

int cmd_report(int argc, char **argv)
{
    static char gpu_name[256];
    struct options options = {.out = "report.html"};
    struct grading grading = {.gpu_name = gpu_name, .pictures = true};
    int code = cli_read_options(&syntax, argc, argv, &options);
    const struct cli_files files = {{options.out, options.steps}, {options.submission}};
    if (code >= 0)
        return cli_clear_after_mistake(code, &files);
    if (!cli_clear_outputs("report", &files) ||
        !cli_choose_seed("report", options.seed, &grading.seed))
        return EXIT_USAGE;
    cli_catch_signals();
    if (!cli_choose_device("report", options.device, &grading.device, gpu_name, sizeof gpu_name) ||
        !cli_check_sandbox("report", options.unsafe))
        return EXIT_USAGE;
    grading.unsafe = options.unsafe;
    grading.gpu_arch = installed_gpu_arch();
    return perform(&options, &grading);
}
