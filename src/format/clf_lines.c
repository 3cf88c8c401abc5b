/* The rows of the common log family: one parser, told apart by what follows the number of bytes. */
#include "base/time.h"
#include "format/columns.h"
#include "format/request.h"
#include "format/rows.h"
#include "format/tokens.h"
#include "format/value.h"

static bool parse_clf(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why);

static bool is_family(const lk_format *f)
{
    return f && f->parse == parse_clf;
}

/* Everything but the further columns. */
static bool fill(lk_parse_cache *c, const lk_clf *clf, lk_fields *out, lk_reject *why)
{
    lk_fields_init(out);
    if (!lk_cache_stamp(c, clf->stamp, lk_time_clf, &out->stamp_ns, &out->fraction)) {
        *why = LK_REJECT_TIMESTAMP;
        return false;
    }
    out->status = clf->status;
    out->caller = clf->caller_is_plain ? clf->caller
                                       : lk_caller_address(lk_first_of_list(clf->caller));
    if (!lk_value_is_absent(clf->agent))
        out->agent = clf->agent;
    out->host = clf->host;
    (void)lk_request_read(clf->request, out);
    return true;
}

static bool parse_clf(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                      lk_reject *why)
{
    lk_clf clf;
    lk_columns columns;

    if (!lk_clf_split_known(line, &c->quotes, &clf, why))
        return false;
    columns.count = 0;
    if (clf.tail.len > 0)
        lk_columns_of(&clf, &columns);
    if (!fill(c, &clf, out, why))
        return false;
    out->moment = is_family(l->format) ? l->moment : LK_MOMENT_UNKNOWN;
    if (columns.count > 0)
        lk_columns_read(l, &columns, c, out);
    return true;
}

/* ---- the sniffer's view ---- */

static const lk_format *shape_of(const lk_clf *clf, const lk_columns *columns)
{
    if (lk_columns_are_ingress(columns))
        return &LK_FORMAT_INGRESS;
    if (columns->count > 0)
        return &LK_FORMAT_COMBINED_EXT;
    return clf->has_agent ? &LK_FORMAT_COMBINED : &LK_FORMAT_COMMON;
}

static bool observe(lk_sniffer *s, lk_parse_cache *c, const lk_format *row, lk_slice line,
                    lk_fields *out)
{
    lk_clf clf;
    lk_columns columns = { .count = 0 };
    lk_reject why;

    if (!lk_clf_split(line, &clf, &why))
        return false;
    if (clf.tail.len > 0)
        lk_columns_of(&clf, &columns);
    if (shape_of(&clf, &columns) != row || !fill(c, &clf, out, &why))
        return false;
    if (columns.count > 0)
        lk_columns_observe(s, &clf, &columns, out);
    return true;
}

static bool observe_combined(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return observe(s, c, &LK_FORMAT_COMBINED, line, out);
}

static bool observe_common(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return observe(s, c, &LK_FORMAT_COMMON, line, out);
}

static bool observe_ext(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return observe(s, c, &LK_FORMAT_COMBINED_EXT, line, out);
}

static bool observe_ingress(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    return observe(s, c, &LK_FORMAT_INGRESS, line, out);
}

const lk_format LK_FORMAT_COMBINED = {
    .name = "combined",
    .moment = "by order",
    .resolution = "1 s",
    .help = "Apache and nginx combined, also behind a vhost:port column",
    .parse = parse_clf,
    .takes_quotes = true,
    .each = lk_columns_each,
    .observe = observe_combined,
};

const lk_format LK_FORMAT_COMBINED_EXT = {
    .name = "combined-ext",
    .moment = "by order",
    .resolution = "1 ms or 1 s",
    .help = "common or combined with further columns, told by their values: request time, $msec, "
            "ids, attempt numbers, Retry-After",
    .parse = parse_clf,
    .takes_quotes = true,
    .each = lk_columns_each,
    .observe = observe_ext,
    .decide = lk_columns_decide,
    .is_alike = lk_columns_are_alike,
};

const lk_format LK_FORMAT_COMMON = {
    .name = "common",
    .moment = "by order",
    .resolution = "1 s",
    .help = "NCSA common log format, also behind a vhost:port column",
    .parse = parse_clf,
    .each = lk_columns_each,
    .observe = observe_common,
};

const lk_format LK_FORMAT_INGRESS = {
    .name = "ingress-nginx",
    .moment = "end",
    .resolution = "1 s",
    .help = "combined with the columns of ingress-nginx: request time, upstream lists, request id",
    .parse = parse_clf,
    .takes_quotes = true,
    .each = lk_columns_each,
    .observe = observe_ingress,
    .decide = lk_columns_decide_ingress,
};
