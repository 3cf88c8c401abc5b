/* What holds for every renderer: whatever the report holds, no number that is none is printed, and large counts to the unit. */
#include "unit.h"

#include "model/json.h"
#include "report/render.h"
#include "sample_report.h"

#include <ctype.h>
#include <strings.h>

#define REAL(type, member) offsetof(type, member)
#define END ((size_t)-1)

static const size_t INPUT[] = { REAL(lk_report_input, span_s),
                                REAL(lk_report_input, resolution_s),
                                REAL(lk_report_input, callers_error),
                                REAL(lk_report_input, targets_error),
                                REAL(lk_report_input, user_agents_error),
                                END };
static const size_t HTTP[] = { REAL(lk_report_http, error_share),
                               REAL(lk_report_http, rejected_share), END };
static const size_t CALLS[] = {
    REAL(lk_report_calls, failed_share),   REAL(lk_report_calls, attempts_mean),
    REAL(lk_report_calls, success_mean_s), REAL(lk_report_calls, success_p50_s),
    REAL(lk_report_calls, success_p99_s),  REAL(lk_report_calls, success_max_s),
    REAL(lk_report_calls, waiting_share),  END
};
static const size_t CLOCK[] = { REAL(lk_report_clock, period_s),
                                REAL(lk_report_clock, period_error_s),
                                REAL(lk_report_clock, delay_s),
                                REAL(lk_report_clock, ln_false_alarm),
                                REAL(lk_report_clock, width_s),
                                REAL(lk_report_clock, duty),
                                REAL(lk_report_clock, phase_s),
                                REAL(lk_report_clock, drift_s),
                                REAL(lk_report_clock, share),
                                REAL(lk_report_clock, survival_ratio),
                                REAL(lk_report_clock, survival_low),
                                REAL(lk_report_clock, survival_high),
                                REAL(lk_report_clock, comebacks_on_delay),
                                REAL(lk_report_clock, preceded_by_rejection),
                                REAL(lk_report_clock, rejected_share),
                                END };
static const size_t WAVE[] = { REAL(lk_report_wave, width_s), REAL(lk_report_wave, peak_per_s),
                               END };
static const size_t CANDIDATE[] = { REAL(lk_report_candidate, constant_s), END };
static const size_t DELAY[] = { REAL(lk_report_fixed_delay, delay_s), END };
static const size_t LAYER[] = { REAL(lk_report_layer, amplification),
                                REAL(lk_report_layer, delay_s), REAL(lk_report_layer, expected),
                                END };
static const size_t AMPLIFICATION[] = { REAL(lk_report_amplification, mean),
                                        REAL(lk_report_amplification, cycle_s), END };
static const size_t POLICY[] = { REAL(lk_report_policy, base_s),  REAL(lk_report_policy, factor),
                                 REAL(lk_report_policy, cap_s),   REAL(lk_report_policy, jitter),
                                 REAL(lk_report_policy, support), END };
static const size_t BY_ATTEMPT[] = { REAL(lk_report_delays, p5_s), REAL(lk_report_delays, p50_s),
                                     REAL(lk_report_delays, p95_s), REAL(lk_report_delays, bin_s),
                                     END };
static const size_t OBEDIENCE[] = { REAL(lk_report_obedience, exact),
                                    REAL(lk_report_obedience, early),
                                    REAL(lk_report_obedience, spread),
                                    REAL(lk_report_obedience, unit_factor), END };
static const size_t ASKED[] = { REAL(lk_report_asked, value_s), END };
static const size_t CAPACITY[] = { REAL(lk_report_capacity, allowance_per_s),
                                   REAL(lk_report_capacity, allowance_low),
                                   REAL(lk_report_capacity, allowance_high),
                                   REAL(lk_report_capacity, bucket),
                                   REAL(lk_report_capacity, demand_per_s),
                                   REAL(lk_report_capacity, spare_per_s),
                                   REAL(lk_report_capacity, backlog),
                                   REAL(lk_report_capacity, drain_s),
                                   REAL(lk_report_capacity, bucket_emptied_in_s),
                                   REAL(lk_report_capacity, deficit_per_s),
                                   REAL(lk_report_capacity, window_s),
                                   REAL(lk_report_capacity, failed_attempt_cost),
                                   REAL(lk_report_capacity, bystanders_in_waves),
                                   REAL(lk_report_capacity, bystanders_outside),
                                   END };
