#include "infer/owners.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* What callers with such a word in their user agent, or in their only target, are. */
static const struct {
    const char *word, *one, *many;
} TRADES[] = {
    { "kube-probe", "probe", "probes" },
    { "HealthCheck", "health check", "health checks" },
    { "GoogleHC", "health check", "health checks" },
    { "Load Balancer", "health check", "health checks" },
    { "haproxy", "health check", "health checks" },
    { "Prometheus", "scraper", "scrapers" },
    { "VictoriaMetrics", "scraper", "scrapers" },
    { "Datadog", "monitor", "monitors" },
    { "UptimeRobot", "monitor", "monitors" },
    { "Pingdom", "monitor", "monitors" },
    { "StatusCake", "monitor", "monitors" },
    { "Uptime-Kuma", "monitor", "monitors" },
    { "check_http", "monitor", "monitors" },
    { "Zabbix", "monitor", "monitors" },
    { "Blackbox", "monitor", "monitors" },
    { "Consul", "health check", "health checks" },
    { "/healthz", "probe", "probes" },
    { "/livez", "probe", "probes" },
    { "/readyz", "probe", "probes" },
    { "/health", "health check", "health checks" },
    { "/metrics", "scraper", "scrapers" },
};

enum { TRADE_COUNT = sizeof(TRADES) / sizeof(TRADES[0]) };

static size_t find_trade(const lk_report_clock *c)
{
    size_t i = 0;

    while (i < TRADE_COUNT && !(c->population && strstr(c->population, TRADES[i].word)) &&
           !(c->target_count == 1 && strstr(c->targets[0], TRADES[i].word)))
        i++;
    return i;
}

bool lk_owner_is_scheduler(const lk_report_clock *clock)
{
    return find_trade(clock) < TRADE_COUNT;
}

static const char *trade_of(const lk_report_clock *c, bool many)
{
    size_t i = find_trade(c);

    if (i == TRADE_COUNT)
        return many ? "callers" : "caller";
    return many ? TRADES[i].many : TRADES[i].one;
}

static const char *owner_of(const lk_report_clock *c, lk_arena *a)
{
    bool counted = c->callers > 0, many = c->callers != 1;
    const char *who = counted ? lk_arena_printf(a, "%" PRId64 " %s", c->callers, trade_of(c, many))
                              : trade_of(c, true);

    if (!who)
        return NULL;
    return lk_arena_printf(a, "%s%s%s, every %.*f s", who, c->population ? ", user agent " : "",
                           c->population ? c->population : "",
                           fabs(c->period_s - rint(c->period_s)) < 0.05 ? 0 : 1, c->period_s);
}

lk_code lk_owners_name(lk_report *r, lk_arena *a, lk_err *e)
{
    for (size_t i = 0; i < r->clock_count; i++) {
        lk_report_clock *c = &r->clocks[i];

        if (c->callers <= 0 && !c->population)
            continue;
        c->owner = owner_of(c, a);
        if (!c->owner)
            return lk_fail(e, LK_EOOM, "no memory for the owner of a clock");
    }
    return LK_OK;
}
