/* Declarations that the files of this folder share. */
#ifndef GPU_CUDART_ORDER_PARTS_H
#define GPU_CUDART_ORDER_PARTS_H

#include "gpu/cudart/order.h"

/* --- order.c ---------------------------------------------------------------------------------- */

/* Takes the lock of the program's struct order and of all the state below. */
void order_lock(void);
bool order_try_lock(void); /* returns false if this thread already holds the lock */
void order_unlock(void);
struct order *order_of_program(void);

/* --- report.c --------------------------------------------------------------------------------- */

/* A conflict with an access of the host, recorded by a signal handler. */
struct host_conflict {
    char earlier[96]; /* the work's name */
    struct emu_place place;
    enum emu_touch_kind earlier_touch;
    bool writes;
    unsigned count;
    int depth;
    void *stack[24]; /* the access, then the return addresses of the calls that led to it */
};

/* Keeps a conflict for order_report_kept(). The caller, perhaps a signal handler,
 * holds the lock. */
void order_keep(const struct order_conflict *conflict, bool writes, void *const *stack, int depth);
/* Reports the conflicts that were kept. The caller must not hold the lock. */
void order_report_kept(void);
/* A wait for an event that was recorded in the waiting stream itself, which orders nothing. */
struct vain_wait {
    uint64_t stream; /* the stream's number */
    struct emu_place wait, record;
};
/* Keeps WAIT, to explain a later conflict with work in its stream. The caller holds the lock. */
void order_keep_vain_wait(struct vain_wait wait);
/* Reports a conflict between pieces of work. This function is an order_report(). */
void order_report_work(void *context, const struct order_conflict *conflict);
/* Reports that the host frees memory that EARLIER uses, which is in flight. */
void order_report_free(const struct order_conflict *conflict);

/* --- guard.c: the pages of memory in flight are protected ------------------------------------- */

/* Makes all pages accessible until CLOSE has been called as often as OPEN. The caller holds the
 * lock. */
void guard_open(void);
void guard_close(void);
/* Unless pages are open, protects exactly the pages that work in flight touches. */
void guard_update(void);
/* Guards a range. Returns false if it has no page to guard, or there is not enough memory. */
bool guard_add(void *begin, size_t size, bool whole_pages_only);
void guard_remove(const void *begin);
bool guard_is_empty(void);
/* Returns whether memory that host and device share contains the address. */
bool guard_contains(emu_addr address);

#endif
