/* The setting in which jitter became known (2015), as a command. */
#include "sim/model.h"
#include "sim/occ.h"

#include <stddef.h>

typedef struct settings {
    lk_policies policies;
    unsigned clients;
    double hop_s, deviation_s;
} settings;

/* clang-format off */
static const lk_setting SETTINGS[] = {
    { "policy", LK_SETTING_POLICIES, offsetof(settings, policies), "LIST",
      "policies to compare, separated by ';' (default: immediate, exponential, decorrelated-jitter with base=5ms, equal-jitter, full-jitter; base=10ms,cap=2)", NULL },
    { "clients", LK_SETTING_COUNT, offsetof(settings, clients), "N", "clients, all at time 0 (default 100)", NULL },
    { "hop", LK_SETTING_SECONDS, offsetof(settings, hop_s), "TIME", "mean of a hop (default 10ms)", NULL },
    { "hop-deviation", LK_SETTING_SECONDS, offsetof(settings, deviation_s), "TIME", "its standard deviation (default 2ms)", NULL },
    { .kind = LK_SETTING_END },
};
/* clang-format on */

static void init(void *at)
{
    settings *s = at;

    *s = (settings){ .clients = 100, .hop_s = 0.01, .deviation_s = 0.002 };
    lk_policies_init(&s->policies, (lk_policy_params){ 0.01, 2, 2, 0.1, 0 },
                     "immediate;exponential;decorrelated-jitter:base=5ms;equal-jitter;full-jitter");
}

static const lk_column COLUMNS[] = {
    { "policy", "policy" },
    { "completion_s", "all done\n(s)" },
    { "writes", "writes" },
    { "writes_per_client", "writes\nper client" },
};

static lk_code run(lk_lab *lab, unsigned runs, const void *at, lk_tables *out, lk_err *e)
{
    const settings *s = at;
    lk_table *t = lk_tables_add(out, "occ", "One versioned row, optimistic writes", COLUMNS, 4);

    lab->step = 1 / (double)s->policies.count;
    for (size_t i = 0; i < s->policies.count; i++) {
        lk_occ o = { s->clients, s->hop_s, s->deviation_s, &s->policies.items[i].sampler };
        lk_estimate m[LK_OCC_MEASURES];

        LK_TRY(lk_occ_measure(lab, runs, &o, m, e));
        lk_table_row(out, t);
        lk_table_text(out, t, s->policies.items[i].text);
        for (size_t j = 0; j < LK_OCC_MEASURES; j++)
            lk_table_estimate(out, t, &m[j]);
    }
    return LK_OK;
}

const lk_model LK_MODEL_OCC_NETWORK = {
    .name = "occ-network",
    .help = "optimistic writes to one row over a noisy network",
    .settings = SETTINGS,
    .size = sizeof(settings),
    .runs = 100,
    .init = init,
    .run = run,
};
