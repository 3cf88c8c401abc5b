#include "unit.h"

#include "base/time.h"
#include "format/retry_after.h"
#include "infer/asked.h"

#include <math.h>
#include <string.h>

enum { END_S = 784111777 - 30 }; /* half a minute before the date that RFC 9110 shows */

/* clang-format off */
static const struct {
    const char *text;
    lk_asked_form form;
    double after_s; /* < 0: none */
} ROW[] = {
    { "12",                                LK_ASKED_SECONDS,   12 },
    { "0",                                 LK_ASKED_SECONDS,   0 },
    { "5.000",                             LK_ASKED_SECONDS,   5 },
    { "2.5",                               LK_ASKED_FRACTION,  2.5 },
    { "-5",                                LK_ASKED_NEGATIVE,  -1 },
    { "-0.5",                              LK_ASKED_NEGATIVE,  -1 },
    { "soon",                              LK_ASKED_MALFORMED, -1 },
    { "5s",                                LK_ASKED_MALFORMED, -1 },
    { "5, 10",                             LK_ASKED_MALFORMED, -1 },
    { "99999999999",                       LK_ASKED_MALFORMED, -1 },
    { "",                                  LK_ASKED_NOTHING,   -1 },
    { "-",                                 LK_ASKED_NOTHING,   -1 },
    { "Sun, 06 Nov 1994 08:49:37 GMT",     LK_ASKED_DATE,      30 },
    { "Sunday, 06-Nov-94 08:49:37 GMT",    LK_ASKED_DATE,      30 },
    { "Sun Nov  6 08:49:37 1994",          LK_ASKED_DATE,      30 },
    { "Sun, 06 Nov 1994 08:49:07 GMT",     LK_ASKED_DATE,      0 },
    { "Sun, 06 Nov 1994 08:49:06 GMT",     LK_ASKED_PAST,      -1 },
    { "Sun, 06 Nov 1993 08:49:37 GMT",     LK_ASKED_PAST,      -1 },
    { "Sun, 06 Nov 1994 08:49:37 UTC",     LK_ASKED_MALFORMED, -1 },
    { "Sun, 06 Nox 1994 08:49:37 GMT",     LK_ASKED_MALFORMED, -1 },
    { "Sun, 31 Feb 1994 08:49:37 GMT",     LK_ASKED_MALFORMED, -1 },
    { "Sun, 06 Nov 1994 08:49:37.5 GMT",   LK_ASKED_MALFORMED, -1 },
    { "Sunday, 06-Nov-1994 08:49:37 GMT",  LK_ASKED_MALFORMED, -1 },
    { "Sun Nov  6 08:49:37 94",            LK_ASKED_MALFORMED, -1 },
    { "Sun,",                              LK_ASKED_MALFORMED, -1 },
};
/* clang-format on */

TEST(retry_after_reads_every_form)
{
    for (size_t i = 0; i < ROWS(ROW); i++) {
        int64_t after_ns;
        lk_asked_form form;
        lk_fields f;

        lk_fields_init(&f);
        lk_retry_after_read(&f, lk_slice_from(ROW[i].text));
        form = lk_retry_after_of(&f, END_S * LK_NS_PER_S, &after_ns);
        check(form == ROW[i].form, "'%s' is form %d", ROW[i].text, (int)form);
        check(ROW[i].after_s < 0 ? after_ns == -1 : (double)after_ns == ROW[i].after_s * 1e9,
              "'%s' is %lld ns", ROW[i].text, (long long)after_ns);
    }
}

