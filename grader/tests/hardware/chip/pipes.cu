/* The pipes: the cycles that a scheduler needs to issue an instruction, and the cycles until another instruction can
 * use the result.
 *
 * latency_X: one warp runs a chain of instructions, each of which needs the one before.
 * issue_X: 32 warps, 8 for each of a multiprocessor's four schedulers, run four chains each; cycles of a scheduler
 * for one instruction of a warp. The steps are the PTX of the table, as ptxas translates it: a division
 * becomes many instructions; a setp and a selp are two. */
#include "chip.cuh"

#include <string>

#define CHAINS 4

#define PIPE(name, type, body)                                                                     \
    struct pipe_##name {                                                                           \
        typedef type number;                                                                       \
        static __device__ __forceinline__ void step(type &a, type b, type c)                       \
        {                                                                                          \
            body;                                                                                  \
        }                                                                                          \
    };
#define ASM1(code, r) asm volatile(code : "+" r(a))
#define ASM2(code, r) asm volatile(code : "+" r(a) : r(b))
#define ASM3(code, r) asm volatile(code : "+" r(a) : r(b), r(c))
#define FUNCTION      PIPE
#include "pipes.def"
#undef FUNCTION
#undef PIPE

template <typename Op, int ops, int chains>
__global__ void pipe(struct span *span, unsigned *sink, typename Op::number b,
                     typename Op::number c, int rounds)
{
    typename Op::number a[chains];
    unsigned long long begin;
    for (int k = 0; k < chains; k++)
        a[k] = (typename Op::number)(threadIdx.x + k + 1) * b;
    span_begin(span, &begin);
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int i = 0; i < ops / chains; i++)
#pragma unroll
            for (int k = 0; k < chains; k++)
                Op::step(a[k], b, c);
    }
    span_end(span, begin);
    typename Op::number all = a[0];
    for (int k = 1; k < chains; k++)
        all += a[k];
    if (rounds < 0) // never, but the compiler does not know
        *(typename Op::number *)sink = all;
}

template <typename Op, int ops> static void measure_pipe(const char *name, const char *ptx)
{
    typedef typename Op::number number;
    const int rounds = 6 * OPS / ops;
    auto cycles = [=](auto kernel, int threads) {
        return chip_cycles(
            [=] { kernel<<<1, threads>>>(chip.span, chip.sink, (number)3, (number)5, rounds); });
    };
    chip_measure((std::string("latency_") + name).c_str(), "cycles", ptx,
                 [=] { return cycles(pipe<Op, ops, 1>, 32) / (ops * rounds); });
    chip_measure((std::string("issue_") + name).c_str(), "cycles", ptx,
                 [=] { return cycles(pipe<Op, ops, CHAINS>, 1024) / (8.0 * ops * rounds); });
}

void measure_pipes(void)
{
#define PIPE(name, type, body)     measure_pipe<pipe_##name, OPS>(#name, #body);
#define FUNCTION(name, type, body) measure_pipe<pipe_##name, OPS / 16>(#name, #body);
#include "pipes.def"
#undef FUNCTION
#undef PIPE
}
