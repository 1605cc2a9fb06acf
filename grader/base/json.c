/* Reads JSON documents. They come from outside and may lack any member. A missing member reads as
 * "" or 0. */
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