TEST(retry_after_of_structured_loggers_may_have_a_unit)
{
    static const struct {
        const char *text;
        bool ms;
        lk_asked_form form;
        double after_s;
    } SPAN[] = {
        { "5s", false, LK_ASKED_SECONDS, 5 },         { "1m30s", false, LK_ASKED_SECONDS, 90 },
        { "0s", false, LK_ASKED_SECONDS, 0 },         { "1500ms", false, LK_ASKED_FRACTION, 1.5 },
        { "2.5s", false, LK_ASKED_FRACTION, 2.5 },    { "-5s", false, LK_ASKED_NEGATIVE, -1 },
        { "12", false, LK_ASKED_SECONDS, 12 },        { "-", false, LK_ASKED_NOTHING, -1 },
        { "5x", false, LK_ASKED_MALFORMED, -1 },      { "soon", false, LK_ASKED_MALFORMED, -1 },
        { "-5", false, LK_ASKED_NEGATIVE, -1 },       { "5s", true, LK_ASKED_SECONDS, 5 },
        { "2500", true, LK_ASKED_MS, 2.5 },           { "2500ms", true, LK_ASKED_FRACTION, 2.5 },
    };

    for (size_t i = 0; i < ROWS(SPAN); i++) {
        int64_t after_ns;
        lk_asked_form form;
        lk_fields f;

        lk_fields_init(&f);
        if (SPAN[i].ms)
            lk_retry_after_read_logged_ms(&f, lk_slice_from(SPAN[i].text));
        else
            lk_retry_after_read_logged(&f, lk_slice_from(SPAN[i].text));
        form = lk_retry_after_of(&f, 0, &after_ns);
        check(form == SPAN[i].form, "'%s' is form %d", SPAN[i].text, (int)form);
        check(SPAN[i].after_s < 0 ? after_ns == -1 : (double)after_ns == SPAN[i].after_s * 1e9,
              "'%s' is %lld ns", SPAN[i].text, (long long)after_ns);
    }
}

TEST(retry_after_in_milliseconds_stands_above)
{
    for (int order = 0; order < 2; order++) {
        int64_t after_ns;
        lk_fields f;

        lk_fields_init(&f);
        if (order == 0)
            lk_retry_after_read(&f, lk_slice_from("3"));
        lk_retry_after_read_ms(&f, lk_slice_from("2500.5"));
        if (order == 1)
            lk_retry_after_read(&f, lk_slice_from("3"));
        assert_int_equal(lk_retry_after_of(&f, 0, &after_ns), LK_ASKED_MS);
        assert_int_equal(after_ns, 2500500000);
        lk_retry_after_read_ms(&f, lk_slice_from("none")); /* what it is no number changes nothing */
        assert_int_equal(lk_retry_after_of(&f, 0, &after_ns), LK_ASKED_MS);
    }
}

/* n comebacks of eight callers: asked for asked_s (one in three for twice that), back after factor
 * times that and up to slow_s more. */
static lk_comeback_set set_of(lk_comeback *room, size_t n, double asked_s, double factor,
                              double slow_s, bool fine)
{
    for (size_t i = 0; i < n; i++) {
        double asked = i % 3 ? asked_s : 2 * asked_s;
        double pause = asked * factor + slow_s * (double)(i % 10) / 10;

        room[i] = (lk_comeback){ .caller = i / 8, .call = i, .fraction = fine,
                                 .asked_ns = (int64_t)(asked * 1e9),
                                 .pause_ns = (int64_t)((fine ? pause : floor(pause)) * 1e9) };
    }
    return (lk_comeback_set){ .total = n, .sample = room, .count = n };
}

TEST(retry_after_mistakes_of_units_are_named)
{
    static const struct {
        double asked_s, factor, slow_s;
        bool fine;
        double want; /* 0: none */
    } UNIT[] = {
        { 30, 0.001, 0.003, true, 0.001 },  { 12, 0.001, 0.002, true, 0.001 },
        { 5, 0.001, 0.001, true, 0.001 },   { 0.5, 1000, 0.02, true, 1000 },
        { 0.03, 1000, 0.02, true, 1000 },   { 5000, 0.001, 0.9, false, 0.001 },
        { 60000, 1e-6, 0.003, true, 1e-6 }, { 5, 1, 0.01, true, 0 },
        { 30, 0, 0.03, true, 0 },           { 5, 0, 0.01, true, 0 },  /* at once */
        { 30, 0.1, 0.01, true, 0 },         { 12, 0, 8, true, 0 },    /* a delay of their own */
        { 30, 0.001, 0.003, false, 0 },                               /* whole seconds hide it */
    };
    lk_comeback room[60];

    for (size_t i = 0; i < ROWS(UNIT); i++) {
        lk_comeback_set s = set_of(room, ROWS(room), UNIT[i].asked_s, UNIT[i].factor,
                                   UNIT[i].slow_s, UNIT[i].fine);
        double got = lk_obedience_of(&s).unit_factor;

        check(UNIT[i].want > 0 ? fabs(got - UNIT[i].want) < 1e-12 : isnan(got), "row %zu: %g", i,
              got);
    }
}

