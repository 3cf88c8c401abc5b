#include "unit.h"

#include "base/text.h"
#include "report/render.h"
#include "sample_report.h"

static const lk_style PLAIN = { 80, false, false, NULL };

typedef struct page {
    lk_buf text;
} page;

static page rendered(const lk_report *r, lk_style style)
{
    page p;
    lk_err e = { 0 };

    lk_buf_init(&p.text);
    check_ok(lk_render(r, "text", &style, &p.text, &e), e);
    return p;
}

static bool says(const page *p, const char *text)
{
    return strstr(p->text.p, text) != NULL;
}

/* Is `text` there, wherever its lines were broken? */
static bool says_wrapped(const page *p, const char *text)
{
    const char *at = p->text.p, *want;

    for (; *at; at++) {
        const char *have = at;

        for (want = text; *want; want++) {
            if (*want != ' ' && *have++ != *want)
                break;
            if (*want == ' ') {
                if (*have != ' ' && *have != '\n')
                    break;
                have += strspn(have, " \n");
            }
        }
        if (!*want)
            return true;
    }
    return false;
}

/* What holds for every text report. */
static void check_page(const page *p, size_t width, bool ascii)
{
    char line[2048];
    size_t number = 0;

    for (const char *at = p->text.p; *at; at += strcspn(at, "\n") + 1) {
        size_t len = strcspn(at, "\n");

        number++;
        check(at[len] == '\n' && len < sizeof(line), "line %zu has no end", number);
        memcpy(line, at, len);
        line[len] = '\0';
        check(lk_text_width(line) <= width, "line %zu takes %zu columns: %.400s", number,
              lk_text_width(line), line);
        check(len == 0 || line[len - 1] != ' ', "line %zu ends in blanks: '%.400s'", number, line);
        for (size_t i = 0; i < len; i++)
            check((unsigned char)line[i] >= 0x20 && line[i] != 0x7f, "line %zu: control byte",
                  number);
        for (size_t i = 0; ascii && i < len; i++)
            check((unsigned char)line[i] < 0x80, "line %zu: not ASCII: %.400s", number, line);
        check(!strstr(line, "nan") && !strstr(line, "(null)") && !strstr(line, "inf "),
              "line %zu: %.400s", number, line);
    }
}

static void check_everywhere(const lk_report *r)
{
    static const size_t WIDTHS[] = { 40, 60, 79, 80, 120, 200, 399, 5000 };

    for (size_t i = 0; i < ROWS(WIDTHS); i++)
        for (int ascii = 0; ascii <= 1; ascii++) {
            page p = rendered(r, (lk_style){ WIDTHS[i], ascii == 1, false, NULL });

            check_page(&p, WIDTHS[i], ascii == 1);
            lk_buf_release(&p.text);
        }
}

TEST(render_text_fits_every_width)
{
    static sample_report s;

    check_everywhere(sample_seed(&s));
    check_everywhere(sample_empty(&s));
}

TEST(render_text_leads_with_the_verdict_and_the_two_rates)
{
    static sample_report s;
    page p = rendered(sample_seed(&s), PLAIN);
    const char *verdict = strstr(p.text.p, "A 60.0 s clock in a retry path drives 58 %");
    const char *http =
        strstr(p.text.p, "31.0 % of 119,060 HTTP attempts were rejected (429, 503, 529): 36,909");
    const char *calls = strstr(p.text.p, "4.0 % of 80,123 calls failed: 3,205");

    check(verdict && http && calls, "%s", p.text.p);
    check(verdict < http && http < calls, "in this order");
    check(calls - p.text.p < 1000, "at the top");
    lk_buf_release(&p.text);
}

static int64_t number_before(const page *p, const char *text)
{
    const char *at = strstr(p->text.p, text);
    int64_t value = 0;

    check(at != NULL, "'%s' is missing", text);
    while (at > p->text.p && at[-1] != '\n')
        at--;
    for (at += strspn(at, " "); *at && *at != ' '; at++)
        if (*at >= '0' && *at <= '9')
            value = value * 10 + (*at - '0');
    return value;
}

