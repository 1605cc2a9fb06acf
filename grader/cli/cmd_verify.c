/* lanewise verify: checks that a result is unchanged since the grader wrote it, and that it can be
 * reproduced.
 *
 *     seal                                      -> unchanged since it was signed?
 *     hashes in the result                      -> the same submission, lab, grader and compiler?
 *     seed + submission, by grade_submission()  -> the same points and counters?
 *
 * Prints a row for each question, even if the answer to an earlier question is no. */
#include "cli/cli.h"
#include "cli/common.h"
#include "cli/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "grade/agree.h"
#include "grade/grade.h"
#include "grade/graded_by.h"
#include "grade/seal.h"

#define complain(...) cli_complain("verify", __VA_ARGS__)

struct options {
    const char *path, *submission, *course, *key;
    bool unsafe, without_key;
};

struct verify {
    struct options options;
    struct course course;
    struct seal_key key;
    bool has_key;
    bool differs; /* a printed row says that something differs */
};

static const struct cli_option table[] = {
    CLI_TEXT(submission, "submission", "PATH",
             "the student's file or its folder (default: the path in the result)"),
    CLI_TEXT(course, "course", "FILE", "the course file that the grading used, if any"),
    CLI_TEXT(key, "key", "FILE",
             "the key that signed it (default: the file that $LANEWISE_KEY names)"),
    CLI_FLAG(without_key, "unsigned", "do not check the signature: only grade again and compare"),
    CLI_FLAG(unsafe, "unsafe", CLI_HELP_UNSAFE),
    CLI_END};

static const struct cli_syntax syntax = {
    .command = "verify",
    .usage =
        "usage: lanewise verify FILE [OPTIONS]\n"
        "Checks a result that lanewise grade --json wrote: is it signed and unchanged, and does\n"
        "grading the submission again with the same seed give the same result?\n",
    .options = table,
    .end =
        "exit code: 0 everything is the same, 1 something differs, 2 wrong usage or environment (or\n"
        "nothing differs, but you gave neither a key nor --unsigned), 3 the grader failed\n",
    .words = 1,
    .word_advice = "verify takes one result; name the submission with --submission"};

/* Reads the options. Returns the exit code, or -1 if the command should continue. */
static int read_options(int argc, char **argv, struct options *options)
{
    int code = cli_read_options(&syntax, argc, argv, options);
    if (code >= 0)
        return code;
    if (optind == argc)
        return complain(EXIT_USAGE, "name the result: lanewise verify FILE");
    if (options->key && options->without_key)
        return complain(EXIT_USAGE, "use either --key or --unsigned, not both");
    options->path = argv[optind];
    return -1;
}

/* --- the rows --------------------------------------------------------------------------------- */

