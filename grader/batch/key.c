#include "batch/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/graded_by.h"

static void add_text(struct run_hash *hash, const char *text)
{
    run_hash_add(hash, text, strlen(text) + 1); /* with its NUL: "ab","c" is not "a","bc" */
}

bool batch_grader_hash(const struct run_lab *lab, enum run_device device, const char *gpu_arch,
                       char hex[RUN_HASH_SIZE])
{
    struct run_hash *hash = run_hash_new();
    json_t *grader = json_pack("{s:o*, s:O, s:s}", "by", run_graded_by(lab), "lab", lab->declared,
                               "arch", device == RUN_GPU ? gpu_arch : "");
    char *text = json_dumps(grader, JSON_COMPACT | JSON_SORT_KEYS);
    bool good = hash && text && json_object_get(grader, "by");
    if (good) {
        add_text(hash, text);
        run_hash_end(hash, hex);
    } else
        free(hash);
    json_decref(grader);
    free(text);
    return good;
}

void batch_source_hash(const struct run_text *source, char hex[RUN_HASH_SIZE])
{
    struct run_hash *hash = run_hash_new();
    hex[0] = 0;
    if (!hash)
        return;
    run_hash_add(hash, source->bytes, source->size);
    run_hash_end(hash, hex);
}

void batch_key_hash(const char *source_hash, const char *lab, const char *grader_hash,
                    enum run_device device, uint64_t seed, char hex[RUN_HASH_SIZE])
{
    struct run_hash *hash = run_hash_new();
    char number[40];
    hex[0] = 0;
    if (!hash)
        return;
    snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
    const char *parts[] = {source_hash, lab, grader_hash, run_device_name(device), number};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        add_text(hash, parts[i]);
    run_hash_end(hash, hex);
}
