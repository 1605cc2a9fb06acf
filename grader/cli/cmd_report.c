/* lanewise report: grades one lab and writes the result as one HTML page. */
#include "cli/cli.h"
#include "cli/common.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "grade/grade.h"
#include "grade/installed_gpu.h"
#include "report/html.h"
#include "report/result_json.h"

static const char usage[] =
    "usage: lanewise report --lab NAME [OPTIONS]\n"
    "Grades one lab, with pictures of what its costliest lines do to memory, and writes one HTML page\n"
    "that needs neither network nor script.\n"
    "\n"
    "  --lab NAME           the lab, such as 01-parallelize\n"
    "  --submission PATH    the student's file, or a folder that holds it; without it, your own copy\n"
    "  --out FILE           where the page goes; without it, report.html\n"
    "  --device DEVICE      emulator, gpu, or auto (the default): a GPU if there is one\n"
    "  --seed N             the seed of the random inputs; without it, a random one\n"
    "  --date TEXT          the date on the page; without it, now\n"
    "  --unsafe             grade even where there is no sandbox: for code that you trust\n"
    "\n"
    "exit code: as of lanewise grade: 0 full marks, 1 not yet, 2 usage or environment,\n"
    "3 the grader itself failed\n";

struct options {
    const char *lab, *submission, *out, *device, *seed, *date;
    bool unsafe;
};

#define complain(...) cli_complain("report", __VA_ARGS__)

/* Returns -1 to go on, or the exit code. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {{"lab", required_argument, NULL, 'l'},
                                          {"submission", required_argument, NULL, 's'},
                                          {"out", required_argument, NULL, 'o'},
                                          {"device", required_argument, NULL, 'd'},
                                          {"seed", required_argument, NULL, 'n'},
                                          {"date", required_argument, NULL, 't'},
                                          {"unsafe", no_argument, NULL, 'u'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char **places[] = {
        ['l'] = &options->lab,    ['s'] = &options->submission, ['o'] = &options->out,
        ['d'] = &options->device, ['n'] = &options->seed,       ['t'] = &options->date};
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, ":h", table, NULL)) != -1;) {
        if (option == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        if (option == ':')
            return complain(EXIT_USAGE, "%s needs a value; --help explains", argv[optind - 1]);
        if (option == '?')
            return complain(EXIT_USAGE, "no option %s; --help lists them", argv[optind - 1]);
        if (option == 'u')
            options->unsafe = true;
        else
            *places[option] = optarg;
    }
    if (optind < argc)
        return complain(EXIT_USAGE, "what is \"%s\"? A file goes after --submission", argv[optind]);
    if (!options->lab)
        return complain(EXIT_USAGE, "which lab? Add --lab NAME (with make: LAB=NAME)");
    return -1;
}

/* --- the page ---------------------------------------------------------------------------------------- */

static const char *today(char text[64])
{
    time_t now = time(NULL);
    struct tm local;
    strftime(text, 64, "%Y-%m-%d %H:%M", localtime_r(&now, &local));
    return text;
}

/* Composes in memory, so that a page appears whole or not at all. */
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
    double score = json_number_of(result, "score");
    double max_score = json_number_of(result, "max_score");
    int code = score < max_score ? EXIT_NOT_YET : EXIT_FULL;
    if (!write_page(options->out, result, &page))
        code = complain(EXIT_USAGE, "cannot write %s: %s", options->out, strerror(errno));
    else
        printf("%s: %.6g of %.6g points; the report is %s\n", grading->lab->name, score, max_score,
               options->out);
    json_decref(result);
    return code;
}

static int perform(const struct options *options, struct grading *grading)
{
    static struct submission submission; /* paths of 4 KB: too large for a stack */
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
    int code = read_options(argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_choose_seed("report", options.seed, &grading.seed))
        return EXIT_USAGE;
    if (!report_json_writable(options.out))
        return complain(EXIT_USAGE, "cannot write %s: %s", options.out, strerror(errno));
    cli_catch_signals();
    if (!cli_choose_device("report", options.device, &grading.device, gpu_name, sizeof gpu_name) ||
        !cli_check_sandbox("report", options.unsafe))
        return EXIT_USAGE;
    grading.unsafe = options.unsafe;
    grading.gpu_arch = installed_gpu_arch();
    return perform(&options, &grading);
}
