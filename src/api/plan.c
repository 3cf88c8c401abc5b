/* lockstep plan: reads the options, computes one struct, prints it as text or JSON. */
#include "api/tell.h"
#include "base/buf.h"
#include "base/quantity.h"
#include "model/json.h"
#include "model/sizing.h"

#include <lockstep/plan.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 20, LAYERS_MAX = 16 };

/* What was given; NAN = not. */
struct given {
    lk_policy_choice policy;
    bool base;
    double callers, allowance_per_s, attempt_time_s, spread_s, slice_s;
    double backlog, cost, refill_per_s, reserved_per_s, demand_per_s, duration_s;
    double deadline_s, horizon_s, budget, collisions;
    double layers[LAYERS_MAX];
    size_t layer_count;
};

/* What follows; NAN = it does not. */
struct plan {
    size_t rounds;
    double window_s[ROUNDS_MAX], rate_per_s[ROUNDS_MAX];
    double first_fit, smallest_base_s, base_s;
    double burst_cap_s, longest_s, typical_s, retries_in_deadline;
    double tenth_wait_s, ten_doublings_s;
    double slice_share[ROUNDS_MAX];
    double requests_a_task; /* INFINITY: no bound */
    double spare_per_s, drain_s, tasks_per_min;
    double deficit_per_s, overload_backlog, overload_drain_s;
    double budget_retries;
    double two_separate; /* share of pairs whose next slots differ */
};

/* ---- options ---- */

static lk_code read_layers(const char *text, struct given *g, lk_err *e)
{
    while (text && *text) {
        size_t len = strcspn(text, ",");
        lk_slice part = { text, len };
        double cap = (double)INFINITY;

        if (g->layer_count == LAYERS_MAX)
            return lk_fail(e, LK_EUSAGE, "--layers: more than %d", LAYERS_MAX);
        if (!lk_slice_is(part, "none") && !lk_slice_is(part, "inf") &&
            (!lk_quantity_number(part, &cap) || cap < 1 || cap != floor(cap)))
            return lk_fail(e, LK_EUSAGE,
                           "--layers: '%.40s' is not a list of attempt caps such as 4,3 (none = no cap)",
                           text);
        g->layers[g->layer_count++] = cap;
        text += len + (text[len] == ',');
    }
    return LK_OK;
}

static lk_code read_options(const lockstep_plan_options *o, struct given *g, lk_err *e)
{
    static const char RATE[] = "a rate such as 67 or 4000/min", TIME[] = "a duration",
                      NUMBER[] = "a number from 0 on";
    const lk_quantity_row rows[] = {
        { "callers", o->callers, lk_quantity_number, &g->callers, NUMBER },
        { "allowance", o->allowance, lk_quantity_per_second, &g->allowance_per_s, RATE },
        { "attempt-time", o->attempt_time, lk_quantity_finite_seconds, &g->attempt_time_s, TIME },
        { "spread", o->spread, lk_quantity_finite_seconds, &g->spread_s, TIME },
        { "slice", o->slice, lk_quantity_finite_seconds, &g->slice_s, TIME },
        { "backlog", o->backlog, lk_quantity_number, &g->backlog, NUMBER },
        { "cost", o->cost, lk_quantity_number, &g->cost, NUMBER },
        { "refill", o->refill, lk_quantity_per_second, &g->refill_per_s, RATE },
        { "reserved", o->reserved, lk_quantity_per_second, &g->reserved_per_s, RATE },
        { "demand", o->demand, lk_quantity_per_second, &g->demand_per_s, RATE },
        { "for", o->duration, lk_quantity_finite_seconds, &g->duration_s, TIME },
        { "deadline", o->deadline, lk_quantity_finite_seconds, &g->deadline_s, TIME },
        { "horizon", o->horizon, lk_quantity_finite_seconds, &g->horizon_s, TIME },
        { "collisions", o->collisions, lk_quantity_number, &g->collisions, NUMBER },
        { "budget", o->budget, lk_quantity_share, &g->budget, "a share from 0 to 1" },
    };
    const size_t count = sizeof(rows) / sizeof(rows[0]);

    for (size_t i = 0; i < count; i++)
        *rows[i].out = (double)NAN;
    g->policy = (lk_policy_choice){ NULL, LK_POLICY_PARAMS_INIT };
    g->policy.params.cap_s = (double)INFINITY;
    LK_TRY(lk_policy_parse(lk_slice_from(o->policy ? o->policy : "full-jitter"), &g->policy, e));
    LK_TRY(lk_policy_parse_one("base", o->base, &g->policy, e));
    LK_TRY(lk_policy_parse_one("factor", o->factor, &g->policy, e));
    LK_TRY(lk_policy_parse_one("cap", o->cap, &g->policy, e));
    LK_TRY(lk_policy_parse_one("attempts", o->attempts, &g->policy, e));
    g->base = o->base || (o->policy && strstr(o->policy, "base="));
    LK_TRY(lk_quantity_read_rows(rows, count, e));
    if (isnan(g->spread_s))
        g->spread_s = 0.05;
    return read_layers(o->layers, g, e);
}

