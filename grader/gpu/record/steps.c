#include "gpu/record/steps.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/record/record.h"

#define MOST_BLOCKS 200 /* largest number of allocations in the list */

/* Returns NAME as a JSON string, or "" if NAME is not UTF-8. */
static json_t *string_of(struct ptx_name name)
{
    json_t *text = json_stringn(name.text, name.length);
    return text ? text : json_string("");
}

/* --- instructions as text --------------------------------------------------------------------- */

static void print_operand(FILE *to, const struct ptx_function *f, const struct ptx_operand *op);

static void print_elements(FILE *to, const struct ptx_function *f, const struct ptx_operand *op,
                           const char *between)
{
    for (uint32_t i = 0; i < op->count; i++) {
        fputs(i ? between : "", to);
        print_operand(to, f, &op->elements[i]);
    }
}

static void print_number(FILE *to, const struct ptx_operand *op)
{
    double wide;
    float narrow;
    uint32_t low = (uint32_t)op->value;
    memcpy(&wide, &op->value, sizeof wide);
    memcpy(&narrow, &low, sizeof narrow);
    if (op->is_f64 || op->is_f32)
        fprintf(to, "%.9g", op->is_f64 ? wide : (double)narrow);
    else
        fprintf(to, "%lld", (long long)op->value);
}

static void print_name(FILE *to, struct ptx_name name)
{
    fprintf(to, "%.*s", (int)name.length, name.text);
}

/* Returns the number of registers before REG (or after it, if AFTER) that were declared together
 * with REG. Such registers share a name and follow one another. The search is binary, because a
 * kernel can have tens of thousands of registers. */
static uint32_t same_name(const struct ptx_function *f, uint32_t reg, bool after)
{
    uint32_t low = 0, high = after ? f->register_count - 1 - reg : reg;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2, other = after ? reg + middle : reg - middle;
        if (f->registers[other].name.text == f->registers[reg].name.text)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Prints a register's name. The registers of ".reg .b32 %r<50>" share the name %r. A register's
 * number is its distance from the first of them. */
static void print_register(FILE *to, const struct ptx_function *f, uint32_t reg)
{
    uint32_t before = same_name(f, reg, false);
    print_name(to, f->registers[reg].name);
    if (before || same_name(f, reg, true))
        fprintf(to, "%u", before);
}

static void print_address(FILE *to, const struct ptx_function *f, const struct ptx_operand *op)
{
    fputc('[', to);
    if (op->variable)
        print_name(to, op->variable->name);
    else if (op->index != PTX_NONE)
        print_register(to, f, op->index);
    if (op->value || (!op->variable && op->index == PTX_NONE))
        fprintf(to, "%s%lld", op->variable || op->index != PTX_NONE ? "+" : "",
                (long long)op->value);
    if (op->count)
        fputs(", ", to);
    print_elements(to, f, op, ", ");
    fputc(']', to);
}

static const char *special_name(uint32_t id)
{
    static const char *const names[] = {
#define SPECIAL(id, spelling, bytes, when) spelling,
#include "gpu/ptx/names.def"
#undef SPECIAL
    };
    return names[id];
}

static void print_operand(FILE *to, const struct ptx_function *f, const struct ptx_operand *op)
{
    switch (op->kind) {
    case PTX_REGISTER:
    case PTX_PREDICATE:
        fputs(op->negated ? "!" : "", to);
        print_register(to, f, op->index);
        break;
    case PTX_SPECIAL_REGISTER:
        fputs(special_name(op->index), to);
        break;
    case PTX_IMMEDIATE:
        print_number(to, op);
        break;
    case PTX_VARIABLE:
        print_name(to, op->variable->name);
        break;
    case PTX_ADDRESS:
        print_address(to, f, op);
        break;
    case PTX_VECTOR:
        fputc('{', to);
        print_elements(to, f, op, ", ");
        fputc('}', to);
        break;
    case PTX_PAIR:
        print_elements(to, f, op, "|");
        break;
    case PTX_LABEL:
        fprintf(to, "#%lld", (long long)op->value);
        break;
    case PTX_FUNCTION:
        print_name(to, op->name);
        break;
    default:
        fputc('_', to);
    }
}

static json_t *text_of(const struct ptx_function *f, const struct ptx_instruction *in)
{
    char *text = NULL, mnemonic[80];
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return json_string("");
    if (in->guard != PTX_NONE) {
        fputs(in->guard_negated ? "@!" : "@", to);
        print_register(to, f, in->guard);
        fputc(' ', to);
    }
    fputs(ptx_mnemonic(in, mnemonic, sizeof mnemonic), to);
    for (unsigned k = 0; k < in->operand_count; k++) {
        fputs(k ? ", " : " ", to);
        print_operand(to, f, &in->operands[k]);
    }
    fclose(to);
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string ? string : json_string("");
}

/* --- properties of instructions --------------------------------------------------------------- */

static json_t *operand_json(const struct step_operand *op)
{
    if (op->reg != STEP_NONE)
        return json_integer(op->reg);
    return json_pack("[I,I]", (json_int_t)(uint32_t)op->value, (json_int_t)(op->value >> 32));
}

static json_t *memory_json(const struct step_code *code)
{
    if (!code->is_load && !code->is_store && !code->is_atomic && !code->sweeps &&
        code->address == STEP_NONE)
        return json_integer(0);
    const char *kind = code->is_load ? "l" : code->is_store ? "s" : code->is_atomic ? "a" : "o";
    return json_pack("[s,i,i,I,I,i]", kind, code->element, code->is_signed,
                     code->address == STEP_NONE ? (json_int_t)-1 : (json_int_t)code->address,
                     (json_int_t)code->offset, code->sweeps);
}

static json_t *code_json(const struct launch_view *launch, const struct step_code *code,
                         uint32_t pc, json_t *files)
{
    uint32_t index, first, end;
    const struct ptx_function *f = view_function(launch, pc, &index);
    view_range(launch, code->function, &first, &end);
    struct source_line place = view_line(launch, pc);
    struct ptx_name path = ptx_file_path(launch->module, place.file);
    json_t *dests = json_array(), *sources = json_array(), *name = string_of(path);
    size_t file = 0;
    while (file < json_array_size(files) && !json_equal(json_array_get(files, file), name))
        file++;
    if (file == json_array_size(files))
        json_array_append(files, name);
    json_decref(name);
    for (unsigned i = 0; i < code->dest_count; i++)
        json_array_append_new(dests, json_integer(code->dest[i]));
    for (unsigned i = 0; i < code->source_count; i++)
        json_array_append_new(sources, operand_json(&code->source[i]));
    return json_pack("[o,i,i,i,i,o,o,o,i]",
                     pc < end ? text_of(f, &f->code[index]) : json_string("exit"), (int)file,
                     (int)place.line, (int)code->function, code->op, dests, sources,
                     memory_json(code), pc < end ? (int)f->code[index].line : 0);
}

static json_t *register_json(const struct ptx_function *f, uint32_t reg)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return json_string("");
    print_register(to, f, reg);
    fclose(to);
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string ? string : json_string("");
}

