/* Parses PTX by recursive descent. Each construct of PTX has its own function.
 *
 *   module   = { directive | variable | function }
 *   function = [.visible] .entry name ( params ) { directive } body
 *   body     = "{" { .reg | variable | .loc | label | instruction | body } "}"
 *
 * An error inside a body affects only that function: parsing continues after the body's closing
 * brace. */
#include "gpu/ptx/parser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/arena.h"

/* Parses ( .param .b64 name, … ) into LIST. The parameters' state space depends on whether the
 * function is a kernel. */
static void parameters(struct parser *p, struct ptx_function *f, struct ptx_variable **list)
{
    enum ptx_space space = f->is_kernel ? PTX_PARAM : PTX_FRAME;
    if (!parse_accept(p, '('))
        return;
    while (parse_accept_dot(p, "param")) {
        struct ptx_variable *var = parse_variable(p, space);
        if (p->failed)
            return;
        parse_place(list, var, f->is_kernel ? &f->param_bytes : &f->frame_bytes);
        f->param_count += list == &f->params;
        if (!ptx_scope_add(p->scope,
                           (struct ptx_symbol){PTX_SYMBOL_VARIABLE, var->name, .variable = var}))
            parse_fail(p, "out of memory");
        if (!parse_accept(p, ','))
            break;
    }
    parse_expect(p, ')');
}

static void performance_bound(struct ptx_function *f, struct ptx_name name, uint64_t value)
{
    const uint32_t most = 1024; /* a larger bound has no effect */
    if (!value || value > most)
        return;
    if (ptx_name_is(name, "maxntid") || ptx_name_is(name, "reqntid")) {
        f->max_threads = (uint32_t)value;
        f->bounds_threads = true;
    } else if (ptx_name_is(name, "minnctapersm")) {
        f->min_ctas = (uint32_t)value;
    } else if (ptx_name_is(name, "maxnreg")) {
        f->max_registers = (uint32_t)value;
    }
}

/* Stores the value of a directive about clusters. SIZE has the directive's numbers, and PRODUCT is
 * their product. */
static void cluster_directive(struct ptx_function *f, struct ptx_name name, const uint32_t *size,
                              uint32_t product)
{
    if (ptx_name_is(name, "explicitcluster"))
        f->needs_cluster = true;
    else if (ptx_name_is(name, "reqnctapercluster"))
        memcpy(f->cluster, size, sizeof f->cluster);
    else if (ptx_name_is(name, "maxclusterrank"))
        f->max_cluster = product;
    else if (ptx_name_is(name, "blocksareclusters"))
        f->error = "a grid of clusters instead of blocks (.blocksareclusters) is not supported";
}

/* Parses the directives between the parameters and the body, such as .maxntid 256, 1, 1. */
static void performance_directives(struct parser *p, struct ptx_function *f)
{
    while (!p->failed && p->token.kind == PTX_DOT) {
        struct ptx_name name = parse_name_of(parse_take(p));
        uint64_t product = 1;
        uint32_t size[3] = {1, 1, 1};
        for (unsigned i = 0; p->token.kind == PTX_INT || p->token.kind == PTX_STRING; i++) {
            uint64_t value = parse_take(p).value;
            product = value && product <= UINT32_MAX / value ? product * value : product;
            size[i < 3 ? i : 2] = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
            if (!parse_accept(p, ','))
                break;
        }
        if (ptx_name_is(name, "pragma"))
            parse_accept(p, ';');
        performance_bound(f, name, product);
        cluster_directive(f, name, size, (uint32_t)product);
    }
}

/* Copies the function's code from the parser's buffer to the module's arena. */
static void keep_code(struct parser *p, struct ptx_function *f)
{
    size_t size = f->code_count * sizeof *f->code;
    f->code = size ? parse_take_memory(p, size) : NULL;
    if (f->code && !p->failed)
        memcpy(f->code, p->code, size);
    else
        f->code_count = 0;
}

/* Parses the body. An error in the body or in the function's head is stored in the function, so the
 * module stays valid. */
static void body_or_error(struct parser *p, struct ptx_function *f)
{
    struct ptx_lexer lexer = p->lexer;
    struct ptx_token token = p->token;
    p->function = f;
    p->register_room = p->loc_room = p->use_count = 0;
    parse_body(p);
    keep_code(p, f);
    p->function = NULL;
    if (!p->failed)
        return;
    size_t length = strlen(p->error) + 1;
    char *copy = ptx_arena_take(p->module->arena, length);
    if (!copy)
        return;
    f->error = memcpy(copy, p->error, length);
    p->failed = false;
    p->depth = 0;
    p->lexer = lexer;
    p->token = token;
    while (!parse_at_end(p) && !parse_at_punct(p, '{') && !parse_at_punct(p, ';'))
        parse_take(p);
    p->failed = parse_at_end(p);
    parse_skip_balanced(p);
}

static void function(struct parser *p, bool is_kernel, bool is_public)
{
    struct ptx_function *f = parse_take_memory(p, sizeof *f);
    if (!f)
        return;
    ptx_scope_enter(p->scope);
    f->is_kernel = is_kernel;
    f->is_public = is_public;
    f->unit = p->unit;
    parameters(p, f, &f->results);
    f->line = p->token.line;
    f->max_threads = 1024;
    f->name = parse_expect_word(p);
    parameters(p, f, &f->params);
    performance_directives(p, f);
    if (parse_accept(p, ';')) { /* a prototype, which has no body */
        ptx_scope_leave_to(p->scope, 1);
        return;
    }
    f->index = p->module->function_count++;
    *p->end = f;
    p->end = &f->next;
    body_or_error(p, f);
    ptx_scope_leave_to(p->scope, 1);
}

