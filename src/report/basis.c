#include "report/basis.h"

#include <math.h>
#include <string.h>

static bool is_source(const lk_report *r, const char *source)
{
    return r->calls.source && strcmp(r->calls.source, source) == 0;
}

static bool has_rates(const lk_report *r)
{
    return r->http.attempts > 0;
}

static const char *rates_sure(const lk_report *r)
{
    if (!r->calls.source)
        return "attempts are counted; calls cannot be told apart";
    if (is_source(r, "inferred"))
        return "attempts are counted; calls are estimates, joined by caller, target and time";
    return "attempts and calls are counted";
}

static const char *rates_change(const lk_report *r)
{
    if (is_source(r, "sdk-log"))
        return "nothing but another log";
    return is_source(r, "identity") ? "the callers' own log, which knows calls that never got here"
                                    : "an id of the call in the log, or the callers' own log";
}

static bool has_incident(const lk_report *r)
{
    return r->incident && r->incident->http.attempts > 0;
}

static const char *incident_sure(const lk_report *r)
{
    return r->http.first_attempts >= 0 ? "first attempts and comebacks are told apart"
                                       : "first attempts and comebacks are not told apart: the tail may "
                                         "be load";
}

static bool has_clocks(const lk_report *r)
{
    return r->clock_count > 0;
}

static const char *clocks_sure(const lk_report *r)
{
    (void)r;
    return "the chance stated is that of any such period in random traffic, over all periods and times "
           "tried";
}

static bool has_layers(const lk_report *r)
{
    return r->amplification_count > 0;
}

static const char *layers_sure(const lk_report *r)
{
    return is_source(r, "inferred") ? "estimates: calls and layers are told by their delays"
                                    : "counts, where an id tells calls and tasks apart";
}

static bool has_policies(const lk_report *r)
{
    return r->policy_count > 0;
}

static const char *policies_sure(const lk_report *r)
{
    (void)r;
    return "a policy is named where it explains the delays clearly better than the next best; else it "
           "is not known";
}

static bool has_header(const lk_report *r)
{
    return r->retry_after.with_header > 0;
}

static const char *header_sure(const lk_report *r)
{
    (void)r;
    return "exact where the log holds the header";
}

static bool has_capacity(const lk_report *r)
{
    return isfinite(r->capacity.allowance_per_s);
}

static const char *capacity_sure(const lk_report *r)
{
    return r->capacity.source && strcmp(r->capacity.source, "given") == 0
               ? "the allowance was given"
               : "the allowance is inferred from what was admitted while others were refused";
}

/* clang-format off */
static const struct {
    bool (*applies)(const lk_report *r);
    const char *(*sure)(const lk_report *r);
    lk_basis words;
} ROWS[] = {
    { has_rates, rates_sure, /* see rates_change */
      { "error rates", "rejected attempts by attempts; failed calls by calls", "the whole log", NULL,
        NULL } },
    { has_incident, incident_sure,
      { "incident", "failures over time against the rest of the log; demand by first attempts",
        "attempts and calls from its begin to its end", NULL, "--since and --until" } },
    { has_clocks, clocks_sure,
      { "clocks", "periods in the arrivals, and delays from a failure to the next attempt",
        "the callers named with each clock", NULL,
        "jitter on the delay: the waves flatten and the clock is gone; a longer log or finer stamps" } },
    { has_layers, layers_sure,
      { "amplification", "attempts below by units above, layer by layer", "callers of one user agent each",
        NULL, "a layer above the log (a user, a queue) multiplies again and is not seen" } },
    { has_policies, policies_sure,
      { "how callers come back", "which policy makes the delays, attempt by attempt, most likely",
        "comebacks of one user agent and layer each", NULL,
        "more comebacks of later attempts, or the SDK's configuration" } },
    { has_header, header_sure,
      { "Retry-After", "the header as logged against the wait that followed", "rejected attempts that carry it",
        NULL, "a server that spreads the values it hands out" } },
    { has_capacity, capacity_sure,
      { "capacity", "what was admitted, against what first attempts ask for", "all attempts", NULL,
        "the configured limit, given by --allowance" } },
};
/* clang-format on */

bool lk_basis_of(const lk_report *r, size_t i, lk_basis *out)
{
    for (size_t k = 0; k < sizeof(ROWS) / sizeof(ROWS[0]); k++) {
        if (!ROWS[k].applies(r))
            continue;
        if (i-- > 0)
            continue;
        *out = ROWS[k].words;
        out->sure = ROWS[k].sure(r);
        if (ROWS[k].applies == has_rates)
            out->change = rates_change(r);
        return true;
    }
    return false;
}
