#include "grade/repair.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "gpu/finding_kinds.h"
#include "grade/edits.h"
#include "grade/finding.h"
#include "grade/runner.h"
#include "grade/tries.h"

#define BUILDS    4u    /* most builds; each leaves out edits that did not compile before */
#define BATCH     40u   /* edits that are built as one program; more would make each run slower */
#define WORK      120e6 /* most work to try the edits of one source, in warp instructions */
#define MORE_WORK 10e6  /* most work to search for other edits, after one was found */
/* The limit of one launch, in warp instructions: an edit may cause an endless loop. The largest
 * launch of a right program has 5 million. */
#define LAUNCH_LEAST 2e6
#define LAUNCH_MOST  12e6
#define CHECKS_MOST  64u /* more checks than a lab has */
#define CHOICES      4u  /* most edits that repair the first failed check and are tried further */

struct repair {
    struct grade_job job;
    struct grade_result *result;
    char folder[PATH_SIZE];
    struct edits edits;
    bool is_out[EDITS_MOST];  /* edits that do not compile, or that only avoid the mistake */
    double launch_most;       /* the limit of a launch while one check is tried */
    unsigned marked;          /* the line at which the first failed check points, or 0 */
    struct small_edit launch; /* a launch that repairs all failed checks, if its line is not 0 */
    json_t *by_launch;        /* ids of these checks */
    json_t *failed;           /* ids of the failed checks that may be repaired */
    json_t *names;            /* names of the failed checks, then of the checks that passed */
};

/* --- building --------------------------------------------------------------------------------- */

static const char *source_of(const struct repair *repair)
{
    return repair->result->grading->submission->source.bytes;
}

/* Excludes the edits that the compiler's MESSAGES name. Returns true if there are such edits, and
 * others remain. */
static bool leave_out(struct repair *repair, const char *messages)
{
    bool found = false, remains = false;
    char name[32];
    for (size_t i = 0; i < repair->edits.count; ++i) {
        snprintf(name, sizeof name, "try_%zu/", i);
        if (!repair->is_out[i] && strstr(messages, name))
            found = repair->is_out[i] = true;
        remains |= !repair->is_out[i];
    }
    return found && remains;
}

static bool link_programs(const struct repair *repair, const char *program)
{
    char path[PATH_SIZE];
    if (!base_path(path, "%s-%u", program, GRADE_NO_EDIT) || link(program, path) != 0)
        return false;
    for (size_t i = 0; i < repair->edits.count; ++i)
        if (!repair->is_out[i] &&
            (!base_path(path, "%s-%zu", program, i) || link(program, path) != 0))
            return false;
    return true;
}

static bool build(struct repair *repair)
{
    struct text source;
    struct compile_build built = {.end = COMPILE_REJECTED};
    struct compile_job job = {.source = &source,
                              .file_name = "tries.cu",
                              .shown = "tries.cu",
                              .device = ON_EMULATOR,
                              .hasty = true,
                              .level = repair->job.level,
                              .folder = repair->folder};
    bool again = true;
    for (unsigned i = 0; again && i < BUILDS; ++i) {
        source.bytes = tries_write(&(struct tries){.edits = &repair->edits,
                                                   .is_out = repair->is_out,
                                                   .source = source_of(repair),
                                                   .file_name = repair->job.file_name},
                                   &source.size);
        if (!source.bytes)
            return false;
        compile_build(&job, &built);
        again = built.end == COMPILE_REJECTED && leave_out(repair, built.messages);
        free(source.bytes);
        compile_build_free(&built);
    }
    strcpy(repair->job.programs[ON_EMULATOR], built.program);
    return built.end == COMPILE_DONE && link_programs(repair, built.program);
}

/* --- trying ----------------------------------------------------------------------------------- */

/* Returns whether CHECK failed because the program is wrong, not because it is slow. */
static bool is_wrong(const json_t *check)
{
    const char *status = json_text_of(check, "status");
    return strcmp(status, "passed") != 0 && strcmp(status, "partial") != 0 &&
           !json_is_object(json_object_get(check, "figure"));
}

static const json_t *find_declared(const struct lab *lab, const json_t *id)
{
    size_t i;
    json_t *declared;
    json_array_foreach(json_object_get(lab->declared, "checks"), i, declared)
    {
        if (json_equal(json_object_get(declared, "id"), id))
            return declared;
    }
    return NULL;
}

