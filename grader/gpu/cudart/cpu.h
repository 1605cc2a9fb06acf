/* Declares the CPU-specific functions for signal handlers. They return the registers of the
 * interrupted thread, say whether the thread reads or writes, and let it execute a single
 * instruction. */
#ifndef GPU_CUDART_CPU_H
#define GPU_CUDART_CPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Return the address of the interrupted instruction, and the value of the stack pointer. */
uintptr_t cpu_pc(const ucontext_t *thread);
uintptr_t cpu_stack(const ucontext_t *thread);

/* Returns whether the address that caused this SIGSEGV is one at which no memory can ever be. */
bool cpu_is_no_address(const siginfo_t *info);

/* Returns whether the instruction that faulted writes to memory. */
bool cpu_writes(const ucontext_t *thread);

/* Lets THREAD execute one instruction after the handler returns. The thread then gets a SIGTRAP,
 * whose handler must call cpu_stepped(). If the instruction faults before that, this function may
 * be called again. Returns false if the instruction cannot be executed alone. */
bool cpu_step(ucontext_t *thread);
void cpu_stepped(ucontext_t *thread);

#endif
