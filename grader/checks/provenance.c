/* Finds out whether kernels computed a result. The emulator knows for each byte of its memory
 * whether a kernel wrote it last (gpu/observe/origins.c), and hashes every copy to the host.
 * Kernels computed a result if it consists of such copies, one after another, and if kernels wrote
 * all bytes of these copies. Other results do not pass: a result that main() computed or changed
 * matches no copy, and bytes that main() put into the GPU's memory were not written by kernels.
 *
 * There is one more way to cheat: main() computes the result and passes it to a kernel, as an
 * argument or as the size of a grid, and the kernel writes it. So main() sees a decoy input
 * (gpu/remote/views.h), and the grader replaces its result by the same copies from the device that
 * had the judged input. If main() saw the judged input, the copies must at least be different on a
 * second device with spoilt data (gpu/remote/twin.h).
 *
 * If main() and kernels share memory ("lent" memory), main() reads results from it without a copy.
 * The device with the judged input has its own version of that memory, so the grader knows both
 * versions of each part that kernels wrote (twin.h). These parts count like copies. */
#include "checks/judging.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "checks/internal.h"
#include "checks/run.h"
#include "checks/verdict.h"

/* The number of bytes that one search may compare. So the search ends even if a result contains
 * copies in a different order. Looking at a copy costs as much as comparing COPY_COST bytes. */
#define MOST_COMPARED ((size_t)1 << 28)
#define COPY_COST     64
/* Bytes of a word. Parts of lent memory begin at whole words. An element of a result is one or more
 * words, or a byte. */
#define WORD 4

/* A copy to the host, or memory that kernels wrote and the host can read without a copy (LENT). */
struct copy {
    size_t size, at;  /* bytes; AT is the offset of its answers */
    long long launch; /* number of the launch after which it was made */
    bool made, lent;  /* kernels wrote all bytes */
    bool same;        /* the bytes are the same with other data */
    const char *sha256;
};

struct cover {
    const struct copy *copies;
    size_t count;
    /* the judged bytes of all copies, or NULL if main() saw the judged input */
    const struct text *answers;
    const unsigned char *bytes;
    unsigned char *judged; /* gets the judged bytes that replace BYTES */
    size_t left;           /* number of bytes that no copy covers yet */
    /* Bytes of an element of the result. Copies of less than an element or a word do not count.
     * Otherwise main() could assemble any answer from such copies of a table. */
    size_t element;
    size_t compared; /* number of bytes compared so far */
    size_t hashed;   /* HASH is that of the first HASHED uncovered bytes */
    char hash[HASH_SIZE];
    bool prefers_long; /* takes the longest copy that fits; if false, the first */
    bool same;         /* all copies so far stay the same with other data */
};

/* The copy, or part of a copy, that covers the first uncovered bytes. INDEX is the number of the
 * copy. */
struct piece {
    size_t index, size;
    const unsigned char *seen; /* the array's bytes as main() sees them */
    /* the judged bytes that replace SEEN, or NULL if SEEN itself is judged */
    const unsigned char *judged;
    /* SAME: these bytes are the same with other data; WHOLE: they are a whole copy */
    bool same, whole;
};

/* Reads the list of copies in a record. Returns NULL when out of memory. */
static struct copy *read_copies(json_t *list)
{
    struct copy *copies = calloc(json_array_size(list) + 1, sizeof *copies);
    size_t at = 0, i;
    json_t *entry;
    json_array_foreach(copies ? list : NULL, i, entry)
    {
        copies[i] = (struct copy){.size = (size_t)json_integer_of(entry, "bytes"),
                                  .at = at,
                                  .launch = json_integer_of(entry, "launch"),
                                  .made = json_is_true(json_object_get(entry, "made")),
                                  .lent = json_is_true(json_object_get(entry, "lent")),
                                  .same = json_is_true(json_object_get(entry, "same")),
                                  .sha256 = json_text_of(entry, "sha256")};
        at += copies[i].lent ? 2 * copies[i].size : copies[i].made ? copies[i].size : 0;
    }
    return copies;
}

/* Returns the answers for COPY, or NULL if the file ends before them. The file has the answers for
 * all copies, one after another. For a copy of memory that kernels wrote, they are the judged
 * bytes; for lent memory, they are the bytes that main() sees, followed by the judged bytes. */
