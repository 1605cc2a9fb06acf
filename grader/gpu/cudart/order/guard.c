/* Detects loads and stores of the host that conflict with work in flight. The pages of memory that
 * host and device share are protected while work in flight uses them. An access to such a page
 * faults, and the handler does one of the following:
 *
 *     the access conflicts with work in flight    store the conflict, make the page accessible
 *     the access is to a signal of a kernel       record that the host has waited for the kernel
 *     the work uses other bytes of the page       execute one instruction, protect the page again
 *
 * Work runs during the API call that submits it. During these calls, the pages are accessible
 * (guard_open()). Afterwards they are protected until the program has waited for the work.
 *
 * A system call would not fault on a protected page, but fail with EFAULT. So host_io.c checks the
 * buffers of common system calls first. */
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/cudart/cpu.h"
#include "gpu/cudart/order/guard.h"
#include "gpu/cudart/order/parts.h"

#define PAGE ((uintptr_t)sysconf(_SC_PAGESIZE)) /* on arm64, pages can have 16 or 64 KB */

enum {
    /* at most this many sequences of pages with equal protection; Linux allows about 65,000 */
    MOST_RUNS = 4096,
    /* at most this many instructions are executed singly until the work in flight changes */
    MOST_STEPS = 20000,
    /* at most this many conflicts between the host and one work item are reported */
    MOST_CONFLICTS = 16,
    MOST_STEPPED = 4, /* an instruction accesses at most this many pages */
    DEPTH = 32
};

/* the protection of a page: none, against stores, or against all accesses */
enum level { FREE, READABLE, HIDDEN };

struct guarded {
    uintptr_t begin, end; /* addresses of the first page, and of the end of the last page */
    const void *key;
    uint8_t *now, *wanted; /* the enum level of each page: at present, and after the next apply() */
    size_t protected;      /* number of pages whose present level is not FREE */
    struct guarded *next;
};

static struct guarded *ranges;
static unsigned opened;
static unsigned steps; /* number of instructions executed singly since the work in flight changed */
static pid_t owner;
static struct sigaction segv_before, trap_before;

volatile size_t guard_protected;

static size_t pages_of(const struct guarded *range)
{
    return (range->end - range->begin) / PAGE;
}

static struct guarded *find(uintptr_t address)
{
    struct guarded *range = ranges;
    while (range && !(address >= range->begin && address < range->end))
        range = range->next;
    return range;
}

bool guard_contains(emu_addr address)
{
    return find(address) != NULL;
}

/* --- protection ------------------------------------------------------------------------------- */

static void set_level(struct guarded *range, size_t first, size_t end, enum level level)
{
    static const int protection[] = {PROT_READ | PROT_WRITE, PROT_READ, PROT_NONE};
    if (mprotect((void *)(range->begin + first * PAGE), (end - first) * PAGE, protection[level]) !=
        0)
        return;
    for (size_t i = first; i < end; i++) {
        size_t before = range->now[i] != FREE, after = level != FREE;
        range->protected += after - before;
        guard_protected += after - before;
        range->now[i] = (uint8_t)level;
    }
}

/* Changes the protection of all pages to the wanted level. */
static void apply(struct guarded *range)
{
    size_t count = pages_of(range), end;
    for (size_t i = 0; i < count; i = end) {
        end = i + 1;
        if (range->now[i] == range->wanted[i])
            continue;
        while (end < count && range->wanted[end] == range->wanted[i] &&
               range->now[end] != range->wanted[end])
            end++;
        set_level(range, i, end, range->wanted[i]);
    }
}

static void free_all(struct guarded *range)
{
    if (!range->protected)
        return;
    memset(range->wanted, FREE, pages_of(range));
    apply(range);
}

void guard_open(void)
{
    if (opened++ == 0)
        for (struct guarded *range = ranges; range; range = range->next)
            free_all(range);
}

void guard_close(void)
{
    opened--;
}

