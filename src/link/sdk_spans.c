#include "link/sdk_spans.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void lk_sdk_spans_init(lk_sdk_spans *x, int64_t since_ns, int64_t until_ns, lk_sdk *calls)
{
    memset(x, 0, sizeof(*x));
    x->since_ns = since_ns;
    x->until_ns = until_ns;
    x->calls = calls;
}

void lk_sdk_spans_release(lk_sdk_spans *x)
{
    free(x->items);
    x->items = NULL;
    x->count = x->cap = 0;
}

/* ---- spans to calls ---- */

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int by_call(const void *pa, const void *pb)
{
    const lk_sdk_span *a = pa, *b = pb;
    int order = compare_u64(a->trace, b->trace);

    if (!order)
        order = compare_u64(a->parent, b->parent);
    if (!order)
        order = compare_u64(a->what, b->what);
    if (!order && a->start_ns != b->start_ns)
        order = a->start_ns < b->start_ns ? -1 : 1;
    if (!order && a->resend != b->resend)
        order = a->resend < b->resend ? -1 : 1;
    return order ? order : compare_u64(a->self, b->self);
}

static int by_number(const void *pa, const void *pb)
{
    return compare_u64(*(const uint64_t *)pa, *(const uint64_t *)pb);
}

/* Leaves the spans that enclose no other of them. */
static lk_code drop_enclosing(lk_sdk_spans *x, lk_err *e)
{
    uint64_t *parents = malloc((x->count ? x->count : 1) * sizeof(*parents));
    size_t n = 0, kept = 0;

    if (!parents)
        return lk_fail(e, LK_EOOM, "no memory for %zu spans of the SDK log", x->count);
    for (size_t i = 0; i < x->count; i++)
        if (x->items[i].parent)
            parents[n++] = x->items[i].trace ^ lk_hash_mix(x->items[i].parent);
    if (n)
        qsort(parents, n, sizeof(*parents), by_number);
    for (size_t i = 0; i < x->count; i++) {
        uint64_t self = x->items[i].trace ^ lk_hash_mix(x->items[i].self);

        if (!n || !bsearch(&self, parents, n, sizeof(*parents), by_number))
            x->items[kept++] = x->items[i];
    }
    x->count = kept;
    free(parents);
    return LK_OK;
}

static bool is_same_call(const lk_sdk_span *a, const lk_sdk_span *b)
{
    return a->trace == b->trace && a->parent == b->parent && a->what == b->what &&
           b->resend > a->resend;
}

/* Spans from..to are the attempts of one call. */
static lk_code add_call(lk_sdk_spans *x, size_t from, size_t to, lk_err *e)
{
    const lk_sdk_span *first = &x->items[from], *last = &x->items[to - 1];
    lk_sdk_call call = {
        .at_ns = first->start_ns,
        .span_s = (double)(last->end_ns - first->start_ns) / 1e9,
        .id = first->trace,
        .attempts = to - from > last->resend ? to - from : (uint64_t)last->resend + 1,
        .client = lk_slice_from(x->services[first->service]),
        .failed = last->failed,
    };

    return lk_sdk_add(x->calls, &call, x->since_ns, x->until_ns, e);
}

/* Each span once, though exporters send some again. */
static void drop_repeated(lk_sdk_spans *x)
{
    size_t kept = 0;

    for (size_t i = 0; i < x->count; i++)
        if (!kept || x->items[i].self != x->items[kept - 1].self ||
            x->items[i].trace != x->items[kept - 1].trace)
            x->items[kept++] = x->items[i];
    x->count = kept;
}

lk_code lk_sdk_spans_end(lk_sdk_spans *x, lk_err *e)
{
    size_t from = 0;

    LK_TRY(drop_enclosing(x, e));
    if (x->count)
        qsort(x->items, x->count, sizeof(*x->items), by_call);
    drop_repeated(x);
    for (size_t i = 1; i <= x->count; i++)
        if (i == x->count || !is_same_call(&x->items[i - 1], &x->items[i])) {
            LK_TRY(add_call(x, from, i, e));
            from = i;
        }
    x->count = 0;
    return LK_OK;
}

/* ---- JSON to spans ---- */

