/* Checks API calls for memcheck. Reports calls that free, copy or fill memory to which they have no
 * right, and memory that is never freed. On a GPU, such calls only return cudaErrorInvalidValue, or
 * even succeed. */
#include "gpu/cudart/array.h"

#include <stdio.h>
#include <string.h>

/* at most this many lines with leaks are listed; further leaks are added to the last of these
 * lines */
enum { MAX_LEAKS = 100 };

const char *rt_freed_by(const struct rt_range *range)
{
    return range->kind & RT_HOST         ? "free memory from cudaMallocHost() and the like with "
                                           "cudaFreeHost()"
           : range->kind & RT_REGISTERED ? "undo cudaHostRegister() with cudaHostUnregister(), and "
                                           "free the memory as it was allocated"
                                         : "free memory from cudaMalloc() and the like with "
                                           "cudaFree()";
}

void rt_report_bad_free(const void *ptr)
{
    struct rt_places places = {.at = rt_caller()};
    struct rt_range range = {0};
    bool is_live = rt_range_find(ptr, &range);
    bool was_freed = !is_live && rt_range_find_freed(ptr, &range) && range.ptr == ptr;
    places.allocated = range.made;
    places.freed = range.freed;
    if (was_freed && range.is_reset) {
        places.help =
            "leave this cudaFree() out, or call it before cudaDeviceReset(), which frees all memory";
        rt_finding_at("double-free", NULL, &places, 1,
                      "cudaDeviceReset() has already freed these %zu bytes", range.size);
        range.is_reset = false; /* this is not a leak, because the program tried to free it */
        rt_range_add_freed(range);
    } else if (was_freed)
        rt_finding_at("double-free", NULL, &places, 1, "%s %zu byte%s already been freed",
                      range.size == 1 ? "this" : "these", range.size,
                      range.size == 1 ? " has" : "s have");
    else if (is_live && range.ptr != ptr)
        rt_finding_at(
            "bad-free", NULL, &places, 1,
            "this address is %zu byte%s inside an allocation: free the allocation's first address",
            (size_t)((const char *)ptr - (const char *)range.ptr),
            (const char *)ptr - (const char *)range.ptr == 1 ? "" : "s");
    else if (is_live) {
        places.help = rt_freed_by(&range);
        rt_finding_at("bad-free", NULL, &places, 1,
                      "this memory must be freed by a different function");
    } else
        rt_finding_at("bad-free", NULL, &places, 1, "no CUDA function has allocated this address");
}

static void report_too_long(const char *what, const struct rt_places *places, uint64_t size,
                            uint64_t beyond)
{
    rt_finding_at("copy-too-long", NULL, places, 1,
                  "%s an allocation of %llu bytes, up to %llu bytes beyond its end", what,
                  (unsigned long long)size, (unsigned long long)beyond);
}

/* If an allocation of LENGTH bytes could hold exactly ROWS without the gaps between them, writes
 * advice to TEXT. Otherwise returns NULL. */
static const char *advise_rows(char text[200], const struct rt_rows *rows, uint64_t length)
{
    if (rows->height < 2 || rows->pitch <= rows->width || length != rows->width * rows->height)
        return NULL;
    snprintf(text, 200,
             "the allocation has room for %zu rows of %zu bytes, but here rows begin every "
             "%zu bytes: allocate rows * pitch bytes, or pass the right pitch",
             rows->height, rows->width, rows->pitch);
    return text;
}

void rt_report_bad_range(struct emu_device *device, const char *what, const void *ptr,
                         const struct rt_rows *rows)
{
    char help[200];
    struct rt_places places = {.at = rt_caller()};
    struct rt_range range = {0};
    emu_addr base;
    uint64_t length;
    if (emu_find(device, (emu_addr)ptr, &base, &length) == EMU_OK) {
        if (rt_range_find(ptr, &range))
            places.allocated = range.made;
        places.help = advise_rows(help, rows, length);
        report_too_long(what, &places, length, rows->size - (length - ((emu_addr)ptr - base)));
    } else if (rt_range_find_freed(ptr, &range)) {
        places.allocated = range.made;
        places.freed = range.freed;
        rt_finding_at("use-after-free", NULL, &places, 1, "%s a %zu-byte allocation that was freed",
                      what, range.size);
    }
}

void rt_report_host_array(const char *what, const struct rt_rows *rows, size_t room)
{
    char help[200];
    bool has_no_gaps =
        rows->height > 1 && rows->pitch > rows->width && room / rows->height >= rows->width;
    const struct rt_places places = {
        .at = rt_caller(),
        .help = has_no_gaps
                    ? help
                    : "is the array on the host shorter than the one on the GPU? malloc() and "
                      "cudaMemcpy() must get the same number of elements, times sizeof(type)"};
    snprintf(help, sizeof help,
             "pass the pitch of the host's array: if its rows have no gaps, they begin every %zu "
             "bytes, not every %zu",
             rows->width, rows->pitch);
    if (!rt_is_reported()) /* each copy is reported only once */
        rt_finding_at("copy-too-long", NULL, &places, 1,
                      "the copy %s %zu bytes of an array on the host, which has at most %zu", what,
                      rows->size, room);
}

