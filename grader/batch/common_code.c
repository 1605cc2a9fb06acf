#include "batch/common_code.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "batch/key.h"
#include "similar/program.h"

#define SOURCE_BYTES ((size_t)1 << 20)

/* The state of reading a lab's common code. */
struct reading {
    struct common_code *given;
    struct batch_store *store;
    const struct batch_lab *lab;
    enum grading_device device;
    const char *gpu_arch;
};

static bool fail(struct common_code *given, const char *what, const char *why)
{
    snprintf(given->error, sizeof given->error, "%s: %s", what, why);
    return false;
}

/* --- compiled kernels ------------------------------------------------------------------------- */

/* Compiles SOURCE and adds its kernels to the fingerprint. */
static bool add_built(struct reading *reading, const struct text *source)
{
    const struct lab *lab = &reading->lab->lab;
    char folder[PATH_SIZE];
    struct compile_build build;
    if (!base_private_folder(folder))
        return fail(reading->given, "cannot make a folder for the compiler", strerror(errno));
    struct compile_job job = {.source = source,
                              .file_name = lab->file,
                              .shown = lab->file,
                              .device = reading->device,
                              .gpu_arch = reading->gpu_arch,
                              .level = sandbox_best_level(NULL, 0),
                              .folder = folder};
    compile_build(&job, &build);
    bool good = build.end == COMPILE_DONE &&
                fingerprint_add_program(build.program, &reading->given->kernels);
    if (!good)
        fail(reading->given, lab->name, build.messages ? build.messages : "cannot be built");
    compile_build_free(&build);
    base_remove_tree(folder);
    return good;
}

/* Sets HEX to a hash of everything that the fingerprint of the kernels depends on. */
static void hash_given(const struct reading *reading, char hex[HASH_SIZE])
{
    const struct common_code *given = reading->given;
    struct base_hash *hash = base_hash_new();
    hex[0] = 0;
    if (!hash)
        return;
    base_hash_add(hash, reading->lab->grader, strlen(reading->lab->grader) + 1);
    base_hash_add(hash, given->skeleton.bytes, given->skeleton.size + 1);
    base_hash_add(hash, given->solution.bytes, given->solution.size);
    base_hash_end(hash, hex);
}

/* Reads the fingerprint of the kernels from the store, which keeps it together with the hash of
 * hash_given(). If the fingerprint is missing or the hash differs, compiles the sources and stores
 * the new fingerprint. */
static bool find_kernels(struct reading *reading)
{
    struct common_code *given = reading->given;
    const char *lab = reading->lab->lab.name;
    char hex[HASH_SIZE], name[LAB_NAME_SIZE + 16], *kept;
    snprintf(name, sizeof name, "print %s", lab);
    hash_given(reading, hex);
    kept = batch_store_get(reading->store, name);
    if (kept && strncmp(kept, hex, HASH_SIZE - 1) == 0) {
        json_t *text = json_string(kept + HASH_SIZE - 1);
        bool read = fingerprint_read(text, &given->kernels);
        json_decref(text);
        free(kept);
        return read || fail(given, lab, "out of memory");
    }
    free(kept);
    if (!add_built(reading, &given->skeleton) ||
        (given->solution.bytes && !add_built(reading, &given->solution)))
        return false;
    json_t *text = fingerprint_json(&given->kernels);
    char *value;
    bool put = text && asprintf(&value, "%s%s", hex, json_string_value(text)) >= 0;
    json_decref(text);
    if (!put)
        return fail(given, lab, "out of memory");
    put = batch_store_set(reading->store, name, value);
    free(value);
    return put || fail(given, "the store", batch_store_error(reading->store));
}

/* --- sources ---------------------------------------------------------------------------------- */

/* Reads the lab's files. The skeleton must exist. The solution may be missing, because students'
 * kits do not contain it. */
static bool read_files(struct common_code *given, const struct lab *lab)
{
    char path[PATH_SIZE], why[100] = "the path is too long";
    if (!lab_pristine_path(lab, path) ||
        !base_read_file(path, SOURCE_BYTES, &given->skeleton, why, sizeof why))
        return fail(given, path, why);
    base_read_file(lab->solution, SOURCE_BYTES, &given->solution, why, sizeof why);
    return true;
}

static bool add_source(struct common_code *given, const struct text *text,
                       struct similar_source *source)
{
    return !text->bytes || (similar_source_read(source, text->bytes, text->size) &&
                            fingerprint_join(&given->statements, &source->statements));
}

bool common_code_read(struct common_code *given, struct batch_store *store,
                      const struct batch_lab *lab, enum grading_device device, const char *gpu_arch)
{
    struct reading reading = {given, store, lab, device, gpu_arch};
    if (!read_files(given, &lab->lab))
        return false;
    if (!add_source(given, &given->skeleton, &given->skeleton_source) ||
        !add_source(given, &given->solution, &given->solution_source))
        return fail(given, lab->lab.name, "out of memory, or too long");
    return find_kernels(&reading);
}

void common_code_free(struct common_code *given)
{
    free(given->skeleton.bytes);
    free(given->solution.bytes);
    similar_source_free(&given->skeleton_source);
    similar_source_free(&given->solution_source);
    fingerprint_free(&given->statements);
    fingerprint_free(&given->kernels);
}

bool common_code_is_file(const struct common_code *given, const char *wanted)
{
    const struct text *const files[] = {&given->skeleton, &given->solution};
    char hex[HASH_SIZE];
    for (size_t i = 0; i < 2; ++i) {
        if (!files[i]->bytes)
            continue;
        base_text_hash(files[i], hex);
        if (strcmp(hex, wanted) == 0)
            return true;
    }
    return false;
}