/* ---- arithmetic ---- */

static void plan_rounds(const struct given *g, struct plan *p)
{
    unsigned rounds = g->policy.params.attempts ? g->policy.params.attempts : 5;
    int fit = isnan(g->callers) || isnan(g->allowance_per_s)
                  ? -1
                  : lk_sizing_first_fit(&g->policy, g->callers, g->allowance_per_s, g->spread_s,
                                        ROUNDS_MAX);

    if (fit >= 0) {
        p->first_fit = fit + 1;
        rounds = rounds > (unsigned)fit + 1 ? rounds : (unsigned)fit + 1;
    }
    p->rounds = rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX;
    for (unsigned k = 0; k < p->rounds; k++) {
        p->window_s[k] = lk_sizing_window_s(&g->policy, k);
        p->rate_per_s[k] = g->callers / lk_sizing_width_s(&g->policy, k, g->spread_s);
        p->slice_share[k] = fmin(1, g->slice_s / p->window_s[k]);
    }
}

static double retries_within(const struct given *g)
{
    unsigned n = 0;

    if (isnan(g->deadline_s))
        return (double)NAN;
    while (n < 1000 && lk_policy_longest_s(g->policy.policy, &g->policy.params, n + 1) <= g->deadline_s)
        n++;
    return n;
}

static void plan_waits(const struct given *g, struct plan *p)
{
    const lk_policy_params *q = &g->policy.params;
    lk_policy_params uncapped = *q;

    uncapped.cap_s = (double)INFINITY;
    if (q->attempts) {
        p->longest_s = lk_policy_longest_s(g->policy.policy, q, q->attempts);
        p->typical_s = lk_sizing_typical_share(g->policy.policy) * p->longest_s;
    }
    p->retries_in_deadline = retries_within(g);
    if (g->base) {
        p->tenth_wait_s = lk_policy_window_s(&uncapped, 9);
        p->ten_doublings_s = lk_policy_window_s(&uncapped, 10);
    }
}

static void plan_capacity(const struct given *g, struct plan *p)
{
    double cost = isnan(g->cost) ? 1 : g->cost, reserved = isnan(g->reserved_per_s) ? 0 : g->reserved_per_s;
    double refill = isnan(g->refill_per_s) ? g->allowance_per_s : g->refill_per_s;

    p->smallest_base_s = g->callers / g->allowance_per_s;
    p->base_s = lk_sizing_power_of_two(p->smallest_base_s);
    if (isnan(p->smallest_base_s))
        p->base_s = (double)NAN;
    p->burst_cap_s = 2 * g->callers * g->attempt_time_s;
    p->spare_per_s = refill - reserved;
    p->tasks_per_min = isnan(p->spare_per_s) ? (double)NAN : 60 * fmax(0, p->spare_per_s) / cost;
    p->drain_s = isnan(g->backlog) || isnan(p->spare_per_s)
                     ? (double)NAN
                     : lk_sizing_drain_s(g->backlog, cost, p->spare_per_s);
    p->deficit_per_s = g->demand_per_s - g->allowance_per_s;
    p->overload_backlog = fmax(0, p->deficit_per_s) * g->duration_s;
    if (isnan(p->deficit_per_s))
        p->overload_backlog = (double)NAN;
    p->budget_retries = g->budget * g->callers;
    p->two_separate = 1 - exp2(-floor(g->collisions));
}

