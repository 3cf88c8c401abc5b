#include "api/meter.h"

#include <stdlib.h>

struct lockstep_meter {
    lk_meter own;
};

lk_meter *lk_meter_of(lockstep_meter *m)
{
    return m ? &m->own : NULL;
}

lockstep_meter *lockstep_meter_new(void)
{
    lockstep_meter *m = malloc(sizeof(*m));

    if (!m)
        return NULL;
    atomic_init(&m->own.bytes, 0);
    atomic_init(&m->own.lines, 0);
    atomic_init(&m->own.total, 0);
    atomic_init(&m->own.is_stopped, false);
    atomic_init(&m->own.is_cancelled, false);
    atomic_init(&m->own.is_cut, false);
    return m;
}

void lockstep_meter_free(lockstep_meter *m)
{
    free(m);
}

void lockstep_meter_read(const lockstep_meter *m, lockstep_reading *out)
{
    out->bytes = atomic_load(&m->own.bytes);
    out->lines = atomic_load(&m->own.lines);
    out->total = atomic_load(&m->own.total);
}

void lockstep_meter_stop(lockstep_meter *m)
{
    atomic_store(&m->own.is_stopped, true);
}

void lockstep_meter_cancel(lockstep_meter *m)
{
    atomic_store(&m->own.is_cancelled, true);
    lockstep_meter_stop(m);
}
