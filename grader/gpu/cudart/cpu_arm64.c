/* Implements cpu.h for arm64.
 *
 * A program cannot make this CPU trap after each instruction. So the instruction is copied to a
 * separate page, followed by a breakpoint, and the thread continues there:
 *
 *     program:  ...  ldr x0, [x1]  ...            the thread's pc moves to the copy; the
 *     copy:          ldr x0, [x1]  brk #0         breakpoint moves it behind the original */
#ifdef __aarch64__
#include "gpu/cudart/cpu.h"

#include <stddef.h>
#include <sys/mman.h>

#define BREAKPOINT 0xd4200000u
#define PAGE_BYTES 65536u /* the size of the largest pages that Linux has on this CPU */
#define COPIES     64     /* maximum number of threads that can step at the same time */

struct copy {
    uint32_t instruction, breakpoint;
};

static struct copy *copies;      /* NULL until it is mapped */
static uint64_t used;            /* bit i is set while copy i is in use */
static uintptr_t origin[COPIES]; /* for each copy, the address of the original instruction */

/* --- registers -------------------------------------------------------------------------------- */

/* Returns the index of the copy that contains PC, or -1 if PC is not in a copy. */
static int copy_at(uintptr_t pc)
{
    uintptr_t begin = (uintptr_t)__atomic_load_n(&copies, __ATOMIC_ACQUIRE);
    size_t i = (pc - begin) / sizeof(struct copy);
    return begin && pc >= begin && i < COPIES ? (int)i : -1;
}

uintptr_t cpu_pc(const ucontext_t *thread)
{
    int copy = copy_at(thread->uc_mcontext.pc);
    return copy < 0 ? thread->uc_mcontext.pc : origin[copy];
}

uintptr_t cpu_stack(const ucontext_t *thread)
{
    return thread->uc_mcontext.sp;
}

/* Returns whether no memory can ever be at the address. The CPU ignores the highest 8 bits of an
 * address, and the next 8 bits must be 0. */
bool cpu_is_no_address(const siginfo_t *info)
{
    return (uintptr_t)info->si_addr << 8 >> 56 != 0;
}

/* --- instructions ----------------------------------------------------------------------------- */

static uint32_t bits(uint32_t instruction, unsigned high, unsigned low)
{
    return instruction << (31 - high) >> (31 - high + low);
}

/* Returns whether IN, a load or store of one register, writes to memory. */
static bool single_writes(uint32_t in)
{
    bool is_vector = bits(in, 26, 26), loads_signed = bits(in, 23, 23);
    if (bits(in, 25, 24) == 0 && bits(in, 21, 21) && bits(in, 11, 10) == 0) /* atomic: ldadd, swp */
        return bits(in, 15, 12) != 12;                                      /* ldapr only loads */
    return !bits(in, 22, 22) && (is_vector || !loads_signed);
}

/* Returns whether IN, an exclusive or ordered access, writes to memory. Compare-and-swap always
 * does. */
static bool ordered_writes(uint32_t in)
{
    bool swaps = bits(in, 21, 21) && (bits(in, 23, 23) || !bits(in, 31, 31));
    return swaps || !bits(in, 22, 22);
}

static bool writes(uint32_t in)
{
    if ((in & 0xffffffe0u) == 0xd50b7420u) /* dc zva: zeroes a line of the cache */
        return true;
    if (bits(in, 31, 25) == 0x72) /* SVE stores */
        return true;
    if (bits(in, 29, 24) == 0x08)
        return ordered_writes(in);
    if (bits(in, 29, 27) == 7)
        return single_writes(in);
    if (bits(in, 29, 24) == 0x19) /* ldapur, stlur */
        return bits(in, 23, 22) == 0;
    /* loads and stores of pairs, and of several vector registers */
    return (bits(in, 29, 27) == 5 || bits(in, 29, 25) == 6) && !bits(in, 22, 22);
}

bool cpu_writes(const ucontext_t *thread)
{
    return writes(*(const uint32_t *)cpu_pc(thread));
}

/* Returns whether the instruction cannot be executed from a copy. It computes an address from the
 * pc, or it is an exclusive access, where a trap would end the exclusive sequence. */
static bool is_fixed(uint32_t in)
{
    bool is_exclusive =
        bits(in, 29, 24) == 0x08 && !bits(in, 23, 23) && !(bits(in, 21, 21) && !bits(in, 31, 31));
    return is_exclusive || (bits(in, 29, 27) == 3 && bits(in, 25, 24) == 0);
}

/* --- one instruction -------------------------------------------------------------------------- */

static bool map_copies(void)
{
    struct copy *none = NULL, *page;
    if (__atomic_load_n(&copies, __ATOMIC_ACQUIRE))
        return true;
    page = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
                -1, 0);
    if (page == MAP_FAILED)
        return false;
    if (!__atomic_compare_exchange_n(&copies, &none, page, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        munmap(page, PAGE_BYTES); /* another thread has mapped the page first */
    return true;
}

bool cpu_step(ucontext_t *thread)
{
    uintptr_t pc = thread->uc_mcontext.pc;
    if (copy_at(pc) >= 0) /* the instruction has faulted again in its copy */
        return true;
    uint32_t instruction = *(const uint32_t *)pc;
    if (is_fixed(instruction) || !map_copies())
        return false;
    uint64_t before = __atomic_load_n(&used, __ATOMIC_RELAXED);
    do {
        if (before == UINT64_MAX)
            return false;
    } while (!__atomic_compare_exchange_n(&used, &before, before | (before + 1), false,
                                          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
    int i = __builtin_ctzll(~before);
    origin[i] = pc;
    copies[i] = (struct copy){instruction, BREAKPOINT};
    __builtin___clear_cache((char *)&copies[i], (char *)&copies[i + 1]);
    thread->uc_mcontext.pc = (uintptr_t)&copies[i];
    return true;
}

void cpu_stepped(ucontext_t *thread)
{
    int i = copy_at(thread->uc_mcontext.pc);
    if (i < 0)
        return;
    thread->uc_mcontext.pc = origin[i] + sizeof(uint32_t);
    __atomic_fetch_and(&used, ~((uint64_t)1 << i), __ATOMIC_RELEASE);
}

#endif
