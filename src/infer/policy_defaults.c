#include "infer/policy_defaults.h"

#include <math.h>
#include <string.h>

enum { UNNAMED_MIN = 30 };

#define NONE ((double)INFINITY)
#define CALL LK_COMEBACK_CALL, LK_GROWS_BY_FACTOR
#define TASK LK_COMEBACK_TASK, LK_GROWS_BY_FACTOR
#define CALL_POWER LK_COMEBACK_CALL, LK_GROWS_BY_POWER
#define TASK_POWER LK_COMEBACK_TASK, LK_GROWS_BY_POWER

/* clang-format off */
/* name, layer, growth, base, factor, cap, low, high, added, start, first, attempts, agent */
const lk_default_schedule LK_DEFAULT_SCHEDULES[] = {
    { "OpenAI and Anthropic SDKs (Stainless)", CALL, 0.5, 2, 8, 0.75, 1, 0, 0, -1, 3, "OpenAI/" },
    { "Anthropic SDK (Stainless)", CALL, 0.5, 2, 8, 0.75, 1, 0, 0, -1, 3, "Anthropic/" },
    { "AWS SDKs, standard mode", CALL, 1, 2, 20, 0, 1, 0, 0, -1, 3, "aws-sdk" },
    { "boto3, legacy mode", CALL, 1, 2, NONE, 0, 1, 0, 0, -1, 5, "Boto3" },
    { "AWS SDKs (2026), transient errors", CALL, 0.05, 2, 20, 0, 1, 0, 0, -1, 3, "aws-sdk-js" },
    { "AWS SDK for JavaScript v3, transient errors", CALL, 0.1, 2, 20, 0, 1, 0, 0, -1, 3, "aws-sdk-js" },
    { "AWS SDK for JavaScript v3, throttling", CALL, 0.5, 2, 20, 0, 1, 0, 0, -1, 3, "aws-sdk-js" },
    { "AWS SDKs (2026), throttling", CALL, 1, 2, 20, 0, 1, 0, 0, -1, 3, "aws-sdk-js" },
    { "boto3 legacy mode, DynamoDB", CALL, 0.05, 2, NONE, 1, 1, 0, 0, -1, 10, "Boto3" },
    { "Google api-core for Python", CALL, 1, 2, 60, 0, 1, 0, 0, -1, 0, "google-api" },
    { "google-gax for Node", CALL, 0.1, 1.3, 60, 0, 1, 0, 0, -1, 0, "gax/" },
    { "@google-cloud/storage", CALL, 2, 2, 64, 1, 1, 1, 0, -1, 4, "gcloud-node" },
    { "gaxios", CALL, 0.2, 2, NONE, 1, 1, 0, -0.1, -1, 4, "gaxios" },
    { "@google/genai with retries", CALL, 1, 2, 60, 1, 2, 0, 0, -1, 5, "google-genai" },
    { "Azure SDK for JavaScript", CALL, 1, 2, 64, 0.5, 1, 0, 0, -1, 4, "azsdk-js" },
    { "azure-core for Python", CALL, 1.6, 2, 120, 1, 1, 0, 0, 0, 4, "azsdk-python" },
    { "urllib3 Retry, backoff_factor 1 (requests)", CALL, 2, 2, 120, 1, 1, 0, 0, 0, 0, "python-" },
    { "urllib3 Retry, backoff_factor 0.5 (requests)", CALL, 1, 2, 120, 1, 1, 0, 0, 0, 0, "python-" },
    { "urllib3 Retry, backoff_factor 0.3 (requests)", CALL, 0.6, 2, 120, 1, 1, 0, 0, 0, 0, "python-" },
    { "urllib3 Retry, backoff_factor 0.1 (requests)", CALL, 0.2, 2, 120, 1, 1, 0, 0, 0, 0, "python-" },
    { "urllib3 Retry without backoff (requests)", CALL, 0, 1, NONE, 1, 1, 0, 0, -1, 0, "python-" },
    { "tenacity wait_exponential", CALL, 1, 2, NONE, 1, 1, 0, 0, -1, 0, "python-" },
    { "tenacity wait_random_exponential", CALL, 1, 2, NONE, 0, 1, 0, 0, -1, 0, "python-" },
    { "tenacity wait_exponential_jitter", CALL, 1, 2, NONE, 1, 1, 1, 0, -1, 0, "python-" },
    { "backoff for Python, expo", CALL, 1, 2, NONE, 0, 1, 0, 0, -1, 0, "python-" },
    { "backoff for Python, constant", CALL, 1, 1, NONE, 0, 1, 0, 0, -1, 0, "python-" },
    { "axios-retry, no delay", CALL, 0, 1, NONE, 1, 1, 0, 0, -1, 4, "axios/" },
    { "axios-retry exponentialDelay", CALL, 0.2, 2, NONE, 1, 1.2, 0, 0, -1, 4, "axios/" },
    { "got", CALL, 1, 2, NONE, 1, 1, 0.1, 0, -1, 3, "got" },
    { "ky", CALL, 0.3, 2, NONE, 1, 1, 0, 0, -1, 3, "node" },
    { "undici RetryAgent", CALL, 0.5, 2, 30, 1, 1, 0, 0, -1, 6, "undici" },
    { "node-retry and p-retry", CALL, 1, 2, NONE, 1, 1, 0, 0, -1, 11, "node" },
    { "async-retry, node-retry with randomize", CALL, 1, 2, NONE, 1, 2, 0, 0, -1, 11, "node" },
    { "exponential-backoff (npm)", CALL, 0.1, 2, NONE, 1, 1, 0, 0, -1, 10, "node" },
    { "octokit plugin-retry", CALL_POWER, 1, 2, NONE, 1, 1, 0, 0, -1, 4, "octokit" },
    { "Slack WebClient", CALL, 1, 1.96821, NONE, 1, 2, 0, 0, -1, 11, "slack" },
    { "Stripe Node", CALL, 0.5, 2, 5, 0.5, 1, 0, 0, 0.5, 3, "Stripe" },
    { "Cohere SDK (Fern)", CALL, 1, 2, 60, 0.9, 1.1, 0, 0, -1, 3, "cohere" },
    { "Elastic transport", CALL, 1, 2, 4, 0.5, 1, 0, 0, 0, 4, "elastic" },
    { "Apache HttpClient 5", CALL, 1, 1, NONE, 1, 1, 0, 0, -1, 2, "Apache-HttpClient" },
    { "OpenFeign Retryer", CALL, 0.15, 1.5, 1, 1, 1, 0, 0, -1, 5, "Java" },
    { "Spring Retry", CALL, 1, 1, NONE, 1, 1, 0, 0, -1, 3, "Java" },
    { "Spring ExponentialBackOffPolicy", CALL, 0.1, 2, 30, 1, 1, 0, 0, -1, 0, "Java" },
    { "Resilience4j Retry", CALL, 0.5, 1, NONE, 1, 1, 0, 0, -1, 3, "Java" },
    { "Resilience4j exponential backoff", CALL, 0.5, 1.5, NONE, 1, 1, 0, 0, -1, 3, "Java" },
    { "Polly RetryStrategyOptions", CALL, 2, 1, NONE, 1, 1, 0, 0, -1, 4, NULL },
    { "Polly with jitter", CALL, 2, 1, NONE, 0.75, 1.25, 0, 0, -1, 4, NULL },
    { "go-retryablehttp", CALL, 1, 2, 30, 1, 1, 0, 0, -1, 5, "Go-http-client" },
    { "cenkalti/backoff for Go", CALL, 0.5, 1.5, 60, 0.5, 1.5, 0, 0, -1, 0, "Go-http-client" },
    { "reqwest-retry for Rust", CALL, 1, 2, 1800, 0, 1, 0, 0, -1, 0, NULL },
    { "curl --retry", CALL, 1, 2, 600, 1, 1, 0, 0, -1, 0, "curl" },
    { "gRPC reconnection", CALL, 1, 1.6, 120, 0.8, 1.2, 0, 0, -1, 0, "grpc" },
    { "KafkaJS", CALL, 0.3, 2, 30, 0.8, 1.2, 0, 0, -1, 6, NULL },
    { "Kafka Java client", CALL, 0.1, 2, 1, 0.8, 1.2, 0, 0, -1, 0, NULL },
    { "Mistral SDK (Speakeasy) backoff", CALL_POWER, 0.5, 1.5, 60, 1, 1, 1, 0, -1, 0, "mistral" },
    { "HAProxy retries to the same server", CALL, 1, 1, NONE, 1, 1, 0, 0, -1, 4, NULL },
    { "Envoy and Istio", CALL, 0.025, 3, 0.25, 0, 1, 0, 0, -1, 3, NULL },
    { "Caddy reverse_proxy", CALL, 0.25, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "Celery task.retry", TASK, 180, 1, NONE, 1, 1, 0, 0, -1, 4, NULL },
    { "Celery retry_backoff", TASK, 1, 2, 600, 0, 1, 0, 0, -1, 4, NULL },
    { "Sidekiq", TASK_POWER, 1, 4, NONE, 1, 1, 10, 15, -1, 26, "Ruby" },
    { "ActiveJob retry_on", TASK, 3, 1, NONE, 1, 1.15, 0, 0, -1, 5, "Ruby" },
    { "delayed_job", TASK_POWER, 1, 4, NONE, 1, 1, 0, 5, -1, 25, "Ruby" },
    { "RQ Retry without interval", TASK, 0, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "Dramatiq", TASK, 15, 2, 604800, 1, 2, 0, 0, -1, 21, NULL },
    { "Oban", TASK, 1, 2, NONE, 1, 1.1, 0, 15, -1, 20, NULL },
    { "graphile-worker", TASK, 2.7183, 2.7183, 22026, 1, 1, 0, 0, -1, 25, NULL },
    { "SQS visibility timeout", TASK, 30, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "BullMQ stalled jobs", TASK, 30, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "Pub/Sub acknowledgement deadline", TASK, 10, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "Cloud Tasks", TASK, 0.1, 2, 3600, 1, 1, 0, 0, -1, 100, "Google-Cloud-Tasks" },
    { "Lambda asynchronous errors", TASK, 60, 2, NONE, 1, 1, 0, 0, -1, 3, NULL },
    { "SNS HTTP delivery", TASK, 20, 1, NONE, 1, 1, 0, 0, -1, 4, "Amazon Simple Notification" },
    { "Step Functions Retry", TASK, 1, 2, NONE, 1, 1, 0, 0, -1, 4, NULL },
    { "Temporal activity", TASK, 1, 2, 100, 1, 1, 0, 0, -1, 0, NULL },
    { "Airflow", TASK, 300, 1, NONE, 1, 1, 0, 0, -1, 0, NULL },
    { "Kubernetes Job", TASK, 10, 2, 360, 1, 1, 0, 0, -1, 7, NULL },
    { "CrashLoopBackOff", TASK, 10, 2, 300, 1, 1, 0, 0, -1, 0, NULL },
    { .name = NULL },
};
/* clang-format on */

