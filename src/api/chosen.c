#include "api/chosen.h"

#include "base/glob.h"

#include <stdlib.h>
#include <string.h>

enum { NOT_ASKED = 0, NO = 1, YES = 2 };

lk_code lk_chosen_init(lk_chosen *c, const char *pattern, int64_t bin_ns, const lk_symbols *symbols,
                       lk_err *e)
{
    *c = (lk_chosen){ .symbols = symbols };
    if (pattern)
        c->pattern = lk_slice_from(pattern);
    LK_TRY(lk_arrivals_init(&c->arrivals, bin_ns, e));
    lk_arrivals_keep_fine(&c->arrivals);
    return LK_OK;
}

void lk_chosen_release(lk_chosen *c)
{
    free(c->fits);
    lk_arrivals_release(&c->arrivals);
    *c = (lk_chosen){ .fits = NULL };
}

static lk_code reach(lk_chosen *c, uint32_t population, lk_err *e)
{
    size_t cap = c->fits_cap ? c->fits_cap : 256;
    unsigned char *grown;

    while (cap <= population)
        cap *= 2;
    if (cap == c->fits_cap)
        return LK_OK;
    grown = realloc(c->fits, cap);
    if (!grown)
        return lk_fail(e, LK_EOOM, "no memory for %zu user agents", cap);
    memset(grown + c->fits_cap, NOT_ASKED, cap - c->fits_cap);
    c->fits = grown;
    c->fits_cap = cap;
    return LK_OK;
}

lk_code lk_chosen_ask(lk_chosen *c, uint32_t population, bool *out, lk_err *e)
{
    *out = true;
    if (!c->pattern.len)
        return LK_OK;
    LK_TRY(reach(c, population, e));
    if (c->fits[population] == NOT_ASKED)
        c->fits[population] = lk_glob_matches_caseless(
                                  c->pattern, lk_intern_text(&c->symbols->populations, population))
                                  ? YES
                                  : NO;
    *out = c->fits[population] == YES;
    return LK_OK;
}

lk_code lk_chosen_add(lk_chosen *c, const lk_attempt *a, lk_err *e)
{
    bool is_chosen;

    if (!c->pattern.len)
        return LK_OK;
    LK_TRY(lk_chosen_ask(c, a->population, &is_chosen, e));
    if (!is_chosen)
        return LK_OK;
    if (c->attempts == 0 || a->start_ns < c->first_ns)
        c->first_ns = a->start_ns;
    if (c->attempts == 0 || a->start_ns > c->last_ns)
        c->last_ns = a->start_ns;
    c->attempts++;
    c->rejected += a->rejected;
    return lk_arrivals_add(&c->arrivals, a->start_ns, a->rejected, e);
}

void lk_chosen_evidence(const lk_chosen *c, lk_evidence *out)
{
    if (!c->pattern.len)
        return;
    out->attempts = c->attempts;
    out->rejected = c->rejected;
    out->first_ns = c->first_ns;
    out->last_ns = c->last_ns;
}