/* --- registers, memory, functions ------------------------------------------------------------- */

static void add_registers(const struct launch_view *launch, json_t *registers, json_t *functions)
{
    for (uint32_t n = 0; n < launch->function_count; n++) {
        uint32_t first, end, index;
        view_range(launch, n, &first, &end);
        const struct ptx_function *f = view_function(launch, first, &index);
        char *name = record_demangle(f->name);
        json_t *text = name ? json_string(name) : NULL;
        json_array_append_new(functions, text ? text : json_string(""));
        free(name);
        for (uint32_t i = 0; i < f->register_count; i++) {
            uint32_t place = view_register_place(launch, n, i);
            json_array_append_new(
                registers,
                json_pack("[o,s,i,I]", register_json(f, i), ptx_type_name(f->registers[i].type),
                          (int)n, place == UINT32_MAX ? (json_int_t)-1 : (json_int_t)place));
        }
    }
}

/* Returns the last part of a name, such as "sums" for the variable "kernel(int)::sums". */
static json_t *last_name(struct ptx_name name)
{
    char *text = record_demangle(name);
    const char *colon = text ? strrchr(text, ':') : NULL;
    json_t *string = text ? json_string(colon ? colon + 1 : text) : NULL;
    free(text);
    return string ? string : json_string("");
}

