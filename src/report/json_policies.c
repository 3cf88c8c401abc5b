#include "report/json_part.h"

static void add_delays(lk_json *array, const lk_report_delays *d)
{
    lk_json *o = lk_json_part_item(array), *counts;

    lk_json_add_count_or_null(o, "attempt", d->attempt);
    lk_json_add_count_or_null(o, "n", d->n);
    lk_json_add_real(o, "p5_s", d->p5_s);
    lk_json_add_real(o, "p50_s", d->p50_s);
    lk_json_add_real(o, "p95_s", d->p95_s);
    lk_json_add_real(o, "bin_s", d->bin_s);
    counts = lk_json_array(o, "counts");
    for (size_t i = 0; i < d->bins; i++)
        lk_json_add_count(counts, NULL, d->counts[i]);
}

static void add_names(lk_json *o, const char *key, const char *const *names, size_t count)
{
    lk_json *array = lk_json_array(o, key);

    for (size_t i = 0; i < count; i++)
        lk_json_add_text(array, NULL, names[i]);
}

static void add_policy(lk_json_part *p, lk_json *array, const lk_report_policy *row)
{
    lk_json *o = lk_json_part_item(array), *attempts;

    lk_json_part_text(p, o, "population", row->population);
    lk_json_add_text(o, "layer", row->layer);
    lk_json_add_count_or_null(o, "callers", row->callers);
    lk_json_add_count_or_null(o, "calls", row->calls);
    lk_json_add_count_or_null(o, "comebacks", row->comebacks);
    lk_json_add_text(o, "policy", row->policy);
    lk_json_add_real(o, "base_s", row->base_s);
    lk_json_add_real(o, "factor", row->factor);
    lk_json_add_real(o, "cap_s", row->cap_s);
    lk_json_add_real(o, "jitter", row->jitter);
    lk_json_add_count_or_null(o, "max_attempts", row->max_attempts);
    add_names(o, "looks_like", row->looks_like, row->looks_like_count);
    lk_json_add_real(o, "support", row->support);
    lk_json_add_text(o, "runner_up", row->runner_up);
    add_names(o, "flags", row->flags, row->flag_count);
    lk_json_add_count_or_null(o, "regime_change_at", row->regime_change_at);
    if (row->retry_after.told > 0)
        lk_json_obedience(lk_json_object(o, "retry_after"), &row->retry_after);
    else
        lk_json_add_null(o, "retry_after");
    attempts = lk_json_array(o, "by_attempt");
    for (size_t i = 0; i < row->attempt_count; i++)
        add_delays(attempts, &row->by_attempt[i]);
}

void lk_json_part_policies(lk_json_part *p, lk_json *root)
{
    lk_json *array = lk_json_array(root, "policies");

    for (size_t i = 0; i < p->report->policy_count; i++)
        add_policy(p, array, &p->report->policies[i]);
}
