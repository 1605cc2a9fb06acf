/* Seals: whether a document is as somebody with the key left it.
 *
 *     document --canonical JSON--> HMAC-SHA256 under the key --> document's "seal"
 *
 * The seal is over everything but itself, in one form: keys sorted, no blanks, numbers with 12 digits, as
 * files have them. So a document may be read, shown and written again, and its seal holds. */
#ifndef GRADE_SEAL_H
#define GRADE_SEAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEAL_KEY_BYTES 32
#define SEAL_KEY_ID    17 /* hex digits that tell keys apart and give nothing away, and a NUL */

struct seal_key {
    uint8_t bytes[SEAL_KEY_BYTES];
    char id[SEAL_KEY_ID];
};

/* Makes a key of random bytes, in a new file that only its owner can read: 64 hex digits and a newline.
 * False: errno says why, and a file that was there is as it was. */
bool seal_key_make(const char *path, struct seal_key *key);

/* Reads a key. False: ERROR is one line, with what to do; a file that others may read or write is none. */
bool seal_key_read(const char *path, struct seal_key *key, char *error, size_t size);

/* Overwrites it in memory. */
void seal_key_forget(struct seal_key *key);

/* Seals DOCUMENT, an object, in place of any seal that it had: "seal" becomes {"key", "hmac_sha256"}, or,
 * without a KEY, null. False when out of memory. */
bool seal_document(json_t *document, const struct seal_key *key);

enum seal_state {
    SEAL_GOOD,
    SEAL_NONE,      /* it was never sealed */
    SEAL_UNCHECKED, /* it is sealed, and there is no key to look with */
    SEAL_OTHER_KEY, /* it says that another key has sealed it */
    SEAL_BROKEN,    /* the document or its seal was changed */
};

/* KEY may be NULL. */
enum seal_state seal_check(const json_t *document, const struct seal_key *key);

/* DOCUMENT in its one form, to be freed. NULL when out of memory. */
char *seal_canonical(const json_t *document);

#endif