TEST(render_text_accounts_for_every_rejected_attempt)
{
    static sample_report s;
    page p = rendered(sample_seed(&s), PLAIN);
    int64_t total = number_before(&p, "%  in total");
    int64_t sum = number_before(&p, "%  in calls that recovered") +
                  number_before(&p, "%  in calls that failed") +
                  number_before(&p, "%  in calls still open when the log ends") +
                  number_before(&p, "%  not attributable to a call");

    check(total == 36909 && sum == total, "sum %jd, total %jd", (intmax_t)sum, (intmax_t)total);
    lk_buf_release(&p.text);
}

TEST(render_text_says_what_is_known_of_each_clock)
{
    static const char *const WANT[] = {
        "1. Retry clock: every 60.02 s \xc2\xb1 0.03 s",
        "a constant of 60 s: a job queue's requeue delay",
        "1,180 callers, user agent aws-sdk-python/1.34",
        "/v1/summarise",
        "2025-07-15 12:31:04 to 12:39:06 UTC",
        "9, each arriving within 2.1 s (3.5 % of the period)",
        "1,180 rejected attempts, 2025-07-15 12:30:04.000 to 12:30:06.200 UTC",
        "58.0 % of all HTTP attempts of that time",
        "each wave is 0.70 of the one before (0.68 to 0.72)",
        "8,123 comebacks (attempts after a failure) came on this delay, 97.0 % of all",
        "chance that random traffic looks so: less than 1 in a billion",
        "12:31:04 3,540 3,479 2.0 s 1,770",
        "2. Schedule: every 300.0 s \xc2\xb1 0.4 s (5 min)",
        "at whole minutes",
        "= SDK 3.00 (at most 3, waits 12.0 s) \xc3\x97 job runner 9.01 (no cap, waits 60.0 s)",
        "unbounded: it grows as long as the incident lasts",
        "12.0 s (36,700 times), 30.0 s (100 times)",
        "gzip stream is cut short at byte 1200000",
        "access.log.1.gz:4711: bad-timestamp",
        "Whether the server was short of capacity",
    };
    static sample_report s;
    page p = rendered(sample_seed(&s), PLAIN);

    for (size_t i = 0; i < ROWS(WANT); i++)
        check(says_wrapped(&p, WANT[i]), "'%s' is missing in\n%s", WANT[i], p.text.p);
    lk_buf_release(&p.text);
}

TEST(render_text_says_little_of_an_empty_input)
{
    static sample_report s;
    page p = rendered(sample_empty(&s), PLAIN);

    check(says(&p, "Nothing can be said"), "%s", p.text.p);
    check(!says(&p, "Error rate") && !says(&p, "Arrivals") && !says(&p, "Clocks"), "%s", p.text.p);
    lk_buf_release(&p.text);
}

TEST(render_text_colours_only_when_asked)
{
    static sample_report s;
    page plain = rendered(sample_seed(&s), PLAIN);
    page coloured = rendered(sample_seed(&s), (lk_style){ 80, false, true, NULL });
    size_t at = 0;

    check(!strchr(plain.text.p, '\033'), "an escape without colour");
    check(says(&coloured, "\033[31m") && says(&coloured, "\033[0m"), "no colour");
    for (const char *c = coloured.text.p; *c; c++) { /* the colours aside it is the same text */
        if (*c == '\033')
            c = strchr(c, 'm');
        else
            check(plain.text.p[at++] == *c, "differs at byte %zu", at);
    }
    check(plain.text.p[at] == '\0', "shorter");
    lk_buf_release(&plain.text);
    lk_buf_release(&coloured.text);
}