/* --- pitches ---------------------------------------------------------------------------------- */

void rt_report_small_pitch(const char *whose, const void *ptr, size_t pitch, size_t width)
{
    char help[200];
    struct rt_range range = {0};
    struct rt_places places = {
        .at = rt_caller(),
        .help =
            "the width and both pitches are in bytes, n * sizeof(type), and each pitch belongs to "
            "the pointer before it"};
    if (rt_is_reported()) /* each copy is reported only once */
        return;
    if (rt_range_find(ptr, &range) && range.pitch == pitch && range.width < width) {
        snprintf(help, sizeof help,
                 "cudaMallocPitch() has allocated rows of only %zu byte%s: its width argument is "
                 "in bytes, n * sizeof(type)",
                 range.width, range.width == 1 ? "" : "s");
        places.help = help;
        places.allocated = range.made;
    }
    rt_finding_at("wrong-pitch", NULL, &places, 1,
                  "a row of %zu bytes does not fit into the %s pitch of %zu bytes", width, whose,
                  pitch);
}

/* The source or the target of a copy of rows. */
struct side {
    const char *whose;
    const void *ptr;
    size_t pitch;
};

/* Reports a call that uses the pitch of RANGE, which is on the GPU, for an array on the host whose
 * rows are shorter. */
static void check_host_pitch(const struct side *side, const struct rt_range *range, size_t width)
{
    struct rt_range host;
    if (side->pitch != range->pitch || width >= side->pitch || rt_range_find(side->ptr, &host))
        return;
    const struct rt_places places = {
        .at = rt_caller(),
        .allocated = range->made,
        .help =
            "pass the pitch of the host's array: if its rows have no gaps, this is their width"};
    rt_finding_at(
        "other-pitch", NULL, &places, 1,
        "for the %s rows, which are on the host, the call passes the pitch of the GPU's memory, "
        "%zu bytes; but rows on the host are %zu bytes long",
        side->whose, side->pitch, width);
}

/* Checks SIDE of a copy of rows of WIDTH bytes. Reports a pitch that is not a multiple of the pitch
 * of SIDE's allocation. Otherwise, reports OTHER if it is an array on the host and the call uses
 * the pitch of SIDE's allocation for it. */
static void check_pitch(const struct side *side, const struct side *other, size_t width)
{
    struct rt_range range = {0};
    if (!rt_range_find(side->ptr, &range) || !range.pitch)
        return;
    if (side->pitch % range.pitch == 0) {
        check_host_pitch(other, &range, width);
        return;
    }
    bool are_swapped = other->pitch == range.pitch;
    const struct rt_places places = {.at = rt_caller(), .allocated = range.made};
    rt_finding_at(
        are_swapped ? "wrong-pitch" : "other-pitch", NULL, &places, 1,
        are_swapped
            ? "the pitches are swapped: the %s rows are %zu bytes apart, but the call passes the pitch %zu"
            : "the %s rows are %zu bytes apart, but the call passes the pitch %zu",
        side->whose, range.pitch, side->pitch);
}

void rt_check_pitches(const void *to, size_t to_pitch, const void *from, size_t from_pitch,
                      size_t width)
{
    const struct side target = {"target's", to, to_pitch}, source = {"source's", from, from_pitch};
    check_pitch(&target, &source, width);
    if (from)
        check_pitch(&source, &target, width);
}

/* --- leaks ------------------------------------------------------------------------------------ */

/* The memory that was allocated on one line of the program and never freed. */
struct leak {
    struct emu_place place;
    unsigned long long bytes;
    unsigned count;
};

struct leaks {
    struct leak list[MAX_LEAKS];
    unsigned count;
};

static bool same_place(struct emu_place a, struct emu_place b)
{
    return a.line == b.line && (a.file == b.file || (a.file && b.file && !strcmp(a.file, b.file)));
}

static void add_leak(void *context, const struct rt_range *range)
{
    struct leaks *leaks = context;
    unsigned i = 0;
    while (i < leaks->count && !same_place(leaks->list[i].place, range->made))
        i++;
    if (i == leaks->count && i < MAX_LEAKS)
        leaks->list[leaks->count++] = (struct leak){.place = range->made};
    struct leak *leak = &leaks->list[i < MAX_LEAKS ? i : MAX_LEAKS - 1];
    leak->bytes += range->size;
    leak->count++;
}

void rt_report_leaks(bool is_end)
{
    struct leaks leaks = {.count = 0};
    struct emu_device *device;
    if (rt_faulted() || rt_device(&device) != cudaSuccess || !emu_has_record(device))
        return;
    if (is_end) {
        rt_range_each(RT_DEVICE | RT_POOL | RT_MANAGED, add_leak, &leaks);
        rt_range_each_reset(RT_DEVICE | RT_POOL | RT_MANAGED, add_leak, &leaks);
    }
    rt_arrays_each(add_leak, &leaks);
    for (unsigned i = 0; i < leaks.count; i++) {
        const struct leak *leak = &leaks.list[i];
        struct rt_places places = {.at = leak->place};
        rt_finding_at("leak", NULL, &places, leak->count, "%llu bytes are never freed",
                      leak->bytes);
    }
}
