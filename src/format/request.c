#include "format/request.h"

#include "base/seek.h"

#include <string.h>

enum { METHOD_MAX = 24, SCHEME_MAX = 10 };

static size_t method_len(lk_slice line)
{
    size_t n = 0;

    while (n < line.len && n <= METHOD_MAX &&
           ((line.p[n] >= 'A' && line.p[n] <= 'Z') || line.p[n] == '-' || line.p[n] == '_'))
        n++;
    return n;
}

/* " HTTP/1.1", " HTTP/2.0", " HTTP/3" at the end; 0 when there is none. */
static size_t protocol_len(lk_slice rest)
{
    static const size_t LENS[] = { sizeof(" HTTP/1.1") - 1, sizeof(" HTTP/2") - 1 };

    for (size_t i = 0; i < sizeof(LENS) / sizeof(LENS[0]); i++)
        if (rest.len >= LENS[i] && memcmp(rest.p + rest.len - LENS[i], " HTTP/", 6) == 0)
            return LENS[i];
    return 0;
}

static bool has_target_form(lk_slice s)
{
    return s.p[0] == '/' || lk_slice_starts(s, "http://") || lk_slice_starts(s, "https://");
}

/* The target with its query. */
static bool split(lk_slice line, lk_slice *method, lk_slice *uri)
{
    size_t n = method_len(line), protocol;
    lk_slice rest;

    if (n == 0 || n > METHOD_MAX || n + 1 >= line.len || line.p[0] == '-' || line.p[n] != ' ')
        return false;
    rest = lk_slice_skip(line, n + 1);
    protocol = protocol_len(rest);
    if (protocol == rest.len || !(protocol > 0 || has_target_form(rest)))
        return false;
    rest.len -= protocol;
    *method = (lk_slice){ line.p, n };
    *uri = rest;
    return true;
}

/* Behind "scheme://host"; s itself when it does not begin so. */
static lk_slice without_authority(lk_slice s)
{
    size_t n = 0, path;

    while (n < s.len && n <= SCHEME_MAX && s.p[n] >= 'a' && s.p[n] <= 'z')
        n++;
    if (n == 0 || s.len < n + 3 || memcmp(s.p + n, "://", 3) != 0)
        return s;
    for (path = n + 3; path < s.len && s.p[path] != '/' && s.p[path] != '?'; path++)
        ;
    return lk_slice_skip(s, path);
}

/* Into the path, which is never empty behind an authority, and what stands behind the '?'. */
static void split_uri(lk_slice uri, lk_slice *target, lk_slice *query)
{
    size_t whole = uri.len;
    const char *mark;

    *target = uri;
    *query = LK_SLICE_NONE;
    if (uri.len == 0)
        return;
    if (uri.p[0] != '/')
        *target = uri = without_authority(uri);
    mark = lk_seek(uri.p, uri.p + uri.len, '?');
    if (mark) {
        target->len = (size_t)(mark - uri.p);
        *query = (lk_slice){ mark + 1, uri.len - target->len - 1 };
    }
    if (target->len == 0 && uri.len < whole)
        *target = LK_SLICE("/");
}

lk_slice lk_request_target(lk_slice uri)
{
    lk_slice target, query;

    split_uri(uri, &target, &query);
    return target;
}

void lk_target_read(lk_slice uri, lk_fields *out)
{
    split_uri(uri, &out->target, &out->query);
}

bool lk_request_split(lk_slice line, lk_slice *method, lk_slice *target)
{
    lk_slice uri;

    if (!split(line, method, &uri))
        return false;
    *target = lk_request_target(uri);
    return true;
}

bool lk_request_read(lk_slice line, lk_fields *out)
{
    lk_slice uri;

    if (lk_request_read_plain(line, out))
        return true;
    if (!split(line, &out->method, &uri))
        return false;
    lk_target_read(uri, out);
    return true;
}

static bool is_dotted_quad(lk_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] != '.' && (s.p[i] < '0' || s.p[i] > '9'))
            return false;
    return s.len > 0 && memchr(s.p, '.', s.len) != NULL;
}

/* "::ffff:203.0.113.7": how a socket for both families names an IPv4 peer. */
static lk_slice without_mapping(lk_slice address)
{
    lk_slice quad = lk_slice_skip(address, sizeof("::ffff:") - 1);

    if ((lk_slice_starts(address, "::ffff:") || lk_slice_starts(address, "::FFFF:")) &&
        is_dotted_quad(quad))
        return quad;
    return address;
}

lk_slice lk_caller_address(lk_slice host)
{
    const char *mark;
    lk_slice before;

    if (host.len == 0)
        return host;
    mark = memchr(host.p, host.p[0] == '[' ? ']' : ':', host.len);
    if (!mark)
        return host;
    before = (lk_slice){ host.p, (size_t)(mark - host.p) };
    if (host.p[0] == '[')
        return without_mapping(lk_slice_skip(before, 1));
    return is_dotted_quad(before) ? before : without_mapping(host);
}

/* The text of an IPv6 address without brackets has several colons and no port. */
lk_slice lk_host_name(lk_slice host)
{
    size_t n = host.len;
    const char *close;

    if (host.len > 0 && host.p[0] == '[' && (close = memchr(host.p, ']', host.len)))
        return (lk_slice){ host.p + 1, (size_t)(close - host.p) - 1 };
    while (n > 0 && host.p[n - 1] >= '0' && host.p[n - 1] <= '9')
        n--;
    if (n == 0 || host.p[n - 1] != ':' || memchr(host.p, ':', n - 1))
        return host;
    return (lk_slice){ host.p, n - 1 };
}
