#include "infer/constants.h"

#include <math.h>
#include <stdlib.h>

#define NEAR_SHARE 0.02

/* clang-format off */
const lk_known_constant LK_KNOWN_CONSTANTS[] = {
    {    0.1, LK_USE_RETRY,    "gaxios first retry (100 ms); systemd RestartSec default (100 ms)" },
    {    0.2, LK_USE_RETRY,    "axios-retry exponentialDelay, first retry (200 ms)" },
    {   0.25, LK_USE_RETRY,    "Caddy reverse_proxy lb_try_interval (250 ms)" },
    {    0.3, LK_USE_RETRY,    "ky first retry (300 ms); KafkaJS initialRetryTime (300 ms)" },
    {    0.5, LK_USE_RETRY,    "Resilience4j waitDuration (500 ms); Stripe Node first retries (500 ms); undici RetryAgent minTimeout (500 ms)" },
    {    0.6, LK_USE_RETRY,    "ky second retry (600 ms)" },
    {    1.0, LK_USE_RETRY,    "HAProxy retry turn-around (1 s); Apache HttpClient 5 retry interval (1 s); Spring Retry @Backoff (1 s); node-retry and p-retry minTimeout (1 s); go-retryablehttp RetryWaitMin (1 s); Step Functions IntervalSeconds (1 s)" },
    {    2.0, LK_USE_RETRY,    "Polly RetryStrategyOptions Delay (2 s); second step of a doubling from 1 s" },
    {    2.0, LK_USE_SCHEDULE, "HAProxy health check inter (2 s)" },
    {    3.0, LK_USE_RETRY,    "ActiveJob retry_on wait (3 s)" },
    {    4.0, LK_USE_RETRY,    "third step of a doubling from 1 s" },
    {    5.0, LK_USE_RETRY,    "delayed_job first retry (5 s); Stripe Node longest delay (5 s)" },
    {    5.0, LK_USE_SCHEDULE, "Google Cloud load balancer health check (5 s)" },
    {    8.0, LK_USE_RETRY,    "OpenAI, Anthropic and Groq SDKs, longest delay (8 s); fourth step of a doubling from 1 s" },
    {   10.0, LK_USE_RETRY,    "Pub/Sub acknowledgement deadline and minimum backoff (10 s); Kubernetes Job and CrashLoopBackOff first step (10 s); NServiceBus delayed retry (10 s); nginx fail_timeout (10 s)" },
    {   10.0, LK_USE_SCHEDULE, "Kubernetes probe periodSeconds (10 s)" },
    {   15.0, LK_USE_RETRY,    "Dramatiq min_backoff (15 s); Sidekiq, Hangfire and Oban first step (15 s)" },
    {   15.0, LK_USE_SCHEDULE, "Prometheus scrape_interval of the sample configuration (15 s)" },
    {   16.0, LK_USE_RETRY,    "fifth step of a doubling from 1 s" },
    {   20.0, LK_USE_RETRY,    "Amazon SNS HTTP delivery retry (20 s); AWS SDKs, longest delay (20 s); Kubernetes Job second step (20 s)" },
    {   30.0, LK_USE_RETRY,    "Amazon SQS visibility timeout (30 s); BullMQ stalled-job check (30 s); go-retryablehttp, undici and Spring longest delay (30 s)" },
    {   30.0, LK_USE_SCHEDULE, "ELB target health check (30 s); Docker HEALTHCHECK (30 s); Traefik health check (30 s); Azure Application Gateway probe (30 s)" },
    {   32.0, LK_USE_RETRY,    "sixth step of a doubling from 1 s" },
    {   40.0, LK_USE_RETRY,    "Kubernetes Job third step (40 s)" },
    {   60.0, LK_USE_RETRY,    "AWS Lambda asynchronous invocation, first retry (60 s); Google api-core, gRPC gax, Cohere and Speakeasy longest delay (60 s)" },
    {   60.0, LK_USE_SCHEDULE, "cron line of every minute (60 s); Prometheus scrape_interval default (1 min)" },
    {   64.0, LK_USE_RETRY,    "Azure SDK for JavaScript and Google Cloud Storage for Node, longest delay (64 s)" },
    {  100.0, LK_USE_RETRY,    "Temporal activity retry, longest delay (100 s)" },
    {  120.0, LK_USE_RETRY,    "AWS Lambda asynchronous invocation, second retry (120 s); urllib3, azure-core for Python and gRPC reconnection longest delay (120 s)" },
    {  180.0, LK_USE_RETRY,    "Celery default_retry_delay (180 s)" },
    {  300.0, LK_USE_RETRY,    "Airflow retry_delay (300 s); Kubernetes CrashLoopBackOff longest delay (300 s)" },
    {  300.0, LK_USE_SCHEDULE, "cron line of every five minutes (300 s)" },
    {  360.0, LK_USE_RETRY,    "Kubernetes Job backoff, longest delay (6 min)" },
    {  600.0, LK_USE_RETRY,    "Celery retry_backoff_max (600 s); curl --retry longest delay (600 s); Pub/Sub maximum backoff (600 s)" },
    {  900.0, LK_USE_SCHEDULE, "cron line of every quarter of an hour (900 s)" },
    { 1800.0, LK_USE_RETRY,    "Celery visibility timeout on SQS (1,800 s); retry-policies for Rust longest delay (30 min)" },
    { 1800.0, LK_USE_SCHEDULE, "cron line of every half hour (1,800 s)" },
    { 3600.0, LK_USE_RETRY,    "Celery visibility timeout on Redis (3,600 s); Cloud Tasks maximum backoff (3,600 s)" },
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
