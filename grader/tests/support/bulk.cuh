/* Bulk copies into shared memory, for test programs. */
#pragma once

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void bulk_init(unsigned long long *barrier, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;\nfence.mbarrier_init.release.cluster;" ::"r"(
                     shared_address(barrier)),
                 "r"(count)
                 : "memory");
}

/* Arrives once at the barrier, and tells it to wait for BYTES of copies. */
static __device__ void bulk_announce(unsigned long long *barrier, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
}

static __device__ void bulk_copy(int *to, const int *from, unsigned bytes,
                                 unsigned long long *barrier)
{
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(shared_address(to)),
        "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(barrier))
        : "memory");
}

static __device__ void bulk_wait(unsigned long long *barrier, unsigned parity)
{
    asm volatile(
        "{.reg .pred p;\nW: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra W;}" ::"r"(
            shared_address(barrier)),
        "r"(parity)
        : "memory");
}
