/* Tests the reader of fat binaries with fat binaries that nvcc made, and with damaged copies of a
 * small valid one. */
#include <criterion/criterion.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "gpu/fatbin/fatbin.h"
#include "tests/support/shell.h"

static void put16(unsigned char *at, uint16_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put32(unsigned char *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put64(unsigned char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* --- a builder of fat binaries ---------------------------------------------------------------- */

enum { HEADER = 16, ENTRY = 64, ROOM = 4096 };

struct made {
    unsigned char bytes[ROOM];
    size_t size;
};

static void start(struct made *made)
{
    memset(made, 0, sizeof *made);
    put32(made->bytes, FATBIN_MAGIC);
    put16(made->bytes + 4, 1);
    put16(made->bytes + 6, HEADER);
    made->size = HEADER;
}

static void add(struct made *made, unsigned kind, unsigned arch, uint64_t flags,
                const void *payload, size_t size, size_t text_size)
{
    unsigned char *at = made->bytes + made->size;
    size_t padded = (size + 7) / 8 * 8;
    put16(at, kind);
    put32(at + 4, ENTRY);
    put64(at + 8, padded);
    put32(at + 0x10, flags & 0xf000 ? size : 0);
    put32(at + 0x1c, arch);
    put64(at + 0x28, flags);
    put64(at + 0x38, text_size);
    memcpy(at + ENTRY, payload, size);
    made->size += ENTRY + padded;
    put64(made->bytes + 8, made->size - HEADER);
}

static const char ptx[] = "// a text that repeats, a text that repeats, a text that repeats\n";

static void add_plain(struct made *made, unsigned arch, uint64_t flags)
{
    add(made, FATBIN_PTX, arch, flags, ptx, sizeof ptx, 0);
}

/* Returns the text of the PTX in MADE that is best for a GPU of architecture 90. Returns NULL if
 * there is none, or if the text is wrong; MESSAGE then says why. */
static char *best(const struct made *made, char *message)
{
    struct fatbin_summary summary = {0};
    size_t size;
    *message = '\0';
    if (!fatbin_summarise(&summary, made->bytes, made->size, 90, message) || !summary.has_ptx)
        return NULL;
    char *text = fatbin_text(&summary.ptx, &size, message);
    if (text)
        cr_assert_eq(size, strlen(text));
    return text;
}

/* --- well-formed fat binaries ----------------------------------------------------------------- */

Test(fatbin, plain_text_is_read)
{
    struct made made;
    char message[FATBIN_MESSAGE];
    start(&made);
    add_plain(&made, 75, 0);
    char *text = best(&made, message);
    cr_assert(text, "%s", message);
    cr_assert_str_eq(text, ptx);
    free(text);
}

Test(fatbin, lz4_is_unpacked)
{
    struct made made;
    char message[FATBIN_MESSAGE], packed[200];
    int size = LZ4_compress_default(ptx, packed, sizeof ptx, sizeof packed);
    cr_assert_gt(size, 0);
    start(&made);
    add(&made, FATBIN_PTX, 75, 0x2011, packed, size, sizeof ptx);
    char *text = best(&made, message);
    cr_assert(text, "%s", message);
    cr_assert_str_eq(text, ptx);
    free(text);
}

Test(fatbin, zstd_is_unpacked)
{
    struct made made;
    char message[FATBIN_MESSAGE], packed[200];
    size_t size = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    cr_assert(!ZSTD_isError(size));
    start(&made);
    add(&made, FATBIN_PTX, 75, 0x8011, packed, size, sizeof ptx);
    char *text = best(&made, message);
    cr_assert(text, "%s", message);
    cr_assert_str_eq(text, ptx);
    free(text);
}

struct choice {
    const char *name;
    unsigned archs[4];     /* archs of the PTX entries; 0 ends the list */
    unsigned specific;     /* if bit i is set, entry i is for one architecture only */
    unsigned right, newer; /* expected: the chosen arch (0: none), the lowest arch above 90 */
    bool right_specific;
};

static const struct choice choices[] = {
    {"only an older architecture", {75}, 0, 75, 0, false},
    {"the newest one that fits", {75, 90, 80}, 0, 90, 0, false},
    {"one is too new", {75, 100}, 0, 75, 100, false},
    {"all are too new", {120, 100}, 0, 0, 100, false},
    {"general before specific", {90, 90}, 1, 90, 0, false},
    {"general before specific, other order", {90, 90}, 2, 90, 0, false},
    {"specific before older", {80, 90}, 2, 90, 0, true},
};

Test(fatbin, the_best_ptx_is_chosen)
{
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct choice *choice = &choices[i];
        struct made made;
        struct fatbin_summary summary = {0};
        char message[FATBIN_MESSAGE];
        start(&made);
        for (int j = 0; j < 4 && choice->archs[j]; j++)
            add_plain(&made, choice->archs[j], choice->specific >> j & 1 ? 0x100000 : 0);
        cr_assert(fatbin_summarise(&summary, made.bytes, made.size, 90, message), "%s: %s",
                  choice->name, message);
        cr_expect_eq(summary.has_ptx, choice->right != 0, "%s", choice->name);
        cr_expect_eq(summary.newer_ptx, choice->newer, "%s: newer %u", choice->name,
                     summary.newer_ptx);
        if (summary.has_ptx) {
            cr_expect_eq(summary.ptx.arch, choice->right, "%s: chose %u", choice->name,
                         summary.ptx.arch);
            cr_expect_eq(summary.ptx.specific, choice->right_specific, "%s", choice->name);
        }
    }
}

Test(fatbin, what_is_missing_is_explained)
{
    struct made made;
    struct fatbin_summary old = {0}, new = {0};
    char message[FATBIN_MESSAGE];
    start(&made);
    add(&made, FATBIN_ELF, 80, 0, "ELF", 4, 0);
    cr_assert(fatbin_summarise(&old, made.bytes, made.size, 90, message));
    fatbin_explain(&old, 90, message);
    cr_expect(strstr(message, "built only for code=sm_80") &&
                  strstr(message, "-gencode arch=compute_80,code=compute_80"),
              "%s", message);
    add_plain(&made, 100, 0);
    cr_assert(fatbin_summarise(&new, made.bytes, made.size, 90, message));
    fatbin_explain(&new, 90, message);
    cr_expect(strstr(message, "compute_100") &&
                  strstr(message, "-gencode arch=compute_90,code=compute_90"),
              "%s", message);
}

/* --- malformed fat binaries ------------------------------------------------------------------- */

/* A change of one value in a valid fat binary. Offsets of HEADER or more are in the header of its
 * entry. */
struct damage {
    const char *name;
    size_t offset, width;
    uint64_t value;
    const char *message; /* part of the expected message */
};

static const struct damage damages[] = {
    {"magic", 0, 4, 0x12345678, "wrong magic number 0x12345678"},
    {"version", 4, 2, 7, "format version 7 is not supported"},
    {"header too small", 6, 2, 8, "format version 1"},
    {"header past the end", 6, 2, 0xffff, "truncated"},
    {"size past the end", 8, 8, 100000, "truncated, its header announces 100000 bytes"},
    {"size overflows", 8, 8, UINT64_MAX, "truncated"},
    {"entries end in a header", 8, 8, 40, "truncated in the header of an entry"},
    {"entry header too small", HEADER + 4, 4, 63, "truncated, an entry needs 63"},
    {"entry header past the end", HEADER + 4, 4, UINT32_MAX, "truncated, an entry"},
    {"payload past the end", HEADER + 8, 8, 4096, "truncated, an entry needs 64 + 4096"},
    {"payload overflows", HEADER + 8, 8, UINT64_MAX - 70, "truncated, an entry"},
    {"unknown compression", HEADER + 0x28, 8, 0x4000, "unknown compression (flags 0x4000)"},
    {"both compressions", HEADER + 0x28, 8, 0xa000, "unknown compression"},
    {"LZ4 without data", HEADER + 0x28, 8, 0x2000, "has invalid sizes"},
    {"compressed size past the payload", HEADER + 0x10, 4, 5000, "has invalid sizes"},
    {"text size absurd", HEADER + 0x38, 8, UINT64_MAX, "has invalid sizes"},
    {"text size too small", HEADER + 0x38, 8, 10, "damaged Zstd data"},
    {"compressed data cut off", HEADER + 0x10, 4, 20, "damaged Zstd data"},
    {"not Zstd", HEADER + ENTRY, 4, 0, "damaged Zstd data"},
    {"not LZ4", HEADER + 0x28, 8, 0x2011, "damaged LZ4 data"},
};

/* The bytes of the fat binary end at the end of their heap block, so that AddressSanitizer detects
 * a read past them. */
static void check_damage(const struct damage *damage, const struct made *good)
{
    struct made made = *good;
    char message[FATBIN_MESSAGE] = "";
    size_t size;
    memcpy(made.bytes + damage->offset, &damage->value, damage->width);
    if (strstr(damage->name, "without data"))
        put32(made.bytes + HEADER + 0x10, 0);
    unsigned char *exact = malloc(made.size);
    memcpy(exact, made.bytes, made.size);
    struct fatbin_summary summary = {0};
    char *text = NULL;
    if (fatbin_summarise(&summary, exact, made.size, 90, message) && summary.has_ptx)
        text = fatbin_text(&summary.ptx, &size, message);
    cr_expect(!text, "%s: was read", damage->name);
    cr_expect(strstr(message, damage->message), "%s: message is \"%s\"", damage->name, message);
    free(text);
    free(exact);
}

Test(fatbin, damage_is_named)
{
    struct made good;
    char packed[200];
    size_t size = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    start(&good);
    add(&good, FATBIN_PTX, 75, 0x8011, packed, size, sizeof ptx);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
        check_damage(&damages[i], &good);
}

/* Tries every prefix, and every flipped bit. The reader must not crash, and must find no text in a
 * prefix. */
Test(fatbin, any_damage_is_survived)
{
    struct made good;
    char message[FATBIN_MESSAGE], packed[200];
    size_t packed_size = ZSTD_compress(packed, sizeof packed, ptx, sizeof ptx, 3);
    start(&good);
    add(&good, FATBIN_PTX, 75, 0x8011, packed, packed_size, sizeof ptx);
    for (size_t size = 0; size < good.size; size++) {
        struct made cut = good;
        cut.size = size;
        memset(cut.bytes + size, 0xee, ROOM - size);
        cr_expect(!best(&cut, message), "a prefix of %zu bytes was read", size);
        cr_expect(*message, "a prefix of %zu bytes: no message", size);
    }
    for (size_t at = 0; at < good.size; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            struct made made = good;
            made.bytes[at] ^= 1u << bit;
            free(best(&made, message));
        }
}

/* --- fat binaries of nvcc --------------------------------------------------------------------- */

struct mode {
    const char *name, *options;
    uint64_t flags; /* the expected compression of the PTX */
};

static const struct mode modes[] = {
    {"default", "", 0x8000},
    {"none", "--compress-mode none", 0},
    {"speed", "--compress-mode speed", 0x2000},
    {"size", "--compress-mode size", 0x8000},
    {"several architectures",
     "-gencode arch=compute_75,code=[sm_75,compute_75] -gencode arch=compute_90,code=compute_90 "
     "-gencode arch=compute_100,code=compute_100",
     0x8000},
};

Test(fatbin, what_nvcc_makes_is_read, .init = shell_init, .fini = shell_fini, .timeout = 600)
{
    free(shell_must("echo 'extern \"C\" __global__ void some_kernel(int *p) { *p = 42; }' >a.cu"));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        struct fatbin_summary summary = {0};
        char message[FATBIN_MESSAGE];
        size_t size;
        size_t bytes;
        free(shell_must("$NVCC %s -fatbin -o a.fatbin a.cu", modes[i].options));
        char *data = shell_file("a.fatbin", &bytes);
        cr_assert(fatbin_summarise(&summary, data, bytes, 90, message), "%s: %s", modes[i].name,
                  message);
        cr_assert(summary.has_ptx, "%s: no PTX", modes[i].name);
        cr_expect_eq(summary.ptx.flags & 0xf000, modes[i].flags, "%s: flags %llx", modes[i].name,
                     (unsigned long long)summary.ptx.flags);
        char *text = fatbin_text(&summary.ptx, &size, message);
        cr_assert(text, "%s: %s", modes[i].name, message);
        cr_expect(strstr(text, ".version") && strstr(text, ".entry some_kernel("), "%s: %s",
                  modes[i].name, text);
        free(text);
        free(data);
    }
}
