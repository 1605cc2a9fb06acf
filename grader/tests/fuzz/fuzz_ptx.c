/* Fuzz target: arbitrary bytes as PTX. Parses them, decodes every kernel, and briefly runs each
 * decoded kernel on one and a half warps. The text must not make the emulator crash, leak, hang or
 * touch the host's memory. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"
#include "gpu/ptx/module.h"
#include "tests/fuzz/budget.h"

#define MOST_PARAMS 4096
#define SECONDS     2 /* CPU seconds in an instrumented build; ordinary inputs take a hundredth */

/* Launches KERNEL. Every parameter is the address of a buffer, so that loads
 * and stores access memory. */
static void launch(struct emu_device *device, uint32_t kernel, emu_addr buffer)
{
    uint64_t params[MOST_PARAMS / 8];
    struct emu_kernel_info info;
    if (emu_kernel_info(device, kernel, &info) != EMU_OK || info.param_bytes > MOST_PARAMS)
        return;
    for (size_t i = 0; i < MOST_PARAMS / 8; i++)
        params[i] = buffer;
    struct emu_launch request = {.kernel = kernel,
                                 .grid = {2, 1, 1},
                                 .block = {48, 1, 1},
                                 .dynamic_shared_bytes = 256,
                                 .params = params,
                                 .param_bytes = MOST_PARAMS};
    struct emu_counters counters; /* so that the emulator counts */
    emu_launch(device, &request, &counters);
}

static void run_kernels(struct emu_device *device, uint32_t module, const struct ptx_module *parsed)
{
    emu_addr buffer;
    if (emu_alloc(device, 4096, &buffer) != EMU_OK)
        return;
    for (const struct ptx_function *f = parsed->functions; f; f = f->next) {
        char name[128];
        uint32_t kernel;
        if (!f->is_kernel || f->name.length >= sizeof name)
            continue;
        memcpy(name, f->name.text, f->name.length);
        name[f->name.length] = 0;
        if (emu_kernel(device, module, name, &kernel) == EMU_OK)
            launch(device, kernel, buffer);
    }
}

static void load_and_run(const uint8_t *data, size_t size)
{
    struct emu_options options = {.deterministic = true,
                                  .max_warp_instructions = 2000,
                                  .memory_bytes = 64 << 20,
                                  .record_fd = -1};
    struct emu_device *device;
    char error[300];
    uint32_t module;
    struct ptx_module *parsed = ptx_parse((const char *)data, size, error, sizeof error);
    if (!parsed)
        return;
    if (emu_open(&options, &device) == EMU_OK) {
        if (emu_load(device, (const char *)data, size, &module) == EMU_OK)
            run_kernels(device, module, parsed);
        emu_close(device);
    }
    ptx_free(parsed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    budget(SECONDS);
    load_and_run(data, size);
    budget(0);
    return 0;
}