static void plan_layers(const struct given *g, struct plan *p)
{
    p->requests_a_task = g->layer_count ? 1 : (double)NAN;
    for (size_t i = 0; i < g->layer_count; i++)
        p->requests_a_task *= g->layers[i];
}

static struct plan make_plan(const struct given *g)
{
    struct plan p = { .first_fit = (double)NAN, .longest_s = (double)NAN, .typical_s = (double)NAN,
                      .tenth_wait_s = (double)NAN, .ten_doublings_s = (double)NAN };

    plan_rounds(g, &p);
    plan_waits(g, &p);
    plan_capacity(g, &p);
    plan_layers(g, &p);
    return p;
}

/* ---- JSON ---- */

static lk_code print_json(const struct given *g, const struct plan *p, lk_buf *out, lk_err *e)
{
    lk_json *root = lk_json_object(NULL, NULL), *rounds;
    char policy[LK_POLICY_TEXT_MAX];
    lk_code code;

    lk_policy_print(&g->policy, policy);
    lk_json_add_text(root, "schema", "lockstep.plan/1");
    lk_json_add_text(root, "policy", policy);
    rounds = lk_json_array(root, "rounds");
    for (size_t i = 0; i < p->rounds; i++) {
        lk_json *o = lk_json_object(rounds, NULL);

        lk_json_add_count(o, "round", (int64_t)i + 1);
        lk_json_add_real(o, "window_s", p->window_s[i]);
        lk_json_add_real(o, "arrivals_per_s", p->rate_per_s[i]);
        lk_json_add_real(o, "slice_share", p->slice_share[i]);
    }
    lk_json_add_real(root, "first_round_that_fits", p->first_fit);
    lk_json_add_real(root, "smallest_base_s", p->smallest_base_s);
    lk_json_add_real(root, "base_s", p->base_s);
    lk_json_add_real(root, "cap_for_burst_s", p->burst_cap_s);
    lk_json_add_real(root, "longest_wait_s", p->longest_s);
    lk_json_add_real(root, "typical_wait_s", p->typical_s);
    lk_json_add_real(root, "retries_within_deadline", p->retries_in_deadline);
    lk_json_add_real(root, "tenth_wait_uncapped_s", p->tenth_wait_s);
    lk_json_add_real(root, "after_ten_doublings_s", p->ten_doublings_s);
    lk_json_add_real(root, "requests_a_task", p->requests_a_task);
    lk_json_add_bool(root, "requests_unbounded", isinf(p->requests_a_task));
    lk_json_add_real(root, "spare_per_s", p->spare_per_s);
    lk_json_add_real(root, "tasks_per_min", p->tasks_per_min);
    lk_json_add_real(root, "drain_s", p->drain_s);
    lk_json_add_real(root, "deficit_per_s", p->deficit_per_s);
    lk_json_add_real(root, "backlog_under_overload", p->overload_backlog);
    lk_json_add_real(root, "budget_retries", p->budget_retries);
    lk_json_add_real(root, "two_separate_share", p->two_separate);
    code = lk_json_print(root, out, e);
    lk_json_free(root);
    return code;
}

/* ---- text ---- */

static void say(lk_buf *out, const char *what, double v, const char *unit)
{
    if (!isnan(v))
        lk_buf_printf(out, isinf(v) ? "  %-30s without end\n" : "  %-30s %.10g%s\n", what, v, unit);
}

/* Seconds, and minutes beside them when they are many. */
static void say_time(lk_buf *out, const char *what, double s)
{
    if (isnan(s))
        return;
    if (isinf(s))
        lk_buf_printf(out, "  %-30s without end\n", what);
    else if (s < 120)
        lk_buf_printf(out, "  %-30s %.4g s\n", what, s);
    else
        lk_buf_printf(out, "  %-30s %.0f s (%.1f min)\n", what, s, s / 60);
}

static void say_rounds(const struct given *g, const struct plan *p, lk_buf *out)
{
    if (isnan(g->callers))
        return;
    lk_buf_printf(out, "\nRounds of %.6g callers that fail together\n", g->callers);
    lk_buf_printf(out, "  %5s %12s %16s\n", "round", "window", "arrivals");
    for (size_t i = 0; i < p->rounds; i++) {
        bool fits = p->rate_per_s[i] <= g->allowance_per_s;

        lk_buf_printf(out, "  %5zu %10.4g s %14.5g/s%s\n", i + 1, p->window_s[i], p->rate_per_s[i],
                      fits ? "  fits" : "");
    }
}

