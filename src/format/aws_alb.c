/* The row of AWS Application Load Balancers.  The stamp is when the response was made; the request
 * came at its creation time, in lines that are young enough to have one. */
#include "base/time.h"
#include "format/aws_balancer.h"
#include "format/aws_columns.h"
#include "format/rows.h"

#include <string.h>

#define TOOK_MAX_NS (INT64_C(100000000) * LK_NS_PER_S) /* as lk_value_seconds */

/* Behind the user agent. */
enum { TRACE_COLUMN = 3, CREATION_COLUMN = 7, TARGETS_COLUMN = 11, STATUSES_COLUMN = 12 };

static const char *const TYPES[] = { "http", "https", "h2", "grpcs", "ws", "wss" };

/* "Root=1-67891233-abcdef012345678912345678", alone or behind "Self=...;". */
static lk_slice root_of(lk_slice trace)
{
    while (trace.len > 0) {
        const char *semicolon = memchr(trace.p, ';', trace.len);
        size_t len = semicolon ? (size_t)(semicolon - trace.p) : trace.len;

        if (lk_slice_starts(trace, "Root="))
            return lk_slice_skip((lk_slice){ trace.p, len }, 5);
        trace = lk_slice_skip(trace, len + 1);
    }
    return LK_SLICE_NONE;
}

/* The exact duration; false when the creation time is missing, or not before the stamp. */
static bool took_since(lk_slice creation, int64_t stamp_ns, int64_t *took_ns)
{
    int64_t from_ns;

    if (!lk_time_rfc3339(creation, &from_ns, NULL) || !lk_stamp_is_plausible(from_ns) ||
        from_ns > stamp_ns || stamp_ns - from_ns > TOOK_MAX_NS)
        return false;
    *took_ns = stamp_ns - from_ns;
    return true;
}

/* The next of a list, "502 200"; false at its end. */
static bool take_word(lk_slice *list, lk_slice *word)
{
    size_t n = 0;

    while (list->len > 0 && (list->p[0] == ' ' || list->p[0] == ','))
        *list = lk_slice_skip(*list, 1);
    while (n < list->len && list->p[n] != ' ' && list->p[n] != ',')
        n++;
    *word = (lk_slice){ list->p, n };
    *list = lk_slice_skip(*list, n);
    return n > 0;
}

/* Targets that the request was sent to, one after the other, and what each answered: '-' is
 * nothing.  The last answer is the line's. */
static void read_targets(lk_slice targets, lk_slice statuses, lk_parse_cache *c, lk_fields *out)
{
    lk_slice target, word;
    size_t n = 0;

    while (n < LK_TRIES_MAX && take_word(&targets, &target)) {
        unsigned status = LK_STATUS_UNKNOWN;

        if (!take_word(&statuses, &word) || !lk_aws_status(word, &status))
            status = LK_STATUS_UNKNOWN;
        c->tries[n++] = (lk_try){ .status = (uint16_t)status, .took_ns = -1 };
    }
    if (n < 2)
        return;
    c->tries[n - 1].status = (uint16_t)out->status;
    out->tries = c->tries;
    out->try_count = n;
}

static void read_rest(const lk_layout *l, const lk_balancer *b, lk_parse_cache *c, lk_fields *out)
{
    lk_slice rest = b->rest, column, targets = LK_SLICE_NONE;

    out->took_ns = b->timed_ns;
    for (size_t i = 0; i <= STATUSES_COLUMN && lk_aws_column(&rest, &column); i++) {
        if (i == TARGETS_COLUMN)
            targets = column;
        if (i == STATUSES_COLUMN)
            read_targets(targets, column, c, out);
        if (i == TRACE_COLUMN && l->format == &LK_FORMAT_AWS_ALB)
            out->id[0] = root_of(column);
        if (i == CREATION_COLUMN)
            (void)took_since(column, out->stamp_ns, &out->took_ns);
    }
}

static bool is_type(lk_slice v)
{
    for (size_t i = 0; i < sizeof(TYPES) / sizeof(TYPES[0]); i++)
        if (lk_slice_is(v, TYPES[i]))
            return true;
    return false;
}

static bool parse_alb(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    lk_balancer b;
    lk_slice type;

    if (!lk_aws_column(&line, &type) || !is_type(type)) {
        *why = LK_REJECT_UNRECOGNISED;
        return false;
    }
    if (!lk_balancer_read(line, &b, out, why))
        return false;
    out->moment = LK_MOMENT_END;
    read_rest(l, &b, c, out);
    return true;
}

static bool observe_alb(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    static const lk_layout UNKNOWN = { .format = NULL };
    lk_reject why;

    (void)s;
    return parse_alb(&UNKNOWN, c, line, out, &why);
}

/* The balancer makes a Root for each request that brings none, so it names a call only where it
 * repeats. */
static void decide_alb(const lk_sniffer *s, lk_layout *out)
{
    static const char NAME[] = "trace_id";

    (void)s;
    out->moment = LK_MOMENT_END;
    memcpy(out->id_name[0], NAME, sizeof(NAME));
    out->id_count = 1;
}

const lk_format LK_FORMAT_AWS_ALB = {
    .name = "aws-alb",
    .moment = "end",
    .resolution = "1 us",
    .help = "access log of an AWS Application Load Balancer",
    .parse = parse_alb,
    .observe = observe_alb,
    .decide = decide_alb,
};
