#include "infer_vectors.h"

#include "base/random.h"
#include "infer/gaps.h"

static lk_err e;
static lk_arena scratch;
static lk_gap gaps[4000];
static size_t count;
static lk_random r;

static void begin(uint64_t seed)
{
    lk_random_init(&r, seed);
    count = 0;
}

static void add(size_t n, double from, double to, double step)
{
    for (size_t i = 0; i < n; i++) {
        double v = from + (to - from) * lk_random_unit(&r);

        gaps[count++] = (lk_gap){ step > 0.0 ? floor(v / step) * step : v, 1.0 };
    }
}

static lk_gap_peak find(double resolution_s, const lk_gap_taken *taken, size_t taken_count)
{
    lk_gap_range range = { .resolution_s = resolution_s,
                           .min_s = fmax(1.5, 4.5 * resolution_s),
                           .max_s = 400.0,
                           .least_share = 0.05,
                           .taken = taken,
                           .taken_count = taken_count };
    lk_gap_peak peak;

    lk_arena_init(&scratch, 0);
    check_ok(lk_gap_peak_find(gaps, count, &range, &scratch, &peak, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
    lk_arena_release(&scratch);
    return peak;
}

static const struct {
    const char *what;
    double from, to, resolution_s;
} CONSTANTS[] = {
    { "12 s to the millisecond", 12.0, 12.02, 0.001 },
    { "12.33 s in whole seconds", 12.0, 13.99, 1.0 },
    { "60 s by a tenth either side", 54.0, 66.0, 0.001 },
    { "the same in whole seconds", 54.0, 66.0, 1.0 },
    { "two minutes by a tenth, whole seconds", 108.0, 132.0, 1.0 },
    { "2 s", 2.0, 2.01, 0.001 },
};

/* 120 comebacks on a constant among 150 at any time. */
TEST(gaps_find_constants)
{
    for (size_t i = 0; i < ROWS(CONSTANTS); i++) {
        double middle = 0.5 * (CONSTANTS[i].from + CONSTANTS[i].to);
        double step = CONSTANTS[i].resolution_s;
        lk_gap_peak p;

        begin(i + 1);
        add(120, CONSTANTS[i].from, CONSTANTS[i].to, step);
        add(150, 0.0, 300.0, step);
        p = find(step, NULL, 0);
        check(p.ln_p < -12.0, "%s: ln p %f", CONSTANTS[i].what, p.ln_p);
        check(p.low_s <= middle + step && p.high_s >= middle - step, "%s: %f to %f",
              CONSTANTS[i].what, p.low_s, p.high_s);
        check(p.tail_low_s <= p.low_s && p.tail_high_s >= p.high_s, "%s: tails", CONSTANTS[i].what);
        check(p.weight >= 40.0 && p.share > 0.15 && p.beside < 0.5, "%s", CONSTANTS[i].what);
    }
}

static const struct {
    const char *what;
    double from, to, resolution_s;
} SPREADS[] = {
    { "full jitter of 20 s", 0.0, 20.0, 0.001 },
    { "full jitter of 20 s, whole seconds", 0.0, 20.0, 1.0 },
    { "equal jitter of 30 s", 15.0, 30.0, 0.001 },
    { "equal jitter of 30 s, whole seconds", 15.0, 30.0, 1.0 },
    { "Retry-After 12 and as much jitter", 12.0, 24.0, 1.0 },
    { "Retry-After 5 and as much jitter, whole seconds", 5.0, 10.0, 1.0 },
    { "anything", 0.0, 300.0, 0.001 },
};

TEST(gaps_of_jitter_have_no_peak)
{
    for (size_t i = 0; i < ROWS(SPREADS); i++)
        for (uint64_t seed = 1; seed <= 12; seed++) {
            lk_gap_peak p;

            begin(seed);
            add(1500, SPREADS[i].from, SPREADS[i].to, SPREADS[i].resolution_s);
            p = find(SPREADS[i].resolution_s, NULL, 0);
            check(p.ln_p > -8.5, "%s, seed %d: %f at %f to %f", SPREADS[i].what, (int)seed, p.ln_p,
                  p.low_s, p.high_s);
        }
}

/* The atom at a cap: 4 % of the gaps are exactly the longest. */
TEST(gaps_want_a_share)
{
    begin(3);
    add(40, 20.0, 20.001, 0.0);
    add(1000, 0.0, 20.0, 0.0);
    check(find(0.001, NULL, 0).ln_p >= 0.0, "too few");
    add(60, 20.0, 20.001, 0.0);
    check(find(0.001, NULL, 0).ln_p < -20.0, "enough: %f", find(0.001, NULL, 0).ln_p);
}

/* Where gaps were taken away nobody can say that a side is empty. */
TEST(gaps_taken_away_make_no_edge)
{
    static const lk_gap_taken TAKEN[] = { { 10.5, 13.5 } };

    begin(4);
    add(900, 13.5, 24.0, 0.0); /* the rest of 12 .. 24 */
    check(find(0.001, TAKEN, ROWS(TAKEN)).ln_p > -8.5, "%f", find(0.001, TAKEN, 1).ln_p);
    begin(5);
    add(100, 12.0, 12.01, 0.0);
    add(60, 31.0, 31.01, 0.0);
    check(find(0.001, NULL, 0).low_s < 13.0, "the stronger first");
    check(find(0.001, TAKEN, ROWS(TAKEN)).low_s > 30.0, "then the other");
}

TEST(gaps_of_few_or_none)
{
    begin(1);
    check(find(0.001, NULL, 0).ln_p >= 0.0, "none");
    add(3, 10.0, 10.01, 0.0);
    check(find(0.001, NULL, 0).ln_p >= 0.0, "three");
}

TEST(gaps_report_no_memory)
{
    lk_gap_range range = { .resolution_s = 0.001, .min_s = 1.5, .max_s = 400.0 };
    lk_gap_peak p;

    begin(1);
    lk_arena_init(&scratch, 512);
    assert_int_equal(lk_gap_peak_find(gaps, count, &range, &scratch, &p, &e), LK_EOOM);
    lk_arena_release(&scratch);
}

TESTS(T(gaps_find_constants), T(gaps_of_jitter_have_no_peak), T(gaps_want_a_share),
      T(gaps_taken_away_make_no_edge), T(gaps_of_few_or_none), T(gaps_report_no_memory))
