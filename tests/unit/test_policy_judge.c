#include "unit.h"

#include "policy_world.h"

static lk_policy_verdict judge(const world_plan *p)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    world_make(&w, p);
    set = world_set(&w, p->grain_s);
    lk_arena_init(&scratch, 0);
    check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
    lk_arena_release(&scratch);
    return v;
}

static const char *name_of(const lk_policy *p)
{
    return p ? p->name : "null";
}

static world_plan plan_of(const char *policy, double grain_s)
{
    world_plan p = { .policy = policy,
                     .asked_s = -1,
                     .grain_s = grain_s,
                     .lag_s = 0.005,
                     .delays = 240,
                     .callers = 40,
                     .seed = 3,
                     .params = { 3, 2, 20, 0.1, 6 } };

    return p;
}

TEST(policy_judge_names_every_policy)
{
    static const double GRAIN[] = { 0.001, 1 };

    for (size_t g = 0; g < ROWS(GRAIN); g++)
        for (const lk_policy *policy = LK_POLICIES; policy->name; policy++) {
            world_plan p = plan_of(policy->name, GRAIN[g]);
            lk_policy_verdict v;

            if (strcmp(policy->name, "none") == 0)
                continue;
            if (strncmp(policy->name, "retry-after", 11) == 0)
                p.asked_s = 12;
            if (strcmp(policy->name, "percent-jitter") == 0)
                p.params = (lk_policy_params){ 20, 1, (double)INFINITY, 0.2, 6 };
            v = judge(&p);
            check(v.policy == policy, "grain %g: %s is called %s", GRAIN[g], policy->name,
                  name_of(v.policy));
        }
}

TEST(policy_judge_finds_parameters)
{
    world_plan p = plan_of("full-jitter", 0.001);
    lk_policy_verdict v;

    p.params = (lk_policy_params){ 2, 2, 20, 0, 8 };
    v = judge(&p);
    assert_float_equal(v.model.params.base_s, 2, 0.1);
    assert_float_equal(v.model.params.factor, 2, 0.05);
    assert_float_equal(v.model.params.cap_s, 20, 1);
    p.policy = "exponential";
    v = judge(&p);
    assert_float_equal(v.model.params.base_s, 2, 0.01);
    assert_float_equal(v.model.params.cap_s, 20, 0.01);
    assert_true(v.flags & LK_FLAG_DETERMINISTIC);
    assert_true(v.flags & LK_FLAG_CAP_BINDING);
}

TEST(policy_judge_knows_one_sequence_and_one_draw)
{
    world_plan p = plan_of("full-jitter", 0.001);
    lk_policy_verdict v;

    assert_false(judge(&p).flags & (LK_FLAG_IDENTICAL_DRAWS | LK_FLAG_DRAW_REUSED));
    p.draws = WORLD_SHARED;
    v = judge(&p);
    assert_true(v.flags & LK_FLAG_IDENTICAL_DRAWS);
    assert_string_equal(name_of(v.policy), "full-jitter");
    p.draws = WORLD_ONE_A_CALLER;
    p.params = (lk_policy_params){ 12, 1, 12, 0, 6 };
    v = judge(&p);
    assert_true(v.flags & LK_FLAG_DRAW_REUSED);
    assert_string_equal(name_of(v.policy), "full-jitter");
}

TEST(policy_judge_says_null_where_nothing_can_be_known)
{
    world_plan p = plan_of("full-jitter", 0.001);

    p.delays = 8; /* too few */
    assert_null(judge(&p).policy);
    p = plan_of("full-jitter", 1); /* windows below the grain */
    p.params = (lk_policy_params){ 0.2, 2, 1, 0, 6 };
    assert_null(judge(&p).policy);
    p = plan_of("fixed", 0.001); /* two policies at once */
    p.params.base_s = 5;
    p.other = "full-jitter";
    p.other_params = (lk_policy_params){ 2, 2, 30, 0, 6 };
    assert_null(judge(&p).policy);
    p.delays = 0;
    assert_null(judge(&p).policy);
}