TEST(retry_after_obedience_has_three_ways)
{
    static const struct {
        double factor, slow_s;
        bool fine;
        double exact, early, later; /* about */
    } WAY[] = {
        { 1, 0.04, true, 1, 0, 0 },  { 1, 12, true, 0.1, 0, 0.9 },  { 0.5, 0.1, true, 0, 1, 0 },
        { 0, 0.01, true, 0, 1, 0 },  { 1, 0.9, false, 1, 0, 0 },    { 1.5, 0.1, false, 0, 0, 1 },
    };
    lk_comeback room[60];

    for (size_t i = 0; i < ROWS(WAY); i++) {
        lk_comeback_set s =
            set_of(room, ROWS(room), 12, WAY[i].factor, WAY[i].slow_s, WAY[i].fine);
        lk_report_obedience o = lk_obedience_of(&s);

        check(o.told == (int64_t)ROWS(room), "row %zu: %lld told", i, (long long)o.told);
        check(fabs(o.exact - WAY[i].exact) < 0.11 && fabs(o.early - WAY[i].early) < 0.01 &&
                  fabs(o.spread - WAY[i].later) < 0.11,
              "row %zu: %g exact, %g early, %g later", i, o.exact, o.early, o.spread);
    }
}

/* Is there a finding with these words? */
static bool finds(const lk_report *r, const char *words)
{
    for (size_t i = 0; i < r->retry_after.finding_count; i++)
        if (strstr(r->retry_after.findings[i], words))
            return true;
    return false;
}

static void find(lk_report *r, lk_arena *a, const lk_evidence *ev)
{
    lk_err e = { 0 };

    r->retry_after.finding_count = r->retry_after.share_count = 0;
    check_ok(lk_infer_asked(ev, a, r, &e), e);
}

TEST(retry_after_says_why_there_is_a_herd)
{
    lk_report_asked values[] = { { 30, 90 }, { 5, 8 } };
    lk_report_clock clock = { .kind = "retry", .period_s = 30.02, .delay_s = 30 };
    lk_evidence ev = { 0 };
    lk_arena a;
    lk_report r;

    lk_arena_init(&a, 0);
    lk_report_init(&r);
    r.retry_after.rejections = 100;
    r.retry_after.with_header = r.retry_after.seconds = 98;
    r.retry_after.malformed = r.retry_after.negative = r.retry_after.past = 0;
    r.retry_after.zero = r.retry_after.fraction = r.retry_after.date = 0;
    r.retry_after.values = values;
    r.retry_after.value_count = 2;
    r.retry_after.obedience = (lk_report_obedience){ 50, 0.9, 0.1, 0, (double)NAN };
    find(&r, &a, &ev);
    assert_false(finds(&r, "herd")); /* no clock */
    assert_true(finds(&r, "before the time"));
    r.clocks = &clock;
    r.clock_count = 1;
    find(&r, &a, &ev);
    assert_true(finds(&r, "obeyed, and that is why it is a herd"));
    clock.delay_s = 60; /* another constant ticks */
    find(&r, &a, &ev);
    assert_false(finds(&r, "herd"));
    clock.delay_s = 30;
    clock.kind = "scheduled";
    find(&r, &a, &ev);
    assert_false(finds(&r, "herd"));
    r.retry_after.zero = 3;
    r.retry_after.malformed = 4;
    r.retry_after.negative = 4;
    find(&r, &a, &ev);
    assert_true(finds(&r, "3 of the answers say 0"));
    assert_true(finds(&r, "but a negative number"));
    lk_arena_release(&a);
}

TEST(retry_after_share_over_time_has_sixty_bins_at_most)
{
    static lk_period periods[601];
    lk_evidence ev = { .periods = periods, .period_count = 601, .period_ns = LK_NS_PER_S,
                       .periods_from_ns = 7 * LK_NS_PER_S };
    lk_arena a;
    lk_report r;

    for (size_t i = 0; i < 601; i++)
        periods[i] = (lk_period){ .rejected = i < 300 ? 4 : 0, .told = i < 150 ? 4 : i < 300 };
    lk_arena_init(&a, 0);
    lk_report_init(&r);
    r.retry_after.rejections = r.retry_after.with_header = 1200;
    find(&r, &a, &ev);
    assert_int_equal(r.retry_after.share_count, 55);
    assert_float_equal(r.retry_after.share_bin_s, 11, 0);
    assert_int_equal(r.retry_after.share_from_ns, 7 * LK_NS_PER_S);
    assert_float_equal(r.retry_after.shares[0], 1, 0);
    assert_float_equal(r.retry_after.shares[20], 0.25, 0);
    assert_true(isnan(r.retry_after.shares[54]));
    lk_arena_release(&a);
}

