#include "unit.h"

#include "infer/sums.h"

#include <math.h>

static lk_err e;

static const struct {
    double period_s, delay_s;
    double seen_s[3]; /* delays that draw callers together */
    const char *what; /* NULL: nothing is offered          */
} CASES[] = {
    { 60.1, 36.0, { 12.0, 36.0, 0.0 }, "2 x 12 s + 36 s" },
    { 84.2, 60.0, { 12.0, 60.0, 0.0 }, "2 x 12 s + 60 s" },
    { 28.18, 20.02, { 4.0, 20.02, 0.0 }, "2 x 4 s + 20.02 s" },
    { 60.1, 60.0, { 12.0, 60.0, 0.0 }, NULL }, /* the delay is the period */
    { 75.0, 36.0, { 36.0, 0.0, 0.0 }, NULL },  /* 72 are three seconds short */
    { 90.0, 31.0, { 7.0, 31.0, 0.0 }, "4 x 7 s + 2 x 31 s" },
    { 60.1, (double)NAN, { 12.0, 0.0, 0.0 }, NULL },
};

TEST(sums_of_delays_that_were_seen)
{
    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_report_fixed_delay seen[3];
        lk_report_clock c = { .period_s = CASES[i].period_s, .delay_s = CASES[i].delay_s };
        lk_report r;
        lk_arena a;

        lk_arena_init(&a, 0);
        lk_report_init(&r);
        for (size_t k = 0; k < 3 && CASES[i].seen_s[k] > 0.0; k++)
            seen[r.fixed_delay_count++] =
                (lk_report_fixed_delay){ CASES[i].seen_s[k], NULL, 100, true };
        r.fixed_delays = seen;
        r.clocks = &c;
        r.clock_count = 1;
        check_ok(lk_sums_offer(&r, 1.0, &a, &e), e);
        check((c.candidate_count == 1) == (CASES[i].what != NULL), "row %zu: %zu", i,
              c.candidate_count);
        if (CASES[i].what && c.candidate_count == 1)
            check(strstr(c.candidates[0].what, CASES[i].what), "row %zu: %s", i,
                  c.candidates[0].what);
        lk_arena_release(&a);
    }
}

TEST(sums_report_no_memory)
{
    lk_report_fixed_delay seen = { 12.0, NULL, 100, true };
    lk_report_clock c = { .period_s = 60.1, .delay_s = 36.0 };
    lk_report r;
    lk_arena a;

    lk_arena_init(&a, 8);
    lk_report_init(&r);
    r.fixed_delays = &seen;
    r.fixed_delay_count = 1;
    r.clocks = &c;
    r.clock_count = 1;
    assert_int_equal(lk_sums_offer(&r, 1.0, &a, &e), LK_EOOM);
    lk_arena_release(&a);
}

TESTS(T(sums_of_delays_that_were_seen), T(sums_report_no_memory))
