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

#define RUN_KEY_BYTES 32
#define RUN_KEY_ID    17 /* hex digits that tell keys apart and give nothing away, and a NUL */

struct run_key {
    uint8_t bytes[RUN_KEY_BYTES];
    char id[RUN_KEY_ID];
};

/* Makes a key of random bytes, in a new file that only its owner can read: 64 hex digits and a newline.
 * False: errno says why, and a file that was there is as it was. */
bool run_key_make(const char *path, struct run_key *key);

/* Reads a key. False: ERROR is one line, with what to do; a file that others may read or write is none. */
bool run_key_read(const char *path, struct run_key *key, char *error, size_t size);

/* Overwrites it in memory. */
void run_key_forget(struct run_key *key);

/* Seals DOCUMENT, an object, in place of any seal that it had: "seal" becomes {"key", "hmac_sha256"}, or,
 * without a KEY, null. False when out of memory. */
bool run_seal(json_t *document, const struct run_key *key);

enum run_seal_state {
    RUN_SEAL_GOOD,
    RUN_SEAL_NONE,      /* it was never sealed */
    RUN_SEAL_UNCHECKED, /* it is sealed, and there is no key to look with */
    RUN_SEAL_OTHER_KEY, /* it says that another key has sealed it */
    RUN_SEAL_BROKEN,    /* the document or its seal was changed */
};

/* KEY may be NULL. */
enum run_seal_state run_seal_look(const json_t *document, const struct run_key *key);

/* DOCUMENT in its one form, to be freed. NULL when out of memory. */
char *run_canonical(const json_t *document);

#endif
