/* Defines the tables of opcodes, types and modifiers, and answers simple queries about a module. */
#include "gpu/ptx/module.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gpu/ptx/arena.h"
#include "gpu/ptx/lex.h"

const struct ptx_opcode_info ptx_opcodes[PTX_OPCODE_COUNT] = {
#define T(type) (1u << PTX_##type)
#define OPCODE(id, spelling, operands, types, modifiers, meaning)                                  \
    {spelling, operands, modifiers, meaning, types},
#include "gpu/ptx/opcodes.def"
#undef OPCODE
#undef T
};

static const struct {
    const char *name;
    uint8_t bytes;
    char class;
} types[PTX_TYPE_COUNT] = {
#define U                        'U'
#define S                        'S'
#define B                        'B'
#define F                        'F'
#define P                        'P'
#define TYPE(name, bytes, class) {#name, bytes, class},
#include "gpu/ptx/names.def"
#undef TYPE
#undef U
#undef S
#undef B
#undef F
#undef P
};

static const char *const modifiers[PTX_MOD_COUNT] = {
#define MOD(name)          #name,
#define WORD(id, spelling) spelling,
#include "gpu/ptx/names.def"
#undef MOD
#undef WORD
};

static const struct {
    uint8_t bytes;
    char when;
} specials[PTX_SPECIAL_COUNT] = {
#define S                                  'S'
#define D                                  'D'
#define SPECIAL(id, spelling, bytes, when) {bytes, when},
#include "gpu/ptx/names.def"
#undef SPECIAL
#undef S
#undef D
};

const char *ptx_type_name(enum ptx_type type)
{
    return types[type].name;
}

unsigned ptx_type_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

unsigned ptx_type_bits(enum ptx_type type)
{
    return type == PTX_b1 ? 1 : type == PTX_s4 || type == PTX_u4 ? 4 : 8 * types[type].bytes;
}

char ptx_type_class(enum ptx_type type)
{
    return types[type].class;
}

const char *ptx_modifier_name(enum ptx_modifier modifier)
{
    return modifiers[modifier];
}

unsigned ptx_special_bytes(enum ptx_special special)
{
    return specials[special].bytes;
}

bool ptx_special_is_dynamic(enum ptx_special special)
{
    return specials[special].when == 'D';
}

/* --- the tables by name ----------------------------------------------------------------------- */

/* An index of a table: for each letter, a list of the table's entries whose name begins with this
 * letter. The lookup must be fast, because the parser looks up most words of a PTX text. */
struct letters {
    int16_t first[128], next[PTX_OPCODE_COUNT + PTX_MOD_COUNT]; /* -1 ends a list */
};

static struct letters opcode_letters, type_letters, modifier_letters;

static void add_name(struct letters *letters, int16_t index, const char *name)
{
    letters->next[index] = letters->first[*name & 127];
    letters->first[*name & 127] = index;
}

static void make_letters(void)
{
    struct letters *all[] = {&opcode_letters, &type_letters, &modifier_letters};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        memset(all[i]->first, -1, sizeof all[i]->first);
    for (int16_t i = 0; i < PTX_OPCODE_COUNT; i++)
        add_name(&opcode_letters, i, ptx_opcodes[i].name);
    for (int16_t i = 0; i < PTX_TYPE_COUNT; i++)
        add_name(&type_letters, i, types[i].name);
    for (int16_t i = 0; i < PTX_MOD_COUNT; i++)
        add_name(&modifier_letters, i, modifiers[i]);
}

/* Returns the first entry whose name begins with NAME's first letter, or -1 if there is none. */
static int first_of(const struct letters *letters, struct ptx_name name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_letters);
    return name.length ? letters->first[*name.text & 127] : -1;
}

int ptx_find_type(struct ptx_name name)
{
    int i = first_of(&type_letters, name);
    while (i >= 0 && !ptx_name_is(name, types[i].name))
        i = type_letters.next[i];
    return i;
}

int ptx_find_modifier(struct ptx_name name)
{
    int i = first_of(&modifier_letters, name);
    while (i >= 0 && !ptx_name_is(name, modifiers[i]))
        i = modifier_letters.next[i];
    return i;
}

int ptx_find_opcode(struct ptx_name text)
{
    size_t longest = 0;
    int found = -1;
    for (int i = first_of(&opcode_letters, text); i >= 0; i = opcode_letters.next[i]) {
        size_t length = strlen(ptx_opcodes[i].name);
        if (length <= longest || length > text.length ||
            memcmp(text.text, ptx_opcodes[i].name, length) != 0 ||
            (length < text.length && ptx_is_word((unsigned char)text.text[length])))
            continue;
        longest = length;
        found = i;
    }
    return found;
}

/* --- small queries ---------------------------------------------------------------------------- */

void ptx_free(struct ptx_module *module)
{
    if (module)
        ptx_arena_free(module->arena);
}

int ptx_name_compare(struct ptx_name a, struct ptx_name b)
{
    uint32_t common = a.length < b.length ? a.length : b.length;
    /* the text of an empty name may be NULL */
    int order = common ? memcmp(a.text, b.text, common) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

bool ptx_has(const struct ptx_instruction *instruction, enum ptx_modifier modifier)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++)
        if (instruction->modifiers[i] == modifier)
            return true;
    return false;
}

struct ptx_name ptx_file_path(const struct ptx_module *module, uint32_t id)
{
    for (const struct ptx_file *file = module->files; file; file = file->next)
        if (file->id == id)
            return file->path;
    return (struct ptx_name){"", 0};
}

const char *ptx_mnemonic(const struct ptx_instruction *instruction, char *buffer, size_t size)
{
    int n = snprintf(buffer, size, "%s", ptx_opcodes[instruction->opcode].name);
    for (unsigned i = 0; i < instruction->modifier_count && (size_t)n < size; i++)
        n += snprintf(buffer + n, size - (size_t)n, ".%s", modifiers[instruction->modifiers[i]]);
    for (unsigned i = 0; i < instruction->type_count && (size_t)n < size; i++)
        n += snprintf(buffer + n, size - (size_t)n, ".%s", types[instruction->types[i]].name);
    return buffer;
}

enum ptx_space ptx_space_of(const struct ptx_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->modifier_count; i++) {
        switch (instruction->modifiers[i]) {
        case PTX_MOD_global:
            return PTX_GLOBAL;
        case PTX_MOD_shared:
        case PTX_MOD_shared_cta:
            return PTX_SHARED;
        case PTX_MOD_shared_cluster:
            return PTX_CLUSTER;
        case PTX_MOD_local:
            return PTX_LOCAL;
        case PTX_MOD_param:
            return PTX_PARAM;
        case PTX_MOD_const:
            return PTX_CONST;
        default:
            break;
        }
    }
    return PTX_GENERIC;
}
