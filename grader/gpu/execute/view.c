/* Describes a launch to observers and to the record. Implements observe/view.h. */
#include "gpu/observe/view.h"

#include "gpu/execute/kernel.h"
#include "gpu/execute/launch.h"
#include "gpu/execute/operations.h"

void launch_describe(struct launch *launch, struct findings *findings,
                     struct obs_recording *recording)
{
    const struct kernel *kernel = launch->kernel;
    launch->view = (struct launch_view){
        .request = &launch->request,
        .options = launch->options,
        .module = kernel->module,
        .function = kernel->function,
        .kernel = kernel,
        .code_count = kernel->code_count,
        .function_count = kernel->image_count,
        .number = launch->grid_id,
        .cta_count = launch->cta_count,
        .cluster_size = launch->cluster_size,
        .warps = launch->warps,
        .resident = launch->resident,
        .shared_bytes = launch->shared_bytes,
        .static_shared_bytes = kernel->shared_bytes,
        .constant_bytes = kernel->module->const_bytes,
        .own_bytes = launch->own_bytes,
        .local_bytes = launch->local_bytes,
        .registers = kernel->registers,
        .unwritten = kernel->unwritten,
        .reads_clock = kernel->reads_clock,
        .uses_stack = kernel->uses_stack,
        .occupancy = launch->occupancy,
        .limit = launch->limit,
        .assertion = launch->output->assertion,
        .memory = launch->memory,
        .heap = launch->heap,
        .findings = findings,
        .recording = recording,
        .predictor = launch->predictor,
    };
}

struct source_line view_line(const struct launch_view *launch, uint32_t pc)
{
    return kernel_line(launch->kernel, pc);
}

enum view_author view_author(const struct launch_view *launch, uint32_t pc)
{
    uint32_t index;
    const struct ptx_function *function = view_function(launch, pc, &index);
    const struct ptx_function *kernel = launch->function;
    const struct ptx_module *module = launch->module;
    uint32_t file = index < function->code_count ? analyse_inner_line(function, index).file : 0;
    if (!analyse_is_library(module, file))
        return VIEW_STUDENT;
    bool is_kernel = kernel->loc_count && analyse_is_library(module, kernel->locs[0].file);
    return is_kernel || analyse_is_groups(module, file) ? VIEW_TRUSTED : VIEW_LIBRARY;
}

const struct ptx_function *view_function(const struct launch_view *launch, uint32_t pc,
                                         uint32_t *index)
{
    const struct image *image = kernel_image(launch->kernel, pc);
    *index = pc - image->start;
    return image->function;
}

const struct ptx_instruction *view_ptx(const struct launch_view *launch, uint32_t pc)
{
    uint32_t index;
    const struct ptx_function *function = view_function(launch, pc, &index);
    return index < function->code_count ? &function->code[index] : NULL;
}

void view_range(const struct launch_view *launch, uint32_t number, uint32_t *first, uint32_t *end)
{
    const struct image *image = &launch->kernel->images[number];
    *first = image->start;
    *end = image->end;
}

const struct ptx_variable *view_shared_variable(const struct launch_view *launch, uint64_t addr,
                                                uint64_t *begin)
{
    const struct kernel *kernel = launch->kernel;
    for (uint32_t i = 0; i < kernel->shared_count; i++) {
        const struct ptx_variable *v = kernel->shared[i].variable;
        *begin = v->size ? kernel->shared[i].at : kernel_dynamic_shared(kernel);
        if (addr >= *begin && (!v->size || addr - *begin < v->size))
            return v;
    }
    return NULL;
}

static enum view_kind memory_kind(const struct inst *inst)
{
    return inst_is_load(inst)                                              ? VIEW_LOAD
           : inst->run == store_run                                        ? VIEW_STORE
           : inst->run == atomic_run                                       ? VIEW_ATOMIC
           : inst->run == copy_run || inst->run == bulk_run                ? VIEW_COPY
           : inst->run == mbarrier_run                                     ? VIEW_MBARRIER
           : inst->run == matrix_load_run || inst->run == matrix_store_run ? VIEW_MATRIX
           : inst->run == rows_run                                         ? VIEW_ROWS
           : inst_is_texture(inst)                                         ? VIEW_TEXTURE
                                                                           : VIEW_OTHER;
}

static enum view_kind kind_of(const struct inst *inst)
{
    switch (inst->kind) {
    case KIND_BRANCH:
        return VIEW_BRANCH;
    case KIND_CALL:
        return VIEW_CALL;
    case KIND_RETURN:
        return VIEW_RETURN;
    case KIND_EXIT:
        return VIEW_EXIT;
    default:
        return memory_kind(inst);
    }
}

struct view_instruction view_instruction(const struct launch_view *launch, uint32_t pc)
{
    const struct inst *inst = &launch->kernel->code[pc];
    struct view_instruction view = {.kind = kind_of(inst),
                                    .has_guard = inst->guard != NO_SLOT,
                                    .adds = inst->adds,
                                    .may_poll = inst->observes};
    if (view.kind == VIEW_BRANCH) {
        view.target = inst->branch.target;
        view.meet = inst->branch.meet;
    } else if (view.kind == VIEW_CALL) {
        view.callee = inst->call.image;
    } else if (view.kind == VIEW_TEXTURE) {
        view.access = inst->run == surface_store_run ? OBS_STORE : OBS_LOAD;
    } else if (view.kind != VIEW_OTHER) {
        view.bytes = inst->mem.bytes;
        view.type = inst->mem.type;
        view.access = inst->mem.event;
        view.op = inst->mem.op;
        view.adds_one = view.kind == VIEW_ATOMIC && inst->mem.variant;
        view.low = inst->mem.low;
        view.high = inst->mem.high;
    }
    return view;
}
