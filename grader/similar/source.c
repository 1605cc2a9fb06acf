/* Computes the fingerprints of sources:
 *
 * text --lexer--> words --split--> statements --normalise--> one form for each meaning
 *      --names--> hashes */
#include "similar/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMES 500u /* maximum number of names in a function; all further names count as one name */
/* the first use of a name in a statement is searched only among this many words */
#define REACH 200u
/* The number of times that the following is repeated: names get hashes from the statements in which
 * they occur, and statements get hashes from the names that occur in them. */
#define ROUNDS 2

/* A token of the source: a name, a number, a string, an operator, or the end of a preprocessor
 * line. */
struct word {
    const char *text; /* points into the source, or to a constant */
    size_t length;
    uint64_t hash;
    bool name; /* a name that the author has chosen */
};

struct words {
    struct word *words;
    size_t count, room;
};

struct statement {
    size_t begin, end; /* indices in the function's `tidy` */
    uint64_t shape;
};

/* The function that is being read. */
struct function {
    struct words raw;  /* words of the current statement */
    struct words tidy; /* normalised words of all statements so far */
    struct statement *statements;
    size_t count, room;
};

static uint64_t mix(uint64_t left, uint64_t right)
{
    uint64_t value = (left ^ right * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;
    return value ^ value >> 32;
}

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t value = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)text[i]) * 0x100000001b3u; /* FNV-1a */
    return mix(value, length);
}

/* --- words ------------------------------------------------------------------------------------ */

static bool is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

static bool is_one_of(const struct word *word, const char *const *list)
{
    for (; *list; list++)
        if (is(word, *list))
            return true;
    return false;
}

static const char *const qualifiers[] = {"const",    "static",       "inline",          "volatile",
                                         "register", "__restrict__", "__forceinline__", NULL};
static const char *const integers[] = {"int",      "unsigned", "signed",   "long",
                                       "short",    "size_t",   "uint32_t", "int32_t",
                                       "uint64_t", "int64_t",  "auto",     NULL};
static const char *const types[] = {"int", "float", "double", "bool", "char", NULL};
static const char *const language[] = {
    "if",       "else",     "for",      "while",     "do",        "return",   "break",
    "continue", "struct",   "template", "sizeof",    "true",      "false",    "NULL",
    "nullptr",  "extern",   "switch",   "case",      "default",   "typename", "class",
    "define",   "include",  "pragma",   "unroll",    "threadIdx", "blockIdx", "blockDim",
    "gridDim",  "warpSize", "dim3",     "void",      "float",     "double",   "bool",
    "char",     "min",      "max",      "atomicAdd", "loop",      NULL};

/* Returns whether WORD is one that the author cannot rename. MEMBER says that the word follows a
 * dot; then x, y and z cannot be renamed, either. */
static bool is_fixed_name(const struct word *word, bool member)
{
    static const char *const begins[] = {"cuda", "__", "lab_", "LAB_", "CHECK_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (word->length > strlen(begins[i]) &&
            memcmp(word->text, begins[i], strlen(begins[i])) == 0)
            return true;
    return is_one_of(word, language) || is_one_of(word, integers) ||
           (member && word->length == 1 && strchr("xyz", *word->text));
}

static struct word word_of(const char *text, size_t length)
{
    return (struct word){text, length, hash_of(text, length), false};
}

static bool add_word(struct words *words, struct word word)
{
    if (words->count == words->room) {
        size_t room = words->room ? 2 * words->room : 64;
        struct word *grown = realloc(words->words, room * sizeof *grown);
        if (!grown)
            return false;
        words->words = grown;
        words->room = room;
    }
    words->words[words->count++] = word;
    return true;
}

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns the end of the comment, string, name, number or operator that begins at TEXT. */
static const char *end_of(const char *text, const char *end)
{
    static const char *const operators[] = {"<<<", ">>>", "<<=", ">>=", "->", "++", "--", "<<",
                                            ">>",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=",
                                            "^=",  "!=",  "<=",  ">=",  "==", "&&", "||", "::"};
    size_t left = (size_t)(end - text);
    const char *at = text + 1;
    if (left >= 2 && memcmp(text, "//", 2) == 0)
        return (at = memchr(text, '\n', left)) ? at : end;
    if (left >= 4 && memcmp(text, "/*", 2) == 0)
        return (at = memmem(text + 2, left - 2, "*/", 2)) ? at + 2 : end;
    if (*text == '"' || *text == '\'') {
        while (at < end && *at != *text && *at != '\n')
            at += 1 + (*at == '\\' && at + 1 < end);
        return at < end ? at + 1 : end;
    }
    bool number = isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)*at));
    if (number || is_letter(*text)) {
        while (at < end && (is_letter(*at) || (number && *at == '.')))
            at++;
        return at;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (left >= strlen(operators[i]) && memcmp(text, operators[i], strlen(operators[i])) == 0)
            return text + strlen(operators[i]);
    return at;
}