/* The value of an attribute, whatever its type: {"key": K, "value": {"stringValue": ...}}. */
static const lk_json *value_of(const lk_json *attribute)
{
    return lk_json_first(lk_json_get(attribute, "value"));
}

static const lk_json *find_attribute(const lk_json *attributes, const char *key)
{
    lk_slice name;

    for (const lk_json *a = lk_json_first(attributes); a; a = lk_json_next(a))
        if (lk_json_text(lk_json_get(a, "key"), &name) && lk_slice_is(name, key))
            return value_of(a);
    return NULL;
}

/* Under the name of today or one before it. */
static const lk_json *attribute(const lk_json *attributes, const char *const *keys)
{
    const lk_json *found = NULL;

    for (; *keys && !found; keys++)
        found = find_attribute(attributes, *keys);
    return found;
}

static bool is_http(const lk_json *attributes)
{
    lk_slice name;

    for (const lk_json *a = lk_json_first(attributes); a; a = lk_json_next(a))
        if (lk_json_text(lk_json_get(a, "key"), &name) &&
            (lk_slice_starts(name, "http.") || lk_slice_starts(name, "url.")))
            return true;
    return false;
}

static bool is_client(const lk_json *span)
{
    const lk_json *kind = lk_json_get(span, "kind");
    lk_slice text;
    double number;

    if (lk_json_number(kind, &number))
        return number > 2.5 && number < 3.5;
    return lk_json_text(kind, &text) && lk_slice_is(text, "SPAN_KIND_CLIENT");
}

/* Ids in hexadecimal are the same in capitals; empty and all zeros: none. */
static uint64_t id_of(const lk_json *value)
{
    char room[64];
    lk_slice text;
    bool zero = true;
    uint64_t id;

    if (!lk_json_text(value, &text) || !text.len || text.len > sizeof(room))
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];

        room[i] = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        zero &= c == '0';
    }
    id = lk_hash(room, text.len);
    return zero ? 0 : id ? id : 1;
}

/* 64-bit numbers are text in OTLP/JSON. */
static bool instant_of(const lk_json *value, int64_t *at_ns)
{
    lk_slice text;
    uint64_t exact;
    double number;

    if (lk_json_text(value, &text)) {
        if (!lk_slice_u64(text, &exact) || exact > INT64_MAX)
            return false;
        *at_ns = (int64_t)exact;
    } else {
        if (!lk_json_number(value, &number) || !(number >= 0 && number < 9.2e18))
            return false;
        *at_ns = (int64_t)number;
    }
    return *at_ns > 0;
}

static uint64_t hash_of(const lk_json *value)
{
    lk_slice text;

    return lk_json_text(value, &text) ? lk_hash(text.p, text.len) : 0;
}

static bool is_failed(const lk_json *span, const lk_json *attributes)
{
    static const char *const STATUS[] = { "http.response.status_code", "http.status_code", NULL };
    const lk_json *code = lk_json_get(lk_json_get(span, "status"), "code");
    double number;
    lk_slice text;

    if (lk_json_number(attribute(attributes, STATUS), &number) && number >= 100 && number <= 999)
        return lk_status_is_failed((unsigned)number);
    if (lk_json_number(code, &number))
        return number > 1.5;
    if (lk_json_text(code, &text) && lk_slice_is(text, "STATUS_CODE_ERROR"))
        return true;
    return find_attribute(attributes, "error.type") != NULL;
}

/* Past the bound they share the last name. */
static uint16_t service_of(lk_sdk_spans *x, const lk_json *name)
{
    lk_slice text = { "", 0 };
    size_t i;

    (void)lk_json_text(name, &text);
    if (text.len >= LK_SDK_CLIENT_MAX)
        text.len = LK_SDK_CLIENT_MAX - 1;
    for (i = 0; i < x->service_count; i++)
        if (lk_slice_is(text, x->services[i]))
            return (uint16_t)i;
    if (i == LK_SDK_SERVICES)
        return LK_SDK_SERVICES - 1;
    memcpy(x->services[i], text.p, text.len);
    x->services[i][text.len] = '\0';
    x->service_count++;
    return (uint16_t)i;
}