static void file_directive(struct parser *p)
{
    struct ptx_file *file = parse_take_memory(p, sizeof *file);
    if (!file)
        return;
    file->id = ptx_file_id(p->unit, parse_expect_int(p));
    if (p->token.kind != PTX_STRING)
        parse_fail(p, "expected a path after .file");
    file->path = parse_name_of(parse_take(p));
    while (parse_accept(p, ','))
        parse_expect_int(p);
    file->next = p->module->files;
    p->module->files = file;
}

static void version_directive(struct parser *p)
{
    struct ptx_token token = parse_take(p);
    double version = 0;
    if (token.kind == PTX_F64)
        memcpy(&version, &token.value, sizeof version);
    p->unit += p->module->version != 0; /* each .version after the first begins a new unit */
    if (version < 1 || version > 99)
        parse_fail(p, "expected a version such as 9.0 after .version");
    else
        p->module->version = (uint32_t)(version * 10 + 0.5);
}

static void target_directive(struct parser *p)
{
    do {
        struct ptx_name name = parse_expect_word(p);
        if (name.length > 3 && memcmp(name.text, "sm_", 3) == 0)
            p->module->sm = (uint32_t)strtoul(name.text + 3, NULL, 10);
    } while (parse_accept(p, ','));
}

static void module_variable(struct parser *p, enum ptx_space space, bool is_extern, bool is_public)
{
    struct ptx_variable *var = parse_variable(p, space);
    if (var) {
        var->is_extern = is_extern;
        var->is_public = is_public;
    }
    parse_declare_variable(p, var);
    parse_expect(p, ';');
}

static void top_level(struct parser *p)
{
    bool is_extern = false, is_public = false;
    while (parse_is_dot(p, "visible") || parse_is_dot(p, "extern") || parse_is_dot(p, "weak") ||
           parse_is_dot(p, "common")) {
        is_extern |= ptx_name_is(parse_name_of(parse_take(p)), "extern");
        is_public = true;
    }
    struct ptx_token token = parse_take(p);
    struct ptx_name name = parse_name_of(token);
    if (token.kind != PTX_DOT)
        parse_fail(p, "expected a directive before '%.*s'", (int)token.length, token.text);
    else if (ptx_name_is(name, "entry") || ptx_name_is(name, "func"))
        function(p, ptx_name_is(name, "entry"), is_public);
    else if (ptx_name_is(name, "version"))
        version_directive(p);
    else if (ptx_name_is(name, "target"))
        target_directive(p);
    else if (ptx_name_is(name, "address_size"))
        (void)(parse_expect_int(p) == 64 || (parse_fail(p, "only 64-bit PTX is supported"), 0));
    else if (ptx_name_is(name, "file"))
        file_directive(p);
    else if (ptx_name_is(name, "section")) {
        while (!parse_at_end(p) && !parse_at_punct(p, '{'))
            parse_take(p);
        parse_skip_balanced(p);
    } else if (ptx_name_is(name, "global") || ptx_name_is(name, "const") ||
               ptx_name_is(name, "shared")) {
        enum ptx_space space = *name.text == 'g'   ? PTX_GLOBAL
                               : *name.text == 'c' ? PTX_CONST
                                                   : PTX_SHARED;
        module_variable(p, space, is_extern, is_public);
    } else if (ptx_name_is(name, "pragma") || ptx_name_is(name, "alias")) {
        parse_skip_statement(p);
    } else {
        parse_fail(p, "unsupported: '.%.*s'", (int)name.length, name.text);
    }
}

static bool has_line_number(const char *error)
{
    return strncmp(error, "PTX line", 8) == 0;
}

struct ptx_module *ptx_parse(const char *text, size_t size, char *error, size_t error_size)
{
    struct parser p = {0};
    struct ptx_arena *arena = ptx_arena_new();
    p.module = arena ? ptx_arena_take(arena, sizeof *p.module) : NULL;
    char *copy = arena ? ptx_arena_take(arena, size + 1) : NULL;
    p.scope = ptx_scope_new();
    if (!p.module || !copy || !p.scope) {
        snprintf(error, error_size, "out of memory");
        ptx_scope_free(p.scope);
        ptx_arena_free(arena);
        return NULL;
    }
    p.module->arena = arena;
    p.end = &p.module->functions;
    memcpy(copy, text, size);
    ptx_lex_init(&p.lexer, copy, size);
    p.token = ptx_lex(&p.lexer);
    if (!parse_is_dot(&p, "version"))
        parse_fail(&p, "a PTX text must begin with .version");
    while (!parse_at_end(&p))
        top_level(&p);
    parse_link(&p);
    ptx_scope_free(p.scope);
    free(p.code);
    if (!p.failed)
        return p.module;
    snprintf(error, error_size, "%s%s", has_line_number(p.error) ? "" : "PTX: ", p.error);
    ptx_arena_free(arena);
    return NULL;
}
