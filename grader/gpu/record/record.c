#include "gpu/record/record.h"

#include <jansson.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/finding_kinds.h"
#include "gpu/lanes.h"
#include "gpu/predict/predict.h"
#include "gpu/record/repeats.h"

/* The demangler of libstdc++. It can demangle nvcc's names, because they follow the Itanium ABI. */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

const char *record_status(enum emu_status status)
{
    switch (status) {
    case EMU_OK:
        return "ok";
    case EMU_ILLEGAL_ADDRESS:
        return "illegal-address";
    case EMU_MISALIGNED_ADDRESS:
        return "misaligned-address";
    case EMU_TRAP:
        return "trap";
    case EMU_BAD_INSTRUCTION:
        return "illegal-instruction";
    case EMU_ASSERT:
        return "assert";
    case EMU_DEADLOCK:
        return "deadlock";
    case EMU_TIMEOUT:
        return "timeout";
    default:
        return "internal";
    }
}

char *record_demangle(struct ptx_name name)
{
    char *mangled = strndup(name.text, name.length);
    int status = -1;
    char *plain = mangled && strncmp(mangled, "_Z", 2) == 0
                      ? __cxa_demangle(mangled, NULL, NULL, &status)
                      : NULL;
    if (!plain)
        return mangled;
    free(mangled);
    return plain;
}

/* Returns COUNTERS as JSON. Omits counters that are 0, unless WITH_ZEROS is true and they are among
 * the first EMU_COUNTERS_ALWAYS. */
static json_t *counters_json(const struct emu_counters *counters, bool with_zeros)
{
    json_t *object = json_object();
    for (int i = 0; i < EMU_COUNTER_COUNT; i++)
        if ((with_zeros && i < EMU_COUNTERS_ALWAYS) || counters->value[i])
            json_object_set_new(object, emu_counter_name((enum emu_counter)i),
                                json_integer((json_int_t)counters->value[i]));
    return object;
}

static json_t *dimensions(const uint32_t *d)
{
    return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}

static json_t *path_json(const struct ptx_module *module, uint32_t file)
{
    struct ptx_name path = ptx_file_path(module, file);
    json_t *text = json_stringn(path.text, path.length);
    return text ? text : json_string(""); /* "" if the path is not UTF-8 */
}

/* Returns the number of CTAs and warps that fit on one multiprocessor, the maximum number of warps
 * that it can hold, and the resource that limits the CTAs. If times are predicted for a chip, the
 * multiprocessor is one of this chip, otherwise one of the virtual GPU. */
static json_t *occupancy_json(const struct launch_view *launch)
{
    const struct emu_chip *chip = launch->predictor ? predictor_chip(launch->predictor) : NULL;
    struct emu_occupancy o = chip ? predict_occupancy(launch, chip) : launch->occupancy;
    return json_pack("{sI,sI,sI,ss,sI}", "warps", (json_int_t)o.warps, "most_warps",
                     (json_int_t)(chip ? chip->limits->sm_warps : EMU_SM_WARPS), "blocks",
                     (json_int_t)o.ctas, "limit", emu_occupancy_limit_name(o.limit), "registers",
                     (json_int_t)launch->registers);
}

struct line_total {
    struct source_line place;
    struct emu_counters counters;
    double time_share; /* share of the launch's predicted time */
};

static struct line_total *total_of(struct line_total *totals, uint32_t *count,
                                   struct source_line place)
{
    for (uint32_t i = *count; i-- > 0;)
        if (totals[i].place.file == place.file && totals[i].place.line == place.line)
            return &totals[i];
    totals[*count] = (struct line_total){.place = place};
    return &totals[(*count)++];
}

/* Returns the share of the launch's predicted time that the instruction at PC takes, or 0 if there
 * is no prediction. */
static double time_share(const struct launch_view *launch, uint32_t pc)
{
    const struct prediction *p = launch->predictor ? predictor_result(launch->predictor) : NULL;
    return p && p->is_known && pc < p->share_count && p->share ? p->share[pc] : 0;
}

static json_t *line_json(const struct launch_view *launch, const struct line_total *total)
{
    json_t *line =
        json_pack("{so,si,so}", "file", path_json(launch->module, total->place.file), "line",
                  (int)total->place.line, "counters", counters_json(&total->counters, false));
    if (total->time_share > 0)
        json_object_set_new(line, "time_share", json_real(total->time_share));
    return line;
}