static const unsigned char *answers_of(const struct cover *cover, const struct copy *copy)
{
    size_t size = copy->lent ? 2 * copy->size : copy->made ? copy->size : 0;
    return copy->at + size <= cover->answers->size
               ? (const unsigned char *)cover->answers->bytes + copy->at
               : NULL;
}

/* Hashes the first SIZE uncovered bytes. Returns false when out of memory. */
static bool hash_next(struct cover *cover, size_t size)
{
    struct base_hash *hash = base_hash_new();
    if (!hash)
        return false;
    base_hash_add(hash, cover->bytes, size);
    base_hash_end(hash, cover->hash);
    cover->hashed = size;
    cover->compared += size;
    return true;
}

static bool is_copy(struct cover *cover, const struct copy *copy)
{
    size_t size = copy->size;
    cover->compared += COPY_COST;
    if (!copy->made || size == 0 || size > cover->left || size % cover->element != 0 ||
        (size < WORD && size < cover->left) || cover->compared > MOST_COMPARED)
        return false;
    return (size == cover->hashed || hash_next(cover, size)) &&
           strcmp(cover->hash, copy->sha256) == 0;
}

/* Sets the judged bytes of PIECE, a copy. Returns false if its answers are missing. */
static bool add_judged(struct cover *cover, struct piece *piece)
{
    const struct copy *copy = &cover->copies[piece->index];
    piece->judged = cover->answers ? answers_of(cover, copy) : NULL;
    piece->same = copy->same;
    return !cover->answers || piece->judged;
}

/* Finds a copy that covers the first uncovered bytes. First tries the copy after number LAST, then
 * all others. Takes the first copy that fits, or the longest if COVER prefers long copies. */
static bool find_copy(struct cover *cover, size_t last, struct piece *piece)
{
    const struct copy *found = NULL;
    for (size_t i = 0; i < cover->count && (!found || cover->prefers_long); ++i) {
        size_t index = (last + 1 + i) % cover->count;
        const struct copy *copy = &cover->copies[index];
        if ((found && copy->size <= piece->size) || !is_copy(cover, copy))
            continue;
        found = copy;
        *piece = (struct piece){.index = index, .size = copy->size};
    }
    return found && add_judged(cover, piece);
}

static uint32_t word_of(const unsigned char *bytes, size_t index)
{
    uint32_t word;
    memcpy(&word, bytes + index * WORD, WORD);
    return word;
}

/* One step of the search by Knuth, Morris and Pratt. MATCHED is the number of words at the
 * beginning of the uncovered bytes that match the words before NEXT. Returns this number after
 * NEXT. FAILS[i] is the length of the longest proper prefix of the first i + 1 words that is also
 * their suffix. */
static size_t advance(const struct cover *cover, const uint32_t *fails, size_t matched,
                      uint32_t next)
{
    while (matched > 0 && word_of(cover->bytes, matched) != next)
        matched = fails[matched - 1];
    return matched + (word_of(cover->bytes, matched) == next);
}

/* Makes FAILS for the first COUNT words of the uncovered bytes. Returns NULL when out of memory. */
static uint32_t *new_fails(const struct cover *cover, size_t count)
{
    uint32_t *fails = calloc(count + 1, sizeof *fails);
    for (size_t i = 1; fails && i < count; ++i)
        fails[i] = (uint32_t)advance(cover, fails, fails[i - 1], word_of(cover->bytes, i));
    return fails;
}

/* Returns whether lent copy INDEX was written by a later launch than lent copy OTHER. If one launch
 * wrote both, returns whether INDEX comes later in the record. */
static bool is_later(const struct cover *cover, size_t index, size_t other)
{
    long long launch = cover->copies[index].launch, others = cover->copies[other].launch;
    return launch > others || (launch == others && index > other);
}

/* Finds the longest part of lent copy INDEX with which the answer's uncovered bytes begin. Compares
 * at most MOST words. */
static void find_part(struct cover *cover, const uint32_t *fails, size_t most, size_t index,
                      struct piece *longest)
{
    size_t all = cover->copies[index].size, matched = 0;
    const unsigned char *seen = answers_of(cover, &cover->copies[index]);
    cover->compared += all;
    for (size_t i = 0; seen && i < all / WORD && matched < most; ++i) {
        matched = advance(cover, fails, matched, word_of(seen, i));
        size_t size = matched * WORD - matched * WORD % cover->element;
        const unsigned char *at = seen + (i + 1 - matched) * WORD;
        bool later = is_later(cover, index, longest->index) && (size == all || !longest->whole);
        if (size > longest->size || (size > 0 && size == longest->size && later))
            *longest = (struct piece){index, size, at, at + all, .whole = size == all};
    }
}

