/* Seals: prove that a document was not changed since it was sealed by an owner of the key.
 *
 *     document --canonical JSON--> HMAC-SHA256 under the key --> document's "seal"
 *
 * The seal covers everything but itself, in a canonical form: sorted keys, no blanks, numbers with
 * 12 digits as in the files. So a document can be read, reformatted and written again, and its seal
 * stays valid. */
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

/* Makes a random key in a new file that only its owner can read: 64 hex digits and a newline. An
 * existing file is never changed. False: errno says why. */
bool seal_key_make(const char *path, struct seal_key *key);

/* Reads a key. A file that others may read or write is refused. False: ERROR is one line with what
 * to do. */
bool seal_key_read(const char *path, struct seal_key *key, char *error, size_t size);

/* Overwrites KEY in memory. */
void seal_key_forget(struct seal_key *key);

/* Seals the object DOCUMENT and replaces any seal that it had. "seal" becomes {"key",
 * "hmac_sha256"}, or null if KEY is NULL. False when out of memory. */
bool seal_document(json_t *document, const struct seal_key *key);

enum seal_state {
    SEAL_GOOD,
    SEAL_NONE,      /* it was never sealed */
    SEAL_UNCHECKED, /* it is sealed, and there is no key to check with */
    SEAL_OTHER_KEY, /* it names another key */
    SEAL_BROKEN,    /* the document or its seal was changed */
};

/* KEY may be NULL. */
enum seal_state seal_check(const json_t *document, const struct seal_key *key);

/* DOCUMENT in canonical form, to be freed. NULL when out of memory. */
char *seal_canonical(const json_t *document);

#endif
