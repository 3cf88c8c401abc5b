/* link/sdk_join — which calls of the record have attempts in the access log, and the reverse; for
 * link/sdk only.
 *
 * Errors: EOOM.
 * Cost:   n log n to sort the ids once; log n an attempt.  */
#ifndef LK_LINK_SDK_JOIN_H
#define LK_LINK_SDK_JOIN_H

#include "link/sdk.h"

LK_MUST_CHECK lk_code lk_sdk_keep_id(lk_sdk *s, const lk_sdk_call *call, uint16_t client,
                                     lk_err *e);

/* Fills never_seen_in_http and never_seen_in_sdk where they can be known. */
void lk_sdk_compare(lk_sdk *s, const lk_symbols *symbols, lk_report_calls *c);

#endif
