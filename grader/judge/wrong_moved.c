/* Finds out whether the wrong numbers are the right numbers for other places. Tries only some of
 * the wrong numbers, because each search compares a number with many places. */
#include <math.h>
#include <stdio.h>

#include "judge/wrong_facts.h"

enum { TRIED = 64, FEWEST = 8 };

/* The places where a wrong number may be right: in its row, in its column, or in other tiles
 * ("pieces") of EACH x EACH numbers, at the same place of the tile. The other tiles are at most FAR
 * rows and columns away. */
enum line { ROW, COLUMN, PIECES };
enum { EACH = 16, FAR = 128 };

/* Searches the other tiles for number I of the result. Returns the first place where it is right,
 * or the number of elements if there is none. */
static size_t find_in_pieces(const struct facts *facts, size_t i)
{
    size_t width = facts->matrix->width, y = i / width, x = i % width;
    for (size_t down = y / EACH > FAR / EACH ? y - FAR : y % EACH;
         down <= y + FAR && down < facts->matrix->height; down += EACH)
        for (size_t along = x / EACH > FAR / EACH ? x - FAR : x % EACH;
             along <= x + FAR && along < width; along += EACH)
            if (down * width + along != i &&
                wrong_is_near(facts, (double)facts->matrix->got[i], down * width + along))
                return down * width + along;
    return facts->count;
}

/* Searches the LINE (row or column) of number I of the result. Returns the first place where it is
 * right, or the number of elements if there is none. */
static size_t find_in_line(const struct facts *facts, enum line line, size_t i)
{
    size_t width = facts->matrix->width;
    if (line == PIECES)
        return find_in_pieces(facts, i);
    size_t first = line == ROW ? i - i % width : i % width, step = line == ROW ? 1 : width;
    size_t count = line == ROW ? width : facts->matrix->height;
    for (size_t k = 0; k < count; ++k)
        if (first + k * step != i &&
            wrong_is_near(facts, (double)facts->matrix->got[i], first + k * step))
            return first + k * step;
    return facts->count;
}

/* The wrong numbers that are right at other places. */
struct moves {
    size_t count;
    size_t to[2], from[2]; /* places of the first two numbers, in the result and in WANT */
};

/* Searches the LINEs of about TRIED wrong numbers. Returns false if one of these numbers is nowhere
 * right or not finite, or if there are fewer than FEWEST. */
static bool find_moves(const struct facts *facts, enum line line, struct moves *moves)
{
    size_t every = facts->wrong_count / TRIED + 1, number = 0;
    for (size_t i = 0; i < facts->count; ++i) {
        if (!facts->wrong[i] || (number++ % every != 0 && number > 2))
            continue;
        size_t from = isfinite(facts->matrix->got[i]) ? find_in_line(facts, line, i) : facts->count;
        if (from == facts->count)
            return false;
        if (moves->count < 2) {
            moves->to[moves->count] = i;
            moves->from[moves->count] = from;
        }
        ++moves->count;
    }
    return moves->count >= FEWEST;
}

/* Returns true if it is very improbable to find MOVES numbers by chance, each among COUNT unrelated
 * numbers. */
static bool is_certain(const struct facts *facts, size_t moves, size_t count)
{
    double log_chance = facts->log_chance + log10((double)count);
    return (double)moves * log_chance <= -14;
}

static bool tell_moves(const struct facts *facts, enum line line)
{
    struct moves moves = {0};
    char to[2][48], from[2][48];
    size_t count = line == ROW      ? facts->matrix->width
                   : line == COLUMN ? facts->matrix->height
                                    : (2 * FAR / EACH + 1) * (2 * FAR / EACH + 1);
    if (!find_moves(facts, line, &moves) || !is_certain(facts, moves.count, count))
        return false;
    for (int i = 0; i < 2; ++i) {
        wrong_index(facts, moves.to[i], to[i]);
        wrong_index(facts, moves.from[i], from[i]);
    }
    return TELL(facts,
                "each is a right number in the wrong place%s: %s has the number of %s, %s has "
                "the number of %s, and so on",
                line == ROW      ? " of its row"
                : line == COLUMN ? " of its column"
                                 : ", some tiles away",
                to[0], from[0], to[1], from[1]);
}

bool wrong_tell_moved(const struct facts *facts)
{
    return tell_moves(facts, ROW) || tell_moves(facts, COLUMN) || tell_moves(facts, PIECES);
}
