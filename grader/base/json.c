/* Reads members of JSON documents from outside, in which any member may be missing. */
#include "base/json.h"

const char *json_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

json_int_t json_integer_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

double json_number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

bool json_array_has(const json_t *array, const json_t *value)
{
    size_t i;
    json_t *element;
    json_array_foreach((json_t *)array, i, element)
    {
        if (json_equal(element, value))
            return true;
    }
    return false;
}
