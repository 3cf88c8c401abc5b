#include "infer/constants.h"

#include <math.h>
#include <stdlib.h>

#define NEAR_SHARE 0.02
#define NEAR_MULTIPLE 0.005 /* several turns of a constant must fit better: there are many of them */

enum { TURNS_MAX = 4, MULTIPLES_MAX = 3, LEAST_MULTIPLE_S = 10 };

/* clang-format off */
const lk_known_constant LK_KNOWN_CONSTANTS[] = {
    {    0.1, LK_USE_RETRY,    "SDK: gaxios first retry; job: systemd RestartSec default (100 ms)" },
    {    0.2, LK_USE_RETRY,    "SDK: axios-retry exponentialDelay, first retry (200 ms)" },
    {   0.25, LK_USE_RETRY,    "proxy: Caddy reverse_proxy lb_try_interval (250 ms)" },
    {    0.3, LK_USE_RETRY,    "SDK: ky first retry; KafkaJS initialRetryTime (300 ms)" },
    {    0.5, LK_USE_RETRY,    "SDK: Resilience4j waitDuration; Stripe Node first retries; undici RetryAgent minTimeout (500 ms)" },
    {    0.6, LK_USE_RETRY,    "SDK: ky second retry (600 ms)" },
    {    1.0, LK_USE_RETRY,    "proxy: HAProxy retry turn-around; SDK: Apache HttpClient 5 retry interval, Spring Retry @Backoff, node-retry and p-retry minTimeout, go-retryablehttp RetryWaitMin, tenacity, curl --retry; job: Step Functions IntervalSeconds, Temporal (1 s)" },
    {    1.5, LK_USE_RETRY,    "SDK: gaxios third retry (1.5 s)" },
    {    2.0, LK_USE_RETRY,    "SDK: Polly RetryStrategyOptions Delay (2 s); second step of a doubling from 1 s" },
    {    2.0, LK_USE_SCHEDULE, "proxy: HAProxy health check inter (2 s)" },
    {    3.0, LK_USE_RETRY,    "job: ActiveJob retry_on wait (3 s)" },
    {    4.0, LK_USE_RETRY,    "SDK: octokit plugin-retry second retry (4 s); third step of a doubling from 1 s" },
    {    5.0, LK_USE_RETRY,    "job: delayed_job first retry; SDK: Stripe Node longest delay (5 s)" },
    {    5.0, LK_USE_SCHEDULE, "probe: Google Cloud load balancer health check (5 s)" },
    {    6.0, LK_USE_RETRY,    "job: delayed_job second retry (6 s)" },
    {    8.0, LK_USE_RETRY,    "SDK: OpenAI, Anthropic and Groq, longest delay (8 s); fourth step of a doubling from 1 s" },
    {    9.0, LK_USE_RETRY,    "SDK: octokit plugin-retry third retry (9 s)" },
    {   10.0, LK_USE_RETRY,    "job: Pub/Sub acknowledgement deadline and minimum backoff, Kubernetes Job and CrashLoopBackOff first step, NServiceBus delayed retry; proxy: nginx fail_timeout (10 s)" },
    {   10.0, LK_USE_SCHEDULE, "probe: Kubernetes probe periodSeconds (10 s)" },
    {   15.0, LK_USE_RETRY,    "job: Dramatiq min_backoff; Sidekiq, Hangfire and Oban first step (15 s)" },
    {   15.0, LK_USE_SCHEDULE, "scrape: Prometheus scrape_interval of the sample configuration (15 s)" },
    {   16.0, LK_USE_RETRY,    "fifth step of a doubling from 1 s" },
    {   20.0, LK_USE_RETRY,    "job: Amazon SNS HTTP delivery retry, Kubernetes Job second step; SDK: AWS SDKs, longest delay (20 s)" },
    {   30.0, LK_USE_RETRY,    "job: Amazon SQS visibility timeout, BullMQ stalled-job check; SDK: go-retryablehttp, undici and Spring longest delay (30 s)" },
    {   30.0, LK_USE_SCHEDULE, "probe: ELB target health check, Docker HEALTHCHECK, Traefik health check, Azure Application Gateway probe (30 s)" },
    {   32.0, LK_USE_RETRY,    "sixth step of a doubling from 1 s" },
    {   40.0, LK_USE_RETRY,    "job: Kubernetes Job third step (40 s)" },
    {   60.0, LK_USE_RETRY,    "job: AWS Lambda asynchronous invocation, first retry; SDK: Google api-core, gRPC gax, Cohere and Speakeasy longest delay (60 s)" },
    {   60.0, LK_USE_SCHEDULE, "cron line of every minute; scrape: Prometheus scrape_interval default (60 s)" },
    {   64.0, LK_USE_RETRY,    "SDK: Azure SDK for JavaScript and Google Cloud Storage for Node, longest delay (64 s)" },
    {   80.0, LK_USE_RETRY,    "job: Kubernetes Job fourth step (80 s)" },
    {  100.0, LK_USE_RETRY,    "job: Temporal activity retry, longest delay (100 s)" },
    {  120.0, LK_USE_RETRY,    "job: AWS Lambda asynchronous invocation, second retry; SDK: urllib3, azure-core for Python and gRPC reconnection longest delay (120 s)" },
    {  180.0, LK_USE_RETRY,    "job: Celery default_retry_delay (180 s)" },
    {  300.0, LK_USE_RETRY,    "job: Airflow retry_delay, Kubernetes CrashLoopBackOff longest delay (300 s)" },
    {  300.0, LK_USE_SCHEDULE, "cron line of every five minutes (300 s)" },
    {  360.0, LK_USE_RETRY,    "job: Kubernetes Job backoff, longest delay (6 min)" },
    {  600.0, LK_USE_RETRY,    "job: Celery retry_backoff_max, Pub/Sub maximum backoff; SDK: curl --retry longest delay (600 s)" },
    {  600.0, LK_USE_SCHEDULE, "cron line of every ten minutes (600 s)" },
    {  900.0, LK_USE_SCHEDULE, "cron line of every quarter of an hour (900 s)" },
    { 1800.0, LK_USE_RETRY,    "job: Celery visibility timeout on SQS; SDK: retry-policies for Rust longest delay (30 min)" },
    { 1800.0, LK_USE_SCHEDULE, "cron line of every half hour (1,800 s)" },
    { 3600.0, LK_USE_RETRY,    "job: Celery visibility timeout on Redis, Cloud Tasks maximum backoff (3,600 s)" },
    { 3600.0, LK_USE_SCHEDULE, "cron line of every hour (3,600 s)" },
    { .what = NULL },
};
/* clang-format on */

