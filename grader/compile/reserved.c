/* Finds the symbols that an object file defines. Reads the object's symbol table, not the source,
 * because the preprocessor and the assembler can change names. */
#include "compile/reserved.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns whether NAME is one of the CUDA runtime, such as cudaMalloc and __cudaLaunchKernel, or of
 * the driver, such as cuInit. */
static bool is_cuda(const char *name)
{
    const char *bare = strncmp(name, "__", 2) == 0 ? name + 2 : name;
    return strncmp(bare, "cuda", 4) == 0 ||
           (strncmp(name, "cu", 2) == 0 && isupper((unsigned char)name[2]));
}

/* Returns whether this machine's C library exports NAME. The program will be linked with this
 * library. */
static bool is_libc(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libc.so.6", RTLD_LAZY | RTLD_LOCAL);
    return library && dlsym(library, name);
}

/* Returns whether the linker takes SYMBOL for the definition of a name. */
static bool is_defined(const GElf_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF && GELF_ST_BIND(symbol->st_info) != STB_LOCAL;
}

/* Returns whether TABLE, a symbol table of FILE, defines a reserved name. If so, writes it to
 * NAME. */
static bool search(Elf *file, Elf_Scn *table, const GElf_Shdr *header, char *name, size_t size)
{
    Elf_Data *data = elf_getdata(table, NULL);
    size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    for (size_t i = 0; data && i < count; ++i) {
        GElf_Sym symbol;
        const char *found = NULL;
        if (gelf_getsym(data, (int)i, &symbol) && is_defined(&symbol))
            found = elf_strptr(file, header->sh_link, symbol.st_name);
        if (!found || !*found || !(is_cuda(found) || is_libc(found)))
            continue;
        snprintf(name, size, "%s", found);
        return true;
    }
    return false;
}

static bool search_file(Elf *file, char *name, size_t size)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    if (elf_kind(file) != ELF_K_ELF)
        return true;
    while ((section = elf_nextscn(file, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB &&
            search(file, section, &header, name, size))
            return true;
    return false;
}

bool compile_find_reserved(const char *object, char *name, size_t size)
{
    int fd = open(object, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *file = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    name[0] = 0;
    bool found = !file || search_file(file, name, size);
    elf_end(file);
    if (fd >= 0)
        close(fd);
    return found;
}
