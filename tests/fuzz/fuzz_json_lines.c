/* Any line to the two readers of JSON lines: what they give lies within the line or the cache, and
 * where both take a line in the usual manner they say the same.  What stands before a newline is the
 * user's paths. */
#include "format/json_lines.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { COMPARED_MAX = 4096, TEXT_MAX = 60, OPTION_MAX = 256 };

static void check_within(lk_slice s, lk_slice line, const lk_parse_cache *c)
{
    lk_slice room = { c->text, c->text_len };

    REQUIRE(!s.p || s.len == 0 || (s.p >= line.p && s.p + s.len <= line.p + line.len) ||
           (s.p >= room.p && s.p + s.len <= room.p + room.len) ||
           (s.len == 1 && s.p[0] == '/')); /* the path of an absolute URI without one */
}

static void check_fields(const lk_fields *f, lk_slice line, const lk_parse_cache *c)
{
    REQUIRE(c->text_len <= LK_CACHE_TEXT);
    check_within(f->caller, line, c);
    check_within(f->method, line, c);
    check_within(f->target, line, c);
    check_within(f->agent, line, c);
    check_within(f->host, line, c);
    for (size_t i = 0; i < LK_IDS; i++)
        check_within(f->id[i], line, c);
    REQUIRE(f->try_count <= LK_TRIES_MAX && (f->try_count == 0 || f->tries == c->tries));
    REQUIRE(f->status <= LK_STATUS_UNKNOWN && f->took_ns >= -1 && f->retry_after_ns >= -1);
    REQUIRE(f->attempt_no >= 0 && f->attempt_max >= 0);
    REQUIRE(lk_stamp_is_plausible(f->stamp_ns));
}

/* ---- which lines must be read alike ---- */

static size_t digits(lk_slice s, size_t *i)
{
    size_t first = *i;

    while (*i < s.len && s.p[*i] >= '0' && s.p[*i] <= '9')
        (*i)++;
    return *i - first;
}

/* -?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?, at most 15 digits, 9 behind the point: a double gives the same
 * digits back. */
static bool is_usual_number(lk_slice s)
{
    size_t i = s.len > 0 && s.p[0] == '-', first = i, whole = digits(s, &i), behind = 0;

    if (whole == 0 || (whole > 1 && s.p[first] == '0'))
        return false;
    if (i < s.len && s.p[i] == '.') {
        i++;
        behind = digits(s, &i);
        if (behind == 0 || behind > 9 || s.p[i - 1] == '0')
            return false;
    }
    return i == s.len && whole + behind <= 15;
}

static bool is_usual(const lk_jsonl_value *v)
{
    if (!v->text.p || v->text.len == 0)
        return true;
    return v->quoted ? !v->escaped || v->text.len <= TEXT_MAX : is_usual_number(v->text);
}

/* "\\u" and four digits that are not those of NUL, which would end a text of the tree; cJSON takes
 * digits that are none for NUL too. */
static bool is_usual_escape(const char *p, const char *end)
{
    static const char DIGITS[] = "0123456789abcdefABCDEF";
    bool zero = true;

    if (end - p < 6)
        return false;
    for (size_t i = 2; i < 6; i++) {
        if (p[i] == '\0' || !strchr(DIGITS, p[i]))
            return false;
        zero = zero && p[i] == '0';
    }
    return !zero;
}

static bool has_usual_escapes(lk_slice line)
{
    const char *p = line.p, *end = p + line.len;

    for (; p + 1 < end; p++)
        if (p[0] == '\\' && p[1] == 'u' && !is_usual_escape(p, end))
            return false;
    return true;
}

static bool are_comparable(lk_slice line, const lk_jsonl *found)
{
    if (line.len > COMPARED_MAX || memchr(line.p, '\0', line.len) || !has_usual_escapes(line))
        return false;
    for (size_t i = 0; i < LK_JSONL_FIELDS; i++)
        if (lk_jsonl_has(found, (lk_jsonl_field)i) && !is_usual(&found->fields[i]))
            return false;
    for (size_t i = 0; i < found->id_count; i++)
        if (!is_usual(&found->ids[i].value))
            return false;
    return true;
}

