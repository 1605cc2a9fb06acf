/* Makes the random numbers of a check. Guessing them is as hard as guessing the secret of the
 * grading (grade/seed.h). Each stream is AES-256 in counter mode with its own key, so one stream
 * reveals nothing about another. Processors have instructions for AES, so a million numbers take
 * about a millisecond. */
#ifndef CHECKS_RANDOM_H
#define CHECKS_RANDOM_H

#include <nettle/aes.h>
#include <stddef.h>
#include <stdint.h>

struct check;

#define CHECK_RANDOM_WORDS 512

struct check_random {
    struct aes256_ctx key;
    uint8_t counter[AES_BLOCK_SIZE];
    uint64_t words[CHECK_RANDOM_WORDS];
    unsigned left; /* number of unused words */
};

/* Starts the stream of random numbers that CHECK uses for PURPOSE. The stream depends on the seed,
 * the check's id, PURPOSE and the number of runs so far. */
void check_random_start(const struct check *check, const char *purpose,
                        struct check_random *random);
/* Refills `words` with new random numbers. */
void check_random_refill(struct check_random *random);

static inline uint64_t check_random_next(struct check_random *random)
{
    if (random->left == 0)
        check_random_refill(random);
    return random->words[CHECK_RANDOM_WORDS - random->left--];
}

/* Returns a random number below COUNT: the upper half of a 64 x 64 bit product. The distribution is
 * uniform, apart from a bias below COUNT / 2^64. */
static inline uint64_t check_random_below(struct check_random *random, uint64_t count)
{
    return (uint64_t)((unsigned __int128)check_random_next(random) * count >> 64);
}

/* Returns the first nonzero number of the stream for PURPOSE. It seeds the device's random
 * bytes. */
uint64_t check_random_number(const struct check *check, const char *purpose);

#endif