/* Returns the length of a number without its suffixes: 32u counts as 32, and 0.5f as 0.5. */
static size_t without_suffix(const char *text, size_t length)
{
    bool hexadecimal = length > 2 && (text[1] == 'x' || text[1] == 'X');
    while (length > 1 && strchr(hexadecimal ? "uUlL" : "uUlLfF", text[length - 1]))
        length--;
    return length;
}

static bool lex(const char *text, size_t size, struct words *words)
{
    const char *end = text + size, *next;
    bool directive = false, good = true;
    for (; good && text < end; text = next) {
        next = end_of(text, end);
        size_t length = (size_t)(next - text);
        if (*text == '\n' && directive) {
            directive = false;
            good = add_word(words, word_of("\n", 1));
        }
        if (*text == '\\' && next < end && *next == '\n')
            next++;
        else if (!isspace((unsigned char)*text) && *text &&
                 !(length > 1 && (text[1] == '/' || text[1] == '*') && *text == '/')) {
            const struct word *last = words->count ? &words->words[words->count - 1] : NULL;
            bool begins = isdigit((unsigned char)*text) || *text == '.';
            struct word word = word_of(text, begins ? without_suffix(text, length) : length);
            directive = directive || *text == '#';
            word.name = is_letter(*text) && !begins &&
                        !is_fixed_name(&word, last && (is(last, ".") || is(last, "->")));
            good = add_word(words, word);
        }
    }
    return good;
}

/* --- statements ------------------------------------------------------------------------------- */

/* Drops the words of a statement that carry no information: qualifiers, kinds of integers and casts
 * to them. */
static void drop_noise(struct words *words)
{
    size_t kept = 0;
    for (size_t i = 0; i < words->count; i++) {
        struct word word = words->words[i];
        bool integer = is_one_of(&word, integers);
        if (is_one_of(&word, qualifiers) || (integer && kept && is(&words->words[kept - 1], "int")))
            continue;
        words->words[kept++] = integer ? word_of("int", 3) : word;
        if (kept >= 3 && is(&word, ")") && is(&words->words[kept - 2], "int") &&
            is(&words->words[kept - 3], "("))
            kept -= 3;
    }
    words->count = kept;
}

static bool same_words(const struct word *left, const struct word *right, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (left[i].hash != right[i].hash)
            return false;
    return true;
}

/* Rewrites i++, ++i and i = i + 1 as i += 1. WORDS must have room for one more word. Returns the
 * new number of words. */
static size_t shorten(struct word *words, size_t count)
{
    static const char *const sums[] = {"+", "+=", "-", "-=", "*",  "*=",  "/",  "/=",  "&", "&=",
                                       "|", "|=", "^", "^=", "<<", "<<=", ">>", ">>=", NULL};
    size_t left = 0;
    if (count == 2 && (is(&words[0], "++") || is(&words[0], "--"))) {
        struct word name = words[1];
        words[1] = words[0];
        words[0] = name;
    }
    if (count >= 2 && (is(&words[count - 1], "++") || is(&words[count - 1], "--"))) {
        words[count - 1] = *words[count - 1].text == '+' ? word_of("+=", 2) : word_of("-=", 2);
        words[count] = word_of("1", 1);
        return count + 1;
    }
    while (left < count && !is(&words[left], "="))
        left++;
    if (left == 0 || 2 * left + 2 >= count || !same_words(words, words + left + 1, left))
        return count;
    for (size_t i = 0; sums[i]; i += 2)
        if (is(&words[2 * left + 1], sums[i])) {
            words[left] = word_of(sums[i + 1], strlen(sums[i + 1]));
            memmove(words + left + 1, words + 2 * left + 2, (count - 2 * left - 2) * sizeof *words);
            return count - left - 1;
        }
    return count;
}

/* Adds the raw words from FROM to TO - 1 as a statement. If TYPE is not NULL, it is inserted as the
 * first word. */
static bool add_statement(struct function *function, const struct word *type, size_t from,
                          size_t to)
{
    struct words *tidy = &function->tidy;
    size_t begin = tidy->count;
    bool good = !type || add_word(tidy, *type);
    for (size_t i = from; good && i < to; i++)
        good = add_word(tidy, function->raw.words[i]);
    size_t first = begin + (type != NULL), count = tidy->count - first;
    /* `int i;` leaves only a name, which is not a statement */
    if (!good || count == 0 || (count == 1 && tidy->words[first].name)) {
        tidy->count = begin;
        return good;
    }
    good = add_word(tidy, word_of("", 0)); /* reserves room for one more word */
    tidy->count = first + shorten(tidy->words + first, count);
    if (good && function->count == function->room) {
        size_t room = function->room ? 2 * function->room : 16;
        struct statement *grown = realloc(function->statements, room * sizeof *grown);
        if (!grown)
            return false;
        function->statements = grown;
        function->room = room;
    }
    if (good)
        function->statements[function->count++] = (struct statement){begin, tidy->count, 0};
    return good;
}