/* A schedule that falls to nothing at its twelfth retry, as a shift that overflows does. */
TEST(policy_judge_finds_where_a_schedule_breaks)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    w.n = 0;
    for (uint64_t c = 0; c < 20; c++)
        for (unsigned k = 0; k < 20; k++) {
            w.delay[w.n] = (k < 12 ? 0.1 * pow(2, k) : 0) + 0.001 * (double)(c % 5);
            w.previous[w.n] = w.asked[w.n] = (double)NAN;
            w.retry[w.n] = k;
            w.holds[w.n] = false;
            w.caller[w.n++] = c;
        }
    set = world_set(&w, 0.001);
    lk_arena_init(&scratch, 0);
    check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
    lk_arena_release(&scratch);
    assert_true(v.flags & LK_FLAG_REGIME_CHANGE);
    assert_int_equal(v.regime_from, 12);
    assert_string_equal(name_of(v.policy), "exponential");
}

TEST(policy_judge_sees_that_retry_after_is_ignored)
{
    world_plan p = plan_of("fixed", 0.001);

    p.asked_s = 5;
    assert_true(judge(&p).flags & LK_FLAG_IGNORES_RETRY_AFTER);
    p.params.base_s = 7;
    assert_false(judge(&p).flags & LK_FLAG_IGNORES_RETRY_AFTER);
    p.params.base_s = 5; /* five thousand, meant as milliseconds, or not */
    p.asked_s = 5000;
    assert_false(judge(&p).flags & LK_FLAG_IGNORES_RETRY_AFTER);
    p.params.base_s = 9;
    assert_true(judge(&p).flags & LK_FLAG_IGNORES_RETRY_AFTER);
}

/* A tenth or a fifth more or less is no hint with jitter on top; a third might be one. */
TEST(policy_judge_names_percent_where_nobody_is_told)
{
    static const double GRAIN[] = { 0.001, 1 }, JITTER[] = { 0.1, 0.2, 1.0 / 3 };

    for (size_t g = 0; g < ROWS(GRAIN); g++) {
        world_plan p = plan_of("percent-jitter", GRAIN[g]);
        lk_policy_verdict v;
        static world w;
        lk_judged_set set;
        lk_arena scratch;
        lk_err e = { 0 };

        p.params = (lk_policy_params){ 30, 1, (double)INFINITY, 0.2, 6 };
        for (size_t j = 0; j < ROWS(JITTER); j++) {
            bool third = j == 2;

            p.params.jitter = JITTER[j];
            world_make(&w, &p);
            set = world_set(&w, p.grain_s);
            set.delays.asked_is_logged = false;
            lk_arena_init(&scratch, 0);
            check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
            lk_arena_release(&scratch);
            check(third ? !v.policy : v.policy == lk_policy_find("percent-jitter"), "grain %g, jitter %g: %s",
                  GRAIN[g], p.params.jitter, name_of(v.policy));
            check(!(v.flags & LK_FLAG_CAP_BINDING), "grain %g, jitter %g", GRAIN[g], p.params.jitter);
        }
    }
}

/* A small version of `make bench-policies`: the bounds are those of the calibration, less the noise of few draws. */
TEST(policy_judge_is_calibrated)
{
    enum { POPULATIONS = 8 };
    size_t all = 0, right = 0, wrong = 0;

    for (const lk_policy *policy = LK_POLICIES; policy->name; policy++)
        for (uint64_t s = 0; strcmp(policy->name, "none") != 0 && s < POPULATIONS; s++) {
            world_plan p = world_draw(policy->name, 0.001, 0.2, 30, 200, 9000 + s);
            lk_policy_verdict v = judge(&p);

            all++;
            right += v.policy == policy;
            wrong += v.policy && v.policy != policy;
        }
    check(right >= all * 94 / 100 && wrong <= 2, "%zu of %zu right, %zu wrong", right, all, wrong);
}