static json_t *lines_json(const struct launch_view *launch, const struct emu_counters *counters)
{
    struct line_total *totals = malloc(((size_t)launch->code_count + 1) * sizeof *totals);
    json_t *lines = json_array();
    uint32_t count = 0;
    for (uint32_t pc = 0; totals && counters && pc < launch->code_count; pc++) {
        if (!counters[pc].value[EMU_warp_instructions])
            continue;
        struct line_total *total = total_of(totals, &count, view_line(launch, pc));
        emu_counters_add(&total->counters, &counters[pc]);
        total->time_share += time_share(launch, pc);
    }
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(lines, line_json(launch, &totals[i]));
    free(totals);
    return lines;
}

static struct source_line place_of(const struct launch_view *launch, uint32_t pc)
{
    return pc < launch->code_count ? view_line(launch, pc) : (struct source_line){0};
}

static void add_loss(json_t *object, const struct finding *finding)
{
    json_object_update_new(object,
                           json_pack("{ss,sI,sI,sI,sI}", "cause", finding->message, "cost",
                                     (json_int_t)finding->cost, "ideal", (json_int_t)finding->ideal,
                                     "worst_cost", (json_int_t)finding->worst_cost, "worst_ideal",
                                     (json_int_t)finding->worst_ideal));
}

static json_t *related_json(const struct launch_view *launch, const struct finding *finding,
                            bool is_loss)
{
    struct source_line place = place_of(launch, finding->related);
    json_t *list = json_array();
    if (finding->related != NO_PC)
        json_array_append_new(list,
                              json_pack("{so,si}", "file", path_json(launch->module, place.file),
                                        "line", (int)place.line));
    for (unsigned i = 0; i < FINDING_NOTES; i++) {
        const struct finding_note *note = &finding->notes[i];
        json_t *object = note->file ? json_pack("{ss,si,ss}", "file", note->file, "line",
                                                (int)note->line, "message", note->text)
                                    : NULL;
        if (object) /* NULL if the file's name is not UTF-8 */
            json_array_append_new(list, object);
    }
    const struct emu_launch *request = launch->request;
    json_t *from = !is_loss && *request->file
                       ? json_pack("{ss,si,ss}", "file", request->file, "line", (int)request->line,
                                   "message", "launched here")
                       : NULL;
    if (from)
        json_array_append_new(list, from);
    return list;
}

static json_t *finding_json(const struct launch_view *launch, const char *kernel_name,
                            const struct finding *finding)
{
    const struct finding_kind *kind = emu_finding_kind(finding->id);
    bool is_loss = kind && strcmp(kind->severity, "warning") == 0;
    struct source_line place = place_of(launch, finding->pc);
    json_t *object = json_pack(
        "{ss,ss,ss,so,si,si,ss,sI}", "id", finding->id, "severity", kind ? kind->severity : "error",
        "kernel", kernel_name, "file", path_json(launch->module, place.file), "line",
        (int)place.line, "column", (int)place.column, "message",
        is_loss ? kind->title : finding->message, "count", (json_int_t)finding->count);
    if (is_loss)
        add_loss(object, finding);
    if (finding->help || *finding->advice)
        json_object_set_new(object, "help",
                            json_string(finding->help ? finding->help : finding->advice));
    if (finding->deduction)
        json_object_set_new(object, "deduction", json_string(finding->deduction));
    if (finding->array.bytes || *finding->array.name)
        json_object_set_new(object, "array",
                            json_pack("{ss,sI,sI,sI}", "name", finding->array.name, "bytes",
                                      (json_int_t)finding->array.bytes, "offset",
                                      (json_int_t)finding->array.offset, "access_bytes",
                                      (json_int_t)finding->array.access_bytes));
    json_t *related = related_json(launch, finding, is_loss);
    if (json_array_size(related))
        json_object_set(object, "related", related);
    json_decref(related);
    return object;
}

static json_t *findings_json(const struct launch_view *launch, const char *kernel_name)
{
    const struct findings *findings = launch->findings;
    json_t *list = json_array();
    for (uint32_t i = 0; i < findings->count; i++)
        json_array_append_new(list, finding_json(launch, kernel_name, &findings->list[i]));
    return list;
}

/* Returns the offset of each lane's address, or null for a lane without an access. An offset in
 * shared memory is relative to the start of shared memory. An offset in global memory is relative
 * to the lowest 128-byte line of the access. */
