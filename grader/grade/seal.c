/* Reads and writes key files, and computes HMACs of JSON documents. */
#include "grade/seal.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/base16.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"

#define HEX_DIGITS (2 * SEAL_KEY_BYTES)

/* --- keys ------------------------------------------------------------------------------------- */

/* Sets the key's id to the first hex digits of the key's hash. */
static bool name_key(struct seal_key *key)
{
    char hex[HASH_SIZE];
    struct base_hash *hash = base_hash_new();
    if (!hash)
        return false;
    base_hash_add(hash, key->bytes, sizeof key->bytes);
    base_hash_end(hash, hex);
    memcpy(key->id, hex, SEAL_KEY_ID - 1);
    key->id[SEAL_KEY_ID - 1] = 0;
    return true;
}

bool seal_key_make(const char *path, struct seal_key *key)
{
    char text[HEX_DIGITS + 1];
    if (getrandom(key->bytes, sizeof key->bytes, 0) != sizeof key->bytes || !name_key(key))
        return false;
    base16_encode_update(text, sizeof key->bytes, key->bytes);
    text[HEX_DIGITS] = '\n';
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    bool written = write(fd, text, sizeof text) == sizeof text && fsync(fd) == 0;
    int reason = errno;
    explicit_bzero(text, sizeof text);
    if (close(fd) == 0 && written)
        return true;
    unlink(path);
    errno = reason;
    return false;
}

/* Decodes the hex digits of a key. */
static bool decode(const char *text, size_t size, struct seal_key *key)
{
    struct base16_decode_ctx state;
    size_t bytes = sizeof key->bytes;
    base16_decode_init(&state);
    return size >= HEX_DIGITS && strspn(text + HEX_DIGITS, "\r\n") == size - HEX_DIGITS &&
           base16_decode_update(&state, &bytes, key->bytes, HEX_DIGITS, text) &&
           base16_decode_final(&state) && bytes == sizeof key->bytes && name_key(key);
}

bool seal_key_read(const char *path, struct seal_key *key, char *error, size_t size)
{
    char text[HEX_DIGITS + 8];
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        snprintf(error, size, "cannot read the key %s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode))
        snprintf(error, size, "the key %s is not a file", path);
    else if (status.st_mode & 077)
        snprintf(error, size,
                 "others can read or write the key %s: run chmod 600 on it, or make a new one",
                 path);
    else if ((got = read(fd, text, sizeof text - 1)) < 0 || !(text[got] = 0, true) ||
             !decode(text, (size_t)got, key)) {
        snprintf(error, size, "%s is not a key: lanewise key FILE makes one", path);
        got = -1;
    }
    explicit_bzero(text, sizeof text);
    if (fd >= 0)
        close(fd);
    return got >= 0;
}

void seal_key_forget(struct seal_key *key)
{
    explicit_bzero(key, sizeof *key);
}

/* --- seals ------------------------------------------------------------------------------------ */

char *seal_canonical(const json_t *document)
{
    return json_dumps(document, JSON_SORT_KEYS | JSON_COMPACT | JSON_REAL_PRECISION(12));
}

/* Computes the HMAC of DOCUMENT without its seal. Returns false when out of memory. */
static bool sign(const json_t *document, const struct seal_key *key, uint8_t digest[])
{
    json_t *bare = json_copy((json_t *)document);
    if (json_object_get(bare, "seal"))
        json_object_del(bare, "seal");
    char *text = bare ? seal_canonical(bare) : NULL;
    if (text)
        base_hmac(key->bytes, sizeof key->bytes, text, digest);
    free(text);
    json_decref(bare);
    return text != NULL;
}

bool seal_document(json_t *document, const struct seal_key *key)
{
    uint8_t digest[BASE_HMAC_SIZE];
    char hex[BASE16_ENCODE_LENGTH(BASE_HMAC_SIZE) + 1] = "";
    if (!key)
        return json_object_set_new(document, "seal", json_null()) == 0;
    if (!sign(document, key, digest))
        return false;
    base16_encode_update(hex, sizeof digest, digest);
    return json_object_set_new(document, "seal",
                               json_pack("{s:s, s:s}", "key", key->id, "hmac_sha256", hex)) == 0;
}

/* Returns true if HEX is DIGEST in hex digits. Compares in constant time. */
static bool has_digest(const char *hex, const uint8_t digest[BASE_HMAC_SIZE])
{
    struct base16_decode_ctx state;
    uint8_t claimed[BASE_HMAC_SIZE + 1];
    size_t bytes = sizeof claimed;
    base16_decode_init(&state);
    return strlen(hex) == 2 * BASE_HMAC_SIZE &&
           base16_decode_update(&state, &bytes, claimed, strlen(hex), hex) &&
           base16_decode_final(&state) && bytes == BASE_HMAC_SIZE &&
           memeql_sec(claimed, digest, BASE_HMAC_SIZE);
}

enum seal_state seal_check(const json_t *document, const struct seal_key *key)
{
    const json_t *seal = json_object_get(document, "seal");
    const char *id, *hex;
    uint8_t digest[BASE_HMAC_SIZE];
    if (!seal || json_is_null(seal))
        return SEAL_NONE;
    if (json_unpack_ex((json_t *)seal, NULL, JSON_STRICT, "{s:s, s:s}", "key", &id, "hmac_sha256",
                       &hex) != 0)
        return SEAL_BROKEN;
    if (!key)
        return SEAL_UNCHECKED;
    if (strcmp(id, key->id) != 0)
        return SEAL_OTHER_KEY;
    return sign(document, key, digest) && has_digest(hex, digest) ? SEAL_GOOD : SEAL_BROKEN;
}