/* A weight of three says what three equal delays say. */
TEST(policy_likelihood_counts_weights)
{
    static const double DELAY[] = { 2, 2, 2, 5, 7, 7 }, ONCE[] = { 2, 5, 7 },
                        WEIGHT[] = { 3, 1, 2 };
    static const double NONE[] = { (double)NAN, (double)NAN, (double)NAN,
                                   (double)NAN, (double)NAN, (double)NAN };
    static const unsigned RETRY[] = { 0, 0, 0, 1, 2, 2 }, ONCE_RETRY[] = { 0, 1, 2 };
    lk_delay_set all = { 6, DELAY, RETRY, NONE, NONE, NULL, 1, 10, true, false, NULL };
    lk_delay_set few = { 3, ONCE, ONCE_RETRY, NONE, NONE, NULL, 1, 10, true, false, WEIGHT };
    lk_noise *noises[LK_LAGS_MAX];
    lk_arena a;
    lk_err e = { 0 };
    size_t count;

    lk_arena_init(&a, 0);
    check_ok(lk_policy_noises(&all, &a, noises, &count, &e), e);
    for (const lk_policy *p = LK_POLICIES; p->name; p++) {
        lk_policy_model m = { p, { 3, 2, 20, 0.1, 6 }, (double)NAN, false, 0 };
        double whole = lk_policy_log_likelihood(&m, &all, noises[0]);

        if (strcmp(p->name, "none") == 0)
            continue;
        check(fabs(lk_policy_log_likelihood(&m, &few, noises[0]) - whole) < 1e-9, "%s", p->name);
        few.weight = NULL;
        check(fabs(lk_policy_log_likelihood(&m, &few, noises[0]) - whole) > 0.1, "%s", p->name);
        few.weight = WEIGHT;
    }
    lk_arena_release(&a);
}

TEST(policy_noise_is_a_distribution)
{
    lk_arena a;
    lk_noise *n;
    lk_err e = { 0 };

    lk_arena_init(&a, 0);
    check_ok(lk_noise_new(&a, 0.001, 0.01, &n, &e), e);
    assert_float_equal(lk_noise_below(n, -0.001), 0, 0);
    assert_float_equal(lk_noise_below(n, 1), 1, 0);
    for (double v = -0.001; v < 0.13; v += 0.001)
        assert_true(lk_noise_below(n, v + 0.001) >= lk_noise_below(n, v));
    /* an even spread over 1..3 s, two means of lag on: half of it lies below 2.01 s */
    assert_float_equal(lk_noise_distribution(n, 1, 3, 2.01), 0.5, 1e-3);
    assert_float_equal(lk_noise_density(n, 1, 3, 2), 0.5, 1e-6);
    assert_float_equal(lk_noise_distribution(n, 1, 3, 4), 1, 1e-6);
    lk_arena_release(&a);
}

/* One in `of` comes back at once; the first retry keeps one second for all. */
static lk_policy_verdict judge_changed(const world_plan *p, size_t at_once, bool first_is_fixed)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    world_make(&w, p);
    for (size_t i = 0; i < w.n; i++) {
        if (at_once && i % at_once == 0)
            w.delay[i] = 0.002;
        if (first_is_fixed && w.retry[i] == 0)
            w.delay[i] = 1 + 0.001 * (double)(i % 5);
    }
    set = world_set(&w, p->grain_s);
    lk_arena_init(&scratch, 0);
    check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
    lk_arena_release(&scratch);
    return v;
}

TEST(policy_judge_flags_what_is_there_and_nothing_else)
{
    world_plan p = plan_of("full-jitter", 0.001), wide = p;
    lk_policy_verdict v;

    p.params = (lk_policy_params){ 4, 2, 1e6, 0, 6 };
    v = judge_changed(&p, 0, false);
    assert_int_equal(v.flags & (LK_FLAG_ZERO_SPIKE | LK_FLAG_NO_JITTER_ON_FIRST |
                                LK_FLAG_CAP_BINDING | LK_FLAG_REGIME_CHANGE | LK_FLAG_DETERMINISTIC |
                                LK_FLAG_IDENTICAL_DRAWS | LK_FLAG_DRAW_REUSED |
                                LK_FLAG_IGNORES_RETRY_AFTER), 0);
    p.params.cap_s = 10; /* reached by the second retry of five */
    assert_true(judge_changed(&p, 0, false).flags & LK_FLAG_CAP_BINDING);
    wide.params = (lk_policy_params){ 3, 2, 1e6, 0, 6 };
    v = judge_changed(&wide, 0, true);
    check(v.flags & LK_FLAG_NO_JITTER_ON_FIRST, "%s flags %x", name_of(v.policy), v.flags);
    p = plan_of("fixed", 0.001);
    p.params = (lk_policy_params){ 5, 1, (double)INFINITY, 0, 6 };
    v = judge_changed(&p, 7, false);
    check(v.flags & LK_FLAG_ZERO_SPIKE, "%s flags %x", name_of(v.policy), v.flags);
    v = judge_changed(&p, 4, false); /* so many that no policy is named */
    check(v.flags & LK_FLAG_ZERO_SPIKE, "%s flags %x", name_of(v.policy), v.flags);
    v = judge_changed(&p, 0, false);
    assert_false(v.flags & LK_FLAG_ZERO_SPIKE);
}

