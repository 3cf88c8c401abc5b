/* The rows of the common log family: one parser, told apart by what follows the number of bytes. */
#include "base/time.h"
#include "format/clf_plain.h"
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

/* ---- the short way ---- */

/* An address of four numbers, of which nothing has to be taken off, and before which no wrapper ends. */
static bool is_address(lk_slice s)
{
    return s.len >= 7 && (s.p[1] == '.' || s.p[2] == '.' || s.p[3] == '.');
}

static bool ends_in_blank(lk_slice line)
{
    const char last = line.p[line.len - 1];

    return last == ' ' || last == '\t' || last == '\r';
}

static bool read_tail(const lk_layout *l, lk_slice tail, lk_parse_cache *c, lk_fields *out)
{
    lk_columns columns;

    if (!lk_columns_split(tail, &columns))
        return false;
    if (columns.count > 0)
        lk_columns_read(l, &columns, c, out);
    return true;
}

/* What parse_clf does for it, in one go. */
static bool read_plain(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_clf clf;

    if (!lk_clf_split_plain(line, &c->quotes, &clf) || !clf.caller_is_plain || !is_address(clf.caller) ||
        ends_in_blank(line))
        return false;
    lk_fields_init(out);
    if (!lk_request_read_plain(clf.request, out) ||
        !lk_cache_stamp(c, clf.stamp, lk_time_clf, &out->stamp_ns, &out->fraction))
        return false;
    c->row = l->format;
    c->body = line;
    c->text_len = 0;
    out->status = clf.status;
    out->caller = clf.caller;
    out->moment = l->moment;
    if (!lk_value_is_absent(clf.agent))
        out->agent = clf.agent;
    return clf.tail.len == 0 || read_tail(l, clf.tail, c, out);
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
    .read_plain = read_plain,
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
    .read_plain = read_plain,
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
    .read_plain = read_plain,
    .each = lk_columns_each,
    .observe = observe_ingress,
    .decide = lk_columns_decide_ingress,
};
