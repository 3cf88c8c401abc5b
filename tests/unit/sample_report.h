/* sample_report — report objects made by hand: the seed incident (two layers of retry, a 60 s
 * requeue under an SDK that waits 12 s), an empty one, and one full of hostile strings.
 *
 * Owner: arrays live in the sample_report; it must outlive the lk_report that points into it.  */
#ifndef LK_TESTS_SAMPLE_REPORT_H
#define LK_TESTS_SAMPLE_REPORT_H

#include "base/time.h"
#include "model/report.h"

#include <math.h>
#include <string.h>

enum { SAMPLE_BINS = 2555, SAMPLE_WAVES = 9, SAMPLE_START_S = 1752580800 }; /* 2025-07-15 12:00 */

typedef struct sample_report {
    lk_report report;
    uint32_t all[SAMPLE_BINS], rejected[SAMPLE_BINS];
    double period[4], power[4];
    lk_report_file files[2];
    lk_report_sample samples[1];
    lk_report_clock clocks[2];
    const char *targets[1];
    lk_report_candidate candidates[2];
    lk_report_wave waves[SAMPLE_WAVES];
    lk_report_fixed_delay delays[3];
    lk_report_layer layers[3];
    lk_report_amplification amplification[2];
    lk_report_asked asked[2];
    double asked_shares[3];
    const char *notes[2];
} sample_report;

#define SAMPLE_BATCH \
    "aws-sdk-python/1.34 md/Botocore#1.34.84 ua/2.0 os/linux#5.10 lang/python#3.11.8"
#define SAMPLE_WEB \
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:126.0) Gecko/20100101 Firefox/126.0"

static inline int64_t sample_at(double s)
{
    return (int64_t)SAMPLE_START_S * LK_NS_PER_S + (int64_t)llround(s * 1e9);
}

/* Web traffic all along, refused in part for 1,000 s; then the batch's waves. */
static inline void sample_arrivals(sample_report *s)
{
    static const uint32_t SIZES[SAMPLE_WAVES] = { 3540, 2478, 1734, 1215, 849, 594, 417, 291, 204 };
    uint32_t noise = 1;

    for (size_t i = 0; i < SAMPLE_BINS; i++) {
        noise = noise * 1664525u + 1013904223u;
        s->all[i] = 26 + (noise >> 24) % 32;
        s->rejected[i] = i > 400 && i < 900 ? s->all[i] * 45 / 100 : 0;
    }
    for (size_t w = 0; w < SAMPLE_WAVES; w++) {
        size_t bin = 932 + 30 * w;

        s->all[bin] += SIZES[w];
        s->rejected[bin] += SIZES[w] - 61;
        s->waves[w] = (lk_report_wave){ .start_ns = sample_at(2.0 * (double)bin),
                                        .arrivals = SIZES[w],
                                        .rejected = SIZES[w] - 61,
                                        .width_s = 2.0,
                                        .peak_per_s = SIZES[w] / 2.0 };
    }
    s->report.arrivals =
        (lk_report_arrivals){ 2.0, sample_at(0), SAMPLE_BINS, s->all, s->rejected, NULL };
}

static inline void sample_input(sample_report *s)
{
    lk_report_input *in = &s->report.input;

    s->files[0] = (lk_report_file){ .path = "access.log.2.gz",
                                    .compression = "gzip",
                                    .format = "nginx-combined",
                                    .bytes = 1234567,
                                    .bytes_decompressed = 23456789,
                                    .lines = 60000 };
    s->files[1] = (lk_report_file){ .path = "access.log.1.gz",
                                    .compression = "gzip",
                                    .format = "nginx-combined",
                                    .bytes = 1200000,
                                    .bytes_decompressed = 22222222,
                                    .lines = 59083,
                                    .rejected = 20,
                                    .truncated = true,
                                    .problem = "gzip stream is cut short at byte 1200000" };
    s->samples[0] =
        (lk_report_sample){ "access.log.1.gz", 4711, "bad-timestamp",
                            "10.0.0.1 - - [32/Jul/2025:12:00:00 +0000] \"GET / HTTP/1.1\"", 74 };
    in->files = s->files;
    in->file_count = 2;
    in->lines_total = 119083;
    in->lines_parsed = 119060;
    in->lines_filtered = 0;
    in->lines_rejected = 20;
    in->lines_ignored = 3;
    in->samples = s->samples;
    in->sample_count = 1;
    in->span_start_ns = sample_at(0);
    in->span_end_ns = sample_at(5109);
    in->span_s = 5109;
    in->resolution_s = 1;
    in->moment = "end";
    in->zone = "logged";
    in->identity_call = "http_amz_sdk_invocation_id";
    in->identity_attempt = "http_amz_sdk_request";
    in->identity_caller = "remote_addr";
    in->callers = 5120;
    in->targets = 12;
    in->user_agents = 3;
    in->callers_error = in->targets_error = in->user_agents_error = 0;
    in->folded_targets = in->folded_user_agents = 0;
    in->unlisted_files = in->evicted_calls = in->folded_callers = in->late_lines = 0;
}

