/* A .loc states a line of the source and, for inlined code, the line of the call. If the call
 * itself is in inlined code, an earlier .loc for the call's line states the line of the outer
 * call. */
#include "gpu/analyse/lines.h"

#include <string.h>

static struct source_line outer(const struct ptx_loc *loc)
{
    return (struct source_line){loc->at_file, loc->at_line, loc->at_column};
}

/* Returns the source line of the call by which PLACE was inlined. Searches the .locs before index
 * BEFORE for it. The result has line 0 if PLACE is not in inlined code. */
static struct source_line caller_of(const struct ptx_function *f, uint32_t before,
                                    struct source_line place)
{
    for (uint32_t i = before; i-- > 0;) {
        const struct ptx_loc *loc = &f->locs[i];
        if (loc->at_line && loc->file == place.file && loc->line == place.line &&
            loc->column == place.column)
            return outer(loc);
    }
    return (struct source_line){0};
}

/* Returns the .loc of the instruction at PC, or NULL if it has none. */
static const struct ptx_loc *loc_of(const struct ptx_function *function, uint32_t pc)
{
    uint32_t index = function->code[pc].loc;
    while (index && index != PTX_NONE && !function->locs[index].line)
        index--; /* line 0 means unknown, so use the preceding .loc */
    return index == PTX_NONE ? NULL : &function->locs[index];
}

#define GROUPS "/cooperative_groups"

static bool has_part(const struct ptx_module *module, uint32_t file, const char *part)
{
    struct ptx_name path = ptx_file_path(module, file);
    return path.length && memmem(path.text, path.length, part, strlen(part));
}

bool analyse_is_groups(const struct ptx_module *module, uint32_t file)
{
    return has_part(module, file, GROUPS);
}

bool analyse_is_library(const struct ptx_module *module, uint32_t file)
{
    static const char *const parts[] = {"/cub/", "/thrust/", GROUPS, "/cuda/std/", "/cuda/__"};
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        found |= has_part(module, file, parts[i]);
    return found;
}

struct source_line analyse_inner_line(const struct ptx_function *function, uint32_t pc)
{
    const struct ptx_loc *loc = loc_of(function, pc);
    return loc ? (struct source_line){loc->file, loc->line, loc->column} : (struct source_line){0};
}

/* Returns the source line of the instructions after LOC. LOC can be NULL. */
static struct source_line line_of(const struct ptx_module *module,
                                  const struct ptx_function *function, const struct ptx_loc *loc)
{
    if (!loc)
        return (struct source_line){0};
    uint32_t index = (uint32_t)(loc - function->locs);
    uint32_t home = function->locs[0].file; /* the first .loc is in the kernel's own file */
    struct source_line place = {loc->file, loc->line, loc->column};
    struct source_line caller = outer(loc);
    bool is_library = place.file != home && analyse_is_library(module, home);
    for (unsigned depth = 0; place.file != home && caller.line && depth < 32; depth++) {
        if (is_library && !analyse_is_library(module, place.file))
            break;
        place = caller;
        caller = caller_of(function, index, place);
    }
    return place;
}

struct source_line analyse_line(const struct ptx_module *module,
                                const struct ptx_function *function, uint32_t pc)
{
    return line_of(module, function, loc_of(function, pc));
}

struct source_line analyse_last_line(const struct ptx_module *module,
                                     const struct ptx_function *function)
{
    uint32_t count = function->loc_count;
    return line_of(module, function, count ? &function->locs[count - 1] : NULL);
}
