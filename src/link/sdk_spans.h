/* link/sdk_spans — calls from OpenTelemetry's client spans.
 *
 * Each attempt of an instrumented HTTP client is a span of kind 3 (client) with attributes of http.* or url.*.
 * Attempts of one call share trace, parent, method and URL; http.request.resend_count (absent on the first)
 * counts them, and a new call begins where it does not grow.  A client span that encloses others
 * stands for them and is left out.  A call failed when its last attempt did: by its status code as
 * in the access log, else by the span's status or error.type.
 *
 * Owner:  lk_sdk_spans_init/lk_sdk_spans_release.
 * Errors: EDATA (a span without its ids or times; the others of the line count), EOOM.
 * Cost:   64 bytes for each of at most 524,288 spans; then what is held becomes calls, and a call that
 *         goes on after it is counted again: `pieces` tells.
 * Source: OTLP 1.x JSON mapping; OpenTelemetry semantic conventions for HTTP spans.  */
#ifndef LK_LINK_SDK_SPANS_H
#define LK_LINK_SDK_SPANS_H

#include "link/sdk.h"
#include "model/json.h"

enum { LK_SDK_SPANS_MAX = 1 << 19, LK_SDK_SERVICES = 64 };

typedef struct lk_sdk_span {
    uint64_t trace, parent, self, what; /* hashes; parent 0 = none */
    int64_t start_ns, end_ns;
    uint32_t resend; /* 0 = the first */
    uint16_t service;
    bool failed;
} lk_sdk_span;

typedef struct lk_sdk_spans {
    lk_sdk_span *items;
    size_t count, cap;
    uint64_t pieces; /* times that the bound was met */
    int64_t since_ns, until_ns;
    lk_sdk *calls;
    char services[LK_SDK_SERVICES][LK_SDK_CLIENT_MAX]; /* user agents, or services */
    size_t service_count;
} lk_sdk_spans;

void lk_sdk_spans_init(lk_sdk_spans *x, int64_t since_ns, int64_t until_ns, lk_sdk *calls);
void lk_sdk_spans_release(lk_sdk_spans *x);

/* resourceSpans of one line. */
LK_MUST_CHECK lk_code lk_sdk_spans_take(lk_sdk_spans *x, const lk_json *resource_spans, lk_err *e);

LK_MUST_CHECK lk_code lk_sdk_spans_end(lk_sdk_spans *x, lk_err *e);

#endif
