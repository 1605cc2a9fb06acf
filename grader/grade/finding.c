/* Composes findings and causes. A finding's text comes from the record, which a submission can
 * influence, so all text is cleaned for display. */
#include "grade/finding.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "compile/column.h"
#include "gpu/finding_kinds.h"
#include "grade/code.h"
#include "record/losses.h"
#include "record/record.h"

#define MAX_FINDINGS 50

/* Returns a copy of TEXT, at most MOST bytes long, that is safe to display. */
static json_t *clean_string(const char *text, size_t most)
{
    char *copy = strndup(text, most);
    base_clean_text(copy, strlen(copy));
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

void grade_copy_texts(json_t *into, const json_t *from, const char *const *names)
{
    for (; *names; ++names) {
        const char *text = json_string_value(json_object_get(from, *names));
        if (text && *text)
            json_object_set_new(into, *names, clean_string(text, 600));
    }
}

/* --- findings --------------------------------------------------------------------------------- */

static bool same_finding(const json_t *left, const json_t *right)
{
    static const char *const keys[] = {"id", "file", "line", "column"};
    const json_t *one = record_other_access(left), *other = record_other_access(right);
    if ((one || other) && !json_equal(one, other))
        return false;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        const json_t *a = json_object_get(left, keys[i]), *b = json_object_get(right, keys[i]);
        if ((a || b) && !json_equal(a, b))
            return false;
    }
    return true;
}

/* Returns the name of FILE for messages. It is the path for the submission's file, and the name
 * without folders for any other file. */
static json_t *shown_file(const struct grade_result *result, const char *file)
{
    const struct grading *grading = result->grading;
    bool own = strcmp(base_name(file), grading->lab->file) == 0;
    return clean_string(own ? grading->submission->shown : base_name(file), 4096);
}

/* Returns the other places that FOUND mentions, or NULL if there are none. */
static json_t *describe_related(const struct grade_result *result, const json_t *found)
{
    static const char *const texts[] = {"message", NULL};
    const json_t *places = json_object_get(found, "related"), *place;
    json_t *related = json_array_size(places) > 0 ? json_array() : NULL;
    for (size_t i = 0; (place = json_array_get(places, i)); ++i) {
        json_t *copy =
            json_pack("{s:o, s:I}", "file",
                      shown_file(result, json_string_value(json_object_get(place, "file"))), "line",
                      json_integer_of(place, "line"));
        grade_copy_texts(copy, place, texts);
        json_array_append_new(related, copy);
    }
    return related;
}

/* Copies the name of the input, and the members that only findings about wasted work have. Costs
 * with different inputs are not added up. A finding keeps the costs with the first input, which is
 * the simplest. The costs with a later input replace them if it wastes more than 1.5 times as
 * much. */
static void copy_loss(json_t *finding, const json_t *found)
{
    static const char *const texts[] = {"case", "cause", "help", "unit", "spare", NULL};
    static const char *const numbers[] = {"cost", "ideal", "share"};
    grade_copy_texts(finding, found, texts);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (json_is_number(json_object_get(found, numbers[i])))
            json_object_set(finding, numbers[i], json_object_get(found, numbers[i]));
}

void grade_add_lines(const struct grade_result *result, json_t *place, const json_t *also)
{
    const struct submission *submission = result->grading->submission;
    size_t i, length;
    const char *text;
    json_t *number, *lines = json_array();
    json_array_foreach(also, i, number)
    {
        json_int_t line = json_integer_value(number);
        if (line > 0 && base_source_line(submission->source.bytes, (unsigned)line, &text, &length))
            json_array_append_new(
                lines, json_pack("{s:I, s:o}", "line", line, "source", clean_string(text, length)));
    }
    if (json_array_size(lines) > 0)
        json_object_set(place, "also", lines);
    json_decref(lines);
}

/* If the finding is in the submission, adds the source line and corrects the column. The line is
 * needed because a reader of the report may not have the file. */
