/* Reads fat binaries. Fields of several bytes are read with memcpy(), because they may be
 * unaligned. Before an offset is added to a pointer, the code checks that enough bytes are left. */
#include "gpu/fatbin/fatbin.h"

#include <lz4.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_SPECIFIC = 0x100000,
    /* all flag bits for kinds of compression, including bits that no toolkit uses yet */
    FLAG_COMPRESSION_BITS = 0xf000,
    ENTRY_HEADER_SIZE = 64, /* bytes of the fields that have not changed since toolkit 11 */
};

static uint16_t read_u16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t read_u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t read_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

__attribute__((format(printf, 2, 3))) static void say(char *message, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, FATBIN_MESSAGE, format, args);
    va_end(args);
}

bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available)
{
    *fatbin = (struct fatbin){0};
    const uint8_t *bytes = data;
    if (available < FATBIN_HEADER_SIZE) {
        say(fatbin->message, "fat binary: truncated: %zu bytes are too few for a header",
            available);
        return false;
    }
    if (read_u32(bytes) != FATBIN_MAGIC) {
        say(fatbin->message, "fat binary: wrong magic number 0x%08x", read_u32(bytes));
        return false;
    }
    size_t header = read_u16(bytes + 6);
    uint64_t size = read_u64(bytes + 8);
    if (read_u16(bytes + 4) != 1 || header < FATBIN_HEADER_SIZE) {
        say(fatbin->message, "fat binary: format version %u is not supported", read_u16(bytes + 4));
        return false;
    }
    if (header > available || size > available - header) {
        say(fatbin->message,
            "fat binary: truncated, its header announces %llu bytes, but %zu follow",
            (unsigned long long)size, available > header ? available - header : 0);
        return false;
    }
    fatbin->next = bytes + header;
    fatbin->end = fatbin->next + size;
    fatbin->size = header + size;
    return true;
}

static void read_entry(struct fatbin_entry *entry, const uint8_t *at, size_t header, size_t payload)
{
    uint64_t text = read_u64(at + 0x38);
    *entry = (struct fatbin_entry){
        .kind = read_u16(at),
        .arch = read_u32(at + 0x1c),
        .flags = read_u64(at + 0x28),
        .payload = at + header,
        .payload_size = payload,
        .compressed_size = read_u32(at + 0x10),
        .text_size = text > SIZE_MAX ? SIZE_MAX : text,
    };
    entry->specific = entry->flags & FLAG_SPECIFIC;
}

int fatbin_next(struct fatbin *fatbin, struct fatbin_entry *entry)
{
    size_t left = fatbin->end - fatbin->next;
    if (left == 0)
        return 0;
    if (left < ENTRY_HEADER_SIZE) {
        say(fatbin->message, "fat binary: truncated in the header of an entry");
        return -1;
    }
    size_t header = read_u32(fatbin->next + 4);
    uint64_t payload = read_u64(fatbin->next + 8);
    if (header < ENTRY_HEADER_SIZE || header > left || payload > left - header) {
        say(fatbin->message,
            "fat binary: truncated, an entry needs %zu + %llu bytes, but %zu are left", header,
            (unsigned long long)payload, left);
        return -1;
    }
    read_entry(entry, fatbin->next, header, payload);
    fatbin->next += header + payload;
    return 1;
}

/* Unpacks ENTRY into TEXT. Returns the number of bytes written, or -1 on failure. */
static long unpack(const struct fatbin_entry *entry, char *text)
{
    if (entry->flags & FLAG_LZ4)
        return LZ4_decompress_safe((const char *)entry->payload, text, entry->compressed_size,
                                   entry->text_size);
    size_t size = ZSTD_decompress(text, entry->text_size, entry->payload, entry->compressed_size);
    return ZSTD_isError(size) ? -1 : (long)size;
}

