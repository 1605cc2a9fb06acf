/* Declares the CPU-specific parts of signal handlers. They read the registers of the interrupted
 * code, find out the kind of its access, and execute one of its instructions. */
#ifndef GPU_CUDART_CPU_H
#define GPU_CUDART_CPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Return the address of the interrupted instruction, and the stack pointer. */
uintptr_t cpu_pc(const ucontext_t *thread);
uintptr_t cpu_stack(const ucontext_t *thread);

/* Returns whether no memory can exist at the address of this SIGSEGV. */
bool cpu_is_no_address(const siginfo_t *info);

/* Returns whether the access that faulted writes. */
bool cpu_writes(const ucontext_t *thread);

/* Lets the thread execute one instruction when the handler returns, and then get a SIGTRAP, whose
 * handler calls cpu_stepped(). The instruction may fault and be stepped again before that. Returns
 * false if the instruction cannot be stepped. */
bool cpu_step(ucontext_t *thread);
void cpu_stepped(ucontext_t *thread);

#endif
