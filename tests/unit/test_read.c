#include "unit.h"

#include "report/read.h"
#include "report/render.h"
#include "sample_report.h"

#include <stdio.h>

static const lk_style STYLE = { 80, false, false, NULL };

static lk_buf rendered(const lk_report *r, const char *format)
{
    lk_err e = { 0 };
    lk_buf out;

    lk_buf_init(&out);
    check_ok(lk_render(r, format, &STYLE, &out, &e), e);
    return out;
}

/* What was settled, printed, read and printed again is the same, in every format. */
static void check_round(lk_report *r)
{
    lk_report back;
    lk_arena arena;
    lk_err e = { 0 };
    lk_buf saved;

    lk_arena_init(&arena, 0);
    check_ok(lk_report_settle(r, &arena, &e), e);
    saved = rendered(r, "json");
    check_ok(lk_report_read((lk_slice){ saved.p, saved.len }, &arena, &back, &e), e);
    for (size_t i = 0; LK_RENDERERS[i]; i++) {
        lk_buf want = rendered(r, LK_RENDERERS[i]->name);
        lk_buf have = rendered(&back, LK_RENDERERS[i]->name);

        check(have.len == want.len && memcmp(have.p, want.p, want.len) == 0, "%s differs",
              LK_RENDERERS[i]->name);
        lk_buf_release(&want);
        lk_buf_release(&have);
    }
    lk_buf_release(&saved);
    lk_arena_release(&arena);
}

static void read_gives_back_what_was_printed(void **state)
{
    static sample_report s;

    (void)state;
    check_round(sample_seed(&s));
    check_round(sample_empty(&s));
}

static void read_keeps_what_is_not_known(void **state)
{
    static sample_report s;
    lk_report *r = sample_empty(&s);
    lk_arena arena;
    lk_err e = { 0 };

    (void)state;
    lk_arena_init(&arena, 0);
    check_ok(lk_report_settle(r, &arena, &e), e);
    check(r->calls.total == LK_COUNT_NONE, "calls.total");
    check(isnan(r->http.rejected_share), "rejected_share");
    check(r->input.span_start_ns == LK_TIME_NONE, "span.start");
    check(r->overload == LK_NOT_KNOWN, "overload");
    check(r->incident == NULL, "incident");
    lk_arena_release(&arena);
}

static void read_refuses_damage(void **state)
{
    static const struct {
        const char *text, *says;
    } ROWS[] = {
        { "", "damaged" },
        { "{", "damaged" },
        { "7", "names no schema" },
        { "{\"schema\": 1}", "names no schema" },
        { "{\"schema\": \"lockstep.report/2\"}", "another schema" },
        { "{\"schema\": \"lockstep.report/1\", \"http\": 3}", "'http' is not an object" },
        { "{\"schema\": \"lockstep.report/1\", \"http\": {\"attempts\": \"3\"}}",
          "'attempts' is not a number" },
        { "{\"schema\": \"lockstep.report/1\", \"http\": {\"attempts\": 1.5}}",
          "'attempts' is not a count" },
        { "{\"schema\": \"lockstep.report/1\", \"notes\": [3]}", "'notes' is not a text" },
        { "{\"schema\": \"lockstep.report/1\", \"input\": {\"files\": [{}]}}", "'path' is not there" },
        { "{\"schema\": \"lockstep.report/1\", \"arrivals\": {\"all\": [1], \"rejected\": []}}",
          "'rejected' is not as long" },
        { "{\"schema\": \"lockstep.report/1\", \"arrivals\": {\"all\": [1]}}",
          "'rejected' is not as long" },
        { "{\"schema\": \"lockstep.report/1\", \"arrivals\": {\"start\": \"today\"}}",
          "'start' is not an instant" },
    };
    lk_report r;
    lk_arena arena;

    (void)state;
    lk_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
        lk_err e = { 0 };

        check(lk_report_read(lk_slice_from(ROWS[i].text), &arena, &r, &e) == LK_EDATA, "%s",
              ROWS[i].text);
        check(strstr(e.msg, ROWS[i].says) != NULL, "%s: %s", ROWS[i].text, e.msg);
    }
    lk_arena_release(&arena);
}

TESTS(T(read_gives_back_what_was_printed), T(read_keeps_what_is_not_known), T(read_refuses_damage))