static const size_t ADVICE[] = { REAL(lk_report_advice, value),
                                 REAL(lk_report_advice, expected.requests_before),
                                 REAL(lk_report_advice, expected.requests_after),
                                 REAL(lk_report_advice, expected.rejected_before),
                                 REAL(lk_report_advice, expected.rejected_after),
                                 REAL(lk_report_advice, expected.drain_before_s),
                                 REAL(lk_report_advice, expected.drain_after_s),
                                 REAL(lk_report_advice, expected.lost_before),
                                 REAL(lk_report_advice, expected.lost_after),
                                 END };
static const size_t INCIDENT[] = { REAL(lk_report_incident, tail_s),
                                   REAL(lk_report_incident, tail_retry_share), END };
static const size_t REQUEST_RATE[] = { REAL(lk_report_request_rate, per_s),
                                       REAL(lk_report_request_rate, bucket),
                                       REAL(lk_report_request_rate, refused_cost),
                                       REAL(lk_report_request_rate, debt), END };

static void fill(void *object, const size_t *reals, double x)
{
    for (; *reals != END; reals++)
        memcpy((char *)object + *reals, &x, sizeof(x));
}

/* The sample, with what it lacks of parts, and `x` wherever a report has a floating number. */
typedef struct full_report {
    sample_report s;
    lk_report_policy policy;
    lk_report_delays delays;
    lk_report_incident incident;
    lk_report_value value;
    lk_report_by by;
    uint32_t counts[3];
} full_report;

static lk_report *full_of(full_report *f, double x)
{
    lk_report *r = sample_seed(&f->s);

    f->counts[0] = f->counts[1] = f->counts[2] = 7;
    f->delays = (lk_report_delays){ .attempt = 1, .n = 21, .counts = f->counts, .bins = 3 };
    fill(&f->delays, BY_ATTEMPT, x);
    f->policy = (lk_report_policy){ .population = "agent",
                                    .layer = "sdk",
                                    .callers = 5,
                                    .calls = 50,
                                    .comebacks = 21,
                                    .policy = "exponential",
                                    .max_attempts = 3,
                                    .by_attempt = &f->delays,
                                    .attempt_count = 1,
                                    .retry_after = { .told = 9 } };
    fill(&f->policy, POLICY, x);
    fill(&f->policy.retry_after, OBEDIENCE, x);
    r->policies = &f->policy;
    r->policy_count = 1;
    f->incident = (lk_report_incident){ .start_ns = sample_at(0),
                                        .demand_back_ns = sample_at(100),
                                        .recovered_ns = sample_at(2000),
                                        .http = r->http,
                                        .calls = r->calls };
    fill(&f->incident, INCIDENT, x);
    fill(&f->incident.http, HTTP, x);
    fill(&f->incident.calls, CALLS, x);
    r->incident = &f->incident;
    lk_report_value_init(&f->value);
    f->value.value = "a.example";
    f->value.http = f->incident.http;
    f->value.calls = f->incident.calls;
    f->by = (lk_report_by){ .field = "host", .values = &f->value, .value_count = 1 };
    r->by = &f->by;
    r->advice[0] =
        (lk_report_advice){ .action = "cap-concurrency", .unit = "requests", .why = "It is full." };
    r->advice[0].expected.what = "a bound";
    fill(&r->advice[0], ADVICE, x);
    r->advice_count = 1;
    r->capacity.source = "inferred";
    r->capacity.kind = "token-bucket";

    fill(&r->input, INPUT, x);
    fill(&r->http, HTTP, x);
    fill(&r->calls, CALLS, x);
    for (size_t i = 0; i < r->clock_count; i++)
        fill(&r->clocks[i], CLOCK, x);
    for (size_t i = 0; i < SAMPLE_WAVES; i++)
        fill(&f->s.waves[i], WAVE, x);
    for (size_t i = 0; i < ROWS(f->s.candidates); i++)
        fill(&f->s.candidates[i], CANDIDATE, x);
    for (size_t i = 0; i < r->fixed_delay_count; i++)
        fill(&r->fixed_delays[i], DELAY, x);
    for (size_t i = 0; i < r->layer_count; i++)
        fill(&r->layers[i], LAYER, x);
    for (size_t i = 0; i < r->amplification_count; i++)
        fill(&r->amplification[i], AMPLIFICATION, x);
    for (size_t i = 0; i < ROWS(f->s.asked); i++)
        fill(&f->s.asked[i], ASKED, x);
    for (size_t i = 0; i < ROWS(f->s.asked_shares); i++)
        f->s.asked_shares[i] = x;
    fill(&r->retry_after.obedience, OBEDIENCE, x);
    r->retry_after.share_bin_s = x;
    fill(&r->capacity, CAPACITY, x);
    r->outlook.backlog = r->wasted.retry_share = x;
    for (size_t i = 0; i < ROWS(f->s.period); i++)
        f->s.period[i] = f->s.power[i] = x;
    r->spectrum.bin_s = r->spectrum.threshold = x;
    r->workload.bin_s = r->workload.waves_from_s = x;
    fill(&r->workload.request_rate, REQUEST_RATE, x);
    return r;
}

