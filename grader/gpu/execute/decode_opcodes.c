/* The table of opcodes and the functions that decode them.
 *
 * Arithmetic needs no row in the table, because decode_alu() finds its function by the mnemonic, in
 * alu.def or half.def. Any other new opcode needs a line in gpu/ptx/opcodes.def, a row in the
 * table, and tests in tests/gpu/execute. */
#include "gpu/execute/decode.h"
#include "gpu/execute/floats.h"
#include "gpu/execute/operations.h"

struct row {
    decode_fn *decode;
    bool takes_types; /* the instruction can have several types, as in cvt.f32.s32 */
};

static const struct row rows[PTX_OPCODE_COUNT] = {
    [PTX_OP_mov] = {decode_mov},
    [PTX_OP_cvt] = {decode_cvt, true},
    [PTX_OP_cvta] = {decode_cvta},
    [PTX_OP_isspacep] = {decode_in_space},
    [PTX_OP_mapa] = {decode_cluster_address},
    [PTX_OP_getctarank] = {decode_cluster_address},

    [PTX_OP_add] = {decode_sum},
    [PTX_OP_sub] = {decode_sum},
    [PTX_OP_mad] = {decode_sum},
    [PTX_OP_addc] = {decode_carry},
    [PTX_OP_subc] = {decode_carry},
    [PTX_OP_madc] = {decode_carry},
    [PTX_OP_dp4a] = {decode_dot, true},
    [PTX_OP_dp2a] = {decode_dot, true},
    [PTX_OP_and] = {decode_logic},
    [PTX_OP_or] = {decode_logic},
    [PTX_OP_xor] = {decode_logic},
    [PTX_OP_not] = {decode_logic},
    [PTX_OP_vadd2] = {decode_video, true},
    [PTX_OP_vadd4] = {decode_video, true},
    [PTX_OP_vsub2] = {decode_video, true},
    [PTX_OP_vsub4] = {decode_video, true},
    [PTX_OP_vavrg2] = {decode_video, true},
    [PTX_OP_vavrg4] = {decode_video, true},
    [PTX_OP_vabsdiff2] = {decode_video, true},
    [PTX_OP_vabsdiff4] = {decode_video, true},
    [PTX_OP_vmin2] = {decode_video, true},
    [PTX_OP_vmin4] = {decode_video, true},
    [PTX_OP_vmax2] = {decode_video, true},
    [PTX_OP_vmax4] = {decode_video, true},
    [PTX_OP_vset2] = {decode_video, true},
    [PTX_OP_vset4] = {decode_video, true},

    [PTX_OP_setp] = {decode_setp},
    [PTX_OP_set] = {decode_set, true},
    [PTX_OP_testp] = {decode_testp},
    [PTX_OP_selp] = {decode_selp},
    [PTX_OP_slct] = {decode_slct, true},

    [PTX_OP_ld] = {decode_load},
    [PTX_OP_ldu] = {decode_load},
    [PTX_OP_st] = {decode_store},
    [PTX_OP_atom] = {decode_atomic},
    [PTX_OP_red] = {decode_atomic},
    [PTX_OP_createpolicy_fractional] = {decode_policy},
    [PTX_OP_createpolicy_range] = {decode_policy},
    [PTX_OP_createpolicy_cvt] = {decode_policy},
    [PTX_OP_alloca] = {decode_stack},
    [PTX_OP_stacksave] = {decode_stack},
    [PTX_OP_stackrestore] = {decode_stack},

    [PTX_OP_cp_async] = {decode_copy},
    [PTX_OP_cp_async_commit_group] = {decode_copy_groups},
    [PTX_OP_cp_async_wait_group] = {decode_copy_groups},
    [PTX_OP_cp_async_wait_all] = {decode_copy_groups},
    [PTX_OP_cp_async_bulk] = {decode_bulk},
    [PTX_OP_cp_reduce_async_bulk] = {decode_bulk},
    [PTX_OP_st_async] = {decode_async_store},
    [PTX_OP_red_async] = {decode_async_store},
    [PTX_OP_cp_async_bulk_tensor] = {decode_tensor_copy},
    [PTX_OP_cp_reduce_async_bulk_tensor] = {decode_tensor_copy},
    [PTX_OP_cp_async_bulk_prefetch_tensor] = {decode_tensor_copy},
    [PTX_OP_cp_async_bulk_commit_group] = {decode_copy_groups},
    [PTX_OP_cp_async_bulk_wait_group] = {decode_copy_groups},
    [PTX_OP_cp_async_bulk_prefetch] = {decode_hint},
    [PTX_OP_cp_async_mbarrier_arrive] = {decode_mbarrier},
    [PTX_OP_mbarrier_expect_tx] = {decode_mbarrier},
    [PTX_OP_mbarrier_complete_tx] = {decode_mbarrier},
    [PTX_OP_mbarrier_init] = {decode_mbarrier},
    [PTX_OP_mbarrier_inval] = {decode_mbarrier},
    [PTX_OP_mbarrier_arrive] = {decode_mbarrier},
    [PTX_OP_mbarrier_arrive_drop] = {decode_mbarrier},
    [PTX_OP_mbarrier_test_wait] = {decode_mbarrier},
    [PTX_OP_mbarrier_try_wait] = {decode_mbarrier},
    [PTX_OP_mbarrier_pending_count] = {decode_mbarrier},

    [PTX_OP_tex] = {decode_texture, true},
    [PTX_OP_tld4] = {decode_texture, true},
    [PTX_OP_suld] = {decode_surface},
    [PTX_OP_sust] = {decode_surface},

    [PTX_OP_shfl] = {decode_shfl},
    [PTX_OP_vote] = {decode_vote},
    [PTX_OP_match] = {decode_match},
    [PTX_OP_redux] = {decode_redux},
    [PTX_OP_elect] = {decode_elect},
    [PTX_OP_activemask] = {decode_activemask},
    [PTX_OP_wmma_load_a] = {decode_matrix},
    [PTX_OP_wmma_load_b] = {decode_matrix},
    [PTX_OP_wmma_load_c] = {decode_matrix},
    [PTX_OP_wmma_store_d] = {decode_matrix},
    [PTX_OP_wmma_mma] = {decode_product, true},
    [PTX_OP_mma] = {decode_product, true},
    [PTX_OP_ldmatrix] = {decode_rows},
    [PTX_OP_stmatrix] = {decode_rows},
    [PTX_OP_movmatrix] = {decode_transposition},

    [PTX_OP_bra] = {decode_branch},
    [PTX_OP_call] = {decode_call},
    [PTX_OP_ret] = {decode_return},
    [PTX_OP_exit] = {decode_exit},
    [PTX_OP_trap] = {decode_trap},
    [PTX_OP_brkpt] = {decode_trap},
    [PTX_OP_bar] = {decode_barrier},
    [PTX_OP_barrier] = {decode_barrier},
    [PTX_OP_bar_red] = {decode_barrier_reduction},
    [PTX_OP_bar_cta_red] = {decode_barrier_reduction},
    [PTX_OP_barrier_red] = {decode_barrier_reduction},
    [PTX_OP_barrier_cta_red] = {decode_barrier_reduction},
    [PTX_OP_bar_arrive] = {decode_barrier_arrival},
    [PTX_OP_bar_cta_arrive] = {decode_barrier_arrival},
    [PTX_OP_barrier_arrive] = {decode_barrier_arrival},
    [PTX_OP_barrier_cta_arrive] = {decode_barrier_arrival},
    [PTX_OP_barrier_cluster_arrive] = {decode_cluster_barrier},
    [PTX_OP_barrier_cluster_wait] = {decode_cluster_barrier},
    [PTX_OP_membar] = {decode_fence},
    [PTX_OP_fence] = {decode_fence},
    [PTX_OP_nanosleep] = {decode_nanosleep},

    [PTX_OP_prefetch] = {decode_hint},
    [PTX_OP_prefetchu] = {decode_hint},
    [PTX_OP_applypriority] = {decode_hint},
    [PTX_OP_discard] = {decode_hint},
    [PTX_OP_griddepcontrol] = {decode_hint},
    [PTX_OP_pmevent] = {decode_hint},
    [PTX_OP_setmaxnreg] = {decode_hint},
};

void decode_instruction(struct decoder *d, uint32_t pc)
{
    d->pc = pc;
    d->in = &d->image->function->code[pc - d->image->start];
    d->out = &d->kernel->code[pc];
    *d->out = (struct inst){.guard = NO_SLOT, .dst = no_slot, .mode = MODE_DEFAULT};
    if (d->in->guard != PTX_NONE) {
        d->out->guard = d->image->slots[d->in->guard];
        d->out->guard_negated = d->in->guard_negated;
    }
    const struct row *row = &rows[d->in->opcode];
    bool is_fixed = decode_is_fixed(d);
    if (is_fixed && decode_is_copy(d)) {
        d->out->run = idle_run;
        return;
    }
    if (d->in->type_count > 1 && !row->takes_types)
        decode_unsupported(d);
    if (row->decode)
        row->decode(d);
    else
        decode_alu(d);
    if (is_fixed && !d->failed)
        decode_run_early(d);
}