static void row(struct verify *verify, bool same, const char *name, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void row(struct verify *verify, bool same, const char *name, const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    base_clean_text(text, strlen(text)); /* the file's text is untrusted */
    printf("  %-10s  %s\n", name, text);
    fflush(stdout);
    verify->differs |= !same;
}

/* Prints the row of the signature. Returns true if the signature is good. */
static bool check_seal(struct verify *verify, const json_t *result)
{
    const char *by = json_text_of(json_object_get(result, "seal"), "key");
    enum seal_state state = seal_check(result, verify->has_key ? &verify->key : NULL);
    switch (state) {
    case SEAL_GOOD:
        row(verify, true, "signature", "valid, made with key %s", by);
        break;
    case SEAL_NONE:
        row(verify, !verify->has_key, "signature", "none: anyone could have written this file");
        break;
    case SEAL_UNCHECKED:
        row(verify, true, "signature", "not checked: add --key FILE, where FILE has key %s", by);
        break;
    case SEAL_OTHER_KEY:
        row(verify, false, "signature", "made with a different key, %s; yours is %s", by,
            verify->key.id);
        break;
    case SEAL_BROKEN:
        row(verify, false, "signature", "invalid: the file was changed after it was signed");
        break;
    }
    return state == SEAL_GOOD;
}

static bool check_submission(struct verify *verify, const json_t *result,
                             const struct submission *submission)
{
    char hash[HASH_SIZE];
    base_text_hash(&submission->source, hash);
    bool same = strcmp(hash, json_text_of(result, "source_sha256")) == 0;
    row(verify, same, "submission", "%s",
        same ? "the same" : "differs: this is not the file that was graded");
    return same;
}

/* Prints the row that compares the points and thresholds of the course with those that the grading
 * used. */
static void check_terms(struct verify *verify, const json_t *result, const struct lab *lab)
{
    const json_t *then = json_object_get(result, "terms");
    if (!then && !lab->terms)
        return;
    bool same = json_equal(then, lab->terms);
    row(verify, same, "course", "%s",
        same ? "the same"
        : verify->options.course
            ? "differs: this course file has other points or thresholds"
            : "differs: the result was graded with a course file; add --course FILE");
}

static void check_graders(struct verify *verify, const json_t *result, const struct lab *lab)
{
    static const char *const keys[][3] = {
        {"lab_sha256", "lab", "differs: the lab's checks, its solution or lab.h have changed"},
        {"grader_sha256", "grader", "differs: another build of Lanewise graded the submission"}};
    const json_t *then = json_object_get(result, "graded_by");
    json_t *now = graded_by_json(lab);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        bool same = strcmp(json_text_of(then, keys[i][0]), json_text_of(now, keys[i][0])) == 0;
        row(verify, same, keys[i][1], "%s", same ? "the same" : keys[i][2]);
    }
    const char *compiler = json_text_of(then, "compiler"),
               *compiler_now = json_text_of(now, "compiler");
    if (strcmp(compiler, compiler_now) == 0)
        row(verify, true, "compiler", "the same");
    else
        row(verify, false, "compiler", "differs: \"%s\" in the result, \"%s\" here", compiler,
            compiler_now);
    json_decref(now);
}

/* Grades again and prints the row of the score. Returns 0, or the exit code of an error. */
static int replay(struct verify *verify, const json_t *result, const struct lab *lab,
                  const struct submission *submission)
{
    char error[6000] = "", what[400];
    json_t *now = NULL;
    struct grading grading = {.lab = lab,
                              .submission = submission,
                              .device = ON_EMULATOR,
                              .pictures = json_object_get(result, "accesses") != NULL,
                              .unsafe = verify->options.unsafe};
    if (!grade_seed_read(result, &grading.seed) &&
        !grade_seed_of(grading.seed.number, &grading.seed, error, sizeof error))
        return complain(EXIT_USAGE, "LANEWISE_SECRET: %s", error);
    if (*error)
        complain(0, "warning: %s", error);
    enum grade_end end = grade_submission(&grading, &now, error, sizeof error);
    if (end != GRADE_DONE)
        return cli_complain_end("verify", end, lab->name, error);
    if (agree_same(result, now, what, sizeof what))
        row(verify, true, "score", "identical byte for byte, including all counters");
    else
        row(verify, false, "score", "differs: %s", what);
    json_decref(now);
    return 0;
}

/* Prints the rows of one result, whose LAB and SUBMISSION are open. Returns 0, or the exit code of
 * an error. */
static int check_rows(struct verify *verify, const json_t *result, const struct lab *lab,
                      const struct submission *submission)
{
    bool signed_well = check_seal(verify, result);
    bool same = check_submission(verify, result, submission);
    check_graders(verify, result, lab);
    check_terms(verify, result, lab);
    if (strcmp(json_text_of(result, "device"), "emulator") != 0)
        row(verify, signed_well, "score",
            "not graded again: this works only for results from the emulator");
    else if (!same)
        row(verify, false, "score", "not graded again: the submission differs");
    else
        return replay(verify, result, lab, submission);
    return 0;
}