static void check_same(const lk_fields *a, const lk_fields *b)
{
    REQUIRE(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction && a->moment == b->moment);
    REQUIRE(a->took_ns == b->took_ns && a->retry_after_ns == b->retry_after_ns);
    REQUIRE(a->status == b->status);
    REQUIRE(a->attempt_no == b->attempt_no && a->attempt_max == b->attempt_max);
    REQUIRE(lk_slice_equal(a->caller, b->caller) && lk_slice_equal(a->method, b->method));
    REQUIRE(lk_slice_equal(a->target, b->target) && lk_slice_equal(a->agent, b->agent));
    REQUIRE(lk_slice_equal(a->host, b->host) && a->try_count == b->try_count);
    REQUIRE(a->gave_up == b->gave_up && a->zoneless == b->zoneless);
    for (size_t i = 0; i < LK_IDS; i++)
        REQUIRE(lk_slice_equal(a->id[i], b->id[i]));
}

/* A line as one of the readers saw it. */
typedef struct reading {
    lk_parse_cache cache;
    lk_jsonl found;
    lk_fields fields;
    lk_reject why;
    bool ok;
} reading;

static void read_fields(const lk_layout *l, lk_slice line, reading *r)
{
    r->why = LK_REJECT_NONE;
    r->ok = lk_jsonl_read(l, &r->cache, &r->found, &r->fields, &r->why);
    if (r->ok)
        check_fields(&r->fields, line, &r->cache);
}

static void check_readings(const lk_layout *l, lk_slice line, reading *scanned, reading *grown)
{
    lk_parse_cache_init(&scanned->cache);
    lk_parse_cache_init(&grown->cache);
    if (!lk_jsonl_scan(&scanned->cache, &l->paths, line, &scanned->found))
        return;
    read_fields(l, line, scanned);
    if (!lk_jsonl_tree(&grown->cache, &l->paths, line, &grown->found))
        return;
    read_fields(l, line, grown);
    if (!are_comparable(line, &scanned->found))
        return;
    REQUIRE(scanned->ok == grown->ok && scanned->why == grown->why);
    if (scanned->ok)
        check_same(&scanned->fields, &grown->fields);
}

static void check_readers(const lk_layout *l, lk_slice line)
{
    reading *both = malloc(2 * sizeof(*both));

    if (both)
        check_readings(l, line, &both[0], &both[1]);
    free(both);
}

/* By way of the layout, twice with one cache. */
static void check_parse(const lk_layout *l, lk_slice line)
{
    lk_parse_cache cache;
    lk_reject why[2] = { LK_REJECT_NONE, LK_REJECT_NONE };
    lk_fields f[2];
    bool ok[2];

    lk_parse_cache_init(&cache);
    for (size_t i = 0; i < 2; i++) {
        ok[i] = lk_layout_parse(l, &cache, line, &f[i], &why[i]);
        if (ok[i])
            check_fields(&f[i], line, &cache);
    }
    REQUIRE(ok[0] == ok[1] && why[0] == why[1]);
    if (ok[0])
        REQUIRE(f[0].stamp_ns == f[1].stamp_ns && f[0].agent.len == f[1].agent.len);
}

/* Takes the option off the line; false when the text is none. */
static bool take_paths(lk_slice *line, lk_json_paths *out)
{
    const char *newline = line->len > 0 ? memchr(line->p, '\n', line->len) : NULL;
    size_t len = newline ? (size_t)(newline - line->p) : 0;
    char text[OPTION_MAX];
    lk_err e = { 0 };

    if (!newline || len >= OPTION_MAX)
        return false;
    memcpy(text, line->p, len);
    text[len] = '\0';
    if (lk_json_keys_parse(text, out, &e) != LK_OK) {
        REQUIRE(e.code == LK_EUSAGE && e.msg[0] != '\0');
        return false;
    }
    *line = lk_slice_skip(*line, len + 1);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice line = { (const char *)data, len };
    lk_sniffer *s = malloc(sizeof(*s));
    lk_layout l;

    if (!s)
        return 0;
    lk_sniffer_init(s);
    (void)take_paths(&line, &s->paths);
    lk_sniffer_line(s, line);
    lk_sniffer_decide(s, &l);
    free(s);
    if (line.len > 0)
        check_readers(&l, line);
    check_parse(&l, line);
    return 0;
}
