/* api/alerts — the clocks that are told of: each once when it appears and once when it has faded,
 * however often it is seen in between.
 *
 * A clock is the same as one before when period (within 6 %) and population agree; one of a whole
 * multiple or part of the period of a clock that is on, without a delay of its own, is its echo.
 * It appears when its last wave is not over for two and a half periods, and has faded when no wave
 * came for three.  "retry" clocks are told; "unexplained" ones when they are seen in what was refused,
 * with a chance below 1e-9 and for a period at least; "scheduled" ones never.
 *
 * Units:  ns, s.
 * Owner:  plain data; texts are copied.
 * Cost:   LK_ALERTS_MAX clocks; past it the one that faded longest ago is forgotten, or the new one is
 *         not told of and counted.  */
#ifndef LK_API_ALERTS_H
#define LK_API_ALERTS_H

#include "model/report.h"

#include <stdbool.h>

enum {
    LK_ALERTS_MAX = 32,
    LK_ALERT_TEXT = 256,
    LK_ALERT_WAVES = 4 /* fewer do not show how they shrink */
};

typedef struct lk_alert {
    char kind[16], population[LK_ALERT_TEXT];
    double period_s, delay_s, width_s, survival_ratio;
    int64_t since_ns, last_wave_ns; /* starts of the first and the last wave seen */
    int64_t waves, callers;
    int64_t first_size, last_size; /* arrivals */
    int64_t told_ns, faded_ns;     /* LK_TIME_NONE = not yet */
    int64_t seen_ns;               /* first, of one that is not told of yet */
    bool is_on, is_candidate;
} lk_alert;

typedef struct lk_alerts {
    lk_alert list[LK_ALERTS_MAX];
    size_t count;
} lk_alerts;

/* How a clock fares: what is left of it, by how its waves shrink. */
typedef struct lk_alert_outlook {
    int64_t waves_left; /* LK_COUNT_NONE = not known: the waves do not shrink */
    int64_t over_ns;    /* LK_TIME_NONE = not known                           */
} lk_alert_outlook;

void lk_alerts_init(lk_alerts *a);

/* A look that ended at now_ns saw this clock: the alert that it makes, or NULL. */
lk_alert *lk_alerts_see(lk_alerts *a, const lk_report_clock *c, int64_t now_ns);

/* One that has faded by now_ns, or NULL; to be called until there is none. */
lk_alert *lk_alerts_fade(lk_alerts *a, int64_t now_ns);

/* After how many ns without one is the next look due for the clocks that are on? INT64_MAX = none is. */
int64_t lk_alerts_pace(const lk_alerts *a);
size_t lk_alerts_on(const lk_alerts *a);

/* fits: arrivals in a wave that do no harm; NAN = a twentieth of the first wave. */
lk_alert_outlook lk_alert_look_out(const lk_alert *alert, double fits);

#endif