static void want(void *context, const struct emu_touch *touch)
{
    struct guarded *range = context;
    uintptr_t begin = touch->begin > range->begin ? touch->begin : range->begin;
    uintptr_t end = touch->end < range->end ? touch->end : range->end;
    uint8_t level = touch->kind == EMU_READS ? READABLE : HIDDEN;
    for (size_t i = (begin - range->begin) / PAGE; i <= (end - 1 - range->begin) / PAGE; i++)
        if (range->wanted[i] < level)
            range->wanted[i] = level;
}

static size_t count_runs(const struct guarded *range)
{
    size_t runs = 1;
    for (size_t i = 1; i < pages_of(range); i++)
        runs += range->wanted[i] != range->wanted[i - 1];
    return runs;
}

static void install(void);

void guard_update(void)
{
    struct order *order = order_of_program();
    size_t runs = 0;
    if (opened || !order || (!guard_protected && !order_in_flight(order)))
        return;
    steps = 0;
    /* the handlers must exist first, because other threads may access the pages at any time */
    install();
    for (struct guarded *range = ranges; range; range = range->next) {
        memset(range->wanted, FREE, pages_of(range));
        order_each_touch(order, range->begin, range->end, want, range);
        runs += count_runs(range);
        if (runs > MOST_RUNS)
            memset(range->wanted, FREE, pages_of(range));
        apply(range);
    }
}

bool guard_add(void *memory, size_t size, bool whole_pages_only)
{
    uintptr_t at = (uintptr_t)memory, up = PAGE - 1;
    uintptr_t begin = (whole_pages_only ? at + up : at) & ~up;
    uintptr_t end = (whole_pages_only ? at + size : at + size + up) & ~up;
    struct guarded *range = begin < end ? calloc(1, sizeof *range) : NULL;
    if (!range)
        return false;
    range->begin = begin;
    range->end = end;
    range->key = memory;
    range->now = calloc(2, pages_of(range) + 1);
    if (!range->now) {
        free(range);
        return false;
    }
    range->wanted = range->now + pages_of(range);
    range->next = ranges;
    ranges = range;
    return true;
}

void guard_remove(const void *memory)
{
    struct guarded **at = &ranges;
    while (*at && (*at)->key != memory)
        at = &(*at)->next;
    struct guarded *range = *at;
    if (!range)
        return;
    free_all(range);
    *at = range->next;
    free(range->now);
    free(range);
}

bool guard_is_empty(void)
{
    return !ranges;
}

/* --- accesses by the host --------------------------------------------------------------------- */

/* Makes the protected pages from BEGIN to END accessible until the work in flight changes. */
static void release(uintptr_t begin, uintptr_t end)
{
    for (struct guarded *range = ranges; range; range = range->next) {
        uintptr_t from = begin > range->begin ? begin : range->begin;
        uintptr_t to = end < range->end ? end : range->end;
        if (from < to)
            set_level(range, (from - range->begin) / PAGE, (to - 1 - range->begin) / PAGE + 1,
                      FREE);
    }
}

/* Stores a conflict of an access by the host, for a later report. The caller makes the page
 * accessible. */
static void keep(struct order *order, const struct order_conflict *conflict, bool writes,
                 void *const *stack, int depth)
{
    static const struct order_work *last;
    static unsigned count;
    count = conflict->earlier == last ? count + 1 : 1;
    last = conflict->earlier;
    order_keep(conflict, writes, stack, depth);
    if (count < MOST_CONFLICTS)
        return;
    order_ignore(order, conflict->earlier);
    guard_update();
}

/* Handles an access of the host that conflicts with work in flight, or that waits for it.
 * Returns false for all other accesses. STACK has the return addresses of the calls that led to
 * the access. */
static bool judge(uintptr_t address, size_t size, bool writes, void *const *stack, int depth)
{
    struct order *order = order_of_program();
    struct order_conflict conflict;
    if (!order || getpid() != owner) {
        release(address, address + size);
        return true;
    }
    if (order_signal(order, address, size)) {
        guard_update();
        return true;
    }
    if (!order_check_host(order, address, size, writes, &conflict))
        return false;
    keep(order, &conflict, writes, stack, depth);
    release(address, address + size);
    return true;
}

