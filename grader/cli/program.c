/* Reads the section table and the dynamic table of an ELF file. The file is untrusted: every offset
 * is checked against the file's size, and a damaged table counts as missing. */
#include "cli/program.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/fatbin/fatbin.h"
#include "gpu/limits.h"
#include "gpu/virtual_gpu.h"

#define RUNTIME_PREFIX "libcudart.so"
#define DRIVER_PREFIX  "libcuda.so"

/* The runtimes that Lanewise provides. */
static const char *const runtimes[] = {"libcudart.so.13", "libcudart.so.12"};

struct bytes {
    const uint8_t *start;
    size_t size;
};

/* The properties of an executable that decide whether the emulator can run it. */
struct program {
    struct bytes file;
    struct bytes sections; /* the section table: an array of Elf64_Shdr */
    struct bytes names;    /* string table with the names of the sections */
    bool has_fat_binary;   /* the program has a section .nv_fatbin or __nv_relfatbin */
    char runtime[64];      /* the CUDA runtime library that it needs, or "" if there is none */
    bool registers_kernels;
    bool needs_driver; /* the program is linked with the CUDA driver */
    /* a function of the driver that it calls, such as cuInit, or "" if there is none */
    char driver_call[64];
    struct fatbin_summary code;
};

/* Returns SIZE bytes of WHOLE from OFFSET on, or an empty part if WHOLE is too short. */
static struct bytes part(struct bytes whole, uint64_t offset, uint64_t size)
{
    if (offset > whole.size || size > whole.size - offset)
        return (struct bytes){NULL, 0};
    return (struct bytes){whole.start + offset, size};
}

/* Returns the string at OFFSET of TABLE, or "" if it is not terminated there. */
static const char *string_at(struct bytes table, uint64_t offset)
{
    if (offset >= table.size || !memchr(table.start + offset, '\0', table.size - offset))
        return "";
    return (const char *)table.start + offset;
}

/* Copies entry number INDEX of TABLE to ENTRY. The entries have SIZE bytes each. Returns false if
 * TABLE has no such entry. */
static bool entry_at(struct bytes table, size_t index, size_t size, void *entry)
{
    if (index >= table.size / size)
        return false;
    memcpy(entry, table.start + index * size, size);
    return true;
}

static struct bytes section_bytes(const struct program *program, const Elf64_Shdr *section)
{
    if (section->sh_type == SHT_NOBITS)
        return (struct bytes){NULL, 0};
    return part(program->file, section->sh_offset, section->sh_size);
}

/* Returns the bytes of section NUMBER, such as the string table that another section's sh_link
 * names. */
static struct bytes linked_bytes(const struct program *program, uint32_t number)
{
    Elf64_Shdr section;
    if (!entry_at(program->sections, number, sizeof section, &section))
        return (struct bytes){NULL, 0};
    return section_bytes(program, &section);
}

/* --- the relevant sections -------------------------------------------------------------------- */