static json_t *shared_json(const struct launch_view *launch)
{
    json_t *list = json_array();
    uint64_t begin = 0, at = 0;
    while (at < launch->shared_bytes) {
        const struct ptx_variable *v = view_shared_variable(launch, at, &begin);
        uint64_t end = v && v->size ? begin + v->size : launch->shared_bytes;
        if (!v) {
            at += 4;
            continue;
        }
        json_array_append_new(list,
                              json_pack("{so,sI,sI}", "name", last_name(v->name), "at",
                                        (json_int_t)begin, "bytes", (json_int_t)(end - begin)));
        at = end;
    }
    return list;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static json_t *memory_blocks_json(const struct launch_view *launch)
{
    const struct memory *memory = launch->memory;
    json_t *list = json_array();
    for (uint32_t i = 0; i < memory->count && json_array_size(list) < MOST_BLOCKS; i++) {
        const struct mem_block *block = &memory->blocks[i];
        char name[200] = "";
        if (!block->host)
            continue;
        if (block->name)
            snprintf(name, sizeof name, "%s", block->name);
        else if (block->made.file)
            snprintf(name, sizeof name, "%s:%u", base_name(block->made.file), block->made.line);
        json_t *text = json_string(name);
        json_array_append_new(list,
                              json_pack("{so,sI,sI}", "name", text ? text : json_string(""), "at",
                                        (json_int_t)block->addr, "bytes", (json_int_t)block->size));
    }
    return list;
}

/* Returns the values of those kernel arguments that have at most 8 bytes, and null for longer
 * arguments. */
static json_t *arguments_json(const struct launch_view *launch)
{
    const struct emu_launch *request = launch->request;
    json_t *list = json_array();
    for (const struct ptx_variable *p = launch->function->params; p; p = p->next) {
        int64_t value = 0;
        bool is_short = p->size <= sizeof value && p->offset + p->size <= request->param_bytes;
        if (is_short)
            memcpy(&value, (const uint8_t *)request->params + p->offset, p->size);
        json_array_append_new(list, is_short ? json_integer(value) : json_null());
    }
    return list;
}

static json_t *triple(const uint32_t *d)
{
    return json_pack("[I,I,I]", (json_int_t)d[0], (json_int_t)d[1], (json_int_t)d[2]);
}

/* --- the document ----------------------------------------------------------------------------- */

static json_t *document(const struct launch_view *launch)
{
    const struct obs_steps *steps = launch->recording->steps;
    const struct emu_launch *request = launch->request;
    const uint32_t *grid = request->grid, *block = request->block;
    uint32_t cta[3] = {(uint32_t)(steps->cta % grid[0]), (uint32_t)(steps->cta / grid[0] % grid[1]),
                       (uint32_t)(steps->cta / grid[0] / grid[1])};
    char *kernel = record_demangle(launch->function->name);
    json_t *name = kernel ? json_string(kernel) : NULL, *files = json_array(), *code = json_array(),
           *registers = json_array(), *functions = json_array(), *marks = json_array();
    free(kernel);
    for (uint32_t pc = 0; pc < launch->code_count; pc++)
        json_array_append_new(code, code_json(launch, &steps->code[pc], pc, files));
    for (size_t i = 0; i < steps->mark_count; i++)
        json_array_append_new(marks, json_integer((json_int_t)steps->marks[i]));
    add_registers(launch, registers, functions);
    return json_pack("{so,so,so,sI,so,sI,sI,sI,sI,sI,sb,sI,sI,so,so,so,so,so,so,so,so,sI}",
                     "kernel", name ? name : json_string(""), "grid", triple(grid), "block",
                     triple(block), "launch", (json_int_t)launch->number, "cta", triple(cta),
                     "warps", (json_int_t)launch->warps, "threads",
                     (json_int_t)((uint64_t)block[0] * block[1] * block[2]), "steps",
                     (json_int_t)steps->steps, "left_out", (json_int_t)steps->left_out, "executed",
                     (json_int_t)steps->executed, "cut", steps->is_cut, "fill",
                     (json_int_t)(launch->memory->poison & 0xff), "shared_bytes",
                     (json_int_t)launch->shared_bytes, "shared", shared_json(launch), "memory",
                     memory_blocks_json(launch), "arguments", arguments_json(launch), "files",
                     files, "registers", registers, "functions", functions, "code", code, "marks",
                     marks, "stream_bytes", (json_int_t)steps->size);
}

static bool write_all(int fd, const void *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        ssize_t written = write(fd, (const char *)bytes + at, size - at);
        if (written <= 0)
            return false;
        at += (size_t)written;
    }
    return true;
}

bool record_steps(int fd, const struct launch_view *launch)
{
    const struct obs_steps *steps = launch->recording->steps;
    json_t *json = document(launch);
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    bool done =
        text && write_all(fd, text, strlen(text)) && write_all(fd, steps->bytes, steps->size);
    free(text);
    return done;
}
