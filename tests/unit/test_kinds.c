#include "unit.h"

#include "base/random.h"
#include "link/kinds.h"

#include <math.h>

static lk_chain_delay delays[4000];

/* Chains of `length` delays; delay_s(position) before each attempt after the first. */
static size_t fill(size_t chains, uint32_t length, double (*delay_s)(uint32_t position))
{
    size_t n = 0;

    for (size_t c = 0; c < chains; c++)
        for (uint32_t p = 1; p <= length; p++)
            delays[n++] = (lk_chain_delay){ delay_s(p), p };
    return n;
}

static double three_under_a_minute(uint32_t position)
{
    return position % 3 == 0 ? 60.0 : 12.0 + 0.001 * position;
}

static double doubling(uint32_t position)
{
    return ldexp(0.5, (int)position);
}

static double constant(uint32_t position)
{
    return 10.0 + 0.0001 * position;
}

TEST(kinds_finds_a_second_layer)
{
    size_t n = fill(50, 8, three_under_a_minute);

    assert_int_equal(lk_kinds_cap(delays, n), 3);
}

TEST(kinds_does_not_take_growth_for_a_layer)
{
    assert_int_equal(lk_kinds_cap(delays, fill(50, 8, doubling)), 0);
}

TEST(kinds_sees_one_layer_in_a_constant)
{
    assert_int_equal(lk_kinds_cap(delays, fill(50, 20, constant)), 0);
}

TEST(kinds_needs_thirty_delays)
{
    assert_int_equal(lk_kinds_cap(delays, fill(3, 8, three_under_a_minute)), 0);
}

TEST(kinds_is_not_fooled_by_chance)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        lk_random r;

        lk_random_init(&r, seed);
        for (size_t i = 0; i < 400; i++)
            delays[i] = (lk_chain_delay){ lk_random_exponential(&r, 8),
                                          1 + (uint32_t)(lk_random_u64(&r) % 9) };
        check(lk_kinds_cap(delays, 400) == 0, "seed %d", (int)seed);
    }
}

TEST(kinds_knows_vendors_that_ship_no_such_constant)
{
    static const struct { const char *agent; double delay_s; bool job; } ROW[] = {
        { "OpenAI/JS 6.49.0", 60, true },  { "aws-sdk-python/1.34", 4.5, true },
        { "OpenAI/JS 6.49.0", 0.5, false }, { "okhttp/4.12.0", 60, false }, { "", 60, false },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        for (size_t k = 0; k < 40; k++)
            delays[k] = (lk_chain_delay){ ROW[i].delay_s + 0.001 * (double)k, 1 };
        check(lk_kinds_is_job(lk_slice_from(ROW[i].agent), delays, 40) == ROW[i].job, "row %zu", i);
    }
    assert_false(lk_kinds_is_job(LK_SLICE("OpenAI/JS"), delays, 0));
}

TEST(kinds_quantile_of_nothing_is_not_known)
{
    assert_true(isnan(lk_kinds_quantile(delays, 0, 0.5)));
}

TESTS(T(kinds_finds_a_second_layer), T(kinds_does_not_take_growth_for_a_layer),
      T(kinds_sees_one_layer_in_a_constant), T(kinds_needs_thirty_delays),
      T(kinds_is_not_fooled_by_chance), T(kinds_knows_vendors_that_ship_no_such_constant),
      T(kinds_quantile_of_nothing_is_not_known))
