/* Compares people's names. libunistring tells letters from the marks on letters, such as
 * accents. */
#include "base/people.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#define MOST_WORDS 16u /* at most this many words of a name are used */

char *people_normalise(const char *text)
{
    size_t length;
    uint8_t *normal =
        u8_normalize(UNINORM_NFC, (const uint8_t *)text, strlen(text) + 1, NULL, &length);
    return normal ? (char *)normal : strdup(text);
}

char *people_fold(const char *text)
{
    size_t length;
    uint8_t *folded =
        u8_casefold((const uint8_t *)text, strlen(text) + 1, NULL, UNINORM_NFC, NULL, &length);
    return folded ? (char *)folded : strdup(text);
}

/* --- words ------------------------------------------------------------------------------------ */

struct words {
    char *text; /* the memory of the words */
    char *word[MOST_WORDS];
    size_t count;
    bool comma; /* the text has a comma, so the family name comes first */
};

/* Returns whether WORD is one that Moodle or Canvas adds to names. */
static bool is_added(const char *word)
{
    static const char *const added[] = {"assignsubmission", "onlinetext", "file", "late"};
    for (size_t i = 0; i < sizeof added / sizeof *added; ++i)
        if (strcmp(word, added[i]) == 0)
            return true;
    return false;
}

/* Returns the plain letter for a letter such as "ø", which in Unicode is not a combination of a
 * letter and a mark. */
static ucs4_t without_stroke(ucs4_t c)
{
    return c == 0xf8 ? 'o' : c == 0x142 ? 'l' : c == 0x111 ? 'd' : c == 0x131 ? 'i' : c;
}

static void end_word(struct words *words, char *start, char *end)
{
    *end = 0;
    if (end > start && !is_added(start) && words->count < MOST_WORDS)
        words->word[words->count++] = start;
}

/* Splits FROM into words, and removes the marks from their letters. An apostrophe does not end a
 * word (O'Neil). Any other character that is not a letter does. */
static void cut_words(struct words *words, const uint8_t *from)
{
    char *to = words->text, *start = to;
    ucs4_t c;
    while ((from = u8_next(&c, from))) {
        c = without_stroke(c);
        if (uc_is_property_alphabetic(c) && !uc_is_general_category(c, UC_MARK))
            to += u8_uctomb((uint8_t *)to, c, 6);
        else if (!uc_is_general_category(c, UC_MARK) && c != '\'' && c != 0x2019) {
            end_word(words, start, to);
            start = ++to;
        }
        words->comma = words->comma || c == ',';
    }
    end_word(words, start, to);
}

/* Reads the words of a name. Returns false when out of memory. */
static bool read_words(const char *text, struct words *words)
{
    size_t size = strlen(text) + 1, length;
    uint8_t *apart = u8_casefold((const uint8_t *)text, size, NULL, UNINORM_NFKD, NULL, &length);
    *words = (struct words){.text = apart ? malloc(length + 1) : NULL};
    if (words->text)
        cut_words(words, apart);
    free(apart);
    return words->text != NULL;
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Joins all words, starting with word FIRST; the words before FIRST come last. */
static char *join(const struct words *words, size_t first, const char *between)
{
    size_t size = 1;
    for (size_t i = 0; i < words->count; ++i)
        size += strlen(words->word[i]) + strlen(between);
    char *text = calloc(1, size);
    for (size_t i = 0; text && i < words->count; ++i) {
        if (i > 0)
            strcat(text, between);
        strcat(text, words->word[(first + i) % words->count]);
    }
    return text;
}

char *people_words(const char *text)
{
    struct words words;
    if (!read_words(text, &words))
        return NULL;
    if (words.count == 1)
        words.count = 0;
    qsort(words.word, words.count, sizeof *words.word, by_bytes);
    char *joined = join(&words, 0, " ");
    free(words.text);
    return joined;
}

char *people_joined(const char *text)
{
    struct words words;
    if (!read_words(text, &words))
        return NULL;
    char *joined = join(&words, words.comma || words.count == 0 ? 0 : words.count - 1, "");
    free(words.text);
    return joined;
}
