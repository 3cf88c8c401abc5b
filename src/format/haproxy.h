/* format/haproxy — what the lines of both of HAProxy's HTTP formats have.
 *
 * A line counts the retries that HAProxy made ("+3": with another server at the end), so it hides
 * retries + 1 tries, of which only the last one's status is known.
 *
 * Owner:  tries are in the cache, texts point into the arguments.
 * Source: HAProxy 2.6 configuration manual, section 8.2.3.  */
#ifndef LK_FORMAT_HAPROXY_H
#define LK_FORMAT_HAPROXY_H

#include "format/cache.h"
#include "format/fields.h"

/* out->status is set before.  No tries when there were no retries, or the text is no count. */
void lk_haproxy_tries(lk_slice retries, lk_parse_cache *c, lk_fields *out);
/* Method, target, and the host of the absolute form, which HTTP/2 requests have. */
void lk_haproxy_request(lk_slice request, lk_fields *out);

#endif
