#include "api/alerts.h"

#include "base/time.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME 0.06
#define FRESH_PERIODS 2.5
#define FADE_PERIODS 3.0
#define UNEXPLAINED_LN_P (-20.7) /* 1e-9 */
enum { MULTIPLES = 5, SMALL_WAVE = 4 };

void lk_alerts_init(lk_alerts *a)
{
    memset(a, 0, sizeof(*a));
}

static int64_t ns(double seconds)
{
    return lk_whole(seconds * 1e9);
}

static bool is_near(double a, double b)
{
    return fabs(a / b - 1) <= SAME;
}

static bool is_of(const lk_alert *alert, const lk_report_clock *c)
{
    return !c->population || !alert->population[0] ||
           strncmp(alert->population, c->population, LK_ALERT_TEXT - 1) == 0;
}

static bool is_echo(const lk_alert *alert, const lk_report_clock *c)
{
    double ratio = c->period_s / alert->period_s, whole;

    if (!isnan(c->delay_s) && !isnan(alert->delay_s) && !is_near(c->delay_s, alert->delay_s))
        return false;
    whole = ratio >= 1 ? round(ratio) : round(1 / ratio);
    return whole <= MULTIPLES && is_near(ratio >= 1 ? ratio : 1 / ratio, whole);
}

static lk_alert *find(lk_alerts *a, const lk_report_clock *c)
{
    for (size_t i = 0; i < a->count; i++)
        if (is_of(&a->list[i], c) && is_near(c->period_s, a->list[i].period_s))
            return &a->list[i];
    return NULL;
}

/* The clock that c is a multiple or a part of. */
static lk_alert *find_whole(lk_alerts *a, const lk_report_clock *c)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].is_on && is_of(&a->list[i], c) && is_echo(&a->list[i], c))
            return &a->list[i];
    return NULL;
}

/* A place for one more: the end of the list, or that of the one that faded first. */
static lk_alert *place(lk_alerts *a)
{
    lk_alert *found = NULL;

    if (a->count < LK_ALERTS_MAX)
        return &a->list[a->count++];
    for (size_t i = 0; i < a->count; i++)
        if (!a->list[i].is_on && (!found || a->list[i].faded_ns < found->faded_ns))
            found = &a->list[i];
    return found;
}

static int64_t last_start(const lk_report_clock *c)
{
    return c->wave_count ? c->wave_list[c->wave_count - 1].start_ns : c->end_ns;
}

static void update(lk_alert *alert, const lk_report_clock *c)
{
    const lk_report_wave *w = c->wave_list;
    int64_t last = last_start(c);

    alert->delay_s = c->delay_s;
    alert->width_s = c->width_s;
    alert->survival_ratio = c->survival_ratio;
    alert->callers = c->callers > alert->callers ? c->callers : alert->callers;
    if (last > alert->last_wave_ns)
        alert->last_wave_ns = last;
    if (c->wave_count) {
        alert->last_size = w[c->wave_count - 1].arrivals;
        if (alert->since_ns >= w[0].start_ns)
            alert->first_size = w[0].arrivals;
    }
    if (c->start_ns < alert->since_ns)
        alert->since_ns = c->start_ns;
    if (c->waves > alert->waves)
        alert->waves = c->waves;
    /* What the stretch no longer holds still counts. */
    else if (alert->since_ns < c->start_ns && alert->period_s > 0)
        alert->waves = 1 + lk_whole(round((double)(alert->last_wave_ns - alert->since_ns) * 1e-9 /
                                          alert->period_s));
}

static void begin(lk_alert *alert, const lk_report_clock *c, int64_t now_ns)
{
    *alert = (lk_alert){ .period_s = c->period_s,
                         .since_ns = c->start_ns,
                         .last_wave_ns = last_start(c),
                         .told_ns = LK_TIME_NONE,
                         .faded_ns = LK_TIME_NONE,
                         .seen_ns = now_ns };
    (void)snprintf(alert->kind, sizeof(alert->kind), "%s", c->kind);
    (void)snprintf(alert->population, sizeof(alert->population), "%s",
                   c->population ? c->population : "");
    update(alert, c);
}

static bool is_fresh(const lk_report_clock *c, int64_t now_ns)
{
    double width_s = isnan(c->width_s) ? 0 : c->width_s;

    return now_ns - last_start(c) <= ns(FRESH_PERIODS * c->period_s + width_s);
}

