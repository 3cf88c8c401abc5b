/* What every line of the sample logs says, against testdata/format/golden: worked out from the
 * documents of the formats and the configurations that the logs were written with. */
#include "format_lines.h"

/* clang-format off */
static const char *const SAMPLES[] = {
    "apache-combined", "apache-common", "app-servers", "aws-alb", "aws-apigateway-clf",
    "aws-cloudfront", "aws-elb", "aws-s3", "custom-apache-combinedio", "custom-apache-times",
    "custom-apache-vhost", "custom-apache-wide", "custom-nginx-none", "custom-nginx-timed",
    "dst-offsets", "envoy", "ext-ingress", "haproxy", "haproxy-rfc5424", "heroku", "istio",
    "json-api-gateway", "json-appgw-v1", "json-appgw-v2", "json-caddy", "json-caddy-console",
    "json-caddy-iso", "json-cloudflare", "json-envoy", "json-frontdoor", "json-gcp", "json-nginx",
    "json-sdk", "json-traefik", "json-varnishncsa", "lighttpd", "nginx-combined", "sdk-combined",
    "sdk-timed", "squid-access", "squid-combined", "squid-common", "squid-wide", "traefik-clf",
    "varnishncsa", "varnishncsa-backend", "varnishncsa-wide", "w3c-iis",
};
/* clang-format on */

/* line, moment ('*' = not known from the line), instant, duration in ns, status, caller, tries */
typedef struct expectation {
    size_t line, tries;
    char moment[24], at[48], took[24], caller[64];
    unsigned status;
    int count; /* of columns: 7, or 2 for a line that is no request, with the reason in `moment` */
} expectation;

static void write_instant(int64_t at_ns, char out[48])
{
    char ms[40];

    lk_time_format(at_ns, ms);
    (void)snprintf(out, 48, "%.19s.%09lld", ms, (long long)(at_ns % LK_NS_PER_S));
}

static void check_request(const char *name, const expectation *want, const lk_fields *f)
{
    static const char *const MOMENTS[] = { "unknown", "start", "end" };
    char at[48], took[24] = "-";
    lk_slice caller = f->caller.len ? f->caller : LK_SLICE("-");

    write_instant(f->stamp_ns, at);
    if (f->took_ns >= 0)
        (void)snprintf(took, sizeof(took), "%lld", (long long)f->took_ns);
    check(want->count == 7, "%s:%zu: a request, not %s", name, want->line, want->moment);
    check(strcmp(want->at, at) == 0, "%s:%zu: at %s, not %s", name, want->line, at, want->at);
    check(strcmp(want->took, took) == 0, "%s:%zu: took %s, not %s", name, want->line, took,
          want->took);
    check(want->status == f->status, "%s:%zu: status %u", name, want->line, f->status);
    check(lk_slice_is(caller, want->caller), "%s:%zu: caller '%.*s'", name, want->line,
          (int)caller.len, caller.p);
    check(want->tries == f->try_count || want->tries + f->try_count == 1, "%s:%zu: %zu tries", name,
          want->line, f->try_count);
    check(want->moment[0] == '*' || strcmp(want->moment, MOMENTS[f->moment]) == 0, "%s:%zu: %s",
          name, want->line, MOMENTS[f->moment]);
}

static bool next_expectation(FILE *file, expectation *out)
{
    char row[256];

    if (!fgets(row, sizeof(row), file))
        return false;
    out->count = sscanf(row, "%zu\t%23s\t%47s\t%23s\t%u\t%63s\t%zu", &out->line, out->moment,
                        out->at, out->took, &out->status, out->caller, &out->tries);
    return true;
}

static void check_sample(const char *name)
{
    char file_name[100], path[200];
    expectation want;
    sample *s;
    FILE *golden;

    (void)snprintf(file_name, sizeof(file_name), "%s.log", name);
    (void)snprintf(path, sizeof(path), "testdata/format/golden/%s.tsv", name);
    s = sample_open(file_name);
    golden = fopen(path, "r");
    check(golden, "cannot open %s", path);
    while (sample_line(s)) {
        lk_reject why;
        lk_fields f;

        check(next_expectation(golden, &want), "%s: more lines than expectations", name);
        if (lk_layout_parse(&s->layout, &s->cache, sample_text(s), &f, &why))
            check_request(name, &want, &f);
        else
            check(strcmp(want.moment, why == LK_REJECT_NONE ? "ignored" : lk_reject_name(why)) == 0,
                  "%s:%zu: %s, not %s", name, want.line, lk_reject_name(why), want.moment);
    }
    check(!next_expectation(golden, &want), "%s: fewer lines than expectations", name);
    (void)fclose(golden);
    sample_close(s);
}

TEST(samples_say_what_their_writers_meant)
{
    for (size_t i = 0; i < ROWS(SAMPLES); i++)
        check_sample(SAMPLES[i]);
}

TESTS(T(samples_say_what_their_writers_meant))