static void print_text(const struct given *g, const struct plan *p, lk_buf *out)
{
    char policy[LK_POLICY_TEXT_MAX];

    lk_policy_print(&g->policy, policy);
    lk_buf_printf(out, "%s\n", policy);
    say_rounds(g, p, out);
    lk_buf_text(out, "\nSizes\n");
    say(out, "allowance", round(6000 * g->allowance_per_s) / 100, "/min");
    say(out, "first round that fits", p->first_fit, "");
    say_time(out, "base so that the first fits", p->smallest_base_s);
    say_time(out, "  as a power of two", p->base_s);
    say_time(out, "cap so that a burst drains", p->burst_cap_s);
    say_time(out, "longest wait before giving up", p->longest_s);
    say_time(out, "  typical", p->typical_s);
    say_time(out, "tenth wait without a cap", p->tenth_wait_s);
    say_time(out, "  after ten doublings", p->ten_doublings_s);
    say(out, "retries within the deadline", p->retries_in_deadline, "");
    if (p->longest_s > g->horizon_s)
        lk_buf_printf(out, "  ! callers may wait %.4g s for what is of no use after %.4g s\n",
                      p->longest_s, g->horizon_s);
    for (size_t i = 0; !isnan(g->slice_s) && i < p->rounds; i++)
        lk_buf_printf(out, "  of round %zu in any %.4g s        %.4g %%\n", i + 1, g->slice_s,
                      100 * p->slice_share[i]);
    say(out, "requests a task, at worst", p->requests_a_task, "");
    if (!isnan(g->refill_per_s))
        say(out, "spare allowance", round(60 * p->spare_per_s), "/min");
    if (!isnan(g->refill_per_s))
        say(out, "tasks a minute", floor(p->tasks_per_min), "");
    say_time(out, "time to drain the backlog", p->drain_s);
    say(out, "demand above the allowance", round(6000 * p->deficit_per_s) / 100, "/min");
    say(out, "backlog after that time", round(p->overload_backlog), "");
    say(out, "retries that the budget lets by", p->budget_retries, "");
    if (!isnan(p->two_separate))
        lk_buf_printf(out, "  %-30s %.6g %%\n", "two that collided part with", 100 * p->two_separate);
    if (g->deadline_s > g->horizon_s)
        lk_buf_printf(out, "  ! a call may go on for %.4g s, and its answer is of no use after %.4g s\n",
                      g->deadline_s, g->horizon_s);
    if (p->deficit_per_s > 0)
        lk_buf_text(out, "  ! no retry policy drains a queue while demand exceeds the allowance\n");
}

/* ---- the call ---- */

/* Every option is a text: not one is given. */
static bool sizes_nothing(const lockstep_plan_options *o)
{
    static const lockstep_plan_options NOTHING = { 0 };

    return memcmp(o, &NOTHING, sizeof(NOTHING)) == 0;
}

static lk_code plan(const lockstep_plan_options *o, const char *format, lk_buf *out, lk_err *e)
{
    struct given g = { .layer_count = 0 };
    struct plan p;

    LK_TRY(read_options(o, &g, e));
    if (sizes_nothing(o))
        return lk_fail(e, LK_EUSAGE, "nothing is to be sized: give --callers, --base, --backlog, --layers or "
                                     "another of the options that 'lockstep help plan' lists");
    p = make_plan(&g);
    if (strcmp(format, "json") == 0)
        return print_json(&g, &p, out, e);
    if (strcmp(format, "text") != 0)
        return lk_fail(e, LK_EUSAGE, "--format: '%.20s' is not text or json", format);
    print_text(&g, &p, out);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for a plan") : LK_OK;
}

int lockstep_plan(const lockstep_plan_options *options, const char *format, char **text,
                  size_t *len, lockstep_error *error)
{
    lk_err e = { 0 };
    lk_buf out;

    lk_buf_init(&out);
    if (plan(options, format, &out, &e) != LK_OK) {
        lk_buf_release(&out);
        return lk_tell(&e, error);
    }
    *text = out.p;
    *len = out.len;
    return 0;
}
