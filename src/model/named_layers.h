/* model/named_layers — layers whose units the user names by a field of the log (--layer).
 *
 * Owner: plain data; names belong to the caller.  */
#ifndef LK_MODEL_NAMED_LAYERS_H
#define LK_MODEL_NAMED_LAYERS_H

#include <stddef.h>
#include <stdint.h>

enum { LK_NAMED_LAYERS_MAX = 3, LK_NAMED_LAYER_GROUPS = 64 };

/* The units of one layer that the calls of one population have. */
typedef struct lk_named_sum {
    uint64_t units;
    uint64_t http, calls, tasks;                /* of all units     */
    uint64_t most_http, most_calls, most_tasks; /* of the largest   */
} lk_named_sum;

typedef struct lk_named_layers {
    size_t count;
    const char *name[LK_NAMED_LAYERS_MAX], *field[LK_NAMED_LAYERS_MAX];
    /* [count] by the number of the population in link/ */
    lk_named_sum sums[LK_NAMED_LAYERS_MAX][LK_NAMED_LAYER_GROUPS];
} lk_named_layers;

#endif
