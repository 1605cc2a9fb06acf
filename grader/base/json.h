/* Reads members of JSON objects. A missing member reads as "" or 0. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Return the member KEY of OBJECT, or "" or 0 if OBJECT is NULL, has no such member, or has a
 * member of another type. The text belongs to OBJECT. */
const char *json_text_of(const json_t *object, const char *key);
json_int_t json_integer_of(const json_t *object, const char *key);
double json_number_of(const json_t *object, const char *key); /* an integer or a real */

/* Returns whether ARRAY has an element equal to VALUE. ARRAY may be NULL. */
bool json_array_has(const json_t *array, const json_t *value);

#endif
