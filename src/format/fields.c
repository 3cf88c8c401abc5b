#include "format/fields.h"
#include "base/time.h"
#include "format/value.h"

#include <string.h>

enum { COUNT_MAX = 1000000 };

void lk_fields_init(lk_fields *f)
{
    *f = (lk_fields){ .took_ns = -1, .retry_after_ns = -1, .retry_at_ns = LK_TIME_NONE };
}

lk_slice lk_fields_whole_target(const lk_fields *f, char *room, size_t max)
{
    size_t path = f->target.len < max ? f->target.len : max, query;

    if (!f->query.p)
        return f->target;
    if (f->query.p == f->target.p + f->target.len + 1 && f->query.p[-1] == '?')
        return (lk_slice){ f->target.p, f->target.len + 1 + f->query.len };
    query = f->query.len;
    if (path < max) {
        room[path] = '?';
        query = query < max - path - 1 ? query : max - path - 1;
        memcpy(room + path + 1, f->query.p, query);
        query++;
    } else {
        query = 0;
    }
    memcpy(room, f->target.p, path);
    return (lk_slice){ room, path + query };
}

const char *lk_reject_name(lk_reject r)
{
    static const char *const NAMES[LK_REJECT_COUNT] = {
#define LK_REJECT_TEXT(name, text) text,
        LK_REJECTS(LK_REJECT_TEXT)
#undef LK_REJECT_TEXT
    };

    return r < LK_REJECT_COUNT ? NAMES[r] : "";
}

void lk_fields_attempt(lk_fields *f, lk_slice v)
{
    if (!lk_value_attempt(v, &f->attempt_no, &f->attempt_max))
        (void)lk_value_count(v, COUNT_MAX, &f->attempt_no);
}

void lk_fields_retries(lk_fields *f, lk_slice v)
{
    int32_t retries;

    if (f->attempt_no == 0 && lk_value_count(v, COUNT_MAX, &retries))
        f->attempt_no = retries + 1;
}
