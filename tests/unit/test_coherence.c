#include "infer_vectors.h"

#include "base/random.h"
#include "infer/coherence.h"

static lk_err e;
static lk_arena a, scratch;

static void open_arenas(void)
{
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
}

static void close_arenas(void)
{
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

static lk_coherence ask(const lk_line *line, double period_s, lk_coherence_how how)
{
    lk_mark mark = lk_arena_mark(&scratch);
    lk_coherence_room *room = NULL;
    lk_coherence c;

    check_ok(lk_coherence_open(line->n, &scratch, &room, &e), e);
    c = lk_coherence_test(room, line, period_s, how);
    lk_arena_rewind(&scratch, mark);
    return c;
}

TEST(coherence_matches_the_reference)
{
    lk_coherence_how how = { .ranges = 4, .shifts = 1 };
    lk_coherence c;
    lk_line line;

    open_arenas();
    check_ok(lk_line_init(&line, VECTOR_COUNTS, 48, 1.0, &a, &e), e);
    c = ask(&line, 12.0, how);
    check(is_close(c.ln_p, -6.96561, 0.01), "ln p %f", c.ln_p); /* its ln Gamma is a coarse table */
    check(is_close(c.sum, 13.3481, 1e-3), "sum %f", c.sum);
    assert_int_equal(c.row_from, 0);
    assert_int_equal(c.row_to, 4);
    assert_int_equal(c.harmonics, 4);
    close_arenas();
}

TEST(coherence_wants_three_cycles)
{
    lk_coherence c;
    lk_line line;

    open_arenas();
    check_ok(lk_line_init(&line, VECTOR_COUNTS, 48, 1.0, &a, &e), e);
    c = ask(&line, 24.1, LK_COHERENCE_FULL);
    check(c.ln_p >= 0.0, "ln p %f of one cycle", c.ln_p);
    close_arenas();
}

static double poisson(lk_random *r, double mean)
{
    double k = 0.0, p = exp(-mean), at = lk_random_unit(r);

    for (double sum = p; at > sum && k < 200.0; sum += p) {
        k += 1.0;
        p *= mean / k;
    }
    return k;
}

enum { BINS = 2400 };
static double x[BINS];

static void fill(lk_random *r, double mean, double period, double share, double from, double to)
{
    for (size_t i = 0; i < BINS; i++) {
        double phase = fmod((double)i, period);
        bool wave = phase < 2.0 && (double)i >= from && (double)i < to;

        x[i] = poisson(r, mean * (1.0 - share) + (wave ? mean * share * period / 2.0 : 0.0));
    }
}

static lk_coherence run(double period)
{
    lk_coherence c;
    lk_line line;

    open_arenas();
    check_ok(lk_line_init(&line, x, BINS, 0.25, &a, &e), e);
    c = ask(&line, period * 0.25, LK_COHERENCE_FULL);
    close_arenas();
    return c;
}

/* Waves of a tenth of the traffic, seen at a period that is a little off and only in the middle. */
TEST(coherence_finds_weak_waves_and_their_range)
{
    static const double PERIODS[] = { 20.0, 40.7, 83.3 };

    for (size_t i = 0; i < ROWS(PERIODS); i++) {
        double p = PERIODS[i];
        lk_coherence c;
        lk_random r;

        lk_random_init(&r, 100 + i);
        fill(&r, 3.0, p, 0.15, 600.0, 1800.0);
        c = run(p * 1.001);
        check(c.ln_p < -15.0, "period %g: ln p %g", p, c.ln_p);
        check(is_close(c.period_s / 0.25, p, 0.002), "period %g: %g", p, c.period_s / 0.25);
        check((double)c.row_from * p < 900.0 && (double)c.row_to * p > 1500.0,
              "period %g: rows %zu to %zu", p, c.row_from, c.row_to);
    }
}

/* One giant burst is a cycle without company. */
TEST(coherence_is_not_won_by_one_burst)
{
    lk_coherence c;
    lk_random r;

    lk_random_init(&r, 7);
    fill(&r, 2.0, 40.0, 0.0, 0.0, 0.0);
    x[1000] += 5000.0;
    c = run(40.0);
    check(c.ln_p > -9.0, "ln p %g", c.ln_p);
}

/* Trials are the caller's affair: some 1,000 ranges, shifts and harmonics. */
TEST(coherence_of_noise_is_no_clock)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        lk_coherence c;
        lk_random r;

        lk_random_init(&r, seed);
        fill(&r, 2.0, 37.0, 0.0, 0.0, 0.0);
        c = run(37.0);
        check(c.ln_p > -11.0, "seed %llu: ln p %g", (unsigned long long)seed, c.ln_p);
    }
}

