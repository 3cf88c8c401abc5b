/* base/meter — how far the reading of a run has got, and the wish that it stop: what the thread that
 * reads and the one that looks on share.
 *
 * Units:  bytes as they stand in the files, compressed where they are; whole lines.
 * Thread: every member is atomic and on its own; readers add, an onlooker loads.  */
#ifndef LK_BASE_METER_H
#define LK_BASE_METER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct lk_meter {
    _Atomic uint64_t bytes, lines;
    _Atomic uint64_t total; /* bytes there are to read; 0 = not known: pipes */
    atomic_bool is_stopped; /* somebody wants no more to be read             */
    atomic_bool is_cancelled; /* ... nor anything to be reported             */
    atomic_bool is_cut;     /* ... and something was left unread for it      */
} lk_meter;

static inline bool lk_meter_is_stopped(const lk_meter *m)
{
    return m && atomic_load_explicit(&m->is_stopped, memory_order_relaxed);
}

static inline bool lk_meter_is_cancelled(const lk_meter *m)
{
    return m && atomic_load(&m->is_cancelled);
}

#endif
