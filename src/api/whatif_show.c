/* What a simulated change did, side by side, as text and as JSON. */
#include "api/whatif.h"
#include "base/time.h"
#include "base/whole.h"
#include "model/json.h"
#include "report/page.h"
#include "report/words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the simulation may stray from the log: what it leaves out (latency under load, clients that
 * leave, other populations' share of the server) moves figures by less than this as a rule. */
#define TOLERANCE 0.25
#define TOLERANCE_SHARE 0.1
#define TOLERANCE_DRAIN 0.35

#define LONG_S 600.0 /* told in minutes */

enum { LABEL = 33, CELL = 15 };

typedef enum look { COUNT, SHARE, SPAN, RATE } look;

/* clang-format off */
static const struct row {
    const char *key, *label;
    int measure;
    look look;
} ROWS[] = {
    { "requests",               "requests",                       LK_REPLAY_REQUESTS, COUNT },
    { "rejected_share",         "  of these rejected",            LK_REPLAY_REJECTED, SHARE },
    { "peak_per_s",             "peak, requests a second (all)",  LK_REPLAY_PEAK, RATE },
    { "drain_s",                "time to drain",                  LK_REPLAY_DRAIN, SPAN },
    { "calls",                  "calls",                          LK_REPLAY_CALLS, COUNT },
    { "failed_calls",           "  of these failed",              LK_REPLAY_FAILED_CALLS, COUNT },
    { "tasks_served",           "tasks served",                   LK_REPLAY_DONE, COUNT },
    { "tasks_lost",             "tasks lost",                     LK_REPLAY_LOST, COUNT },
    { "tasks_open",             "tasks still open at the end",    LK_REPLAY_OPEN, COUNT },
    { "call_success_mean_s",    "time to success, a call: mean",  LK_REPLAY_CALL_MEAN, SPAN },
    { "call_success_p99_s",     "                         p99",   LK_REPLAY_CALL_P99, SPAN },
    { "task_success_mean_s",    "  ... a task, queue too: mean",  LK_REPLAY_TASK_MEAN, SPAN },
    { "task_success_p99_s",     "                         p99",   LK_REPLAY_TASK_P99, SPAN },
    { "bystander_requests",     "requests of the others*",        LK_REPLAY_BYSTANDER_REQUESTS, COUNT },
    { "bystanders_rejected_share", "  of these rejected",         LK_REPLAY_BYSTANDERS, SHARE },
};
/* clang-format on */

enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]) };

/* ---- does it resemble? ---- */

/* Of a few requests of the others a share is no figure. */
static bool do_others_stray(const lk_whatif *x)
{
    const lk_estimate *m = &x->before[LK_REPLAY_BYSTANDERS];
    double seen = x->observed[LK_REPLAY_BYSTANDERS], of = x->observed[LK_REPLAY_BYSTANDER_REQUESTS];

    return fabs(m->mean - seen) > TOLERANCE_SHARE + 3 * (isnan(m->error) ? 0 : m->error) +
                                      3 * sqrt(seen * (1 - seen) / of);
}

lk_whatif_doubt lk_whatif_doubt_of(const lk_whatif *x)
{
    static const struct {
        int measure;
        const char *what;
        double tolerance;
        bool is_share;
    } CHECKS[] = {
        { LK_REPLAY_REQUESTS, "requests", TOLERANCE, false },
        { LK_REPLAY_REJECTED, "of these rejected", TOLERANCE_SHARE, true },
        { LK_REPLAY_DRAIN, "seconds to drain", TOLERANCE_DRAIN, false },
        { LK_REPLAY_FAILED_CALLS, "calls that failed", TOLERANCE, false },
        { LK_REPLAY_BYSTANDERS, "rejected requests of the others", TOLERANCE_SHARE, true },
    };

    for (size_t i = 0; i < sizeof(CHECKS) / sizeof(CHECKS[0]); i++) {
        double seen = x->observed[CHECKS[i].measure];
        const lk_estimate *m = &x->before[CHECKS[i].measure];
        double most = CHECKS[i].is_share ? CHECKS[i].tolerance
                                         : fmax(20, CHECKS[i].tolerance * seen);
        double noise = isnan(m->error) ? 0 : 3 * m->error;

        if (CHECKS[i].measure == LK_REPLAY_BYSTANDERS && !do_others_stray(x))
            continue;
        if (!isnan(seen) && !(fabs(m->mean - seen) <= most + noise))
            return (lk_whatif_doubt){ CHECKS[i].what, seen, m->mean, CHECKS[i].is_share };
    }
    return (lk_whatif_doubt){ .what = NULL };
}

