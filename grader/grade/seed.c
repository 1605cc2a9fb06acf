/* Manages the owner's secret, and derives the secrets of gradings from it. */
#include "grade/seed.h"

#include <errno.h>
#include <nettle/base16.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/json.h"
#include "grade/seal.h"

static bool find_file(char path[PATH_SIZE])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    return state && state[0] == '/' ? base_path(path, "%s/lanewise/secret.key", state)
           : home && home[0] == '/' ? base_path(path, "%s/.local/state/lanewise/secret.key", home)
                                    : false;
}

/* Makes the folders above PATH. */
static void make_folders(const char *path)
{
    char folder[PATH_SIZE];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        if (base_path(folder, "%.*s", (int)(slash - path), path))
            mkdir(folder, 0700);
}

/* Makes the secret's file at PATH. Gradings that begin at the same time must use the same secret.
 * So each grading writes its own file and then links it to PATH, which succeeds only for the first
 * grading. */
static void make_file(const char *path)
{
    struct seal_key key;
    char own[PATH_SIZE];
    make_folders(path);
    if (!base_path(own, "%s.%d", path, (int)getpid()) || !seal_key_make(own, &key))
        return;
    if (link(own, path) != 0 && errno != EEXIST)
        rename(own, path); /* this file system does not support links */
    unlink(own);
    seal_key_forget(&key);
}

/* Finds the owner's secret. If it cannot be stored, makes a random secret for this grading only. If
 * the file is damaged, ERROR gets a warning. */
static bool find_owners(struct seal_key *key, char *error, size_t size)
{
    const char *chosen = getenv("LANEWISE_SECRET");
    char path[PATH_SIZE], why[PATH_SIZE + 100];
    if (chosen && *chosen)
        return seal_key_read(chosen, key, error, size);
    bool named = find_file(path);
    if (named && access(path, F_OK) != 0)
        make_file(path);
    if (named && seal_key_read(path, key, why, sizeof why))
        return true;
    if (named && access(path, F_OK) == 0)
        snprintf(error, size,
                 "%s; until you remove this file, a seed does not give the same inputs as before",
                 why);
    if (getrandom(key->bytes, sizeof key->bytes, 0) == sizeof key->bytes)
        return true;
    snprintf(error, size, "this machine has no source of random numbers: %s", strerror(errno));
    return false;
}

bool grade_seed_of(uint64_t number, struct grade_seed *seed, char *error, size_t size)
{
    struct seal_key key;
    uint8_t hmac[BASE_HMAC_SIZE];
    char text[40];
    *error = 0;
    if (!find_owners(&key, error, size))
        return false;
    snprintf(text, sizeof text, "seed %llu", (unsigned long long)number);
    base_hmac(key.bytes, sizeof key.bytes, text, hmac);
    seed->number = number;
    base16_encode_update(seed->secret, sizeof hmac, hmac);
    seed->secret[GRADE_SECRET_SIZE - 1] = 0;
    seal_key_forget(&key);
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