static void copy_source(const struct grade_result *result, json_t *finding)
{
    const struct submission *submission = result->grading->submission;
    const char *file = json_string_value(json_object_get(finding, "file")), *text;
    json_int_t line = json_integer_of(finding, "line");
    size_t length;
    if (file && strcmp(file, submission->shown) == 0 && line > 0 &&
        base_source_line(submission->source.bytes, (unsigned)line, &text, &length)) {
        unsigned column = (unsigned)json_integer_of(finding, "column");
        json_object_set_new(finding, "source", clean_string(text, length));
        json_object_set_new(finding, "column",
                            json_integer(compile_true_column(text, length, column)));
    }
}

/* Returns FOUND, a finding of a record, as an element of the result's findings. */
static json_t *describe(const struct grade_result *result, const json_t *found)
{
    const char *id = "", *severity = "error", *file = "", *message = "";
    json_int_t line = 0, column = 0, count = 1;
    json_unpack((json_t *)found, "{s?s, s?s, s?s, s?I, s?I, s?s, s?I}", "id", &id, "severity",
                &severity, "file", &file, "line", &line, "column", &column, "message", &message,
                "count", &count);
    json_t *finding =
        json_pack("{s:o, s:o, s:o, s:I, s:I, s:o, s:I, s:o*}", "id", clean_string(id, 64),
                  "severity", clean_string(severity, 16), "file", shown_file(result, file), "line",
                  line, "column", column, "message", clean_string(message, 600), "count", count,
                  "related", describe_related(result, found));
    copy_loss(finding, found);
    copy_source(result, finding);
    grade_add_lines(result, finding, json_object_get(found, "also"));
    return finding;
}

void grade_add_finding(struct grade_result *result, const json_t *found)
{
    json_t *finding = describe(result, found), *other;
    size_t i;
    json_array_foreach(result->findings, i, other)
    {
        if (!same_finding(finding, other))
            continue;
        json_int_t count = json_integer_of(finding, "count") + json_integer_of(other, "count");
        if (record_is_loss(finding) &&
            2 * record_loss_waste(finding) > 3 * record_loss_waste(other))
            json_object_update(other, finding);
        json_object_set_new(other, "count", json_integer(count));
        json_decref(finding);
        return;
    }
    if (json_array_size(result->findings) < MAX_FINDINGS)
        json_array_append_new(result->findings, finding);
    else
        json_decref(finding);
}

/* --- causes ----------------------------------------------------------------------------------- */

/* Adds LINE, in order, to the lines that the report shows for PLACE. */
static void add_line(const struct grade_result *result, json_t *place, json_int_t line)
{
    json_t *also = json_array(), *element;
    size_t i;
    bool added = line == json_integer_of(place, "line");
    json_array_foreach(json_object_get(place, "also"), i, element)
    {
        json_int_t number = json_integer_of(element, "line");
        if (!added && number >= line)
            json_array_append_new(also, json_integer(line));
        added |= number >= line;
        if (number != line)
            json_array_append_new(also, json_integer(number));
    }
    if (!added)
        json_array_append_new(also, json_integer(line));
    grade_add_lines(result, place, also);
    json_decref(also);
}

/* Returns whether FINDING is at LINE of FILE. A finding about a pair of accesses is at the lines of
 * both accesses. */
static bool is_at(const json_t *finding, const json_t *file, json_int_t line)
{
    const json_t *other = record_other_access(finding);
    return (json_integer_of(finding, "line") == line &&
            json_equal(json_object_get(finding, "file"), file)) ||
           (other && json_integer_of(other, "line") == line &&
            json_equal(json_object_get(other, "file"), file));
}

/* Returns whether LEFT and RIGHT come from the same mistake, so that one change fixes both. */
static bool same_cause(const json_t *left, const json_t *right)
{
    const json_t *other = record_other_access(right);
    return json_equal(json_object_get(left, "id"), json_object_get(right, "id")) &&
           (is_at(left, json_object_get(right, "file"), json_integer_of(right, "line")) ||
            (other && is_at(left, json_object_get(other, "file"), json_integer_of(other, "line"))));
}

/* Returns the line of the first `return` before LINE in the same function, or 0. */
static unsigned find_return(const char *source, unsigned line)
{
    struct code code;
    unsigned found = 0;
    size_t end = 0;
    bool good = code_open(&code, source);
    while (good && end < code.token_count && code.tokens[end].line < line)
        ++end;
    for (size_t i = good ? code_part_of(&code, end).first : end; !found && i < end; ++i)
        found = token_is(&code.tokens[i], "return") ? code.tokens[i].line : 0;
    code_close(&code);
    return found;
}