static inline void sample_counts(sample_report *s)
{
    lk_report *r = &s->report;

    r->http = (lk_report_http){ .requests = 119060,
                                .attempts = 119060,
                                .errors = 36909,
                                .client_errors = 301,
                                .client_gave_up = 7,
                                .rejected = 36909,
                                .error_share = 0.31,
                                .rejected_share = 36909.0 / 119060,
                                .first_attempts = 80123,
                                .retries = 38937 };
    r->http.by_status[200] = 81843;
    r->http.by_status[404] = 301;
    r->http.by_status[429] = 36800;
    r->http.by_status[499] = 7;
    r->http.by_status[503] = 109;
    r->calls = (lk_report_calls){ .source = "identity",
                                  .total = 80123,
                                  .failed = 3205,
                                  .succeeded_first = 71514,
                                  .recovered = 5404,
                                  .open = 0,
                                  .failed_share = 3205.0 / 80123,
                                  .attempts_mean = 1.486,
                                  .attempts_p50 = 1,
                                  .attempts_p99 = 3,
                                  .attempts_max = 3,
                                  .success_mean_s = 0.612,
                                  .success_p50_s = 0.0893,
                                  .success_p99_s = 24.6,
                                  .success_max_s = 541.2,
                                  .waiting_share = 0.84,
                                  .never_seen_in_http = LK_COUNT_NONE,
                                  .never_seen_in_sdk = LK_COUNT_NONE };
    r->reconciliation = (lk_report_reconciliation){
        36909, 27104,
        9615,  0,
        190,   "4.0 % of 80,123 calls failed and 31.0 % of 119,060 HTTP attempts were rejected"
    };
    r->wasted.retry_share = 38937.0 / 119060;
}

static inline void sample_clocks(sample_report *s)
{
    lk_report_clock *c = s->clocks;

    s->targets[0] = "/v1/summarise";
    s->candidates[0] =
        (lk_report_candidate){ 60, "a job queue's requeue delay (RQ, BullMQ, Celery countdown)" };
    s->candidates[1] = (lk_report_candidate){ 60, "a cron line that runs every minute" };
    c[0] = (lk_report_clock){ .kind = "retry",
                              .period_s = 60.02,
                              .period_error_s = 0.03,
                              .delay_s = 60.0,
                              .ln_false_alarm = -32.2,
                              .start_ns = sample_at(1864),
                              .end_ns = sample_at(2346),
                              .waves = 9,
                              .width_s = 2.1,
                              .duty = 0.035,
                              .phase_s = 4.1,
                              .drift_s = 0.02,
                              .population = SAMPLE_BATCH,
                              .targets = s->targets,
                              .target_count = 1,
                              .cause_rejections = 1180,
                              .cause_start_ns = sample_at(1804),
                              .cause_end_ns = sample_at(1806.2),
                              .share = 0.58,
                              .survival_ratio = 0.70,
                              .survival_low = 0.68,
                              .survival_high = 0.72,
                              .comebacks = 8123,
                              .callers = 1180,
                              .comebacks_on_delay = 0.97,
                              .preceded_by_rejection = 0.96,
                              .rejected_share = 0.93,
                              .from = "callers",
                              .candidates = s->candidates,
                              .candidate_count = 2,
                              .wave_list = s->waves,
                              .wave_count = SAMPLE_WAVES };
    c[1] = (lk_report_clock){ .kind = "scheduled",
                              .period_s = 300,
                              .period_error_s = 0.4,
                              .delay_s = (double)NAN,
                              .ln_false_alarm = -9.1,
                              .start_ns = sample_at(0),
                              .end_ns = sample_at(5100),
                              .waves = 17,
                              .width_s = 0.8,
                              .duty = 0.0027,
                              .phase_s = 0,
                              .drift_s = (double)NAN,
                              .cause_rejections = LK_COUNT_NONE,
                              .cause_start_ns = LK_TIME_NONE,
                              .cause_end_ns = LK_TIME_NONE,
                              .share = 0.004,
                              .survival_ratio = (double)NAN,
                              .survival_low = (double)NAN,
                              .survival_high = (double)NAN,
                              .comebacks = LK_COUNT_NONE,
                              .callers = 12,
                              .comebacks_on_delay = (double)NAN,
                              .preceded_by_rejection = 0.02,
                              .rejected_share = 0.03,
                              .at_whole_minutes = true,
                              .from = "arrivals" };
    s->report.clocks = c;
    s->report.clock_count = 2;
    s->delays[0] = (lk_report_fixed_delay){ 60.0, SAMPLE_BATCH, 1062, true };
    s->delays[1] = (lk_report_fixed_delay){ 12.0, SAMPLE_BATCH, 7061, true };
    s->delays[2] = (lk_report_fixed_delay){ 0.5, NULL, 31, false };
    s->report.fixed_delays = s->delays;
    s->report.fixed_delay_count = 3;
}