static lk_spread spread_of(const lk_default_schedule *s, unsigned retry)
{
    unsigned n = s->first_s >= 0 && retry ? retry - 1 : retry;
    double d = s->growth == LK_GROWS_BY_POWER ? s->base_s * pow((double)n + 1, s->factor)
                                              : s->base_s * pow(s->factor, n);

    if (s->first_s >= 0 && retry == 0)
        return (lk_spread){ s->first_s, s->first_s, NONE };
    if (s->growth == LK_GROWS_BY_POWER && s->start_s > 0)
        d = pow((double)n, s->factor);
    d = fmin(s->cap_s, d) + s->start_s;
    return (lk_spread){ s->low * d, s->high * d + s->added_s, NONE };
}

static double log_likelihood(const lk_default_schedule *s, const lk_delay_set *d,
                             const lk_noise *noise)
{
    lk_noise_edges at[LK_RETRIES_MAX];
    double sum = 0, factor = 1, ln = 0;

    for (unsigned k = 0; k < LK_RETRIES_MAX; k++) {
        lk_spread own = spread_of(s, k);

        at[k] = lk_noise_edges_of(noise, own.low_s, own.high_s);
    }
    for (size_t i = 0; i < d->n; i++) {
        double now = 0.97 * lk_noise_density_of(noise, &at[d->retry[i]], d->delay_s[i]) + 0.03 / d->longest_s;

        if (!(now >= factor && now <= factor)) { /* all that it does not explain are alike */
            factor = now;
            ln = log(factor);
        }
        sum += ln;
    }
    return sum;
}