/* Delays without jitter are found whatever they grow by, though whole seconds and some service time lie over them. */
TEST(policy_judge_finds_growth_at_whole_seconds)
{
    static const double FACTORS[] = { 1.5, 2, 2.5, 3, 4, 5 }, BASES[] = { 1, 2, 5 }, LAGS[] = { 0.005, 0.5 };

    for (size_t f = 0; f < ROWS(FACTORS); f++)
        for (size_t b = 0; b < ROWS(BASES); b++)
            for (size_t l = 0; l < ROWS(LAGS); l++) {
                world_plan p = plan_of("exponential", 1);
                lk_policy_verdict v;

                p.lag_s = LAGS[l];
                p.params = (lk_policy_params){ BASES[b], FACTORS[f], 1e6, 0, 5 };
                v = judge(&p);
                check(v.policy == lk_policy_find("exponential") &&
                          fabs(v.model.params.factor - FACTORS[f]) < 0.1 * FACTORS[f] &&
                          !isfinite(v.model.params.cap_s),
                      "base %g factor %g lag %g: %s base %g factor %g cap %g flags %x", BASES[b],
                      FACTORS[f], LAGS[l], name_of(v.policy), v.model.params.base_s,
                      v.model.params.factor, v.model.params.cap_s, v.flags);
            }
}

/* Linked by inference, one call in eight that gave up goes on with the caller's next one. */
TEST(policy_judge_leaves_out_the_next_calls)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    w.n = 0;
    for (uint64_t c = 0; c < 160; c++)
        for (unsigned k = 0; k < (c % 8 ? 4U : 8U); k++) {
            w.delay[w.n] = 2 * pow(3, fmin(k, 3)) + 0.001 * (double)(c % 5);
            w.previous[w.n] = w.asked[w.n] = (double)NAN;
            w.retry[w.n] = k;
            w.holds[w.n] = false;
            w.caller[w.n++] = c;
        }
    set = world_set(&w, 0.001);
    lk_arena_init(&scratch, 0);
    for (int linked = 0; linked < 2; linked++) {
        set.delays.is_linked = linked;
        check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
        check(v.policy == lk_policy_find("exponential"), "linked %d: %s, flags %x, factor %g, base %g, cap %g, merged %u, regime %u",
              linked, name_of(v.policy), v.flags, v.model.params.factor, v.model.params.base_s, v.model.params.cap_s, v.merged_from, v.regime_from);
        assert_int_equal(v.merged_from, linked ? 4 : 0);
        assert_int_equal((v.flags & LK_FLAG_CAP_BINDING) != 0, !linked); /* ids say that it is so */
        assert_int_equal(isfinite(v.model.params.cap_s) != 0, !linked);
    }
    lk_arena_release(&scratch);
}

/* Every caller's k-th wait is `of(k)`, a few milliseconds of lag aside. */
static lk_policy_verdict judge_schedule(double (*of)(unsigned k, uint64_t caller), double grain)
{
    static world w;
    lk_policy_verdict v;
    lk_judged_set set;
    lk_arena scratch;
    lk_err e = { 0 };

    w.n = 0;
    for (uint64_t c = 0; c < 40; c++)
        for (unsigned k = 0; k < 5; k++) {
            double end = 0.0251 * (double)(c * 5 + k);

            w.delay[w.n] = world_cut(end + of(k, c) + 0.001 * (double)(c % 5), grain) - world_cut(end, grain);
            w.previous[w.n] = w.asked[w.n] = (double)NAN;
            w.retry[w.n] = k;
            w.holds[w.n] = false;
            w.caller[w.n++] = c;
        }
    set = world_set(&w, grain);
    lk_arena_init(&scratch, 0);
    check_ok(lk_policy_judge(&set, &scratch, &v, &e), e);
    lk_arena_release(&scratch);
    return v;
}

