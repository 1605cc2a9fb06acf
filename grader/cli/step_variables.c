/* Finds variables in debug information. nvcc -G writes DWARF into PTX as text: .section .debug_info
 * { .b8 1; .b64 $L__tmp3; ... }. An address in this text is a label in the code.
 *
 *   PTX --scan--> labels; the bytes of three sections --libelf--> a file --libdw--> variables
 *
 * Each address becomes the line number of its label in the PTX, because the recording has the line
 * of each instruction. DWARF encodes a register's name as its number: "%r2" is 0x257232. */
#include "cli/step_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/json.h"
#include "cli/program.h"

#define MOST_LABELS   200000
#define MOST_ELEMENTS 64 /* maximum number of listed elements of an array */

/* --- from PTX to sections --------------------------------------------------------------------- */

static const char *const names[] = {".debug_info", ".debug_abbrev", ".debug_loc"};
enum { SECTIONS = sizeof names / sizeof *names };

struct section {
    char *bytes;
    size_t size;
    FILE *to;
};

struct scan {
    /* maps the labels' names, which are in the text, to line numbers */
    struct hsearch_data labels;
    struct section sections[SECTIONS], *section;
};

static void open_section(struct scan *scan, const char *line)
{
    char name[32] = "";
    sscanf(line, ".section %31s", name);
    scan->section = NULL;
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(name, names[i]) == 0)
            scan->section = &scan->sections[i];
}

/* Returns the value of "12", "$L__tmp3" or ".debug_loc+12". A symbol that is not a label is 0. */
static uint64_t value_of(struct scan *scan, char *word)
{
    ENTRY *found = NULL;
    char *plus = strchr(word, '+');
    if (word[0] == '-' || (word[0] >= '0' && word[0] <= '9'))
        return (uint64_t)strtoll(word, NULL, 0);
    uint64_t addend = plus ? strtoull(plus + 1, NULL, 0) : 0;
    if (plus)
        *plus = '\0';
    hsearch_r((ENTRY){word, NULL}, FIND, &found, &scan->labels);
    return addend + (found ? (uint64_t)(uintptr_t)found->data : 0);
}

/* Appends the numbers of ".b8 1,2,3" to the current section. */
static void add_bytes(struct scan *scan, char *line)
{
    char *rest = line + strcspn(line, " \t"), *save;
    size_t bytes = strtoul(line + 2, NULL, 10) / 8;
    for (char *word = strtok_r(rest, " \t,;", &save); word; word = strtok_r(NULL, " \t,;", &save)) {
        uint64_t value = value_of(scan, word);
        fwrite(&value, 1, bytes <= sizeof value ? bytes : 0, scan->section->to);
    }
}

static void scan_line(struct scan *scan, char *line, size_t number)
{
    ENTRY *entered;
    size_t length = strlen(line);
    if (strncmp(line, ".section", 8) == 0)
        open_section(scan, line);
    else if (*line == '}')
        scan->section = NULL;
    else if (scan->section && strncmp(line, ".b", 2) == 0)
        add_bytes(scan, line);
    else if (*line == '$' && line[length - 1] == ':') {
        line[length - 1] = '\0';
        hsearch_r((ENTRY){line, (void *)(uintptr_t)number}, ENTER, &entered, &scan->labels);
    }
}

/* Scans TEXT, the PTX, for labels and sections. Overwrites parts of TEXT. */
static void scan_text(struct scan *scan, char *text)
{
    size_t number = 1;
    for (int i = 0; i < SECTIONS; i++)
        scan->sections[i].to = open_memstream(&scan->sections[i].bytes, &scan->sections[i].size);
    for (char *end; (end = strchr(text, '\n')); text = end + 1, number++) {
        *end = '\0';
        scan_line(scan, text + strspn(text, " \t"), number);
    }
    for (int i = 0; i < SECTIONS; i++)
        fclose(scan->sections[i].to);
}

/* --- from sections to a file that libdw can read ---------------------------------------------- */

/* The names of the sections. name_at[] has the offset of each name in this text. */
static char name_table[] = "\0.debug_info\0.debug_abbrev\0.debug_loc\0.shstrtab";
static const size_t name_at[] = {1, 13, 27, 38};

static void add_section(Elf *elf, int index, void *bytes, size_t size, Elf64_Word type)
{
    GElf_Shdr header;
    Elf_Scn *section = elf_newscn(elf);
    Elf_Data *data = elf_newdata(section);
    *data = (Elf_Data){.d_buf = bytes,
                       .d_size = size,
                       .d_align = 1,
                       .d_type = ELF_T_BYTE,
                       .d_version = EV_CURRENT};
    gelf_getshdr(section, &header);
    header.sh_name = (Elf64_Word)name_at[index];
    header.sh_type = type;
    gelf_update_shdr(section, &header);
}