/* ---- text ---- */

/* As many digits as a reader can use; `places` that its error stands at. */
static void number(char *out, size_t size, double v, look how)
{
    switch (how) {
    case SHARE: (void)snprintf(out, size, "%s", lk_word_share(fmin(1, v)).text); return;
    case SPAN:
        if (v >= LONG_S)
            (void)snprintf(out, size, "%.1f min", v / 60);
        else
            (void)snprintf(out, size, "%s", lk_word_seconds(v).text);
        return;
    case COUNT:
    case RATE: (void)snprintf(out, size, "%s", lk_word_count(lk_nearest(v)).text); return;
    }
}

static void cell(lk_page *p, char *out, size_t size, const lk_estimate *m, look how)
{
    char value[64], error[64] = "";

    if (isnan(m->mean)) {
        (void)snprintf(out, size, "-");
        return;
    }
    number(value, sizeof(value), m->mean, how);
    if (!isnan(m->error) && m->error > 0) {
        double unit = how == SHARE ? 100 : how == SPAN && m->mean >= LONG_S ? 1.0 / 60 : 1;
        double e = unit * m->error;

        if (e >= 0.05)
            (void)snprintf(error, sizeof(error), "%s%.*f", p->sign->plus_minus, e < 9.5, e);
    }
    (void)snprintf(out, size, "%s%s%s", value, error[0] ? " " : "", error);
}

/* Right-aligned by columns, not by bytes. */
static void pad(char *out, size_t size, const char *text, size_t columns)
{
    size_t wide = 0;

    for (const char *c = text; *c; c++)
        wide += ((unsigned char)*c & 0xc0) != 0x80;
    (void)snprintf(out, size, "%*s%s", (int)(columns > wide ? columns - wide : 0), "", text);
}

static bool is_shown(const lk_whatif *x, const struct row *r)
{
    bool tasks = !isnan(x->after[LK_REPLAY_TASK_MEAN].mean) &&
                 fabs(x->after[LK_REPLAY_TASK_MEAN].mean - x->after[LK_REPLAY_CALL_MEAN].mean) > 0.05;

    if (r->measure == LK_REPLAY_TASK_MEAN || r->measure == LK_REPLAY_TASK_P99)
        return tasks;
    if (r->measure == LK_REPLAY_OPEN)
        return x->before[r->measure].mean > 0 || x->after[r->measure].mean > 0;
    if (r->measure == LK_REPLAY_BYSTANDERS || r->measure == LK_REPLAY_BYSTANDER_REQUESTS)
        return x->before[LK_REPLAY_BYSTANDER_REQUESTS].mean > 0;
    return true;
}

static void say_row(lk_page *p, const lk_whatif *x, const struct row *r)
{
    char text[3][96], column[3][320];
    const lk_estimate seen = { x->observed[r->measure], (double)NAN, 0, 1 };

    if (!is_shown(x, r))
        return;
    cell(p, text[0], sizeof(text[0]), &seen, r->look);
    cell(p, text[1], sizeof(text[1]), &x->before[r->measure], r->look);
    cell(p, text[2], sizeof(text[2]), &x->after[r->measure], r->look);
    for (size_t i = 0; i < 3; i++)
        pad(column[i], sizeof(column[i]), text[i], i ? CELL + 1 : CELL - 1);
    lk_page_row(p, "  %-*s%s%s%s", LABEL - 2, r->label, column[0], column[1], column[2]);
}

