/* picture.h: grey pictures for labs. A pixel is a byte from 0, black, to 255, white.
 *
 *     struct picture picture = picture_read("photo.pgm");    // a PGM file: P5 (bytes) or P2 (text)
 *     struct picture picture = picture_draw(640, 480);       // a landscape in fog
 *     picture_write("after.pgm", picture);
 *
 * Files of other kinds, such as photo.jpg, are read through ImageMagick's `convert`, where it is
 * installed. A picture that cannot be read ends the program with one line that says why.
 *
 * Labs call lab_picture(), which gets the picture from the grader. When the program is run by hand,
 * the argument picture=FILE chooses a picture; without it one of width x height pixels is drawn. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PICTURE_PIXELS (1 << 26) /* maximum number of pixels in a picture */

struct picture {
    int width, height;
    unsigned char *pixels; /* rows from top to bottom, one after another */
};

/* --- helpers, which labs do not call ----------------------------------------------------------- */

static inline void picture_fail(const char *path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", path);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static inline struct picture picture_new(const char *path, long width, long height)
{
    struct picture picture = {(int)width, (int)height, NULL};
    if (width < 1 || height < 1 || width > PICTURE_PIXELS || height > PICTURE_PIXELS / width)
        picture_fail(path, "%ld x %ld pixels: a picture must have 1 to %d pixels", width, height,
                     PICTURE_PIXELS);
    picture.pixels = (unsigned char *)calloc((size_t)(width * height) + 1, 1);
    if (!picture.pixels)
        picture_fail(path, "out of memory for %ld x %ld pixels", width, height);
    return picture;
}

/* Skips white space and comments, then reads a number. Returns -1 if there is none. */
static inline long picture_number(FILE *file)
{
    long number = -1;
    int c = fgetc(file);
    while (c == ' ' || (c >= '\t' && c <= '\r') || c == '#') {
        while (c == '#' && (c = fgetc(file)) != '\n' && c != EOF)
            c = '#';
        c = c == EOF ? c : fgetc(file);
    }
    for (; c >= '0' && c <= '9'; c = fgetc(file))
        number = (number < 0 ? 0 : number > 99999999 ? 99999999 : number) * 10 + c - '0';
    if (c != EOF && number < 0)
        ungetc(c, file);
    return number; /* one character of white space after the number has been read, too */
}

/* Reads the rest of a PGM file after its first two bytes, P2 or P5. */
static inline struct picture picture_read_pgm(FILE *file, const char *path, bool is_text)
{
    long width = picture_number(file), height = picture_number(file), most = picture_number(file);
    if (width < 0 || height < 0 || most < 0)
        picture_fail(path, "the header is damaged: P5 must be followed by width, height and the "
                           "largest grey, such as P5 640 480 255");
    if (most < 1 || most > 255)
        picture_fail(path, "the largest grey is %ld, but must be from 1 to 255", most);
    struct picture picture = picture_new(path, width, height);
    for (long i = 0; i < width * height; ++i) {
        long grey = is_text ? picture_number(file) : fgetc(file);
        if (grey < 0)
            picture_fail(path, "has only %ld of %ld x %ld pixels", i, width, height);
        if (grey > most)
            picture_fail(path, "pixel %ld is %ld, but the header says that the largest grey is %ld",
                         i, grey, most);
        picture.pixels[i] = (unsigned char)((grey * 255 + most / 2) / most);
    }
    return picture;
}

/* Reads a file of another kind through ImageMagick; of several frames, reads the first. The shell
 * gets the path in a variable, so that it never interprets the path as a command. */
static inline struct picture picture_convert(const char *path)
{
    setenv("LAB_PICTURE", path, 1);
    FILE *pipe = popen("convert -regard-warnings '-[0]' -auto-orient -colorspace Gray -depth 8 "
                       "pgm:- <\"$LAB_PICTURE\" 2>/dev/null",
                       "r");
    if (!pipe || fgetc(pipe) != 'P' || fgetc(pipe) != '5')
        picture_fail(path, "is not a PGM picture (it does not begin with P5 or P2), and "
                           "ImageMagick's convert is not installed or cannot read it");
    struct picture picture = picture_read_pgm(pipe, path, false);
    if (pclose(pipe) != 0)
        fprintf(stderr, "%s: may be damaged, because ImageMagick's convert warns about it\n", path);
    return picture;
}

/* --- pictures ------------------------------------------------------------------------------------ */

/* Returns the picture in the file PATH. */
static inline struct picture picture_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    int first = file ? fgetc(file) : EOF, second = first == EOF ? EOF : fgetc(file);
    if (!file)
        picture_fail(path, "cannot be opened");
    bool is_pgm = first == 'P' && (second == '2' || second == '5');
    struct picture picture =
        is_pgm ? picture_read_pgm(file, path, second == '2') : picture_convert(path);
    fclose(file);
    return picture;
}

