/* Makes pictures for the report: converts arrays of bytes, such as a photo before and after a
 * filter, to PNG files. Only pixels come from the submission, so a student cannot put markup into
 * the page. */
#include <nettle/base64.h>
#include <png.h>
#include <stdlib.h>

#include "checks/internal.h"
#include "checks/judging.h"
#include "checks/run.h"

/* Returns a PNG of HEIGHT rows of WIDTH grey pixels, in base64, or NULL on failure. The caller
 * frees it. */
static char *make_png(const uint8_t *pixels, int width, int height)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)width,
                       .height = (png_uint_32)height,
                       .format = PNG_FORMAT_GRAY};
    png_alloc_size_t size = 0;
    uint8_t *bytes = NULL;
    char *text = NULL;
    if (png_image_write_to_memory(&image, NULL, &size, 0, pixels, 0, NULL))
        bytes = malloc(size);
    if (bytes && png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL))
        text = calloc(BASE64_ENCODE_RAW_LENGTH(size) + 1, 1);
    if (text)
        base64_encode_raw(text, size, bytes);
    free(bytes);
    png_image_free(&image);
    return text;
}

/* Returns the array NAME of the input, or of the judged result, or NULL if there is none. */
static const struct case_array *find_array(struct check *check, const struct run *run,
                                           const char *name)
{
    const struct case_array *array = case_find(run->input, name);
    const struct answer *answer = array ? NULL : check_answer(check, run, name);
    return answer ? &answer->array : array;
}

void check_show(struct check *check, const struct run *run, const char *name, int width, int height)
{
    bool wanted = run && check->job.pictures;
    const struct case_array *array = wanted ? find_array(check, run, name) : NULL;
    if (!array || array->type != CASE_BYTE || array->count != (size_t)width * (size_t)height)
        return;
    char *png = make_png(array->values, width, height);
    if (png)
        json_array_append_new(check->shown, json_pack("{s:s, s:s, s:i, s:i, s:s}", "name", name,
                                                      "case", check->context, "width", width,
                                                      "height", height, "png", png));
    free(png);
}