/* Sorts the checks, and limits the work of a launch to twice that of all launches of a check. */
static void sort_checks(struct repair *repair)
{
    json_t *check, *passed = json_array();
    size_t i;
    repair->launch_most = LAUNCH_LEAST;
    double least = INFINITY; /* the work of the cheapest failed check: edits are tried with it */
    json_array_foreach(repair->result->checks, i, check)
    {
        json_t *id = json_object_get(check, "id");
        json_t *name = json_object_get(find_declared(repair->result->grading->lab, id), "name");
        double most = 2 * json_number_of(json_object_get(check, "counters"), "warp_instructions");
        double work = json_number_value(json_array_get(repair->result->works, i));
        repair->launch_most = fmax(most, repair->launch_most);
        if (i >= CHECKS_MOST || !name)
            continue;
        bool is_cheapest = work < least;
        least = is_wrong(check) && is_cheapest ? work : least;
        if (is_wrong(check)) {
            json_array_insert(repair->failed, is_cheapest ? 0 : json_array_size(repair->failed),
                              id);
            json_array_insert(repair->names, is_cheapest ? 0 : json_array_size(repair->names),
                              name);
        } else if (strcmp(json_text_of(check, "status"), "passed") == 0)
            json_array_append(passed, name);
    }
    repair->launch_most = fmin(repair->launch_most, LAUNCH_MOST);
    json_array_extend(repair->names, passed);
    json_decref(passed);
}

/* Returns the number of the first edit with which the check NAME passed, or -1. */
static json_int_t read_passed(struct repair *repair, const char *name)
{
    char path[PATH_SIZE];
    json_int_t passed = -1;
    if (base_path(path, "%s/%s.json", repair->folder, name)) {
        json_t *document = json_load_file(path, 0, NULL);
        json_unpack(document, "{s:I}", "passed", &passed);
        repair->job.work -= json_number_of(document, "work");
        json_decref(document);
    }
    return passed < (json_int_t)repair->edits.count ? passed : -1;
}

/* Runs the first COUNT checks with each edit whose number is in TRIES. For each check, PASSED gets
 * the number of the first edit with which it passes, or -1. */
static void try_checks(struct repair *repair, json_t *tries, size_t count, json_int_t passed[])
{
    char path[PATH_SIZE];
    struct process_outcome outcome;
    repair->job.only = json_array();
    repair->job.tries = tries;
    repair->job.instructions = count > 1 ? LAUNCH_MOST : repair->launch_most;
    for (size_t i = 0; i < count; ++i)
        json_array_append(repair->job.only, json_array_get(repair->names, i));
    if (base_path(path, "%s/job.json", repair->folder) &&
        runner_run(repair->result->grading->lab, &repair->job, path, &outcome))
        process_outcome_free(&outcome);
    json_decref(repair->job.only);
    for (size_t i = 0; i < count; ++i)
        passed[i] = read_passed(repair, json_string_value(json_array_get(repair->names, i)));
}

/* Returns the first edit that repairs the first failed check, or -1. Leaves out this edit and
 * those before it. */
static json_int_t find_choice(struct repair *repair)
{
    json_int_t passed = -1;
    json_t *tries = json_array();
    for (size_t i = 0; i < repair->edits.count; ++i)
        if (!repair->is_out[i])
            json_array_append_new(tries, json_integer((json_int_t)i));
    if (json_array_size(tries) > 0)
        try_checks(repair, tries, 1, &passed);
    json_decref(tries);
    for (json_int_t i = 0; i <= passed; ++i)
        repair->is_out[i] = true;
    return passed;
}

/* Runs all checks with EDIT, and lists in REPAIRED the failed checks that now pass. Returns whether
 * EDIT may correct the mistake. If a passed check now fails, EDIT only avoids the mistake, for
 * example because it launches the kernel of another version. The same is probable if EDIT is a
 * guess and a failed check still fails. */
static bool is_mistake(struct repair *repair, json_int_t edit, json_t *repaired)
{
    json_int_t passed[CHECKS_MOST];
    size_t failed_count = json_array_size(repair->failed), count = json_array_size(repair->names);
    json_t *tries = json_pack("[I]", edit);
    bool spoils = false;
    try_checks(repair, tries, count, passed);
    json_decref(tries);
    json_array_clear(repaired);
    for (size_t i = 0; i < failed_count; ++i)
        if (passed[i] == edit)
            json_array_append(repaired, json_array_get(repair->failed, i));
    for (size_t i = failed_count; i < count; ++i)
        spoils |= passed[i] != edit;
    bool is_guess = repair->edits.list[edit].is_guess;
    return !spoils && (!is_guess || json_array_size(repaired) == failed_count);
}

