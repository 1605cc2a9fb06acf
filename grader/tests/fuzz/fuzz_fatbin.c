/* Fuzz target: arbitrary bytes as the fat binary of an executable. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/fatbin/fatbin.h"
#include "tests/fuzz/budget.h"

#define SECONDS 2

static void read_all(const uint8_t *data, size_t size)
{
    struct fatbin_summary summary = {0};
    struct fatbin fatbin;
    struct fatbin_entry entry;
    char message[FATBIN_MESSAGE];
    fatbin_summarise(&summary, data, size, 90, message);
    fatbin_explain(&summary, 90, message);
    if (!fatbin_open(&fatbin, data, size))
        return;
    while (fatbin_next(&fatbin, &entry) > 0) {
        size_t length;
        /* The format limits the unpacked size of a small file. This test also
         * limits the fuzzer's memory. */
        if (entry.text_size <= 1u << 20)
            free(fatbin_text(&entry, &length, message));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    budget(SECONDS);
    read_all(data, size);
    budget(0);
    return 0;
}
