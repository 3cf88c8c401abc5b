#include "measure/asked.h"
#include "base/time.h"

#include <stdlib.h>

void lk_asked_init(lk_asked *s)
{
    *s = (lk_asked){ 0 };
}

static void count(lk_asked *s, int64_t value_ns, uint64_t n)
{
    size_t i = 0;

    while (i < s->values && s->value_ns[i] != value_ns)
        i++;
    if (i == LK_ASKED_MAX)
        return;
    if (i == s->values)
        s->value_ns[s->values++] = value_ns;
    s->count[i] += n;
}

static int64_t rounded_up(int64_t ns)
{
    return (ns + LK_NS_PER_S - 1) / LK_NS_PER_S * LK_NS_PER_S;
}

void lk_asked_add(lk_asked *s, const lk_attempt *a)
{
    lk_asked_form form;

    if (!a->rejected)
        return;
    s->rejections++;
    s->shown += a->has_asked;
    form = lk_attempt_asked_form(a);
    if (form == LK_ASKED_NOTHING)
        return;
    s->with_header++;
    s->form[form]++;
    s->zero += a->retry_after_ns == 0;
    if (a->retry_after_ns >= 0)
        count(s, form == LK_ASKED_DATE ? rounded_up(a->retry_after_ns) : a->retry_after_ns, 1);
}

void lk_asked_merge(lk_asked *s, const lk_asked *other)
{
    s->rejections += other->rejections;
    s->with_header += other->with_header;
    s->shown += other->shown;
    s->zero += other->zero;
    for (size_t i = 0; i < LK_ASKED_FORMS; i++)
        s->form[i] += other->form[i];
    for (size_t i = 0; i < other->values; i++)
        count(s, other->value_ns[i], other->count[i]);
}

bool lk_asked_is_logged(const lk_asked *s)
{
    return s->rejections > 0 && s->shown == s->rejections;
}

static int most_first(const void *pa, const void *pb)
{
    const lk_report_asked *a = pa, *b = pb;

    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->value_s > b->value_s) - (a->value_s < b->value_s);
}

lk_code lk_asked_report(const lk_asked *s, lk_arena *arena, lk_report *r, lk_err *e)
{
    lk_report_retry_after *out = &r->retry_after;

    out->rejections = (int64_t)s->rejections;
    out->with_header = (int64_t)s->with_header;
    out->seconds = (int64_t)s->form[LK_ASKED_SECONDS];
    out->fraction = (int64_t)s->form[LK_ASKED_FRACTION];
    out->milliseconds = (int64_t)s->form[LK_ASKED_MS];
    out->date = (int64_t)s->form[LK_ASKED_DATE];
    out->past = (int64_t)s->form[LK_ASKED_PAST];
    out->negative = (int64_t)s->form[LK_ASKED_NEGATIVE];
    out->malformed = out->negative + (int64_t)s->form[LK_ASKED_MALFORMED];
    out->zero = (int64_t)s->zero;
    out->values = LK_NEW(arena, lk_report_asked, s->values ? s->values : 1);
    if (!out->values)
        return lk_fail(e, LK_EOOM, "no memory for %zu Retry-After values", s->values);
    for (size_t i = 0; i < s->values; i++)
        out->values[i] = (lk_report_asked){ (double)s->value_ns[i] / 1e9, (int64_t)s->count[i] };
    qsort(out->values, s->values, sizeof(*out->values), most_first);
    out->value_count = s->values < LK_ASKED_SHOWN ? s->values : LK_ASKED_SHOWN;
    return LK_OK;
}
