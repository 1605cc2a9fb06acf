/* When a kernel is translated, and what becomes of it.
 *
 * A worker that has executed enough of one kernel writes down what was executed so far as C text. A thread of its own
 * has it compiled by whoever owns the device, and hands it to all workers at once. */
#include "gpu/execute/native.h"

#include <pthread.h>
#include <stdlib.h>

#include "gpu/execute/stretch.h"

/* The compiler takes about 10 ms for each instruction: what the interpreter does in that time, for each, must have been
 * executed before it is likely that as much will follow. What runs seldom, beside the rest, is not worth it. */
#define WORTH_LOOK 20000000u
#define WORTH_ONE  1000000u
#define SELDOM     1000u
#define MOST_CODE  2000u

/* native_code.h and all that it includes, as text: see rules.mk. */
extern const char native_preamble[], native_preamble_end[];

struct text {
    char *text;
    size_t size;
};

/* --- the text ----------------------------------------------------------------------------------------------- */

/* Marks what was executed at least LEAST times, whole stretches of it. Returns how many instructions that is. */
static uint32_t mark(const struct worker *worker, uint64_t least, bool *hot)
{
    const struct kernel *kernel = worker->launch->kernel;
    uint32_t count = 0;
    uint64_t warps = 0;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        warps = stretch_warps(worker, pc, warps);
        hot[pc] = warps >= least || (pc && hot[pc - 1] && kernel->code[pc].follows);
        count += hot[pc];
    }
    return count;
}

/* Marks what is worth a translation, or everything. */
static uint32_t mark_hot(const struct worker *worker, bool *hot)
{
    const struct kernel *kernel = worker->launch->kernel;
    uint64_t warps = 0, most = 0;
    if (worker->launch->options->translate == EMU_TRANSLATE_ALL)
        return mark(worker, 0, hot);
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        warps = stretch_warps(worker, pc, warps);
        most = warps > most ? warps : most;
    }
    uint64_t least = most / SELDOM + 1;
    uint32_t count = mark(worker, least, hot);
    for (; count > MOST_CODE; count = mark(worker, least, hot))
        least *= 2;
    return count;
}

/* Do parts of warps execute more than a twentieth of it? */
static bool has_parts(const struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    uint64_t warps = 0, threads = 0, all = 0, there = 0;
    for (uint32_t pc = 0; pc < kernel->code_count; pc++) {
        warps = stretch_warps(worker, pc, warps);
        threads = worker->profile[pc].threads + (kernel->code[pc].follows ? threads : 0);
        all += warps * WARP;
        there += threads;
    }
    return all - there > all / 20;
}

static bool write_text(const struct worker *worker, const bool *hot, struct text *text,
                       struct native_code *code)
{
    FILE *out = open_memstream(&text->text, &text->size);
    if (!out)
        return false;
    code->parts = worker->launch->options->translate == EMU_TRANSLATE_ALL || has_parts(worker);
    fwrite(native_preamble, 1, (size_t)(native_preamble_end - native_preamble), out);
    bool ok = native_write(worker, hot, code->parts, code->enters, out);
    return fclose(out) == 0 && ok;
}

/* --- the translation ------------------------------------------------------------------------------------------ */

struct task {
    struct native *native;
    struct native_code *code;
    struct text text;
};

static void code_free(struct native_code *code)
{
    if (!code)
        return;
    if (code->library)
        code->compiler->unload(code->library);
    free(code->enters);
    free(code);
}

static void task_free(struct task *task)
{
    if (!task)
        return;
    code_free(task->code);
    free(task->text.text);
    free(task);
}

/* Whoever is the last to need it: the kernel, or the thread that translates it. */
static void release(struct native *native)
{
    if (atomic_fetch_sub(&native->holders, 1) > 1)
        return;
    code_free((struct native_code *)(uintptr_t)atomic_load(&native->code));
    free(native);
}

static void *task_main(void *argument)
{
    struct task *task = argument;
    struct native *native = task->native;
    struct native_code *code = task->code;
    code->enter = (native_fn *)code->compiler->compile(task->text.text, task->text.size,
                                                       "native_enter", &code->library);
    if (code->enter) {
        atomic_store(&native->code, code);
        task->code = NULL;
    }
    task_free(task);
    release(native);
    return NULL;
}