/* Writes the picture to the file PATH, as P5. */
static inline void picture_write(const char *path, struct picture picture)
{
    FILE *file = fopen(path, "wb");
    size_t count = (size_t)picture.width * picture.height;
    bool written = file && fprintf(file, "P5\n%d %d\n255\n", picture.width, picture.height) > 0 &&
                   fwrite(picture.pixels, 1, count, file) == count;
    if (!file || fclose(file) != 0 || !written)
        picture_fail(path, "cannot be written");
}

/* Returns a grey level for the point (X, Y) that looks random. */
static inline unsigned picture_grain(unsigned x, unsigned y)
{
    unsigned h = x * 374761393u + y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return (h ^ h >> 16) & 0xff;
}

/* Returns the height of a ridge of hills at X. Both are from 0 to 256. The ridge consists of
 * parabolas, so it needs no sin(). */
static inline int picture_ridge(int x, int period)
{
    int at = x % period, up = 4 * at * (period - at) / period;
    return x / period % 2 ? up / 3 : up;
}

/* Draws three rows of hills and a sun, in a fog that leaves only few grey levels. */
static inline struct picture picture_draw(int width, int height)
{
    struct picture picture = picture_new("the drawn picture", width, height);
    for (int i = 0; i < width * height; ++i) {
        int x = (int)(i % width * 256ll / width), y = (int)(i / width * 256ll / height);
        int sun = (x - 190) * (x - 190) + (y - 60) * (y - 60) < 500, grey = 138 - y / 16 + 14 * sun;
        for (int row = 0; row < 3; ++row)
            if (y > 120 + 40 * row - picture_ridge(x + 70 * row, 90 - 15 * row))
                grey = 124 - 11 * row + y / 32;
        picture.pixels[i] = (unsigned char)(grey + picture_grain(i % width, i / width) / 64);
    }
    return picture;
}

/* Computes the right result on the CPU. Prints the sum of the pixels or, if BINS is not NULL, how
 * many of the 256 BINS are wrong. */
static inline void picture_compare(struct picture picture, const int *bins)
{
    int right[256] = {0}, wrong = 0;
    double sum = 0;
    for (int i = 0; i < picture.width * picture.height; ++i)
        right[picture.pixels[i]]++;
    for (int grey = 0; grey < 256; ++grey) {
        sum += (double)grey * right[grey];
        wrong += bins && bins[grey] != right[grey];
    }
    if (bins)
        printf("CPU: %d bins are wrong\n", wrong);
    else
        printf("CPU %.0f\n", sum);
}

/* --- what main() of a lab calls ------------------------------------------------------------------ */

#ifdef LAB_H

/* Returns TEXT of the argument NAME=TEXT on the command line, or NULL if there is none. */
static inline const char *lab_text(struct lab *lab, const char *name)
{
    size_t length = strlen(name), used = strlen(lab->asked);
    snprintf(lab->asked + used, sizeof lab->asked - used, " %s", name);
    if (lab->lists)
        printf("  %s=FILE\n", name);
    for (int i = 1; i < lab->argc; ++i)
        if (strncmp(lab->argv[i], name, length) == 0 && lab->argv[i][length] == '=')
            return lab->argv[i] + length + 1;
    return NULL;
}

/* Returns the picture of the case. By hand, reads the file in the argument picture=FILE; without
 * this argument, draws a picture. */
static inline struct picture lab_picture(struct lab *lab)
{
    struct picture picture = {lab_int(lab, "width", 320), lab_int(lab, "height", 200), NULL};
    if (!lab_by_hand(lab)) {
        int count = picture.width * picture.height;
        picture.pixels = (unsigned char *)lab_find(lab, "pixels", LAB_BYTE, count);
        return picture;
    }
    const char *path = lab_text(lab, "picture");
    lab_text(lab, "save"); /* makes `save` a known argument, which lab_result_picture() uses */
    lab_end_list(lab);
    return path ? picture_read(path) : picture_draw(picture.width, picture.height);
}

/* Hands in the picture as the result NAME. By hand, writes it to the file in the argument
 * save=FILE. */
static inline void lab_result_picture(struct lab *lab, const char *name, struct picture picture)
{
    const char *path = lab_by_hand(lab) ? lab_text(lab, "save") : NULL;
    lab_result(lab, name, LAB_BYTE, picture.pixels, picture.width * picture.height);
    if (path)
        picture_write(path, picture);
}

#endif
#endif
