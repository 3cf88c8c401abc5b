/* A fleet of workers that failed together, against an allowance (S4).  Everybody fails at time 0;
 * an answer takes up to `skew`, which is all that spreads a fleet without jitter.  */
#include "sim/crowds.h"
#include "sim/fleet.h"
#include "sim/model.h"

#include <math.h>
#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    lk_fleet fleet;
} settings;

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "policies to compare, separated by ';' (default: exponential, full-jitter, equal-jitter, decorrelated-jitter; base=1,cap=8); attempts=N counts the failed first one", NULL },
    { "workers", LK_SETTING_COUNT, offsetof(settings, fleet.workers), "N", "workers (default 400)", NULL },
    { "allowance", LK_SETTING_RATE, offsetof(settings, fleet.allowance_per_s), "RATE", "requests admitted (default 4000/min)", NULL },
    { "depth", LK_SETTING_NUMBER, offsetof(settings, fleet.depth), "N", "of the bucket, empty at the failure (default 67)", NULL },
    { "skew", LK_SETTING_SECONDS, offsetof(settings, fleet.skew_s), "TIME", "answers take up to TIME (default 50ms)", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .fleet = LK_FLEET_INIT };
    lk_policies_init(&s->policies, (lk_policy_params){ 1, 2, 8, 0.1, 0 },
                     "exponential;full-jitter;equal-jitter;decorrelated-jitter");
}

static const lk_column COLUMNS[] = {
    { "policy", "policy" },
    { "drained_s", "drained\n(s)" },
    { "attempts_per_worker", "retries\nper worker" },
    { "mean_s", "mean time\nto success" },
    { "p99_s", "p99" },
};
static const lk_column ROUNDS[] = {
    { "policy", "policy" }, { "round1", "retry 1" }, { "round2", "2" }, { "round3", "3" },
    { "round4", "4" },      { "round5", "5" },       { "gave_up", "gave\nup" },
};
static const lk_column THIRD[] = {
    { "policy", "policy" },
    { "mean_per_s", "mean/s\nover the spread" },
    { "peak_per_s", "fullest\nsecond" },
    { "slot_per_s", "fullest\n50 ms (/s)" },
    { "at_cap", "share\nat the cap" },
};

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    lk_table *t = lk_tables_add(out, "fleet", "Until all are served (seconds from the failure)", COLUMNS, 5);
    lk_table *rounds = lk_tables_add(out, "rounds", "Workers in each round of retries", ROUNDS, 7);
    lk_table *third = lk_tables_add(out, "third_retry", "The third retry, if all were to make it", THIRD, 5);

    if (!s->fleet.workers)
        return lk_fail(e, LK_EUSAGE, "--workers: a fleet has workers");
    lab->step = 0.5 / (double)s->policies.count;
    for (size_t i = 0; i < s->policies.count; i++) {
        lk_estimate m[LK_FLEET_MEASURES], d[LK_FLEET_DRAWS];

        LK_TRY(lk_fleet_measure(lab, runs, &s->fleet, &s->policies.items[i].sampler, m, e));
        LK_TRY(lk_fleet_third(lab, runs, &s->fleet, &s->policies.items[i].sampler, d, e));
        lk_table_row(out, t);
        lk_table_text(out, t, s->policies.items[i].text);
        lk_table_estimate(out, t, &m[LK_FLEET_DRAINED]);
        lk_table_estimate(out, t, &m[LK_FLEET_RETRIES]);
        lk_table_estimate(out, t, &m[LK_FLEET_MEAN]);
        lk_table_estimate(out, t, &m[LK_FLEET_P99]);
        lk_table_row(out, rounds);
        lk_table_text(out, rounds, s->policies.items[i].text);
        for (size_t j = 0; j < 5; j++)
            lk_table_number(out, rounds, m[LK_FLEET_ROUND_1 + j].mean);
        lk_table_number(out, rounds, m[LK_FLEET_GAVE_UP].mean);
        lk_table_row(out, third);
        lk_table_text(out, third, s->policies.items[i].text);
        for (size_t j = 0; j < 4; j++)
            lk_table_estimate(out, third, &d[LK_FLEET_THIRD_MEAN + j]);
    }
    return LK_OK;
}

static lk_code watch(const void *at, uint64_t seed, const lk_sat_observer *observer, lk_err *e)
{
    const settings *s = at;
    lk_crowds c = lk_fleet_crowds(&s->fleet, &s->policies.items[0].sampler);
    lk_saturation_result r;

    LK_TRY(lk_crowds_run(&c, seed, 0, observer, &r, e));
    lk_saturation_release(&r);
    return LK_OK;
}

const lk_model LK_MODEL_FLEET = {
    .name = "fleet",
    .help = "a fleet that failed together against an allowance (S4)",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 100,
    .init = init,
    .run = run,
    .watch = watch,
};