/* Returns whether CAUSE is a finding of TOOL. */
static bool is_of_tool(const json_t *cause, const char *tool)
{
    const struct finding_kind *kind = emu_finding_kind(json_text_of(cause, "id"));
    return kind && strcmp(kind->tool, tool) == 0;
}

/* Returns whether CAUSE is a race between two threads that write to the same word: they probably
 * compute the same index by mistake. */
static bool is_collision(const json_t *cause)
{
    return is_of_tool(cause, "racecheck") &&
           strstr(json_text_of(cause, "message"), "one of the two values");
}

/* Returns whether one of the causes is a race or a fault at a barrier. Such a finding shows the
 * line of the mistake, and a small edit elsewhere would only hide it. Other findings do not: an
 * access out of bounds, an uninitialised read, or two threads that write to the same word often
 * result from a mistake in another line. For a launch, the same is true of lanes that take no part
 * in a warp function: the launch may have too few threads for a warp. */
static bool is_explained(const struct repair *repair, bool is_launch)
{
    size_t i;
    json_t *cause;
    json_array_foreach(repair->result->causes, i, cause)
    {
        bool is_of_lanes = strcmp(json_text_of(cause, "id"), "bad-warp-mask") == 0;
        if ((is_of_tool(cause, "racecheck") && !is_collision(cause)) ||
            (is_of_tool(cause, "synccheck") && !(is_launch && is_of_lanes)))
            return true;
    }
    return false;
}

/* Puts the edit of the marked line first, because the wrong numbers point at this line. */
static void put_marked_first(const struct repair *repair, struct found_edits *found)
{
    for (size_t i = 1; i < found->count; ++i) {
        const struct small_edit *edit = found->edits[i];
        if (edit->line != repair->marked)
            continue;
        found->edits[i] = found->edits[0];
        found->edits[0] = edit;
    }
}

/* Makes LIST equal to OTHER. */
static void copy_list(json_t *list, json_t *other)
{
    json_array_clear(list);
    json_array_extend(list, other);
}

/* Returns whether a launch may be the mistake: no finding shows another line. */
static bool can_be_launch(const struct repair *repair)
{
    return !is_explained(repair, true) && !repair->result->guessed;
}

/* Keeps EDIT, a launch of the solution that repairs REPAIRED, in case that no other edit is found.
 * Leaves it out if other checks still fail: then it is less probable. */
static void keep(struct repair *repair, const struct small_edit *edit, json_t *repaired)
{
    if (edit->is_guess || repair->launch.line > 0 || !can_be_launch(repair) ||
        json_array_size(repaired) < json_array_size(repair->failed))
        return;
    repair->launch = *edit;
    repair->launch.text = NULL; /* it is freed with the other edits */
    copy_list(repair->by_launch, repaired);
}

/* Finds the edits that repair the first failed check and may correct the mistake: one edit from the
 * solution, one sure guess, or some guesses in different places. Stores them in FOUND. */
static void try_edits(struct repair *repair, struct found_edits *found, json_t *repaired)
{
    json_int_t choice;
    json_t *now = json_array(), *by_launch = json_array();
    const struct small_edit *launch = NULL;
    bool is_done = false;
    for (unsigned i = 0; !is_done && i < CHOICES && found->count < FOUND_EDITS; ++i) {
        if ((choice = find_choice(repair)) < 0)
            break;
        const struct small_edit *edit = &repair->edits.list[choice];
        if (!is_mistake(repair, choice, now))
            continue;
        if (edit->is_launch) { /* may only make up for a mistake in the kernel */
            launch = edit;
            copy_list(by_launch, now);
            keep(repair, edit, now);
            continue;
        }
        if (found->count == 0)
            copy_list(repaired, now);
        found->edits[found->count++] = edit;
        repair->job.work = fmin(repair->job.work, MORE_WORK);
        for (size_t j = 0; j < repair->edits.count; ++j)
            repair->is_out[j] |= repair->edits.list[j].line == edit->line;
        is_done = !edit->is_guess || edit->is_sure;
    }
    if (found->count == 0 && launch && can_be_launch(repair)) {
        found->edits[found->count++] = launch;
        copy_list(repaired, by_launch);
    }
    put_marked_first(repair, found);
    json_decref(now);
    json_decref(by_launch);
}

/* Builds the edits that are not left out in a new folder NAME, and tries them. */
static void try_batch(struct repair *repair, const char *folder, const char *name,
                      struct found_edits *found, json_t *repaired)
{
    bool good =
        base_path(repair->folder, "%s/%s", folder, name) && base_make_folder(repair->folder);
    strcpy(repair->job.folder, repair->folder);
    if (good && build(repair))
        try_edits(repair, found, repaired);
}

