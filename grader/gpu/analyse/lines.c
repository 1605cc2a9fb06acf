/* A .loc names a place in the source and, for inlined code, the place of the call. If that call is
 * in inlined code, too, an earlier .loc for the calling place names the place of the outer call. */
#include "gpu/analyse/lines.h"

static struct source_line outer(const struct ptx_loc *loc)
{
    return (struct source_line){loc->at_file, loc->at_line, loc->at_column};
}

/* Finds the place that called PLACE, in a .loc before index BEFORE. Line 0: PLACE is not inlined
 * code. */
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

struct source_line analyse_line(const struct ptx_function *function, uint32_t pc)
{
    uint32_t index = function->code[pc].loc;
    if (index == PTX_NONE)
        return (struct source_line){0};
    while (index && !function->locs[index].line) /* line 0 is unknown: use the .loc before it */
        index--;
    const struct ptx_loc *loc = &function->locs[index];
    uint32_t home = function->locs[0].file; /* the first .loc is in the kernel's own file */
    struct source_line place = {loc->file, loc->line, loc->column};
    struct source_line caller = outer(loc);
    for (unsigned depth = 0; place.file != home && caller.line && depth < 32; depth++) {
        place = caller;
        caller = caller_of(function, index, place);
    }
    return place;
}
