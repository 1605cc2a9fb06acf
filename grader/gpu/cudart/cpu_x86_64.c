/* Implements cpu.h for x86-64, where a flag makes the CPU trap after each instruction. */
#ifdef __x86_64__
#include "gpu/cudart/cpu.h"

#define TRAP_FLAG 0x100

uintptr_t cpu_pc(const ucontext_t *thread)
{
    return (uintptr_t)thread->uc_mcontext.gregs[REG_RIP];
}

uintptr_t cpu_stack(const ucontext_t *thread)
{
    return (uintptr_t)thread->uc_mcontext.gregs[REG_RSP];
}

bool cpu_is_no_address(const siginfo_t *info)
{
    return info->si_code == SI_KERNEL;
}

bool cpu_writes(const ucontext_t *thread)
{
    return thread->uc_mcontext.gregs[REG_ERR] & 2;
}

bool cpu_step(ucontext_t *thread)
{
    thread->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
    return true;
}

void cpu_stepped(ucontext_t *thread)
{
    thread->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

#endif
