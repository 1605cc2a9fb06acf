/* Copies values from a line of the record to the document, after checking their type and range. */
#include "record/parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "gpu/counters.h"

#define MAX_REAL        1e18
#define MAX_SOURCE_LINE (1 << 24) /* maximum line number in a source file */

bool copy_text(json_t *into, const json_t *object, const char *name, size_t max)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (!text)
        return false;
    size_t size = strnlen(text, max);
    char *copy = strndup(text, size);
    if (!copy)
        return false;
    base_clean_text(copy, size);
    for (char *at = copy; *at; at++)
        if (*at == '\n' || *at == '\t')
            *at = ' ';
    int failed = json_object_set_new(into, name, json_string(copy));
    free(copy);
    return failed == 0;
}

bool copy_is_number(const json_t *value, json_int_t max, json_int_t *number)
{
    *number = json_integer_value(value);
    return json_is_integer(value) && *number >= 0 && *number <= max;
}

bool copy_number(json_t *into, const json_t *object, const char *name, json_int_t max)
{
    json_int_t number;
    return copy_is_number(json_object_get(object, name), max, &number) &&
           json_object_set_new(into, name, json_integer(number)) == 0;
}

bool copy_real(json_t *into, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    double number = json_number_value(value);
    return json_is_number(value) && number >= 0 && number < MAX_REAL &&
           json_object_set_new(into, name, json_real(number)) == 0;
}

bool copy_place(json_t *into, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number;
    bool known = copy_is_number(value, MAX_SOURCE_LINE, &number);
    return json_is_integer(value) &&
           json_object_set_new(into, name, json_integer(known ? number : 0)) == 0;
}

bool copy_triple(json_t *into, const json_t *object, const char *name)
{
    const json_t *from = json_object_get(object, name);
    json_t *triple = json_array();
    bool good = json_array_size(from) == 3;
    for (size_t i = 0; i < 3 && good; i++) {
        json_int_t number;
        good = copy_is_number(json_array_get(from, i), UINT32_MAX, &number) &&
               json_array_append_new(triple, json_integer(number)) == 0;
    }
    if (good)
        return json_object_set_new(into, name, triple) == 0;
    json_decref(triple);
    return false;
}

bool copy_counters(json_t *into, const json_t *object, bool all)
{
    const json_t *from = json_object_get(object, "counters");
    json_t *counters = json_object();
    bool good = json_is_object(from);
    for (int i = 0; i < EMU_COUNTER_COUNT && good; i++) {
        const char *name = emu_counter_name(i);
        if ((all && i < EMU_COUNTERS_ALWAYS) || json_object_get(from, name))
            good = copy_number(counters, from, name, RECORD_COUNTER);
    }
    if (good)
        return json_object_set_new(into, "counters", counters) == 0;
    json_decref(counters);
    return false;
}