TEST(render_text_makes_log_strings_harmless)
{
    static const char EVIL[] = "curl\x1b]0;owned\x07\r\n\xe2\x80\xae \x9b\xff<script>"
                               "%s%n%1000d \xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e";
    static sample_report s;
    lk_report *r = sample_seed(&s);

    r->headline = EVIL;
    r->clocks[0].population = r->amplification[0].population = r->layers[0].name = EVIL;
    r->fixed_delays[0].population = s.targets[0] = EVIL;
    s.files[0].path = s.files[0].format = s.files[1].problem = s.samples[0].text = EVIL;
    s.candidates[0].what = s.notes[0] = r->input.identity_call = EVIL;
    check_everywhere(r);
}

TEST(render_text_breaks_words_that_are_too_long)
{
    static char word[3001];
    static sample_report s;
    lk_report *r = sample_seed(&s);

    memset(word, 'w', sizeof(word) - 1);
    r->headline = r->clocks[0].population = s.targets[0] = word;
    s.files[1].problem = s.notes[0] = s.candidates[0].what = s.files[0].path = word;
    check_everywhere(r);
}

/* ---- sizes ---- */

static lk_report *one_attempt(sample_report *s)
{
    lk_report *r = sample_empty(s);

    r->synchronised = LK_NO;
    r->http.requests = r->http.attempts = 1;
    r->http.rejected = r->http.errors = 0;
    r->http.rejected_share = r->http.error_share = 0;
    r->http.by_status[200] = 1;
    s->all[0] = 1;
    r->arrivals = (lk_report_arrivals){ 1, sample_at(0.25), 1, s->all, s->rejected, NULL };
    r->input.span_start_ns = r->input.span_end_ns = sample_at(0.25);
    r->input.span_s = 0;
    return r;
}

TEST(render_text_shows_one_attempt)
{
    static sample_report s;
    page p = rendered(one_attempt(&s), PLAIN);

    check(says(&p, "0.0 % of 1 HTTP attempt were rejected"), "%s", p.text.p);
    check(says(&p, "How many calls failed is not known"), "%s", p.text.p);
    check(says(&p, "None of these was rejected"), "%s", p.text.p);
    lk_buf_release(&p.text);
    check_everywhere(one_attempt(&s));
}

TEST(render_text_shows_a_milliard_attempts)
{
    static sample_report s;
    lk_report *r = sample_seed(&s);
    page p;

    r->http.attempts = r->http.requests = INT64_C(1000000000);
    r->http.rejected = r->reconciliation.rejected = INT64_C(999999999);
    r->http.rejected_share = 0.999999999;
    r->reconciliation.in_failed_calls = r->reconciliation.rejected;
    r->amplification[0].units = r->amplification[0].attempts = INT64_MAX;
    r->calls.total = INT64_MAX;
    for (size_t i = 0; i < SAMPLE_BINS; i++)
        s.all[i] = s.rejected[i] = UINT32_MAX;
    p = rendered(r, PLAIN);
    check(says(&p, ">99.9 % of 1,000,000,000 HTTP attempts"), "%s", p.text.p);
    check(says(&p, "G/s"), "%s", p.text.p);
    lk_buf_release(&p.text);
    check_everywhere(r);
}

TEST(render_text_draws_every_span)
{
    static const double BINS_S[] = { 0.000001, 0.01, 0.25, 1, 7, 60, 3600, 86400, 7 * 86400 };
    static const size_t COUNTS[] = { 1, 2, 7, 69, 70, 1000, SAMPLE_BINS };

    for (size_t i = 0; i < ROWS(BINS_S); i++)
        for (size_t j = 0; j < ROWS(COUNTS); j++) {
            static sample_report s;
            lk_report *r = sample_seed(&s);
            page p;

            r->arrivals.bin_s = BINS_S[i];
            r->arrivals.n = COUNTS[j];
            p = rendered(r, PLAIN);
            check(says(&p, "\nArrivals"), "%g s, %zu bins", BINS_S[i], COUNTS[j]);
            check_page(&p, 80, false);
            lk_buf_release(&p.text);
        }
}