static lk_buf printed(const lk_report *r, const char *format, const char *table)
{
    lk_buf out;
    lk_err e = { 0 };
    lk_style style = { 80, false, false, table };

    lk_buf_init(&out);
    check_ok(lk_render(r, format, &style, &out, &e), e);
    lk_buf_text(&out, "");
    return out;
}

/* "nan", "-inf", "Infinity" as words of their own, in any case. */
static void check_no_number_that_is_none(const char *text, const char *format, double x)
{
    static const char *const WORDS[] = { "nan", "inf", "infinity" };

    for (const char *p = text; *p; p++)
        for (size_t i = 0; i < ROWS(WORDS); i++) {
            size_t len = strlen(WORDS[i]);

            if ((p == text || !isalpha((unsigned char)p[-1])) &&
                strncasecmp(p, WORDS[i], len) == 0 && !isalpha((unsigned char)p[len]))
                check(false, "%s of %g: %.60s", format, x, p > text + 20 ? p - 20 : text);
        }
}

TEST(no_renderer_prints_what_is_no_number)
{
    static full_report f;
    static const double XS[] = { 1e300, -1e300, 1e-300, 0, -1 };

    for (size_t k = 0; k < ROWS(XS) + 3; k++) {
        double x = k < ROWS(XS)        ? XS[k]
                   : k == ROWS(XS)     ? (double)NAN
                   : k == ROWS(XS) + 1 ? (double)INFINITY
                                       : -(double)INFINITY;
        const lk_report *r = full_of(&f, x);

        for (size_t i = 0; LK_RENDERERS[i]; i++) {
            const char *name = LK_RENDERERS[i]->name;
            bool is_csv = strcmp(name, "csv") == 0;

            for (size_t t = 0; t == 0 || (is_csv && lk_csv_table_name(t)); t++) {
                lk_buf out = printed(r, name, is_csv ? lk_csv_table_name(t) : NULL);

                check_no_number_that_is_none(out.p ? out.p : "", name, x);
                lk_buf_release(&out);
            }
        }
    }
}

#define TERA (INT64_C(1) << 40)

TEST(counts_past_32_bits_are_printed_to_the_unit)
{
    static sample_report s;
    lk_report *r = sample_seed(&s);
    static const char *const GROUPED[] = { "text", "markdown", "html" };

    r->http.attempts = r->http.requests = 2 * TERA + 3;
    r->http.rejected = r->http.errors = TERA + 1;
    r->http.rejected_share = r->http.error_share = (double)(TERA + 1) / (double)(2 * TERA + 3);
    r->http.by_status[429] = TERA + 1;
    r->calls.total = TERA + 7;
    r->calls.failed = TERA + 5;
    r->reconciliation = (lk_report_reconciliation){ TERA + 1, TERA - 10, 5, 4, 2, "It is large" };
    s.waves[0].arrivals = TERA + 9;
    s.waves[0].rejected = TERA + 8;
    for (size_t i = 0; i < ROWS(GROUPED); i++) {
        lk_buf out = printed(r, GROUPED[i], NULL);

        check(strstr(out.p, "2,199,023,255,555") && strstr(out.p, "1,099,511,627,777"), "%s",
              GROUPED[i]);
        check(strstr(out.p, "1,099,511,627,785"), "%s: a wave's arrivals", GROUPED[i]);
        for (const char *at = out.p; i == 0 && *at; at += strcspn(at, "\n") + 1)
            check(strcspn(at, "\n") <= 3 * 80, "%.100s",
                  at); /* bytes; its columns are test_render_text's */
        lk_buf_release(&out);
    }
    for (size_t i = 0; i < 2; i++) {
        lk_buf out = printed(r, i ? "csv" : "json", i ? "waves" : NULL);

        check(strstr(out.p, "1099511627785") && strstr(out.p, "1099511627784"), "%s",
              i ? "csv" : "json");
        check(i || (strstr(out.p, "2199023255555") && strstr(out.p, "1099511627777")), "http");
        lk_buf_release(&out);
    }
}

TESTS(T(no_renderer_prints_what_is_no_number), T(counts_past_32_bits_are_printed_to_the_unit))
