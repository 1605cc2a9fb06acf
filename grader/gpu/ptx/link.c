/* Links units. A unit is the PTX text of one source file. The text of a program built with
 * -rdc=true consists of several units.
 *
 * A name that a unit declares .visible, .weak, .extern or .common is public. Any other name is
 * private to its unit. A public name means the same function or variable in all units. Functions
 * are looked up by name when they are called. Variables are linked in this file: each declaration
 * gets a pointer to the definition. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/parser.h"

/* --- lookup by name --------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    const struct ptx_function *f = *(struct ptx_function *const *)a,
                              *g = *(struct ptx_function *const *)b;
    int order = ptx_name_compare(f->name, g->name);
    return order ? order : (f->index > g->index) - (f->index < g->index);
}

static void sort_functions(struct parser *p)
{
    struct ptx_module *module = p->module;
    size_t count = module->function_count, i = 0;
    module->by_name = parse_take_memory(p, (count + 1) * sizeof *module->by_name);
    if (!module->by_name)
        return;
    for (const struct ptx_function *f = module->functions; f; f = f->next)
        module->by_name[i++] = f;
    qsort(module->by_name, count, sizeof *module->by_name, by_name);
}

const struct ptx_function *ptx_find_function(const struct ptx_module *module, struct ptx_name name,
                                             uint32_t unit)
{
    const struct ptx_function *public = NULL, *f;
    /* binary search for the first function whose name is not less than NAME */
    uint32_t low = 0, high = module->function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ptx_name_compare(module->by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < module->function_count; low++) {
        f = module->by_name[low];
        if (ptx_name_compare(f->name, name) != 0)
            break;
        if (f->unit == unit || unit == PTX_ANY_UNIT)
            return f;
        public = public || !f->is_public ? public : f;
    }
    return public;
}

const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, struct ptx_name name,
                                             uint32_t unit)
{
    const struct ptx_variable *found = NULL;
    bool is_own = false;
    for (const struct ptx_variable *v = module->variables; v && !is_own; v = v->next) {
        if (ptx_name_compare(v->name, name) != 0)
            continue;
        is_own = v->unit == unit || unit == PTX_ANY_UNIT;
        if (is_own || (v->is_public && !found))
            found = v;
    }
    return found ? ptx_definition(found) : NULL;
}

/* --- variables -------------------------------------------------------------------------------- */

/* Compares variables by name. If the names are equal, definitions come before declarations. */
static int by_name_and_kind(const void *a, const void *b)
{
    const struct ptx_variable *v = *(struct ptx_variable *const *)a,
                              *w = *(struct ptx_variable *const *)b;
    int order = ptx_name_compare(v->name, w->name);
    if (!order)
        order = v->is_extern - w->is_extern;
    return order ? order : (v->number > w->number) - (v->number < w->number);
}

static bool is_linked(const struct ptx_variable *v)
{
    /* dynamic shared memory is not linked */
    return v->is_public && (v->space != PTX_SHARED || v->size);
}

static const char *memory_of(const struct ptx_variable *v)
{
    return v->space == PTX_CONST ? "constant" : v->space == PTX_SHARED ? "shared" : "global";
}

/* V and W have the same name. Reports an error if they are in different state spaces or have
 * different sizes, as a linker of machine code does. The message has no line number, because it is
 * about two files. */
static void expect_alike(struct parser *p, const struct ptx_variable *v,
                         const struct ptx_variable *w)
{
    int length = (int)v->name.length;
    bool apart = v->space != w->space;
    if (p->failed || (!apart && (!v->size || !w->size || v->size == w->size)))
        return;
    p->failed = true;
    if (apart)
        snprintf(p->error, sizeof p->error,
                 "'%.*s' is in %s memory in one file of the program and in %s memory in another",
                 length, v->name.text, memory_of(v), memory_of(w));
    else
        snprintf(p->error, sizeof p->error,
                 "'%.*s' has %llu bytes in one file of the program and %llu in another", length,
                 v->name.text, (unsigned long long)v->size, (unsigned long long)w->size);
}

/* Links each public variable to its definition, which is the first variable with this name in the
 * order of by_name_and_kind(). */
static void link_variables(struct parser *p)
{
    struct ptx_variable **list = malloc((p->variable_count + 1u) * sizeof *list), *first = NULL;
    size_t count = 0;
    for (struct ptx_variable *v = p->module->variables; list && v; v = v->next)
        if (is_linked(v))
            list[count++] = v;
    if (!list) {
        parse_fail(p, "out of memory");
        return;
    }
    qsort(list, count, sizeof *list, by_name_and_kind);
    for (size_t i = 0; i < count; i++) {
        if (first && ptx_name_compare(first->name, list[i]->name) == 0) {
            expect_alike(p, first, list[i]);
            list[i]->definition = first;
        } else {
            first = list[i];
        }
    }
    free(list);
}

void parse_link(struct parser *p)
{
    sort_functions(p);
    link_variables(p);
}
