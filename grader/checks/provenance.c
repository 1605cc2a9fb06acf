/* Where did a result come from? The emulator keeps, for each byte of its memory, whether a kernel wrote it
 * last (observe/origins.c), and a hash of all that is copied to the host. A result is the kernels' own if
 * it is such copies, end to end, and kernels made all their bytes. What main() has computed, or changed
 * afterwards, is not among them; what it put into the GPU's memory itself was not made there.
 *
 * That leaves main() a way in: what it has worked out comes to a kernel as an argument, or as the size of a grid,
 * and the kernel writes it. So main() is shown another input than the one that kernels work on (gpu/remote/views.h),
 * and the copies that its result consists of are looked up on the GPU that had the right one. If it was not shown
 * another, the same copies must at least be others where the data on the GPU was spoilt (gpu/remote/twin.h). */
#include "checks/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* A search through copies in another order than they were made in must end, too. */
#define MOST_COMPARED ((size_t)1 << 28) /* bytes */

struct cover {
    const json_t *copies;
    const unsigned char *bytes;
    unsigned char *judged; /* where what was made in the place of BYTES goes */
    size_t left;           /* not covered yet */
    /* bytes: a copy of a part of one would let the host pick its bytes from a table */
    size_t element;
    size_t compared;  /* bytes, in all */
    bool same;        /* all copies so far are the same with other data */
    size_t found, at; /* the copy whose judged bytes were looked up last, and where they begin */
};

static size_t size_of(const json_t *copy)
{
    return (size_t)json_integer_of(copy, "bytes");
}

static bool is_made(const json_t *copy)
{
    return json_is_true(json_object_get(copy, "made"));
}

static bool is_copy(struct cover *cover, const json_t *copy)
{
    char hex[HASH_SIZE];
    size_t size = size_of(copy);
    if (!is_made(copy) || size == 0 || size > cover->left || size % cover->element != 0 ||
        cover->compared > MOST_COMPARED)
        return false;
    struct base_hash *hash = base_hash_new();
    if (!hash)
        return false;
    base_hash_add(hash, cover->bytes, size);
    base_hash_end(hash, hex);
    cover->compared += size;
    return strcmp(hex, json_string_value(json_object_get(copy, "sha256"))) == 0;
}

/* Takes the judged bytes of copy number INDEX: those of all copies that kernels made lie end to end. */
static bool take_judged(struct cover *cover, const struct text *judged, size_t index)
{
    size_t size = size_of(json_array_get(cover->copies, index));
    if (index < cover->found)
        cover->found = cover->at = 0;
    for (; cover->found < index; ++cover->found) {
        const json_t *copy = json_array_get(cover->copies, cover->found);
        cover->at += is_made(copy) ? size_of(copy) : 0;
    }
    if (cover->at + size > judged->size)
        return false;
    memcpy(cover->judged, judged->bytes + cover->at, size);
    return true;
}

