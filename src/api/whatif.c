#include "lockstep/whatif.h"

#include "api/analysis.h"
#include "api/tell.h"
#include "api/whatif.h"
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 20, RUNS_MAX = 100000 };

/* ---- options ---- */

static bool read_share(lk_slice s, double *out)
{
    return lk_quantity_share(s, out) && *out > 0;
}

static bool read_rate(lk_slice s, double *out)
{
    return lk_quantity_per_second(s, out) && *out > 0 && isfinite(*out);
}

static bool read_number(lk_slice s, double *out)
{
    return lk_quantity_number(s, out) && *out > 0 && isfinite(*out);
}

static lk_code read_reals(const lockstep_whatif_options *o, lk_change *c, lk_err *e)
{
    static const char TIME[] = "a duration", SHARE[] = "a share above 0 and up to 1";
    const lk_quantity_row rows[] = {
        { "share", o->share, read_share, &c->share, SHARE },
        { "deadline", o->deadline, lk_quantity_finite_seconds, &c->deadline_s, TIME },
        { "first-jitter", o->first_jitter, lk_quantity_finite_seconds, &c->first_jitter_s, TIME },
        { "pace", o->pace, lk_quantity_finite_seconds, &c->pace_s, TIME },
        { "requeue-jitter", o->requeue_jitter, lk_quantity_finite_seconds, &c->requeue_jitter_s, TIME },
        { "budget", o->budget, read_share, &c->budget, SHARE },
        { "allowance", o->allowance, read_rate, &c->allowance_per_s,
          "a rate such as 67 or 4000/min" },
        { "bucket", o->bucket, read_number, &c->bucket, "a number above 0" },
    };

    return lk_quantity_read_rows(rows, sizeof(rows) / sizeof(rows[0]), e);
}

struct count_row {
    const char *name, *text;
    uint64_t most;
    unsigned *out;
};

static lk_code read_counts(const lockstep_whatif_options *o, lk_whatif *x, lk_err *e)
{
    const struct count_row rows[] = {
        { "attempts", o->attempts, 1000000, &x->change.attempts },
        { "concurrency", o->concurrency, 1000000, &x->change.concurrency },
        { "queue-attempts", o->queue_attempts, 1000000, &x->change.queue_attempts },
        { "breaker", o->breaker, 1000000, &x->change.breaker_trips },
        { "runs", o->runs, RUNS_MAX, &x->runs },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t n = 0;

        if (!rows[i].text)
            continue;
        if (!lk_slice_u64(lk_slice_from(rows[i].text), &n) || !n || n > rows[i].most)
            return lk_fail(e, LK_EUSAGE, "--%s: '%.40s' is not a number from 1 to %llu",
                           rows[i].name, rows[i].text, (unsigned long long)rows[i].most);
        *rows[i].out = (unsigned)n;
    }
    return LK_OK;
}

static lk_code read_policy(const lockstep_whatif_options *o, lk_change *c, lk_err *e)
{
    lk_policy_choice *p = &c->policy;

    if (!o->policy && !o->base && !o->factor && !o->cap)
        return LK_OK;
    *p = (lk_policy_choice){ NULL, LK_POLICY_PARAMS_INIT };
    LK_TRY(lk_policy_parse(lk_slice_from(o->policy ? o->policy : "full-jitter"), p, e));
    LK_TRY(lk_policy_parse_one("base", o->base, p, e));
    LK_TRY(lk_policy_parse_one("factor", o->factor, p, e));
    LK_TRY(lk_policy_parse_one("cap", o->cap, p, e));
    if (c->attempts)
        p->params.attempts = c->attempts;
    return LK_OK;
}

static bool changes_nothing(const lk_change *c)
{
    return !c->policy.policy && !c->attempts && !c->concurrency && isnan(c->deadline_s) &&
           isnan(c->first_jitter_s) && isnan(c->pace_s) && isnan(c->requeue_jitter_s) &&
           !c->queue_attempts && isnan(c->budget) && !c->breaker_trips;
}

static lk_code read_options(const lockstep_whatif_options *o, lk_whatif *x, lk_err *e)
{
    x->change = (lk_change)LK_CHANGE_INIT;
    x->change.population = o->population;
    x->runs = RUNS;
    x->seed = 1;
    if (o->seed && !lk_slice_u64(lk_slice_from(o->seed), &x->seed))
        return lk_fail(e, LK_EUSAGE, "--seed: '%.40s' is not a whole number", o->seed);
    LK_TRY(read_counts(o, x, e));
    LK_TRY(read_reals(o, &x->change, e));
    LK_TRY(read_policy(o, &x->change, e));
    if (changes_nothing(&x->change))
        return lk_fail(e, LK_EUSAGE, "nothing is changed: give --policy, --attempts, --concurrency or "
                                     "another of the options that 'lockstep help whatif' lists");
    return LK_OK;
}