/* If threads of CAUSE may have returned too early, names the line of the return. */
static void name_return(const struct grade_result *result, json_t *cause)
{
    const char *help = json_text_of(cause, "help");
    unsigned line = strstr(help, "thread return")
                        ? find_return(result->grading->submission->source.bytes,
                                      (unsigned)json_integer_of(cause, "line"))
                        : 0;
    if (line == 0)
        return;
    json_object_set_new(cause, "help", json_sprintf("%s, as in line %u", help, line));
    add_line(result, cause, line);
}

/* Returns the result's cause that comes from the same mistake as FINDING. If there is none, makes
 * FINDING a new cause; INPUT is then the input with which it was found. Takes ownership of
 * FINDING. */
static json_t *find_cause(struct grade_result *result, json_t *finding, const json_t *input)
{
    const struct finding_kind *kind = emu_finding_kind(json_text_of(finding, "id"));
    size_t i;
    json_t *other;
    json_array_foreach(result->causes, i, other)
    {
        if (!same_cause(finding, other))
            continue;
        json_decref(finding);
        return other;
    }
    if (!json_object_get(finding, "help"))
        json_object_set_new(finding, "help", json_string(kind ? kind->help : ""));
    json_object_update_new(finding,
                           json_pack("{s:O?, s:f, s:[]}", "case", input, "points", 0.0, "checks"));
    name_return(result, finding);
    json_array_append_new(result->causes, finding);
    return finding;
}

/* If FINDING has no line, gives it the line that the report shows for CHECK, where the kernel is
 * launched. */
static void copy_place(json_t *finding, const json_t *check)
{
    json_t *place = json_object_get(check, "place");
    if (json_integer_of(finding, "line") == 0 && json_is_object(place))
        json_object_update(finding, place);
}

void grade_add_cause(struct grade_result *result, const json_t *verdict, const json_t *check)
{
    const json_t *found = json_object_get(verdict, "found");
    bool was_guessed = result->guessed;
    result->guessed |= json_is_true(json_object_get(verdict, "guessed"));
    if (!json_is_object(found) || was_guessed)
        return;
    json_t *finding = describe(result, found);
    copy_place(finding, check);
    json_t *cause = find_cause(result, finding, json_object_get(verdict, "case"));
    double lost = json_number_of(verdict, "max_points") - json_number_of(verdict, "points");
    json_object_set_new(cause, "points", json_real(json_number_of(cause, "points") + lost));
    json_array_append(json_object_get(cause, "checks"), json_object_get(verdict, "id"));
}

/* Returns the first cause that costs points in one of the checks in REPAIRED, or NULL. */
static json_t *find_repaired(const struct grade_result *result, const json_t *repaired)
{
    size_t i, j;
    json_t *cause, *id;
    json_array_foreach(result->causes, i, cause)
    {
        json_array_foreach(json_object_get(cause, "checks"), j, id)
        {
            if (json_array_has(repaired, id))
                return cause;
        }
    }
    return NULL;
}

/* For each check in REPAIRED that belongs to no cause yet, adds the check and its lost points to
 * CAUSE. */
static void add_checks(const struct grade_result *result, json_t *cause, const json_t *repaired)
{
    size_t i;
    json_t *check;
    json_array_foreach(result->checks, i, check)
    {
        json_t *id = json_object_get(check, "id"), *one = json_pack("[O]", id);
        if (json_array_has(repaired, id) && !find_repaired(result, one)) {
            double lost = json_number_of(check, "max_points") - json_number_of(check, "points");
            json_object_set_new(cause, "points", json_real(json_number_of(cause, "points") + lost));
            json_array_append(json_object_get(cause, "checks"), id);
        }
        json_decref(one);
    }
}

/* --- uninitialised variables ------------------------------------------------------------------ */

/* Returns whether token I of CODE is a name after a type or a comma, as in a declaration. */
static bool is_declared(const struct code *code, size_t i)
{
    static const char *const words[] = {"return", "else", "case", "goto", NULL};
    const struct token *token = &code->tokens[i];
    return i > 0 && i + 1 < code->token_count && token_is_name(token) &&
           (token_is_name(&token[-1]) || token_is(&token[-1], ",")) &&
           !token_is_one_of(&token[-1], words);
}

