/* Where did a result come from? The emulator keeps, for each byte of its memory, whether a kernel wrote it
 * last (observe/origins.c), and a hash of all that is copied to the host. A result is the kernels' own if
 * it is such copies, end to end, and kernels made all their bytes. What main() has computed, or changed
 * afterwards, is not among them; what it put into the GPU's memory itself was not made there. */
#include "checks/internal.h"

#include <string.h>

#include "run/files.h"

/* A search through copies in another order than they were made in must end, too. */
#define MOST_COMPARED ((size_t)1 << 28) /* bytes */

struct cover {
    const json_t *copies;
    const unsigned char *bytes;
    size_t left; /* not covered yet */
    size_t
        element; /* bytes: a copy of a part of one would let the host pick its bytes from a table */
    size_t compared; /* bytes, in all */
};

static bool is_copy(struct cover *cover, const json_t *copy)
{
    char hex[RUN_HASH_SIZE];
    size_t size = (size_t)json_integer_value(json_object_get(copy, "bytes"));
    if (!json_is_true(json_object_get(copy, "made")) || size == 0 || size > cover->left ||
        size % cover->element != 0 || cover->compared > MOST_COMPARED)
        return false;
    struct run_hash *hash = run_hash_new();
    if (!hash)
        return false;
    run_hash_add(hash, cover->bytes, size);
    run_hash_end(hash, hex);
    cover->compared += size;
    return strcmp(hex, json_string_value(json_object_get(copy, "sha256"))) == 0;
}

/* Covers the front of the result by a copy: the one after copy *LAST, or any. False: there is none. */
static bool cover_front(struct cover *cover, size_t *last)
{
    size_t count = json_array_size(cover->copies);
    for (size_t i = 0; i < count; ++i) {
        size_t candidate = (*last + 1 + i) % count;
        const json_t *copy = json_array_get(cover->copies, candidate);
        if (!is_copy(cover, copy))
            continue;
        size_t size = (size_t)json_integer_value(json_object_get(copy, "bytes"));
        cover->bytes += size;
        cover->left -= size;
        *last = candidate;
        return true;
    }
    return false;
}

void check_made_by_kernels(struct check *check, const struct trial *trial, const char *name)
{
    if (!trial || !trial->record || !check_is_open(check))
        return;
    const struct case_array *result = case_find(trial->result, name);
    struct cover cover = {.copies = json_object_get(trial->record, "copies"),
                          .bytes = result ? result->values : NULL,
                          .left = result ? result->count * case_type_size(result->type) : 0};
    cover.element = result ? case_type_size(result->type) : 1;
    size_t last = json_array_size(cover.copies) - 1; /* so that the first comes first */
    while (cover.left > 0 && cover_front(&cover, &last))
        ;
    if (cover.left == 0)
        return;
    check_fail(check, "failed", "%s is right, but not all of it was made by kernels", name);
    check_advise(check,
                 "Hand in what cudaMemcpy() brings from the GPU, as it is: main() must neither "
                 "compute the answer nor change it.");
}

void check_ran(struct check *check, const struct trial *trial, const char *kernel)
{
    size_t i, length = strlen(kernel);
    json_t *launch;
    if (!trial || !trial->record || !check_is_open(check))
        return;
    json_array_foreach(json_object_get(trial->record, "launches"), i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        /* Demangled: "sum_grid(int const*, int)", or with template arguments. */
        if (name && strncmp(name, kernel, length) == 0 && strchr("(<", name[length]))
            return;
    }
    check_fail(check, "failed", "the kernel %s() was not launched", kernel);
}
