/* Products are the results of each matrix instruction for hundreds of operand sets, reduced to a
 * few numbers (digests).
 *
 * The same kernels run on a GPU, whose results are in products.tsv, and on the emulator, which must
 * compute the same bits. An operand set is the registers of one warp. There are PRODUCTS_KINDS
 * kinds of sets, such as numbers of similar size, numbers of very different sizes, denormals or
 * infinities. So the results depend on the order in which a tensor core adds, and on each of its
 * roundings.
 *
 * A row of products.tsv has the mnemonic and the digest of each kind, separated by tabs. */
#ifndef TESTS_HARDWARE_PRODUCTS_H
#define TESTS_HARDWARE_PRODUCTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRODUCTS_SETS  512u /* operand sets of each mnemonic; each has its own warp */
#define PRODUCTS_KINDS 8u   /* set s is of kind s % PRODUCTS_KINDS */
#define PRODUCTS_MOST  32u  /* maximum number of registers of a, b and c together, and of d */

/* A matrix in the registers of a warp. */
struct products_part {
    const char *type;   /* such as "f16"; "b32" stands for any bits */
    unsigned registers; /* of one lane */
};

struct product {
    char name[200]; /* the mnemonic */
    char op[8];     /* "mma" or "wmma"; "" if the kernel's instructions are in TEXT */
    unsigned m, n, k;
    struct products_part a, b, c, d;
    const char *text;
    const char *layouts; /* for wmma: "row.col", … */
};

/* Visits every matrix instruction once. */
typedef void products_visitor(const struct product *product, void *context);
void products_each(products_visitor *visit, void *context);

/* Return the number of words of all operand sets, and of all results. For each set, there are 32
 * lanes for each register. */
size_t products_input_words(const struct product *product);
size_t products_output_words(const struct product *product);

/* Returns PTX text with the kernel "plain", with its header. Its parameters are the addresses of
 * the inputs and of the outputs; each block of 32 threads computes one set. The caller frees the
 * text. */
char *products_ptx(const struct product *product);

/* Fills products_input_words() words, which are the same on every machine. */
void products_inputs(const struct product *product, uint64_t *inputs);

/* Reduces the results of the sets of KIND to one number. */
uint64_t products_digest(const struct product *product, const uint64_t *outputs, unsigned kind);

/* Runs the kernel on the emulator. */
void products_emulate(const struct product *product, const uint64_t *inputs, uint64_t *outputs);

#endif
