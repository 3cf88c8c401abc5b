/* link/pairing — many callers behind one key, all with one constant delay: pairs first in, first out.
 *
 * Who came back cannot be told there.  But a constant delay stands out of all the distances from a
 * failure to every later arrival of its key, and failures d ago explain as many arrivals as they
 * can: how many came back is known, and so are the sums.
 *
 * Source: pair (cross-)correlogram of two point processes, its peak against both neighbourhoods
 *         (Perkel, Gerstein, Moore 1967).
 * Cost:   500 failures a key against the arrivals of 400 s.  */
#ifndef LK_LINK_PAIRING_H
#define LK_LINK_PAIRING_H

#include "link/chains.h"

/* Are the keys of order[from..to) so busy that each must stand for many callers? */
bool lk_pairing_is_crowded(const lk_chains *c, const lk_units *u, size_t from, size_t to);

/* A delay that stands out, seconds: those from low_s to high_s; NAN: none. */
typedef struct lk_pairing {
    double low_s, high_s;
} lk_pairing;

/* EOOM. */
LK_MUST_CHECK lk_code lk_pairing_delay(const lk_chains *c, const lk_units *u, size_t from, size_t to,
                                       double resolution_s, lk_arena *scratch, lk_pairing *out,
                                       lk_err *e);

/* Joins arrivals to the failures one delay before them, the oldest first. */
LK_MUST_CHECK lk_code lk_pairing_link(lk_chains *c, const lk_units *u, size_t from, size_t to,
                                      const lk_pairing *delay, lk_arena *scratch, lk_err *e);

#endif
