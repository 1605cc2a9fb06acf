/* Generic addresses and state spaces, special registers, and cache hints. Prints what the program
 * finds, so that a GPU's output can be recorded and compared (spaces.expected). */
#include "tests/support/check.cuh"

struct pair {
    int first, second;
};

__constant__ int fixed[4] = {3, 1, 4, 1};
__device__ int variable[4];

#define SPACES_OF(address)                                                                         \
    (in_global(address) | in_shared(address) << 1 | in_own(address) << 2 |                         \
     in_cluster(address) << 3 | in_local(address) << 4 | in_const(address) << 5 |                  \
     in_param(address) << 6)

#define IN(name, space)                                                                            \
    __device__ static unsigned in_##name(const void *address)                                      \
    {                                                                                              \
        unsigned yes;                                                                              \
        asm volatile("{.reg .pred p; isspacep." space " p, %1; selp.u32 %0, 1, 0, p;}"             \
                     : "=r"(yes)                                                                   \
                     : "l"(address));                                                              \
        return yes;                                                                                \
    }
IN(global, "global")
IN(shared, "shared")
IN(own, "shared::cta")
IN(cluster, "shared::cluster")
IN(local, "local")
IN(const, "const")
IN(param, "param")

static __device__ void function(void)
{
}

__global__ void spaces(unsigned *found, const __grid_constant__ pair p, int *memory)
{
    extern __shared__ int more[];
    __shared__ int some[4];
    volatile int own[4] = {1, 2, 3, 4};
    some[0] = more[0] = 1;
    const void *addresses[] = {memory,
                               variable,
                               some,
                               more,
                               (const void *)own,
                               fixed,
                               &p,
                               &p.second,
                               nullptr,
                               (const void *)8,
                               (const void *)0x123456789abc,
                               (const void *)function};
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++)
        found[i] = SPACES_OF(addresses[i]);
}

/* Reads a parameter through pointers whose space the compiler knows less and less. */
__device__ __noinline__ int read(const int *from)
{
    return *from;
}

__global__ void parameters(int *out, const __grid_constant__ pair p, int which)
{
    const int *each[] = {&p.first, &p.second, &fixed[which], out};
    out[1] = read(each[which]) + *each[which] * 10;
    out[2] = ((const int *)__cvta_generic_to_global(&p.second))[0] & 0;
    unsigned long long in_parameters = __cvta_generic_to_grid_constant(&p.second);
    asm volatile("ld.param.u32 %0, [%1];" : "=r"(out[3]) : "l"(in_parameters));
}

#define REGISTER(name)                                                                             \
    asm volatile("mov.u32 %0, %%" name ";" : "=r"(value));                                         \
    out[count++] = value
#define REGISTERS(name)                                                                            \
    REGISTER(name ".x");                                                                           \
    REGISTER(name ".y");                                                                           \
    REGISTER(name ".z")
#define WIDE(name)                                                                                 \
    asm volatile("mov.u64 %0, %%" name ";" : "=l"(wide));                                          \
    out[count++] = (unsigned)wide

/* Reads special registers in the last block of a grid of 3 x 2 x 2. */
__global__ void registers(unsigned *out)
{
    extern __shared__ int more[];
    __shared__ int some[8];
    more[threadIdx.x] = 1;
    some[threadIdx.x] = more[0];
    if (blockIdx.x != 2 || blockIdx.y != 1 || blockIdx.z != 1 || threadIdx.x)
        return;
    unsigned value = (unsigned)some[0], count = 0;
    unsigned long long wide;
    REGISTERS("clusterid");
    REGISTERS("nclusterid");
    REGISTERS("cluster_ctaid");
    REGISTERS("cluster_nctaid");
    REGISTER("cluster_ctarank");
    REGISTER("cluster_nctarank");
    asm volatile("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}"
                 : "=r"(value));
    out[count++] = value;
    REGISTER("dynamic_smem_size");
    REGISTER("total_smem_size");
    REGISTER("aggr_smem_size");
    REGISTER("reserved_smem_offset_begin");
    REGISTER("reserved_smem_offset_end");
    REGISTER("reserved_smem_offset_cap");
    REGISTER("envreg31");
    REGISTER("pm0");
    REGISTER("pm7");
    WIDE("pm0_64");
    WIDE("current_graph_exec");
    unsigned low, high;
    asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(low));
    asm volatile("mov.u32 %0, %%globaltimer_hi;" : "=r"(high));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(wide));
    unsigned long long before = (unsigned long long)high << 32 | low;
    out[count++] = before && wide - before < 10000000000ull;
}