static lk_code read_threads(const char *text, unsigned *out, lk_err *e)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t n = count < 1 ? 1 : count > LK_LAB_THREADS ? LK_LAB_THREADS : (uint64_t)count;

    if (text && (!lk_slice_u64(lk_slice_from(text), &n) || !n || n > LK_LAB_THREADS))
        return lk_fail(e, LK_EUSAGE, "--threads: '%.40s' is not a number from 1 to %d", text,
                       LK_LAB_THREADS);
    *out = (unsigned)n;
    return LK_OK;
}

/* ---- the change in words ---- */

static void say_time(lk_buf *b, const char *name, double s)
{
    if (!isnan(s))
        lk_buf_printf(b, " --%s %.6g", name, s);
}

static void say_count(lk_buf *b, const char *name, unsigned n)
{
    if (n)
        lk_buf_printf(b, " --%s %u", name, n);
}

const char *lk_whatif_words(const lk_change *c, lk_arena *arena)
{
    char policy[LK_POLICY_TEXT_MAX];
    const char *words = NULL;
    lk_buf b;

    lk_buf_init(&b);
    if (c->policy.policy) {
        lk_policy_print(&c->policy, policy);
        lk_buf_printf(&b, " --policy %s", policy);
    } else {
        say_count(&b, "attempts", c->attempts);
    }
    say_count(&b, "concurrency", c->concurrency);
    say_time(&b, "deadline", c->deadline_s);
    say_time(&b, "first-jitter", c->first_jitter_s);
    say_time(&b, "pace", c->pace_s);
    say_time(&b, "requeue-jitter", c->requeue_jitter_s);
    say_count(&b, "queue-attempts", c->queue_attempts);
    say_time(&b, "budget", c->budget);
    say_count(&b, "breaker", c->breaker_trips);
    if (!b.failed && b.len > 1)
        words = lk_arena_text(arena, (lk_slice){ b.p + 1, b.len - 1 });
    lk_buf_release(&b);
    return words;
}

/* ---- the call ---- */

static lk_code simulate(lk_whatif *x, unsigned threads, lk_err *e)
{
    lk_lab lab = LK_LAB_INIT;

    lab.seed = x->seed;
    lab.threads = threads;
    x->replay.tasks_most = 200000;
    lk_replay_observed(&x->replay, x->observed);
    LK_TRY(lk_replay_run(&x->replay, NULL, x->runs, &lab, x->before, e));
    return lk_replay_run(&x->replay, &x->change, x->runs, &lab, x->after, e);
}

static lk_code whatif(const lk_report *r, const lockstep_whatif_options *o, const char *format,
                      const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_whatif x = { .report = r };
    bool is_json = strcmp(format, "json") == 0;
    unsigned threads = 1;

    if (!is_json && strcmp(format, "text") != 0)
        return lk_fail(e, LK_EUSAGE, "--format: '%.20s' is not text or json", format);
    LK_TRY(read_options(o, &x, e));
    LK_TRY(read_threads(o->threads, &threads, e));
    LK_TRY(lk_replay_init(&x.replay, r, &x.change, e));
    LK_TRY(simulate(&x, threads, e));
    return is_json ? lk_whatif_json(&x, out, e) : lk_whatif_text(&x, style, out, e);
}

int lockstep_whatif(const lockstep_report *report, const lockstep_whatif_options *options,
                    const char *format, const lockstep_style *style, char **text, size_t *len,
                    lockstep_error *error)
{
    const lk_style look = { style->width ? style->width : 80, style->ascii, style->colour,
                            style->table };
    lk_err e = { 0 };
    lk_buf out;
    lk_code code;

    lk_buf_init(&out);
    code = whatif(lk_report_within(report), options, format, &look, &out, &e);
    if (code == LK_OK && (out.failed || !out.p))
        code = lk_fail(&e, LK_EOOM, "no memory for what is to be shown");
    if (code != LK_OK) {
        lk_buf_release(&out);
        return lk_tell(&e, error);
    }
    *text = out.p;
    *len = out.len;
    return 0;
}
