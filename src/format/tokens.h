/* format/tokens — the words of a line whose fields have no names: what they are, how far they go.
 *
 * Units:  ns.
 * Owner:  results point into the arguments.
 * Source: ours; the log formats that need it name theirs.  */
#ifndef LK_FORMAT_TOKENS_H
#define LK_FORMAT_TOKENS_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

lk_slice lk_between(const char *from, const char *to);
const char *lk_find_byte(const char *p, const char *end, char c); /* NULL = not there */

/* The next run of bytes that are no blanks, and *p past it; empty at the end of the line. */
lk_slice lk_token_take(const char **p, const char *end);
/* The last such run before *end, and *end at its first byte. */
lk_slice lk_token_take_last(const char *first, const char **end);

/* One to three digits. */
bool lk_token_status(lk_slice s, unsigned *status);
/* A whole number of milliseconds below three years, with an optional '+' in front.  "-" and what is
 * negative are well-formed and leave *ns as it is. */
bool lk_token_ms(lk_slice s, int64_t *ns);
/* "agent/1.0": what user agents begin with, and neither a media type nor a path. */
bool lk_token_is_product(lk_slice s);
bool lk_token_is_address(lk_slice s); /* a dotted quad or an IPv6 address, without a port */

/* Where the request closes: the first quote behind `open` that a blank and a status follow, as
 * nothing inside is escaped.  NULL = nowhere. */
const char *lk_request_close(const char *open, const char *end);
/* What follows `"request" status bytes ` in a line of the common log family. */
lk_slice lk_behind_bytes(lk_slice line, lk_slice request);
/* `"referer" "agent"` of a writer that escapes no quotes: the agent is all behind the first `" "`.
 * False when it is no such pair. */
bool lk_pair_agent(lk_slice pair, lk_slice *agent);

/* The left-most of "a, b": the one that called first. */
lk_slice lk_first_of_list(lk_slice list);
/* "h:80" of "http://h:80/p"; NONE when it has none. */
lk_slice lk_uri_host(lk_slice uri);
/* Takes the port behind the last colon off, be the address IPv6 without brackets. */
lk_slice lk_without_port(lk_slice peer);

/* "30/Nov/2026:03:27:39.594" or "30/Nov/2026 03:27:39", read as UTC. */
bool lk_stamp_zoneless(lk_slice s, int64_t *at_ns, bool *fraction);

#endif
