#include "format/aws_columns.h"

#include "format/clf.h"

#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static lk_slice without_blanks(lk_slice s)
{
    while (s.len > 0 && s.p[0] == ' ')
        s = lk_slice_skip(s, 1);
    return s;
}

static bool take_quoted(lk_slice *rest, lk_slice *out)
{
    const char *close = lk_quoted_end(rest->p, rest->p + rest->len);
    size_t len;

    if (!close) {
        *rest = LK_SLICE_NONE;
        return false;
    }
    len = (size_t)(close - rest->p);
    *out = (lk_slice){ rest->p + 1, len - 2 };
    *rest = lk_slice_skip(*rest, len);
    return true;
}

bool lk_aws_column(lk_slice *rest, lk_slice *out)
{
    const char *blank;
    size_t len;

    *rest = without_blanks(*rest);
    if (rest->len == 0)
        return false;
    if (rest->p[0] == '"')
        return take_quoted(rest, out);
    blank = memchr(rest->p, ' ', rest->len);
    len = blank ? (size_t)(blank - rest->p) : rest->len;
    *out = (lk_slice){ rest->p, len };
    *rest = lk_slice_skip(*rest, len);
    return true;
}

bool lk_aws_status(lk_slice v, unsigned *status)
{
    uint64_t value;

    if ((v.len != 3 && !(v.len == 1 && v.p[0] == '0')) || !lk_slice_u64(v, &value))
        return false;
    *status = (unsigned)value;
    return true;
}

/* Bytes of ":2817" at the end; 0 when there is no port. */
static size_t port_len(lk_slice v)
{
    size_t n = 0;

    while (n < v.len && is_digit(v.p[v.len - 1 - n]))
        n++;
    return n > 0 && n < v.len && v.p[v.len - 1 - n] == ':' ? n + 1 : 0;
}

static lk_slice without_brackets(lk_slice v)
{
    if (v.len >= 2 && v.p[0] == '[' && v.p[v.len - 1] == ']')
        return (lk_slice){ v.p + 1, v.len - 2 };
    return v;
}

lk_slice lk_aws_peer(lk_slice v)
{
    v.len -= port_len(v);
    return without_brackets(v);
}

lk_slice lk_aws_host(lk_slice v)
{
    const char *colon = v.len > 0 ? memchr(v.p, ':', v.len) : NULL;

    if (!colon || v.p[0] == '[' || (size_t)(colon - v.p) + port_len(v) == v.len)
        return lk_aws_peer(v);
    return v;
}

lk_slice lk_aws_url_host(lk_slice request)
{
    const char *blank = request.len > 0 ? memchr(request.p, ' ', request.len) : NULL, *mark;
    lk_slice url, host = LK_SLICE_NONE;

    if (!blank)
        return LK_SLICE_NONE;
    url = lk_slice_skip(request, (size_t)(blank - request.p) + 1);
    mark = url.len > 0 ? memchr(url.p, ':', url.len) : NULL;
    if (!mark || !lk_slice_starts(lk_slice_skip(url, (size_t)(mark - url.p)), "://"))
        return LK_SLICE_NONE;
    host.p = mark + 3;
    url = lk_slice_skip(url, (size_t)(host.p - url.p));
    while (host.len < url.len && !memchr("/? ", url.p[host.len], 3))
        host.len++;
    return host.len > 0 ? lk_aws_host(host) : LK_SLICE_NONE;
}
