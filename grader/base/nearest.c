#include "base/nearest.h"

#include <string.h>

#define MAX_WORD 40 /* for a longer word, no name is suggested */

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Returns the number of edits that turn A into B (the optimal string alignment distance). An edit
 * adds, removes or replaces a letter, or swaps two neighbours. Of the table of distances, only
 * three rows are kept. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][MAX_WORD + 1], length = strlen(b);
    for (size_t j = 0; j <= length; ++j)
        rows[0][j] = j;
    for (size_t i = 1; i <= strlen(a); ++i) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= length; ++j) {
            now[j] = least_of(before[j - 1] + (a[i - 1] != b[j - 1]),
                              least_of(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least_of(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[strlen(a) % 3][length];
}

const char *base_nearest(const char *word, const char *const *names, size_t count)
{
    size_t best = strlen(word) > 4 ? 2 : 1;
    const char *found = NULL;
    if (strlen(word) > MAX_WORD)
        return NULL;
    for (size_t i = 0; i < count; ++i) {
        size_t away = strlen(names[i]) > MAX_WORD ? MAX_WORD : distance(word, names[i]);
        if (strlen(word) > 2 && strncmp(word, names[i], strlen(word)) == 0)
            return names[i];
        if (away < best || (away == best && !found)) {
            best = away;
            found = names[i];
        }
    }
    return found;
}