static inline void sample_retries(sample_report *s)
{
    lk_report *r = &s->report;

    s->layers[0] = (lk_report_layer){
        SAMPLE_BATCH, "sdk", "http_amz_sdk_invocation_id", 10634, 31900, 3.0, 3, 3, LK_YES, 12.0,
        2.96
    };
    s->layers[1] = (lk_report_layer){ SAMPLE_BATCH, "job", "delay:60.0",  1180,  10634,
                                      9.01,         9,     LK_COUNT_NONE, LK_NO, 60.0, (double)NAN };
    s->layers[2] = (lk_report_layer){ SAMPLE_WEB, "sdk", "inferred", 80000,        81600,
                                      1.02,       3,     3,          LK_NOT_KNOWN, (double)NAN, (double)NAN };
    r->layers = s->layers;
    r->layer_count = 3;
    s->amplification[0] = (lk_report_amplification){ SAMPLE_BATCH, 1180, 31900, 27.03, 27, LK_NO,
                                                     1180,         3540, 60.0 };
    s->amplification[1] = (lk_report_amplification){ SAMPLE_WEB, 80000, 81600, 1.02, 3, LK_YES,
                                                     LK_COUNT_NONE, LK_COUNT_NONE, (double)NAN };
    r->amplification = s->amplification;
    r->amplification_count = 2;
    s->asked[0] = (lk_report_asked){ 12.0, 36700 };
    s->asked[1] = (lk_report_asked){ 30.0, 100 };
    s->asked_shares[0] = 1;
    s->asked_shares[1] = (double)NAN;
    s->asked_shares[2] = 0.5;
    r->retry_after = (lk_report_retry_after){
        .rejections = 36909, .with_header = 36800, .values = s->asked, .value_count = 2,
        .seconds = 36700, .fraction = 0, .milliseconds = 0, .date = 60, .malformed = 30, .past = 10,
        .negative = 5, .zero = 12, .obedience = { 24000, 0.98, 0.01, 0.01, 0.001 },
        .share_bin_s = 1200, .share_from_ns = sample_at(0), .shares = s->asked_shares,
        .share_count = 3, .findings = { "A <finding> about the header" }, .finding_count = 1,
    };
}

static inline lk_report *sample_seed(sample_report *s)
{
    lk_report *r = &s->report;

    memset(s, 0, sizeof(*s));
    lk_report_init(r);
    r->synchronised = LK_YES;
    r->headline = "A 60.0 s clock in a retry path drives 58 % of the rejected traffic";
    r->exit_status = 3;
    sample_arrivals(s);
    sample_input(s);
    sample_counts(s);
    sample_clocks(s);
    sample_retries(s);
    for (size_t i = 0; i < 4; i++) {
        s->period[i] = 60.0 / (double)(i + 1);
        s->power[i] = 40.0 - 9 * (double)i;
    }
    r->spectrum = (lk_report_spectrum){ 0.25, 4, s->period, s->power, 14.2 };
    s->notes[0] = "Whether the server was short of capacity: the log does not show its allowance.";
    s->notes[1] = "Which of the two layers waits first: stamps are whole seconds.";
    r->notes = s->notes;
    r->note_count = 2;
    return r;
}

static inline lk_report *sample_empty(sample_report *s)
{
    memset(s, 0, sizeof(*s));
    lk_report_init(&s->report);
    s->report.exit_status = 3;
    return &s->report;
}

#endif
