/* Writes the terminal report of a run. Adds up the JSON document by kernel and by source line, then
 * prints a table for each kernel and a paragraph for each line.
 *
 * The waste of a line is the sum of its wasted sectors of global memory, extra wavefronts of shared
 * memory, and divergent branches. These are not equally expensive, but the line with the most waste
 * is the first to improve. */
#include "report/run_terminal.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "gpu/counters.h"
#include "gpu/occupancy.h"
#include "gpu/rules.h"
#include "record/losses.h"
#include "report/finding_terminal.h"
#include "report/result_terminal.h"
#include "report/run_totals.h"

enum { MAX_SOURCE = 4 << 20, MOST_LOSSES = 5, MAX_NAME = 44 };

#define MARGIN "       " /* indentation of a finding's second and later lines */

struct style {
    const char *strong, *bad, *dim, *off;
};

static const struct style plain = {"", "", "", ""};
static const struct style coloured = {"\033[1m", "\033[1;31m", "\033[2m", "\033[0m"};

/* The state of writing the report. */
struct page {
    FILE *to;
    struct style style;
    char *folder; /* the working directory, for shortening file names; may be NULL */
    char *source; /* text of the last file shown, or NULL if it cannot be read */
    char *source_name;
    /* name of the counting rules, or NULL if they are those of current GPUs */
    const char *rules;
};

/* --- source lines ----------------------------------------------------------------------------- */

/* Returns FILE relative to the working directory. */
static const char *shown_name(const struct page *page, const char *file)
{
    size_t length = page->folder ? strlen(page->folder) : 0;
    if (length > 1 && strncmp(file, page->folder, length) == 0 && file[length] == '/')
        return file + length + 1;
    return file;
}

/* Returns NAME. If it is long, returns only its end, from a '/' on. CUT gets the text to print
 * before it: "…" if NAME was shortened, otherwise "". */
static const char *short_name(const char *name, const char **cut)
{
    size_t length = strlen(name);
    const char *end = length > MAX_NAME ? strchr(name + length - MAX_NAME, '/') : NULL;
    if (length > MAX_NAME && !end)
        end = strrchr(name, '/'); /* even the file name alone is too long */
    *cut = end ? "…" : "";
    return end ? end : name;
}

/* Reads the file NAME, but only if it is a regular file of limited size, because the name comes
 * from the program. */
static char *read_source(const char *name)
{
    struct stat status;
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    char *text = NULL;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MAX_SOURCE)
        text = malloc(status.st_size + 1);
    ssize_t size = text ? read(fd, text, status.st_size) : -1;
    close(fd);
    if (size < 0) {
        free(text);
        return NULL;
    }
    size = (ssize_t)base_unix_lines(text, (size_t)size);
    base_clean_text(text, size);
    text[size] = '\0';
    return text;
}

/* Returns the text of FILE, or NULL. The text of the last file is cached. */
static const char *source_of(struct page *page, const char *file)
{
    if (!page->source_name || strcmp(page->source_name, file) != 0) {
        free(page->source_name);
        free(page->source);
        page->source_name = strdup(file);
        page->source = *file ? read_source(file) : NULL;
    }
    return page->source;
}

static void print_source(struct page *page, const char *file, unsigned line)
{
    const char *text = source_of(page, file), *start;
    size_t length;
    if (!text || !base_source_line(text, line, &start, &length))
        return;
    while (length > 0 && (*start == ' ' || *start == '\t')) {
        start++;
        length--;
    }
    fprintf(page->to, "      %s%.*s%s\n", page->style.dim, (int)length, start, page->style.off);
}

/* --- counters --------------------------------------------------------------------------------- */

/* A kind of access. Its counters follow one another in the enum. */
struct access {
    const char *name;
    /* Counter of requests. The next counters in the enum are sectors, ideal and lines; or
     * wavefronts, ideal and conflicts. */
    enum emu_counter requests;
};

static const struct access global_accesses[] = {
    {"global loads", EMU_global_load_requests},
    {"global stores", EMU_global_store_requests},
    {"global atomics", EMU_global_atomic_requests},
    {"global reductions", EMU_global_reduction_requests},
};

