#include "report/markup.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void end_tag(struct markup *m)
{
    if (m->in_tag)
        fputc('>', m->to);
    m->in_tag = false;
}

/* Writes untrusted bytes, escaped for text and for the values of attributes. */
static void put_escaped(FILE *to, char *text, size_t length)
{
    base_clean_text(text, length);
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '&':
            fputs("&amp;", to);
            break;
        case '<':
            fputs("&lt;", to);
            break;
        case '>':
            fputs("&gt;", to);
            break;
        case '"':
            fputs("&quot;", to);
            break;
        case '\'':
            fputs("&#39;", to);
            break;
        default:
            fputc(text[i], to);
        }
    }
}

static void put_formatted(FILE *to, const char *format, va_list arguments)
{
    char *text;
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return;
    put_escaped(to, text, (size_t)length);
    free(text);
}

void markup_open(struct markup *m, const char *element)
{
    assert(m->depth < MARKUP_DEPTH);
    end_tag(m);
    fprintf(m->to, "<%s", element);
    m->open[m->depth++] = element;
    m->in_tag = true;
}

void markup_set(struct markup *m, const char *attribute, const char *format, ...)
{
    va_list arguments;
    assert(m->in_tag);
    fprintf(m->to, " %s=\"", attribute);
    va_start(arguments, format);
    put_formatted(m->to, format, arguments);
    va_end(arguments);
    fputc('"', m->to);
}

void markup_open_classed(struct markup *m, const char *element, const char *class)
{
    markup_open(m, element);
    markup_set(m, "class", "%s", class);
}

void markup_text(struct markup *m, const char *format, ...)
{
    va_list arguments;
    end_tag(m);
    va_start(arguments, format);
    put_formatted(m->to, format, arguments);
    va_end(arguments);
}

void markup_bytes(struct markup *m, const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    end_tag(m);
    if (copy)
        put_escaped(m->to, memcpy(copy, text, length), length);
    free(copy);
}

void markup_raw(struct markup *m, const char *text)
{
    end_tag(m);
    fputs(text, m->to);
}

void markup_close(struct markup *m)
{
    assert(m->depth > 0);
    end_tag(m);
    fprintf(m->to, "</%s>", m->open[--m->depth]);
}

void markup_close_void(struct markup *m)
{
    assert(m->in_tag);
    m->depth--;
    end_tag(m);
}

void markup_break(struct markup *m)
{
    end_tag(m);
    fputc('\n', m->to);
}

void markup_close_line(struct markup *m)
{
    markup_close(m);
    markup_break(m);
}

void markup_leaf(struct markup *m, const char *element, const char *class, const char *format, ...)
{
    va_list arguments;
    markup_open(m, element);
    if (class)
        markup_set(m, "class", "%s", class);
    end_tag(m);
    va_start(arguments, format);
    put_formatted(m->to, format, arguments);
    va_end(arguments);
    markup_close(m);
}