/* Returns whether token I of CODE declares a variable without initialising it. */
static bool declares_unset(const struct code *code, size_t i)
{
    const struct token *next = &code->tokens[i + 1];
    return is_declared(code, i) && (token_is(next, ";") || token_is(next, ","));
}

/* Finds an uninitialised variable that is used in line LINE and declared earlier in the same
 * function. Returns NULL if there is none, or more than one. */
static const struct token *find_unset(const struct code *code, unsigned line)
{
    const struct token *found = NULL;
    size_t use = 0;
    while (use < code->token_count && code->tokens[use].line < line)
        ++use;
    struct span part = code_part_of(code, use);
    for (size_t i = part.first; i < use; ++i)
        for (size_t j = use;
             declares_unset(code, i) && j < part.first + part.count && code->tokens[j].line == line;
             ++j) {
            if (!token_is_same(&code->tokens[i], &code->tokens[j]))
                continue;
            if (found)
                return NULL;
            found = &code->tokens[i];
            break;
        }
    return found;
}

/* Returns whether token I of CODE declares an array without initialising it. */
static bool declares_unset_array(const struct code *code, size_t i)
{
    if (!is_declared(code, i) || !token_is(&code->tokens[i + 1], "["))
        return false;
    while (i < code->token_count && !strchr("=;,", *code->tokens[i].begin))
        ++i;
    return i < code->token_count && *code->tokens[i].begin != '=';
}

/* Returns whether a function that runs on the GPU declares a variable, or an array that is not
 * shared, without initialising it. */
static bool has_unset(const struct code *code)
{
    bool is_shared = false, on_gpu = false, in_body = false;
    int depth = 0;
    for (size_t i = 0; i + 1 < code->token_count; ++i) {
        const struct token *token = &code->tokens[i];
        depth += token_is(token, "(") - token_is(token, ")");
        on_gpu |= token_is(token, "__global__") || token_is(token, "__device__");
        in_body |= on_gpu && token_is(token, "{");
        if (*token->begin == '}' && code_part_of(code, i).first != code_part_of(code, i + 1).first)
            on_gpu = in_body = false;
        is_shared = (is_shared || token_is(token, "__shared__")) && !strchr(";{}", *token->begin);
        if (in_body && depth == 0 && !is_shared &&
            (declares_unset(code, i) || declares_unset_array(code, i)))
            return true;
    }
    return false;
}

/* Returns a new cause for FINDING. Its line is the declaration of the variable, if it is known.
 * Returns NULL if no variable can be without a value: the compiler has then split a loop so that
 * the instructions look as if one could be. */
static json_t *describe_unset(const struct grade_result *result, const json_t *finding)
{
    struct code code;
    bool good = code_open(&code, result->grading->submission->source.bytes);
    json_t *cause = good && !has_unset(&code) ? NULL : json_deep_copy(finding);
    unsigned line = (unsigned)json_integer_of(finding, "line");
    const struct token *unset = good && cause ? find_unset(&code, line) : NULL;
    if (unset) {
        char message[200];
        snprintf(message, sizeof message, "%.*s may be used in line %u before it has a value",
                 (int)unset->length, unset->begin, line);
        json_object_update_new(cause, json_pack("{s:s, s:i, s:i}", "message", message, "line",
                                                (int)unset->line, "column",
                                                (int)code_column(&code, unset)));
        copy_source(result, cause);
        add_line(result, cause, line);
    }
    code_close(&code);
    if (!cause)
        return NULL;
    json_object_update_new(cause,
                           json_pack("{s:s, s:f, s:[]}", "case", "", "points", 0.0, "checks"));
    json_object_set_new(cause, "help", json_string(emu_finding_kind("unset-variable")->help));
    return cause;
}

