/* Reads fat binaries. A fat binary has machine code and PTX for several GPUs; nvcc embeds it in an
 * executable. The input may be hostile, so this code reads no byte outside the given range.
 *
 *   header  u32 magic, u16 version, u16 header size, u64 size of the entries that follow
 *   entry   u16 kind, ..., u32 header size, u64 payload size, ..., u32 arch, ..., u64 flags, ...
 *   payload machine code or PTX text: plain, an LZ4 block or a Zstd frame, as the flags say
 *
 * `lanewise run` uses this header, too. So the header needs neither CUDA's headers nor the
 * emulator. */
#ifndef GPU_FATBIN_FATBIN_H
#define GPU_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAGIC       0xba55ed50u
#define FATBIN_HEADER_SIZE 16u
#define FATBIN_MESSAGE     256 /* size of the buffer for any message of this file, in bytes */
/* largest size of a PTX text in bytes; no compiler writes a longer text */
#define FATBIN_MAX_TEXT (256u << 20)

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or another number for an unknown kind */
    unsigned arch; /* 75 for compute_75 or sm_75 */
    bool specific; /* the entry is for one architecture only, such as compute_90a */
    uint64_t flags;
    const uint8_t *payload;
    size_t payload_size;    /* bytes of the payload; all of them can be read */
    size_t compressed_size; /* bytes of compressed data in the payload */
    size_t text_size;       /* bytes of the text after decompression */
};

/* A position in a fat binary, from which its entries are read one after another. */
struct fatbin {
    const uint8_t *next, *end;
    size_t size; /* bytes of the whole fat binary, including its header */
    char message[FATBIN_MESSAGE];
};

/* Begins to read the fat binary at DATA, where AVAILABLE bytes can be read. Returns false, with a
 * reason in fatbin->message, if there is no fat binary. */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available);

/* Reads the next entry into *ENTRY. Returns 1, or 0 if there are no more entries. If the rest is
 * damaged, returns -1, with a reason in fatbin->message. */
int fatbin_next(struct fatbin *fatbin, struct fatbin_entry *entry);

/* Returns the PTX of ENTRY as text, which the caller frees. A NUL follows the *SIZE bytes of text.
 * If the PTX cannot be unpacked, returns NULL and writes the reason as one line to MESSAGE
 * (FATBIN_MESSAGE bytes). */
char *fatbin_text(const struct fatbin_entry *entry, size_t *size, char *message);

/* A summary of one or more fat binaries, for choosing PTX and for messages. It is made for a GPU of
 * compute capability MAX_ARCH. */
struct fatbin_summary {
    bool has_ptx;                 /* some PTX can run on the GPU */
    struct fatbin_entry ptx;      /* the best PTX for the GPU */
    unsigned newer_ptx;           /* lowest arch of all PTX above MAX_ARCH, or 0 if there is none */
    unsigned elf_count, elf_arch; /* number of entries with machine code, and their highest arch */
};

/* Adds the entries of DATA to SUMMARY, which must begin as {0}. The best PTX has the highest arch
 * up to MAX_ARCH; if two have this arch, the one that is not specific is better. If DATA is
 * damaged, adds only the entries before the damage, returns false, and writes the place of the
 * damage to MESSAGE (FATBIN_MESSAGE bytes). */
bool fatbin_summarise(struct fatbin_summary *summary, const void *data, size_t available,
                      unsigned max_arch, char *message);

/* Writes one line to MESSAGE: why SUMMARY has no PTX for the GPU, and the flag of nvcc that adds
 * it. */
void fatbin_explain(const struct fatbin_summary *summary, unsigned max_arch, char *message);

#endif
