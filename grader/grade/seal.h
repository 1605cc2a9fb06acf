/* Seals documents. A seal proves that nobody without the key has changed a document since it was
 * sealed.
 *
 *     document --canonical JSON--> HMAC-SHA256 under the key --> document's "seal"
 *
 * The seal covers the whole document except the seal itself, in a canonical form: sorted keys, no
 * blanks, numbers with 12 digits as in the files. So the seal stays valid if a program reads the
 * document and writes it in another format. */
#ifndef GRADE_SEAL_H
#define GRADE_SEAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEAL_KEY_BYTES 32
#define SEAL_KEY_ID    17 /* hex digits that identify a key without revealing it, and a NUL */

struct seal_key {
    uint8_t bytes[SEAL_KEY_BYTES];
    char id[SEAL_KEY_ID];
};

/* Makes a random key of 64 hex digits and a newline, in a new file that only its owner can read.
 * Never changes an existing file. On failure returns false with the reason in errno. */
bool seal_key_make(const char *path, struct seal_key *key);

/* Reads a key. Refuses a file that other users may read or write. On failure returns false, and
 * ERROR says in one line what to do. */
bool seal_key_read(const char *path, struct seal_key *key, char *error, size_t size);

/* Erases KEY from memory by overwriting it. */
void seal_key_forget(struct seal_key *key);

/* Seals the object DOCUMENT: "seal" becomes {"key", "hmac_sha256"}, or null if KEY is NULL. An
 * older seal is replaced. Returns false when out of memory. */
bool seal_document(json_t *document, const struct seal_key *key);

enum seal_state {
    SEAL_GOOD,
    SEAL_NONE,      /* the document has no seal */
    SEAL_UNCHECKED, /* the document is sealed, but no key was given to check the seal */
    SEAL_OTHER_KEY, /* the document was sealed with another key */
    SEAL_BROKEN,    /* the document or its seal was changed */
};

/* Checks the seal of DOCUMENT with KEY, which may be NULL. */
enum seal_state seal_check(const json_t *document, const struct seal_key *key);

/* Returns DOCUMENT in canonical form. The caller frees it. Returns NULL when out of memory. */
char *seal_canonical(const json_t *document);

#endif
