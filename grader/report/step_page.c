#include "report/step_page.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/json.h"
#include "report/html.h"
#include "report/markup.h"

/* Embeds the content of a file, with a NUL after it, as a constant in the program. */
#define ASSET(name, file)                                                                          \
    __asm__(".section .rodata\n" #name ": .incbin \"grader/report/" file "\"\n"                    \
            ".byte 0\n"                                                                            \
            ".text\n");                                                                            \
    extern const char name[] __attribute__((visibility("hidden")))
ASSET(step_style, "step/step.css");
ASSET(step_body, "step/step.html");
ASSET(step_read, "step/read.js");
ASSET(step_moments, "step/moments.js");
ASSET(step_faults, "step/faults.js");
ASSET(step_names, "step/names.js");
ASSET(step_panels, "step/panels.js");
ASSET(step_memory, "step/memory.js");
ASSET(step_view, "step/view.js");

#define MARK        1024   /* records in a segment of the stream (gpu/observe/stepper.h) */
#define FLUSH_BYTES 32768u /* bytes of the stream after which a page can cut it */
#define MANY_VALUES 4096u  /* put_values() compresses the values of a segment if they are longer */
#define QUICK       7u     /* number of segments without a search, if it does not help */
#define LEVEL       3      /* zlib's compression level */
#define ENDING      6u     /* bytes at the end of a packed stream */
#define LEAST       65536  /* number of bytes that a page always keeps for the recording */
/* the limits for the bytes of all sources in a page, and for the lines of a source */
#define MOST_SOURCES      600000
#define MOST_SOURCE_LINES 10000

/* --- sizes ------------------------------------------------------------------------------------ */

static bool is_escaped(char letter)
{
    return letter == '<' || letter == '>' || letter == '&';
}

/* Returns the number of bytes that put_json() writes. */
static size_t json_size(const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY);
    size_t size = 0;
    for (const char *at = text; at && *at; at++)
        size += is_escaped(*at) ? strlen("\\u003c") : 1;
    free(text);
    return size;
}

static size_t line_count(const json_t *source)
{
    size_t count = 0;
    for (const char *at = json_text_of(source, "text"); (at = strchr(at, '\n')); at++)
        count++;
    return count;
}

/* Replaces sources that are too long for a page by null. */
static void leave_out_sources(json_t *steps)
{
    json_t *sources = json_object_get(steps, "sources");
    size_t sum = 0;
    for (size_t i = 0; i < json_array_size(sources); i++) {
        size_t size = json_size(json_array_get(sources, i));
        if (sum + size > MOST_SOURCES || line_count(json_array_get(sources, i)) > MOST_SOURCE_LINES)
            json_array_set_new(sources, i, json_null());
        else
            sum += size;
    }
}

/* --- packing ---------------------------------------------------------------------------------- */

static char *to_base64(const uint8_t *bytes, size_t size)
{
    size_t length = BASE64_ENCODE_RAW_LENGTH(size);
    char *text = malloc(length + 1);
    if (!text)
        return NULL;
    base64_encode_raw(text, size, bytes);
    text[length] = '\0';
    return text;
}

/* Returns the offset of the end of segment NUMBER in a stream of LENGTH bytes. */
static size_t end_of(const json_t *marks, size_t number, size_t length)
{
    json_int_t end = json_integer_value(json_array_get(marks, number + 1));
    return number + 1 < json_array_size(marks) && end >= 0 && (size_t)end < length ? (size_t)end
                                                                                   : length;
}

/* Returns the offset of the values in the segment of STREAM (gpu/observe/stepper.h) from BEGIN to
 * END. */
static size_t values_of(const uint8_t *stream, size_t begin, size_t end)
{
    size_t at = begin, size = 0, more = 1;
    for (unsigned shift = 0; more && at < end && shift < 56; shift += 7) {
        size |= (size_t)(stream[at] & 127) << shift;
        more = stream[at++] & 128;
    }
    return size < end - at ? at + size : end;
}

/* Compresses the segments of the stream. */
struct packer {
    z_stream z;
    unsigned quick; /* number of segments in which put_values() will not search for repetitions */
};

static void put_part(struct packer *packer, const uint8_t *bytes, size_t size, int flush)
{
    packer->z.next_in = (uint8_t *)(uintptr_t)bytes;
    packer->z.avail_in = (uInt)size;
    deflate(&packer->z, flush);
}

/* Compresses many values. If values look random, the search for repetitions takes most of the time
 * and saves nothing. So if the values of one segment hardly shrink, the next segments are
 * compressed without this search. */
