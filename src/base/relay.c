#include "base/relay.h"

lk_code lk_relay_open(lk_relay *r, size_t slots, lk_err *e)
{
    *r = (lk_relay){ .slots = slots };
    if (pthread_mutex_init(&r->lock, NULL) != 0)
        return lk_fail(e, LK_EIO, "no lock for two threads");
    (void)pthread_cond_init(&r->has_room, NULL);
    (void)pthread_cond_init(&r->has_item, NULL);
    return LK_OK;
}

void lk_relay_close(lk_relay *r)
{
    (void)pthread_cond_destroy(&r->has_item);
    (void)pthread_cond_destroy(&r->has_room);
    (void)pthread_mutex_destroy(&r->lock);
}

bool lk_relay_await_room(lk_relay *r, size_t *slot)
{
    bool is_wanted;

    (void)pthread_mutex_lock(&r->lock);
    while (r->filled - r->emptied == r->slots && !r->is_left)
        (void)pthread_cond_wait(&r->has_room, &r->lock);
    *slot = r->filled % r->slots;
    is_wanted = !r->is_left;
    (void)pthread_mutex_unlock(&r->lock);
    return is_wanted;
}

void lk_relay_fill(lk_relay *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->filled++;
    (void)pthread_cond_signal(&r->has_item);
    (void)pthread_mutex_unlock(&r->lock);
}

size_t lk_relay_await_item(lk_relay *r)
{
    size_t slot;

    (void)pthread_mutex_lock(&r->lock);
    while (r->filled == r->emptied)
        (void)pthread_cond_wait(&r->has_item, &r->lock);
    slot = r->emptied % r->slots;
    (void)pthread_mutex_unlock(&r->lock);
    return slot;
}

void lk_relay_empty(lk_relay *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->emptied++;
    if (r->filled - r->emptied <= r->slots / 2)
        (void)pthread_cond_signal(&r->has_room);
    (void)pthread_mutex_unlock(&r->lock);
}

void lk_relay_leave(lk_relay *r)
{
    (void)pthread_mutex_lock(&r->lock);
    r->is_left = true;
    (void)pthread_cond_signal(&r->has_room);
    (void)pthread_mutex_unlock(&r->lock);
}
