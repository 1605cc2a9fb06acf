/* The owner's secret, and the secrets of gradings. */
#include "grade/seed.h"

#include <errno.h>
#include <nettle/base16.h>
#include <nettle/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "grade/seal.h"

/* Makes FOLDER and the folders above it. */
static bool make_folders(const char *folder)
{
    char path[PATH_SIZE];
    if (!base_path(path, "%s", folder))
        return false;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool find_file(char path[PATH_SIZE])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char folder[PATH_SIZE];
    bool found = state && state[0] == '/' ? base_path(folder, "%s/lanewise", state)
                 : home && home[0] == '/' ? base_path(folder, "%s/.local/state/lanewise", home)
                                          : false;
    return found && make_folders(folder) && base_path(path, "%s/secret.key", folder);
}

/* Gradings that begin at the same time must agree on one secret: each writes a file of its own, and one of them gets
 * the name. */
static bool make_file(const char *path, struct seal_key *key)
{
    char own[PATH_SIZE];
    if (!base_path(own, "%s.%d", path, (int)getpid()) || !seal_key_make(own, key))
        return false;
    bool named = link(own, path) == 0 || errno == EEXIST;
    unlink(own);
    return named;
}

/* Where KEY cannot be kept, it is random. */
static bool find_owners(struct seal_key *key, char *error, size_t size)
{
    const char *chosen = getenv("LANEWISE_SECRET");
    char path[PATH_SIZE], ignored[PATH_SIZE + 100];
    if (chosen && *chosen)
        return seal_key_read(chosen, key, error, size);
    if (find_file(path) && ((access(path, F_OK) == 0 || make_file(path, key)) &&
                            seal_key_read(path, key, ignored, sizeof ignored)))
        return true;
    if (getrandom(key->bytes, sizeof key->bytes, 0) == sizeof key->bytes)
        return true;
    snprintf(error, size, "this machine gives no random numbers: %s", strerror(errno));
    return false;
}

bool grade_seed_of(uint64_t number, struct grade_seed *seed, char *error, size_t size)
{
    struct seal_key key;
    struct hmac_sha256_ctx state;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char text[40];
    if (!find_owners(&key, error, size))
        return false;
    int length = snprintf(text, sizeof text, "seed %llu", (unsigned long long)number);
    hmac_sha256_set_key(&state, sizeof key.bytes, key.bytes);
    hmac_sha256_update(&state, (size_t)length, (const uint8_t *)text);
    hmac_sha256_digest(&state, sizeof digest, digest);
    seed->number = number;
    base16_encode_update(seed->secret, sizeof digest, digest);
    seed->secret[GRADE_SECRET_SIZE - 1] = 0;
    seal_key_forget(&key);
    explicit_bzero(&state, sizeof state);
    return true;
}

bool grade_seed_read(const json_t *result, struct grade_seed *seed)
{
    const char *secret = json_text_of(result, "secret");
    seed->number = (uint64_t)json_integer_of(result, "seed");
    snprintf(seed->secret, sizeof seed->secret, "%s", secret);
    return strlen(secret) == GRADE_SECRET_SIZE - 1 &&
           strspn(secret, "0123456789abcdef") == GRADE_SECRET_SIZE - 1;
}