static const struct access shared_accesses[] = {
    {"shared loads", EMU_shared_load_requests},
    {"shared stores", EMU_shared_store_requests},
    {"shared atomics", EMU_shared_atomic_requests},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
enum { COST = 1, IDEAL = 2, LAST = 3 };

static void print_global(struct page *page, const struct emu_counters *counters,
                         const struct access *access)
{
    const uint64_t *value = &counters->value[access->requests];
    if (value[0] == 0)
        return;
    bool bad = value[COST] > value[IDEAL];
    fprintf(page->to, "  %-17s %11s requests %11s sectors  %s%.1f per request%s, ideal %.1f",
            access->name, NUMBER(value[0]), NUMBER(value[COST]), bad ? page->style.bad : "",
            base_ratio(value[COST], value[0]), bad ? page->style.off : "",
            base_ratio(value[IDEAL], value[0]));
    fprintf(page->to, "; %.1f %s\n", base_ratio(value[LAST], value[0]),
            page->rules ? "transactions" : "lines");
}

static void print_shared(struct page *page, const struct emu_counters *counters,
                         const struct access *access)
{
    const uint64_t *value = &counters->value[access->requests];
    if (value[0] == 0)
        return;
    bool bad = value[LAST] > 0;
    fprintf(page->to, "  %-17s %11s requests %11s wavefronts  %s%s conflicts%s, %.1f per request\n",
            access->name, NUMBER(value[0]), NUMBER(value[COST]), bad ? page->style.bad : "",
            NUMBER(value[LAST]), bad ? page->style.off : "", base_ratio(value[LAST], value[0]));
}

/* Prints the local memory accesses. They have no ideal cost, because the best program has no such
 * accesses. */
static void print_local(struct page *page, const char *name, const uint64_t value[2])
{
    if (value[0])
        fprintf(page->to, "  %-17s %11s requests %11s sectors  %.1f per request\n", name,
                NUMBER(value[0]), NUMBER(value[COST]), base_ratio(value[COST], value[0]));
}

static void print_requests(struct page *page, const char *name, uint64_t requests)
{
    if (requests)
        fprintf(page->to, "  %-18s %15s\n", name, NUMBER(requests));
}

static void print_constants(struct page *page, uint64_t requests, uint64_t replays)
{
    if (requests)
        fprintf(page->to, "  %-17s %11s requests %11s replays  %s%.1f words per request%s\n",
                "constant loads", NUMBER(requests), NUMBER(replays), replays ? page->style.bad : "",
                base_ratio(requests + replays, requests), replays ? page->style.off : "");
}

static void print_counters(struct page *page, const struct emu_counters *counters)
{
    const uint64_t *value = counters->value;
    uint64_t divergent = value[EMU_divergent_branches], branches = value[EMU_branches];
    fprintf(page->to, "  %-17s %11s          longest warp %s, %.1f of 32 lanes active\n",
            "warp instructions", NUMBER(value[EMU_warp_instructions]),
            NUMBER(value[EMU_longest_warp_instructions]),
            base_ratio(value[EMU_thread_instructions], value[EMU_warp_instructions]));
    if (branches)
        fprintf(page->to, "  %-17s %11s          %s%s divergent%s, %.1f %%\n", "branches",
                NUMBER(branches), divergent ? page->style.bad : "", NUMBER(divergent),
                divergent ? page->style.off : "", 100 * base_ratio(divergent, branches));
    if (value[EMU_double_operations])
        fprintf(page->to, "  %-17s %11s\n", "double operations",
                NUMBER(value[EMU_double_operations]));
    print_requests(page, "texture requests", value[EMU_texture_requests]);
    print_constants(page, value[EMU_constant_requests], value[EMU_constant_replays]);
    print_requests(page, "cluster requests", value[EMU_cluster_requests]);
    if (value[EMU_barriers])
        fprintf(page->to, "  %-17s %11s\n", "barriers", NUMBER(value[EMU_barriers]));
    for (size_t i = 0; i < COUNT(global_accesses); i++)
        print_global(page, counters, &global_accesses[i]);
    for (size_t i = 0; i < COUNT(shared_accesses); i++)
        print_shared(page, counters, &shared_accesses[i]);
    if (value[EMU_atomic_collisions])
        fprintf(page->to,
                "  %-17s %11s          %slanes wait for other lanes with the same word%s\n",
                "atomic collisions", NUMBER(value[EMU_atomic_collisions]), page->style.bad,
                page->style.off);
    print_local(page, "local loads", value + EMU_local_load_requests);
    print_local(page, "local stores", value + EMU_local_store_requests);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Prints SIZE, which is three dimensions in units of OF. Example: " of 32 x 4 blocks" for {32, 4,
 * 1}. */
static void print_size(FILE *to, const unsigned size[3], const char *of)
{
    fprintf(to, " of %u", size[0]);
    if (size[1] > 1 || size[2] > 1)
        fprintf(to, " x %u", size[1]);
    if (size[2] > 1)
        fprintf(to, " x %u", size[2]);
    bool one = size[0] == 1 && size[1] == 1 && size[2] == 1;
    fprintf(to, " %s%s", of, one ? "" : "s");
}

/* Prints one occupancy of KERNEL. If launches of KERNEL had several occupancies, also prints how
 * many launches had this one. */
static void print_occupancy(FILE *to, const struct report_kernel *kernel,
                            const struct report_occupancy *o)
{
    fprintf(to, "  %-17s %9.1f %%          %u of %u warps", "occupancy",
            100 * base_ratio(o->warps, o->most), o->warps, o->most);
    if (o->warps < o->most)
        fprintf(to, ", limited by %s", o->limit);
    fprintf(to, ", about %u registers per thread\n", o->registers);
    if (kernel->occupancy_count == 1)
        return;
    fprintf(to, "  %-38s %s %s of blocks", "", NUMBER(o->launches),
            o->launches == 1 ? "launch" : "launches, the first");
    print_size(to, o->block, "thread");
    fputc('\n', to);
}

static void print_occupancies(FILE *to, const struct report_kernel *kernel)
{
    for (size_t i = 0; i < kernel->occupancy_count; i++)
        print_occupancy(to, kernel, &kernel->occupancies[i]);
    if (kernel->other_launches)
        fprintf(to, "  %-38s %s %s with others\n", "", NUMBER(kernel->other_launches),
                kernel->other_launches == 1 ? "more launch" : "more launches");
}

static void print_kernel(struct page *page, const struct report_kernel *kernel,
                         const struct report_run_options *options)
{
    bool fits = strlen(kernel->name) < TEXT_COLUMNS;
    fprintf(page->to, "\n%s%.*s%s%s\n  %s %s", page->style.strong,
            (int)(fits ? TEXT_COLUMNS : TEXT_COLUMNS - 2), kernel->name, fits ? "" : "…",
            page->style.off, NUMBER(kernel->launches),
            kernel->launches == 1 ? "launch" : "launches");
    if (kernel->sizes_differ)
        fprintf(page->to, " of different sizes");
    else {
        print_size(page->to, kernel->grid, "block");
        print_size(page->to, kernel->block, "thread");
    }
    if (kernel->failed)
        fprintf(page->to, ", %s%s%s", page->style.bad, kernel->failed, page->style.off);
    fputc('\n', page->to);
    print_occupancies(page->to, kernel);
    report_predicted_print(page->to, &kernel->predicted, options->drawn, options->colour);
    print_counters(page, &kernel->counters);
}

/* --- lines ------------------------------------------------------------------------------------ */

static void print_line(struct page *page, const struct report_line *line)
{
    const uint64_t *value = line->counters.value;
    const char *cut, *name = short_name(shown_name(page, line->file), &cut);
    fprintf(page->to, "  %s%s%s:%u%s  %s warp instructions\n", page->style.strong, cut, name,
            line->number, page->style.off, NUMBER(value[EMU_warp_instructions]));
    print_source(page, line->file, line->number);
    for (size_t i = 0; i < COUNT(global_accesses); i++) {
        const uint64_t *access = &value[global_accesses[i].requests];
        if (access[COST] > access[IDEAL])
            fprintf(page->to,
                    "      %s: %s%.1f sectors per request%s; %.1f would be enough (%s wasted)\n",
                    global_accesses[i].name, page->style.bad, base_ratio(access[COST], access[0]),
                    page->style.off, base_ratio(access[IDEAL], access[0]),
                    NUMBER(access[COST] - access[IDEAL]));
    }
    for (size_t i = 0; i < COUNT(shared_accesses); i++) {
        const uint64_t *access = &value[shared_accesses[i].requests];
        if (access[LAST])
            fprintf(page->to, "      %s: %s%s bank conflicts%s in %s requests\n",
                    shared_accesses[i].name, page->style.bad, NUMBER(access[LAST]), page->style.off,
                    NUMBER(access[0]));
    }
    if (value[EMU_divergent_branches])
        fprintf(page->to, "      branches: %s%s of %s divergent%s\n", page->style.bad,
                NUMBER(value[EMU_divergent_branches]), NUMBER(value[EMU_branches]),
                page->style.off);
}

/* If the counting rules are not those of current GPUs, explains the difference. */
static void print_rules(const struct page *page)
{
    if (page->rules)
        fprintf(
            page->to,
            "\nMemory accesses are counted by the rules of %s: each request comes from half a warp, sectors are counted in its memory transactions, and there are 16 banks.\n",
            page->rules);
}

static bool has_losses(const json_t *findings)
{
    size_t i;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if (record_is_loss(finding))
            return true;
    }
    return false;
}

/* Prints the lines that the user asked for. By default, prints the wasteful lines, unless findings
 * already show them. */
static void print_lines(struct page *page, const struct report_totals *totals,
                        const struct report_run_options *options, const json_t *findings)
{
    if (!options->lines_asked && has_losses(findings))
        return;
    size_t count = totals->line_count;
    if (!options->lines_asked)
        while (count > 0 && totals->lines[count - 1].waste == 0)
            count--; /* lines are sorted by waste, so skip lines at the end without waste */
    if (count > options->line_limit)
        count = options->line_limit;
    if (totals->unknown_lines)
        fprintf(
            page->to,
            "\nThe program has no line information; build it with nvcc -lineinfo to see which lines cost most.\n");
    else if (count == 0 && totals->kernel_count > 0 && options->line_limit > 0)
        fprintf(page->to, "\nNo line wastes sectors, wavefronts or branches.\n");
    if (count > 0)
        fprintf(page->to, "\n%sWorst lines first%s\n", page->style.strong, page->style.off);
    for (size_t i = 0; i < count; i++)
        print_line(page, &totals->lines[i]);
}

/* --- findings --------------------------------------------------------------------------------- */

/* Prints "file.cu:31:9: " and returns its width. */
static size_t print_head(struct page *page, const char *file, unsigned line, unsigned column)
{
    const char *cut, *name = short_name(shown_name(page, file), &cut);
    int size = *file ? fprintf(page->to, "%s%s:%u", cut, name, line) - (*cut ? 2 : 0)
                     : fprintf(page->to, "lanewise");
    if (*file && column > 0)
        size += fprintf(page->to, ":%u", column);
    return (size_t)(size + fprintf(page->to, ": "));
}

/* Prints TEXT, whose first line begins after COLUMNS columns. Indents the other lines. */
static void print_rest(FILE *to, size_t columns, const char *text)
{
    size_t room = columns < TEXT_COLUMNS ? TEXT_COLUMNS - 1 - columns : 0, cut = strlen(text);
    if (cut > room)
        for (cut = room; cut > 0 && text[cut] != ' ';)
            cut--;
    fprintf(to, "%.*s\n", (int)cut, text);
    if (text[cut])
        report_folded(to, MARGIN, text + cut + (text[cut] == ' '));
}

/* Finds the plain name in KERNEL: "scale" in "void scale<float>(float*, int)". Returns its
 * length. */
static int plain_kernel(const char *kernel, const char **name)
{
    size_t length = strcspn(kernel, "<(");
    *name = kernel;
    for (size_t i = 0; i < length; i++)
        if (kernel[i] == ' ' || (kernel[i] == ':' && kernel[i + 1] != ':'))
            *name = kernel + i + 1;
    return (int)(kernel + length - *name);
}

/* Prints related places, as notes in gcc's style. */
static void print_notes(struct page *page, const json_t *finding)
{
    size_t i;
    json_t *place;
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        const char *file = "", *message = "";
        json_int_t line = 0;
        json_unpack(place, "{s:s, s:I, s?s}", "file", &file, "line", &line, "message", &message);
        if (!*message)
            continue;
        size_t columns = print_head(page, file, (unsigned)line, 0);
        columns += (size_t)fprintf(page->to, "note: ");
        print_rest(page->to, columns, message);
    }
}

