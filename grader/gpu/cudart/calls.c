/* Counts the calls of API functions. When the program ends, the library writes the counts as the
 * last line of the record. It can do so only if the program ends by exit() or by a return from
 * main().
 *
 * Each RT_CALLED() or rt_return() in the source has its own counter, which is added to a list at
 * its first use. At the end, the counters of each function are added up. So counting a call costs
 * one atomic addition. */
#include "gpu/cudart/order.h"
#include "gpu/cudart/timing.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rt_call *called;

static int exit_status;

static void note_status(int status, void *nothing)
{
    exit_status = status;
}

/* Registers the handler that gets the exit status. The first API call calls this function. A
 * handler that is registered before main() would run after the destructor below. */
static void ask_for_status(void)
{
    on_exit(note_status, NULL);
}

void rt_count_call(struct rt_call *call)
{
    static pthread_once_t asked = PTHREAD_ONCE_INIT;
    __atomic_fetch_add(&call->count, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&call->listed, __ATOMIC_RELAXED) ||
        __atomic_exchange_n(&call->listed, true, __ATOMIC_RELAXED))
        return;
    pthread_once(&asked, ask_for_status);
    call->next = __atomic_load_n(&called, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&called, &call->next, call, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

/* Returns the name that a program uses for the function. Returns NULL for a function that is not
 * counted: it is not an API function, or only code from nvcc calls it. */
static const char *public_name(const char *name)
{
    if (strcmp(name, "__cudaLaunchKernel") == 0) /* called by code from nvcc 13 */
        return "cudaLaunchKernel";
    return strncmp(name, "cuda", 4) == 0 ? name : NULL;
}

static json_t *counts_by_name(void)
{
    json_t *counts = json_object();
    for (struct rt_call *call = __atomic_load_n(&called, __ATOMIC_ACQUIRE); call;
         call = call->next) {
        const char *name = public_name(call->name);
        json_int_t before = name ? json_integer_value(json_object_get(counts, name)) : 0;
        json_int_t count = (json_int_t)__atomic_load_n(&call->count, __ATOMIC_RELAXED);
        if (name)
            json_object_set_new(counts, name, json_integer(before + count));
    }
    return counts;
}

static pid_t process; /* process that loaded the library; a forked child writes no counts */

__attribute__((constructor)) static void note_process(void)
{
    process = getpid();
}

__attribute__((destructor)) static void record_calls(void)
{
    if (!called || getpid() != process)
        return;
    if (exit_status == 0) /* the leaks of a program that failed are not reported */
        rt_report_leaks(true);
    rt_order_finish();
    rt_time_finish();
    rt_record(json_pack("{s:o}", "calls", counts_by_name()));
}
