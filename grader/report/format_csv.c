/* Writes CSV (RFC 4180) with one row for each check. */
#include "report/format.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/cause.h"

/* Returns true if a spreadsheet would treat TEXT as a formula, which can start programs. The writer
 * then puts an apostrophe before TEXT, which marks it as text. */
static bool looks_like_a_formula(const char *text)
{
    return *text && strchr("=+-@\t", *text);
}

void report_csv_field(FILE *to, const char *text)
{
    char *clean = strdup(text);
    if (!clean)
        return;
    base_clean_text(clean, strlen(clean));
    bool formula = looks_like_a_formula(clean), quoted = formula || strpbrk(clean, ",\"\n");
    fprintf(to, "%s%s", quoted ? "\"" : "", formula ? "'" : "");
    for (const char *at = clean; *at; at++)
        fprintf(to, *at == '"' ? "\"\"" : "%c", *at);
    fputs(quoted ? "\"" : "", to);
    free(clean);
}

static void put_row(FILE *to, const json_t *result, const json_t *check)
{
    static const char *const of_check[] = {"id", "title", "status"};
    char *message = report_message(result, check);
    report_csv_field(to, json_string_value(json_object_get(result, "lab")) ?: "");
    for (size_t i = 0; i < 3; i++) {
        fputc(',', to);
        report_csv_field(to, json_string_value(json_object_get(check, of_check[i])) ?: "");
    }
    fprintf(to, ",%.6g,%.6g", json_number_of(check, "points"), json_number_of(check, "max_points"));
    fputc(',', to);
    report_csv_field(to, json_text_of(check, "case"));
    fputc(',', to);
    report_csv_field(to, message ?: "");
    fputs("\r\n", to);
    free(message);
}

void report_csv(FILE *to, const json_t *document, const struct report_context *context)
{
    json_t *results = report_results(document);
    size_t i, j;
    json_t *result, *check;
    fputs("lab,check,title,status,points,max_points,case,message\r\n", to);
    json_array_foreach(results, i, result)
    {
        json_array_foreach(json_object_get(result, "checks"), j, check) put_row(to, result, check);
    }
    json_decref(results);
}