static bool is_near(const lk_known_constant *k, double value_s, double reach_s, lk_use use)
{
    return ((unsigned)k->use & (unsigned)use) != 0 && fabs(k->constant_s - value_s) <= reach_s;
}

/* Puts row `at` in its place by distance; equals keep the table's order. */
static void settle(lk_report_candidate *list, size_t at, double value_s)
{
    for (; at > 0; at--) {
        lk_report_candidate t = list[at];

        if (fabs(t.constant_s - value_s) >= fabs(list[at - 1].constant_s - value_s))
            return;
        list[at] = list[at - 1];
        list[at - 1] = t;
    }
}

lk_code lk_constants_near(double value_s, double error_s, lk_use use, lk_arena *a,
                          lk_candidates *out, lk_err *e)
{
    double reach = fmax(NEAR_SHARE * value_s, error_s > 0.0 ? 3.0 * error_s : 0.0);
    lk_report_candidate *list;
    size_t found = 0;

    for (const lk_known_constant *k = LK_KNOWN_CONSTANTS; k->what; k++)
        found += is_near(k, value_s, reach, use);
    list = LK_NEW(a, lk_report_candidate, found);
    if (!list)
        return lk_fail(e, LK_EOOM, "no memory for %zu candidates", found);
    found = 0;
    for (const lk_known_constant *k = LK_KNOWN_CONSTANTS; k->what; k++)
        if (is_near(k, value_s, reach, use)) {
            list[found] = (lk_report_candidate){ k->constant_s, k->what };
            settle(list, found++, value_s);
        }
    *out = (lk_candidates){ list, found };
    return LK_OK;
}

/* How many turns of a constant make the value; 0 = none. */
static unsigned turns_of(const lk_known_constant *k, double value_s, double reach_s, lk_use use)
{
    for (unsigned turns = 2; turns <= TURNS_MAX; turns++)
        if (((unsigned)k->use & (unsigned)use) != 0 && k->constant_s >= LEAST_MULTIPLE_S &&
            fabs(turns * k->constant_s - value_s) <= reach_s)
            return turns;
    return 0;
}

lk_code lk_constants_multiple(double value_s, double error_s, lk_use use, lk_arena *a,
                              lk_candidates *out, lk_err *e)
{
    double reach = fmax(NEAR_MULTIPLE * value_s, error_s > 0.0 ? 2.0 * error_s : 0.0);
    lk_report_candidate *list = LK_NEW(a, lk_report_candidate, MULTIPLES_MAX);

    *out = (lk_candidates){ list, 0 };
    if (!list)
        return lk_fail(e, LK_EOOM, "no memory for candidates");
    reach = fmin(reach, NEAR_SHARE * value_s);
    for (const lk_known_constant *k = LK_KNOWN_CONSTANTS; k->what; k++) {
        unsigned turns = turns_of(k, value_s, reach, use);
        const char *what;

        if (turns == 0 || out->count == MULTIPLES_MAX)
            continue;
        what = lk_arena_printf(a, "%u x %g s: %s", turns, k->constant_s, k->what);
        if (!what)
            return lk_fail(e, LK_EOOM, "no memory for candidates");
        list[out->count++] = (lk_report_candidate){ k->constant_s, what };
    }
    return LK_OK;
}
