#include "gpu/remote/tally.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 32u /* bytes */

/* A copy can take several requests, one for each part. Returns the part that REQUEST moves. Sets
 * *NEXT to the part that must follow. */
static struct tally_part find_parts(const struct wire_head *request, struct tally_part *next)
{
    const uint64_t *arg = request->arg;
    bool rows = request->what == WIRE_CALL_write_rows || request->what == WIRE_CALL_read_rows;
    bool bytes = request->what == WIRE_CALL_write || request->what == WIRE_CALL_read;
    struct tally_part part = {request->what, arg[0], rows ? arg[4] : bytes ? arg[1] : 0};
    uint64_t here = rows ? arg[2] : part.left < WIRE_CHUNK ? part.left : WIRE_CHUNK;
    *next = (struct tally_part){part.what, part.at + here * (rows ? arg[3] : 1),
                                part.left > here ? part.left - here : 0};
    return part;
}

/* Returns the number of rows in the whole copy; REQUEST is its first part. The number can be any
 * value, because the device has not checked the request yet. */
static uint64_t rows_of(const struct wire_head *request)
{
    const uint64_t *arg = request->arg;
    switch ((enum wire_call)request->what) {
    case WIRE_CALL_alloc_rows:
        return arg[1];
    case WIRE_CALL_copy_rows:
    case WIRE_CALL_set_rows:
        return arg[3];
    case WIRE_CALL_write_rows:
    case WIRE_CALL_read_rows:
        return arg[4] > arg[2] ? arg[4] : arg[2];
    default:
        return 0;
    }
}

void tally_add(struct tally *tally, const struct wire_head *request)
{
    struct tally_part next, part = find_parts(request, &next), *due = &tally->next;
    bool continues =
        due->left && part.what == due->what && part.at == due->at && part.left == due->left;
    tally->requests[request->what] += !continues;
    uint64_t rows = continues ? 0 : rows_of(request), *sum = &tally->rows[request->what];
    *sum = rows < TALLY_MOST - *sum ? *sum + rows : TALLY_MOST;
    *due = next;
}

/* Returns the number of distinct sectors in COUNT rows of WIDTH bytes, which begin PITCH >= WIDTH
 * bytes apart. A row may begin in the sector in which the previous row ends. The offsets of rows in
 * their sectors repeat after SECTOR rows, so the loop visits at most SECTOR + 1 rows. */
static uint64_t sectors_of(emu_addr at, uint64_t width, uint64_t count, uint64_t pitch)
{
    uint64_t more = count - 1, some = 0, period = 0,
             next = 0; /* the first sector that is not counted yet */
    at %= SECTOR;
    for (uint64_t i = 0; width && i < count && i <= SECTOR; i++, at += pitch) {
        uint64_t first = at / SECTOR, end = (at + width + SECTOR - 1) / SECTOR;
        uint64_t fresh = end - (first > next ? first : next);
        some += i <= more % SECTOR ? fresh : 0;
        period += i > 0 ? fresh : 0;
        next = end;
    }
    return some + more / SECTOR * period;
}

void tally_add_sectors(struct tally *tally, const struct wire_head *request)
{
    const uint64_t *arg = request->arg;
    uint64_t *sectors = &tally->sectors[request->what];
    switch ((enum wire_call)request->what) {
    case WIRE_CALL_copy:
        *sectors += sectors_of(arg[1], arg[2], 1, 0);
        /* fall through */
    case WIRE_CALL_set:
        *sectors += sectors_of(arg[0], arg[2], 1, 0);
        break;
    case WIRE_CALL_copy_rows:
        *sectors += sectors_of(arg[1], arg[2], arg[3], arg[5]);
        /* fall through */
    case WIRE_CALL_set_rows:
        *sectors += sectors_of(arg[0], arg[2], arg[3], arg[4]);
        break;
    case WIRE_CALL_write:
    case WIRE_CALL_read:
        *sectors += sectors_of(arg[0], arg[1] < WIRE_CHUNK ? arg[1] : WIRE_CHUNK, 1, 0);
        break;
    case WIRE_CALL_write_rows:
    case WIRE_CALL_read_rows:
        *sectors += sectors_of(arg[0], arg[1], arg[2], arg[3]);
        break;
    default:
        break;
    }
}

static json_t *by_name(const uint64_t counts[WIRE_CALL_COUNT])
{
    static const char *const names[] = {
#define CALL(name, ...) #name,
#define SPECIAL         CALL
#include "gpu/remote/calls.def"
    };
    json_t *object = json_object();
    for (int i = 0; i < WIRE_CALL_COUNT; i++)
        if (counts[i])
            json_object_set_new(object, names[i], json_integer((json_int_t)counts[i]));
    return object;
}

void tally_record(const struct tally *tally, struct emu_device *device)
{
    json_t *line = json_pack("{s:o, s:o, s:o}", "requests", by_name(tally->requests), "rows",
                             by_name(tally->rows), "sectors", by_name(tally->sectors));
    char *text = json_dumps(line, JSON_COMPACT);
    if (text)
        emu_note(device, text, strlen(text));
    free(text);
    json_decref(line);
}
