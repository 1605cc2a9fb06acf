/* Declarations that the files of this folder share. */
#ifndef GPU_CUDART_ORDER_PARTS_H
#define GPU_CUDART_ORDER_PARTS_H

#include "gpu/cudart/order.h"

/* --- order.c ---------------------------------------------------------------------------------- */

/* Takes the lock. It protects the program's struct order and all state in report.c and guard.c. */
void order_lock(void);
bool order_try_lock(void); /* returns false if this thread already holds the lock */
void order_unlock(void);
struct order *order_of_program(void);

/* --- report.c --------------------------------------------------------------------------------- */

/* A conflict between work in flight and an access by the host, stored by a signal handler. */
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
/* Reports a conflict between two work items. An order_report function (gpu/order/order.h). */
void order_report_work(void *context, const struct order_conflict *conflict);
/* Reports that the host frees memory that work in flight uses. */
void order_report_free(const struct order_conflict *conflict);

/* --- waits.c: events, and waits for them; the caller holds the lock --------------------------- */

/* order_number_work() gives WORK its number. After order_add(), order_note_work() must be called to
 * record that STREAM has received work. */
void order_number_work(struct order_work *work);
void order_note_work(uint64_t stream);
/* Record that EVENT was recorded in STREAM, or that STREAM waits for EVENT. PLACE is the line of
 * the call. */
void order_note_record(const struct order_clock *event, uint64_t stream, struct emu_place place);
void order_note_wait(const struct order_clock *event, uint64_t stream, struct emu_place place);

#define ORDER_ADVICE 280 /* maximum size of an advice text in bytes */
/* If the program has a wait that was probably meant to order these two work items but does not,
 * writes advice and returns TEXT. Otherwise returns NULL. */
const char *order_explain_waits(const struct order_work *earlier, const struct order_work *later,
                                char text[ORDER_ADVICE]);

/* --- guard.c: protects the pages that work in flight uses ------------------------------------- */

/* Makes all pages accessible until guard_close() has been called as often as guard_open(). The
 * caller holds the lock. */
void guard_open(void);
void guard_close(void);
/* Protects exactly the pages that work in flight uses. Does nothing between guard_open() and
 * guard_close(). */
void guard_update(void);
/* Starts to protect a range. If WHOLE_PAGES_ONLY, leaves out pages that are only partly in the
 * range. Returns false if no page is left, or when out of memory. */
bool guard_add(void *begin, size_t size, bool whole_pages_only);
void guard_remove(const void *begin);
bool guard_is_empty(void);
/* Returns whether ADDRESS is in memory that host and device share. */
bool guard_contains(emu_addr address);

#endif