TEST(render_text_draws_nothing_at_the_ends_of_time)
{
    static const int64_t STARTS[] = { INT64_MAX, INT64_MIN + 1, INT64_C(8999999999000000000) };

    for (size_t i = 0; i < ROWS(STARTS); i++) {
        static sample_report s;
        lk_report *r = sample_seed(&s);
        page p;

        r->arrivals.start_ns = STARTS[i];
        p = rendered(r, PLAIN);
        check(!says(&p, "\nArrivals"), "row %zu", i);
        lk_buf_release(&p.text);
    }
}

TEST(render_text_draws_bars_as_high_as_the_bins)
{
    static sample_report s;
    lk_report *r = one_attempt(&s);
    page p;

    for (size_t i = 0; i < 6; i++)
        s.all[i] = (uint32_t)(10 * (i + 1));
    s.rejected[5] = 30;
    r->arrivals = (lk_report_arrivals){ 1, sample_at(0), 6, s.all, s.rejected, NULL };
    p = rendered(r, (lk_style){ 80, true, false, NULL });
    check(says(&p, "     60/s |                                        ########\n"
                   "          |                                ################\n"
                   "          |                        ########################\n"
                   "     30/s |                ################################\n"
                   "          |        ########################################\n"
                   "          |################################################\n"
                   "        0 +"),
          "%s", p.text.p);
    check(says(&p, "     30/s |                                        ########\n"
                   "          |                                        ########\n"
                   "          |                                        ########\n"
                   "        0 +"),
          "%s", p.text.p);
    check(says(&p, "Busiest 1 s: 60 HTTP attempts, from 2025-07-15 12:00:05 UTC."), "%s", p.text.p);
    lk_buf_release(&p.text);
}

TEST(render_text_shows_the_waves_where_the_overview_cannot)
{
    static sample_report s;
    lk_report *r = sample_seed(&s);
    page p = rendered(r, PLAIN);

    check(says(&p, "Closer, at the waves of the 60.0 s clock"), "%s", p.text.p);
    lk_buf_release(&p.text);
    r->clocks[0].period_s = 3; /* below four bins */
    p = rendered(r, PLAIN);
    check(!says(&p, "Closer"), "%s", p.text.p);
    lk_buf_release(&p.text);
    r->clocks[0].period_s = 60;
    s.waves[0].start_ns = INT64_MAX; /* outside the arrivals */
    p = rendered(r, PLAIN);
    check(!says(&p, "Closer"), "%s", p.text.p);
    lk_buf_release(&p.text);
}

/* ---- what is not known ---- */

static void forget_clock(lk_report_clock *c)
{
    const double nan = (double)NAN;
    const char *kind = c->kind;

    *c = (lk_report_clock){ .kind = kind,
                            .period_s = nan,
                            .period_error_s = nan,
                            .delay_s = nan,
                            .ln_false_alarm = nan,
                            .start_ns = LK_TIME_NONE,
                            .end_ns = LK_TIME_NONE,
                            .waves = LK_COUNT_NONE,
                            .width_s = nan,
                            .duty = nan,
                            .phase_s = nan,
                            .drift_s = nan,
                            .cause_rejections = LK_COUNT_NONE,
                            .cause_start_ns = LK_TIME_NONE,
                            .cause_end_ns = LK_TIME_NONE,
                            .share = nan,
                            .survival_ratio = nan,
                            .survival_low = nan,
                            .survival_high = nan,
                            .comebacks = LK_COUNT_NONE,
                            .callers = LK_COUNT_NONE,
                            .comebacks_on_delay = nan,
                            .preceded_by_rejection = nan,
                            .rejected_share = nan };
}