/* Tries all edits, the first ones first, until some repair failed checks. Stores these in FOUND.
 * REPAIRED gets the ids of these checks. NAME begins the names of new folders in FOLDER. */
static void try_all(struct repair *repair, const char *folder, const char *name,
                    struct found_edits *found, json_t *repaired)
{
    char batch[64];
    json_array_clear(repaired);
    found->count = 0;
    repair->job.work = WORK;
    for (size_t first = 0; found->count == 0 && repair->job.work > 0 && first < repair->edits.count;
         first += BATCH) {
        for (size_t i = 0; i < repair->edits.count; ++i)
            repair->is_out[i] = i < first || i >= first + BATCH;
        snprintf(batch, sizeof batch, "%s-%zu", name, first);
        try_batch(repair, folder, batch, found, repaired);
    }
}

/* Returns the lab's skeleton, or NULL if it cannot be read. The caller frees it. */
static char *read_skeleton(const struct grading *grading)
{
    struct text skeleton = {0};
    char path[PATH_SIZE], why[100];
    return lab_pristine_path(grading->lab, path) &&
                   base_read_file(path, 1 << 20, &skeleton, why, sizeof why)
               ? skeleton.bytes
               : NULL;
}

/* Returns whether the submission is the lab's skeleton. In that, work is missing, but there is no
 * mistake to be found. */
static bool is_skeleton(const struct grading *grading)
{
    char *skeleton = read_skeleton(grading);
    bool is_equal = skeleton && strcmp(skeleton, grading->submission->source.bytes) == 0;
    free(skeleton);
    return is_equal;
}

/* Reads the lab's solution and skeleton, and finds edits. */
static void find_edits(struct repair *repair)
{
    const struct grading *grading = repair->result->grading;
    struct text solution = {0};
    char why[100];
    if (!base_read_file(grading->lab->solution, 1 << 20, &solution, why, sizeof why))
        return;
    char *skeleton = read_skeleton(grading);
    edits_from_solution(&repair->edits, grading->submission->source.bytes, solution.bytes,
                        skeleton);
    free(solution.bytes);
    free(skeleton);
}

/* Returns whether LINE is only shown because it stores the wrong numbers that MESSAGE is about. */
static bool only_stores(const char *message, unsigned line)
{
    char text[32];
    snprintf(text, sizeof text, "; line %u ", line);
    const char *at = strstr(message, text);
    return at && (strstr(at, "stores the results") || strstr(at, "updates the result"));
}

static void add_line(struct edit_lines *lines, unsigned line)
{
    enum { MOST = sizeof lines->shown / sizeof *lines->shown };
    lines->first = line < lines->first ? line : lines->first;
    lines->last = line > lines->last ? line : lines->last;
    for (size_t i = 0; i < lines->shown_count; ++i)
        if (lines->shown[i] == line)
            return;
    if (lines->shown_count < MOST)
        lines->shown[lines->shown_count++] = line;
}

/* Adds the lines that PLACE shows, apart from its own. */
static void add_shown(struct edit_lines *lines, const json_t *place)
{
    size_t i;
    json_t *element;
    json_array_foreach(json_object_get(place, "also"), i, element)
        add_line(lines, (unsigned)json_integer_of(element, "line"));
}

/* Adds the lines that TEXT names, as in "line 7 writes only elements 0 to 5". */
static void add_named(struct edit_lines *lines, const char *text)
{
    static const char word[] = "line ";
    while ((text = strstr(text, word))) {
        text += strlen(word);
        unsigned line = (unsigned)strtoul(text, NULL, 10);
        if (line > 0)
            add_line(lines, line);
    }
}

/* Adds the lines of a finding at the suspect line: those that it shows, other accesses or launches,
 * and those that its help names. */
static void add_causes(const struct repair *repair, struct edit_lines *lines)
{
    size_t i, j;
    json_t *cause, *place;
    json_array_foreach(repair->result->causes, i, cause)
    {
        if ((unsigned)json_integer_of(cause, "line") != lines->suspect)
            continue;
        lines->only_streams |= strcmp(json_text_of(cause, "id"), "race-streams") == 0;
        lines->is_collision |= is_collision(cause);
        lines->is_unwritten |= is_of_tool(cause, "initcheck");
        lines->is_outside |= is_of_tool(cause, "memcheck");
        add_shown(lines, cause);
        add_named(lines, json_text_of(cause, "help"));
        json_array_foreach(json_object_get(cause, "related"), j, place)
        {
            if (json_equal(json_object_get(place, "file"), json_object_get(cause, "file")))
                add_line(lines, (unsigned)json_integer_of(place, "line"));
        }
    }
}

