#include "batch/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/graded_by.h"

static void add_text(struct base_hash *hash, const char *text)
{
    /* the NUL is hashed, too, so that "ab", "c" differs from "a", "bc" */
    base_hash_add(hash, text, strlen(text) + 1);
}

bool batch_grader_hash(const struct lab *lab, enum grading_device device, const char *gpu_arch,
                       char hex[HASH_SIZE])
{
    struct base_hash *hash = base_hash_new();
    json_t *grader = json_pack("{s:o*, s:O, s:s}", "by", graded_by_json(lab), "lab", lab->declared,
                               "arch", device == ON_GPU ? gpu_arch : "");
    char *text = json_dumps(grader, JSON_COMPACT | JSON_SORT_KEYS);
    bool good = hash && text && json_object_get(grader, "by");
    if (good) {
        add_text(hash, text);
        base_hash_end(hash, hex);
    } else
        free(hash);
    json_decref(grader);
    free(text);
    return good;
}

void batch_key_hash(const char *source_hash, const char *lab, const char *grader_hash,
                    enum grading_device device, const struct grade_seed *seed, char hex[HASH_SIZE])
{
    struct base_hash *hash = base_hash_new();
    char number[40];
    hex[0] = 0;
    if (!hash)
        return;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed->number);
    const char *parts[] = {source_hash, lab,         grader_hash, grading_device_name(device),
                           number,      seed->secret};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        add_text(hash, parts[i]);
    base_hash_end(hash, hex);
}