static char *plain_text(const struct fatbin_entry *entry, size_t *size, char *message)
{
    if (entry->payload_size > FATBIN_MAX_TEXT) {
        say(message, "fat binary: its %zu bytes of PTX exceed the limit of 256 MiB",
            entry->payload_size);
        return NULL;
    }
    *size = strnlen((const char *)entry->payload, entry->payload_size);
    char *text = malloc(*size + 1);
    if (!text) {
        say(message, "fat binary: out of memory");
        return NULL;
    }
    memcpy(text, entry->payload, *size);
    text[*size] = '\0';
    return text;
}

char *fatbin_text(const struct fatbin_entry *entry, size_t *size, char *message)
{
    uint64_t compression = entry->flags & FLAG_COMPRESSION_BITS;
    if (compression == 0)
        return plain_text(entry, size, message);
    if (compression != FLAG_LZ4 && compression != FLAG_ZSTD) {
        say(message,
            "fat binary: PTX has unknown compression (flags 0x%llx): build with nvcc --compress-mode none",
            (unsigned long long)entry->flags);
        return NULL;
    }
    const char *name = compression == FLAG_LZ4 ? "LZ4" : "Zstd";
    if (entry->compressed_size == 0 || entry->compressed_size > entry->payload_size ||
        entry->text_size > FATBIN_MAX_TEXT) {
        say(message, "fat binary: %s data has invalid sizes (%zu bytes packed, %zu bytes unpacked)",
            name, entry->compressed_size, entry->text_size);
        return NULL;
    }
    char *text = malloc(entry->text_size + 1);
    long written = text ? unpack(entry, text) : -1;
    if (written < 0) {
        say(message, text ? "fat binary: damaged %s data" : "fat binary: out of memory for %s data",
            name);
        free(text);
        return NULL;
    }
    *size = strnlen(text, written);
    text[*size] = '\0';
    return text;
}

/* Returns whether the PTX of A is a better choice than the PTX of B. The GPU can run both. */
static bool better(const struct fatbin_entry *a, const struct fatbin_entry *b)
{
    if (a->arch != b->arch)
        return a->arch > b->arch;
    return !a->specific && b->specific;
}

static void add_entry(struct fatbin_summary *summary, const struct fatbin_entry *entry,
                      unsigned max_arch)
{
    if (entry->kind == FATBIN_ELF) {
        summary->elf_count++;
        if (entry->arch > summary->elf_arch)
            summary->elf_arch = entry->arch;
    } else if (entry->kind == FATBIN_PTX && entry->arch > max_arch) {
        if (!summary->newer_ptx || entry->arch < summary->newer_ptx)
            summary->newer_ptx = entry->arch;
    } else if (entry->kind == FATBIN_PTX && (!summary->has_ptx || better(entry, &summary->ptx))) {
        summary->has_ptx = true;
        summary->ptx = *entry;
    }
}

bool fatbin_summarise(struct fatbin_summary *summary, const void *data, size_t available,
                      unsigned max_arch, char *message)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    int more = fatbin_open(&fatbin, data, available) ? 1 : -1;
    while (more > 0 && (more = fatbin_next(&fatbin, &entry)) > 0)
        add_entry(summary, &entry, max_arch);
    if (more < 0)
        say(message, "%s", fatbin.message);
    return more == 0;
}

void fatbin_explain(const struct fatbin_summary *summary, unsigned max_arch, char *message)
{
    if (summary->newer_ptx)
        say(message,
            "its PTX is for compute_%u, newer than the emulated GPU: add nvcc's flag -gencode arch=compute_%u,code=compute_%u",
            summary->newer_ptx, max_arch, max_arch);
    else if (summary->elf_count)
        say(message,
            "it was built only for code=sm_%u, without PTX: add nvcc's flag -gencode arch=compute_%u,code=compute_%u",
            summary->elf_arch, summary->elf_arch < max_arch ? summary->elf_arch : max_arch,
            summary->elf_arch < max_arch ? summary->elf_arch : max_arch);
    else
        say(message, "it holds neither PTX nor machine code");
}
