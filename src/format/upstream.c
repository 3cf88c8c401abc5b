#include "format/upstream.h"

#include "format/value.h"

#include <string.h>

static const char *blank_or_end(const char *p, const char *end)
{
    const char *blank = p < end ? memchr(p, ' ', (size_t)(end - p)) : NULL;

    return blank ? blank : end;
}

const char *lk_upstream_list_end(const char *p, const char *end)
{
    for (;;) {
        if (p < end && p[-1] == ',')
            p = blank_or_end(p + 1, end);
        else if (end - p >= 2 && p[1] == ':' && (end - p == 2 || p[2] == ' '))
            p = end - p <= 3 ? end : blank_or_end(p + 3, end);
        else
            return p;
    }
}

/* ---- elements ---- */

static lk_slice trimmed(lk_slice s)
{
    while (s.len > 0 && s.p[0] == ' ')
        s = lk_slice_skip(s, 1);
    while (s.len > 0 && s.p[s.len - 1] == ' ')
        s.len--;
    return s;
}

/* Takes the next element off *rest, with the mark behind it (',' or ':', 0 at the end). */
static bool take_element(lk_slice *rest, lk_slice *item, char *mark)
{
    size_t n = 0;

    if (!rest->p)
        return false;
    while (n < rest->len && rest->p[n] != ',' && rest->p[n] != ':')
        n++;
    *item = trimmed((lk_slice){ rest->p, n });
    *mark = n < rest->len ? rest->p[n] : '\0';
    *rest = *mark ? lk_slice_skip(*rest, n + 1) : LK_SLICE_NONE;
    return true;
}

/* Behind a mark: is there nothing but blanks? */
static bool is_dangling(char mark, lk_slice rest)
{
    return mark && trimmed(rest).len == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool read_status(lk_slice v, unsigned *status)
{
    *status = LK_STATUS_UNKNOWN;
    if (lk_slice_is(v, "-"))
        return true;
    if (v.len != 3 || v.p[0] < '1' || v.p[0] > '9' || !is_digit(v.p[1]) || !is_digit(v.p[2]))
        return false;
    *status =
        (unsigned)(v.p[0] - '0') * 100 + (unsigned)(v.p[1] - '0') * 10 + (unsigned)(v.p[2] - '0');
    return true;
}

static bool read_time(lk_slice v, int64_t *ns)
{
    *ns = -1;
    return lk_slice_is(v, "-") || (lk_value_shape(v) == LK_SHAPE_REAL && lk_value_seconds(v, ns));
}

/* ---- what a list is ---- */

bool lk_upstream_is_statuses(lk_slice list, size_t *count, unsigned *last)
{
    lk_slice item;
    char mark;

    *count = 0;
    while (take_element(&list, &item, &mark)) {
        if (!read_status(item, last))
            return false;
        ++*count;
        if (is_dangling(mark, list))
            break;
    }
    return *count > 0;
}

bool lk_upstream_is_times(lk_slice list, size_t *count, int64_t *sum_ns)
{
    lk_slice item;
    char mark;

    *count = 0;
    *sum_ns = 0;
    while (take_element(&list, &item, &mark)) {
        int64_t ns;

        if (!read_time(item, &ns))
            return false;
        if (ns > 0 && *sum_ns <= INT64_MAX - ns)
            *sum_ns += ns;
        ++*count;
        if (is_dangling(mark, list))
            break;
    }
    return *count > 0;
}

/* ---- tries ---- */

/* How many tries a list tells of; behind a dangling mark the proxy gave the answer itself. */
static size_t count_tries(lk_slice list)
{
    size_t count = 0;
    lk_slice item;
    char mark;

    while (count < LK_TRIES_MAX && take_element(&list, &item, &mark))
        count++;
    return count;
}

static void start_tries(lk_slice list, size_t count, lk_try *tries)
{
    char before = '\0', mark = '\0';
    lk_slice item;

    for (size_t i = 0; i < count && take_element(&list, &item, &mark); i++) {
        tries[i] = (lk_try){ LK_STATUS_UNKNOWN, -1, before == ':' };
        before = mark;
    }
}

static void fill_statuses(lk_slice list, size_t count, lk_try *tries)
{
    lk_slice item;
    char mark;

    for (size_t i = 0; i < count && take_element(&list, &item, &mark); i++)
        (void)read_status(item, &tries[i].status);
}

static void fill_times(lk_slice list, size_t count, lk_try *tries)
{
    lk_slice item;
    char mark;

    for (size_t i = 0; i < count && take_element(&list, &item, &mark); i++)
        if (!lk_value_is_absent(item))
            (void)lk_value_seconds(item, &tries[i].took_ns);
}

void lk_upstream_read(const lk_upstream *u, lk_parse_cache *c, lk_fields *out)
{
    size_t statuses, times, count;

    if (u->statuses.len == 0 && u->times.len == 0)
        return;
    statuses = count_tries(u->statuses);
    times = count_tries(u->times);
    count = statuses > times ? statuses : times;
    if (count < 2)
        return;
    start_tries(statuses >= times ? u->statuses : u->times, count, c->tries);
    fill_statuses(u->statuses, count, c->tries);
    fill_times(u->times, count, c->tries);
    c->tries[count - 1].status = out->status;
    out->tries = c->tries;
    out->try_count = count;
}
