/* What one field of a line says. */
#include "base/time.h"
#include "format/custom_part.h"
#include "format/json_lines.h"
#include "format/request.h"
#include "format/retry_after.h"
#include "format/tokens.h"
#include "format/value.h"

#include <string.h>

enum { COUNT_MAX = 1000000, UNESCAPED_MAX = 2000 };

bool lk_custom_read_status(lk_slice v, lk_fields *out)
{
    int32_t status;

    if (lk_slice_is(v, "-") || lk_slice_is(v, "-1")) {
        out->status = LK_STATUS_UNKNOWN;
        return true;
    }
    if (v.len == 0 || v.len > 4 || !lk_value_count(v, 9999, &status))
        return false;
    out->status = status <= 999 ? (unsigned)status : LK_STATUS_UNKNOWN;
    return true;
}

static lk_slice plain(const lk_custom *custom, lk_parse_cache *c, lk_slice v)
{
    lk_jsonl_value value = { .text = v, .quoted = true, .escaped = true };

    if (!custom->json_escapes || !memchr(v.p, '\\', v.len))
        return v;
    return lk_jsonl_text(c, &value, UNESCAPED_MAX);
}

/* The one of the request line, where there is one, counts. */
static void read_query(lk_slice v, lk_fields *out)
{
    if (!out->query.p)
        out->query = v;
}

void lk_custom_read_value(const lk_custom *custom, const lk_custom_row *row, lk_slice v,
                          lk_parse_cache *c, lk_upstream *hidden, lk_fields *out)
{
    switch ((lk_custom_field)row->field) {
    case LK_CUSTOM_CALLER:
        out->caller = lk_caller_address(lk_first_of_list(v));
        out->caller_chosen = true; /* the format itself says which */
        break;
    case LK_CUSTOM_HOST: out->host = v; break;
    case LK_CUSTOM_METHOD: out->method = v; break;
    case LK_CUSTOM_TARGET: lk_target_read(plain(custom, c, v), out); break;
    case LK_CUSTOM_REQUEST: (void)lk_request_read(plain(custom, c, v), out); break;
    case LK_CUSTOM_QUERY: read_query(lk_slice_skip(v, lk_slice_starts(v, "?")), out); break;
    case LK_CUSTOM_ARGS: read_query(v, out); break;
    case LK_CUSTOM_AGENT: out->agent = plain(custom, c, v); break;
    case LK_CUSTOM_TOOK_S: (void)lk_value_seconds(v, &out->took_ns); break;
    case LK_CUSTOM_TOOK_MS: (void)lk_value_units(v, LK_NS_PER_MS, &out->took_ns); break;
    case LK_CUSTOM_TOOK_US: (void)lk_value_units(v, LK_NS_PER_MS / 1000, &out->took_ns); break;
    case LK_CUSTOM_ATTEMPT: lk_fields_attempt(out, v); break;
    case LK_CUSTOM_RETRIES: lk_fields_retries(out, v); break;
    case LK_CUSTOM_RETRY_AFTER:
        out->has_asked = true;
        lk_retry_after_read(out, v);
        break;
    case LK_CUSTOM_RETRY_AFTER_MS:
        out->has_asked = true;
        lk_retry_after_read_ms(out, v);
        break;
    case LK_CUSTOM_ID:
        if (row->slot >= 0)
            out->id[row->slot] = plain(custom, c, v);
        break;
    case LK_CUSTOM_GAVE_UP: out->gave_up = lk_slice_is(v, "X"); break;
    case LK_CUSTOM_UPSTREAM_STATUS: hidden->statuses = v; break;
    case LK_CUSTOM_UPSTREAM_TOOK: hidden->times = v; break;
    case LK_CUSTOM_IGNORE:
    case LK_CUSTOM_LIST:
    case LK_CUSTOM_STATUS:
    case LK_CUSTOM_TIME_CLF:
    case LK_CUSTOM_TIME_ISO:
    case LK_CUSTOM_TIME_FORM:
    case LK_CUSTOM_EPOCH_S:
    case LK_CUSTOM_EPOCH_MS:
    case LK_CUSTOM_EPOCH_US:
    case LK_CUSTOM_EPOCH_REAL:
    case LK_CUSTOM_FRACTION_MS:
    case LK_CUSTOM_FRACTION_US:
    case LK_CUSTOM_FIELDS: break;
    }
}