TEST(render_text_never_prints_nan_or_null)
{
    static sample_report s;
    lk_report *r = sample_seed(&s);

    forget_clock(&r->clocks[0]);
    r->clocks[1].kind = NULL;
    r->clocks[1].width_s = r->clocks[1].duty = (double)NAN;
    r->layers[0].amplification = r->layers[1].delay_s = (double)NAN;
    r->layers[0].name = r->layers[0].identity = NULL;
    r->amplification[0].mean = (double)NAN;
    r->amplification[0].max = r->amplification[0].units = LK_COUNT_NONE;
    r->amplification[1].population = NULL;
    r->fixed_delays[0].delay_s = (double)NAN;
    r->fixed_delays[1].comebacks = LK_COUNT_NONE;
    s.waves[0] =
        (lk_report_wave){ LK_TIME_NONE, LK_COUNT_NONE, LK_COUNT_NONE, (double)NAN, (double)NAN };
    s.files[0] = (lk_report_file){ .path = "x", .bytes = LK_COUNT_NONE, .lines = LK_COUNT_NONE };
    s.samples[0] = (lk_report_sample){ NULL, 0, NULL, NULL, 0 };
    r->calls.success_p99_s = (double)INFINITY;
    r->calls.failed = r->calls.recovered = r->calls.open = LK_COUNT_NONE;
    r->calls.failed_share = r->http.rejected_share = (double)NAN;
    r->reconciliation.in_open_calls = LK_COUNT_NONE;
    r->calls.source = "hearsay";
    r->input.zone = r->input.moment = NULL;
    r->input.span_s = (double)NAN;
    r->retry_after.rejections = LK_COUNT_NONE;
    r->arrivals.rejected = NULL;
    check_everywhere(r);
}

TEST(render_text_lists_the_first_of_many)
{
    static sample_report s;
    static lk_report_file files[300];
    static lk_report_wave waves[100];
    static lk_report_amplification many[50];
    lk_report *r = sample_seed(&s);
    page p;

    for (size_t i = 0; i < ROWS(files); i++)
        files[i] = (lk_report_file){ .path = "log",
                                     .compression = "none",
                                     .format = "combined",
                                     .problem = i == 250 ? "it is odd" : NULL };
    for (size_t i = 0; i < ROWS(waves); i++)
        waves[i] = s.waves[i % SAMPLE_WAVES];
    for (size_t i = 0; i < ROWS(many); i++)
        many[i] = s.amplification[0];
    r->input.files = files;
    r->input.file_count = ROWS(files);
    r->clocks[0].wave_list = waves;
    r->clocks[0].wave_count = ROWS(waves);
    r->amplification = many;
    r->amplification_count = ROWS(many);
    p = rendered(r, PLAIN);
    check(says(&p, "and 289 more files without trouble"), "%s", p.text.p);
    check(says(&p, "it is odd"), "the file with a problem is shown");
    check(says(&p, "90 more\n"), "%s", p.text.p);
    check(says(&p, "and 38 more populations"), "%s", p.text.p);
    check_page(&p, 80, false);
    lk_buf_release(&p.text);
}

TESTS(T(render_text_fits_every_width), T(render_text_leads_with_the_verdict_and_the_two_rates),
      T(render_text_accounts_for_every_rejected_attempt),
      T(render_text_says_what_is_known_of_each_clock), T(render_text_says_little_of_an_empty_input),
      T(render_text_colours_only_when_asked), T(render_text_makes_log_strings_harmless),
      T(render_text_breaks_words_that_are_too_long), T(render_text_shows_one_attempt),
      T(render_text_shows_a_milliard_attempts), T(render_text_draws_every_span),
      T(render_text_draws_nothing_at_the_ends_of_time),
      T(render_text_draws_bars_as_high_as_the_bins),
      T(render_text_shows_the_waves_where_the_overview_cannot),
      T(render_text_never_prints_nan_or_null), T(render_text_lists_the_first_of_many))
