/* A module is a parsed PTX text. It has variables and functions; a function has registers and
 * instructions. The parser builds the module, which does not change afterwards.
 *
 * All memory of a module is in one arena, which ptx_free() frees. Names point into the module's
 * copy of the text. */
#ifndef GPU_PTX_MODULE_H
#define GPU_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum ptx_type {
#define TYPE(name, bytes, class) PTX_##name,
#include "gpu/ptx/names.def"
#undef TYPE
    PTX_TYPE_COUNT
};

enum ptx_modifier {
#define MOD(name)          PTX_MOD_##name,
#define WORD(id, spelling) PTX_MOD_##id,
#include "gpu/ptx/names.def"
#undef MOD
#undef WORD
    PTX_MOD_COUNT
};

enum ptx_special {
#define SPECIAL(id, spelling, bytes, when) PTX_SPECIAL_##id,
#include "gpu/ptx/names.def"
#undef SPECIAL
    PTX_SPECIAL_COUNT
};

enum ptx_opcode {
#define T(type)                                                   0
#define OPCODE(id, spelling, operands, types, modifiers, meaning) PTX_OP_##id,
#include "gpu/ptx/opcodes.def"
#undef OPCODE
#undef T
    PTX_OPCODE_COUNT
};

/* The fields of one line of opcodes.def. */
struct ptx_opcode_info {
    const char *name; /* with dots if the opcode has several words, such as "bar.red" */
    const char *operands, *modifiers, *meaning;
    uint32_t types; /* a set of types: bit (1 << enum ptx_type) for each */
};
extern const struct ptx_opcode_info ptx_opcodes[PTX_OPCODE_COUNT];

const char *ptx_type_name(enum ptx_type type);
unsigned ptx_type_bytes(enum ptx_type type); /* 0 for predicates */
/* Returns the size of one number in bits, which is less than 8 for the packed types s4, u4 and
 * b1. */
unsigned ptx_type_bits(enum ptx_type type);
char ptx_type_class(enum ptx_type type); /* one of 'U' 'S' 'B' 'F' 'P' */
static inline bool ptx_type_is_float(unsigned type)
{
    return ptx_type_class((enum ptx_type)type) == 'F';
}
const char *ptx_modifier_name(enum ptx_modifier modifier);
unsigned ptx_special_bytes(enum ptx_special special);
/* Returns whether the register can change while a thread runs. */
bool ptx_special_is_dynamic(enum ptx_special special);

enum ptx_space {
    PTX_GENERIC,
    PTX_GLOBAL,
    PTX_SHARED,
    PTX_LOCAL,
    PTX_PARAM, /* a kernel's parameters */
    PTX_CONST,
    PTX_FRAME, /* parameters and results of device functions, which are in stack frames */
    /* In an instruction, this is the shared memory of any CTA in the cluster. In a struct
     * obs_access, it is the shared memory of another CTA. */
    PTX_CLUSTER,
};

/* A name. Its text does not end with a NUL. */
struct ptx_name {
    const char *text;
    uint32_t length;
};

/* An address of another variable or of a function inside a variable's initial value. */
struct ptx_pointer {
    uint64_t at; /* offset of this address in the initial value */
    struct ptx_name target;
    int64_t addend;
    bool generic; /* the PTX text has generic(name) instead of name */
    struct ptx_pointer *next;
};

struct ptx_variable {
    struct ptx_name name;
    enum ptx_space space;
    uint32_t align;
    uint64_t size;          /* bytes, or 0 for an extern array whose size each launch sets */
    const uint8_t *initial; /* `size` bytes, or NULL if all bytes are 0 */
    struct ptx_pointer *pointers;
    bool is_extern;
    bool is_public; /* the variable's name is public (see link.c) */
    uint32_t unit;  /* index of the unit that declares the variable */
    /* number of the variable in its module, from 1; 0 for a variable inside a function */
    uint32_t number;
    uint64_t offset; /* offset in the function's parameters, shared memory or local memory */
    /* for a declaration, the variable's definition; for a definition, NULL */
    const struct ptx_variable *definition;
    struct ptx_variable *next;
    struct ptx_variable *last; /* last element of the list; set only in the first element */
};

struct ptx_register {
    struct ptx_name name;
    enum ptx_type type;
};

enum ptx_operand_kind {
    PTX_REGISTER,         /* `index` is the register's index */
    PTX_PREDICATE,        /* `index` is the predicate register's index; `negated` means !%p */
    PTX_SPECIAL_REGISTER, /* `index` is an enum ptx_special */
    PTX_IMMEDIATE,        /* `value` has the bits, sign-extended; see also is_f32 and is_f64 */
    PTX_VARIABLE,         /* the address of `variable`, plus `value` */
    /* [base + value]. The base is a register (`index`), `variable` or nothing. For a texture:
     * [base, {elements}]. */
    PTX_ADDRESS,
    PTX_VECTOR,   /* `count` elements, each a register, an immediate or a sink */
    PTX_PAIR,     /* p|q: elements[0] and elements[1] */
    PTX_LABEL,    /* `value` is the index of the instruction after the label */
    PTX_FUNCTION, /* the address of the function `name` */
    PTX_SINK,     /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;        /* the operand is !%p */
    bool is_f32, is_f64; /* an immediate that begins with 0f or 0d */
    uint32_t index;      /* index of a register, or PTX_NONE for an address without a register */
    uint32_t count;
    struct ptx_operand *elements;
    const struct ptx_variable *variable;
    struct ptx_name name;
    int64_t value;
};
#define PTX_NONE          UINT32_MAX

#define PTX_MAX_OPERANDS  6
#define PTX_MAX_MODIFIERS 10