static void print_finding(struct page *page, const json_t *finding)
{
    const char *id = "", *severity = "", *kernel = "", *file = "", *message = "", *name;
    json_int_t line = 0, column = 0, count = 0;
    char text[2048], times[40] = "";
    json_unpack((json_t *)finding, "{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:I}", "id", &id,
                "severity", &severity, "kernel", &kernel, "file", &file, "line", &line, "column",
                &column, "message", &message, "count", &count);
    size_t columns = print_head(page, file, (unsigned)line, (unsigned)column);
    fprintf(page->to, "%s%s:%s ", page->style.bad, severity, page->style.off);
    int length = plain_kernel(record_is_loss(finding) ? "" : kernel, &name);
    if (count > 1 && !record_is_loss(finding))
        snprintf(times, sizeof times, ", %s times", NUMBER((uint64_t)count));
    snprintf(text, sizeof text, "%.*s%s%s [%s]%s", length, name, length ? ": " : "", message, id,
             times);
    print_rest(page->to, columns + strlen(severity) + 2, text);
    const char *source_text = *file ? source_of(page, file) : NULL, *source = NULL;
    size_t source_length = 0;
    if (source_text && !base_source_line(source_text, (unsigned)line, &source, &source_length))
        source = NULL;
    report_place(page->to, finding, source, source_length);
    print_notes(page, finding);
}

