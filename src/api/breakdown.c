#include "api/breakdown.h"

struct filling {
    const lk_breakdown *breakdown;
    const lk_linker *linker;
    const char *const *id_names;
    const char *source; /* of the calls */
    lk_arena *arena;
    lk_call_counts *counts; /* [LK_GROUPS_MAX] room */
};

static lk_code fill(const struct filling *x, const lk_value_account *account, lk_report_value *out,
                    lk_err *e)
{
    LK_TRY(lk_breakdown_report(x->breakdown, account, x->source, x->arena, out, e));
    lk_breakdown_counts(x->breakdown, account, x->counts, LK_GROUPS_MAX);
    return lk_linker_report_part(x->linker, x->id_names, x->counts, x->arena, &out->retries, e);
}

static lk_code fill_all(const struct filling *x, const lk_value_account **accounts, lk_report_by *by,
                        lk_err *e)
{
    for (size_t i = 0; i < by->value_count; i++)
        LK_TRY(fill(x, accounts[i], &by->values[i], e));
    by->folded = (int64_t)x->breakdown->folded;
    if (!by->folded)
        return LK_OK;
    by->other = LK_NEW(x->arena, lk_report_value, 1);
    if (!by->other)
        return lk_fail(e, LK_EOOM, "no memory for the values that have no row");
    return fill(x, &x->breakdown->other, by->other, e);
}

lk_code lk_breakdown_finish(lk_breakdown *b, const char *field, const lk_linker *l,
                            const char *const id_names[LK_IDS], lk_arena *arena, lk_report *r,
                            lk_err *e)
{
    struct filling x = { b, l, id_names, r->calls.source, arena, NULL };
    lk_report_by *by = LK_NEW(arena, lk_report_by, 1);
    const lk_value_account **accounts;

    x.counts = LK_NEW(arena, lk_call_counts, LK_GROUPS_MAX);
    if (!by || !x.counts)
        return lk_fail(e, LK_EOOM, "no memory for the report by %s", field);
    LK_TRY(lk_breakdown_sort(b, arena, &accounts, &by->value_count, e));
    by->field = field;
    by->values = LK_NEW(arena, lk_report_value, by->value_count + 1);
    if (!by->values)
        return lk_fail(e, LK_EOOM, "no memory for the report by %s", field);
    r->by = by;
    return fill_all(&x, accounts, by, e);
}
