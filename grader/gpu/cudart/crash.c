/* Reports a crash of the program outside of kernels, with its address and line.
 *
 * The handler runs once. It reports a finding. Then it lets the signal end the process as if there
 * were no handler. The report needs a lock that may still be held if the program crashed inside
 * malloc(). So an alarm ends the process if the report does not finish. */
#include "gpu/cudart/cpu.h"
#include "gpu/cudart/rt.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NULL_END = 65536, /* an address below this is taken for a null pointer plus an index */
    /* a variable on the stack is at most this many bytes from the stack pointer */
    STACK_STEP = 8 << 20,
    PATIENCE = 5, /* seconds until the alarm ends the process */
    /* malloc() stores the size of a block in at most this many bytes before the block */
    BEFORE_BLOCK = 16,
    PAGE = 4096, /* bytes of inaccessible memory before and after page-locked memory */
};
/* an address within this number of bytes of an allocation is taken for a wrong index into it */
#define NEAR ((uintptr_t)1 << 30)

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
static volatile sig_atomic_t crashed;

/* A description of a crash, and advice about what to check. */
struct crash {
    const char *what, *help;
};

static const char copy_first[] =
    "only kernels can use this memory, on a real GPU, too: copy it with cudaMemcpy(), or "
    "allocate it with cudaMallocManaged()";

struct search {
    uintptr_t address, best;
    struct rt_range *nearest;
};

static void look_at(void *context, const struct rt_range *range)
{
    struct search *search = context;
    uintptr_t begin = (uintptr_t)range->ptr, end = begin + range->size;
    uintptr_t far = search->address < begin ? begin - search->address
                    : search->address < end ? 0
                                            : search->address - end;
    if (far >= search->best)
        return;
    search->best = far;
    *search->nearest = *range;
}

/* Finds the allocation nearest to ADDRESS. Returns false if there is none closer than DISTANCE
 * bytes. */
static bool is_near_range(const char *address, uintptr_t distance, struct rt_range *nearest)
{
    struct search search = {(uintptr_t)address, distance, nearest};
    rt_range_each(~0u, look_at, &search);
    return search.best < distance;
}

/* Returns whether the instruction at PC is in the C library's free() or realloc(). These read the
 * size of a block, which is stored just before the block. The program's own functions with these
 * names do not count. */
static bool is_freeing(uintptr_t pc)
{
    Dl_info libc, info;
    return dladdr((void *)(uintptr_t)free, &libc) && dladdr((const void *)pc, &info) &&
           info.dli_fbase == libc.dli_fbase && info.dli_sname &&
           (strstr(info.dli_sname, "free") || strstr(info.dli_sname, "realloc"));
}

static bool is_below_stack(uintptr_t address, uintptr_t stack)
{
    return address < stack + NULL_END && stack - address + NULL_END < STACK_STEP;
}

static struct crash classify(const siginfo_t *info, uintptr_t stack, uintptr_t pc)
{
    const char *address = info->si_addr;
    struct rt_range range;
    if (info->si_signo == SIGFPE)
        return (struct crash){"the host program divides an integer by 0", "is the divisor 0 here?"};
    if (info->si_signo == SIGSEGV && cpu_is_no_address(info))
        return (struct crash){
            "the host program uses a pointer that is not a valid address",
            "is the pointer initialised? Did a write past the end of an array overwrite it?"};
    if ((uintptr_t)address < NULL_END)
        return (struct crash){
            "the host program uses a null pointer",
            "which pointer on this line can be NULL? argv[1] is NULL if the program gets no "
            "arguments; malloc() and fopen() return NULL if they fail"};
    if (rt_range_find_freed(address, &range))
        return (struct crash){"the host program uses memory that has been freed",
                              "free it after its last use"};
    if (is_freeing(pc) && is_near_range(address, BEFORE_BLOCK + 1, &range))
        return (struct crash){"the host program calls free() for memory from a CUDA function",
                              rt_freed_by(&range)};
    if (is_near_range(address, PAGE, &range) && range.kind & RT_HOST)
        return (struct crash){
            "the host program uses an address outside of its memory from cudaMallocHost()",
            "is an index too large or negative?"};
    if (is_near_range(address, NEAR, &range) && range.kind & (RT_DEVICE | RT_POOL | RT_GRAPH))
        return (struct crash){"the host program uses an address from cudaMalloc()", copy_first};
    if (is_below_stack((uintptr_t)address, stack))
        return (struct crash){
            "the host program's stack is full",
            "allocate large arrays with malloc() or std::vector; does a function call itself forever?"};
    return (struct crash){
        "the host program uses an address outside of its memory",
        "is an index too large or negative? Is a pointer uninitialised or already freed?"};
}

static void end_as_before(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void give_up(int number)
{
    end_as_before(crashed);
}

/* Returns whether the code at ADDRESS belongs to this library. A crash there is not the program's
 * fault. */
static bool is_own_code(const void *address)
{
    Dl_info own, info;
    return dladdr((void *)(uintptr_t)is_own_code, &own) && dladdr(address, &info) &&
           info.dli_fbase == own.dli_fbase;
}

/* Returns the program's line for the instruction at ADDRESS. If it is unknown, returns the line of
 * the nearest call. */
static struct emu_place crash_place(uintptr_t address)
{
    /* rt_place_of() takes a return address, which is after the instruction */
    struct emu_place place = rt_place_of((const void *)(address + 1));
    return place.file ? place : rt_caller();
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    struct emu_device *device;
    const ucontext_t *thread = context;
    if (!crashed && !is_own_code((const void *)cpu_pc(thread))) {
        crashed = number;
        signal(SIGALRM, give_up);
        alarm(PATIENCE);
        struct crash crash = classify(info, cpu_stack(thread), cpu_pc(thread));
        rt_device(&device); /* opens the record if it is not open yet */
        struct rt_places places = {.at = crash_place(cpu_pc(thread)), .help = crash.help};
        rt_finding_at("host-crash", NULL, &places, 1, "%s", crash.what);
        alarm(0);
    }
    end_as_before(number);
}

/* Installs the handler. A program that handles these signals itself replaces this handler by its
 * own. */
__attribute__((constructor)) static void watch(void)
{
    static char stack[256 << 10];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_crash,
                               .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER},
                     old;
    if (sigaltstack(&other, NULL) != 0)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}