static struct task *new_task(const struct worker *worker, const bool *hot)
{
    const struct launch *launch = worker->launch;
    struct task *task = calloc(1, sizeof *task);
    struct native_code *code = calloc(1, sizeof *code);
    if (code)
        code->enters = calloc((size_t)launch->kernel->code_count + 1, sizeof *code->enters);
    if (task && code && code->enters && write_text(worker, hot, &task->text, code)) {
        code->compiler = launch->options->compiler;
        task->code = code;
        task->native = launch->kernel->native;
        return task;
    }
    code_free(code);
    task_free(task);
    return NULL;
}

struct native *native_new(void)
{
    struct native *native = calloc(1, sizeof *native);
    if (native)
        native->holders = 1;
    return native;
}

static bool may_ask(const struct launch *launch)
{
    return launch->options->compiler && launch->options->translate != EMU_TRANSLATE_NONE &&
           !atomic_load(&launch->kernel->native->asked);
}

uint64_t native_threshold(const struct launch *launch)
{
    if (!may_ask(launch))
        return UINT64_MAX;
    return launch->options->translate == EMU_TRANSLATE_ALL ? 1 : WORTH_LOOK;
}

/* Has enough been executed for COUNT instructions? If not, it is looked at again when that is so. */
static bool is_worth(struct worker *worker, uint32_t count)
{
    struct native *native = worker->launch->kernel->native;
    uint64_t past = atomic_load(&native->executed), worth = (uint64_t)WORTH_ONE * count;
    if (worker->launch->options->translate == EMU_TRANSLATE_ALL || past + worker->executed >= worth)
        return true;
    worker->ask_at = worth - past;
    return false;
}

static void translate(struct worker *worker, const bool *hot)
{
    bool waits = worker->launch->options->translate == EMU_TRANSLATE_ALL;
    struct task *task = new_task(worker, hot);
    pthread_t thread;
    if (!task)
        return;
    atomic_fetch_add(&task->native->holders, 1);
    if (waits || pthread_create(&thread, NULL, task_main, task) != 0)
        task_main(task);
    else
        pthread_detach(thread);
}

void native_ask(struct worker *worker)
{
    const struct kernel *kernel = worker->launch->kernel;
    bool *hot = calloc((size_t)kernel->code_count + 1, sizeof *hot);
    worker->ask_at = UINT64_MAX;
    if (hot && !atomic_load(&kernel->native->asked) && is_worth(worker, mark_hot(worker, hot)) &&
        !atomic_exchange(&kernel->native->asked, true))
        translate(worker, hot);
    free(hot);
}

static bool add_profile(struct native *native, const struct profile *profile, size_t count)
{
    if (!native->profile)
        native->profile = calloc(count, sizeof *native->profile);
    for (size_t i = 0; native->profile && i < count; i++) {
        native->profile[i].warps += profile[i].warps;
        native->profile[i].threads += profile[i].threads;
    }
    return native->profile;
}

void native_end(struct worker *all)
{
    const struct kernel *kernel = all->launch->kernel;
    struct native *native = kernel->native;
    uint64_t past = atomic_load(&native->executed);
    if (may_ask(all->launch) && add_profile(native, all->profile, (size_t)kernel->code_count + 1) &&
        past + all->executed >= WORTH_LOOK) {
        struct worker since_the_first = *all;
        since_the_first.profile = native->profile;
        native_ask(&since_the_first);
    }
    atomic_fetch_add(&native->executed, all->executed);
}

void native_free(struct native *native)
{
    if (!native)
        return;
    free(native->profile);
    native->profile = NULL;
    release(native);
}

uint32_t native_run(struct warp *warp, const struct native_code *native,
                    const struct path_entry *top, uint32_t pc, int64_t *slice)
{
    struct worker *worker = warp->cta->worker;
    uint64_t before = warp->executed;
    uint32_t end = native->enter(warp, pc, slice, top->lanes, top->meet);
    if (!worker->uses)
        worker->uses = calloc((size_t)worker->launch->kernel->code_count + 1, sizeof *worker->uses);
    if (worker->uses) {
        worker->uses[pc].times += worker->uses[pc].times < UINT32_MAX;
        worker->uses[pc].executed += warp->executed - before;
    }
    return end;
}