static bool write_elf(int file, const struct scan *scan)
{
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_WRITE, NULL);
    if (!elf || !gelf_newehdr(elf, ELFCLASS64))
        return false;
    gelf_getehdr(elf, &header);
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_CUDA;
    header.e_version = EV_CURRENT;
    header.e_shstrndx = SECTIONS + 1;
    gelf_update_ehdr(elf, &header);
    for (int i = 0; i < SECTIONS; i++)
        add_section(elf, i, scan->sections[i].bytes, scan->sections[i].size, SHT_PROGBITS);
    add_section(elf, SECTIONS, name_table, sizeof name_table, SHT_STRTAB);
    bool good = elf_update(elf, ELF_C_WRITE) > 0;
    elf_end(elf);
    return good;
}

/* --- from DWARF to variables ------------------------------------------------------------------ */

struct walk {
    const json_t *code, *registers;
    json_t *list;
    /* number of the current function, and its first and end instruction */
    size_t function, first, end;
    size_t parameters; /* number of parameters of this function so far */
};

static json_int_t number_in(const json_t *list, size_t index, size_t member)
{
    return json_integer_value(json_array_get(json_array_get(list, index), member));
}

/* Returns the line number in the PTX of the instruction at PC. */
static Dwarf_Addr line_of(const struct walk *walk, size_t pc)
{
    return (Dwarf_Addr)number_in(walk->code, pc, 8);
}

/* Returns the register that DWARF calls NUMBER, or -1 if there is none. */
static json_int_t find_register(const struct walk *walk, uint64_t number)
{
    char name[9] = "";
    size_t index, length = 0;
    const json_t *entry;
    for (int shift = 56; shift >= 0; shift -= 8)
        if (number >> shift)
            name[length++] = (char)(number >> shift);
    json_array_foreach(walk->registers, index, entry)
    {
        if (number_in(walk->registers, index, 2) == (json_int_t)walk->function &&
            strcmp(json_string_value(json_array_get(entry, 0)), name) == 0)
            return (json_int_t)index;
    }
    return -1;
}

/* Finds where the variable is while a lane is at the instruction PC. Returns false if this is
 * unknown. */
static bool place_at(const struct walk *walk, Dwarf_Attribute *location, bool is_parameter,
                     size_t pc, const char **kind, json_int_t *value)
{
    Dwarf_Op *ops;
    size_t count;
    if (dwarf_getlocation_addr(location, line_of(walk, pc), &ops, &count, 1) != 1 || !count)
        return false;
    *kind = ops[0].atom == DW_OP_regx ? "r" : is_parameter ? "p" : "l";
    if (ops[0].atom == DW_OP_regx)
        *value = find_register(walk, ops[0].number);
    else if (ops[0].atom != DW_OP_addr || walk->function != 0)
        return false;
    else if (is_parameter)
        *value = (json_int_t)walk->parameters - 1;
    else
        *value = count > 1 && ops[1].atom == DW_OP_plus_uconst ? (json_int_t)ops[1].number : 0;
    return *value >= 0;
}

/* Returns the places of a variable whose scope is from line LOW up to line HIGH of the PTX. */
static json_t *places_of(const struct walk *walk, Dwarf_Attribute *location, bool is_parameter,
                         Dwarf_Addr low, Dwarf_Addr high)
{
    json_t *places = json_array(), *last = NULL;
    for (size_t pc = walk->first; pc < walk->end; pc++) {
        const char *kind;
        json_int_t value;
        Dwarf_Addr line = line_of(walk, pc);
        bool found =
            line >= low && line < high && place_at(walk, location, is_parameter, pc, &kind, &value);
        if (found && last && json_integer_value(json_array_get(last, 3)) == value &&
            strcmp(json_string_value(json_array_get(last, 2)), kind) == 0) {
            json_array_set_new(last, 1, json_integer((json_int_t)pc));
            continue;
        }
        last = found ? json_pack("[I,I,s,I]", (json_int_t)pc, (json_int_t)pc, kind, value) : NULL;
        if (last)
            json_array_append_new(places, last);
    }
    return places;
}

/* Adds the members of VARIABLE that its type determines. Returns false if the type is not
 * simple. */
