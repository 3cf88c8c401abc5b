#include "infer/chance.h"

#include <math.h>

/* ln measured = level + SLOPE * ln p; the level grows by GROWTH when the log gets e times as long.  Fitted
 * on traces that the benchmark does not use. */
#define LEVEL (-1.89) /* of 450 s */
#define LEVEL_S 450.0
#define SHORTEST_S 200.0
#define GROWTH 0.5
#define SLOPE 0.96

static double level(double span_s)
{
    return LEVEL + GROWTH * log(fmax(span_s, SHORTEST_S) / LEVEL_S);
}

double lk_chance_measured(double ln_p, double span_s)
{
    return fmin(0.0, level(span_s) + SLOPE * ln_p);
}

double lk_chance_needed(double ln_measured, double span_s)
{
    return fmin(0.0, (ln_measured - level(span_s)) / SLOPE);
}
