#include "infer_vectors.h"

#include "base/random.h"
#include "infer/lattice.h"

static lk_err e;

static const lk_burst BURSTS[] = {
    { 100.0, 9.0 }, { 112.1, 8.0 }, { 124.2, 7.0 }, { 136.2, 6.0 },
    { 148.4, 5.0 }, { 40.0, 4.0 },  { 171.0, 3.0 }, { 260.0, 2.0 },
};

static lk_lattice_range range_of(double span_s)
{
    return (lk_lattice_range){ .bin_s = 0.25,
                               .span_s = span_s,
                               .period_min_s = 3.0,
                               .period_max_s = span_s / 3.0,
                               .tolerance_bins = 1.5,
                               .tolerance_share = 0.025 };
}

TEST(lattice_matches_the_reference)
{
    lk_lattice_range range = range_of(300.0);
    lk_lattice l = lk_lattice_find(BURSTS, ROWS(BURSTS), &range);

    check(is_close(l.ln_p, -9.98253, 1e-4), "ln p %f", l.ln_p);
    check(is_close(l.period_s, 12.1, 1e-4), "period %f", l.period_s);
    check(is_close(l.first_s, 100.0, 1e-9) && is_close(l.last_s, 148.4, 1e-9), "%f to %f",
          l.first_s, l.last_s);
    assert_int_equal(l.waves, 5);
}

TEST(lattice_wants_four_bursts)
{
    lk_lattice_range range = range_of(300.0);

    for (size_t n = 0; n < 4; n++)
        check(lk_lattice_find(BURSTS, n, &range).waves == 0, "%zu bursts", n);
    range.period_min_s = range.period_max_s = 99.0; /* no pair is so far apart */
    assert_int_equal(lk_lattice_find(BURSTS, ROWS(BURSTS), &range).waves, 0);
}

/* Slow drift is followed: steps of 20.0, 20.3, 20.6 ... */
TEST(lattice_follows_drift)
{
    lk_lattice_range range = range_of(600.0);
    lk_burst bursts[9];
    double at = 50.0;
    lk_lattice l;

    for (size_t i = 0; i < ROWS(bursts); i++) {
        bursts[i] = (lk_burst){ at, 20.0 - (double)i };
        at += 20.0 + 0.1 * (double)i;
    }
    l = lk_lattice_find(bursts, ROWS(bursts), &range);
    check(l.waves == ROWS(bursts) && l.ln_p < -10.0, "%zu waves, ln p %f", l.waves, l.ln_p);
}

TEST(lattice_of_random_bursts_is_none)
{
    lk_lattice_range range = range_of(1800.0);
    unsigned found = 0;
    lk_random r;

    lk_random_init(&r, 31);
    for (int run = 0; run < 100; run++) {
        lk_burst bursts[40];

        for (size_t i = 0; i < ROWS(bursts); i++)
            bursts[i] = (lk_burst){ 1800.0 * lk_random_unit(&r), 50.0 - (double)i };
        found += lk_lattice_find(bursts, ROWS(bursts), &range).ln_p < -6.9; /* 1 in 1,000 */
    }
    check(found <= 2, "%u of 100", found);
}

enum { BINS = 1200 };

TEST(lattice_bursts_stand_where_they_were_put)
{
    static lk_burst out[LK_BURSTS_MAX];
    static double x[BINS];
    size_t count;
    lk_arena a, scratch;
    lk_line line;

    for (size_t i = 0; i < BINS; i++)
        x[i] = (i * 7919) % 3 ? 1.0 : 2.0;
    x[300] += 40.0;
    x[301] += 40.0; /* centred between the two */
    x[700] += 30.0;
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_line_init(&line, x, BINS, 0.25, &a, &e), e);
    check_ok(lk_bursts_find(&line, 0.5, &scratch, out, &count, &e), e);
    assert_int_equal(count, 2);
    check(fabs(out[0].at_s - 301.0 * 0.25) < 0.05, "%f", out[0].at_s);
    check(fabs(out[1].at_s - 700.5 * 0.25) < 0.15, "%f", out[1].at_s);
    check(out[0].z > out[1].z, "strongest first");
    assert_int_equal(scratch.used, 0);
    check_ok(lk_bursts_find(&line, 1e6, &scratch, out, &count, &e), e); /* wider than the line */
    assert_int_equal(count, 0);
    lk_arena_release(&scratch);
    lk_arena_init(&scratch, 64);
    assert_int_equal(lk_bursts_find(&line, 0.5, &scratch, out, &count, &e), LK_EOOM);
    lk_arena_release(&scratch);
    lk_arena_release(&a);
}

TESTS(T(lattice_matches_the_reference), T(lattice_wants_four_bursts), T(lattice_follows_drift),
      T(lattice_of_random_bursts_is_none), T(lattice_bursts_stand_where_they_were_put))