static bool is_note(const json_t *finding)
{
    const char *severity = json_string_value(json_object_get(finding, "severity"));
    return severity && strcmp(severity, "note") == 0;
}

/* Prints all errors. Prints only the first findings about wasted work and the first notes, unless
 * ALL is true. FINDINGS are sorted. */
static void print_findings(struct page *page, const json_t *findings, bool all)
{
    size_t i, losses = 0;
    json_t *finding;
    if (json_array_size(findings) > 0)
        fputc('\n', page->to);
    json_array_foreach(findings, i, finding)
    {
        losses += record_is_loss(finding) || is_note(finding);
        if (all || losses <= MOST_LOSSES)
            print_finding(page, finding);
    }
    if (!all && losses > MOST_LOSSES)
        fprintf(page->to, "%zu more findings; --all shows them\n", losses - MOST_LOSSES);
    if (json_array_size(findings) > 0)
        fprintf(page->to, "\nlanewise explain ID explains the finding marked [ID].\n");
}

void report_run_terminal(FILE *to, const json_t *document, const struct report_run_options *options)
{
    struct report_totals totals;
    struct page page = {
        .to = to, .style = options->colour ? coloured : plain, .folder = getcwd(NULL, 0)};
    const json_t *findings = json_object_get(document, "findings");
    report_add_up(document, &totals);
    if (totals.rules && strcmp(totals.rules, emu_rules_name(EMU_SECTOR)) != 0)
        page.rules = totals.rules;
    print_rules(&page);
    for (size_t i = 0; i < totals.kernel_count; i++)
        print_kernel(&page, &totals.kernels[i], options);
    report_timeline_print(to, document);
    print_lines(&page, &totals, options, findings);
    if (totals.kernel_count > 0)
        fprintf(to,
                "\nhandouts/glossary.md explains lanes, sectors, wavefronts and other terms.\n");
    print_findings(&page, findings, options->line_limit == REPORT_ALL_LINES);
    report_totals_free(&totals);
    free(page.folder);
    free(page.source);
    free(page.source_name);
}
