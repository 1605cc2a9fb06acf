/* Writes the section about similar submissions: pairs that may be copies, and groups that are alike
 * for another reason. */
#include "report/class_page.h"

#include <string.h>

#include "base/json.h"

#define PAIRS 100u /* maximum number of pairs on the page; the most similar come first */
#define NAMES 20u  /* maximum number of names in a list; the rest of a longer list is folded */

static void put_side(struct class_page *page, const json_t *side)
{
    struct markup *m = &page->m;
    json_int_t last = 0;
    size_t i;
    json_t *line;
    markup_open_classed(m, "div", "side");
    markup_leaf(m, "p", "dim", "%s: %s", json_text_of(side, "student"), json_text_of(side, "path"));
    markup_open(m, "pre");
    json_array_foreach(json_object_get(side, "excerpt"), i, line)
    {
        json_int_t number = json_integer_of(line, "line");
        if (last && number != last + 1)
            markup_text(m, "     \u22ee\n");
        markup_text(m, "%4lld %s\n", (long long)number, json_text_of(line, "text"));
        last = number;
    }
    markup_close(m);
    markup_close_line(m);
}

/* Lists the names in LIST, which are its elements or the member KEY of each element. "*" marks a
 * student who changed names in functions of the skeleton. A long list is folded. */
static void put_names(struct markup *m, const json_t *list, const char *key)
{
    size_t i, count = json_array_size(list);
    json_t *one;
    if (count > NAMES) {
        markup_open(m, "details");
        markup_leaf(m, "summary", NULL, "%zu students", count);
    }
    json_array_foreach(list, i, one)
    {
        const char *name = key ? json_text_of(one, key) : json_string_value(one);
        markup_text(m, "%s%s%s", i > 0 ? ", " : "", name ? name : "",
                    json_number_of(one, "renamed") > 0 ? "*" : "");
    }
    if (count > NAMES)
        markup_close(m);
}

static void put_evidence(struct markup *m, const json_t *pair)
{
    const char *evidence = json_text_of(pair, "evidence");
    unsigned percent = class_percent(json_number_of(pair, "similarity"), 1);
    if (json_is_true(json_object_get(pair, "same_file")))
        markup_leaf(m, "strong", NULL, "the same file");
    else if (strcmp(evidence, "text") == 0 && percent == 100)
        markup_leaf(m, "strong", NULL, "the same except for names");
    else
        markup_leaf(m, "strong", NULL, "%u %%", percent);
}

static void put_pair(struct class_page *page, const json_t *pair)
{
    struct markup *m = &page->m;
    const json_t *sides = json_object_get(pair, "pair");
    const json_t *left = json_array_get(sides, 0), *right = json_array_get(sides, 1);
    const json_t *also = json_object_get(pair, "also");
    markup_open_classed(m, "details", "pair");
    markup_open(m, "summary");
    put_evidence(m, pair);
    markup_text(m, " %s: %s%s and %s%s", json_text_of(pair, "lab"), json_text_of(left, "student"),
                json_number_of(left, "renamed") > 0 ? "*" : "", json_text_of(right, "student"),
                json_number_of(right, "renamed") > 0 ? "*" : "");
    if (json_array_size(also) > NAMES)
        markup_text(m, "; also %zu more", json_array_size(also));
    else if (json_array_size(also)) {
        markup_text(m, "; also ");
        put_names(m, also, NULL);
    }
    markup_close_line(m);
    if (json_array_size(also) > NAMES) {
        markup_open_classed(m, "div", "also");
        markup_text(m, "Students who handed in the same program as one of these two: ");
        put_names(m, also, NULL);
        markup_close_line(m);
    }
    markup_open_classed(m, "div", "sides");
    put_side(page, left);
    put_side(page, right);
    markup_close_line(m);
    markup_close_line(m);
}

/* Returns the page's phrase for WHAT, the reason why programs are in "alike". */
static const char *words_for(const char *what)
{
    static const char *const words[][2] = {
        {"solution", "the same as the kit's solution, except for names, order and integer types"},
        {"short", "the same except for names, but too short to be evidence"},
        {"renamed", "names changed in the skeleton's functions"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], what) == 0)
            return words[i][1];
    return what;
}

static void put_alike(struct class_page *page)
{
    struct markup *m = &page->m;
    const json_t *alike = json_object_get(page->class, "alike");
    size_t i;
    json_t *group;
    if (json_array_size(alike) == 0)
        return;
    markup_leaf(m, "h3", NULL, "Similar, but not evidence of copying");
    class_open_table(page, "class", "lab|reason|students");
    json_array_foreach(alike, i, group)
    {
        markup_open(m, "tr");
        markup_leaf(m, "td", NULL, "%s", json_text_of(group, "lab"));
        markup_leaf(m, "td", NULL, "%s", words_for(json_text_of(group, "what")));
        markup_open(m, "td");
        put_names(m, json_object_get(group, "students"), "student");
        markup_close(m);
        markup_close_line(m);
    }
    class_close_table(page);
}

void class_put_similar(struct class_page *page)
{
    struct markup *m = &page->m;
    const json_t *similar = json_object_get(page->class, "similar");
    size_t i, count = json_array_size(similar);
    json_t *pair;
    class_open_section(m, "similar", "Similar submissions");
    markup_leaf(
        m, "p", "dim",
        "Pairs whose sources or compiled kernels have more in common than independent work usually has, even if names and layout differ. Code from the skeleton, code that is also in the solution, and code that many students share are ignored. Similarity is a reason to look, not proof: compare the sources before you judge. A * marks a student who renamed things even in the functions that the skeleton provides.");
    if (count == 0)
        markup_leaf(m, "p", NULL,
                    json_number_of(page->class, "pending") > 0
                        ? "Submissions are compared once everything is graded."
                        : "None.");
    json_array_foreach(similar, i, pair)
    {
        if (i < PAIRS)
            put_pair(page, pair);
    }
    if (count > PAIRS)
        markup_leaf(m, "p", "dim", "%zu less similar pairs are not shown.", count - PAIRS);
    put_alike(page);
    markup_close_line(m);
}
