/* What the options of a run say, checked. */
#include "api/run.h"
#include "base/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The key is read as it is, up to a bound that no key reaches. */
static lk_code read_key(lk_redact *r, const char *path, lk_err *e)
{
    char key[4096];
    FILE *file = fopen(path, "rb");
    size_t len;
    bool failed;

    if (!file)
        return lk_fail(e, LK_EIO, "cannot open '%s': %s", path, strerror(errno));
    len = fread(key, 1, sizeof(key), file);
    failed = ferror(file) != 0;
    (void)fclose(file);
    if (failed)
        return lk_fail(e, LK_EIO, "cannot read '%s': %s", path, strerror(errno));
    return lk_redact_use_key(r, (lk_slice){ key, len }, e);
}

static lk_code choose_names(lk_run *x, lk_err *e)
{
    const lockstep_options *o = x->options;

    LK_TRY(lk_redact_init(&x->redact, o->redact, &x->out->arena, e));
    if (o->redact_key && !o->redact)
        return lk_fail(e, LK_EUSAGE, "--redact-key says how, --redact must say what");
    if (o->rejects && o->redact)
        return lk_fail(e, LK_EUSAGE,
                       "--rejects writes lines as they are, --redact hides what is in them: "
                       "give one of the two");
    return o->redact_key ? read_key(&x->redact, o->redact_key, e) : LK_OK;
}

/* The allowance as given, in requests. */
static lk_code read_capacity(lk_run *x, lk_err *e)
{
    const lockstep_options *o = x->options;
    double cost = 1;

    x->capacity = (lk_given_capacity){ (double)NAN, (double)NAN };
    if (o->cost && (!lk_quantity_number(lk_slice_from(o->cost), &cost) || cost <= 0))
        return lk_fail(e, LK_EUSAGE, "--cost: '%.40s' is not a number above 0", o->cost);
    if (o->allowance && o->refill)
        return lk_fail(e, LK_EUSAGE, "--allowance and --refill say the same: give one of them");
    if (o->allowance &&
        !lk_quantity_per_second(lk_slice_from(o->allowance), &x->capacity.allowance_per_s))
        return lk_fail(e, LK_EUSAGE, "--allowance: '%.40s' is not a rate such as 4000/min",
                       o->allowance);
    if (o->refill &&
        !lk_quantity_per_second(lk_slice_from(o->refill), &x->capacity.allowance_per_s))
        return lk_fail(e, LK_EUSAGE, "--refill: '%.40s' is not a rate such as 2000000/min",
                       o->refill);
    if (o->bucket && !lk_quantity_number(lk_slice_from(o->bucket), &x->capacity.bucket))
        return lk_fail(e, LK_EUSAGE, "--bucket: '%.40s' is not a number", o->bucket);
    if (o->refill)
        x->capacity.allowance_per_s /= cost;
    return LK_OK;
}

lk_code lk_run_check_options(lk_run *x, lk_err *e)
{
    const lockstep_options *o = x->options;

    LK_TRY(lk_bounds_init(&x->bounds, o->memory, e));
    x->out->bounds = x->bounds;
    LK_TRY(read_capacity(x, e));
    LK_TRY(lk_reading_init(&x->reading, o, &x->out->arena, e));
    if (!o->max_line)
        x->reading.max_line = x->bounds.max[LK_BOUND_LINE];
    LK_TRY(choose_names(x, e));
    if (!(o->attempts_max >= 0) || o->attempts_max > 1e6)
        return lk_fail(e, LK_EUSAGE, "%g attempts at most are not possible", o->attempts_max);
    if (!(o->bin_s >= 0) || o->bin_s > 1e7)
        return lk_fail(e, LK_EUSAGE, "a bin of %g s is not possible", o->bin_s);
    if (!(o->clock_alpha >= 0 && o->clock_alpha < 1))
        return lk_fail(e, LK_EUSAGE, "a false-alarm probability of %g is not possible",
                       o->clock_alpha);
    if (!(o->period_min_s >= 0 && o->period_max_s >= 0) ||
        (o->period_max_s > 0 && o->period_min_s >= o->period_max_s))
        return lk_fail(e, LK_EUSAGE, "periods from %g to %g s are none", o->period_min_s,
                       o->period_max_s);
    return LK_OK;
}
