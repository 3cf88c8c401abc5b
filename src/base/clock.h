/* base/clock — what time it is: nothing that is reported may depend on it, but for how long something took and for
 * stamps that name no year or zone. */
#ifndef LK_BASE_CLOCK_H
#define LK_BASE_CLOCK_H

#include <stdint.h>

int64_t lk_clock_monotonic_ns(void); /* since some instant; never goes back */
int64_t lk_clock_wall_ns(void);      /* since the Unix epoch                */

#endif
