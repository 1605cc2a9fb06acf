/* Converts YAML nodes to values. Reports mistakes as complaints. */
#include "course/settings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/files.h"
#include "base/nearest.h"
#include "base/text.h"

#define FILE_BYTES ((size_t)256 << 10) /* maximum size; a course file has a few hundred lines */
/* maximum number of nested YAML nodes; a course file needs a few levels */
#define MOST_NESTED 20

/* --- complaints ------------------------------------------------------------------------------- */

static void add_line(struct settings *settings, size_t line, const char *format, va_list arguments)
{
    size_t left = settings->size - settings->used;
    char *at = settings->error + settings->used;
    if (++settings->complaints > SETTINGS_MOST_COMPLAINTS || left < 2)
        return;
    int head =
        line ? snprintf(at, left, "%s%s:%zu: ", settings->used ? "\n" : "", settings->path, line)
             : snprintf(at, left, "%s%s: ", settings->used ? "\n" : "", settings->path);
    if ((size_t)head < left)
        vsnprintf(at + head, left - (size_t)head, format, arguments);
    base_clean_text(at, strlen(at));
    /* quoted text can contain newlines, but a complaint is one line */
    for (char *end = at + 1; (end = strchr(end, '\n'));)
        *end = ' ';
    settings->used += strlen(at);
}

void settings_complain(struct settings *settings, const yaml_node_t *node, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(settings, node ? node->start_mark.line + 1 : 0, format, arguments);
    va_end(arguments);
}

