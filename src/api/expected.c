#include "api/expected.h"

#include "base/whole.h"

#include "api/whatif.h"

#include <math.h>
#include <string.h>

enum { TASKS_MOST = 1500, REQUESTS_MOST = 150000 };

/* What is changed for an advice. */
typedef void change_for(const lk_whatif *x, const lk_report_advice *a, lk_change *c);

static const lk_replay_row *changed_row(const lk_whatif *x)
{
    for (size_t i = 0; i < x->replay.count; i++)
        if (x->replay.rows[i].is_changed)
            return &x->replay.rows[i];
    return NULL;
}

static void bound(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    (void)x;
    c->concurrency = lk_whole_u32(fmin(a->value, 1e6));
}

/* On top of Retry-After where they heed it; and the job runner's delay as well. */
static void jitter(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    const lk_replay_row *row = changed_row(x);
    const char *now = row && row->call && row->call->policy ? row->call->policy : "";

    c->policy.policy = lk_policy_find(
        strncmp(now, "retry-after", strlen("retry-after")) == 0 ? "retry-after-jitter" : "full-jitter");
    c->policy.params.base_s = a->value;
    c->policy.params.cap_s = fmax(60, a->value);
    c->policy.params.attempts = row ? row->sampler.params.attempts : 0;
    if (row && row->requeue_s >= 0)
        c->requeue_jitter_s = a->value;
}

static void cap(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    const lk_replay_row *row = changed_row(x);

    c->attempts = lk_whole_u32(a->value);
    if (row && row->requeue_s >= 0)
        c->queue_attempts = 3;
}

static void budget(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    (void)x;
    c->budget = a->value;
}

static void deadline(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    (void)x;
    c->deadline_s = a->value;
}

static void spread(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    (void)x;
    c->first_jitter_s = a->value;
}

static void trip(const lk_whatif *x, const lk_report_advice *a, lk_change *c)
{
    (void)x;
    c->breaker_trips = lk_whole_u32(a->value);
}

static const struct row {
    const char *action;
    change_for *change;
} ROWS[] = {
    { "bound-concurrency", bound },       { "jitter", jitter },
    { "cap-attempts", cap },              { "retry-budget", budget },
    { "deadline", deadline },             { "jitter-first-attempt", spread },
    { "breaker", trip },
};

static change_for *find(const char *action)
{
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++)
        if (strcmp(ROWS[i].action, action) == 0)
            return ROWS[i].change;
    return NULL;
}

static lk_code fill(lk_whatif *x, lk_arena *arena, lk_report_advice *a, lk_lab *lab, lk_err *e)
{
    lk_report_expected *to = &a->expected;
    change_for *make = find(a->action);
    lk_err trouble = { 0 };

    if (!make || !isfinite(a->value)) {
        to->why_not = make ? "what to set is not known" : "no change of a retry policy stands for it";
        return LK_OK;
    }
    x->change = (lk_change)LK_CHANGE_INIT;
    x->change.policy.policy = NULL;
    make(x, a, &x->change);
    if (lk_replay_run(&x->replay, &x->change, 1, lab, x->after, &trouble) != LK_OK) {
        to->why_not = trouble.code == LK_EUSAGE ? "it makes too many requests to be simulated here"
                                                : "there is no memory to simulate it";
        return LK_OK;
    }
    to->what = lk_whatif_words(&x->change, arena);
    if (!to->what)
        return lk_fail(e, LK_EOOM, "no memory for what is expected");
    to->requests_before = round(x->before[LK_REPLAY_REQUESTS].mean);
    to->requests_after = round(x->after[LK_REPLAY_REQUESTS].mean);
    to->rejected_before = x->before[LK_REPLAY_REJECTED].mean;
    to->rejected_after = x->after[LK_REPLAY_REJECTED].mean;
    to->drain_before_s = x->before[LK_REPLAY_DRAIN].mean;
    to->drain_after_s = x->after[LK_REPLAY_DRAIN].mean;
    to->lost_before = round(x->before[LK_REPLAY_LOST].mean);
    to->lost_after = round(x->after[LK_REPLAY_LOST].mean);
    return LK_OK;
}

static const char *why_not(lk_whatif *x, lk_lab *lab)
{
    lk_err trouble = { 0 };

    x->change = (lk_change)LK_CHANGE_INIT;
    if (lk_replay_init(&x->replay, x->report, &x->change, &trouble) != LK_OK)
        return x->report->calls.source ? "the report does not show what the server admits of them"
                                       : "first attempts are not told from retries";
    x->replay.tasks_most = TASKS_MOST;
    x->replay.requests_most = REQUESTS_MOST;
    x->replay.alone = true;
    lk_replay_observed(&x->replay, x->observed);
    if (lk_replay_run(&x->replay, NULL, 1, lab, x->before, &trouble) != LK_OK)
        return "the incident is too large to be simulated here";
    if (lk_whatif_doubt_of(x).what)
        return "the simulation does not resemble this incident";
    return NULL;
}

lk_code lk_expect(lk_report *r, lk_arena *arena, lk_err *e)
{
    lk_whatif x = { .report = r };
    lk_lab lab = LK_LAB_INIT;
    const char *why;

    if (!r->advice_count)
        return LK_OK;
    why = why_not(&x, &lab);
    for (size_t i = 0; i < r->advice_count; i++) {
        if (why)
            r->advice[i].expected.why_not = why;
        else
            LK_TRY(fill(&x, arena, &r->advice[i], &lab, e));
    }
    return LK_OK;
}