static lk_code keep(lk_sdk_spans *x, const lk_sdk_span *span, lk_err *e)
{
    if (x->count == LK_SDK_SPANS_MAX) {
        x->pieces++;
        LK_TRY(lk_sdk_spans_end(x, e));
    }
    if (x->count == x->cap) {
        size_t cap = x->cap ? 2 * x->cap : 1024;
        lk_sdk_span *grown = realloc(x->items, cap * sizeof(*grown));

        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu spans of the SDK log", cap);
        x->items = grown;
        x->cap = cap;
    }
    x->items[x->count++] = *span;
    return LK_OK;
}

static lk_code take_span(lk_sdk_spans *x, const lk_json *span, const lk_json *service,
                         lk_err *e)
{
    static const char *const METHOD[] = { "http.request.method", "http.method", NULL };
    static const char *const URL[] = { "url.full", "http.url", "url.path", "http.target", NULL };
    static const char *const COUNT[] = { "http.request.resend_count", "http.resend_count", NULL };
    static const char *const AGENT[] = { "user_agent.original", "http.user_agent", NULL };
    const lk_json *attributes = lk_json_get(span, "attributes");
    const lk_json *agent = attribute(attributes, AGENT);
    double resend = 0;
    lk_sdk_span s = { .trace = id_of(lk_json_get(span, "traceId")),
                      .self = id_of(lk_json_get(span, "spanId")),
                      .parent = id_of(lk_json_get(span, "parentSpanId")) };

    if (!is_client(span) || !is_http(attributes))
        return LK_OK;
    if (!s.trace || !s.self)
        return lk_fail(e, LK_EDATA, "a span without traceId or spanId: skipped");
    if (!instant_of(lk_json_get(span, "startTimeUnixNano"), &s.start_ns) ||
        !instant_of(lk_json_get(span, "endTimeUnixNano"), &s.end_ns) || s.end_ns < s.start_ns)
        return lk_fail(e, LK_EDATA,
                       "a span without startTimeUnixNano and endTimeUnixNano in order: skipped");
    if (lk_json_number(attribute(attributes, COUNT), &resend) && resend > 0 && resend < 1e6)
        s.resend = (uint32_t)resend;
    s.what = hash_of(attribute(attributes, METHOD)) ^
             lk_hash_mix(hash_of(attribute(attributes, URL)));
    s.failed = is_failed(span, attributes);
    s.service = service_of(x, agent ? agent : service);
    return keep(x, &s, e);
}

/* A bad span does not take the others of its line with it: the first trouble is told. */
static lk_code take_scope(lk_sdk_spans *x, const lk_json *scope, const lk_json *service, lk_err *e)
{
    lk_code worst = LK_OK;

    for (const lk_json *s = lk_json_first(lk_json_get(scope, "spans")); s; s = lk_json_next(s)) {
        lk_code code = take_span(x, s, service, e);

        if (code == LK_EOOM)
            return code;
        worst = worst == LK_OK ? code : worst;
    }
    return worst;
}

static lk_code take_resource(lk_sdk_spans *x, const lk_json *resource, lk_err *e)
{
    static const char *const LISTS[] = { "scopeSpans", "instrumentationLibrarySpans" };
    const lk_json *service = find_attribute(
        lk_json_get(lk_json_get(resource, "resource"), "attributes"), "service.name");
    lk_code worst = LK_OK;

    for (size_t i = 0; i < sizeof(LISTS) / sizeof(LISTS[0]); i++)
        for (const lk_json *s = lk_json_first(lk_json_get(resource, LISTS[i])); s;
             s = lk_json_next(s)) {
            lk_code code = take_scope(x, s, service, e);

            if (code == LK_EOOM)
                return code;
            worst = worst == LK_OK ? code : worst;
        }
    return worst;
}

lk_code lk_sdk_spans_take(lk_sdk_spans *x, const lk_json *resource_spans, lk_err *e)
{
    lk_code worst = LK_OK;

    for (const lk_json *r = lk_json_first(resource_spans); r; r = lk_json_next(r)) {
        lk_code code = take_resource(x, r, e);

        if (code == LK_EOOM)
            return code;
        worst = worst == LK_OK ? code : worst;
    }
    return worst;
}
