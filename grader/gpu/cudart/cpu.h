/* Declares the CPU-specific functions for signal handlers. They read the registers of the
 * interrupted thread, find out whether the thread reads or writes, and let it execute a single
 * instruction. */
#ifndef GPU_CUDART_CPU_H
#define GPU_CUDART_CPU_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Return the address of the interrupted instruction, and the stack pointer. */
uintptr_t cpu_pc(const ucontext_t *thread);
uintptr_t cpu_stack(const ucontext_t *thread);

/* Returns whether no memory can be at the address that caused this SIGSEGV. */
bool cpu_is_no_address(const siginfo_t *info);

/* Returns whether the instruction that faulted writes to memory. */
bool cpu_writes(const ucontext_t *thread);

/* Lets THREAD execute one instruction after the handler returns. Then the thread gets a SIGTRAP,
 * whose handler must call cpu_stepped(). If the instruction faults before that, it can be stepped
 * again. Returns false if the instruction cannot be stepped. */
bool cpu_step(ucontext_t *thread);
void cpu_stepped(ucontext_t *thread);

#endif
