/* Declarations that the files of this folder share. */
#ifndef GPU_CUDART_ORDER_PARTS_H
#define GPU_CUDART_ORDER_PARTS_H

#include "gpu/cudart/order.h"

/* --- order.c ---------------------------------------------------------------------------------- */

/* Takes the lock of the program's struct order, and of all state in report.c and guard.c. */
void order_lock(void);
bool order_try_lock(void); /* returns false if this thread already holds the lock */
void order_unlock(void);
struct order *order_of_program(void);

/* --- report.c --------------------------------------------------------------------------------- */

/* A conflict of an access by the host, which a signal handler has stored. */
struct host_conflict {
    char earlier[96]; /* name of the work in flight */
    struct emu_place place;
    enum emu_touch_kind earlier_touch;
    bool writes;
    unsigned count;
    int depth;
    void *stack[24]; /* address of the access, then return addresses of the calls that led to it */
};

/* Stores a conflict for order_report_kept(). The caller, which may be a signal handler, holds the
 * lock. */
void order_keep(const struct order_conflict *conflict, bool writes, void *const *stack, int depth);
/* Reports the stored conflicts. The caller must not hold the lock. */
void order_report_kept(void);
/* A wait for an event that was recorded in the waiting stream itself. It orders nothing. */
struct vain_wait {
    uint64_t stream; /* the stream's number */
    struct emu_place wait, record;
};
/* Stores WAIT, which may explain a later conflict with work in its stream. The caller holds the
 * lock. */
void order_keep_vain_wait(struct vain_wait wait);
/* Reports a conflict between two pieces of work. order_open() gets this function. */
void order_report_work(void *context, const struct order_conflict *conflict);
/* Reports that the host frees memory that work in flight uses. */
void order_report_free(const struct order_conflict *conflict);

/* --- guard.c: protects the pages that work in flight uses ------------------------------------- */

/* guard_open() makes all pages accessible until guard_close() has been called as often. The caller
 * holds the lock. */
void guard_open(void);
void guard_close(void);
/* Protects exactly the pages that work in flight touches. Does nothing while guard_open() is in
 * effect. */
void guard_update(void);
/* Starts to guard a range. With WHOLE_PAGES_ONLY, leaves out pages that are only partly in the
 * range. Returns false if no page is left, or when out of memory. */
bool guard_add(void *begin, size_t size, bool whole_pages_only);
void guard_remove(const void *begin);
bool guard_is_empty(void);
/* Returns whether ADDRESS is in memory that host and device share. */
bool guard_contains(emu_addr address);

#endif
