/* Computes the fingerprints of kernels:
 *
 * text --statements--> instructions --windows--> hashes --winnowing--> marks of a fingerprint */
#include "similar/kernels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The number of instructions in a window. Shorter windows would occur in every kernel; longer
 * windows would change with each edit. */
#define WINDOW 5u
#define STEP   3u  /* of STEP consecutive windows, at least one leaves a mark */
#define NAMES  64u /* maximum number of names in a window; all further names count as one name */

struct span {
    const char *begin, *end;
};

/* --- statements ------------------------------------------------------------------------------- */

static bool begins_with(struct span text, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(text.end - text.begin) >= length && memcmp(text.begin, word, length) == 0;
}

static const char *find(struct span text, const char *any)
{
    while (text.begin < text.end && !strchr(any, *text.begin))
        text.begin++;
    return text.begin;
}

/* Returns whether TEXT begins with a directive that ends at the end of its line, not at a
 * semicolon. */
static bool is_line(struct span text)
{
    static const char *const words[] = {".loc",     ".file", ".version", ".target", ".address_size",
                                        ".section", ".b8",   ".b16",     ".b32",    ".b64"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins_with(text, words[i]))
            return true;
    return false;
}

static bool has_word(struct span text, const char *word)
{
    for (; text.begin < text.end; text.begin++)
        if (begins_with(text, word))
            return true;
    return false;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* Skips a comment or label at the start of TEXT. If there is none, returns TEXT unchanged. */
static struct span skip_remark(struct span text)
{
    const char *end = text.begin;
    if (begins_with(text, "//"))
        return (struct span){find(text, "\n"), text.end};
    while (end < text.end && is_name(*end))
        end++;
    if (end > text.begin && end < text.end && *end == ':')
        text.begin = end + 1;
    return text;
}

/* Finds the next instruction and moves *TEXT past it. Where a function begins, returns an empty
 * INSTRUCTION. Returns false if there are no more instructions. */
static bool next_instruction(struct span *text, struct span *instruction)
{
    while (text->begin < text->end) {
        struct span rest = skip_remark(*text);
        if (rest.begin != text->begin || isspace((unsigned char)*rest.begin) ||
            strchr("{};", *rest.begin)) {
            text->begin = rest.begin == text->begin ? rest.begin + 1 : rest.begin;
            continue;
        }
        if (is_line(rest)) {
            text->begin = find(rest, "\n");
            continue;
        }
        const char *end = find(rest, ";");
        struct span head = {rest.begin, find(rest, "{;")};
        bool function = *rest.begin == '.' && (has_word(head, ".entry") || has_word(head, ".func"));
        if (function)
            end = head.end;
        text->begin = end;
        if (*rest.begin == '.' && !function)
            continue;
        *instruction = function ? (struct span){NULL, NULL} : (struct span){rest.begin, end};
        return true;
    }
    return false;
}

/* --- windows ---------------------------------------------------------------------------------- */

struct hash {
    uint64_t value;
    struct span names[NAMES];
    size_t name_count;
};

static void hash_byte(struct hash *hash, unsigned char byte)
{
    hash->value = (hash->value ^ byte) * 0x100000001b3u; /* FNV-1a */
}

static void hash_span(struct hash *hash, struct span span)
{
    for (; span.begin < span.end; span.begin++)
        hash_byte(hash, (unsigned char)*span.begin);
}

static bool same_span(struct span left, struct span right)
{
    size_t length = (size_t)(left.end - left.begin);
    return length == (size_t)(right.end - right.begin) &&
           memcmp(left.begin, right.begin, length) == 0;
}

/* Hashes a name by its number: its position in the list of names in this window. */
static void hash_name(struct hash *hash, struct span name)
{
    size_t i = 0;
    while (i < hash->name_count && !same_span(hash->names[i], name))
        i++;
    if (i == hash->name_count && i < NAMES)
        hash->names[hash->name_count++] = name;
    hash_byte(hash, (unsigned char)(128 + i));
}

/* Returns whether WORD is a register that the compiler named, such as %rd12. Words such as %tid.x
 * are keywords. */
static bool is_register(struct span word)
{
    return *word.begin == '%' && isdigit((unsigned char)word.end[-1]) &&
           !memchr(word.begin, '.', (size_t)(word.end - word.begin));
}

/* Returns the part of WORD that identifies a parameter within its kernel, without the name of the
 * kernel. */
static struct span parameter_of(struct span word)
{
    static const char mark[] = "_param_";
    for (struct span tail = word; tail.begin < tail.end; tail.begin++)
        if (begins_with(tail, mark) && isdigit((unsigned char)tail.end[-1]))
            return tail;
    return (struct span){NULL, NULL};
}

/* Hashes one word of an instruction. OPCODE is true for the first word that is not a guard. */
static void hash_word(struct hash *hash, struct span word, bool opcode)
{
    struct span parameter = parameter_of(word);
    if (opcode || isdigit((unsigned char)*word.begin) || *word.begin == '.')
        hash_span(hash, word);
    else if (parameter.begin)
        hash_span(hash, parameter);
    else if (*word.begin == '%' && !is_register(word))
        hash_span(hash, word);
    else
        hash_name(hash, word);
}

static void hash_instruction(struct hash *hash, struct span text)
{
    bool opcode = false, guard = false;
    while (text.begin < text.end) {
        struct span word = {text.begin, text.begin};
        while (word.end < text.end && is_name(*word.end))
            word.end++;
        if (word.end > word.begin) {
            bool is_opcode = !opcode && !guard;
            hash_word(hash, word, is_opcode);
            opcode = opcode || is_opcode;
            guard = false;
        } else if (!isspace((unsigned char)*word.end++)) {
            guard = *word.begin == '@' || (guard && *word.begin == '!');
            hash_span(hash, word);
        }
        text.begin = word.end;
    }
    hash_byte(hash, ';');
}

static uint64_t hash_window(const struct span *instructions)
{
    struct hash hash = {.value = 0xcbf29ce484222325u};
    for (size_t i = 0; i < WINDOW; i++)
        hash_instruction(&hash, instructions[i]);
    /* mix the bits, because FNV's high bits are weak, and the choice of marks depends on them */
    uint64_t value = hash.value;
    value = (value ^ value >> 32) * 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

/* --- winnowing -------------------------------------------------------------------------------- */

/* The hashes of the latest windows. The smallest of them becomes a mark. */
struct winnow {
    struct span instructions[WINDOW];
    uint64_t hashes[STEP];
    size_t seen, windows;
};

/* Adds the next instruction of a function, and the mark to which it leads, if any. Returns false
 * when out of memory. */
static bool winnow(struct winnow *state, struct span instruction, struct fingerprint *fingerprint)
{
    memmove(state->instructions, state->instructions + 1,
            (WINDOW - 1) * sizeof *state->instructions);
    state->instructions[WINDOW - 1] = instruction;
    if (++state->seen < WINDOW)
        return true;
    state->hashes[state->windows++ % STEP] = hash_window(state->instructions);
    if (state->windows < STEP)
        return true;
    uint64_t least = state->hashes[0];
    for (size_t i = 1; i < STEP; i++)
        least = state->hashes[i] < least ? state->hashes[i] : least;
    return fingerprint_append(fingerprint, least);
}

bool fingerprint_add_ptx(struct fingerprint *fingerprint, const char *ptx, size_t size)
{
    struct span text = {ptx, ptx + size}, instruction;
    struct winnow state = {0};
    struct fingerprint added = {0};
    bool good = size <= KERNELS_MOST_PTX;
    while (good && next_instruction(&text, &instruction)) {
        if (instruction.begin)
            good = winnow(&state, instruction, &added);
        else
            state = (struct winnow){0};
    }
    fingerprint_sort(&added);
    good = good && fingerprint_join(fingerprint, &added);
    fingerprint_free(&added);
    return good;
}
