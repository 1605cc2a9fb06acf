/* lanewise diff: compares the student's file with the solution, once the student has full marks. By
 * default, compares only the code, because the comments always differ: those of the skeleton say
 * what to do, those of the solution explain the code. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"
#include "grade/progress.h"
#include "report/result_terminal.h"

#define MAX_SOURCE ((size_t)1 << 20)

struct options {
    const char *lab;
    bool spoil, comments;
};

static const struct cli_option table[] = {
    CLI_TEXT(lab, "lab", "NAME", CLI_HELP_LAB),
    CLI_FLAG(spoil, "spoil", "show the solution before you have full marks"),
    CLI_FLAG(comments, "comments", "compare comments, too"), CLI_END};

static const struct cli_syntax syntax = {
    .command = "diff",
    .usage = "usage: lanewise diff --lab NAME [--spoil] [--comments]\n"
             "Compares your code with the solution, once you have full marks.\n",
    .options = table,
    .word_advice = "name the lab with --lab"};

/* --- code without comments -------------------------------------------------------------------- */

/* The lines of one of the two files, as diff(1) compares them. */
struct code {
    int file;        /* the lines, in a memory file that diff(1) reads */
    unsigned *lines; /* the line number of each of these lines in the original file */
    size_t count;
};

/* Returns the end of the token at TEXT, which is a comment, a string or a single character. */
static char *skip(char *text)
{
    char quote = *text, *end;
    if (quote == '/' && text[1] == '/')
        return text + strcspn(text, "\n");
    if (quote == '/' && text[1] == '*')
        return (end = strstr(text + 2, "*/")) ? end + 2 : text + strlen(text);
    if (quote != '"' && quote != '\'')
        return text + 1;
    for (end = text + 1; *end && *end != quote && *end != '\n'; ++end)
        end += end[0] == '\\' && end[1];
    return *end ? end + 1 : end;
}

/* Replaces the characters of each comment in TEXT by MARK, but keeps its newlines. */
#define MARK '\001'
static void mark_comments(char *text)
{
    for (char *end; *text; text = end) {
        end = skip(text);
        bool comment = *text == '/' && (text[1] == '/' || text[1] == '*');
        for (; comment && text < end; ++text)
            *text = *text == '\n' ? '\n' : MARK;
    }
}

/* Writes LINE without marks and without white space at its end. Returns false if the line contains
 * only a comment. */
static bool put_line(FILE *to, const char *line, size_t length)
{
    bool marked = memchr(line, MARK, length) != NULL;
    while (length > 0 && (line[length - 1] == MARK || line[length - 1] == ' '))
        --length;
    if (marked && strspn(line, "\001 \t") >= length)
        return false;
    for (size_t i = 0; i < length; ++i)
        if (line[i] != MARK)
            fputc(line[i], to);
    fputc('\n', to);
    return true;
}

static bool fill_code(struct code *code, const char *text)
{
    unsigned number = 1;
    FILE *to = fdopen(dup(code->file), "w");
    code->lines = calloc(strlen(text) + 1, sizeof *code->lines);
    for (; to && code->lines && *text; ++number) {
        size_t length = strcspn(text, "\n");
        if (put_line(to, text, length))
            code->lines[code->count++] = number;
        text += length + (text[length] == '\n');
    }
    return to && fclose(to) == 0 && code->lines;
}

/* Reads PATH. Leaves out its comments, unless COMMENTS is true. On failure prints the reason and
 * returns false. */
static bool read_code(const char *path, bool comments, struct code *code)
{
    char why[200];
    struct text text;
    *code = (struct code){.file = memfd_create("code", 0)};
    if (!base_read_file(path, MAX_SOURCE, &text, why, sizeof why)) {
        cli_complain("diff", EXIT_USAGE, "%s %s", path, why);
        return false;
    }
    text.size = base_unix_lines(text.bytes, text.size);
    text.bytes[text.size] = 0;
    base_clean_text(text.bytes, text.size);
    if (!comments)
        mark_comments(text.bytes);
    bool read = code->file >= 0 && fill_code(code, text.bytes);
    free(text.bytes);
    if (!read)
        cli_complain("diff", EXIT_USAGE, "cannot make a file in memory: %s", strerror(errno));
    return read;
}