TEST(coherence_tells_nothing_above_its_limit)
{
    lk_coherence_how how = LK_COHERENCE_FULL;
    lk_coherence open, limited;
    lk_line line;
    lk_random r;

    lk_random_init(&r, 100);
    fill(&r, 3.0, 20.0, 0.15, 600.0, 1800.0);
    open = run(20.0);
    open_arenas();
    check_ok(lk_line_init(&line, x, BINS, 0.25, &a, &e), e);
    how.ln_limit = open.ln_p + 1.0;
    limited = ask(&line, 5.0, how);
    check(limited.ln_p <= open.ln_p && limited.ln_p >= open.ln_p, "ln p %g", limited.ln_p);
    how.ln_limit = open.ln_p - 1.0;
    limited = ask(&line, 5.0, how);
    check(limited.ln_p >= 0.0, "ln p %g", limited.ln_p);
    close_arenas();
}

/* Rows of many bins are put together: a clock of ten minutes at quarters of a second. */
TEST(coherence_of_long_rows_loses_nothing)
{
    enum { LONG = 2400, ROUNDS = 12 };
    static double counts[LONG * ROUNDS];
    lk_coherence c;
    lk_line line;
    lk_random r;

    lk_random_init(&r, 5);
    for (size_t i = 0; i < ROWS(counts); i++)
        counts[i] = poisson(&r, i % LONG < 12 ? 8.0 : 0.5);
    open_arenas();
    check_ok(lk_line_init(&line, counts, ROWS(counts), 0.25, &a, &e), e);
    c = ask(&line, 600.0, LK_COHERENCE_FULL);
    check(is_close(c.sum, 8.0 * ROUNDS, 0.2 * 8.0 * ROUNDS), "sum %g", c.sum);
    assert_int_equal(c.harmonics, 8);
    close_arenas();
}

TEST(coherence_reports_no_memory)
{
    lk_coherence_room *room;

    lk_arena_init(&scratch, 64);
    assert_int_equal(lk_coherence_open(48, &scratch, &room, &e), LK_EOOM);
    lk_arena_release(&scratch);
}

TEST(coherence_keeps_to_its_room)
{
    lk_coherence_room *room = NULL;
    lk_coherence c;
    lk_line line;

    open_arenas();
    check_ok(lk_line_init(&line, VECTOR_COUNTS, 48, 1.0, &a, &e), e);
    check_ok(lk_coherence_open(47, &a, &room, &e), e);
    c = lk_coherence_test(room, &line, 12.0, LK_COHERENCE_FULL);
    check(c.ln_p >= 0.0, "ln p %g", c.ln_p);
    close_arenas();
}

TESTS(T(coherence_matches_the_reference), T(coherence_wants_three_cycles),
      T(coherence_finds_weak_waves_and_their_range), T(coherence_is_not_won_by_one_burst),
      T(coherence_of_noise_is_no_clock), T(coherence_tells_nothing_above_its_limit),
      T(coherence_of_long_rows_loses_nothing), T(coherence_reports_no_memory),
      T(coherence_keeps_to_its_room))