/* Steps from the wait's own bounds: 0 to 3 times what was told and a second more, of that population, told
 * something. */
TEST(retry_after_steps_are_counted_by_their_bounds)
{
    static const int64_t TOLD = 4 * LK_NS_PER_S;
    static const struct {
        uint32_t population;
        int64_t asked_ns, pause_ns;
        bool counts, exact;
    } STEP[] = {
        { 1, TOLD, TOLD, true, true },
        { 1, TOLD, 0, true, false },
        { 1, TOLD, TOLD / 2, true, false },
        { 1, TOLD, 2 * TOLD, true, false },
        { 1, TOLD, 3 * TOLD + LK_NS_PER_S, true, false },
        { 1, TOLD, 3 * TOLD + LK_NS_PER_S + 1, false, false },
        { 1, TOLD, -1, false, false },
        { 1, 0, 0, false, false },
        { 1, -1, TOLD, false, false },
        { 2, TOLD, TOLD, false, false },
    };
    lk_hop hops[ROWS(STEP)];
    lk_evidence ev = { 0 };
    size_t exact, want = 0, want_exact = 0;

    memset(hops, 0, sizeof(hops));
    for (size_t i = 0; i < ROWS(STEP); i++) {
        hops[i].population = STEP[i].population;
        hops[i].asked_ns = STEP[i].asked_ns;
        hops[i].pause_ns = STEP[i].pause_ns;
        want += STEP[i].counts;
        want_exact += STEP[i].exact;
        ev.hops = hops;
        ev.hop_count = i + 1;
        ev.resolution_ns = 1000000;
        check(lk_asked_steps(&ev, 1, &exact) == want && exact == want_exact, "step %zu: %zu, %zu exact", i,
              lk_asked_steps(&ev, 1, &exact), exact);
    }
    ev.hop_count = 0;
    check(lk_asked_steps(&ev, 1, &exact) == 0 && exact == 0, "no steps");
}

/* Where nothing was linked, two steps that came to the second say how callers obey, if half of all did. */
TEST(retry_after_of_steps_needs_enough_that_came_to_the_second)
{
    static const struct {
        size_t exact, late;
        int64_t told;
    } CASE[] = { { 1, 0, 0 }, { 2, 0, 2 }, { 2, 2, 4 }, { 2, 3, 0 } };
    lk_hop hops[5];
    lk_evidence ev = { 0 };
    lk_arena a;
    lk_report r;

    lk_arena_init(&a, 0);
    for (size_t c = 0; c < ROWS(CASE); c++) {
        memset(hops, 0, sizeof(hops));
        ev.hop_count = CASE[c].exact + CASE[c].late;
        for (size_t i = 0; i < ev.hop_count; i++) {
            hops[i].asked_ns = 4 * LK_NS_PER_S;
            hops[i].pause_ns = (i < CASE[c].exact ? 4 : 8) * LK_NS_PER_S;
        }
        ev.hops = hops;
        ev.resolution_ns = 1000000;
        lk_report_init(&r);
        r.retry_after.rejections = r.retry_after.with_header = (int64_t)ev.hop_count;
        find(&r, &a, &ev);
        check(r.retry_after.obedience.told == CASE[c].told, "case %zu: %lld told", c,
              (long long)r.retry_after.obedience.told);
        if (CASE[c].told) {
            double told = (double)CASE[c].told;

            check(fabs(r.retry_after.obedience.exact - (double)CASE[c].exact / told) < 1e-12 &&
                      fabs(r.retry_after.obedience.spread - (double)CASE[c].late / told) < 1e-12,
                  "case %zu: shares", c);
        }
    }
    lk_arena_release(&a);
}

TESTS(T(retry_after_reads_every_form), T(retry_after_of_structured_loggers_may_have_a_unit), T(retry_after_in_milliseconds_stands_above),
      T(retry_after_mistakes_of_units_are_named), T(retry_after_obedience_has_three_ways),
      T(retry_after_says_why_there_is_a_herd),
      T(retry_after_share_over_time_has_sixty_bins_at_most),
      T(retry_after_steps_are_counted_by_their_bounds), T(retry_after_of_steps_needs_enough_that_came_to_the_second))
