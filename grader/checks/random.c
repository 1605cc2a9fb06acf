#include "checks/random.h"

#include <nettle/hmac.h>
#include <stdio.h>
#include <string.h>

#include "checks/internal.h"

void check_random_start(const struct check *check, const char *purpose, struct check_random *random)
{
    struct hmac_sha256_ctx hmac;
    uint8_t key[SHA256_DIGEST_SIZE];
    static const uint8_t nonce[CHACHA_NONCE_SIZE];
    char text[400];
    const struct grade_seed *seed = &check->job.seed;
    int length =
        snprintf(text, sizeof text, "%s %s %u", purpose, check->info->id, check->process_count);
    hmac_sha256_set_key(&hmac, strlen(seed->secret), (const uint8_t *)seed->secret);
    hmac_sha256_update(&hmac, (size_t)length, (const uint8_t *)text);
    hmac_sha256_digest(&hmac, sizeof key, key);
    chacha_set_key(&random->state, key);
    chacha_set_nonce(&random->state, nonce);
    random->left = 0;
}

void check_random_refill(struct check_random *random)
{
    memset(random->words, 0, sizeof random->words);
    chacha_crypt(&random->state, sizeof random->words, (uint8_t *)random->words,
                 (const uint8_t *)random->words);
    random->left = CHECK_RANDOM_WORDS;
}

uint64_t check_random_number(const struct check *check, const char *purpose)
{
    struct check_random random;
    check_random_start(check, purpose, &random);
    return check_random_next(&random) | 1;
}
