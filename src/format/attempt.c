#include "format/attempt.h"
#include "base/hash.h"
#include "format/retry_after.h"
#include "format/value.h"

#include <string.h>

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
    s = lk_value_id(s);
    if (!s.len)
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

_Static_assert(LK_IDS == 4, "one bit each, below");

/* Bit i: is[i]. */
static uint8_t bits_of(const bool is[LK_IDS])
{
    return (uint8_t)(is[0] | is[1] << 1 | is[2] << 2 | is[3] << 3);
}

static void set_ids(const lk_fields *f, const lk_layout *layout, lk_attempt *a)
{
    a->call_ids = bits_of(layout->id_is_call);
    a->task_ids = bits_of(layout->id_is_task);
    for (size_t i = 0; i < LK_IDS; i++) {
        if (!f->id[i].p)
            continue;
        a->id[i] = layout->id_is_off[i] ? 0 : id_of(f->id[i]);
        if (!a->attempt_no)
            (void)lk_value_google_attempt(f->id[i], &a->attempt_no);
    }
}

/* There are few methods, and mostly the one of the line before comes again. */
static uint64_t method_hash(lk_symbols *symbols, lk_slice method)
{
    lk_method_seen *seen = &symbols->method;

    if (method.len == 0 || method.len > sizeof(seen->text))
        return hash_of(method);
    if (method.len != seen->len || memcmp(method.p, seen->text, method.len) != 0) {
        seen->hash = hash_of(method);
        seen->len = method.len;
        memcpy(seen->text, method.p, method.len);
    }
    return seen->hash;
}

/* A string that found no room; the lk_intern_hash of it, whose mixed hash as a whole is known. */
static uint64_t note_past(lk_symbols *symbols, size_t which, lk_slice text, uint64_t mixed)
{
    lk_symbols_past *past = symbols->past ? &symbols->past[which] : NULL;

    if (past) {
        past->len = (uint16_t)(text.len < sizeof(past->p) ? text.len : sizeof(past->p));
        if (past->len)
            memcpy(past->p, text.p, past->len);
    }
    return text.len <= LK_INTERN_TEXT_MAX ? lk_hash_unmix(mixed) : lk_intern_hash(text);
}

static lk_code attempt_of(const lk_fields *f, lk_slice target, const lk_layout *layout, lk_symbols *symbols,
                          lk_attempt *out, lk_err *e)
{
    lk_intern_seen *agent_seen = lk_intern_foresee(&symbols->lately[0], f->agent);
    lk_intern_seen *target_seen = lk_intern_foresee(&symbols->lately[1], target);
    const uint64_t address = hash_of(f->caller), method = method_hash(symbols, f->method);
    uint64_t agent, what;
    uint32_t population, number;

    lk_intern_foresee_text(agent_seen);
    lk_intern_foresee_text(target_seen);
    LK_TRY(lk_intern_seen_id(&symbols->populations, agent_seen, f->agent, &population, &agent, e));
    LK_TRY(lk_intern_seen_id(&symbols->targets, target_seen, target, &number, &what, e));
    if (population == symbols->populations.max)
        symbols->folded_population = note_past(symbols, LK_PAST_AGENT, f->agent, agent);
    if (number == symbols->targets.max)
        symbols->folded_target = note_past(symbols, LK_PAST_TARGET, target, what);
    what ^= method;

    *out = (lk_attempt){
        .population = population,
        .target = number,
        .attempt_no = f->attempt_no,
        .attempt_max = f->attempt_max,
        .status = (uint16_t)f->status,
        .moment = (uint8_t)f->moment,
        .try_no = 1,
        .fraction = f->fraction && !layout->whole_seconds,
    };
    out->gave_up = f->gave_up || lk_status_client_gave_up(f->status);
    out->failed = out->gave_up || lk_status_is_failed(f->status);
    out->rejected = lk_status_is_rejected(f->status);
    set_times(f, out);
    out->has_asked = f->has_asked;
    out->asked_form = (uint8_t)lk_retry_after_of(f, out->end_ns, &out->retry_after_ns);
    out->caller = lk_hash_mix(address ^ agent);
    out->key = lk_hash_mix(out->caller ^ lk_hash_mix(what));
    set_ids(f, layout, out);
    return LK_OK;
}

static lk_code attempt_with_query(const lk_fields *f, const lk_layout *layout, lk_symbols *symbols,
                                  lk_attempt *out, lk_err *e)
{
    char room[LK_TARGET_ROOM];

    return attempt_of(f, lk_fields_whole_target(f, room, sizeof(room)), layout, symbols, out, e);
}

lk_code lk_attempt_from(const lk_fields *f, const lk_layout *layout, lk_symbols *symbols,
                        lk_attempt *out, lk_err *e)
{
    return layout->keep_query ? attempt_with_query(f, layout, symbols, out, e)
                              : attempt_of(f, f->target, layout, symbols, out, e);
}

int64_t lk_attempt_start_ns(const lk_fields *f)
{
    lk_attempt a = { .start_ns = 0 };

    set_times(f, &a);
    return a.start_ns;
}

/* One more try: it follows the tries before it in time. */
static void add_try(lk_attempt *t, const lk_try *try, const lk_attempt *whole, int64_t *at_ns)
{
    *t = *whole;
    t->status = (uint16_t)(try->status <= 999 ? try->status : LK_STATUS_UNKNOWN);
    t->failed = t->status == LK_STATUS_UNKNOWN || lk_status_is_failed(t->status);
    t->rejected = t->status <= 999 && lk_status_is_rejected(t->status);
    t->gave_up = false;
    t->retry_after_ns = -1;
    t->asked_form = LK_ASKED_NOTHING;
    t->has_asked = false; /* of the last try's answer alone */
    t->start_ns = *at_ns;
    if (try->took_ns > 0 && *at_ns + try->took_ns <= whole->end_ns)
        *at_ns += try->took_ns;
    t->end_ns = *at_ns;
}

size_t lk_attempts_of_tries(const lk_fields *f, const lk_attempt *whole, uint64_t request,
                            lk_attempt *out)
{
    int64_t at_ns = whole->start_ns, start_ns;
    size_t n = 0;

    for (size_t i = 0; i < f->try_count && i < LK_TRIES_MAX; i++) {
        if (f->tries[i].redirect && n > 0)
            start_ns = out[--n].start_ns;
        else
            start_ns = at_ns;
        add_try(&out[n], &f->tries[i], whole, &at_ns);
        out[n].start_ns = start_ns;
        n++;
    }
    if (n == 0)
        out[n++] = *whole;
    start_ns = out[n - 1].start_ns; /* the last one is the answer that the line tells of */
    out[n - 1] = *whole;
    out[n - 1].start_ns = start_ns;
    for (size_t i = 0; i < n; i++) {
        out[i].request = n > 1 ? request : 0;
        out[i].try_no = (uint16_t)(i + 1);
    }
    return n;
}