/* Cache hints change no value that is read or written. */
__global__ void hints(int *memory)
{
    int a, b, c, d, e;
    unsigned long long policy, half, range;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0;" : "=l"(policy));
    asm volatile("createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 %0, 0.5;"
                 : "=l"(half));
    asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], 64, 128;"
                 : "=l"(range)
                 : "l"(memory));
    asm volatile("prefetch.global.L2 [%0]; prefetch.L1 [%0]; prefetch.global.L2::evict_last [%0]; "
                 "prefetchu.L1 [%0]; prefetch.global.L1 [%0];" ::"l"(memory));
    asm volatile("ld.global.L1::no_allocate.L2::cache_hint.L2::128B.s32 %0, [%1], %2;"
                 : "=r"(a)
                 : "l"(memory), "l"(policy));
    asm volatile("ld.global.nc.L1::evict_last.L2::64B.s32 %0, [%1+4];" : "=r"(b) : "l"(memory));
    asm volatile("ld.relaxed.gpu.global.L1::no_allocate.s32 %0, [%1+8];" : "=r"(c) : "l"(memory));
    asm volatile("ld.mmio.relaxed.sys.global.s32 %0, [%1+12];" : "=r"(d) : "l"(memory));
    asm volatile("ld.global.L2::256B.s32 %0, [%1];" : "=r"(e) : "l"(memory));
    asm volatile("st.global.L1::evict_first.L2::cache_hint.s32 [%0+16], %1, %2;" ::"l"(memory),
                 "r"(a + 10 * b + 100 * c + 1000 * d + 10000 * e), "l"(half)
                 : "memory");
    asm volatile("red.global.add.L2::cache_hint.u32 [%0+16], 7, %1;" ::"l"(memory), "l"(range)
                 : "memory");
    asm volatile("atom.global.exch.L2::cache_hint.b32 %0, [%1+20], 5, %2;"
                 : "=r"(a)
                 : "l"(memory), "l"(range)
                 : "memory");
    asm volatile("st.global.s32 [%0+24], %1; applypriority.global.L2::evict_normal [%0+128], 128; "
                 "discard.global.L2 [%0+256], 128; griddepcontrol.wait; "
                 "griddepcontrol.launch_dependents; pmevent 3;" ::"l"(memory),
                 "r"(a)
                 : "memory");
    __shared__ int near[4];
    unsigned at = (unsigned)__cvta_generic_to_shared(near);
    asm volatile("st.shared::cta.s32 [%1], 40; atom.shared::cta.add.u32 %0, [%1], 2; "
                 "red.shared::cluster.add.u32 [%1], 3; ld.shared::cta.s32 %0, [%1];"
                 : "=r"(b)
                 : "r"(at)
                 : "memory");
    memory[7] = b;
}

static void show(const char *name, const unsigned *words, int count)
{
    printf("%s", name);
    for (int i = 0; i < count; i++)
        printf(" %u", words[i]);
    printf("\n");
}

int main()
{
    unsigned *out, words[64];
    MUST(cudaMalloc(&out, 1024));
    MUST(cudaMemset(out, 0, 1024));
    spaces<<<1, 1, 64>>>(out, pair{5, 6}, (int *)out + 100);
    FINISH();
    MUST(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    show("spaces", words, 12);
    for (int which = 0; which < 3; which++) {
        parameters<<<1, 1>>>((int *)out, pair{5, 6}, which);
        FINISH();
        MUST(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
        show("parameters", words + 1, 3);
    }
    registers<<<dim3(3, 2, 2), 8, 80>>>(out);
    FINISH();
    MUST(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    show("registers", words, 26);
    int memory[64] = {1, 2, 3, 4, 0, 9};
    MUST(cudaMemcpy(out, memory, sizeof memory, cudaMemcpyHostToDevice));
    hints<<<1, 1>>>((int *)out);
    FINISH();
    MUST(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    show("hints", words, 8);
    return summary();
}