static const char *seconds(lk_page *p, double s)
{
    return lk_page_print(p, "%s", lk_word_seconds(s).text);
}

static const char *delays_words(lk_page *p, const lk_replay_row *row)
{
    lk_policy_choice c = { row->sampler.row, row->sampler.params };
    char policy[LK_POLICY_TEXT_MAX];

    if (!row->call)
        return "one attempt a call";
    if (row->by_delays)
        return row->sampler.params.attempts
                   ? lk_page_print(p, "the delays that were seen (no policy fits), %u attempts a call",
                                   row->sampler.params.attempts)
                   : "the delays that were seen (no policy fits)";
    if (!c.policy)
        return "one attempt a call";
    lk_policy_print(&c, policy);
    return lk_page_print(p, "%s", policy);
}

static const char *requeue_words(lk_page *p, const lk_replay_row *row)
{
    double leave = row->crowd->leave_share;

    if (row->requeue_s < 0)
        return "";
    return lk_page_print(p, "; a failed call is made again after %s%s%s", seconds(p, row->requeue_s),
                         row->requeue_spread_s > 0
                             ? lk_page_print(p, " and up to %s", seconds(p, row->requeue_spread_s))
                             : "",
                         leave > 0 ? lk_page_print(p, ", but %s of them never", lk_word_share(leave).text)
                                   : "");
}

static const char *admission_words(lk_page *p, const lk_whatif *x, const lk_replay_row *row)
{
    const lk_report_crowd *c = row->crowd;
    const char *kind = c->admission ? c->admission : "open";

    if (row->is_changed && !isnan(x->change.allowance_per_s))
        return lk_page_print(p, "%s requests/s, as given", lk_word_real(x->change.allowance_per_s).text);
    if (strcmp(kind, "token-bucket") == 0)
        return lk_page_print(p, "%s requests/s from a bucket of %s%s",
                             lk_word_real(c->allowance_per_s).text, lk_word_real(round(c->bucket)).text,
                             c->pool >= 0 ? ", shared with others" : "");
    if (strcmp(kind, "fixed-window") == 0)
        return lk_page_print(p, "%s requests in each whole minute",
                             lk_word_real(round(60 * c->allowance_per_s)).text);
    if (strcmp(kind, "share") == 0)
        return "refusals that do not follow from what they ask: the same at any policy";
    return "everything";
}

static void say_row_head(lk_page *p, const lk_whatif *x, const lk_replay_row *row)
{
    lk_page_para(p, 2, "%s", lk_page_safe(p, row->crowd->population, p->width - 2, LK_WORDS_NO_AGENT));
    lk_page_item(p, 4, "comes back by", 21, "%s%s", delays_words(p, row), requeue_words(p, row));
    lk_page_item(p, 4, "is admitted", 21, "%s", admission_words(p, x, row));
    lk_page_item(p, 4, "wanted", 21, "%s",
                 lk_word_counted(row->crowd->tasks, row->requeue_s >= 0 ? "task" : "call").text);
}

static void say_request_rate(lk_page *p, const lk_report_request_rate *r)
{
    if (isnan(r->per_s))
        return;
    lk_page_para(p, 2, "everybody's requests");
    lk_page_item(p, 4, "draw on", 21,
                 "%s requests/s from a bucket of %s, refused ones too (%s of one each); while it owes, up to "
                 "%s, nobody is served",
                 lk_word_real(r->per_s).text, lk_word_real(round(r->bucket)).text,
                 lk_word_real(r->refused_cost).text, lk_word_real(round(r->debt)).text);
}

