#include "infer/verdict.h"

#include <inttypes.h>
#include <string.h>

static const lk_report_clock *first_of_kind(const lk_report *r, const char *kind)
{
    for (size_t i = 0; i < r->clock_count; i++)
        if (strcmp(r->clocks[i].kind, kind) == 0)
            return &r->clocks[i];
    return NULL;
}

static size_t count_of_kind(const lk_report *r, const char *kind)
{
    size_t n = 0;

    for (size_t i = 0; i < r->clock_count; i++)
        n += strcmp(r->clocks[i].kind, kind) == 0;
    return n;
}

/* 60.02 -> "60.0", 0.5 -> "0.5", 604.3 -> "604": three digits are what a reader needs. */
static const char *seconds_text(lk_arena *arena, double s)
{
    return lk_arena_printf(arena, "%.*f", s < 100 ? 1 : 0, s);
}

/* The retry clock to lead with: the longest cycle that comes in waves.  Shorter ones run inside it. */
static const lk_report_clock *lead(const lk_report *r)
{
    const lk_report_clock *best = NULL;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];

        if (strcmp(c->kind, "retry") != 0 || (!isnan(c->duty) && c->duty > 0.5))
            continue;
        if (!best || c->period_s > best->period_s)
            best = c;
    }
    return best ? best : first_of_kind(r, "retry");
}

/* The clock that the headline speaks of stands first; the others keep their order. */
static void put_first(lk_report *r, const lk_report_clock *clock)
{
    size_t at = (size_t)(clock - r->clocks);
    lk_report_clock moving = *clock;

    memmove(r->clocks + 1, r->clocks, at * sizeof(*r->clocks));
    r->clocks[0] = moving;
}

static char *retry_headline(lk_arena *arena, const lk_report *r, const lk_report_clock *c)
{
    size_t others = count_of_kind(r, "retry") - 1;
    const char *what = "a fixed delay in a retry path", *share = "", *more = "";

    if (!isnan(c->delay_s) && fabs(c->delay_s - c->period_s) > 0.05 * c->period_s)
        what = lk_arena_printf(arena, "a fixed delay of %s s in a retry path",
                               seconds_text(arena, c->delay_s));
    if (!isnan(c->share))
        share = lk_arena_printf(arena, ", %.0f %% of the traffic while it lasted", 100 * c->share);
    if (others)
        more = lk_arena_printf(arena, "; %zu more retry clock%s below", others,
                               others == 1 ? " is" : "s are");
    if (!what || !share || !more)
        return NULL;
    return lk_arena_printf(arena, "Failed callers came back together every %s s: %s%s%s",
                           seconds_text(arena, c->period_s), what, share, more);
}

static char *quiet_headline(lk_arena *arena, const lk_report *r)
{
    const lk_report_clock *scheduled = first_of_kind(r, "scheduled");
    const lk_report_clock *unexplained = first_of_kind(r, "unexplained");

    if (r->overload == LK_YES)
        return lk_arena_printf(arena, "More is asked of the server than it admits: that is overload, "
                                      "and no retry policy makes it fit");
    if (unexplained)
        return lk_arena_printf(arena,
                               "Arrivals repeat every %s s; what drives them is not shown by the log",
                               seconds_text(arena, unexplained->period_s));
    if (scheduled)
        return lk_arena_printf(arena, "No synchronised retries; a schedule of %s s is at work",
                               seconds_text(arena, scheduled->period_s));
    if (r->http.rejected > 0)
        return lk_arena_printf(arena, "No synchronised retries: rejected callers do not come back "
                                      "together");
    return lk_arena_printf(arena, "No synchronised retries, and nothing was rejected");
}

static char *headline(lk_arena *arena, const lk_report *r)
{
    const lk_report_clock *retry = first_of_kind(r, "retry");

    if (r->http.attempts <= 0)
        return lk_arena_printf(arena, r->input.lines_filtered > 0
                                          ? "No request is left: all were left out as asked"
                                          : "No request was found in the input");
    if (retry)
        return retry_headline(arena, r, retry);
    if (r->synchronised == LK_YES)
        return lk_arena_printf(arena, "Callers come back together on a shared sequence of delays "
                                      "that has no single period");
    if (r->synchronised == LK_NOT_KNOWN)
        return lk_arena_printf(arena, "Too little traffic to tell whether retries are synchronised");
    return quiet_headline(arena, r);
}

/* "31.0 %", with enough digits for a small share not to look like none. */
static const char *percent(lk_arena *arena, double share)
{
    int digits = share > 0 && share < 0.001 ? 3 : 1;

    return lk_arena_printf(arena, "%.*f %%", digits, 100 * share);
}

static const char *explain(lk_arena *arena, const lk_report *r)
{
    const lk_report_calls *c = &r->calls;
    const lk_report_reconciliation *k = &r->reconciliation;

    if (r->http.attempts <= 0 || !c->source || isnan(c->failed_share))
        return NULL;
    return lk_arena_printf(
        arena,
        "%s of %" PRId64 " calls failed and %s of %" PRId64
        " HTTP attempts were rejected, and both are right: one call is up to %" PRId64
        " attempts, and %" PRId64 " of the %" PRId64
        " rejected attempts belong to calls that a later attempt saved.",
        percent(arena, c->failed_share), c->total, percent(arena, r->http.rejected_share),
        r->http.attempts, c->attempts_max, k->in_recovered_calls, k->rejected);
}

static bool is_population(const lk_report_clock *c, const char *population)
{
    return !c->population || (population && strcmp(c->population, population) == 0);
}

/* The longest retry clock of a population. */
static const lk_report_clock *cycle_of(const lk_report *r, const char *population)
{
    const lk_report_clock *best = NULL;

    for (size_t i = 0; i < r->clock_count; i++) {
        const lk_report_clock *c = &r->clocks[i];

        if (strcmp(c->kind, "retry") == 0 && is_population(c, population) &&
            (!best || c->period_s > best->period_s))
            best = c;
    }
    return best;
}

/* Tasks x attempts in each cycle, at worst: where a job layer stands on one of calls. */
static void add_cycle(const lk_report *r, lk_report_amplification *a)
{
    const lk_report_clock *clock = cycle_of(r, a->population);
    const lk_report_layer *calls = NULL, *tasks = NULL;

    for (size_t i = 0; i < r->layer_count; i++) {
        const lk_report_layer *l = &r->layers[i];

        if (strcmp(l->population ? l->population : "", a->population ? a->population : "") != 0)
            continue;
        if (strcmp(l->name, "job") == 0)
            tasks = l;
        else if (strcmp(l->name, "sdk") == 0)
            calls = l;
    }
    if (!clock || !tasks || !calls)
        return;
    a->cycle_units = tasks->units;
    a->cycle_attempts = tasks->units * calls->amplification_max;
    a->cycle_s = clock->period_s;
}

lk_code lk_infer_verdict(lk_arena *arena, lk_report *r, lk_err *e)
{
    const lk_report_clock *first = lead(r);

    if (first)
        put_first(r, first);
    for (size_t i = 0; i < r->amplification_count; i++)
        add_cycle(r, &r->amplification[i]);
    r->headline = headline(arena, r);
    if (!r->headline)
        return lk_fail(e, LK_EOOM, "no memory for the verdict");
    r->reconciliation.explanation = explain(arena, r);
    return LK_OK;
}