static bool is_seen_in(const char *part, const char *agent)
{
    return part && agent && strstr(agent, part);
}

static bool explains(const lk_default_schedule *s, const lk_delay_set *d, const lk_noise *noise)
{
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++) {
        lk_spread own = spread_of(s, d->retry[i]);

        n += lk_noise_density(noise, own.low_s, own.high_s, d->delay_s[i]) > 0.06 / d->longest_s;
    }
    return 10 * n >= 9 * d->n;
}

/* About as likely as the best fit: it has no free parameters to lean on.  Where no policy is named it has to be
 * better than all of them, and to explain nearly everything. */
static bool fits(const lk_default_schedule *s, const lk_judged_set *set,
                 const lk_policy_verdict *v, const lk_noise *noise)
{
    const lk_delay_set *d = &set->delays;
    double worse = v->log_likelihood / (double)v->fitted - log_likelihood(s, d, noise) / (double)d->n;

    if (!v->policy)
        return worse < -0.05 - 4 / (double)d->n && explains(s, d, noise);
    return worse < 0.1 + 4 / (double)d->n;
}

/* A single delay does not show its layer: long constants may be a queue's. */
static bool may_be_of(const lk_default_schedule *s, lk_comeback_layer layer)
{
    return s->layer == layer || layer == LK_COMEBACK_TASK || s->base_s >= 10;
}

