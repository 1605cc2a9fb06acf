/* Where does a result come from? The emulator knows of each byte of its memory whether a kernel
 * wrote it last (gpu/observe/origins.c), and hashes every copy to the host. Kernels made a result
 * if it consists of such copies, end to end, and kernels wrote all their bytes. A result that
 * main() computed, or changed afterwards, matches no copy; bytes that main() put into the GPU's
 * memory were not written by kernels.
 *
 * That leaves main() one way to cheat: it passes its own result to a kernel as an argument, or as
 * the size of a grid, and the kernel writes it. So main() sees a decoy input (gpu/remote/views.h),
 * and its result is replaced by the same copies from the device that had the judged input. If
 * main() saw the judged input, the copies must at least differ on a second device, whose data was
 * spoilt (gpu/remote/twin.h). */
#include "checks/judging.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "checks/internal.h"
#include "checks/run.h"
#include "checks/verdict.h"

/* Bytes to compare: a search through copies that a result has in another order must end, too. */
#define MOST_COMPARED ((size_t)1 << 28)

struct cover {
    const json_t *copies;
    const unsigned char *bytes;
    unsigned char *judged; /* receives the judged bytes for BYTES */
    size_t left;           /* bytes that no copy covers yet */
    /* Bytes of an element. Copies of less would let main() pick an answer's bytes from a table. */
    size_t element;
    size_t compared;  /* bytes so far */
    bool same;        /* all copies so far are the same with other data */
    size_t found, at; /* the copy whose judged bytes were taken last, and where they begin */
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

/* Takes the judged bytes of copy number INDEX. JUDGED holds those of all copies that kernels made,
 * end to end. */
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

/* Covers the beginning of the rest by a copy: first tries the one after copy *LAST, then all
 * others. False: no copy matches. */
static bool cover_front(struct cover *cover, const struct run *run, size_t *last)
{
    size_t count = json_array_size(cover->copies);
    for (size_t i = 0; i < count; ++i) {
        size_t candidate = (*last + 1 + i) % count;
        const json_t *copy = json_array_get(cover->copies, candidate);
        if (!is_copy(cover, copy))
            continue;
        if (run->plan.hides && !take_judged(cover, &run->judged, candidate))
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
static void judge_origin(struct answer *answer, const struct run *run, size_t size)
{
    struct cover cover = {.copies = json_object_get(run->record, "copies"),
                          .bytes = answer->array.values,
                          .judged = (unsigned char *)answer->values,
                          .left = size,
                          .element = case_type_size(answer->array.type),
                          .same = true};
    size_t last = json_array_size(cover.copies) - 1; /* so that the first copy is tried first */
    while (cover.left > 0 && cover_front(&cover, run, &last))
        ;
    answer->made = cover.left == 0;
    answer->same = answer->made && cover.same && !is_zero(answer->array.values, size) &&
                   !run->plan.backwards; /* an answer by luck may be wrong in the same way */
    answer->is_other_spoilt = run->plan.spoils;
    if (run->plan.hides)
        answer->array.values = answer->values;
}

const struct answer *check_answer(struct check *check, const struct run *run, const char *name)
{
    const struct case_array *result = case_find(run->result, name);
    struct run *keeper = &check->runs[run - check->runs];
    struct answer *answer = run->answers;
    while (answer && strcmp(answer->array.name, name) != 0)
        answer = answer->next;
    size_t size = result ? result->count * case_type_size(result->type) : 0;
    if (!answer && result && (answer = calloc(1, sizeof *answer + size + 1))) {
        answer->array = *result;
        answer->next = keeper->answers;
        keeper->answers = answer;
        judge_origin(answer, run, size);
    }
    if (!answer || answer->made || !run->plan.hides)
        return answer;
    run = check_run_openly(check, run);
    return run ? check_answer(check, run, name) : NULL;
}

void check_free_answers(struct run *run)
{
    while (run->answers) {
        struct answer *answer = run->answers;
        run->answers = answer->next;
        free(answer);
    }
}

/* Whether the program launched kernels, all of them a library's. */
static bool is_by_library(const struct run *run)
{
    size_t i, own = 0;
    json_t *launch, *launches = json_object_get(run->record, "launches");
    json_array_foreach(launches, i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        if (name && strncmp(name, "void ", 5) == 0) /* a template's name has its type */
            name += 5;
        own += !name || (strncmp(name, "cub::", 5) != 0 && strncmp(name, "thrust::", 8) != 0);
    }
    return own == 0 && json_array_size(launches) > 0;
}

/* main() can write to memory that it shares with the GPU, so nothing there counts as made by
 * kernels. */
static const char *how_to_hand_in(const struct run *run)
{
    if (check_requests(run, "lend") > 0)
        return "The answer must come from memory of cudaMalloc(), by cudaMemcpy(): what cudaMallocManaged() and cudaHostAlloc() give main() can write to as well.";
    return "Hand in what cudaMemcpy() brings from the GPU, as it is: main() must neither compute the answer nor change it.";
}

/* If main() saw the judged input, it may have done the work itself, while kernels read the data for
 * show. So such a run earns nothing in a check that asks for more than a right answer. */
static void needs_input_as_it_is(struct check *check, const struct run *run, const char *name)
{
    const struct check_info *info = check->info;
    bool must_be = info->figure.text || info->where == CHECK_COUNTS || info->closed_input;
    bool is_seen = run->was_altered || run->open;
    if (is_seen && must_be && !info->open_input)
        check_refuse(
            check, run,
            "Copy the input to the GPU as lab.h gives it. A kernel may change it there.",
            "%s is right, but main() has changed the numbers on their way to the GPU: there are no points then for how it was made",
            name);
}

void check_made_by_kernels(struct check *check, const struct run *run, const char *name)
{
    if (!run || !run->record || !check_is_open(check))
        return;
    if (is_by_library(run)) {
        check_refuse(check, run, "Write the kernel yourself: that is what the lab is about.",
                     "%s is right, but only kernels of a library have run", name);
        return;
    }
    const struct answer *answer = check_answer(check, run, name);
    if (!check_is_open(check))
        return;
    bool made = answer && answer->made, fixed = made && answer->same && answer->is_other_spoilt;
    if (made && !fixed) {
        needs_input_as_it_is(check, run, name);
        return;
    }
    check_fail(check, "failed", "%s is right, but %s", name,
               fixed ? "the same when the data on the GPU is changed"
                     : "not all of it was made by kernels");
    check_advise(check, "%s", how_to_hand_in(run));
}

/* How many bytes of the elements of ARRAY are the same in OTHER. */
static double share_equal(const struct case_array *array, const struct case_array *other)
{
    size_t size = case_type_size(array->type), equal = 0;
    const char *one = array->values, *two = other->values;
    for (size_t i = 0; i < array->count; ++i)
        equal += memcmp(one + i * size, two + i * size, size) == 0;
    return array->count > 0 ? (double)equal / (double)array->count : 0;
}

void check_through_shared(struct check *check, const struct run *run, const char *name,
                          const char *hint)
{
    if (!run || !run->record || !check_is_open(check))
        return;
    const struct answer *answer = check_answer(check, run, name);
    struct case_data *scrambled = check_run_scrambled(check, run);
    const struct case_array *other = scrambled ? case_find(scrambled, name) : NULL;
    if (answer && other && other->type == answer->array.type &&
        other->count == answer->array.count && share_equal(&answer->array, other) > 0.1)
        check_refuse(
            check, run, hint,
            "%s does not come from shared memory: it stays right when loads from there return wrong values",
            name);
    case_free(scrambled);
}

void check_ran(struct check *check, const struct run *run, const char *kernel)
{
    size_t i, length = strlen(kernel);
    json_t *launch;
    if (!run || !run->record || !check_is_open(check))
        return;
    json_array_foreach(json_object_get(run->record, "launches"), i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        /* Demangled: "sum_grid(int const*, int)", or with template arguments. */
        if (name && strncmp(name, kernel, length) == 0 && strchr("(<", name[length]))
            return;
    }
    check_fail(check, "failed", "the kernel %s() was not launched", kernel);
}
