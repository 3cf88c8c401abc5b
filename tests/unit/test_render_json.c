#include "unit.h"

#include "model/json.h"
#include "report/render.h"
#include "sample_report.h"

#include <lockstep/lockstep.h>

#include <stdlib.h>

static const lk_style STYLE = { 80, false, false, NULL };

static lk_json *rendered(const lk_report *r)
{
    lk_err e = { 0 };
    lk_json *root;
    lk_buf out;

    lk_buf_init(&out);
    check_ok(lk_render(r, "json", &STYLE, &out, &e), e);
    check(out.p[out.len - 1] == '\n', "ends in a newline");
    root = lk_json_parse((lk_slice){ out.p, out.len });
    check(root != NULL, "is JSON");
    lk_buf_release(&out);
    return root;
}

/* "clocks.0.evidence.from" */
static const lk_json *dig(const lk_json *v, const char *path)
{
    char key[64];

    while (v && *path) {
        size_t len = strcspn(path, ".");

        check(len < sizeof(key), "%s", path);
        memcpy(key, path, len);
        key[len] = '\0';
        if (lk_json_first(v) && !lk_json_key(lk_json_first(v))) {
            long i = strtol(key, NULL, 10);

            for (v = lk_json_first(v); v && i > 0; i--)
                v = lk_json_next(v);
        } else {
            v = lk_json_get(v, key);
        }
        path += len + (path[len] == '.');
    }
    return v;
}

static void check_number(const lk_json *root, const char *path, double want)
{
    double have = -1;

    check(lk_json_number(dig(root, path), &have), "%s is no number", path);
    check(fabs(have - want) <= 1e-5 * fabs(want), "%s: have %g, want %g", path, have, want);
}

static void check_text(const lk_json *root, const char *path, const char *want)
{
    lk_slice have = LK_SLICE_NONE;

    check(lk_json_text(dig(root, path), &have), "%s is no text", path);
    check(lk_slice_is(have, want), "%s: have '%.*s', want '%s'", path, (int)have.len, have.p, want);
}

TEST(render_json_prints_the_seed_incident)
{
    static sample_report s;
    lk_json *root = rendered(sample_seed(&s));

    check_text(root, "schema", "lockstep.report/1");
    check_text(root, "generator.version", LOCKSTEP_VERSION);
    check_number(root, "verdict.exit_status", 3);
    check_number(root, "http.attempts", 119060);
    check_number(root, "http.by_status.429", 36800);
    check_number(root, "calls.failed_share", 0.0400010);
    check_number(root, "reconciliation.unattributed", 190);
    check_number(root, "input.files.1.rejected", 20);
    check_text(root, "input.rejected_samples.0.reason", "bad-timestamp");
    check_text(root, "input.span.end", "2025-07-15T13:25:09.000Z");
    check_number(root, "arrivals.bin_s", 2);
    check_number(root, "arrivals.all.932", (double)s.all[932]);
    check_number(root, "clocks.0.period_s", 60.02);
    check_number(root, "clocks.0.survival_ratio_interval.1", 0.72);
    check_number(root, "clocks.0.cause.rejections", 1180);
    check_text(root, "clocks.0.population", SAMPLE_BATCH);
    check_text(root, "clocks.0.targets.0", "/v1/summarise");
    check_text(root, "clocks.0.wave_list.0.start", "2025-07-15T12:31:04.000Z");
    check_text(root, "clocks.0.evidence.from", "callers");
    check_number(root, "layers.1.amplification", 9.01);
    check_number(root, "amplification.0.mean", 27.03);
    check_number(root, "retry_after.values.0.value_s", 12);
    check_number(root, "fixed_delays.1.delay_s", 12);
    lk_json_free(root);
}

TEST(render_json_keeps_four_parts_that_sum_to_the_rejected)
{
    static const char *const PARTS[] = { "reconciliation.in_recovered_calls",
                                         "reconciliation.in_failed_calls",
                                         "reconciliation.in_open_calls",
                                         "reconciliation.unattributed" };
    static sample_report s;
    lk_json *root = rendered(sample_seed(&s));
    double sum = 0, x = 0;

    for (size_t i = 0; i < ROWS(PARTS); i++) {
        check(lk_json_number(dig(root, PARTS[i]), &x), "%s", PARTS[i]);
        sum += x;
    }
    check_number(root, "reconciliation.rejected", sum);
    lk_json_free(root);
}