void guard_touch(const void *memory, size_t size, bool writes)
{
    void *stack[DEPTH];
    uintptr_t address = (uintptr_t)memory;
    int depth = size && order_try_lock() ? backtrace(stack, DEPTH) : 0;
    if (!depth)
        return;
    if (!judge(address, size, writes, stack, depth))
        release(address, address + size);
    order_unlock();
}

/* The pages that this thread accesses in the instruction that it is executing singly. */
static _Thread_local struct {
    uintptr_t page[MOST_STEPPED];
    unsigned count;
} stepping;

/* Lets THREAD execute one instruction, which accesses the page of ADDRESS. */
static void step(uintptr_t address, ucontext_t *thread)
{
    uintptr_t page = address & ~(PAGE - 1);
    if (++steps > MOST_STEPS || stepping.count == MOST_STEPPED || !cpu_step(thread)) {
        release(address, address + 1);
        return;
    }
    /* `now` is not changed, because the page is only accessible for one instruction */
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
    stepping.page[stepping.count++] = page;
}

static int calls_to(uintptr_t pc, void *stack[DEPTH])
{
    int depth = backtrace(stack, DEPTH), first = 0;
    while (first < depth && stack[first] != (void *)pc)
        first++;
    if (first == depth)
        depth = first = 0;
    memmove(stack, stack + first, (size_t)(depth - first) * sizeof *stack);
    /* one after the address of the instruction, like a return address */
    stack[0] = (void *)(pc + 1);
    return depth ? depth - first : 1;
}

/* Handles a fault at ADDRESS. Returns whether THREAD may retry the access. */
static bool handle(uintptr_t address, ucontext_t *thread)
{
    void *stack[DEPTH];
    struct guarded *range = find(address);
    if (!range)
        return false;
    if (range->now[(address - range->begin) / PAGE] == FREE)
        return true; /* another thread has already made the page accessible */
    bool writes = cpu_writes(thread);
    int depth = calls_to(cpu_pc(thread), stack);
    if (!judge(address, 1, writes, stack, depth))
        step(address, thread);
    return true;
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
    ucontext_t *thread = context;
    int error = errno;
    bool is_ours = false;
    if (info->si_code > 0 && order_try_lock()) {
        is_ours = handle((uintptr_t)info->si_addr, thread);
        order_unlock();
    }
    if (!is_ours) {
        sigaction(SIGSEGV, &segv_before, NULL);
        if (info->si_code <= 0)
            raise(signal);
    }
    errno = error;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    ucontext_t *thread = context;
    int error = errno;
    if (!stepping.count) {
        sigaction(SIGTRAP, &trap_before, NULL);
        raise(signal);
        return;
    }
    cpu_stepped(thread);
    if (order_try_lock()) {
        for (unsigned i = 0; i < stepping.count; i++) {
            struct guarded *range = find(stepping.page[i]);
            size_t page = range ? (stepping.page[i] - range->begin) / PAGE : 0;
            if (range && range->now[page] != FREE)
                set_level(range, page, page + 1, range->now[page]);
        }
        order_unlock();
    }
    stepping.count = 0;
    errno = error;
}

/* Installs HANDLER for SIGNAL, unless it is already installed. */
static void replace(int signal, void (*handler)(int, siginfo_t *, void *), struct sigaction *before)
{
    struct sigaction now, own = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaction(signal, NULL, &now) != 0 || now.sa_sigaction == handler)
        return;
    *before = now;
    sigemptyset(&own.sa_mask);
    sigaction(signal, &own, NULL);
}

static void install(void)
{
    if (!owner) {
        void *stack[2];
        owner = getpid();
        /* the first call of backtrace() loads a library, which must not happen inside a handler */
        backtrace(stack, 2);
    }
    replace(SIGSEGV, on_fault, &segv_before);
    replace(SIGTRAP, on_trap, &trap_before);
}