static bool begins_with(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Finds the CUDA runtime and the driver among the libraries that the program needs. */
static void read_dynamic(struct program *program, struct bytes table, struct bytes strings)
{
    Elf64_Dyn item;
    for (size_t i = 0; entry_at(table, i, sizeof item, &item) && item.d_tag != DT_NULL; i++) {
        const char *name = item.d_tag == DT_NEEDED ? string_at(strings, item.d_un.d_val) : "";
        if (begins_with(name, RUNTIME_PREFIX))
            snprintf(program->runtime, sizeof program->runtime, "%s", name);
        program->needs_driver |= begins_with(name, DRIVER_PREFIX);
    }
}

static void read_symbols(struct program *program, struct bytes table, struct bytes strings)
{
    Elf64_Sym symbol;
    for (size_t i = 0; entry_at(table, i, sizeof symbol, &symbol); i++) {
        const char *name = string_at(strings, symbol.st_name);
        if (strcmp(name, "__cudaRegisterFunction") == 0)
            program->registers_kernels = true;
        /* functions of the driver have names like cuInit; those of other libraries, like
         * cublasCreate */
        if (symbol.st_shndx == SHN_UNDEF && begins_with(name, "cu") &&
            isupper((unsigned char)name[2]))
            snprintf(program->driver_call, sizeof program->driver_call, "%s", name);
    }
}

/* Reads the fat binaries of all translation units. They follow each other in one section. */
static void read_fat_binaries(struct program *program, struct bytes section)
{
    struct fatbin fatbin;
    char message[FATBIN_MESSAGE];
    program->has_fat_binary = true;
    for (size_t at = 0; at + FATBIN_HEADER_SIZE <= section.size;) {
        if (!fatbin_open(&fatbin, section.start + at, section.size - at)) {
            at += 8; /* skip padding: fat binaries are aligned to 8 bytes */
            continue;
        }
        fatbin_summarise(&program->code, section.start + at, section.size - at, EMU_CAPABILITY,
                         message);
        at += (fatbin.size + 7) & ~(size_t)7;
    }
}

static void read_section(struct program *program, const Elf64_Shdr *section)
{
    const char *name = string_at(program->names, section->sh_name);
    struct bytes bytes = section_bytes(program, section);
    if (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0)
        read_fat_binaries(program, bytes);
    else if (section->sh_type == SHT_DYNAMIC)
        read_dynamic(program, bytes, linked_bytes(program, section->sh_link));
    else if (section->sh_type == SHT_DYNSYM)
        read_symbols(program, bytes, linked_bytes(program, section->sh_link));
}

#ifdef __aarch64__
#define OWN_MACHINE EM_AARCH64
#else
#define OWN_MACHINE EM_X86_64
#endif

/* Reads the sections. Returns false if the file is not a 64-bit executable for this machine. */
static bool read_elf(struct program *program)
{
    Elf64_Ehdr header;
    if (!entry_at(program->file, 0, sizeof header, &header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_machine != OWN_MACHINE || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return false;
    if (header.e_shentsize == sizeof(Elf64_Shdr))
        program->sections =
            part(program->file, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
    program->names = linked_bytes(program, header.e_shstrndx);
    Elf64_Shdr section;
    for (size_t i = 0; entry_at(program->sections, i, sizeof section, &section); i++)
        read_section(program, &section);
    return true;
}

static bool is_ours(const char *runtime)
{
    for (size_t i = 0; i < sizeof runtimes / sizeof *runtimes; i++)
        if (strcmp(runtime, runtimes[i]) == 0)
            return true;
    return false;
}

/* --- the verdict ------------------------------------------------------------------------------ */

static bool judge(const struct program *program, const char *path, char *message, size_t size)
{
    char why[FATBIN_MESSAGE];
    if (program->needs_driver && program->driver_call[0])
        snprintf(
            message, size,
            "%s calls %s() of the CUDA driver, which the emulator does not have; handouts/your-own-programs.md, \"The driver API\", lists the runtime's functions to use instead",
            path, program->driver_call);
    else if (!program->runtime[0] && !program->has_fat_binary)
        snprintf(message, size, "%s is not a CUDA program", path);
    else if (!program->runtime[0])
        snprintf(
            message, size,
            "%s is linked with CUDA's static runtime, which the emulator cannot replace; build it with nvcc -cudart shared",
            path);
    else if (!is_ours(program->runtime))
        snprintf(
            message, size,
            "%s needs %s; build it with nvcc from CUDA 12 or 13, whose runtimes Lanewise provides",
            path, program->runtime);
    else if (program->registers_kernels && !program->code.has_ptx) {
        fatbin_explain(&program->code, EMU_CAPABILITY, why);
        snprintf(message, size, "%s cannot be run: %s", path, why);
    } else
        return true;
    return false;
}

/* Maps the file FD. Returns its bytes, or no bytes if the file is empty or cannot be read. */
static struct bytes map_file(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !status.st_size)
        return (struct bytes){NULL, 0};
    void *file = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    return file == MAP_FAILED ? (struct bytes){NULL, 0} : (struct bytes){file, status.st_size};
}

static void unmap_file(struct bytes file)
{
    if (file.start)
        munmap((void *)(uintptr_t)file.start, file.size);
}

static bool check_file(const char *path, int fd, char *message, size_t size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        snprintf(message, size, "%s is not a file", path);
        return false;
    }
    struct program program = {.file = map_file(fd)};
    bool good = read_elf(&program);
    if (!good)
        snprintf(message, size, "%s is not an executable for this machine", path);
    else
        good = judge(&program, path, message, size);
    unmap_file(program.file);
    return good;
}

char *cli_program_ptx(const char *path)
{
    char message[FATBIN_MESSAGE], *text = NULL;
    size_t size;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct program program = {.file = map_file(fd)};
    if (read_elf(&program) && program.code.has_ptx)
        text = fatbin_text(&program.code.ptx, &size, message);
    unmap_file(program.file);
    close(fd);
    return text;
}

bool cli_check_program(const char *path, char *message, size_t size)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        snprintf(message, size, "%s: %s", path, strerror(errno));
        return false;
    }
    bool good = check_file(path, fd, message, size);
    close(fd);
    if (good && access(path, X_OK) != 0) {
        snprintf(message, size, "%s is not executable: %s", path, strerror(errno));
        return false;
    }
    return good;
}
