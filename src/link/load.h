/* link/load — how much of what a key starts lies between a failure and its comeback.
 *
 * The load is the mean number of other starts of the same key within one comeback delay.  Where it
 * is small, the next start of the key is the comeback; where it is one or more, any of several is,
 * and what the delays seem to say is made of the callers' number.
 *
 * Source: hazards of competing risks; the bounds from worlds whose calls were known (`make
 *         bench-linking`, both halves of which were looked at): up to one half single links are
 *         sound; up to 1 the sums are, where delays vary by little; above that only those of a
 *         constant delay (pairing.h) that answers three failures of five: a longer second delay
 *         would go unseen.  */
#ifndef LK_LINK_LOAD_H
#define LK_LINK_LOAD_H

#include "link/resolution.h"

/* What the load of a population lets one know about its calls. */
typedef enum lk_regime {
    LK_REGIME_LINKED,  /* which attempt belongs to which call       */
    LK_REGIME_COUNTED, /* how many calls there were                 */
    LK_REGIME_UNKNOWN  /* how many failed requests, and nothing more */
} lk_regime;

/* Adds the starts within one delay of the part's failures to its group's load. */
void lk_load_measure(const lk_resolution *x, const lk_part *p);

/* NAN: too few failures to say. */
double lk_group_load(const lk_group *g);
lk_regime lk_group_regime(const struct lk_linker *l, const lk_group *g);
bool lk_group_is_known(const struct lk_linker *l, const lk_group *g);

#endif
