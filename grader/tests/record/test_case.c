/* Tests case and result files. Reading must return the values that were written, and malformed
 * files must be refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "record/case.h"

static char folder[PATH_SIZE];

static void enter_folder(void)
{
    cr_assert(base_private_folder(folder) && chdir(folder) == 0);
}

static void leave_folder(void)
{
    base_remove_tree(folder);
}

TestSuite(case_file, .init = enter_folder, .fini = leave_folder);

Test(case_file, arrays_come_back_as_they_were_written)
{
    const int32_t ints[] = {1, -2, 3};
    const uint64_t large = 1ull << 63 | 5;
    const double none = 0;
    const uint8_t bytes[] = {7, 0, 255};
    char error[100];
    struct case_data *written = case_new();
    cr_assert(case_add(written, "ints", CASE_INT, ints, 3));
    cr_assert(case_add(written, "large", CASE_U64, &large, 1));
    cr_assert(case_add(written, "bytes", CASE_BYTE, bytes, 3));
    cr_assert(case_add(written, "none", CASE_DOUBLE, &none, 0));
    cr_assert(case_write(written, "case"));
    struct case_data *read = case_read("case", 1000, error, sizeof error);
    cr_assert(read, "%s", error);
    const struct case_array *array = case_find(read, "ints");
    cr_assert(array && array->type == CASE_INT && array->count == 3);
    cr_expect_arr_eq(array->values, ints, sizeof ints);
    cr_expect_eq(case_int(read, "ints"), ints[0]);
    array = case_find(read, "large");
    cr_assert(array && array->type == CASE_U64 && array->count == 1);
    cr_expect_eq(*(const uint64_t *)array->values, large);
    array = case_find(read, "bytes");
    cr_assert(array && array->type == CASE_BYTE && array->count == 3);
    cr_expect_arr_eq(array->values, bytes, sizeof bytes);
    array = case_find(read, "none");
    cr_expect(array && array->type == CASE_DOUBLE && array->count == 0);
    cr_expect_null(case_find(read, "others"));
    case_free(written);
    case_free(read);
}

Test(case_file, what_does_not_fit_is_refused)
{
    const int32_t value = 1;
    struct case_data *data = case_new();
    cr_expect(!case_add(data, "a name that is far too long", CASE_INT, &value, 1), "long name");
    cr_expect(case_add(data, "a", CASE_INT, &value, 1));
    cr_expect(!case_add(data, "a", CASE_INT, &value, 1), "a name twice");
    cr_expect(case_write(data, "case"));
    cr_expect(!case_write(data, "case"), "a file that exists");
    for (int i = 1; i < CASE_MAX_ARRAYS; ++i) {
        char name[8];
        snprintf(name, sizeof name, "b%d", i);
        cr_expect(case_add(data, name, CASE_INT, &value, 1), "%s", name);
    }
    cr_expect(!case_add(data, "c", CASE_INT, &value, 1), "too many");
    case_free(data);
}

/* Malformed files: in a file with the array "a" of two ints, SIZE bytes at OFFSET are replaced, and
 * then the file is cut to LENGTH. */
static const struct {
    const char *name;
    size_t offset;
    const char *bytes;
    size_t size, length;
    const char *error; /* ERROR is NULL if the file must be accepted */
} files[] = {
    {"untouched", 0, "", 0, 56, NULL},
    {"an empty file", 0, "", 0, 0, "is empty"},
    {"half the magic", 0, "", 0, 4, "does not begin"},
    {"only the magic", 0, "", 0, 8, NULL},
    {"another magic", 0, "X", 1, 56, "does not begin"},
    {"cut in the header", 0, "", 0, 40, "malformed"},
    {"cut in the elements", 0, "", 0, 52, "malformed"},
    {"a name without its NUL", 8, "aaaaaaaaaaaaaaaaaaaaaaaa", 24, 56, "malformed"},
    {"type 0", 32, "\0", 1, 56, "malformed"},
    {"type 6", 32, "\6", 1, 56, "malformed"},
    {"a wider type, so elements are missing", 32, "\3", 1, 56, "malformed"},
    {"reserved bits", 36, "\1", 1, 56, "malformed"},
    {"count 3, one more than there are", 40, "\3", 1, 56, "malformed"},
    {"count 0, so an array begins in the elements", 40, "\0", 1, 56, "malformed"},
    {"a count whose size wraps around to 8", 40, "\2\0\0\0\0\0\0\x40", 8, 56, "malformed"},
    {"the largest count", 40, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 56, "malformed"},
};

static void write_bytes(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen("result", "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

Test(case_file, malformed_files_are_refused)
{
    const int32_t values[] = {7, 8};
    struct case_data *data = case_new();
    struct text good;
    char error[100];
    cr_assert(case_add(data, "a", CASE_INT, values, 2) && case_write(data, "good"));
    cr_assert(base_read_file("good", 1000, &good, error, sizeof error));
    cr_assert_eq(good.size, 56);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        unsigned char bytes[56];
        memcpy(bytes, good.bytes, 56);
        memcpy(bytes + files[i].offset, files[i].bytes, files[i].size);
        write_bytes(bytes, files[i].length);
        error[0] = 0;
        struct case_data *read = case_read("result", 1000, error, sizeof error);
        cr_expect_eq(!read, files[i].error != NULL, "%s: %s", files[i].name, error);
        if (files[i].error)
            cr_expect(strstr(error, files[i].error), "%s: %s", files[i].name, error);
        case_free(read);
    }
    free(good.bytes);
    case_free(data);
}

Test(case_file, the_same_name_twice_is_refused)
{
    unsigned char bytes[8 + 2 * 40] = "LWARRAY1";
    char error[100];
    for (int i = 0; i < 2; ++i) {
        bytes[8 + 40 * i] = 'a';
        bytes[8 + 40 * i + 24] = CASE_INT;
    }
    write_bytes(bytes, sizeof bytes);
    cr_expect_null(case_read("result", 1000, error, sizeof error));
}

Test(case_file, only_regular_files_of_a_sane_size_are_read)
{
    char error[100] = "";
    cr_expect_null(case_read("nothing", 1000, error, sizeof error));
    cr_expect_str_eq(error, "does not exist");
    write_bytes((const unsigned char *)"LWARRAY1", 8);
    cr_expect_null(case_read("result", 7, error, sizeof error));
    cr_expect_str_eq(error, "is larger than any valid answer");
    cr_assert(symlink("result", "link") == 0 && mkfifo("pipe", 0600) == 0);
    cr_expect_null(case_read("link", 1000, error, sizeof error), "a link");
    cr_expect_null(case_read("pipe", 1000, error, sizeof error), "a pipe, without waiting");
    cr_expect_null(case_read(".", 1000, error, sizeof error), "a folder");
}
