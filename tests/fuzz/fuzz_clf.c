/* Any line to the reader of the common log family: what it gives lies within the line, and a used
 * cache reads like a fresh one. */
#include "format/columns.h"
#include "format/layout.h"
#include "format/wrap.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_within(lk_slice s, lk_slice whole)
{
    REQUIRE(!s.p || (s.p >= whole.p && s.p + s.len <= whole.p + whole.len));
}

static bool same_text(lk_slice a, lk_slice b)
{
    return a.p == b.p && a.len == b.len;
}

static void check_same(const lk_clf *a, const lk_clf *b)
{
    REQUIRE(same_text(a->caller, b->caller) && same_text(a->host, b->host));
    REQUIRE(same_text(a->stamp, b->stamp) && same_text(a->request, b->request));
    REQUIRE(same_text(a->agent, b->agent) && same_text(a->tail, b->tail));
    REQUIRE(a->status == b->status && a->has_agent == b->has_agent);
    REQUIRE(a->columns_before == b->columns_before);
}

/* The plain line's way gives what the careful one does, whether its quotes are known or not. */
static void check_ways(lk_slice line)
{
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    lk_clf quick, careful;
    lk_quotes quotes;
    lk_marks marks;
    bool got = lk_clf_split(line, &quick, &why[0]);

    REQUIRE(got == lk_clf_split_careful(line, &careful, &why[1]) && why[0] == why[1]);
    if (got)
        check_same(&quick, &careful);
    lk_marks_find(&marks, line.p, line.len, true);
    if (marks.len < line.len)
        return;
    quotes = (lk_quotes){ line.p, marks.quotes, marks.quote_count };
    why[0] = LK_REJECT_NONE;
    REQUIRE(got == lk_clf_split_known(line, &quotes, &quick, &why[0]) && why[0] == why[1]);
    if (got)
        check_same(&quick, &careful);
}

static void check_columns(lk_slice tail)
{
    lk_columns quick, careful;
    const bool got = lk_columns_split(tail, &quick);

    REQUIRE(got == lk_columns_split_careful(tail, &careful));
    REQUIRE(!got || quick.count == careful.count);
    for (size_t i = 0; got && i < quick.count && i < LK_COLUMNS_MAX; i++) {
        REQUIRE(same_text(quick.items[i].value, careful.items[i].value));
        REQUIRE(quick.items[i].key.len == careful.items[i].key.len);
    }
}

static void check_split(lk_slice line)
{
    lk_clf clf;
    lk_columns columns;
    lk_reject why = LK_REJECT_NONE;

    check_ways(line);
    if (!lk_clf_split(line, &clf, &why)) {
        REQUIRE(why != LK_REJECT_NONE);
        return;
    }
    REQUIRE(clf.status <= LK_STATUS_UNKNOWN && clf.columns_before >= 7 && clf.columns_before <= 10);
    REQUIRE(clf.caller.p <= clf.stamp.p && clf.stamp.p < clf.request.p);
    check_columns(clf.tail);
    lk_columns_of(&clf, &columns);
    check_within(clf.caller, line);
    check_within(clf.stamp, line);
    check_within(clf.request, line);
    check_within(clf.agent, line);
    check_within(clf.tail, line);
    REQUIRE(columns.count <= LK_COLUMNS_MAX + 1);
    for (size_t i = 0; i < columns.count && i < LK_COLUMNS_MAX; i++) {
        check_within(columns.items[i].key, line);
        check_within(columns.items[i].value, line);
    }
}

/* Lines of other formats may have been unescaped into the cache. */
static void check_text(lk_slice s, lk_slice line, const lk_parse_cache *c)
{
    if (s.len > 0 && !(s.p >= c->text && s.p + s.len <= c->text + sizeof(c->text)))
        check_within(s, line);
}

static void check_fields(const lk_fields *f, lk_slice line, const lk_parse_cache *c)
{
    check_text(f->caller, line, c);
    check_text(f->agent, line, c);
    check_text(f->method, line, c);
    if (f->target.len > 1) /* "/" may stand for an absolute URI without a path */
        check_text(f->target, line, c);
    for (size_t i = 0; i < LK_IDS; i++)
        check_text(f->id[i], line, c);
    REQUIRE(f->status <= LK_STATUS_UNKNOWN && f->took_ns >= -1 && f->retry_after_ns >= -1);
    REQUIRE(f->attempt_no >= 0 && f->attempt_max >= 0);
    REQUIRE(lk_stamp_is_plausible(f->stamp_ns));
}

/* The short way of a log reads what the long one does. */
static void check_short(const lk_layout *l, lk_slice line)
{
    lk_parse_cache cache;
    lk_reject why = LK_REJECT_NONE;
    lk_fields quick, whole;

    lk_parse_cache_init(&cache);
    if (!l->format || !l->format->read_plain || !l->format->read_plain(l, &cache, line, &quick))
        return;
    REQUIRE(lk_layout_parse(l, &cache, line, &whole, &why) && !lk_wrap_may_begin(line));
    REQUIRE(quick.stamp_ns == whole.stamp_ns && quick.took_ns == whole.took_ns && quick.status == whole.status);
    REQUIRE(same_text(quick.caller, whole.caller) && same_text(quick.agent, whole.agent));
    REQUIRE(same_text(quick.method, whole.method) && same_text(quick.target, whole.target));
    REQUIRE(same_text(quick.query, whole.query) && quick.attempt_no == whole.attempt_no);
}

static void check_parse(const lk_layout *l, lk_slice line)
{
    lk_parse_cache cache;
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    lk_fields f[2];
    bool ok[2];

    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < 2; i++)
        ok[i] = lk_layout_parse(l, &cache, line, &f[i], &why[i]);
    REQUIRE(ok[0] == ok[1] && why[0] == why[1]);
    if (!ok[0] || line.p[0] == '{')
        return;
    check_fields(&f[0], line, &cache);
    REQUIRE(f[0].stamp_ns == f[1].stamp_ns && f[0].fraction == f[1].fraction);
    REQUIRE(f[0].took_ns == f[1].took_ns && f[0].attempt_no == f[1].attempt_no);
    REQUIRE(same_text(f[0].caller, f[1].caller) && same_text(f[0].agent, f[1].agent));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice line = { (const char *)data, len };
    lk_layout l;
    lk_sniffer *s;

    if (len == 0 || data[0] == ' ' || data[0] == '\t' || data[0] == '{')
        return 0; /* json_lines has a fuzzer of its own */
    s = malloc(sizeof(*s));
    if (!s)
        return 0;
    check_split(line);
    lk_layout_init(&l);
    check_parse(&l, line);
    lk_sniffer_init(s);
    lk_sniffer_line(s, line);
    lk_sniffer_decide(s, &l);
    check_parse(&l, line);
    check_short(&l, line);
    free(s);
    return 0;
}