/* Converts the raw words to one or several statements: `int a = 1, b = 2` becomes two. */
static bool end_statement(struct function *function)
{
    struct words *raw = &function->raw;
    const struct word *type = NULL;
    struct word first;
    int depth = 0;
    bool good = true;
    drop_noise(raw);
    size_t begin = raw->count > 0 && is_one_of(&raw->words[0], types);
    if (begin && !is(&raw->words[0], "int")) {
        first = raw->words[0];
        type = &first;
    }
    for (size_t i = begin; good && i <= raw->count; i++) {
        bool end = i == raw->count;
        if (!end)
            depth += strchr("([", *raw->words[i].text)   ? 1
                     : strchr(")]", *raw->words[i].text) ? -1
                                                         : 0;
        if (!end && (depth != 0 || !is(&raw->words[i], ",")))
            continue;
        good = add_statement(function, type, begin, i);
        begin = i + 1;
    }
    raw->count = 0;
    return good;
}

/* --- names ------------------------------------------------------------------------------------ */

/* How a function uses its names: for each name, the sum of the hashes of all places where it
 * occurs. `now` has the sums of this round (ROUNDS), `next` those of the next round. */
struct uses {
    uint64_t names[NAMES], now[NAMES], next[NAMES];
    size_t count;
};

static size_t use_of(struct uses *uses, uint64_t name)
{
    size_t i = 0;
    while (i < uses->count && uses->names[i] != name)
        i++;
    if (i == NAMES)
        return NAMES - 1;
    if (i == uses->count)
        uses->names[uses->count++] = name;
    return i;
}

/* Returns the hash of a statement. Instead of each name, it includes the position of the name's
 * first occurrence in the statement, and the name's use in the function. */
static uint64_t shape_of(const struct word *words, size_t count, struct uses *uses)
{
    uint64_t shape = count;
    for (size_t i = 0; i < count; i++) {
        size_t first = 0;
        while (words[i].name && first < REACH && words[first].hash != words[i].hash)
            first++;
        uint64_t word =
            words[i].name ? mix(first, uses->now[use_of(uses, words[i].hash)]) : words[i].hash;
        shape = mix(shape, word);
    }
    return shape;
}

/* Computes the use of each name from the statements in which it occurs. */
static void learn_uses(const struct function *function, struct uses *uses)
{
    memset(uses->next, 0, sizeof uses->next);
    for (size_t i = 0; i < function->count; i++) {
        const struct statement *statement = &function->statements[i];
        for (size_t k = statement->begin; k < statement->end; k++)
            if (function->tidy.words[k].name)
                uses->next[use_of(uses, function->tidy.words[k].hash)] +=
                    mix(statement->shape, k - statement->begin + 1);
    }
    memcpy(uses->now, uses->next, sizeof uses->now);
}

/* --- functions -------------------------------------------------------------------------------- */