static void complain_at(struct settings *settings, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain_at(struct settings *settings, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(settings, line, format, arguments);
    va_end(arguments);
}

/* --- the file --------------------------------------------------------------------------------- */

/* Returns true if this line is indented with a tab, which is a common mistake that libyaml does not
 * explain. */
static bool is_indented_by_tab(const struct text *text, size_t line)
{
    const char *start;
    size_t length;
    if (!base_source_line(text->bytes, (unsigned)line, &start, &length))
        return false;
    size_t blank = strspn(start, " \t");
    return memchr(start, '\t', blank < length ? blank : length) != NULL;
}

static void explain_syntax(struct settings *settings, const yaml_parser_t *parser,
                           const struct text *text)
{
    size_t line = parser->problem_mark.line + 1;
    if (is_indented_by_tab(text, line))
        complain_at(settings, line, "this line is indented with a tab; YAML needs spaces");
    else if (parser->error == YAML_READER_ERROR)
        settings_complain(settings, NULL, "the file is not UTF-8 text");
    else
        complain_at(settings, line, "this is not valid YAML: %s%s%s",
                    parser->problem ? parser->problem : "it cannot be parsed",
                    parser->context ? " " : "", parser->context ? parser->context : "");
}

/* Counts the nesting levels and the documents in which EVENT is. Returns false if there are too
 * many. */
static bool take_event(struct settings *settings, const yaml_event_t *event, unsigned *depth,
                       unsigned *documents)
{
    size_t line = event->start_mark.line + 1;
    *documents += event->type == YAML_DOCUMENT_START_EVENT;
    *depth += event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
    *depth -= event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
    if (*documents > 1)
        complain_at(settings, line, "a second document begins here; a course file has only one");
    else if (*depth > MOST_NESTED)
        complain_at(settings, line, "this is nested more than %d levels deep", MOST_NESTED);
    return *documents <= 1 && *depth <= MOST_NESTED;
}

/* Checks the nesting depth before libyaml makes a document, because that takes time quadratic in
 * the depth. Ignores syntax errors, which are reported when the document is made. */
static bool check_events(struct settings *settings, const struct text *text)
{
    yaml_parser_t parser;
    yaml_event_t event;
    unsigned depth = 0, documents = 0;
    bool good = true, over = false;
    if (!yaml_parser_initialize(&parser))
        return true;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text->bytes, text->size);
    while (good && !over && yaml_parser_parse(&parser, &event)) {
        over = event.type == YAML_STREAM_END_EVENT;
        good = take_event(settings, &event, &depth, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

bool settings_open(struct settings *settings, const char *path, char *error, size_t size)
{
    struct text text;
    yaml_parser_t parser;
    char why[100];
    *settings = (struct settings){.path = path, .error = error, .size = size};
    error[0] = 0;
    if (!base_read_file(path, FILE_BYTES, &text, why, sizeof why)) {
        settings_complain(settings, NULL, "the file %s", why);
        return false;
    }
    if (!check_events(settings, &text)) {
        free(text.bytes);
        return false;
    }
    bool good = yaml_parser_initialize(&parser);
    if (good) {
        yaml_parser_set_input_string(&parser, (const unsigned char *)text.bytes, text.size);
        good = yaml_parser_load(&parser, &settings->document);
        if (!good)
            explain_syntax(settings, &parser, &text);
        yaml_parser_delete(&parser);
    } else
        settings_complain(settings, NULL, "out of memory");
    free(text.bytes);
    return good;
}

void settings_close(struct settings *settings)
{
    yaml_document_delete(&settings->document);
}

yaml_node_t *settings_root(struct settings *settings)
{
    return yaml_document_get_root_node(&settings->document);
}

/* --- mappings --------------------------------------------------------------------------------- */

/* Returns the text of NODE if it is a scalar without NUL bytes, otherwise NULL. */
static const char *scalar(const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

bool settings_pair(struct settings *settings, const yaml_node_t *node, size_t i, yaml_node_t **key,
                   yaml_node_t **value)
{
    if (!node || node->type != YAML_MAPPING_NODE ||
        node->data.mapping.pairs.start + i >= node->data.mapping.pairs.top)
        return false;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start + i;
    *key = yaml_document_get_node(&settings->document, pair->key);
    *value = yaml_document_get_node(&settings->document, pair->value);
    return true;
}

yaml_node_t *settings_find(struct settings *settings, const yaml_node_t *node, const char *key)
{
    yaml_node_t *name, *value;
    for (size_t i = 0; settings_pair(settings, node, i, &name, &value); ++i)
        if (scalar(name) && strcmp(scalar(name), key) == 0)
            return value;
    return NULL;
}

/* Writes NAMES as "a, b, c". */
static void list_names(char *list, size_t size, const char *const *names)
{
    size_t used = 0;
    list[0] = 0;
    for (; *names && used < size; ++names)
        used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "", *names);
}

static bool check_key(struct settings *settings, const yaml_node_t *key, const char *what,
                      const char *const *keys)
{
    char list[300];
    const char *word = scalar(key);
    size_t count = 0;
    bool known = false;
    if (!word) {
        settings_complain(settings, key, "a key of %s must be a word", what);
        return false;
    }
    for (; keys && keys[count]; ++count)
        known = known || strcmp(keys[count], word) == 0;
    if (known || !keys)
        return true;
    const char *meant = base_nearest(word, keys, count);
    list_names(list, sizeof list, keys);
    if (meant)
        settings_complain(settings, key, "%s has no key \"%s\": did you mean \"%s\"?", what, word,
                          meant);
    else
        settings_complain(settings, key, "%s has no key \"%s\"; its keys are %s", what, word, list);
    return false;
}

bool settings_check_keys(struct settings *settings, const yaml_node_t *node, const char *what,
                         const char *const *keys)
{
    yaml_node_t *key, *value, *other;
    unsigned before = settings->complaints;
    char list[300];
    if (node->type != YAML_MAPPING_NODE) {
        list_names(list, sizeof list, keys ? keys : (const char *const[]){"name", NULL});
        settings_complain(settings, node,
                          "%s must consist of lines \"key: value\"; the keys are %s", what, list);
        return false;
    }
    for (size_t i = 0; settings_pair(settings, node, i, &key, &value); ++i) {
        if (!check_key(settings, key, what, keys))
            continue;
        for (size_t j = 0; j < i && settings_pair(settings, node, j, &other, &value); ++j)
            if (scalar(other) && strcmp(scalar(other), scalar(key)) == 0) {
                settings_complain(settings, key, "%s has \"%s\" twice; the first is on line %zu",
                                  what, scalar(key), other->start_mark.line + 1);
                break;
            }
    }
    return settings->complaints == before;
}

/* --- values ----------------------------------------------------------------------------------- */

const char *settings_text(struct settings *settings, const yaml_node_t *node, const char *what)
{
    const char *text = scalar(node);
    if (node && (!text || !*text))
        settings_complain(settings, node, "%s must be a single piece of text", what);
    return text && *text ? text : NULL;
}

bool settings_number(struct settings *settings, const yaml_node_t *node, const char *what,
                     double least, double most, double *number)
{
    const char *text = scalar(node);
    char *end;
    if (!node)
        return false;
    double value = text && *text ? strtod(text, &end) : NAN;
    /* strtod() also accepts 0x10, nan and infinity, but these are mistakes in a settings file */
    bool plain = text && *text && *end == 0 && strspn(text, "+-.0123456789eE") == strlen(text);
    if (plain && value >= least && value <= most) {
        *number = value;
        return true;
    }
    if (!plain)
        settings_complain(settings, node, "%s must be a number, not \"%s\"", what,
                          text ? text : "a list or a group of keys");
    else if (value < least)
        settings_complain(settings, node, "%s is %g; it must be at least %g", what, value, least);
    else
        settings_complain(settings, node, "%s is %g; it must be at most %g", what, value, most);
    return false;
}

bool settings_whole(struct settings *settings, const yaml_node_t *node, const char *what,
                    unsigned least, unsigned most, unsigned *number)
{
    double value;
    if (!settings_number(settings, node, what, least, most, &value))
        return false;
    if (value == floor(value)) {
        *number = (unsigned)value;
        return true;
    }
    settings_complain(settings, node, "%s is %g; it must be a whole number", what, value);
    return false;
}

/* Reads a time zone: TEXT is "Z", "+01:00" or empty. */
static bool read_zone(const char *text, bool *local, int *seconds)
{
    char sign;
    int hours, minutes, used = 0;
    *local = *text == 0;
    *seconds = 0;
    if (*local || strcmp(text, "Z") == 0)
        return true;
    if (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &used) != 3 || text[used] ||
        used != 6 || (sign != '+' && sign != '-') || hours > 14 || minutes > 59)
        return false;
    *seconds = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);
    return true;
}

/* Reads "YYYY-MM-DD", optionally "HH:MM", and optionally a zone. */
static bool read_time(const char *text, time_t *moment)
{
    struct tm date = {.tm_hour = 23, .tm_min = 59, .tm_sec = 59, .tm_isdst = -1};
    int used = 0, more = 0, zone;
    bool local;
    if (sscanf(text, "%4d-%2d-%2d%n", &date.tm_year, &date.tm_mon, &date.tm_mday, &used) != 3 ||
        used != 10)
        return false;
    text += used;
    if ((*text == ' ' || *text == 'T') && isdigit((unsigned char)text[1])) {
        if (sscanf(text + 1, "%2d:%2d%n", &date.tm_hour, &date.tm_min, &more) != 2 || more != 5)
            return false;
        date.tm_sec = 0;
        text += 1 + more;
    }
    if (!read_zone(text + (*text == ' '), &local, &zone))
        return false;
    date.tm_year -= 1900;
    date.tm_mon -= 1;
    struct tm normal = date; /* mktime() turns the 30th of February into the 2nd of March */
    *moment = local ? mktime(&normal) : timegm(&normal) - zone;
    return normal.tm_mon == date.tm_mon && normal.tm_mday == date.tm_mday && date.tm_hour < 24 &&
           date.tm_min < 60 && date.tm_year >= 100;
}

bool settings_time(struct settings *settings, const yaml_node_t *node, const char *what,
                   int64_t *moment)
{
    const char *text = scalar(node);
    time_t read;
    if (!node)
        return false;
    if (text && read_time(text, &read)) {
        *moment = read;
        return true;
    }
    settings_complain(settings, node,
                      "%s must be a date such as 2026-11-30 or 2026-11-30 18:00 +01:00%s%s%s", what,
                      text ? ", not \"" : "", text ? text : "", text ? "\"" : "");
    return false;
}
