/* api/chosen — the arrivals and steps of the callers that clocks are searched among.
 *
 * Owner:  lk_chosen_init/lk_chosen_release.
 * Errors: EOOM.
 * Cost:   without a pattern nothing; with one a byte a user agent and a second series of arrivals.  */
#ifndef LK_API_CHOSEN_H
#define LK_API_CHOSEN_H

#include "base/slice.h"
#include "measure/arrivals.h"
#include "model/attempt.h"
#include "model/evidence.h"

typedef struct lk_chosen {
    lk_slice pattern; /* empty: all callers */
    const lk_symbols *symbols;
    unsigned char *fits; /* by population: 0 = not asked yet, 1 = no, 2 = yes */
    size_t fits_cap;
    lk_arrivals arrivals; /* of the chosen, with a pattern only */
    uint64_t attempts, rejected;
    int64_t first_ns, last_ns;
} lk_chosen;

LK_MUST_CHECK lk_code lk_chosen_init(lk_chosen *c, const char *pattern, int64_t bin_ns,
                                     const lk_symbols *symbols, lk_err *e);
void lk_chosen_release(lk_chosen *c);

/* Is the population among the chosen? */
LK_MUST_CHECK lk_code lk_chosen_ask(lk_chosen *c, uint32_t population, bool *out, lk_err *e);

LK_MUST_CHECK lk_code lk_chosen_add(lk_chosen *c, const lk_attempt *a, lk_err *e);

/* Counts and limits of the chosen in place of those of all; without a pattern nothing changes. */
void lk_chosen_evidence(const lk_chosen *c, lk_evidence *out);

#endif
