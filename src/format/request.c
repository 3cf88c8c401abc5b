#include "format/request.h"

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

bool lk_request_split(lk_slice line, lk_slice *method, lk_slice *target)
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
    *target = lk_request_target(rest);
    return true;
}

/* Behind "scheme://host"; s itself when it does not begin so. */
static lk_slice without_authority(lk_slice s)
{
    size_t n = 0;

    while (n < s.len && n <= SCHEME_MAX && s.p[n] >= 'a' && s.p[n] <= 'z')
        n++;
    if (n == 0 || s.len < n + 3 || memcmp(s.p + n, "://", 3) != 0)
        return s;
    for (n += 3; n < s.len && s.p[n] != '/' && s.p[n] != '?'; n++)
        ;
    return n < s.len && s.p[n] == '/' ? lk_slice_skip(s, n) : LK_SLICE("/");
}

lk_slice lk_request_target(lk_slice uri)
{
    const char *query;

    if (uri.len == 0)
        return uri;
    if (uri.p[0] != '/')
        uri = without_authority(uri);
    query = memchr(uri.p, '?', uri.len);
    return query ? (lk_slice){ uri.p, (size_t)(query - uri.p) } : uri;
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