static double evenly(unsigned k, uint64_t caller)
{
    (void)caller;
    return 5 * (k + 1.0);
}

static double squared(unsigned k, uint64_t caller)
{
    (void)caller;
    return (k + 1.0) * (k + 1.0);
}

static double evenly_capped(unsigned k, uint64_t caller)
{
    return fmin(evenly(k, caller), 20);
}

static double drawn_once(unsigned k, uint64_t caller)
{
    static const double DRAWN[] = { 0.7, 5.1, 2.9, 11.3, 4.2 };

    (void)caller;
    return DRAWN[k];
}

/* d + U(0, 1 s): a window of its own, a fifth of its middle to either side. */
static double added(unsigned k, uint64_t caller)
{
    return 2 + fmod(0.618034 * (double)(caller * 5 + k), 1);
}

/* A schedule that is a rule is no shared draw, and no exponential. */
TEST(policy_judge_knows_a_rule_from_a_draw)
{
    double (*const RULES[])(unsigned, uint64_t) = { evenly, squared, evenly_capped };
    lk_policy_verdict v;

    for (size_t i = 0; i < ROWS(RULES); i++) {
        v = judge_schedule(RULES[i], 0.001);
        check(!v.policy && v.flags == LK_FLAG_DETERMINISTIC, "rule %zu: %s, flags %x", i, name_of(v.policy), v.flags);
    }
    v = judge_schedule(evenly, 1);
    check(!v.policy && v.flags == LK_FLAG_DETERMINISTIC, "%s, flags %x", name_of(v.policy), v.flags);
    v = judge_schedule(drawn_once, 0.001);
    assert_true(v.flags & LK_FLAG_IDENTICAL_DRAWS);
}

TEST(policy_judge_names_added_jitter_by_its_window)
{
    lk_policy_verdict v = judge_schedule(added, 0.001);

    assert_string_equal(name_of(v.policy), "percent-jitter");
    assert_float_equal(v.model.params.base_s, 2.5, 0.03);
    assert_float_equal(v.model.params.jitter, 0.2, 0.01);
    assert_int_equal(v.flags, 0);
}

/* Half of a constant window: told apart from a constant with a third to either side by what is free. */
TEST(policy_judge_names_equal_jitter_of_a_constant_window)
{
    world_plan p = plan_of("equal-jitter", 0.001);
    lk_policy_verdict v;

    p.params = (lk_policy_params){ 10, 1, (double)INFINITY, 0, 6 };
    v = judge(&p);
    assert_string_equal(name_of(v.policy), "equal-jitter");
    assert_float_equal(v.model.params.base_s, 10, 0.2);
}

TEST(policy_round_constants_are_the_nearest)
{
    assert_float_equal(lk_round_constant(1.25, 0.06), 1.25, 0);
    assert_float_equal(lk_round_constant(0.0126, 0.06), 0.0125, 1e-12);
    assert_float_equal(lk_round_constant(3.5, 0.06), 3.5, 0);
    assert_float_equal(lk_common_growth(2, 0.1), 2, 0);
    assert_float_equal(lk_common_growth(1.23, 0.1), 1.25, 0);
    assert_float_equal(lk_common_growth(7, 0.1), 7, 0);
}

TESTS(T(policy_judge_knows_a_rule_from_a_draw), T(policy_judge_names_added_jitter_by_its_window),
      T(policy_judge_names_equal_jitter_of_a_constant_window), T(policy_judge_finds_growth_at_whole_seconds), T(policy_judge_leaves_out_the_next_calls),
      T(policy_round_constants_are_the_nearest), T(policy_judge_flags_what_is_there_and_nothing_else), T(policy_likelihood_counts_weights), T(policy_judge_names_every_policy),
      T(policy_judge_finds_parameters), T(policy_judge_knows_one_sequence_and_one_draw),
      T(policy_judge_says_null_where_nothing_can_be_known),
      T(policy_judge_finds_where_a_schedule_breaks),
      T(policy_judge_sees_that_retry_after_is_ignored), T(policy_judge_names_percent_where_nobody_is_told), T(policy_judge_is_calibrated),
      T(policy_noise_is_a_distribution))
