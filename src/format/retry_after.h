/* format/retry_after — what a Retry-After asks for, in every form that servers send.
 *
 * Units:  ns.
 * Source: RFC 9110, 10.2.3 (seconds or an HTTP-date, of which 5.6.7 knows three spellings);
 *         retry-after-ms of OpenAI, x-ms-retry-after-ms of Azure, x-amz-retry-after.  */
#ifndef LK_FORMAT_RETRY_AFTER_H
#define LK_FORMAT_RETRY_AFTER_H

#include "format/fields.h"

/* Of a header in seconds; one in milliseconds, seen before or after, stands above it.  Absent values
 * ("", "-") change nothing. */
void lk_retry_after_read(lk_fields *f, lk_slice v);
void lk_retry_after_read_ms(lk_fields *f, lk_slice v);
/* The same of a program that logs what it read of the header, also as a duration with its unit: "5s"
 * is whole seconds, "1500ms" are broken ones. */
void lk_retry_after_read_logged(lk_fields *f, lk_slice v);
void lk_retry_after_read_logged_ms(lk_fields *f, lk_slice v);

/* What an answer that ended at end_ns asked for: *after_ns, -1 when there is nothing to wait by. */
lk_asked_form lk_retry_after_of(const lk_fields *f, int64_t end_ns, int64_t *after_ns);

#endif