/* Finds the lines that the first failed check shows: the suspect is the line that it marks. Returns
 * false if it shows none. */
static bool find_lines(struct repair *repair, struct edit_lines *lines, bool *has_overflow)
{
    size_t i;
    json_t *check;
    lines->first = UINT_MAX;
    json_array_foreach(repair->result->checks, i, check)
    {
        const char *message = json_text_of(check, "message");
        json_t *place = json_object_get(check, "place");
        if (lines->first < UINT_MAX || !json_is_object(place) ||
            !json_array_has(repair->failed, json_object_get(check, "id")))
            continue;
        *has_overflow = strstr(message, "32-bit int") != NULL;
        lines->is_close = strstr(message, " ulp") != NULL;
        lines->is_repeated = strstr(message, "times too large") != NULL;
        lines->suspect = lines->first = lines->last = (unsigned)json_integer_of(place, "line");
        lines->shown[lines->shown_count++] = lines->suspect;
        if (!only_stores(message, lines->suspect))
            repair->marked = lines->suspect;
        add_shown(lines, place);
        add_causes(repair, lines);
    }
    return lines->first < UINT_MAX;
}

/* Leaves in LINES only those of EDIT, which is vague, and the functions that these lines call. */
static void narrow(struct edit_lines *lines, const struct small_edit *edit)
{
    size_t count = 0;
    lines->first = edit->line;
    lines->last = edit->last;
    for (size_t i = 0; i < lines->shown_count; ++i)
        if (lines->shown[i] >= lines->first && lines->shown[i] <= lines->last)
            lines->shown[count++] = lines->shown[i];
    lines->shown_count = count;
    lines->with_called = true;
}

/* Makes edits by rules, and tries them. */
static void try_rules(struct repair *repair, const struct edit_lines *lines, const char *folder,
                      const char *name, struct found_edits *found, json_t *repaired)
{
    edits_free(&repair->edits);
    edits_by_rules(&repair->edits, source_of(repair), lines);
    try_all(repair, folder, name, found, repaired);
}

/* Finds edits that repair failed checks. */
static void find_repair(struct repair *repair, const char *folder, struct found_edits *found,
                        json_t *repaired)
{
    struct edit_lines lines = {0};
    bool has_overflow = false, has_lines = find_lines(repair, &lines, &has_overflow);
    if (has_overflow) {
        lines.only_wide = true; /* the solution may have the wider type in another place */
        try_rules(repair, &lines, folder, "wide-tries", found, repaired);
        lines.only_wide = false;
    }
    if (found->count > 0)
        return;
    edits_free(&repair->edits);
    find_edits(repair);
    try_all(repair, folder, "tries", found, repaired);
    const struct small_edit *edit = found->count > 0 ? found->edits[0] : NULL;
    bool is_surely_found =
        edit && (edit->is_launch ? is_explained(repair, false) : !edit->is_vague);
    if (is_surely_found || (!has_lines && !edit))
        return;
    lines.only_rounding = is_explained(repair, false);
    if (edit && edit->is_vague)
        narrow(&lines, edit);
    bool is_known = repair->marked > 0 &&
                    (repair->result->guessed || json_array_size(repair->result->causes) > 0);
    if (lines.suspect < lines.first || lines.suspect > lines.last || !is_known)
        lines.suspect = 0; /* this line only stores the wrong numbers */
    if (repair->result->guessed && repair->marked) {
        lines.first = lines.last = lines.suspect;
        lines.is_guessed = true;
    }
    try_rules(repair, &lines, folder, "more-tries", found, repaired);
    if (found->count == 0 && repair->launch.line > 0) {
        found->edits[found->count++] = &repair->launch;
        copy_list(repaired, repair->by_launch);
    }
}

void repair_find(const struct grade_job *job, const char *folder, struct grade_result *result)
{
    /* static because it is too large for a stack */
    static struct repair repair;
    struct found_edits found = {0};
    json_t *repaired = json_array();
    repair = (struct repair){.job = *job,
                             .result = result,
                             .by_launch = json_array(),
                             .failed = json_array(),
                             .names = json_array()};
    sort_checks(&repair);
    if (json_array_size(repair.failed) > 0 && result->grading->device == ON_EMULATOR &&
        !is_skeleton(result->grading))
        find_repair(&repair, folder, &found, repaired);
    if (found.count > 0)
        grade_add_repair(result, &found, repaired);
    edits_free(&repair.edits);
    json_decref(repaired);
    json_decref(repair.by_launch);
    json_decref(repair.failed);
    json_decref(repair.names);
}
