#include "sim/quota.h"

#include <math.h>

enum { OK = 200, TOO_MANY = 429, UNAVAILABLE = 503 };

void lk_server_init(lk_server *s, const lk_server_options *options)
{
    *s = (lk_server){ .o = *options, .window = -1 };
    s->tokens = options->initial >= 0 ? options->initial : options->depth;
    s->requests = options->requests_depth;
}

static bool has_request(lk_server *s, double at_s)
{
    if (!(s->o.requests_per_s > 0) || at_s < s->o.requests_from_s)
        return true;
    s->requests = fmin(s->o.requests_depth,
                       s->requests + (at_s - s->requests_filled_s) * s->o.requests_per_s);
    s->requests_filled_s = at_s;
    if (s->requests < 1) {
        s->requests = fmax(-s->o.requests_debt, s->requests - s->o.requests_refused_cost);
        return false;
    }
    s->requests -= 1;
    return true;
}

static bool has_bucket(lk_server *s, double at_s, double cost)
{
    s->tokens = fmin(s->o.depth, s->tokens + (at_s - s->filled_s) * s->o.allowance_per_s);
    s->filled_s = at_s;
    if (s->tokens < cost)
        return false;
    s->tokens -= cost;
    return true;
}

static bool has_window(lk_server *s, double at_s, double cost)
{
    double window = floor(at_s / s->o.window_s);

    if (window > s->window) {
        s->window = window;
        s->used = 0;
    }
    if (s->used + cost > s->o.allowance_per_s * s->o.window_s)
        return false;
    s->used += cost;
    return true;
}

static bool has_tokens(lk_server *s, double at_s, double cost)
{
    switch (s->o.quota) {
    case LK_QUOTA_NONE: return true;
    case LK_QUOTA_BUCKET: return has_bucket(s, at_s, cost);
    case LK_QUOTA_WINDOW: return has_window(s, at_s, cost);
    case LK_QUOTA_ZERO: return false;
    }
    return false;
}

/* What stands behind the request rate. */
static unsigned admit(lk_server *s, double at_s, double cost)
{
    if (s->o.in_service_max && s->in_service >= s->o.in_service_max)
        return UNAVAILABLE;
    return has_tokens(s, at_s, cost) ? OK : TOO_MANY;
}

unsigned lk_server_take(lk_server *s, double at_s, double cost)
{
    unsigned status;

    if (at_s >= s->o.down_from_s && at_s < s->o.down_until_s)
        return UNAVAILABLE;
    if (!has_request(s, at_s))
        return TOO_MANY;
    status = admit(s, at_s, cost);
    if (status != OK) {
        s->requests += s->o.requests_refund;
        return status;
    }
    s->in_service++;
    s->billed += cost;
    return OK;
}

void lk_server_done(lk_server *s)
{
    s->in_service--;
}

void lk_server_refused(lk_server *s)
{
    s->requests += s->o.requests_refund;
    lk_server_done(s);
}