struct ptx_instruction {
    uint16_t opcode;
    uint8_t type_count, modifier_count, operand_count;
    uint8_t types[4];
    uint8_t modifiers[PTX_MAX_MODIFIERS];
    bool guard_negated;
    uint32_t guard; /* index of the predicate register, or PTX_NONE */
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    uint32_t line; /* line number in the PTX text */
    uint32_t loc;  /* index in the function's locs, or PTX_NONE */
};

/* A .loc: the source line of the instructions that follow it. */
struct ptx_loc {
    uint32_t file, line, column;
    /* for inlined code, the place of the call; at_line is 0 if the code is not inlined */
    uint32_t at_file, at_line, at_column;
};

struct ptx_function {
    struct ptx_name name;
    uint32_t index; /* index of the function in the module */
    uint32_t unit;  /* index of the unit that defines the function */
    bool is_kernel;
    bool is_public;    /* the function's name is public (see link.c) */
    uint32_t line;     /* line number in the PTX text */
    const char *error; /* why this function cannot run, or NULL */
    struct ptx_variable *params, *results, *shared, *locals; /* lists in the order of declaration */
    struct ptx_variable *call_params; /* .param variables for the calls that the function makes */
    uint32_t param_count, param_bytes, frame_bytes, shared_bytes, local_bytes, max_threads;
    struct ptx_register *registers;
    uint32_t register_count;
    struct ptx_instruction *code;
    uint32_t code_count;
    struct ptx_loc *locs;
    uint32_t loc_count;
    uint32_t min_ctas, max_registers; /* values of .minnctapersm and .maxnreg, or 0 if absent */
    bool bounds_threads;              /* max_threads was set by a directive */
    /* .reqnctapercluster: CTAs of a cluster along x, y and z; cluster[0] is 0 if absent */
    uint32_t cluster[3];
    uint32_t max_cluster; /* .maxclusterrank: maximum number of CTAs of a cluster, or 0 if absent */
    bool needs_cluster;   /* .explicitcluster: if cluster[0] is 0, a launch must set the size */
    bool uses_dynamic_shared;
    struct ptx_function *next;
};

struct ptx_file {
    uint32_t id; /* see ptx_file_id() */
    struct ptx_name path;
    struct ptx_file *next;
};

#define PTX_CONST_BYTES 65536u

struct ptx_module {
    uint32_t version, sm; /* version is 90 for 9.0, and sm is 80 for sm_80 */
    struct ptx_file *files;
    struct ptx_variable *variables; /* variables at module scope, in the order of declaration */
    uint32_t const_bytes;           /* bytes of all .const variables, at most PTX_CONST_BYTES */
    struct ptx_function *functions; /* functions in the order of definition */
    uint32_t function_count;
    const struct ptx_function **by_name; /* all functions, sorted by name, then by index */
    struct ptx_arena *arena;
};

/* Parses SIZE bytes of TEXT, which may end with NUL bytes as padding. The module gets a copy of the
 * text. If the text as a whole is not PTX, returns NULL and writes one line to ERROR. An error
 * inside a function is kept in the function's `error`, so other kernels of the module can still
 * run.
 *
 * TEXT can consist of several units, each with its own .version. The units are numbered from 0 and
 * linked (see link.c). */
struct ptx_module *ptx_parse(const char *text, size_t size, char *error, size_t error_size);
void ptx_free(struct ptx_module *module); /* accepts NULL */

/* Find the function (a kernel or not), or the module-scope variable, with NAME in UNIT. If UNIT
 * does not define NAME, find a public definition in another unit. Return NULL if there is none. */
const struct ptx_function *ptx_find_function(const struct ptx_module *module, struct ptx_name name,
                                             uint32_t unit);
const struct ptx_variable *ptx_find_variable(const struct ptx_module *module, struct ptx_name name,
                                             uint32_t unit);
/* Returns the definition of the variable V. V itself may be the definition. */
static inline const struct ptx_variable *ptx_definition(const struct ptx_variable *v)
{
    return v->definition ? v->definition : v;
}
#define PTX_ANY_UNIT UINT32_MAX /* value of UNIT for a search in all units */

/* Compares two names like strcmp(). */
int ptx_name_compare(struct ptx_name a, struct ptx_name b);
/* Returns whether NAME equals TEXT. The function is inline, so that the compiler knows the length
 * of a string literal. It must be fast, because the parser calls it many times for each word. */
static inline bool ptx_name_is(struct ptx_name name, const char *text)
{
    return name.length == strlen(text) && memcmp(name.text, text, name.length) == 0;
}
/* Find the type or the modifier called NAME. Return -1 if the name is unknown. */
int ptx_find_type(struct ptx_name name);
int ptx_find_modifier(struct ptx_name name);
/* Finds the longest opcode with which TEXT begins. Only whole words match. Returns -1 if there is
 * none. */
int ptx_find_opcode(struct ptx_name text);
bool ptx_has(const struct ptx_instruction *instruction, enum ptx_modifier modifier);
/* Returns a file's id in the module. NUMBER is its .file number, which is unique only within
 * UNIT. */
static inline uint32_t ptx_file_id(uint32_t unit, uint64_t number)
{
    return unit << 20 ^ (uint32_t)number;
}
/* Returns the path of the file ID, or an empty name if it is unknown. */
struct ptx_name ptx_file_path(const struct ptx_module *module, uint32_t id);
/* Writes the mnemonic, such as "add.rn.f32", to BUFFER and returns BUFFER. */
const char *ptx_mnemonic(const struct ptx_instruction *instruction, char *buffer, size_t size);
/* Returns the state space in the instruction's modifiers, or PTX_GENERIC if there is none. */
enum ptx_space ptx_space_of(const struct ptx_instruction *instruction);

#endif
