#include "report/step_page.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json.h"
#include "report/html.h"
#include "report/markup.h"

/* Puts the content of a file, with a NUL after it, into the program. */
#define ASSET(name, file)                                                                          \
    __asm__(".section .rodata\n" #name ": .incbin \"grader/report/" file "\"\n"                    \
            ".byte 0\n"                                                                            \
            ".text\n");                                                                            \
    extern const char name[] __attribute__((visibility("hidden")))
ASSET(step_style, "step/step.css");
ASSET(step_body, "step/step.html");
ASSET(step_read, "step/read.js");
ASSET(step_moments, "step/moments.js");
ASSET(step_panels, "step/panels.js");
ASSET(step_view, "step/view.js");

#define MARK 1024 /* steps between two of the document's marks */

struct bytes {
    uint8_t *start;
    size_t size;
};

/* --- packing ---------------------------------------------------------------------------------- */

static char *to_base64(struct bytes bytes)
{
    size_t size = BASE64_ENCODE_RAW_LENGTH(bytes.size);
    char *text = malloc(size + 1);
    if (!text)
        return NULL;
    base64_encode_raw(text, bytes.size, bytes.start);
    text[size] = '\0';
    return text;
}

static struct bytes from_base64(const char *text)
{
    struct base64_decode_ctx context;
    size_t length = strlen(text);
    struct bytes bytes = {malloc(BASE64_DECODE_LENGTH(length) + 1), BASE64_DECODE_LENGTH(length)};
    base64_decode_init(&context);
    if (!bytes.start || !base64_decode_update(&context, &bytes.size, bytes.start, length, text) ||
        !base64_decode_final(&context))
        bytes.size = 0;
    return bytes;
}

/* Returns the stream of SIZE bytes that TEXT packs. The stream is empty if TEXT is malformed. */
static struct bytes unpack(const char *text, uLongf size)
{
    struct bytes packed = from_base64(text), stream = {malloc(size + 1), 0};
    if (stream.start && uncompress(stream.start, &size, packed.start, packed.size) == Z_OK)
        stream.size = size;
    free(packed.start);
    return stream;
}

/* Returns the first SIZE bytes of BYTES, compressed for DecompressionStream("deflate"), as
 * Base64. */
static char *pack(struct bytes bytes, size_t size)
{
    uLongf room = compressBound(size);
    struct bytes packed = {malloc(room), 0};
    char *text = NULL;
    if (packed.start && compress2(packed.start, &room, bytes.start, size, 6) == Z_OK) {
        packed.size = room;
        text = to_base64(packed);
    }
    free(packed.start);
    return text;
}

/* Cuts the recording so that it has at most MOST bytes when packed. It can only be cut at the
 * marks, which are the known beginnings of certain steps. */
static char *pack_beginning(json_t *steps, struct bytes bytes, size_t most)
{
    const json_t *marks = json_object_get(steps, "marks");
    size_t low = 0, high = json_array_size(marks);
    char *best = NULL;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        json_int_t end = json_integer_value(json_array_get(marks, middle));
        char *text = end > 0 && (size_t)end <= bytes.size ? pack(bytes, (size_t)end) : NULL;
        if (text && strlen(text) <= most) {
            free(best);
            best = text;
            low = middle;
            continue;
        }
        free(text);
        high = middle;
    }
    json_object_set_new(steps, "steps", json_integer((json_int_t)(low * MARK)));
    json_object_set_new(steps, "cut", json_true());
    return best ? best : strdup("");
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Writes JSON in a form that can be inside of <script>, because no character of it can end the
 * element. */
static void put_json(struct markup *m, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    for (const char *at = text; at && *at; at++) {
        if (*at == '<' || *at == '>' || *at == '&')
            fprintf(m->to, "\\u%04x", (unsigned)(unsigned char)*at);
        else
            fputc(*at, m->to);
    }
    free(text);
}

/* Computes the hash of TEXTS, one after the other, as a source of a content security policy. */
static void hash_of(const char *const *texts, char hash[80])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    for (; *texts; texts++)
        sha256_update(&context, strlen(*texts), (const uint8_t *)*texts);
    sha256_digest(&context, sizeof digest, digest);
    char *text = to_base64((struct bytes){digest, sizeof digest});
    snprintf(hash, 80, "'sha256-%s'", text ? text : "");
    free(text);
}

static void put_texts(struct markup *m, const char *element, const char *const *texts)
{
    fprintf(m->to, "<%s>", element);
    for (; *texts; texts++)
        fputs(*texts, m->to);
    fprintf(m->to, "</%s>\n", element);
}

static void put_head(struct markup *m, const json_t *steps, const char *const *styles,
                     const char *const *scripts)
{
    char style_hash[80], script_hash[80];
    hash_of(styles, style_hash);
    hash_of(scripts, script_hash);
    fprintf(m->to,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src %s; style-src %s; base-uri 'none'; form-action 'none'\">\n",
            script_hash, style_hash);
    markup_leaf(m, "title", NULL, "Step through %s", json_text_of(steps, "kernel"));
    fputc('\n', m->to);
    put_texts(m, "style", styles);
    fputs("</head>\n", m->to);
}

/* --- the page --------------------------------------------------------------------------------- */

static size_t length_of(const char *const *texts)
{
    size_t length = 0;
    for (; *texts; texts++)
        length += strlen(*texts);
    return length;
}

/* Takes the recording out of STEPS. Cuts it if the page, whose other parts have OTHERS bytes, would
 * be too long. */
static char *take_data(json_t *steps, size_t others)
{
    char *packed = strdup(json_text_of(steps, "data"));
    json_object_del(steps, "data");
    char *json = json_dumps(steps, JSON_COMPACT | JSON_ENSURE_ASCII);
    others += json ? strlen(json) + 4096 : 4096;
    free(json);
    size_t most = others < STEP_PAGE_BYTES - 65536 ? STEP_PAGE_BYTES - others : 65536;
    if (packed && strlen(packed) > most) {
        struct bytes stream = unpack(packed, (uLongf)json_integer_of(steps, "data_bytes"));
        free(packed);
        packed = pack_beginning(steps, stream, most);
        free(stream.start);
    }
    json_object_del(steps, "data_bytes");
    json_object_del(steps, "marks");
    return packed;
}

bool report_step_page(FILE *to, json_t *steps, char *error, size_t size)
{
    const char *const styles[] = {report_html_style(), step_style, NULL};
    const char *const scripts[] = {step_read, step_moments, step_panels, step_view, NULL};
    struct markup m = {.to = to};
    if (json_number_of(steps, "steps") < 1 || !*json_text_of(steps, "data")) {
        snprintf(error, size, "the recording is empty or malformed");
        return false;
    }
    char *packed = take_data(steps, length_of(styles) + length_of(scripts) + strlen(step_body));
    if (!packed) {
        snprintf(error, size, "out of memory");
        return false;
    }
    put_head(&m, steps, styles, scripts);
    fputs("<body>\n", to);
    fputs(step_body, to);
    fputs("<script type=\"application/json\" id=\"meta\">", to);
    put_json(&m, steps);
    fprintf(to, "</script>\n<script type=\"text/plain\" id=\"data\">%s</script>\n", packed);
    put_texts(&m, "script", scripts);
    fputs("</body>\n</html>\n", to);
    free(packed);
    return true;
}