static bool has_attempts(const lk_default_schedule *s, int64_t cap)
{
    return !s->attempts || cap <= 0 || s->attempts == cap;
}

lk_code lk_defaults_that_fit(const lk_judged_set *set, const lk_policy_verdict *v,
                             lk_comeback_layer layer, const char *agent, int64_t attempts_cap,
                             lk_arena *scratch, const char **names, size_t most, size_t *count,
                             lk_err *e)
{
    lk_noise *noise;

    *count = 0;
    if (!v->fitted || (v->policy && strncmp(v->policy->name, "retry-after", 11) == 0) ||
        (!v->policy && set->delays.n < UNNAMED_MIN) ||
        (v->flags & (LK_FLAG_DRAW_REUSED | LK_FLAG_IDENTICAL_DRAWS | LK_FLAG_REGIME_CHANGE)))
        return LK_OK;
    LK_TRY(lk_noise_new(scratch, set->delays.grain_s, v->lag_s, &noise, e));
    for (int rank = 0; rank < 4; rank++) /* its agent and its cap, its agent, its cap, neither */
        for (const lk_default_schedule *s = LK_DEFAULT_SCHEDULES; s->name && *count < most; s++) {
            int own = (is_seen_in(s->agent, agent) ? 0 : 2) + !has_attempts(s, attempts_cap);

            if (own == rank && may_be_of(s, layer) && fits(s, set, v, noise))
                names[(*count)++] = s->name;
        }
    return LK_OK;
}
