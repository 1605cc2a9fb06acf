/* Tests shared/picture.h with pictures that a student provides, valid and damaged. A damaged
 * picture ends the program with a message of one line and exit code 2. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../shared/picture.h"
#include "tests/support/shell.h"
#include "tests/support/submission.h"

TestSuite(picture, .init = shell_init, .fini = shell_fini);

/* Writes SIZE bytes to "a.pgm" in the test's folder, and makes this folder the working
 * directory. */
static void write_picture(const char *bytes, size_t size)
{
    cr_assert_eq(chdir(shell_folder()), 0);
    FILE *file = fopen("a.pgm", "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

#define TEXT(text) text, sizeof text - 1

static const struct {
    const char *name, *bytes;
    size_t size;
    int width, height;
    unsigned char first, last;
} whole[] = {
    {"one pixel", TEXT("P5 1 1 255\n\x07"), 1, 1, 7, 7},
    {"two by three", TEXT("P5\n2 3\n255\n\x01\x02\x03\x04\x05\xff"), 2, 3, 1, 255},
    {"comments", TEXT("P5\n# by hand\n2 # wide\n1\n# greys:\n255\n\x09\x0a"), 2, 1, 9, 10},
    {"a pixel like a blank", TEXT("P5 2 1 255\n\n\n"), 2, 1, 10, 10},
    {"text", TEXT("P2\n# text\n3 1\n255\n0 128\n 255"), 3, 1, 0, 255},
    {"fewer greys, which are spread", TEXT("P5 2 1 15\n\x01\x0f"), 2, 1, 17, 255},
    {"black and white as text", TEXT("P2 2 1 1 1 0"), 2, 1, 255, 0},
    {"bytes after the last pixel", TEXT("P5 1 1 255\n\x05 more"), 1, 1, 5, 5},
};

Test(picture, whole_pictures_are_read)
{
    for (size_t i = 0; i < sizeof whole / sizeof *whole; ++i) {
        write_picture(whole[i].bytes, whole[i].size);
        struct picture picture = picture_read("a.pgm");
        int last = picture.width * picture.height - 1;
        cr_expect_eq(picture.width, whole[i].width, "%s", whole[i].name);
        cr_expect_eq(picture.height, whole[i].height, "%s", whole[i].name);
        cr_expect_eq(picture.pixels[0], whole[i].first, "%s", whole[i].name);
        cr_expect_eq(picture.pixels[last], whole[i].last, "%s: %d", whole[i].name,
                     picture.pixels[last]);
        free(picture.pixels);
    }
}

#define HEADER "a.pgm: the header is damaged: "

static const struct {
    const char *name, *bytes;
    size_t size;
    const char *message;
} damaged[] = {
    {"only P5", TEXT("P5"), HEADER},
    {"no height", TEXT("P5 3\n"), HEADER},
    {"letters", TEXT("P5 three 1 255\n"), HEADER},
    {"a negative width", TEXT("P5 -3 1 255\n"), HEADER},
    {"an endless comment", TEXT("P5 # 3 1 255"), HEADER},
    {"largest grey 0", TEXT("P5 1 1 0\nx"), "a.pgm: the largest grey is 0, but must be"},
    {"16 bits", TEXT("P5 1 1 65535\nxx"), "a.pgm: the largest grey is 65535, but must be"},
    {"no width", TEXT("P5 0 1 255\n"),
     "a.pgm: 0 x 1 pixels: a picture must have 1 to 67108864 pixels"},
    {"too large", TEXT("P5 10000 10000 255\n"),
     "a.pgm: 10000 x 10000 pixels: a picture must have 1 to"},
    {"far too large", TEXT("P5 99999999999999999999 99999999999999999999 255\n"),
     "a picture must have"},
    {"no pixels", TEXT("P5 2 2 255\n"), "a.pgm: has only 0 of 2 x 2 pixels"},
    {"a pixel less", TEXT("P5 2 2 255\nabc"), "a.pgm: has only 3 of 2 x 2 pixels"},
    {"text cut off", TEXT("P2 2 2 255\n1 2 3"), "a.pgm: has only 3 of 2 x 2 pixels"},
    {"letters as pixels", TEXT("P2 2 1 255\n1 x"), "a.pgm: has only 1 of 2 x 1 pixels"},
    {"a grey above the largest", TEXT("P5 2 1 7\n\x01\x08"), "a.pgm: pixel 1 is 8, but the header"},
    {"no picture", TEXT("hello, world"), "a.pgm: is not a PGM picture (it does not begin with"},
    {"an empty file", TEXT(""), "a.pgm: is not a PGM picture"},
};

/* Ends a forked process without a check for leaks, which is impossible because its parent has more
 * threads. */
static void leave(int code, void *unused)
{
    _exit(code);
}

/* Reads "a.pgm" in another process. Returns its exit code; OUTPUT gets its output. */
static int read_elsewhere(const char *path, char *output, size_t size)
{
    int ends[2], status;
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        on_exit(leave, NULL);
        picture_read(path);
        _exit(0);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    size_t got = fread(output, 1, size - 1, from);
    output[got] = 0;
    fclose(from);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Test(picture, damaged_pictures_get_one_line)
{
    char output[1000];
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; ++i) {
        write_picture(damaged[i].bytes, damaged[i].size);
        int code = read_elsewhere("a.pgm", output, sizeof output);
        cr_expect_eq(code, 2, "%s: exit code %d", damaged[i].name, code);
        cr_expect(strstr(output, damaged[i].message), "%s: %s", damaged[i].name, output);
        cr_expect(strchr(output, '\n') == output + strlen(output) - 1, "%s: not one line: %s",
                  damaged[i].name, output);
    }
    cr_expect_eq(read_elsewhere("none.pgm", output, sizeof output), 2);
    cr_expect_str_eq(output, "none.pgm: cannot be opened\n");
}

/* If the converter only warns, the picture is accepted. It may be grey from the point where the
 * file was cut off. */
Test(picture, a_warning_of_the_converter_is_one_line)
{
    char output[1000], path[5000];
    free(shell_must("printf '#!/bin/sh\\nprintf \"P5 1 1 255 x\"\\nexit $(cat)' >convert && "
                    "chmod +x convert"));
    write_picture(TEXT("0")); // exit code of the simulated converter
    cr_assert(getcwd(output, sizeof output));
    snprintf(path, sizeof path, "%s:%s", output, getenv("PATH"));
    setenv("PATH", path, 1);
    cr_expect_eq(read_elsewhere("a.pgm", output, sizeof output), 0);
    cr_expect_str_eq(output, "");
    write_picture(TEXT("1"));
    cr_expect_eq(read_elsewhere("a.pgm", output, sizeof output), 0);
    cr_expect_str_eq(output,
                     "a.pgm: may be damaged, because ImageMagick's convert warns about it\n");
}

Test(picture, what_is_written_can_be_read)
{
    write_picture("", 0);
    struct picture drawn = picture_draw(33, 17), again;
    picture_write("b.pgm", drawn);
    again = picture_read("b.pgm");
    cr_expect(again.width == 33 && again.height == 17);
    cr_expect_arr_eq(again.pixels, drawn.pixels, 33 * 17);
    free(drawn.pixels);
    free(again.pixels);
}

/* The lab's program reads a picture and writes the new one; a damaged picture ends it. */
Test(picture, a_lab_reads_and_writes_pictures, .init = submission_init, .timeout = 200)
{
    int code;
    char *output =
        shell_must("printf 'P2 3 1 255 100 101 103' >a.pgm; $LANEWISE run --lab 9 -- rung=6 "
                   "picture=a.pgm save=b.pgm 2>&1 && tail -c 3 b.pgm | od -An -tu1");
    cr_expect(strstr(output, "CPU: 0 bins are wrong\n"), "%s", output);
    cr_expect(strstr(output, "   0 127 255\n"), "%s", output);
    free(output);
    output =
        shell(&code, "printf 'P5 3 1 255 ' >a.pgm; $LANEWISE run --lab 9 -- picture=a.pgm 2>&1");
    cr_expect_eq(code, 2, "exit code %d", code);
    cr_expect(strstr(output, "a.pgm: has only 0 of 3 x 1 pixels\n"), "%s", output);
    free(output);
}
