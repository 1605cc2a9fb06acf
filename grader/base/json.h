/* Reading JSON documents that may lack what is looked for. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

/* The text that OBJECT has under KEY, as long-lived as OBJECT; "" if there is none, or no object. */
const char *json_text_of(const json_t *object, const char *key);

#endif