static void free_code(struct code *code)
{
    free(code->lines);
    if (code->file >= 0)
        close(code->file);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Returns the line number in the original file for line NUMBER of CODE. */
static unsigned true_line(const struct code *code, unsigned number)
{
    return number > 0 && number <= code->count ? code->lines[number - 1] : number;
}

/* Prints one line of diff's output. CODES are the student's code and the solution's. */
static void print_line(const char *line, const struct code codes[2], bool colour)
{
    unsigned own, other;
    const char *paint = !colour        ? ""
                        : *line == '+' ? "\033[32m"
                        : *line == '-' ? "\033[31m"
                        : *line == '@' ? "\033[36m"
                                       : "";
    const char *end = *paint ? "\033[0m" : "", *plus = strchr(line, '+');
    if (sscanf(line, "@@ -%u", &own) == 1 && plus && sscanf(plus, "+%u", &other) == 1)
        printf("%s@@ line %u of your file, line %u of the solution%s\n", paint,
               true_line(&codes[0], own), true_line(&codes[1], other), end);
    else
        printf("%s%.*s%s\n", paint, (int)strcspn(line, "\n"), line, end);
}

/* Runs diff(1), which every Debian has. Returns diff's status from waitpid(), or -1. */
static int run_diff(const struct code codes[2], bool comments)
{
    char own[32], solution[32], *line = NULL;
    size_t size;
    int ends[2], status = -1;
    snprintf(own, sizeof own, "/dev/fd/%d", codes[0].file);
    snprintf(solution, sizeof solution, "/dev/fd/%d", codes[1].file);
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execlp("diff", "diff", comments ? "-u" : "-uwB", "--label", "your file", "--label",
               "the solution", own, solution, NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    while (from && getline(&line, &size, from) > 0)
        print_line(line, codes, report_wants_colour(stdout));
    if (from)
        fclose(from);
    free(line);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

/* Shows how OWN differs from SOLUTION. Returns the exit code of lanewise. */
static int show(const char *own, const char *solution, bool comments)
{
    struct code codes[2] = {{.file = -1}, {.file = -1}};
    int code = EXIT_USAGE;
    if (read_code(own, comments, &codes[0]) && read_code(solution, comments, &codes[1])) {
        int status = run_diff(codes, comments);
        if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
            cli_complain("diff", EXIT_USAGE, "cannot compare %s with %s", own, solution);
        else {
            if (WEXITSTATUS(status) == 0)
                printf("your %s the same as the solution\n", comments ? "file is" : "code is");
            code = EXIT_FULL;
        }
    }
    free_code(&codes[0]);
    free_code(&codes[1]);
    return code;
}

int cmd_diff(int argc, char **argv)
{
    char own[PATH_SIZE];
    struct options options = {0};
    struct lab lab;
    int code = cli_read_options(&syntax, argc, argv, &options);
    if (code >= 0)
        return code;
    if (!cli_open_lab("diff", options.lab, &lab))
        return EXIT_USAGE;
    json_t *progress = progress_load();
    if (!options.spoil && !progress_done(progress, lab.name)) {
        printf("The solution is shown once `make grade LAB=%s` gives you full marks.\n"
               "Until then: make hint LAB=%s. To see it anyway: make diff LAB=%s SPOIL=1\n",
               lab.name, lab.name, lab.name);
        code = EXIT_NOT_YET;
    } else if (lab_own_path(&lab, own))
        code = show(own, lab.solution, options.comments);
    json_decref(progress);
    labs_close(&lab);
    return code;
}