/* Returns whether lent copy INDEX and the uncovered bytes are equal, up to the length of the
 * shorter of the two. */
static bool is_next(struct cover *cover, size_t index, struct piece *piece)
{
    const struct copy *copy = &cover->copies[index];
    size_t all = copy->size, size = all < cover->left ? all : cover->left;
    const unsigned char *seen = copy->lent ? answers_of(cover, copy) : NULL;
    size -= size % cover->element;
    if (!seen || size == 0 || memcmp(seen, cover->bytes, size) != 0)
        return false;
    *piece = (struct piece){index, size, seen, seen + all, .whole = size == all};
    return true;
}

/* Finds the latest lent copy that begins with all uncovered bytes. They may end in the middle of a
 * word. Returns false if there is none. */
static bool has_all(struct cover *cover, struct piece *piece)
{
    struct piece latest = {0};
    for (size_t i = 0; i < cover->count; ++i)
        if (cover->copies[i].size >= cover->left &&
            (latest.size == 0 || is_later(cover, i, latest.index)) && is_next(cover, i, &latest))
            *piece = latest;
    return latest.size > 0;
}

/* Finds the longest part of lent memory with which the uncovered bytes begin. Of equally long
 * parts, prefers a whole copy, then the latest part. */
static bool find_longest(struct cover *cover, struct piece *piece)
{
    size_t most = 0;
    for (size_t i = 0; i < cover->count; ++i) {
        const struct copy *copy = &cover->copies[i];
        most = copy->lent && copy->size > most ? copy->size : most;
    }
    most = (most < cover->left ? most : cover->left) / WORD;
    *piece = (struct piece){0};
    cover->compared += most * WORD;
    uint32_t *fails = most > 0 && cover->compared <= MOST_COMPARED ? new_fails(cover, most) : NULL;
    for (size_t i = 0; fails && i < cover->count && cover->compared <= MOST_COMPARED; ++i)
        if (cover->copies[i].lent)
            find_part(cover, fails, most, i, piece);
    free(fails);
    return piece->size > 0;
}

/* Does the same as find_copy(), but for lent memory. First tries the copy after number LAST,
 * because rows often follow one another. */
static bool find_lent(struct cover *cover, size_t last, struct piece *piece)
{
    bool found = cover->answers && (is_next(cover, last + 1, piece) || has_all(cover, piece) ||
                                    find_longest(cover, piece));
    if (found)
        piece->same = memcmp(piece->seen, piece->judged, piece->size) == 0;
    return found;
}

static void use_piece(struct cover *cover, const struct piece *piece)
{
    if (piece->judged)
        memcpy(cover->judged, piece->judged, piece->size);
    cover->bytes += piece->size;
    cover->hashed = 0;
    cover->judged += piece->size;
    cover->left -= piece->size;
    cover->same = cover->same && piece->same;
}

/* Covers the first uncovered bytes. *LAST is the number of the copy that was found last; it gets
 * the number of the new copy. Returns false if no copy covers these bytes. */
static bool cover_front(struct cover *cover, size_t *last)
{
    struct piece piece;
    if (!find_copy(cover, *last, &piece) && !find_lent(cover, *last, &piece))
        return false;
    use_piece(cover, &piece);
    *last = piece.index;
    return true;
}

static struct cover cover_all(struct cover cover)
{
    size_t last = cover.count - 1; /* so the search begins with copy number 0 */
    while (cover.left > 0 && cover_front(&cover, &last))
        ;
    return cover;
}

/* Covers all bytes with consecutive copies, beginning with number INDEX. */
static bool cover_in_turn(struct cover *cover, size_t index)
{
    for (; cover->left > 0; ++index) {
        const struct copy *copy = &cover->copies[index];
        struct piece piece = {.index = index, .size = copy->size};
        if (!is_copy(cover, copy) || !add_judged(cover, &piece))
            return false;
        use_piece(cover, &piece);
    }
    return true;
}