static void put_values(struct packer *packer, const uint8_t *bytes, size_t size)
{
    uLong before;
    deflate(&packer->z, Z_BLOCK);
    before = packer->z.total_out;
    deflateParams(&packer->z, LEVEL, packer->quick ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY);
    put_part(packer, bytes, size, Z_BLOCK);
    deflateParams(&packer->z, LEVEL, Z_DEFAULT_STRATEGY);
    if (packer->quick)
        packer->quick--;
    else if (packer->z.total_out - before > size / 8 * 7)
        packer->quick = QUICK;
}

/* Compresses the beginning of the stream, as much as fits into ROOM bytes of PACKED, in the format
 * of DecompressionStream("deflate"). Returns the number of bytes. *DONE gets the number of
 * compressed segments. The stream can only be cut between segments. */
static size_t compress_beginning(const json_t *marks, const uint8_t *stream, size_t length,
                                 uint8_t *packed, size_t room, size_t *done)
{
    struct packer packer = {.z = {.next_out = packed, .avail_out = (uInt)(room - ENDING)}};
    z_stream *z = &packer.z;
    size_t size = 0, at = 0, flushed = 0, count = json_array_size(marks);
    uLong sum = 0;
    *done = 0;
    if (deflateInit(z, LEVEL) != Z_OK)
        return 0;
    for (size_t i = 0; i < count && z->avail_out; i++) {
        size_t end = end_of(marks, i, length), values = values_of(stream, at, end);
        bool flushes = end - flushed >= FLUSH_BYTES || i + 1 == count;
        bool is_apart = end - values >= MANY_VALUES;
        put_part(&packer, stream + at, (is_apart ? values : end) - at, Z_NO_FLUSH);
        if (is_apart)
            put_values(&packer, stream + values, end - values);
        at = end;
        if (flushes)
            deflate(z, Z_SYNC_FLUSH);
        if (!flushes || !z->avail_out)
            continue;
        flushed = end;
        size = z->total_out;
        sum = z->adler;
        *done = i + 1;
    }
    deflateEnd(z);
    /* the stream ends with an empty last block and the checksum */
    const uint8_t ending[ENDING] = {
        3, 0, (uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8), (uint8_t)sum};
    memcpy(packed + size, ending, ENDING);
    return size + ENDING;
}

/* Compresses the recording and returns it as Base64. OWN is the size of the page without the
 * recording. If the page would be too long, the recording is cut. */
static char *pack(json_t *steps, const uint8_t *stream, size_t length, size_t own)
{
    json_t *marks = json_incref(json_object_get(steps, "marks"));
    json_object_del(steps, "marks");
    size_t most = STEP_PAGE_BYTES - own, done;
    uint8_t *packed = malloc(most);
    char *text = NULL;
    if (packed) {
        size_t size = compress_beginning(marks, stream, length, packed, most / 4 * 3, &done);
        text = to_base64(packed, size);
        if (done < json_array_size(marks)) {
            json_object_set_new(steps, "steps", json_integer((json_int_t)(done * MARK)));
            json_object_set_new(steps, "cut", json_true());
        }
    }
    free(packed);
    json_decref(marks);
    return text;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* Writes JSON for a <script> element. Escapes all characters that could end the element. */
static void put_json(struct markup *m, const json_t *json)
{
    char *text = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);
    for (const char *at = text; at && *at;) {
        size_t plain = strcspn(at, "<>&");
        fwrite(at, 1, plain, m->to);
        at += plain;
        if (*at)
            fprintf(m->to, "\\u%04x", (unsigned)(unsigned char)*at++);
    }
    free(text);
}

/* Computes the hash of all TEXTS together, in the form that a content security policy needs. */
static void hash_of(const char *const *texts, char hash[80])
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&context);
    for (; *texts; texts++)
        sha256_update(&context, strlen(*texts), (const uint8_t *)*texts);
    sha256_digest(&context, sizeof digest, digest);
    char *text = to_base64(digest, sizeof digest);
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

bool report_step_page(FILE *to, json_t *steps, const uint8_t *stream, size_t length, char *error,
                      size_t size)
{
    const char *const styles[] = {report_html_style(), step_style, NULL};
    const char *const scripts[] = {step_read,   step_moments, step_faults, step_names,
                                   step_panels, step_memory,  step_view,   NULL};
    struct markup m = {.to = to};
    if (json_number_of(steps, "steps") < 1 || !length) {
        snprintf(error, size, "the recording is empty");
        return false;
    }
    leave_out_sources(steps);
    size_t own =
        length_of(styles) + length_of(scripts) + strlen(step_body) + 4096 + json_size(steps);
    if (own > STEP_PAGE_BYTES - LEAST) {
        snprintf(error, size, "the program has %zu instructions, too many for a page",
                 json_array_size(json_object_get(steps, "code")));
        return false;
    }
    char *packed = pack(steps, stream, length, own);
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
