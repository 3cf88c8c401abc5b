/* base/relay — the turns of two threads at a ring of slots: one fills them, the other empties them.
 * What is in the slots belongs to the callers; the relay says whose each is.
 *
 * Owner:  lk_relay_open/lk_relay_close; close after both have ended.
 * Errors: EIO (no mutex).
 * Thread: one filler, one emptier.  A slot that was handed over is read without further care.
 * Cost:   a lock for each slot; who waits for room is woken when half of the ring is free.  */
#ifndef LK_BASE_RELAY_H
#define LK_BASE_RELAY_H

#include "base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct lk_relay {
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_item;
    size_t slots, filled, emptied; /* the last two: so far */
    bool is_left;                  /* nobody empties any more */
} lk_relay;

LK_MUST_CHECK lk_code lk_relay_open(lk_relay *r, size_t slots, lk_err *e);
void lk_relay_close(lk_relay *r);

/* The filler: waits for a free slot; false when nobody wants it.  Then hands it over. */
bool lk_relay_await_room(lk_relay *r, size_t *slot);
void lk_relay_fill(lk_relay *r);

/* The emptier: waits for the next filled slot, which there must be; then gives it back; or leaves. */
size_t lk_relay_await_item(lk_relay *r);
void lk_relay_empty(lk_relay *r);
void lk_relay_leave(lk_relay *r);

#endif