TEST(render_json_prints_null_for_what_is_unknown)
{
    static const char *const UNKNOWN[] = {
        "verdict.synchronised", "verdict.overload",  "verdict.headline", "incident",
        "input.span.start",     "input.lines.total", "http.attempts",    "http.rejected_share",
        "calls.source",         "calls.total",       "calls.open",       "reconciliation.rejected",
        "wasted.retry_share",   "arrivals.bin_s",    "arrivals.start",   "arrivals.retries",
        "spectrum.threshold",   "retry_after.exact", "capacity.source",  "outlook.backlog",
        "wasted.over_budget.0",
    };
    static sample_report s;
    lk_json *root = rendered(sample_empty(&s));

    for (size_t i = 0; i < ROWS(UNKNOWN); i++)
        check(dig(root, UNKNOWN[i]) == NULL, "%s is not null", UNKNOWN[i]);
    check_number(root, "verdict.exit_status", 3);
    lk_json_free(root);
}

TEST(render_json_prints_unknown_parts_of_a_clock_as_null)
{
    static sample_report s;
    lk_json *root = rendered(sample_seed(&s));

    check(dig(root, "clocks.1.delay_s") == NULL, "delay");
    check(dig(root, "clocks.1.cause") == NULL, "cause");
    check(dig(root, "clocks.1.survival_ratio_interval") == NULL, "interval");
    check(dig(root, "clocks.1.population") == NULL, "population");
    check(dig(root, "layers.1.cap") == NULL, "cap");
    check(dig(root, "layers.2.bounded") == NULL, "bounded");
    lk_json_free(root);
}

TEST(render_json_floors_the_chance_of_a_false_alarm)
{
    static const struct {
        double ln, want;
    } CASES[] = { { -1e5, 1e-300 }, { -13.815511, 1e-6 }, { 0, 1 }, { 5, 1 } };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        static sample_report s;
        lk_report *r = sample_seed(&s);
        lk_json *root;

        r->clocks[0].ln_false_alarm = CASES[i].ln;
        root = rendered(r);
        check_number(root, "clocks.0.false_alarm_probability", CASES[i].want);
        lk_json_free(root);
    }
}

TEST(render_json_makes_log_strings_safe)
{
    static sample_report s;
    lk_report *r = sample_seed(&s);
    lk_json *root;

    r->clocks[0].population = "curl\x1b[31m \xe2\x80\xae"
                              "evil \xc3\xa9 \xff";
    s.targets[0] = "/\"quoted\"\\\n";
    r->amplification[0].population = "M\xc3\xbcnchen \xe2\x86\x92 \xe6\x97\xa5\xe6\x9c\xac <b>";
    root = rendered(r);
    check_text(root, "clocks.0.population", "curl\\x1b[31m \\u{202e}evil \xc3\xa9 \\xff");
    check_text(root, "clocks.0.targets.0", "/\"quoted\"\\\\x0a");
    check_text(root, "amplification.0.population",
               "M\xc3\xbcnchen \xe2\x86\x92 \xe6\x97\xa5\xe6\x9c\xac <b>");
    lk_json_free(root);
}

TEST(render_json_gives_the_same_bytes_twice_whatever_the_style)
{
    static sample_report s;
    const lk_style other = { 200, true, true, NULL };
    const lk_report *r = sample_seed(&s);
    lk_err e = { 0 };
    lk_buf a, b;

    lk_buf_init(&a);
    lk_buf_init(&b);
    check_ok(lk_render(r, "json", &STYLE, &a, &e), e);
    check_ok(lk_render(r, "json", &other, &b, &e), e);
    check(a.len == b.len && memcmp(a.p, b.p, a.len) == 0, "differs");
    lk_buf_release(&a);
    lk_buf_release(&b);
}

TEST(render_refuses_an_unknown_format)
{
    static sample_report s;
    lk_err e = { 0 };
    lk_buf out;

    lk_buf_init(&out);
    check(lk_render(sample_empty(&s), "jsno", &STYLE, &out, &e) == LK_EUSAGE, "code");
    check(strstr(e.msg, "jsno") != NULL, "%s", e.msg);
    check(out.len == 0, "nothing is printed");
    lk_buf_release(&out);
}

TESTS(T(render_json_prints_the_seed_incident),
      T(render_json_keeps_four_parts_that_sum_to_the_rejected),
      T(render_json_prints_null_for_what_is_unknown),
      T(render_json_prints_unknown_parts_of_a_clock_as_null),
      T(render_json_floors_the_chance_of_a_false_alarm), T(render_json_makes_log_strings_safe),
      T(render_json_gives_the_same_bytes_twice_whatever_the_style),
      T(render_refuses_an_unknown_format))