static json_t *offsets_json(const struct obs_access *access)
{
    uint64_t base = UINT64_MAX;
    for (unsigned l = 0; l < WARP; l++)
        base = access->mask >> l & 1 && access->addr[l] < base ? access->addr[l] : base;
    base = access->space == PTX_SHARED ? 0 : base & ~(uint64_t)127;
    json_t *offsets = json_array();
    for (unsigned l = 0; l < WARP; l++)
        json_array_append_new(offsets, access->mask >> l & 1
                                           ? json_integer((json_int_t)(access->addr[l] - base))
                                           : json_null());
    return offsets;
}

static json_t *accesses_json(const struct launch_view *launch, const char *kernel_name)
{
    static const char *const kinds[] = {"load", "store", "atomic", "reduction"};
    const struct obs_recording *recording = launch->recording;
    const uint32_t *grid = launch->request->grid;
    json_t *list = json_array();
    for (uint32_t i = 0; i < recording->count; i++) {
        const struct obs_recorded *one = &recording->list[i];
        const struct obs_access *access = &one->access;
        json_array_append_new(
            list, json_pack("{ss,so,si,si,s[I,I,I],si,si,ss,ss,si,si,si,so}", "kernel", kernel_name,
                            "file", path_json(launch->module, one->place.file), "line",
                            (int)one->place.line, "column", (int)one->place.column, "block",
                            (json_int_t)(access->cta % grid[0]),
                            (json_int_t)(access->cta / grid[0] % grid[1]),
                            (json_int_t)(access->cta / grid[0] / grid[1]), "warp",
                            (int)access->warp, "step", (int)one->step, "kind", kinds[access->kind],
                            "space", access->space == PTX_SHARED ? "shared" : "global", "bytes",
                            (int)access->bytes, "cost", (int)one->cost, "ideal", (int)one->ideal,
                            "offsets", offsets_json(access)));
    }
    return list;
}

bool record_is_open(const struct emu_options *options)
{
    return options->record_fd >= 0 &&
           (!options->record_bytes ||
            lseek(options->record_fd, 0, SEEK_END) <= (off_t)options->record_bytes);
}

