/* measure/above — the units of layers that a field of the log names, and how many calls each has.
 *
 * An attempt carries one number for its values of all such fields; its call and task hand it back.
 * The units past the bound are not counted, but how many attempts they had is.
 *
 * Owner:  lk_above_init/lk_above_release.
 * Errors: EOOM.
 * Cost:   about 40 bytes a unit and 60 a combination of units, at most `max` of each, LK_ABOVE_MAX at most.
 * Thread: one.  */
#ifndef LK_MEASURE_ABOVE_H
#define LK_MEASURE_ABOVE_H

#include "base/lru.h"
#include "base/slice.h"
#include "model/evidence.h"
#include "model/named_layers.h"

enum { LK_ABOVE_MAX = 1 << 18 };

typedef struct lk_above {
    size_t layers; /* 0 = none is asked for */
    lk_lru units, combinations;
    uint64_t folded; /* attempts of units that found no room */
    uint64_t seen[LK_NAMED_LAYERS_MAX]; /* attempts that have a value */
} lk_above;

LK_MUST_CHECK lk_code lk_above_init(lk_above *a, size_t layers, size_t max, uint64_t seed,
                                    lk_err *e);
void lk_above_release(lk_above *a);

/* The number of an attempt's values[layers] (empty = none); 0: it is in no unit. */
LK_MUST_CHECK lk_code lk_above_number(lk_above *a, uint32_t population, const lk_slice *values,
                                      uint32_t *number, lk_err *e);
void lk_above_call(lk_above *a, const lk_call *call);
void lk_above_task(lk_above *a, const lk_task *task);

void lk_above_sum(const lk_above *a, lk_named_layers *out);

#endif
