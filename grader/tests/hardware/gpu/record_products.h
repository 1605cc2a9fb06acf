/* Runs the matrix instructions (hardware/products.h) on this machine's GPU.
 *
 *   products                writes products.tsv to stdout
 *   products MNEMONIC       shows the first result that differs between GPU and emulator; "all"
 *                           checks every mnemonic
 *   products raw FOLDER     writes all results of each mnemonic to a file, as 8-byte words
 *   products saved FOLDER   compares the emulator with such files; needs no GPU */
#ifndef TESTS_HARDWARE_GPU_RECORD_PRODUCTS_H
#define TESTS_HARDWARE_GPU_RECORD_PRODUCTS_H

/* ARGUMENTS are those after "products", and a NULL. Returns the program's exit code. */
int record_products(char **arguments);

#endif
