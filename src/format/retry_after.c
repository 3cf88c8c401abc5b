#include "format/retry_after.h"
#include "base/time.h"
#include "format/value.h"

/* A negative number, whole or broken. */
static bool is_negative(lk_slice v)
{
    int64_t ns;

    return v.len > 1 && v.p[0] == '-' && lk_value_seconds((lk_slice){ v.p + 1, v.len - 1 }, &ns);
}

static bool is_negative_span(lk_slice v)
{
    int64_t ns;

    return v.len > 1 && v.p[0] == '-' && lk_value_span((lk_slice){ v.p + 1, v.len - 1 }, &ns);
}

/* "5.000" says no more than "5". */
static bool is_whole(int64_t ns)
{
    return ns % LK_NS_PER_S == 0;
}

static lk_asked_form form_of(lk_slice v)
{
    return is_negative(v) ? LK_ASKED_NEGATIVE : LK_ASKED_MALFORMED;
}

static bool is_said(const lk_fields *f)
{
    return f->asked_form != LK_ASKED_NOTHING && f->asked_form < LK_ASKED_PAST;
}

void lk_retry_after_read(lk_fields *f, lk_slice v)
{
    int64_t ns;

    if (lk_value_is_absent(v) || is_said(f))
        return;
    if (lk_value_seconds(v, &ns)) {
        f->asked_form = is_whole(ns) ? LK_ASKED_SECONDS : LK_ASKED_FRACTION;
        f->retry_after_ns = ns;
    } else if (lk_time_http(v, &ns)) {
        f->asked_form = LK_ASKED_DATE;
        f->retry_at_ns = ns;
    } else {
        f->asked_form = form_of(v);
    }
}

void lk_retry_after_read_ms(lk_fields *f, lk_slice v)
{
    int64_t ns;

    if (lk_value_is_absent(v))
        return;
    if (lk_value_units(v, LK_NS_PER_MS, &ns)) {
        f->asked_form = LK_ASKED_MS;
        f->retry_after_ns = ns;
        f->retry_at_ns = LK_TIME_NONE;
    } else if (f->asked_form == LK_ASKED_NOTHING) {
        f->asked_form = form_of(v);
    }
}

/* "5s", "1m30s", "1500ms" */
static bool read_span(lk_fields *f, lk_slice v)
{
    int64_t ns;

    if (is_negative_span(v)) {
        f->asked_form = LK_ASKED_NEGATIVE;
        return true;
    }
    if (!lk_value_span(v, &ns))
        return false;
    f->asked_form = is_whole(ns) ? LK_ASKED_SECONDS : LK_ASKED_FRACTION;
    f->retry_after_ns = ns;
    return true;
}

void lk_retry_after_read_logged(lk_fields *f, lk_slice v)
{
    if (lk_value_is_absent(v) || is_said(f) || read_span(f, v))
        return;
    lk_retry_after_read(f, v);
}

void lk_retry_after_read_logged_ms(lk_fields *f, lk_slice v)
{
    if (lk_value_is_absent(v) || read_span(f, v))
        return;
    lk_retry_after_read_ms(f, v);
}

lk_asked_form lk_retry_after_of(const lk_fields *f, int64_t end_ns, int64_t *after_ns)
{
    int64_t left;

    *after_ns = f->retry_after_ns;
    if (f->retry_at_ns == LK_TIME_NONE)
        return f->asked_form;
    left = f->retry_at_ns - end_ns;
    if (left <= -LK_NS_PER_S)
        return LK_ASKED_PAST;
    *after_ns = left > 0 ? left : 0; /* dates and stamps are cut to seconds */
    return LK_ASKED_DATE;
}
