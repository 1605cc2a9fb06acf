/* Reads fat binaries: what nvcc embeds in an executable, machine code and PTX for several GPUs side
 * by side. Everything read is treated as hostile: no byte outside the given range is touched.
 *
 *   header  u32 magic, u16 version, u16 header size, u64 size of the entries that follow
 *   entry   u16 kind, ..., u32 header size, u64 payload size, ..., u32 arch, ..., u64 flags, ...
 *   payload machine code or PTX text: plain, an LZ4 block or a Zstd frame, as the flags say
 *
 * This header needs neither CUDA's headers nor the emulator: `lanewise run` uses it too. */
#ifndef GPU_FATBIN_FATBIN_H
#define GPU_FATBIN_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FATBIN_MAGIC       0xba55ed50u
#define FATBIN_HEADER_SIZE 16u
#define FATBIN_MESSAGE     256          /* bytes that hold any message of this file */
#define FATBIN_MAX_TEXT    (256u << 20) /* larger PTX is refused: no compiler writes that */

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

struct fatbin_entry {
    unsigned kind; /* enum fatbin_kind, or one that we do not know */
    unsigned arch; /* 75 for compute_75 or sm_75 */
    bool specific; /* for that GPU alone: compute_90a */
    uint64_t flags;
    const uint8_t *payload;
    size_t payload_size;    /* bytes that may be read */
    size_t compressed_size; /* of them, those that are compressed data */
    size_t text_size;       /* after decompression */
};

/* One pass over the entries of one fat binary. */
struct fatbin {
    const uint8_t *next, *end;
    size_t size; /* the whole fat binary, header included */
    char message[FATBIN_MESSAGE];
};

/* Starts at DATA, of which AVAILABLE bytes may be read. False: not a fat binary, see message. */
bool fatbin_open(struct fatbin *fatbin, const void *data, size_t available);

/* 1: ENTRY holds the next one. 0: there are no more. -1: the rest is damaged, see message. */
int fatbin_next(struct fatbin *fatbin, struct fatbin_entry *entry);

/* The PTX of ENTRY as text with a NUL after it, to be freed; *SIZE is without the NUL.
 * NULL: it cannot be unpacked, and MESSAGE (FATBIN_MESSAGE bytes) says why in one line. */
char *fatbin_text(const struct fatbin_entry *entry, size_t *size, char *message);

/* What a fat binary holds, for choosing and for messages. */
struct fatbin_summary {
    bool has_ptx;                 /* PTX that a GPU of MAX_ARCH can run */
    struct fatbin_entry ptx;      /* the best of it */
    unsigned newer_ptx;           /* the lowest arch of PTX above MAX_ARCH, 0 if there is none */
    unsigned elf_count, elf_arch; /* machine code: how many, and the highest arch */
};

/* Adds DATA's entries to SUMMARY (which starts as {0}). The best PTX is that of the highest arch not
 * above MAX_ARCH, and of two such the one that is not for one GPU alone.
 * False: damaged, and MESSAGE (FATBIN_MESSAGE bytes) says where; what came before it is added. */
bool fatbin_summarise(struct fatbin_summary *summary, const void *data, size_t available,
                      unsigned max_arch, char *message);

/* Why SUMMARY has no PTX and which flag of nvcc changes that: one line into MESSAGE. */
void fatbin_explain(const struct fatbin_summary *summary, unsigned max_arch, char *message);

#endif
