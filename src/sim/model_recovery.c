/* Ten thousand clients, one recovery (S5): the same retry with and without jitter, and what a share of
 * the clients changes.  */
#include "sim/model.h"
#include "sim/recovery.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    unsigned clients, retry;
    double down_s, rtt_s, share;
} settings;

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "policies to compare, separated by ';' (default: exponential, full-jitter; base=100ms,cap=none)", NULL },
    { "clients", LK_SETTING_COUNT, offsetof(settings, clients), "N", "clients (default 10000)", NULL },
    { "down", LK_SETTING_SECONDS, offsetof(settings, down_s), "TIME", "length of the outage (default 4m)", NULL },
    { "rtt", LK_SETTING_SECONDS, offsetof(settings, rtt_s), "TIME", "until a refusal is known (default 0)", NULL },
    { "retry", LK_SETTING_COUNT, offsetof(settings, retry), "N", "the retry whose arrivals are drawn (default 10)", NULL },
    { "share", LK_SETTING_SHARE, offsetof(settings, share), "P", "also: P of the clients follow the last policy, the rest the first", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .clients = 10000, .retry = 10, .down_s = 240, .share = -1 };
    lk_policies_init(&s->policies, (lk_policy_params){ 0.1, 2, (double)INFINITY, 0.1, 0 },
                     "exponential;full-jitter");
}

/* Bins over the longest that the retry's sum of delays can be, in round seconds. */
static double bin_of(const settings *s)
{
    double longest = 0;

    for (size_t i = 0; i < s->policies.count; i++) {
        const lk_sampler *p = &s->policies.items[i].sampler;

        if (p->row)
            longest = fmax(longest, lk_policy_longest_s(p->row, &p->params, s->retry));
    }
    return isfinite(longest) && longest > 0 ? ceil(longest / LK_RECOVERY_BINS * 10) / 10 : 1;
}

static lk_recovery world(const settings *s, size_t policy, double share)
{
    const lk_sampler *first = &s->policies.items[0].sampler;

    return (lk_recovery){ .clients = s->clients, .retry = s->retry, .down_s = s->down_s,
                          .rtt_s = s->rtt_s, .share = share, .other = first, .bin_s = bin_of(s),
                          .policy = &s->policies.items[policy].sampler };
}

static const lk_column COLUMNS[] = {
    { "policy", "policy" },
    { "fullest_second", "fullest\nsecond" },
    { "first_s", "first\n(s)" },
    { "median_s", "median\n(s)" },
    { "last_s", "last\n(s)" },
};
static const lk_column RECOVERY[] = {
    { "policy", "policy" },
    { "peak_per_s", "requests in the\nfullest second" },
    { "mean_s", "mean time to\nsuccess (s)" },
    { "p99_s", "p99 (s)" },
};
static const lk_column BINS[] = { { "at_s", "from (s)" }, { "clients", "clients" } };

static void rows(lk_tables *out, lk_table *retry, lk_table *recovery, const char *name,
                 const lk_estimate *m)
{
    lk_table_row(out, retry);
    lk_table_text(out, retry, name);
    lk_table_estimate(out, retry, &m[LK_RECOVERY_FULLEST]);
    lk_table_estimate(out, retry, &m[LK_RECOVERY_FIRST]);
    lk_table_estimate(out, retry, &m[LK_RECOVERY_MEDIAN]);
    lk_table_estimate(out, retry, &m[LK_RECOVERY_LAST]);
    lk_table_row(out, recovery);
    lk_table_text(out, recovery, name);
    lk_table_estimate(out, recovery, &m[LK_RECOVERY_PEAK]);
    lk_table_estimate(out, recovery, &m[LK_RECOVERY_MEAN]);
    lk_table_estimate(out, recovery, &m[LK_RECOVERY_P99]);
}

static void histogram(lk_tables *out, const char *policy, unsigned retry, double bin_s,
                      const lk_estimate *m)
{
    const char *title = lk_arena_printf(out->arena, "Arrivals of retry %u: %s", retry, policy);
    const char *name = lk_arena_printf(out->arena, "arrivals_%zu", out->count - 1);
    lk_table *t = lk_tables_add(out, name ? name : "arrivals", title ? title : "", BINS, 2);

    t->bars = true;
    for (size_t i = 0; i < LK_RECOVERY_BINS; i++) {
        lk_table_row(out, t);
        lk_table_number(out, t, (double)i * bin_s);
        lk_table_estimate(out, t, &m[LK_RECOVERY_HISTOGRAM + i]);
    }
}

static lk_code compare(lk_lab *lab, unsigned runs, const settings *s, size_t policy, double share,
                       const char *name, lk_tables *out, lk_err *e)
{
    lk_recovery w = world(s, policy, share);
    lk_estimate m[LK_RECOVERY_MEASURES];

    LK_TRY(lk_recovery_measure(lab, runs, &w, m, e));
    rows(out, &out->items[0], &out->items[1], name, m);
    if (out->count < LK_TABLES && out->count < 5)
        histogram(out, name, s->retry, w.bin_s, m);
    return LK_OK;
}

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    const char *title = lk_arena_printf(out->arena, "Retry %u", s->retry), *mixed;
    size_t last = s->policies.count - 1;

    if (!s->clients || !s->retry || s->retry > 1000)
        return lk_fail(e, LK_EUSAGE, "--clients and --retry are at least 1, --retry at most 1000");
    (void)lk_tables_add(out, "retry", title ? title : "", COLUMNS, 5);
    (void)lk_tables_add(out, "recovery", "At recovery", RECOVERY, 4);
    lab->step = 1 / (double)(s->policies.count + (s->share >= 0));
    for (size_t i = 0; i <= last; i++)
        LK_TRY(compare(lab, runs, s, i, 1, s->policies.items[i].text, out, e));
    if (s->share < 0)
        return LK_OK;
    mixed = lk_arena_printf(out->arena, "%g %% %s", 100 * s->share, s->policies.items[last].text);
    return compare(lab, runs, s, last, s->share, mixed ? mixed : "mixed", out, e);
}

static lk_code watch(const void *at, uint64_t seed, const lk_sat_observer *observer, lk_err *e)
{
    const settings *s = at;
    lk_recovery w = world(s, s->share >= 0 ? s->policies.count - 1 : 0, s->share >= 0 ? s->share : 1);
    lk_crowds c = lk_recovery_crowds(&w);
    lk_saturation_result r;

    LK_TRY(lk_crowds_run(&c, seed, 0, observer, &r, e));
    lk_saturation_release(&r);
    return LK_OK;
}

const lk_model LK_MODEL_RECOVERY = {
    .name = "recovery",
    .help = "clients that failed together come back (S5)",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 10,
    .init = init,
    .run = run,
    .watch = watch,
};
