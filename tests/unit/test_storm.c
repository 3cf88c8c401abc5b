#include "unit.h"

#include "base/hash.h"
#include "sim/storm.h"

static lk_err e;

static uint64_t run(const lk_storm_options *o, lk_storm_counts *counts)
{
    lk_storm *s;
    lk_attempt a;
    uint64_t digest = 0;
    int64_t before = INT64_MIN;

    check_ok(lk_storm_open(o, &s, &e), e);
    while (lk_storm_source(s)->next(lk_storm_source(s), &a, &e) == LK_STEP_ITEM) {
        check(a.start_ns >= before, "attempts come in order");
        check(a.end_ns >= a.start_ns, "no attempt ends before it starts");
        before = a.start_ns;
        digest = lk_hash_mix(digest ^ (uint64_t)a.start_ns ^ a.key ^ a.status);
    }
    *counts = lk_storm_counts_of(s);
    lk_storm_close(s);
    return digest;
}

TEST(storm_of_one_seed_is_one_storm)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts counts;
    uint64_t first;

    o.policy = lk_policy_find("full-jitter");
    first = run(&o, &counts);
    assert_true(run(&o, &counts) == first);
    o.seed = 2;
    assert_true(run(&o, &counts) != first);
}

/* 200 callers, 3 attempts, an empty bucket that never fills: 600 refusals, 200 failed calls. */
TEST(storm_against_a_closed_door_multiplies)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts c;

    o.policy = lk_policy_find("exponential");
    o.allowance_per_s = 0;
    o.bucket = 0;
    (void)run(&o, &c);
    assert_int_equal(c.attempts, 600);
    assert_int_equal(c.refused, 600);
    assert_int_equal(c.calls, 200);
    assert_int_equal(c.failed_calls, 200);
    o.requeue_s = 100; /* begun anew at about 224, 328 ... up to 900 s */
    (void)run(&o, &c);
    assert_int_equal(c.tasks, 200);
    check(c.calls >= 7 * 200 && c.calls <= 9 * 200, "%d calls", (int)c.calls);
}

TEST(storm_admits_what_the_bucket_holds)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts c;

    o.bucket = 30;
    o.allowance_per_s = 0;
    (void)run(&o, &c);
    assert_int_equal(c.attempts, 200);
    assert_int_equal(c.refused, 170);
}

TEST(storm_refuses_options_that_make_none)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm *s;

    o.span_s = 0;
    assert_int_equal(lk_storm_open(&o, &s, &e), LK_EUSAGE);
    o = (lk_storm_options)LK_STORM_OPTIONS_INIT;
    o.spread_s = -1;
    assert_int_equal(lk_storm_open(&o, &s, &e), LK_EUSAGE);
    o = (lk_storm_options)LK_STORM_OPTIONS_INIT;
    o.policy = lk_policy_find("immediate");
    o.params.base_s = o.service_s = 0;
    o.attempts_max = 0;
    assert_int_equal(lk_storm_open(&o, &s, &e), LK_EUSAGE);
}

TESTS(T(storm_of_one_seed_is_one_storm), T(storm_against_a_closed_door_multiplies),
      T(storm_admits_what_the_bucket_holds), T(storm_refuses_options_that_make_none))
