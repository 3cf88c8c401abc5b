/* format/request — the parts of a request line, and the address of a caller.
 *
 * Owner:  results point into the argument.
 * Source: RFC 9112 section 3 (request line; absolute form), RFC 9110 section 9.1 (methods).  */
#ifndef LK_FORMAT_REQUEST_H
#define LK_FORMAT_REQUEST_H

#include "format/fields.h"

/* "METHOD TARGET PROTO" or HTTP/0.9's "METHOD TARGET"; the target may hold blanks.  False, and both
 * untouched, when the text is no request line ("-", TLS bytes, half a line). */
bool lk_request_split(lk_slice line, lk_slice *method, lk_slice *target);

/* "http://h/p?q" and "/p?q" give "/p"; "http://h" gives "/"; other forms stay as they are.  A query
 * begins at the first '?' as it stands: "%3F" is part of the path, ';' and '#' end nothing. */
lk_slice lk_request_target(lk_slice uri);

/* The same into the fields of a line, the query too. */
bool lk_request_read(lk_slice line, lk_fields *out);
void lk_target_read(lk_slice uri, lk_fields *out);

/* The host without its port and brackets. */
lk_slice lk_host_name(lk_slice host);

/* Takes the port off a dotted quad, the brackets (and port) off an IPv6 address and "::ffff:" off an
 * IPv4 one. */
lk_slice lk_caller_address(lk_slice host);

#endif
