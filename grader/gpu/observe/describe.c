#include "gpu/observe/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

/* Writes a variable's plain name, such as "s" for "reduce(float*)::s". If a program uses only the
 * first element of an array s, the compiler turns this element into a separate variable "…1s_$_0".
 * Its plain name is also "s". */
static void print_plain_name(char *text, size_t size, struct ptx_name name)
{
    char *mangled = strndup(name.text, name.length),
         *part = mangled ? strstr(mangled, "_$_") : NULL;
    int status = -1;
    if (part)
        *part = '\0';
    char *readable = mangled && strncmp(mangled, "_Z", 2) == 0
                         ? __cxa_demangle(mangled, NULL, NULL, &status)
                         : NULL;
    const char *plain = readable ? readable : mangled ? mangled : "";
    for (const char *at = plain; (at = strstr(at, "::"));)
        plain = at += 2;
    snprintf(text, size, "%.24s", plain);
    free(readable);
    free(mangled);
}

void describe_variable(char *text, size_t size, const struct launch_view *launch, bool is_shared,
                       uint64_t addr)
{
    uint64_t begin;
    const struct ptx_variable *v = is_shared ? view_shared_variable(launch, addr, &begin) : NULL;
    const struct mem_block *block = is_shared ? NULL : mem_block_at(launch->memory, addr);
    *text = '\0';
    if (v)
        print_plain_name(text, size, v->name);
    if (block && block->name)
        print_plain_name(text, size, (struct ptx_name){block->name, (uint32_t)strlen(block->name)});
}

/* Writes "5", or "(5,1,0)" if DIMENSIONS has more than one dimension. */
static void print_index(char *text, size_t size, uint64_t linear, const uint32_t *dimensions)
{
    uint64_t x = linear % dimensions[0], y = linear / dimensions[0] % dimensions[1];
    uint64_t z = linear / dimensions[0] / dimensions[1];
    if (dimensions[2] > 1)
        snprintf(text, size, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", x, y, z);
    else if (dimensions[1] > 1)
        snprintf(text, size, "(%" PRIu64 ",%" PRIu64 ")", x, y);
    else
        snprintf(text, size, "%" PRIu64, x);
}

void describe_thread(char *text, size_t size, const struct launch_view *launch, uint32_t thread,
                     uint64_t cta, bool names_block)
{
    char of_block[48], block[48];
    print_index(of_block, sizeof of_block, thread, launch->request->block);
    print_index(block, sizeof block, cta, launch->request->grid);
    if (names_block && launch->cta_count > 1)
        snprintf(text, size, "thread %s of block %s", of_block, block);
    else
        snprintf(text, size, "thread %s", of_block);
}

void describe_fault_thread(char *text, size_t size, const struct launch_view *launch,
                           const struct obs_fault *fault)
{
    const uint32_t *block = launch->request->block, *grid = launch->request->grid;
    uint32_t thread =
        (fault->thread[2] * block[1] + fault->thread[1]) * block[0] + fault->thread[0];
    uint64_t cta = ((uint64_t)fault->cta[2] * grid[1] + fault->cta[1]) * grid[0] + fault->cta[0];
    describe_thread(text, size, launch, thread, cta, true);
}

/* Writes the kernel's name without its namespaces and parameters. */
static void print_kernel(char *text, size_t size, struct ptx_name name)
{
    char *mangled = strndup(name.text, name.length);
    int status = -1;
    char *readable = mangled ? __cxa_demangle(mangled, NULL, NULL, &status) : NULL;
    const char *shown = status == 0 ? readable : mangled ? mangled : "";
    snprintf(text, size, "%.*s", (int)strcspn(shown, "("), shown);
    free(readable);
    free(mangled);
}

void describe_running(char *text, size_t size, const struct launch_view *launch, uint32_t pc,
                      uint32_t thread, uint64_t cta, uint64_t seconds)
{
    char kernel[100], who[112], where[160] = "";
    struct source_line place = view_line(launch, pc);
    struct ptx_name path = ptx_file_path(launch->module, place.file);
    const char *slash = path.length ? memrchr(path.text, '/', path.length) : NULL;
    const char *name = slash ? slash + 1 : path.text;
    print_kernel(kernel, sizeof kernel, launch->function->name);
    describe_thread(who, sizeof who, launch, thread, cta, true);
    if (place.line)
        snprintf(where, sizeof where, "line %u of %.*s, ", place.line,
                 (int)(path.text + path.length - name), name);
    snprintf(text, size, "%s still runs after %" PRIu64 " seconds: %s%s", kernel, seconds, where,
             who);
}

const char *describe_number(uint64_t number, char text[27])
{
    char *at = text + 26;
    *at = '\0';
    for (int digits = 0; number || digits == 0; number /= 10, digits++) {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
    }
    return at;
}