void grade_add_unset(struct grade_result *result)
{
    size_t i;
    json_t *finding, *check, *failed = json_array();
    json_array_foreach(result->checks, i, check)
    {
        if (strcmp(json_text_of(check, "status"), "failed") == 0 &&
            !json_is_object(json_object_get(check, "figure")))
            json_array_append(failed, json_object_get(check, "id"));
    }
    json_array_foreach(result->findings, i, finding)
    {
        if (strcmp(json_text_of(finding, "id"), "unset-variable") != 0)
            continue;
        json_t *cause = describe_unset(result, finding);
        if (!cause)
            continue;
        add_checks(result, cause, failed);
        /* causes that cost points come first */
        json_array_insert_new(
            result->causes,
            json_number_of(cause, "points") > 0 ? 0 : json_array_size(result->causes), cause);
        break;
    }
    json_decref(failed);
}

/* --- repairs ---------------------------------------------------------------------------------- */

/* Writes the message about EDITS: each of them alone makes the checks pass. If there are
 * several, one is at the mistake, and the others compensate for it. */
static void write_repair(char *text, size_t size, const struct found_edits *found)
{
    size_t used = 0;
    for (size_t i = 0; i < found->count; ++i)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", or " : "",
                                 found->edits[i]->says);
    snprintf(text + used, size - used, ", these checks pass");
}

/* Returns a new cause at the line of the first edit. It shows the lines of the first check in
 * REPAIRED. */
static json_t *make_cause(const struct grade_result *result, const struct found_edits *found,
                          const json_t *repaired)
{
    char message[FOUND_EDITS * sizeof found->edits[0]->says + 30];
    const struct small_edit *edit = found->edits[0];
    size_t i;
    json_t *check;
    write_repair(message, sizeof message, found);
    message[0] = (char)toupper((unsigned char)message[0]);
    json_t *finding =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:s}", "id", "likely-mistake", "severity", "error",
                  "file", result->grading->lab->file, "line", (json_int_t)edit->line, "column",
                  (json_int_t)edit->column, "message", message);
    json_t *cause = describe(result, finding);
    json_decref(finding);
    json_array_foreach(result->checks, i, check)
    {
        json_t *place = json_object_get(check, "place");
        if (!json_array_has(repaired, json_object_get(check, "id")) || !json_is_object(place))
            continue;
        json_object_set(cause, "also", json_object_get(place, "also"));
        add_line(result, cause, json_integer_of(place, "line"));
        break;
    }
    json_object_update_new(
        cause, json_pack("{s:s, s:s, s:f, s:[]}", "help", "", "case", "", "points", 0.0, "checks"));
    return cause;
}

/* Turns CAUSE, which results from the mistake at EDIT, into one that begins with MESSAGE. Its help
 * says what results. */
static void replace_cause(const struct grade_result *result, json_t *cause,
                          const struct small_edit *edit, const char *message)
{
    json_int_t line = json_integer_of(cause, "line");
    char help[600] = "";
    if (!edit->is_sure)
        snprintf(help, sizeof help, "this causes the error in line %lld: %s", (long long)line,
                 json_text_of(cause, "message"));
    json_object_update_new(cause,
                           json_pack("{s:o, s:o, s:s, s:I, s:I}", "message",
                                     clean_string(message, strlen(message)), "help",
                                     clean_string(help, strlen(help)), "case", "", "line",
                                     (json_int_t)edit->line, "column", (json_int_t)edit->column));
    json_object_del(cause, "related");
    copy_source(result, cause);
    add_line(result, cause, line);
}

void grade_add_repair(struct grade_result *result, const struct found_edits *found,
                      const json_t *repaired)
{
    char text[FOUND_EDITS * sizeof found->edits[0]->says + 30];
    json_t *cause = find_repaired(result, repaired);
    write_repair(text, sizeof text, found);
    const struct small_edit *edit = found->edits[0];
    bool is_only = found->count == 1 && cause && json_integer_of(cause, "line") != edit->line;
    if (cause && (edit->is_sure || is_only)) {
        text[0] = (char)toupper((unsigned char)text[0]);
        replace_cause(result, cause, edit, text);
    } else if (cause)
        json_object_set_new(cause, "help", clean_string(text, sizeof text));
    else {
        cause = make_cause(result, found, repaired);
        json_array_insert_new(result->causes, 0, cause);
    }
    for (size_t i = 0; i < found->count; ++i)
        add_line(result, cause, found->edits[i]->line);
    add_checks(result, cause, repaired);
}
