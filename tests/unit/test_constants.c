#include "unit.h"

#include "infer/constants.h"

static lk_err e;
static lk_arena a;

static const struct {
    double value_s, error_s;
    lk_use use;
    size_t count;
    double nearest_s;
    const char *named;
} CASES[] = {
    { 60.02, 0.03, LK_USE_RETRY, 1, 60.0, "Lambda" },
    { 60.0, 0.0, LK_USE_SCHEDULE, 1, 60.0, "cron" },
    { 60.0, 0.0, LK_USE_ANY, 2, 60.0, "Lambda" },
    { 62.0, 0.9, LK_USE_RETRY, 2, 60.0, "Lambda" }, /* 60 and 64 within three errors */
    { 15.03, 0.01, LK_USE_RETRY, 1, 15.0, "Sidekiq" },
    { 47.0, 0.1, LK_USE_ANY, 0, 0.0, NULL },
    { 180.0, (double)NAN, LK_USE_RETRY, 1, 180.0, "Celery" }, /* the error is not known */
};

TEST(constants_near_a_value)
{
    for (size_t i = 0; i < ROWS(CASES); i++) {
        lk_candidates c;

        lk_arena_init(&a, 0);
        check_ok(lk_constants_near(CASES[i].value_s, CASES[i].error_s, CASES[i].use, &a, &c, &e),
                 e);
        check(c.count == CASES[i].count, "row %zu: %zu", i, c.count);
        if (c.count > 0)
            check(fabs(c.item[0].constant_s - CASES[i].nearest_s) < 1e-9 &&
                      strstr(c.item[0].what, CASES[i].named),
                  "row %zu: %f %s", i, c.item[0].constant_s, c.item[0].what);
        lk_arena_release(&a);
    }
}

TEST(constants_stand_in_order_and_are_named)
{
    size_t n = 0;

    for (const lk_known_constant *k = LK_KNOWN_CONSTANTS; k->what; k++, n++) {
        check(k->constant_s > 0.0 && *k->what && k->use != 0, "row %zu", n);
        if (n > 0)
            check(k->constant_s >= k[-1].constant_s, "row %zu", n);
    }
    assert_true(n > 25);
}

TEST(constants_report_no_memory)
{
    lk_candidates c;

    lk_arena_init(&a, 8);
    assert_int_equal(lk_constants_near(60.0, 0.0, LK_USE_ANY, &a, &c, &e), LK_EOOM);
    lk_arena_release(&a);
}

TESTS(T(constants_near_a_value), T(constants_stand_in_order_and_are_named),
      T(constants_report_no_memory))