static bool write_all(int fd, const char *text, size_t size)
{
    while (size) {
        ssize_t written = write(fd, text, size);
        if (written <= 0)
            return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

/* Adds the data, beyond the times, that the report's figures about a prediction need
 * (gpu/predict/predict.h). */
static void add_pictures(json_t *object, const struct prediction *p, const struct emu_chip *chip)
{
    struct predict_roofs roofs = predict_roofs(chip);
    json_t *warps = json_array();
    for (int i = 0; i < PREDICT_MOMENTS; i++)
        json_array_append_new(warps, json_integer((json_int_t)(p->warps[i] + 0.5)));
    json_object_set_new(object, "flops", json_real(p->flops));
    json_object_set_new(object, "l2_bytes", json_real(p->l2_bytes));
    json_object_set_new(object, "shared_bytes", json_real(p->shared_bytes));
    json_object_set_new(object, "warps", warps);
    json_object_set_new(object, "most_warps",
                        json_integer((json_int_t)(chip->sms * chip->limits->sm_warps)));
    json_object_set_new(object, "roofs",
                        json_pack("{sf,sf,sf,sf,sf}", "instructions", roofs.instructions, "flops",
                                  roofs.flops, "dram", roofs.dram, "l2", roofs.l2, "shared",
                                  roofs.shared));
}

/* Returns, in one JSON object, the predicted time and the times that each limit alone would allow
 * (all in microseconds), the utilisation of each unit, and the counts that a profiler would
 * show. */
static json_t *predicted_json(const struct prediction *p, const struct emu_chip *chip)
{
    json_t *parts = json_object(), *use = json_object();
    for (int i = 0; i < PREDICT_PART_COUNT; i++) {
        const char *name = predict_part_name((enum predict_part)i);
        json_object_set_new(parts, name, json_real(p->part_us[i]));
        if (i < PREDICT_latency)
            json_object_set_new(use, name, json_real(p->use[i]));
    }
    json_t *object = json_pack(
        "{ss,ss,sb,sf,sf,sf,ss,so,sf,sf,sf,sf}", "gpu", chip->name, "title", chip->title,
        "measured", chip->measured != 0, "us", p->us, "low_us", p->low_us, "high_us", p->high_us,
        "limit", predict_part_name(p->limit), "parts", parts, "cycles", p->cycles, "instructions",
        p->instructions, "dram_bytes", p->dram_bytes, "l2_hits", p->l2_hits);
    json_object_set_new(object, "use", use);
    if (p->also != PREDICT_PART_COUNT)
        json_object_set_new(object, "also", json_string(predict_part_name(p->also)));
    if (p->without_us[0] > 0)
        json_object_set_new(object, "us_ideal_sectors", json_real(p->without_us[0]));
    if (p->without_us[1] > 0)
        json_object_set_new(object, "us_ideal_wavefronts", json_real(p->without_us[1]));
    add_pictures(object, p, chip);
    return object;
}

/* Returns the reason why the launch has no prediction, and the source line that is the cause. */
static json_t *gap_json(const struct launch_view *launch, const struct prediction *p)
{
    const struct emu_chip *chip = predictor_chip(launch->predictor);
    struct source_line place = place_of(launch, p->gap_pc);
    char why[120];
    int size = snprintf(why, sizeof why, "%s", predict_gap_text(p->gap));
    if (place.line)
        snprintf(why + size, sizeof why - (size_t)size, " in line %u", place.line);
    return json_pack("{ss,ss,ss,so,si}", "gpu", chip->name, "title", chip->title, "why", why,
                     "file", path_json(launch->module, place.file), "line", (int)place.line);
}

static void add_prediction(json_t *line, const struct launch_view *launch, enum emu_status status)
{
    const struct prediction *p = launch->predictor ? predictor_result(launch->predictor) : NULL;
    if (p && p->gap && status == EMU_OK)
        json_object_set_new(json_object_get(line, "launch"), "not_predicted", gap_json(launch, p));
    if (p && p->is_known && status == EMU_OK)
        json_object_set_new(json_object_get(line, "launch"), "predicted",
                            predicted_json(p, predictor_chip(launch->predictor)));
}

static bool record_repeat(int fd, uint64_t id)
{
    char line[60];
    int length = snprintf(line, sizeof line, "{\"repeats\":%llu}\n", (unsigned long long)id);
    return write_all(fd, line, (size_t)length);
}

bool record_launch(int fd, struct repeats *repeats, const struct launch_view *launch,
                   const struct record_result *result)
{
    uint64_t id = repeats_find(repeats, launch, result);
    if (id)
        return record_repeat(fd, id);
    char *name = record_demangle(launch->function->name);
    if (!name)
        return false;
    const struct emu_launch *request = launch->request;
    json_t *line = json_pack(
        "{s{ss,so,so,sI,sI,sI,so,ss,ss,so,so},so}", "launch", "kernel", name, "grid",
        dimensions(request->grid), "block", dimensions(request->block), "static_shared_bytes",
        (json_int_t)launch->static_shared_bytes, "dynamic_shared_bytes",
        (json_int_t)request->dynamic_shared_bytes, "constant_bytes",
        (json_int_t)launch->memory->constants, "occupancy", occupancy_json(launch), "status",
        record_status(result->status), "rules", emu_rules_name(launch->options->rules), "counters",
        counters_json(result->totals, true), "lines", lines_json(launch, result->per_instruction),
        "findings", findings_json(launch, name));
    if (line)
        add_prediction(line, launch, result->status);
    if (line && launch->reads_clock)
        json_object_set_new(json_object_get(line, "launch"), "reads_clock", json_true());
    if (line && result->watched)
        json_object_set_new(json_object_get(line, "launch"), "watched",
                            json_string(result->watched));
    if (line && (id = repeats_keep(repeats, launch, result)))
        json_object_set_new(line, "id", json_integer((json_int_t)id));
    if (line && launch->recording->count)
        json_object_set_new(line, "accesses", accesses_json(launch, name));
    free(name);
    char *text = line ? json_dumps(line, JSON_COMPACT) : NULL;
    json_decref(line);
    if (!text)
        return false;
    size_t size = strlen(text);
    text[size] = '\n'; /* replaces the NUL, so that one write() writes the whole line */
    bool ok = write_all(fd, text, size + 1);
    free(text);
    return ok;
}

bool record_copy(int fd, const void *bytes, size_t size, struct record_origin origin)
{
    char line[200], hex[2 * SHA256_DIGEST_SIZE + 1];
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, size, bytes);
    sha256_digest(&hash, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    int length = snprintf(
        line, sizeof line, "{\"copy\":{\"bytes\":%zu,\"sha256\":\"%s\",\"made\":%s,\"same\":%s}}\n",
        size, hex, origin.made ? "true" : "false", origin.same ? "true" : "false");
    return write_all(fd, line, (size_t)length);
}