static void say_head(lk_page *p, const lk_whatif *x)
{
    const lk_report_workload *load = &x->report->workload;
    const char *words = lk_whatif_words(&x->change, p->arena);

    lk_page_heading(p, "What if", NULL);
    lk_page_para(p, 2, "%s", words ? words : "");
    if (!isnan(x->change.share))
        lk_page_para(p, 2, "by %s of the callers that change", lk_word_share(x->change.share).text);
    lk_page_heading(p, "Who changes", NULL);
    for (size_t i = 0; i < x->replay.count; i++)
        if (x->replay.rows[i].is_changed)
            say_row_head(p, x, &x->replay.rows[i]);
    say_request_rate(p, &load->request_rate);
    lk_page_heading(
        p, "Before and after",
        lk_page_print(p, "%s UTC, %u runs", lk_word_range(load->start_ns,
                                                       load->start_ns + (int64_t)((double)load->n *
                                                                                  load->bin_s * 1e9))
                                                .text,
                      x->runs));
}

static void say_doubt(lk_page *p, const lk_whatif *x)
{
    lk_whatif_doubt d = lk_whatif_doubt_of(x);

    lk_page_blank(p);
    if (!d.what) {
        lk_page_para(p, 2, "As it was, the simulation resembles the log: requests and failed calls "
                           "within 25 %%, the rejected share within 10 points, the drain within 35 %%.");
        return;
    }
    lk_page_inked(
        p, LK_INK_YELLOW, 2,
        "%s As it was, the simulation does not resemble the log: %s are %s simulated, %s in "
        "the log. What it says of the change is a direction, not a figure.",
        p->sign->warning, d.what,
        d.is_share ? lk_word_share(d.simulated).text : lk_word_count(lk_nearest(d.simulated)).text,
        d.is_share ? lk_word_share(d.observed).text : lk_word_count(lk_nearest(d.observed)).text);
}

/* Who the others are, and why a change reaches them or does not. */
static void say_others(lk_page *p, const lk_whatif *x)
{
    const lk_report_workload *w = &x->report->workload;
    const char *since =
        isnan(w->waves_from_s)
            ? ""
            : lk_page_print(p, ", from %s on, when the waves had been set off",
                            lk_word_time(lk_seconds_after(w->start_ns, w->waves_from_s)).text);
    bool is_shared = !isnan(w->request_rate.per_s);

    for (size_t i = 0; i < w->count; i++)
        is_shared |= w->crowds[i].pool >= 0;
    lk_page_blank(p);
    lk_page_para(p, 2, "* Requests of the callers that change nothing%s. %s", since,
                 is_shared ? "They draw on what the others leave them."
                           : "Nothing in the log shows that they share an allowance with those who change: "
                             "the change does not reach them.");
    if (do_others_stray(x))
        lk_page_para(p, 2, "The simulation does not reproduce their refusals: what it says of them is no figure.");
}

static void say_losses(lk_page *p, const lk_whatif *x)
{
    double before = x->before[LK_REPLAY_LOST].mean, after = x->after[LK_REPLAY_LOST].mean;

    if (after > fmax(1, 1.1 * before))
        lk_page_inked(p, LK_INK_YELLOW, 2,
                      "%s More work is lost than before: %s tasks instead of %s.", p->sign->warning,
                      lk_word_count(lk_nearest(after)).text,
                      lk_word_count(lk_nearest(before)).text);
    if (x->after[LK_REPLAY_OPEN].mean > 0.5)
        lk_page_inked(p, LK_INK_YELLOW, 2, "%s It does not drain: tasks are still open when the run ends.",
                      p->sign->warning);
}

