/* Documents come from elsewhere: what is missing is as good as empty. */
#include "base/json.h"

const char *json_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}
