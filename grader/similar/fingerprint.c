/* A fingerprint is a sorted array, in which binary search is used. */
#include "similar/fingerprint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 16 /* number of hex digits of a mark (a hash) */

bool fingerprint_append(struct fingerprint *fingerprint, uint64_t mark)
{
    /* the capacity is always a power of two, so the array is full when COUNT is a power of two */
    if ((fingerprint->count & (fingerprint->count - 1)) == 0) {
        size_t room = fingerprint->count ? 2 * fingerprint->count : 1;
        uint64_t *marks = realloc(fingerprint->marks, room * sizeof *marks);
        if (!marks)
            return false;
        fingerprint->marks = marks;
    }
    fingerprint->marks[fingerprint->count++] = mark;
    return true;
}

int fingerprint_compare_marks(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void fingerprint_sort(struct fingerprint *fingerprint)
{
    size_t kept = 0;
    if (fingerprint->count)
        qsort(fingerprint->marks, fingerprint->count, sizeof *fingerprint->marks,
              fingerprint_compare_marks);
    for (size_t i = 0; i < fingerprint->count; i++)
        if (i == 0 || fingerprint->marks[i] != fingerprint->marks[i - 1])
            fingerprint->marks[kept++] = fingerprint->marks[i];
    fingerprint->count = kept;
}

bool fingerprint_join(struct fingerprint *fingerprint, const struct fingerprint *other)
{
    struct fingerprint both = {0};
    for (size_t i = 0; i < fingerprint->count + other->count; i++)
        if (!fingerprint_append(&both, i < fingerprint->count
                                           ? fingerprint->marks[i]
                                           : other->marks[i - fingerprint->count])) {
            fingerprint_free(&both);
            return false;
        }
    fingerprint_sort(&both);
    fingerprint_free(fingerprint);
    *fingerprint = both;
    return true;
}

static bool has_mark(const struct fingerprint *fingerprint, uint64_t mark)
{
    return fingerprint->count && bsearch(&mark, fingerprint->marks, fingerprint->count, sizeof mark,
                                         fingerprint_compare_marks);
}

void fingerprint_subtract(struct fingerprint *fingerprint, const struct fingerprint *known)
{
    size_t kept = 0;
    for (size_t i = 0; i < fingerprint->count; i++)
        if (!has_mark(known, fingerprint->marks[i]))
            fingerprint->marks[kept++] = fingerprint->marks[i];
    fingerprint->count = kept;
}

void fingerprint_free(struct fingerprint *fingerprint)
{
    free(fingerprint->marks);
    *fingerprint = (struct fingerprint){0};
}

size_t fingerprint_shared(const struct fingerprint *left, const struct fingerprint *right)
{
    size_t count = 0;
    for (size_t i = 0; i < left->count; i++)
        count += has_mark(right, left->marks[i]);
    return count;
}

double fingerprint_likeness(const struct fingerprint *left, const struct fingerprint *right)
{
    size_t larger = left->count > right->count ? left->count : right->count;
    return larger ? (double)fingerprint_shared(left, right) / (double)larger : 0;
}

json_t *fingerprint_json(const struct fingerprint *fingerprint)
{
    char *text = malloc(fingerprint->count * DIGITS + 1);
    if (!text)
        return NULL;
    text[0] = 0;
    for (size_t i = 0; i < fingerprint->count; i++)
        snprintf(text + i * DIGITS, DIGITS + 1, "%016" PRIx64, fingerprint->marks[i]);
    json_t *string = json_string(text);
    free(text);
    return string;
}

bool fingerprint_read(const json_t *text, struct fingerprint *fingerprint)
{
    const char *digits = json_string_value(text);
    size_t count = digits ? strlen(digits) / DIGITS : 0;
    struct fingerprint read = {.marks = calloc(count + 1, sizeof *read.marks)};
    for (; read.marks && read.count < count; read.count++, digits += DIGITS)
        if (sscanf(digits, "%16" SCNx64, &read.marks[read.count]) != 1)
            break;
    bool good = read.marks && fingerprint_join(fingerprint, &read);
    fingerprint_free(&read);
    return good;
}