static int verify_result(struct verify *verify, const json_t *result)
{
    static struct submission submission; /* static because it is too large for the stack */
    static struct lab lab;
    char error[6000];
    if (!agree_is_sound(result))
        return complain(EXIT_USAGE, "%s is not a result written by lanewise grade",
                        verify->options.path);
    const char *recorded = json_text_of(result, "submission");
    const char *path = verify->options.submission ? verify->options.submission : recorded;
    int code = 0;
    if (!cli_open_lab("verify", json_text_of(result, "lab"), &lab))
        return EXIT_USAGE;
    const struct course_lab *counted = course_find(&verify->course, lab.name);
    lab_set_terms(&lab, counted ? counted->terms : NULL);
    if (!counted)
        code = complain(EXIT_USAGE, "%s is not one of the labs in %s", lab.name,
                        verify->options.course);
    else if (submission_open(&lab, path, &submission, error, sizeof error)) {
        /* messages contain the file's path, so use the recorded path to get the same messages */
        snprintf(submission.shown, sizeof submission.shown, "%s", recorded);
        printf("%s, seed %lld, on the %s: %.6g points\n", lab.name,
               (long long)json_integer_of(result, "seed"),
               strcmp(json_text_of(result, "device"), "gpu") == 0 ? "GPU" : "emulator",
               json_number_of(result, "score"));
        code = check_rows(verify, result, &lab, &submission);
        submission_close(&submission);
    } else
        code = complain(EXIT_USAGE, "%s%s", error,
                        verify->options.submission ? "" : "; if it has moved, add --submission");
    labs_close(&lab);
    return code;
}

/* Verifies one result, or all results of a set or a student. */
static int verify_document(struct verify *verify, const json_t *document)
{
    const json_t *results = json_object_get(document, "results");
    const char *lab;
    json_t *result;
    int code = 0;
    if (!results)
        return verify_result(verify, document);
    for (size_t i = 0; i < json_array_size(results) && code == 0; ++i)
        code = verify_result(verify, json_array_get(results, i));
    json_object_foreach((json_t *)results, lab, result) /* a student's results, by lab */
    {
        code = code == 0 ? verify_result(verify, result) : code;
    }
    if (json_array_size(results) + json_object_size(results) == 0)
        return complain(EXIT_USAGE, "%s contains no result", verify->options.path);
    return code;
}

/* Returns the exit code if there was no error. Without a key, it is never 0 unless --unsigned was
 * given: anyone can write a file with matching hashes and a forged seal, so "nothing differs"
 * proves nothing. */
static int conclude(const struct verify *verify)
{
    if (verify->differs)
        return EXIT_NOT_YET;
    if (verify->has_key || verify->options.without_key)
        return EXIT_FULL;
    return complain(
        EXIT_USAGE,
        "nothing differs, but without a key anyone could have written this file; add --key FILE, or add --unsigned if you accept that");
}

int cmd_verify(int argc, char **argv)
{
    static struct verify verify; /* static because it is too large for the stack */
    json_error_t error;
    int code = read_options(argc, argv, &verify.options);
    if (code >= 0)
        return code;
    if ((!verify.options.without_key &&
         !cli_read_key("verify", verify.options.key, &verify.key, &verify.has_key)) ||
        !cli_read_course(verify.options.course, &verify.course))
        return EXIT_USAGE;
    json_t *document = json_load_file(verify.options.path, JSON_REJECT_DUPLICATES, &error);
    if (!document)
        return complain(EXIT_USAGE, "cannot read %s: %s", verify.options.path, error.text);
    cli_catch_signals();
    code = cli_check_sandbox("verify", verify.options.unsafe) ? verify_document(&verify, document)
                                                              : EXIT_USAGE;
    seal_key_forget(&verify.key);
    course_free(&verify.course);
    json_decref(document);
    return code ? code : conclude(&verify);
}
