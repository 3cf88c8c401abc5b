/* The first line as a log format, the others as lines of it: whatever compiles reads every line
 * within its bounds, the same with a fresh cache, and says where a line does not fit. */
#include "format/custom.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { FORMAT_MAX = 8000 };

typedef struct desk {
    lk_custom custom;
    lk_parse_cache cache, fresh;
    char format[FORMAT_MAX];
} desk;

static lk_slice next_line(lk_slice *rest)
{
    const char *end = memchr(rest->p, '\n', rest->len);
    lk_slice line = { rest->p, end ? (size_t)(end - rest->p) : rest->len };

    *rest = lk_slice_skip(*rest, line.len + 1);
    return line;
}

static void check_custom(const lk_custom *c)
{
    REQUIRE(c->count > 0 && c->count <= LK_CUSTOM_ROWS_MAX && c->text_len <= LK_CUSTOM_TEXT);
    REQUIRE(c->id_count <= LK_IDS && c->moment <= LK_MOMENT_END);
    for (size_t i = 0; i <= c->count; i++) {
        const lk_custom_row *row = &c->rows[i];
        const char *name = lk_custom_field_name(c, i);

        REQUIRE((size_t)row->before + row->before_len <= c->text_len);
        REQUIRE(name[0] != '\0' && memchr(name, '\0', c->text_len - row->name));
        REQUIRE(row->field < LK_CUSTOM_FIELDS && row->slot < (int)c->id_count);
    }
    for (size_t i = 0; i < c->id_count; i++)
        REQUIRE(c->id_name[i][0] != '\0' && memchr(c->id_name[i], '\0', LK_ID_NAME_MAX));
}

/* Nothing but a piece of the line or of the cache. */
static void check_slice(lk_slice s, lk_slice line, const lk_parse_cache *c)
{
    bool in_line, in_cache;

    if (s.len == 0)
        return;
    in_line = s.p >= line.p && s.p + s.len <= line.p + line.len;
    in_cache = s.p >= c->text && s.p + s.len <= c->text + c->text_len;
    REQUIRE(in_line || in_cache || lk_slice_is(s, "/"));
}

static void check_fields(const lk_custom *custom, const lk_fields *f, lk_slice line,
                         const lk_parse_cache *c)
{
    REQUIRE(lk_stamp_is_plausible(f->stamp_ns) && f->status <= LK_STATUS_UNKNOWN);
    REQUIRE(f->took_ns >= -1 && f->retry_after_ns >= -1 && f->attempt_no >= 0);
    REQUIRE(f->moment == custom->moment);
    REQUIRE(f->try_count != 1 && f->try_count <= LK_TRIES_MAX);
    REQUIRE(f->try_count == 0 || f->tries[f->try_count - 1].status == f->status);
    check_slice(f->caller, line, c);
    check_slice(f->method, line, c);
    check_slice(f->target, line, c);
    check_slice(f->agent, line, c);
    check_slice(f->host, line, c);
    for (size_t i = 0; i < LK_IDS; i++)
        check_slice(f->id[i], line, c);
}

static void check_same(const lk_fields *a, const lk_fields *b)
{
    REQUIRE(a->stamp_ns == b->stamp_ns && a->fraction == b->fraction && a->status == b->status);
    REQUIRE(a->took_ns == b->took_ns && a->retry_after_ns == b->retry_after_ns);
    REQUIRE(a->attempt_no == b->attempt_no && a->try_count == b->try_count);
    REQUIRE(lk_slice_equal(a->caller, b->caller) && lk_slice_equal(a->agent, b->agent));
}

static void check_line(desk *d, lk_slice line)
{
    lk_reject why = LK_REJECT_COUNT, why_fresh = LK_REJECT_COUNT;
    lk_custom_place place = { 0, SIZE_MAX };
    lk_fields f, fresh;
    bool ok = lk_custom_parse(&d->custom, &d->cache, line, &f, &why, &place);

    lk_parse_cache_init(&d->fresh);
    REQUIRE(lk_custom_parse(&d->custom, &d->fresh, line, &fresh, &why_fresh, NULL) == ok);
    REQUIRE(why == why_fresh);
    if (ok) {
        check_fields(&d->custom, &f, line, &d->cache);
        check_same(&f, &fresh);
        return;
    }
    REQUIRE(why < LK_REJECT_COUNT && why != LK_REJECT_NONE);
    REQUIRE(place.column >= 1 && place.column <= line.len + 1 && place.row <= d->custom.count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice rest = { (const char *)data, len };
    lk_slice format = next_line(&rest);
    desk *d = malloc(sizeof(*d));
    lk_err e = { .code = LK_OK };

    if (!d)
        return 0;
    if (format.len >= FORMAT_MAX)
        format.len = FORMAT_MAX - 1;
    memcpy(d->format, format.p ? format.p : "", format.len);
    d->format[format.len] = '\0';
    lk_parse_cache_init(&d->cache);
    if (lk_custom_compile(d->format, &d->custom, &e) == LK_OK) {
        check_custom(&d->custom);
        while (rest.len > 0)
            check_line(d, next_line(&rest));
    } else {
        REQUIRE(e.code == LK_EUSAGE && e.msg[0] != '\0');
    }
    free(d);
    return 0;
}
