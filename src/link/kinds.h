/* link/kinds — one layer of retries or two?
 *
 * Two layers in one chain show in this: after every k-th attempt the delay is of another kind, and
 * then the delays start again.  Growth with the attempt number alone must not pass.
 *
 * Source: rank test (Mann, Whitney 1947) with a reset condition.  */
#ifndef LK_LINK_KINDS_H
#define LK_LINK_KINDS_H

#include "base/arena.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* A delay inside a chain and its position there: 1 = before the second unit. */
typedef struct lk_chain_delay {
    double delay_s;
    uint32_t position;
} lk_chain_delay;

/* Attempts a call, or 0 when there is but one kind of delay.  Sorts `delays`. */
int lk_kinds_cap(lk_chain_delay *delays, size_t count);

/* The median of the delays before every k-th restart, or of the others; all when k is 0. */
double lk_kinds_median(const lk_chain_delay *sorted, size_t count, uint32_t k, bool turns);

/* The q-quantile (nearest rank) of delays sorted by lk_kinds_cap. */
double lk_kinds_quantile(const lk_chain_delay *sorted, size_t count, double q);

/* A lone constant of 4 s or more under a vendor's SDK is not that SDK's doing: none ships one. */
bool lk_kinds_is_job(lk_slice agent, const lk_chain_delay *sorted, size_t count);

#endif