static bool is_wanted(const lk_report_clock *c)
{
    if (strcmp(c->kind, "retry") == 0)
        return true;
    return strcmp(c->kind, "unexplained") == 0 && c->ln_false_alarm < UNEXPLAINED_LN_P && c->from &&
           strcmp(c->from, "arrivals") != 0;
}

/* Seen for a period at least, where nothing but time speaks for it. */
static bool is_settled(const lk_alert *alert, const lk_report_clock *c, int64_t now_ns)
{
    return strcmp(c->kind, "retry") == 0 || now_ns - alert->seen_ns >= ns(c->period_s);
}

static lk_alert *turn_on(lk_alert *alert, const lk_report_clock *c, int64_t now_ns)
{
    alert->is_candidate = true;
    if (!is_settled(alert, c, now_ns))
        return NULL;
    (void)snprintf(alert->kind, sizeof(alert->kind), "%s", c->kind);
    alert->is_candidate = false;
    alert->is_on = true;
    alert->told_ns = now_ns;
    alert->faded_ns = LK_TIME_NONE;
    return alert;
}

lk_alert *lk_alerts_see(lk_alerts *a, const lk_report_clock *c, int64_t now_ns)
{
    lk_alert *alert = find(a, c), *whole = alert ? NULL : find_whole(a, c);

    if (alert && alert->is_on) {
        update(alert, c);
        return NULL;
    }
    if (whole) { /* its waves are the clock's, its other figures are not */
        if (last_start(c) > whole->last_wave_ns)
            whole->last_wave_ns = last_start(c);
        return NULL;
    }
    if (!is_wanted(c) || !is_fresh(c, now_ns))
        return NULL;
    if (alert && alert->is_candidate) {
        update(alert, c);
        return turn_on(alert, c, now_ns);
    }
    if (alert) { /* it faded: only new waves bring it back */
        if (last_start(c) <= alert->faded_ns)
            return NULL;
        begin(alert, c, now_ns);
        return turn_on(alert, c, now_ns);
    }
    alert = place(a);
    if (!alert)
        return NULL;
    begin(alert, c, now_ns);
    return turn_on(alert, c, now_ns);
}

static int64_t fades_at(const lk_alert *alert)
{
    double width_s = isnan(alert->width_s) ? 0 : alert->width_s;

    return alert->last_wave_ns + ns(FADE_PERIODS * alert->period_s + width_s);
}

lk_alert *lk_alerts_fade(lk_alerts *a, int64_t now_ns)
{
    for (size_t i = 0; i < a->count; i++) {
        lk_alert *alert = &a->list[i];

        if ((!alert->is_on && !alert->is_candidate) || now_ns <= fades_at(alert))
            continue;
        alert->faded_ns = now_ns;
        alert->is_candidate = false;
        if (!alert->is_on)
            continue;
        alert->is_on = false;
        return alert;
    }
    return NULL;
}

int64_t lk_alerts_pace(const lk_alerts *a)
{
    int64_t least = INT64_MAX;

    for (size_t i = 0; i < a->count; i++)
        if ((a->list[i].is_on || a->list[i].is_candidate) && ns(a->list[i].period_s) < least)
            least = ns(a->list[i].period_s);
    return least;
}

size_t lk_alerts_on(const lk_alerts *a)
{
    size_t n = 0;

    for (size_t i = 0; i < a->count; i++)
        n += a->list[i].is_on;
    return n;
}

lk_alert_outlook lk_alert_look_out(const lk_alert *alert, double fits)
{
    lk_alert_outlook out = { LK_COUNT_NONE, LK_TIME_NONE };
    double left = 0, last = (double)alert->last_size;

    if (isnan(fits))
        fits = fmax(SMALL_WAVE, (double)alert->first_size / 20);
    if (last > fits) {
        if (!(fits > 0) || alert->waves < LK_ALERT_WAVES ||
            !(alert->survival_ratio > 0 && alert->survival_ratio < 0.995))
            return out;
        left = ceil(log(fits / last) / log(alert->survival_ratio));
    }
    out.waves_left = lk_whole(left);
    out.over_ns = lk_seconds_after(alert->last_wave_ns, left * alert->period_s);
    return out;
}