lk_code lk_whatif_text(const lk_whatif *x, const lk_style *style, lk_buf *out, lk_err *e)
{
    lk_arena arena;
    lk_page page;
    char head[3][64];
    static const char *const HEADS[] = { "in the log", "before", "after" };

    lk_arena_init(&arena, 0);
    lk_page_init(&page, style, &arena, out);
    say_head(&page, x);
    for (size_t i = 0; i < 3; i++)
        pad(head[i], sizeof(head[i]), HEADS[i], i ? CELL + 1 : CELL - 1);
    lk_page_row(&page, "  %-*s%s%s%s", LABEL - 2, "", head[0], head[1], head[2]);
    for (size_t i = 0; i < ROW_COUNT; i++)
        say_row(&page, x, &ROWS[i]);
    if (x->before[LK_REPLAY_BYSTANDER_REQUESTS].mean > 0)
        say_others(&page, x);
    say_doubt(&page, x);
    say_losses(&page, x);
    out->failed |= arena.failed;
    lk_arena_release(&arena);
    return out->failed ? lk_fail(e, LK_EOOM, "no memory for what is to be shown") : LK_OK;
}

/* ---- JSON ---- */

static void add_world(lk_json *root, const char *key, const lk_estimate *m)
{
    lk_json *o = lk_json_object(root, key);

    for (size_t i = 0; i < ROW_COUNT; i++) {
        lk_json *v = lk_json_object(o, ROWS[i].key);

        lk_json_add_real(v, "mean", m[ROWS[i].measure].mean);
        lk_json_add_real(v, "error", m[ROWS[i].measure].error);
    }
}

static void add_changed(lk_json *root, const lk_whatif *x, lk_page *p)
{
    lk_json *array = lk_json_array(root, "changed");

    for (size_t i = 0; i < x->replay.count; i++) {
        const lk_replay_row *row = &x->replay.rows[i];
        lk_json *o;

        if (!row->is_changed)
            continue;
        o = lk_json_object(array, NULL);
        lk_json_add_text(o, "population", row->crowd->population
                                              ? lk_page_safe(p, row->crowd->population, SIZE_MAX, NULL)
                                              : NULL);
        lk_json_add_count(o, "tasks", row->crowd->tasks);
        lk_json_add_text(o, "policy", delays_words(p, row));
        lk_json_add_real(o, "requeue_s", row->requeue_s < 0 ? (double)NAN : row->requeue_s);
        lk_json_add_real(o, "leave_share", row->crowd->leave_share);
        lk_json_add_text(o, "admission", row->crowd->admission);
        lk_json_add_real(o, "allowance_per_s",
                         isnan(x->change.allowance_per_s) ? row->crowd->allowance_per_s
                                                          : x->change.allowance_per_s);
        lk_json_add_real(o, "bucket", row->crowd->bucket);
    }
}

lk_code lk_whatif_json(const lk_whatif *x, lk_buf *out, lk_err *e)
{
    const lk_style style = { 80, false, true, NULL };
    lk_json *root = lk_json_object(NULL, NULL), *observed;
    lk_whatif_doubt doubt = lk_whatif_doubt_of(x);
    lk_arena arena;
    lk_page page;
    lk_code code;

    lk_arena_init(&arena, 0);
    lk_page_init(&page, &style, &arena, out);
    lk_json_add_text(root, "schema", "lockstep.whatif/1");
    lk_json_add_text(root, "change", lk_whatif_words(&x->change, &arena));
    lk_json_add_real(root, "share", isnan(x->change.share) ? 1 : x->change.share);
    add_changed(root, x, &page);
    lk_json_add_count(root, "runs", x->runs);
    lk_json_add_count(root, "seed", (int64_t)x->seed);
    lk_json_add_bool(root, "resembles", !doubt.what);
    lk_json_add_text(root, "differs_in", doubt.what);
    observed = lk_json_object(root, "observed");
    for (size_t i = 0; i < ROW_COUNT; i++)
        lk_json_add_real(observed, ROWS[i].key, x->observed[ROWS[i].measure]);
    add_world(root, "before", x->before);
    add_world(root, "after", x->after);
    code = lk_json_print(root, out, e);
    lk_json_free(root);
    return lk_arena_close(&arena, code, e);
}
