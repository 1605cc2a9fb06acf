#include "checks/random.h"

#include <nettle/ctr.h>
#include <stdio.h>
#include <string.h>

#include "base/files.h"
#include "checks/internal.h"

void check_random_start(const struct check *check, const char *purpose, struct check_random *random)
{
    uint8_t key[BASE_HMAC_SIZE];
    char text[400];
    const char *secret = check->job.seed.secret;
    snprintf(text, sizeof text, "%s %s %u", purpose, check->info->id, check->process_count);
    base_hmac(secret, strlen(secret), text, key);
    aes256_set_encrypt_key(&random->key, key);
    memset(random->counter, 0, sizeof random->counter);
    random->left = 0;
}

void check_random_refill(struct check_random *random)
{
    memset(random->words, 0, sizeof random->words);
    uint8_t *words = (uint8_t *)random->words;
    ctr_crypt(&random->key, (nettle_cipher_func *)aes256_encrypt, AES_BLOCK_SIZE, random->counter,
              sizeof random->words, words, words);
    random->left = CHECK_RANDOM_WORDS;
}

uint64_t check_random_number(const struct check *check, const char *purpose)
{
    struct check_random random;
    check_random_start(check, purpose, &random);
    return check_random_next(&random) | 1;
}
