/* Stores named arrays in a file. In memory, a case consists of the file's bytes, in one growing
 * block, and a table of the arrays in it. */
#include "record/case.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'L', 'W', 'A', 'R', 'R', 'A', 'Y', '1'};

/* In the file, each array begins with this header. Its elements follow. */
struct header {
    char name[CASE_NAME_SIZE];
    uint32_t type, zero;
    uint64_t count;
};

struct case_data {
    unsigned char *bytes; /* the whole contents of the file */
    size_t size;
    size_t array_count;
    struct case_array arrays[CASE_MAX_ARRAYS];
    /* offset in `bytes` of each array's elements; pointers would become invalid when `bytes` is
     * reallocated */
    size_t starts[CASE_MAX_ARRAYS];
};

size_t case_type_size(enum case_type type)
{
    switch (type) {
    case CASE_INT:
    case CASE_FLOAT:
        return 4;
    case CASE_DOUBLE:
    case CASE_U64:
        return 8;
    case CASE_BYTE:
        return 1;
    }
    return 0;
}

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

struct case_data *case_new(void)
{
    struct case_data *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->bytes = malloc(sizeof magic);
    if (!data->bytes) {
        free(data);
        return NULL;
    }
    memcpy(data->bytes, magic, sizeof magic);
    data->size = sizeof magic;
    return data;
}

void case_free(struct case_data *data)
{
    if (!data)
        return;
    free(data->bytes);
    free(data);
}

/* Adds an array to the table. Its elements begin at offset START. */
static void note_array(struct case_data *data, const struct header *header, size_t start)
{
    struct case_array *array = &data->arrays[data->array_count];
    memcpy(array->name, header->name, sizeof array->name);
    array->type = (enum case_type)header->type;
    array->count = header->count;
    data->starts[data->array_count++] = start;
}

/* Updates the pointers of all arrays to their elements, after `bytes` has been allocated or
 * reallocated. */
static void point_arrays(struct case_data *data)
{
    for (size_t i = 0; i < data->array_count; ++i)
        data->arrays[i].values = data->bytes + data->starts[i];
}

void *case_add_room(struct case_data *data, const char *name, enum case_type type, size_t count)
{
    struct header header = {.type = type, .count = count};
    size_t size = count * case_type_size(type);
    if (strlen(name) >= sizeof header.name || case_find(data, name) ||
        data->array_count == CASE_MAX_ARRAYS)
        return NULL;
    unsigned char *bytes = realloc(data->bytes, data->size + sizeof header + padded(size));
    if (!bytes)
        return NULL;
    strcpy(header.name, name);
    data->bytes = bytes;
    memcpy(bytes + data->size, &header, sizeof header);
    data->size += sizeof header;
    note_array(data, &header, data->size);
    void *room = bytes + data->size;
    memset(bytes + data->size + size, 0, padded(size) - size);
    data->size += padded(size);
    point_arrays(data);
    return room;
}

bool case_add(struct case_data *data, const char *name, enum case_type type, const void *values,
              size_t count)
{
    void *room = case_add_room(data, name, type, count);
    if (room && count > 0)
        memcpy(room, values, count * case_type_size(type));
    return room;
}

const struct case_array *case_find(const struct case_data *data, const char *name)
{
    for (size_t i = 0; i < data->array_count; ++i)
        if (strcmp(data->arrays[i].name, name) == 0)
            return &data->arrays[i];
    return NULL;
}

int case_int(const struct case_data *data, const char *name)
{
    return *(const int *)case_find(data, name)->values;
}

const float *case_floats(const struct case_data *data, const char *name)
{
    return case_find(data, name)->values;
}

size_t case_bytes(const struct case_data *data)
{
    size_t sum = 0;
    for (size_t i = 0; i < data->array_count; ++i)
        sum += data->arrays[i].count * case_type_size(data->arrays[i].type);
    return sum;
}

const struct case_array *case_at(const struct case_data *data, size_t index)
{
    return index < data->array_count ? &data->arrays[index] : NULL;
}

static bool write_all(int fd, const unsigned char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(fd, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool case_write(const struct case_data *data, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool written = write_all(fd, data->bytes, data->size);
    int saved = errno;
    if (close(fd) != 0 && written)
        return false;
    errno = saved;
    return written;
}

/* Reads the whole file into DATA. Returns NULL, or a description of the error. */
static const char *read_bytes(struct case_data *data, const char *path, size_t max_bytes)
{
    struct stat status;
    const char *wrong = NULL;
    /* these flags protect against a link or a pipe that a submission may have left at PATH */
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? "does not exist" : "cannot be opened";
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        wrong = "is not a regular file";
    else if (status.st_size == 0)
        wrong = "is empty";
    else if ((uint64_t)status.st_size > max_bytes)
        wrong = "is larger than any valid answer";
    else if (!(data->bytes = malloc((size_t)status.st_size)))
        wrong = "is too large to fit into memory";
    while (!wrong && data->size < (size_t)status.st_size) {
        ssize_t got = read(fd, data->bytes + data->size, (size_t)status.st_size - data->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            wrong = "cannot be read";
        else
            data->size += (size_t)got;
    }
    close(fd);
    return wrong;
}

/* Adds the array at offset AT to the table. Returns the offset of the next array, or 0 if the array
 * is malformed. */
static size_t parse_array(struct case_data *data, size_t at)
{
    struct header header;
    if (data->size - at < sizeof header || data->array_count == CASE_MAX_ARRAYS)
        return 0;
    memcpy(&header, data->bytes + at, sizeof header);
    at += sizeof header;
    size_t element = case_type_size((enum case_type)header.type);
    if (!memchr(header.name, 0, sizeof header.name) || header.zero != 0 || element == 0)
        return 0;
    /* divides and subtracts only, so that a count near 2^64 causes no overflow */
    if (header.count > (data->size - at) / element || case_find(data, header.name))
        return 0;
    size_t size = padded(header.count * element);
    if (size > data->size - at)
        return 0;
    note_array(data, &header, at);
    return at + size;
}

static const char *parse(struct case_data *data)
{
    if (data->size < sizeof magic || memcmp(data->bytes, magic, sizeof magic) != 0)
        return "does not begin with the header that lab_open() writes";
    for (size_t at = sizeof magic; at < data->size;) {
        at = parse_array(data, at);
        if (at == 0)
            return "is cut off or malformed";
    }
    point_arrays(data);
    return NULL;
}

struct case_data *case_read(const char *path, size_t max_bytes, char *error, size_t size)
{
    struct case_data *data = calloc(1, sizeof *data);
    const char *wrong =
        data ? read_bytes(data, path, max_bytes) : "is too large to fit into memory";
    if (!wrong)
        wrong = parse(data);
    if (!wrong)
        return data;
    snprintf(error, size, "%s", wrong);
    case_free(data);
    return NULL;
}