static bool add_function(struct similar_source *source, struct similar_function function)
{
    struct similar_function *grown =
        realloc(source->functions, (source->function_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    source->functions = grown;
    source->functions[source->function_count++] = function;
    source->text += mix(function.text, 1);
    return true;
}

/* Ends a function. Adds the hashes of its statements to MARKS, and the function to SOURCE. */
static bool end_function(struct function *function, struct similar_source *source,
                         struct fingerprint *marks)
{
    struct uses uses = {.count = 0};
    struct similar_function result = {.text = 0};
    bool good = end_statement(function);
    result.statements = function->count;
    for (int round = 0; good && round <= ROUNDS; round++) {
        result.text = 0;
        for (size_t i = 0; good && i < function->count; i++) {
            struct statement *statement = &function->statements[i];
            statement->shape = shape_of(function->tidy.words + statement->begin,
                                        statement->end - statement->begin, &uses);
            result.text += mix(statement->shape, 2);
            if (round == 0)
                good = fingerprint_append(marks, statement->shape);
        }
        learn_uses(function, &uses);
    }
    for (size_t i = 0; i < uses.count; i++)
        result.names += mix(uses.names[i], 4);
    good = good && (function->count == 0 || add_function(source, result));
    function->count = function->tidy.count = 0;
    return good;
}

/* The state of the scan through the words of a source. */
struct walk {
    int braces, parentheses; /* number of open braces and parentheses */
    /* value of `parentheses` inside the header of the current `if (`, `for (` or the like, or 0 if
     * there is none */
    int header;
    bool counted; /* true in the first part of the header of a `for (`, before its condition */
    bool directive;
};

static bool begins_header(const struct words *words, size_t i)
{
    static const char *const headers[] = {"if", "for", "while", "switch", NULL};
    return i + 1 < words->count && is_one_of(&words->words[i], headers) &&
           is(&words->words[i + 1], "(");
}

/* Drops includes, pragmas and prototypes, because they do not change what a program does. */
static void forget_declaration(const struct walk *walk, const struct word *end,
                               struct function *function)
{
    static const char *const directives[] = {"include", "pragma", NULL};
    struct words *raw = &function->raw;
    bool prototype =
        walk->braces == 0 && is(end, ";") && raw->count > 0 && is(&raw->words[raw->count - 1], ")");
    if (walk->directive ? raw->count > 1 && is_one_of(&raw->words[1], directives) : prototype)
        raw->count = 0;
}

/* Takes word I of WORDS. At the start of a header, also takes the next word. Returns the index of
 * the word after these. Sets *GOOD to false when out of memory, and *END to true at the end of a
 * function. */
static size_t take_words(struct walk *walk, const struct words *words, size_t i,
                         struct function *function, bool *good, bool *end)
{
    const struct word *word = &words->words[i];
    *end = false;
    if (begins_header(words, i) && !walk->directive) {
        walk->counted = is(word, "for");
        walk->header = ++walk->parentheses;
        *good = end_statement(function) &&
                (walk->counted ||
                 add_word(&function->raw, is(word, "while") ? word_of("loop", 4) : *word));
        return i + 2;
    }
    if (is(word, "#"))
        walk->directive = true;
    walk->parentheses += is(word, "(");
    bool closes = walk->header && is(word, ")") && walk->parentheses == walk->header;
    walk->parentheses -= is(word, ")") && walk->parentheses > 0;
    if (walk->directive ? is(word, "\n") : closes || strchr(";{}", *word->text) != NULL) {
        forget_declaration(walk, word, function);
        walk->directive = false;
        *good = end_statement(function);
        walk->braces += is(word, "{");
        walk->braces -= is(word, "}") && walk->braces > 0;
        *end = walk->braces == 0 && !closes && !walk->header && !is(word, "{");
        if (walk->header && is(word, ";") && walk->counted)
            *good = *good && add_word(&function->raw, word_of("loop", 4));
        walk->counted = walk->counted && !is(word, ";");
        walk->header = closes ? 0 : walk->header;
    } else if (is(word, "else") || is(word, "do"))
        *good = end_statement(function);
    else
        *good = add_word(&function->raw, *word);
    return i + 1;
}

/* --- sources ---------------------------------------------------------------------------------- */

/* Gives equal statements different marks, by numbering them. */
static void number_repeats(struct fingerprint *marks)
{
    uint64_t nth = 0, last = 0;
    if (marks->count)
        qsort(marks->marks, marks->count, sizeof *marks->marks, fingerprint_compare_marks);
    for (size_t i = 0; i < marks->count; i++) {
        nth = i > 0 && marks->marks[i] == last ? nth + 1 : 0;
        last = marks->marks[i];
        marks->marks[i] = mix(last, 3 + nth);
    }
}

static void free_function(struct function *function)
{
    free(function->raw.words);
    free(function->tidy.words);
    free(function->statements);
}

bool similar_source_read(struct similar_source *source, const char *text, size_t size)
{
    struct words words = {0};
    struct function function = {.count = 0};
    struct fingerprint marks = {0};
    struct walk walk = {0};
    bool end = false;
    *source = (struct similar_source){.text = 0};
    bool good = size <= SIMILAR_SOURCE_TEXT && lex(text, size, &words);
    for (size_t i = 0, next; good && i < words.count; i = next) {
        next = take_words(&walk, &words, i, &function, &good, &end);
        good = good && (!end || end_function(&function, source, &marks));
    }
    good = good && end_function(&function, source, &marks);
    number_repeats(&marks);
    good = good && fingerprint_join(&source->statements, &marks);
    fingerprint_free(&marks);
    free_function(&function);
    free(words.words);
    if (!good)
        similar_source_free(source);
    return good;
}

void similar_source_free(struct similar_source *source)
{
    fingerprint_free(&source->statements);
    free(source->functions);
    *source = (struct similar_source){.text = 0};
}

size_t similar_source_renamed(const struct similar_source *source,
                              const struct similar_source *skeleton)
{
    size_t statements = 0;
    for (size_t i = 0; i < source->function_count; i++) {
        const struct similar_function *own = &source->functions[i];
        bool in_skeleton = false, same = false;
        for (size_t k = 0; k < skeleton->function_count; k++)
            if (skeleton->functions[k].text == own->text) {
                in_skeleton = true;
                same = same || skeleton->functions[k].names == own->names;
            }
        statements += in_skeleton && !same ? own->statements : 0;
    }
    return statements;
}
