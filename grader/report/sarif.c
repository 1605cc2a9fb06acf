#include "report/sarif.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/version.h"
#include "gpu/finding_kinds.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* The parts of the SARIF log under construction. */
struct log {
    json_t *rules, *results;
};

static json_t *text_json(const char *text)
{
    return json_pack("{s:s}", "text", text);
}

/* Returns PATH as an escaped URI, with a scheme if PATH is absolute. */
static json_t *uri_of(const char *path)
{
    char *uri = NULL;
    size_t size;
    FILE *to = open_memstream(&uri, &size);
    if (!to)
        return NULL;
    fputs(*path == '/' ? "file://" : "", to);
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("/._~-", *path))
            fputc(*path, to);
        else
            fprintf(to, "%%%02X", (unsigned char)*path);
    fclose(to);
    json_t *value = json_string(uri);
    free(uri);
    return value;
}

/* Returns a location made of OBJECT's "file", "line" and, if known, "column". */
static json_t *location_of(const json_t *object)
{
    json_t *region = json_pack("{s:I}", "startLine", json_integer_of(object, "line"));
    if (json_integer_of(object, "column") > 0)
        json_object_set_new(region, "startColumn", json_integer(json_integer_of(object, "column")));
    return json_pack("{s:{s:{s:o}, s:o}}", "physicalLocation", "artifactLocation", "uri",
                     uri_of(json_text_of(object, "file")), "region", region);
}

static bool has_place(const json_t *object)
{
    return *json_text_of(object, "file") && json_integer_of(object, "line") > 0;
}

/* Returns the index of the rule for ID, and adds the rule if it is new. */
static size_t rule_of(struct log *log, const char *id, const char *level)
{
    size_t i;
    json_t *rule;
    json_array_foreach(log->rules, i, rule)
    {
        if (strcmp(json_text_of(rule, "id"), id) == 0)
            return i;
    }
    const struct finding_kind *kind = emu_finding_kind(id);
    rule = json_pack("{s:s, s:{s:s}}", "id", id, "defaultConfiguration", "level", level);
    if (kind) {
        json_object_set_new(rule, "shortDescription", text_json(kind->title));
        json_object_set_new(rule, "fullDescription", text_json(kind->text));
        json_object_set_new(rule, "help", text_json(kind->help));
    }
    json_array_append_new(log->rules, rule);
    return i;
}

/* Returns a SARIF message made of FINDING's message, cause and ideal cost. */
static json_t *message_of(const json_t *finding)
{
    const char *cause = json_text_of(finding, "cause"), *spare = json_text_of(finding, "spare");
    char *text;
    if (asprintf(&text, "%s%s%s%s%s", json_text_of(finding, "message"), *cause ? "; " : "", cause,
                 *spare ? "; ideal here: " : "", spare) < 0)
        return NULL;
    json_t *message = text_json(text);
    free(text);
    return message;
}

static void add_result(struct log *log, const json_t *finding)
{
    const char *id = json_text_of(finding, "id");
    /* "warning", "note" and "error" are also levels of SARIF */
    const char *severity = json_text_of(finding, "severity");
    bool is_known = strcmp(severity, "warning") == 0 || strcmp(severity, "note") == 0;
    const char *level = is_known ? severity : "error";
    size_t i, rule = rule_of(log, id, level);
    json_t *place, *locations = json_array(), *related = json_array();
    if (has_place(finding))
        json_array_append_new(locations, location_of(finding));
    json_array_foreach(json_object_get(finding, "related"), i, place)
    {
        if (!has_place(place))
            continue;
        json_t *location = location_of(place);
        if (*json_text_of(place, "message"))
            json_object_set_new(location, "message", text_json(json_text_of(place, "message")));
        json_array_append_new(related, location);
    }
    json_array_append_new(log->results, json_pack("{s:s, s:I, s:s, s:o, s:o, s:o}", "ruleId", id,
                                                  "ruleIndex", (json_int_t)rule, "level", level,
                                                  "message", message_of(finding), "locations",
                                                  locations, "relatedLocations", related));
}

static void add_findings(struct log *log, const json_t *document)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(document, "findings"), i, finding) add_result(log, finding);
}

json_t *report_sarif(const json_t *document)
{
    struct log log = {json_array(), json_array()};
    size_t i;
    json_t *result;
    add_findings(&log, document);
    json_array_foreach(json_object_get(document, "results"), i, result) add_findings(&log, result);
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema", SCHEMA,
                     "version", "2.1.0", "runs", "tool", "driver", "name", "Lanewise", "version",
                     LANEWISE_VERSION, "rules", log.rules, "columnKind", "unicodeCodePoints",
                     "results", log.results);
}
