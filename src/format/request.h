/* format/request — the parts of a request line, and the address of a caller.
 *
 * Owner:  results point into the argument.
 * Source: RFC 9112 section 3 (request line; absolute form), RFC 9110 section 9.1 (methods).  */
#ifndef LK_FORMAT_REQUEST_H
#define LK_FORMAT_REQUEST_H

#include "base/seek.h"
#include "format/fields.h"

#include <string.h>

/* "METHOD TARGET PROTO" or HTTP/0.9's "METHOD TARGET"; the target may hold blanks.  False, and both
 * untouched, when the text is no request line ("-", TLS bytes, half a line). */
bool lk_request_split(lk_slice line, lk_slice *method, lk_slice *target);

/* "http://h/p?q" and "/p?q" give "/p"; "http://h" gives "/"; other forms stay as they are.  A query
 * begins at the first '?' as it stands: "%3F" is part of the path, ';' and '#' end nothing. */
lk_slice lk_request_target(lk_slice uri);

/* The two that nearly all are, with a blank and a path behind them. */
static inline size_t lk_request_plain_method(lk_slice line)
{
    if (memcmp(line.p, "GET /", 5) == 0)
        return 3;
    return memcmp(line.p, "POST /", 6) == 0 ? 4 : 0;
}

/* "GET /path HTTP/1.1", which nearly all are.  False: it may be a request all the same. */
static inline bool lk_request_read_plain(lk_slice line, lk_fields *out)
{
    enum { MIN = sizeof("GET / HTTP/1.1") - 1, PROTOCOL = sizeof(" HTTP/1.1") - 1 };
    const char *first, *past, *mark;
    size_t n;

    if (line.len < MIN || (n = lk_request_plain_method(line)) == 0)
        return false;
    first = line.p + n + 1;
    past = line.p + line.len - PROTOCOL;
    if (past <= first || memcmp(past, " HTTP/", 6) != 0)
        return false;
    mark = lk_seek(first, past, '?');
    out->method = (lk_slice){ line.p, n };
    out->target = (lk_slice){ first, (size_t)((mark ? mark : past) - first) };
    out->query = mark ? (lk_slice){ mark + 1, (size_t)(past - mark) - 1 } : LK_SLICE_NONE;
    return true;
}

/* The same into the fields of a line, the query too. */
bool lk_request_read(lk_slice line, lk_fields *out);
void lk_target_read(lk_slice uri, lk_fields *out);

/* The host without its port and brackets. */
lk_slice lk_host_name(lk_slice host);

/* Takes the port off a dotted quad, the brackets (and port) off an IPv6 address and "::ffff:" off an
 * IPv4 one. */
lk_slice lk_caller_address(lk_slice host);

#endif
