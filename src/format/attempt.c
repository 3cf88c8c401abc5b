#include "format/attempt.h"
#include "base/hash.h"

static uint64_t hash_of(lk_slice s)
{
    return lk_hash(s.p ? s.p : "", s.len);
}

/* 0 means absent, so that no id may hash to it. */
static uint64_t id_of(lk_slice s)
{
    uint64_t h;

    if (!s.p || !s.len)
        return 0;
    h = hash_of(s);
    return h ? h : 1;
}

static void set_times(const lk_fields *f, lk_attempt *a)
{
    a->stamp_ns = a->start_ns = a->end_ns = f->stamp_ns;
    if (f->took_ns < 0)
        return;
    a->has_took = true;
    if (f->moment == LK_MOMENT_START)
        a->end_ns = f->stamp_ns + f->took_ns;
    else
        a->start_ns = f->stamp_ns - f->took_ns;
}

lk_code lk_attempt_from(const lk_fields *f, const lk_layout *layout, lk_symbols *symbols,
                        lk_attempt *out, lk_err *e)
{
    uint64_t agent = hash_of(f->agent), what = hash_of(f->method) ^ lk_hash_mix(hash_of(f->target));

    *out = (lk_attempt){
        .retry_after_ns = f->retry_after_ns,
        .attempt_no = f->attempt_no,
        .attempt_max = f->attempt_max,
        .status = (uint16_t)f->status,
        .moment = (uint8_t)f->moment,
        .fraction = f->fraction,
    };
    set_times(f, out);
    out->caller = lk_hash_mix(hash_of(f->caller) ^ lk_hash_mix(agent));
    out->key = lk_hash_mix(out->caller ^ lk_hash_mix(what));
    for (size_t i = 0; i < LK_IDS; i++) {
        out->id[i] = id_of(f->id[i]);
        if (layout->id_is_call[i])
            out->call_ids |= (uint8_t)(1U << i);
    }
    LK_TRY(lk_intern_id(&symbols->populations, f->agent, &out->population, e));
    return lk_intern_id(&symbols->targets, f->target, &out->target, e);
}