/* Covers all bytes with the latest consecutive copies that fit. The latest are right in a program
 * that converges: main() may see equal bytes in several copies, but their judged bytes differ. */
static struct cover cover_latest(struct cover start)
{
    struct cover cover = start;
    for (size_t first = start.count; first-- > 0;) {
        size_t compared = cover.compared;
        cover = start;
        cover.compared = compared;
        if (cover_in_turn(&cover, first))
            return cover;
    }
    return start;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    return size == 0 || (bytes[0] == 0 && memcmp(bytes, bytes + 1, size - 1) == 0);
}

/* Replaces the values that the program handed in, in ANSWER, by the judged values. */
static void judge_origin(struct answer *answer, const struct run *run, size_t size)
{
    json_t *list = json_object_get(run->record, "copies");
    struct copy *copies = read_copies(list);
    struct cover start = {.copies = copies,
                          .count = json_array_size(list),
                          .answers = run->plan.hides ? &run->judged : NULL,
                          .bytes = answer->array.values,
                          .judged = (unsigned char *)answer->values,
                          .left = size,
                          .element = case_type_size(answer->array.type),
                          .same = true};
    if (!copies)
        return;
    struct cover cover = cover_all(cover_latest(start));
    /* Try again with the longest copies: the search may have taken a short copy instead of a longer
     * one with the same first bytes. */
    if (cover.left > 0) {
        start.prefers_long = true;
        cover = cover_all(start);
    }
    answer->made = cover.left == 0;
    answer->same = answer->made && cover.same && !run->plan.shows &&
                   !is_zero(answer->array.values, size) &&
                   !run->plan.backwards; /* the two runs may share a mistake */
    answer->is_other_spoilt = run->plan.spoils;
    if (run->plan.hides && answer->made)
        answer->array.values = answer->values;
    free(copies);
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
    if (!answer || answer->made || !run->plan.hides || run->plan.shows)
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

/* Returns whether the program launched kernels, but only kernels of a library. */
static bool is_by_library(const struct run *run)
{
    size_t i, own = 0;
    json_t *launch, *launches = json_object_get(run->record, "launches");
    json_array_foreach(launches, i, launch)
    {
        const char *name = json_string_value(json_object_get(launch, "kernel"));
        /* the name of a template function begins with its return type */
        if (name && strncmp(name, "void ", 5) == 0)
            name += 5;
        own += !name || (strncmp(name, "cub::", 5) != 0 && strncmp(name, "thrust::", 8) != 0);
    }
    return own == 0 && json_array_size(launches) > 0;
}

/* Returns advice on how to hand in a result. If main() has seen the judged input, memory that it
 * shares with the GPU does not count as written by kernels, because main() can write there, too. */
static const char *how_to_hand_in(const struct run *run)
{
    if (check_requests(run, "lend") > 0)
        return "main() must hand in managed or mapped memory as kernels left it, and must not change the input. Or keep the answer in memory from cudaMalloc(), and copy it by cudaMemcpy().";
    return "Hand in exactly what cudaMemcpy() copies from the GPU: main() must neither compute the answer nor change it.";
}

/* Fails the check if it requires that main() copies the input unchanged, but main() did not. Such a
 * main() has seen the judged input and could have done the work itself, while kernels read the data
 * for nothing. So the run earns nothing in a check that asks for more than a right answer. */
static void needs_input_as_it_is(struct check *check, const struct run *run, const char *name)
{
    const struct check_info *info = check->info;
    bool must_be = info->figure.text || info->where == CHECK_COUNTS || info->closed_input;
    bool is_seen = run->was_altered || run->open;
    if (is_seen && must_be && !info->open_input)
        check_refuse(
            check, run,
            "Copy the input from lab.h to the GPU unchanged. Kernels may change it there.",
            "%s is right, but main() changed the numbers before it copied them to the GPU, or copied them in pieces of less than 16 bytes, so this check gives no points",
            name);
}

void check_made_by_kernels(struct check *check, const struct run *run, const char *name)
{
    if (!run || !run->record || !check_is_open(check))
        return;
    if (is_by_library(run)) {
        check_refuse(check, run, "Write the kernel yourself: this lab teaches how to write it.",
                     "%s is right, but only a library's kernels ran", name);
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
               fixed ? "it stays the same when the data on the GPU changes"
                     : "kernels did not compute all of it");
    check_advise(check, "%s", how_to_hand_in(run));
}

/* Returns the fraction of ARRAY's elements that have the same value in OTHER. */
static double share_equal(const struct case_array *array, const struct case_array *other)
{
    size_t size = case_type_size(array->type), equal = 0;
    const char *one = array->values, *two = other->values;
    for (size_t i = 0; i < array->count; ++i)
        equal += memcmp(one + i * size, two + i * size, size) == 0;
    return array->count > 0 ? (double)equal / (double)array->count : 0;
}

/* Returns the fraction of ANSWER's elements that have the same value in RESULT, the result file of
 * another run. */
static double share_kept(const struct answer *answer, const struct case_data *result)
{
    const struct case_array *other = result ? case_find(result, answer->array.name) : NULL;
    bool alike = other && other->type == answer->array.type && other->count == answer->array.count;
    return alike ? share_equal(&answer->array, other) : 0;
}

/* Fails the check if the result NAME stays the same when loads from MEMORY return wrong values. */
static void check_through(struct check *check, const struct run *run, const char *name,
                          enum emu_scramble memory, const char *hint)
{
    static const char *const names[] = {
        [EMU_SCRAMBLE_SHARED] = "shared memory", [EMU_SCRAMBLE_CONSTANT] = "constant memory"};
    if (!run || !run->record || !check_is_open(check) || check_is_lost(check))
        return;
    const struct answer *answer = check_answer(check, run, name);
    struct case_data *scrambled = answer ? check_run_scrambled(check, run, memory) : NULL;
    if (share_kept(answer, scrambled) > 0.1)
        check_refuse(
            check, run, hint,
            "%s is not computed from %s: it stays right even if all loads from %s return wrong values",
            name, names[memory], names[memory]);
    case_free(scrambled);
}

void check_through_shared(struct check *check, const struct run *run, const char *name,
                          const char *hint)
{
    check_through(check, run, name, EMU_SCRAMBLE_SHARED, hint);
}

void check_through_constants(struct check *check, const struct run *run, const char *name,
                             const char *hint)
{
    check_through(check, run, name, EMU_SCRAMBLE_CONSTANT, hint);
}

/* Returns a copy of INPUT in which the floats ARRAY are multiplied by FACTOR, or NULL when out of
 * memory. */
static struct case_data *multiply(const struct case_data *input, const char *array, float factor)
{
    struct case_data *copy = case_new();
    const struct case_array *from;
    for (size_t i = 0; copy && (from = case_at(input, i)); ++i) {
        float *to = case_add_room(copy, from->name, from->type, from->count);
        if (to)
            memcpy(to, from->values, from->count * case_type_size(from->type));
        for (size_t k = 0; to && strcmp(from->name, array) == 0 && k < from->count; ++k)
            to[k] *= factor;
    }
    return copy;
}

static bool writes_to_shared(const struct run *run)
{
    size_t i;
    json_t *copy;
    json_array_foreach(json_object_get(run->record, "copies"), i, copy)
    {
        if (json_is_true(json_object_get(copy, "lent")))
            return true;
    }
    return false;
}

void check_decides_by_reads(struct check *check, const struct run *run, const char *array,
                            float factor, const char *name, const char *hint)
{
    if (!run || !run->record || !check_is_open(check) || check_is_lost(check) ||
        writes_to_shared(run))
        return;
    const struct answer *answer = check_answer(check, run, name);
    struct case_data *shown = multiply(run->input, array, factor);
    struct case_data *misled = answer && shown ? check_run_misled(check, run, shown) : NULL;
    if (misled && share_kept(answer, misled) < 0.9)
        check_refuse(
            check, run, hint,
            "%s is right, but it changes with the numbers that main() sees, although the GPU's numbers stay the same",
            name);
    case_free(shown);
    case_free(misled);
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
        /* the recorded name is demangled: "sum_grid(int const*, int)", perhaps with a type before
         * it, a namespace (grade/repair.h) or template arguments */
        size_t end = name ? strcspn(name, "(<") : 0;
        if (end >= length && strncmp(name + end - length, kernel, length) == 0 &&
            (end == length || strchr(" :", name[end - length - 1])))
            return;
    }
    check_fail(check, "failed", "the kernel %s() was not launched", kernel);
}
