#include "infer/chance.h"

#include <math.h>

/* ln measured = LEVEL + SLOPE * ln p, fitted on traces that the benchmark does not use. */
#define LEVEL (-1.83)
#define SLOPE 0.843

double lk_chance_measured(double ln_p)
{
    return fmin(0.0, LEVEL + SLOPE * ln_p);
}

double lk_chance_needed(double ln_measured)
{
    return fmin(0.0, (ln_measured - LEVEL) / SLOPE);
}