/* Covers the front of the result by a copy: the one after copy *LAST, or any. False: there is none. */
static bool cover_front(struct cover *cover, const struct trial *trial, size_t *last)
{
    size_t count = json_array_size(cover->copies);
    for (size_t i = 0; i < count; ++i) {
        size_t candidate = (*last + 1 + i) % count;
        const json_t *copy = json_array_get(cover->copies, candidate);
        if (!is_copy(cover, copy))
            continue;
        if (trial->run.hides && !take_judged(cover, &trial->judged, candidate))
            return false;
        size_t size = size_of(copy);
        cover->bytes += size;
        cover->judged += size;
        cover->left -= size;
        cover->same = cover->same && json_is_true(json_object_get(copy, "same"));
        *last = candidate;
        return true;
    }
    return false;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Fills ANSWER, which has the program's own values, with the judged ones. */
static void judge_origin(struct answer *answer, const struct trial *trial, size_t size)
{
    struct cover cover = {.copies = json_object_get(trial->record, "copies"),
                          .bytes = answer->array.values,
                          .judged = (unsigned char *)answer->values,
                          .left = size,
                          .element = case_type_size(answer->array.type),
                          .same = true};
    size_t last = json_array_size(cover.copies) - 1; /* so that the first comes first */
    while (cover.left > 0 && cover_front(&cover, trial, &last))
        ;
    answer->made = cover.left == 0;
    answer->same = answer->made && cover.same && !is_zero(answer->array.values, size) &&
                   !trial->run.backwards; /* an answer that is by luck may be the same bad one */
    answer->is_other_spoilt = trial->run.spoils;
    if (trial->run.hides)
        answer->array.values = answer->values;
}

const struct answer *check_answer(struct check *check, const struct trial *trial, const char *name)
{
    const struct case_array *result = case_find(trial->result, name);
    struct trial *keeper = &check->trials[trial - check->trials];
    struct answer *answer = trial->answers;
    while (answer && strcmp(answer->array.name, name) != 0)
        answer = answer->next;
    size_t size = result ? result->count * case_type_size(result->type) : 0;
    if (!answer && result && (answer = calloc(1, sizeof *answer + size + 1))) {
        answer->array = *result;
        answer->next = keeper->answers;
        keeper->answers = answer;
        judge_origin(answer, trial, size);
    }
    if (!answer || answer->made || !trial->run.hides)
        return answer;
    trial = check_run_openly(check, trial);
    return trial ? check_answer(check, trial, name) : NULL;
}

void check_free_answers(struct trial *trial)
{
    while (trial->answers) {
        struct answer *answer = trial->answers;
        trial->answers = answer->next;
        free(answer);
    }
}

/* Has the program launched kernels, but no other than a library's? */
static bool is_by_library(const struct trial *trial)
{
    size_t i, own = 0;
    json_t *launch, *launches = json_object_get(trial->record, "launches");
    json_array_foreach(launches, i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        if (name && strncmp(name, "void ", 5) == 0) /* of a template */
            name += 5;
        own += !name || (strncmp(name, "cub::", 5) != 0 && strncmp(name, "thrust::", 8) != 0);
    }
    return own == 0 && json_array_size(launches) > 0;
}

/* What main() shares with the GPU it could have written itself, so nothing there counts as made by kernels. */
static const char *how_to_hand_in(const struct trial *trial)
{
    if (check_requests(trial, "lend") > 0)
        return "The answer must come from memory of cudaMalloc(), by cudaMemcpy(): what cudaMallocManaged() and cudaHostAlloc() give main() can write to as well.";
    return "Hand in what cudaMemcpy() brings from the GPU, as it is: main() must neither compute the answer nor change it.";
}

/* Where main() has seen the input that is judged, it may have done the work, and have kernels look at the data for
 * show. So such a run earns nothing where more is asked for than a right answer. */
static void needs_input_as_it_is(struct check *check, const struct trial *trial, const char *name)
{
    const struct check_info *info = check->info;
    bool must_be = info->figure.text || info->where == CHECK_COUNTS || info->closed_input;
    bool is_seen = trial->was_altered || trial->open;
    if (is_seen && must_be && !info->open_input)
        check_refuse(
            check, trial,
            "Copy the input to the GPU as lab.h gives it. A kernel may change it there.",
            "%s is right, but main() has changed the numbers on their way to the GPU: there are no points then for how it was made",
            name);
}

void check_made_by_kernels(struct check *check, const struct trial *trial, const char *name)
{
    if (!trial || !trial->record || !check_is_open(check))
        return;
    if (is_by_library(trial)) {
        check_refuse(check, trial, "Write the kernel yourself: that is what the lab is about.",
                     "%s is right, but only kernels of a library have run", name);
        return;
    }
    const struct answer *answer = check_answer(check, trial, name);
    if (!check_is_open(check))
        return;
    bool made = answer && answer->made, fixed = made && answer->same && answer->is_other_spoilt;
    if (made && !fixed) {
        needs_input_as_it_is(check, trial, name);
        return;
    }
    check_fail(check, "failed", "%s is right, but %s", name,
               fixed ? "the same when the data on the GPU is changed"
                     : "not all of it was made by kernels");
    check_advise(check, "%s", how_to_hand_in(trial));
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
