/* Reads fat binaries. A fat binary has machine code and PTX for several GPUs; nvcc embeds it in an
 * executable. The input may be hostile, so no byte outside the given range is read.
 *
 *   header  u32 magic, u16 version, u16 header size, u64 size of the entries that follow
 *   entry   u16 kind, ..., u32 header size, u64 payload size, ..., u32 arch, ..., u64 flags, ...
 *   payload machine code or PTX text: plain, an LZ4 block or a Zstd frame, as the flags say
 *
 * `lanewise run` uses this header too, so it needs neither CUDA's headers nor the emulator. */
#ifndef GPU_FATBIN_FATBIN_H
#define GPU_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAGIC       0xba55ed50u
#define FATBIN_HEADER_SIZE 16u
#define FATBIN_MESSAGE     256 /* bytes of a buffer for any message of this file */
/* bytes; a longer PTX text is refused, and no compiler writes one */
#define FATBIN_MAX_TEXT (256u << 20)

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or an unknown number */
    unsigned arch; /* 75 for compute_75 or sm_75 */
    bool specific; /* for one GPU only, such as compute_90a */
    uint64_t flags;
    const uint8_t *payload;
    size_t payload_size;    /* bytes of the payload, all of which may be read */
    size_t compressed_size; /* bytes of compressed data in the payload */
    size_t text_size;       /* bytes of the text after decompression */
};

/* One pass over the entries of one fat binary. */
struct fatbin {
    const uint8_t *next, *end;
    size_t size; /* the whole fat binary, header included */
    char message[FATBIN_MESSAGE];
};

/* Starts to read the fat binary at DATA, where AVAILABLE bytes may be read. Returns false if there
 * is no fat binary (see fatbin->message). */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available);

/* Reads the next entry into *ENTRY. Returns 1, or 0 if there are no more entries, or -1 if the rest
 * is damaged (see fatbin->message). */
int fatbin_next(struct fatbin *fatbin, struct fatbin_entry *entry);

/* Returns the PTX of ENTRY as text, which the caller frees. A NUL follows the *SIZE bytes. Returns
 * NULL if the PTX cannot be unpacked; MESSAGE (FATBIN_MESSAGE bytes) says why in one line. */
char *fatbin_text(const struct fatbin_entry *entry, size_t *size, char *message);

/* A summary of one or more fat binaries, for choosing PTX and for messages. */
struct fatbin_summary {
    bool has_ptx;                 /* some PTX can run on a GPU of MAX_ARCH */
    struct fatbin_entry ptx;      /* the best PTX for that GPU */
    unsigned newer_ptx;           /* the lowest arch of PTX above MAX_ARCH, or 0 if there is none */
    unsigned elf_count, elf_arch; /* entries with machine code, and their highest arch */
};

/* Adds DATA's entries to SUMMARY, which must first be {0}. The best PTX has the highest arch up to
 * MAX_ARCH. If there are two of that arch, PTX that is not for one GPU only is better. Returns
 * false if DATA is damaged; MESSAGE (FATBIN_MESSAGE bytes) then gives the place. Entries before the
 * damage are added. */
bool fatbin_summarise(struct fatbin_summary *summary, const void *data, size_t available,
                      unsigned max_arch, char *message);

/* Writes one line to MESSAGE, which says why SUMMARY has no PTX for the GPU, and which flag of nvcc
 * adds it. */
void fatbin_explain(const struct fatbin_summary *summary, unsigned max_arch, char *message);

#endif