static bool add_type(json_t *variable, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type, element;
    Dwarf_Word whole = 0, bytes, encoding = DW_ATE_unsigned;
    if (!dwarf_formref_die(dwarf_attr(die, DW_AT_type, &attribute), &type) ||
        dwarf_peel_type(&type, &type) != 0)
        return false;
    dwarf_aggregate_size(&type, &whole);
    for (element = type; dwarf_tag(&element) == DW_TAG_array_type;)
        if (!dwarf_formref_die(dwarf_attr(&element, DW_AT_type, &attribute), &element) ||
            dwarf_peel_type(&element, &element) != 0)
            return false;
    if (dwarf_tag(&element) == DW_TAG_base_type)
        dwarf_formudata(dwarf_attr(&element, DW_AT_encoding, &attribute), &encoding);
    else if (dwarf_tag(&element) != DW_TAG_pointer_type)
        return false;
    bytes = (Dwarf_Word)dwarf_bytesize(&element);
    if (dwarf_tag(&element) == DW_TAG_pointer_type)
        bytes = 8;
    if (bytes < 1 || bytes > 8)
        return false;
    Dwarf_Word count = whole > bytes ? whole / bytes : 1;
    bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    json_object_set_new(variable, "bytes", json_integer((json_int_t)bytes));
    json_object_set_new(variable, "count",
                        json_integer((json_int_t)(count < MOST_ELEMENTS ? count : MOST_ELEMENTS)));
    json_object_set_new(variable, "type",
                        json_string(encoding == DW_ATE_float ? "float"
                                    : is_signed              ? "int"
                                                             : "unsigned"));
    return true;
}

static void add_variable(struct walk *walk, Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr high)
{
    Dwarf_Attribute location;
    bool is_parameter = dwarf_tag(die) == DW_TAG_formal_parameter;
    const char *name = dwarf_diename(die);
    walk->parameters += is_parameter;
    if (!name || !dwarf_attr(die, DW_AT_location, &location))
        return;
    json_t *variable = json_pack("{ss,sI}", "name", name, "fn", (json_int_t)walk->function);
    json_t *places = places_of(walk, &location, is_parameter, low, high);
    bool is_known = variable && add_type(variable, die) && json_array_size(places) > 0;
    json_object_set_new(variable, "places", places);
    if (is_known)
        json_array_append(walk->list, variable);
    json_decref(variable);
}

/* Finds the function whose instructions are on the lines LOW up to HIGH of the PTX. */
static bool find_function(struct walk *walk, Dwarf_Addr low, Dwarf_Addr high)
{
    walk->parameters = walk->first = walk->end = 0;
    for (size_t pc = 0; pc < json_array_size(walk->code); pc++) {
        if (line_of(walk, pc) < low || line_of(walk, pc) >= high)
            continue;
        walk->first = walk->end ? walk->first : pc;
        walk->end = pc + 1;
    }
    walk->function = (size_t)number_in(walk->code, walk->first, 3);
    return walk->end > 0;
}

/* Adds the variables of DIE's children, whose scope is from line LOW up to line HIGH of the PTX. */
static void walk_children(struct walk *walk, Dwarf_Die *die, Dwarf_Addr low, Dwarf_Addr high)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do {
        Dwarf_Addr from = low, to = high;
        int tag = dwarf_tag(&child);
        bool has_range = dwarf_lowpc(&child, &from) == 0 && dwarf_highpc(&child, &to) == 0;
        if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
            add_variable(walk, &child, low, high);
        else if ((tag == DW_TAG_subprogram && has_range && find_function(walk, from, to)) ||
                 (tag == DW_TAG_lexical_block && walk->end))
            walk_children(walk, &child, from, to);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void walk_units(struct walk *walk, int file)
{
    Dwarf_Off offset = 0, next;
    size_t header;
    Dwarf *dwarf = dwarf_begin(file, DWARF_C_READ);
    while (dwarf && dwarf_nextcu(dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        walk->end = 0;
        if (dwarf_offdie(dwarf, offset + header, &unit))
            walk_children(walk, &unit, 0, 0);
        offset = next;
    }
    dwarf_end(dwarf);
}

json_t *step_variables(const char *program, const json_t *steps)
{
    struct scan scan = {0};
    struct walk walk = {.code = json_object_get(steps, "code"),
                        .registers = json_object_get(steps, "registers"),
                        .list = json_array()};
    char *text = cli_program_ptx(program);
    int file = memfd_create("variables", MFD_CLOEXEC);
    if (text && strstr(text, ".debug_info") && file >= 0 && hcreate_r(MOST_LABELS, &scan.labels)) {
        scan_text(&scan, text);
        if (write_elf(file, &scan))
            walk_units(&walk, file);
        hdestroy_r(&scan.labels);
    }
    for (int i = 0; i < SECTIONS; i++)
        free(scan.sections[i].bytes);
    if (file >= 0)
        close(file);
    free(text);
    return walk.list;
}
