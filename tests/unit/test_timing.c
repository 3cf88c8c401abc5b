#include "infer_vectors.h"

#include "base/random.h"
#include "infer/steady.h"
#include "infer/timing.h"
#include "infer/track.h"

#include <inttypes.h>

static lk_err e;
static lk_arena a, scratch;
static lk_hits hits;
static lk_line line;
static lk_timing *timing;

enum { BINS_MAX = 14400 };
static double x[BINS_MAX];

static void find(size_t n, double bin_s)
{
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_line_init(&line, x, n, bin_s, &a, &e), e);
    check_ok(lk_timing_open(&line, &(lk_period_range){ 0 }, &a, &timing, &e), e);
    check_ok(lk_timing_find(timing, &line, &scratch, &hits, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
}

static void drop(void)
{
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

static const lk_hit *best_of(lk_engine engine)
{
    for (size_t i = 0; i < hits.count; i++)
        if (hits.item[i].engine == engine)
            return &hits.item[i];
    return NULL;
}

/* The reference's figures, less its ln of the number of channels; the lattice is never weaker, since
 * it also tries a tighter tolerance, and coherence differs a little by the grid of its transform. */
static const struct {
    bool only_rejected;
    double resolution_s, bin_s, lattice, coherence, channels;
} TRACES[] = {
    { false, 0.001, 0.25, -18.525, -10.677, 2.0 },
    { true, 0.001, 0.25, -21.278, -18.954, 4.0 },
    { false, 1.0, 1.0, -11.6824, -6.619, 2.0 },
};

TEST(timing_matches_the_reference)
{
    static vector_trace t;

    vector_trace_read(&t);
    for (size_t i = 0; i < ROWS(TRACES); i++) {
        size_t n = (size_t)(600.0 / TRACES[i].bin_s);
        double wanted = TRACES[i].lattice - log(TRACES[i].channels);
        const lk_hit *lattice, *coherence;

        vector_trace_bins(&t, TRACES[i].only_rejected, TRACES[i].resolution_s, TRACES[i].bin_s, x,
                          n);
        find(n, TRACES[i].bin_s);
        lattice = best_of(LK_ENGINE_LATTICE);
        coherence = best_of(LK_ENGINE_COHERENCE);
        check(lattice && coherence, "row %zu: both engines", i);
        if (!lattice || !coherence)
            return;
        check(lattice->ln_p < 0.98 * wanted && lattice->ln_p > 1.4 * wanted, "row %zu: lattice %f",
              i, lattice->ln_p);
        check(is_close(lattice->period_s, 12.04, 0.01), "row %zu: %f", i, lattice->period_s);
        check(is_close(coherence->ln_p, TRACES[i].coherence - log(TRACES[i].channels), 0.15),
              "row %zu: coherence %f", i, coherence->ln_p);
        for (size_t k = 1; k < hits.count; k++)
            check(hits.item[k - 1].ln_p <= hits.item[k].ln_p, "best first");
        drop();
    }
}

/* xorshift32 as in the reference's null trace. */
static double next_unit(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state / 4294967296.0;
}

TEST(timing_of_the_null_trace_is_nothing)
{
    uint32_t random = 2463534242U + 977U * 5U;

    for (int i = 0; i < 8; i++)
        (void)next_unit(&random);
    memset(x, 0, sizeof(x));
    for (int i = 0; i < 1200; i++)
        x[(size_t)(600.0 * next_unit(&random) / 0.25)] += 1.0;
    find(2400, 0.25);
    check(hits.count == 0 || hits.item[0].ln_p > -4.0, "ln p %f", hits.item[0].ln_p);
    drop();
}

static void add_poisson(lk_random *r, double rate, double span_s, double bin_s)
{
    memset(x, 0, sizeof(x));
    for (double at = lk_random_exponential(r, 1.0 / rate); at < span_s;
         at += lk_random_exponential(r, 1.0 / rate))
        x[(size_t)(at / bin_s)] += 1.0;
}

/* A true one in a thousand lies near ln p = -8: none of sixty. */
TEST(timing_of_noise_is_no_clock)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        lk_random r;

        lk_random_init(&r, seed);
        add_poisson(&r, 2.0 + (double)(seed % 7) * 3.0, 900.0, 0.25);
        find(3600, 0.25);
        check(hits.count == 0 || hits.item[0].ln_p > -8.5, "seed %" PRIu64 ": %f", seed,
              hits.item[0].ln_p);
        drop();
    }
}

/* Waves for ten minutes of an hour: found, and found where they are. */
TEST(timing_finds_waves_in_part_of_a_long_log)
{
    const lk_hit *hit;
    lk_random r;

    lk_random_init(&r, 77);
    add_poisson(&r, 6.0, 3600.0, 0.25);
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 25; i++)
            x[(size_t)((1500.0 + 30.1 * k + 1.5 * lk_random_unit(&r)) / 0.25)] += 1.0;
    find(14400, 0.25);
    assert_true(hits.count > 0);
    hit = &hits.item[0];
    check(hit->ln_p < -20.0, "ln p %f", hit->ln_p);
    check(is_close(hit->period_s * rint(30.1 / hit->period_s), 30.1, 0.005), "%f", hit->period_s);
    check(hit->from > 4400 && hit->to < 10000, "bins %zu to %zu", hit->from, hit->to);
    drop();
}

TEST(timing_reports_no_memory)
{
    unsigned failures = 0;
    lk_code code = LK_EOOM;
    lk_random r;

    lk_random_init(&r, 3);
    add_poisson(&r, 3.0, 900.0, 0.25);
    find(3600, 0.25);
    for (size_t limit = 1000; code != LK_OK; limit += 20000) {
        lk_arena_release(&scratch);
        lk_arena_init(&scratch, limit);
        code = lk_timing_open(&line, &(lk_period_range){ 0 }, &scratch, &timing, &e);
        if (code == LK_OK)
            code = lk_timing_find(timing, &line, &scratch, &hits, &e);
        check(code == LK_OK || code == LK_EOOM, "limit %zu: %s", limit, e.msg);
        failures += code == LK_EOOM;
    }
    check(failures > 5, "%u failures", failures);
    drop();
}

/* ---- track ---------------------------------------------------------------------------------- */

TEST(track_matches_the_reference)
{
    static vector_trace t;
    lk_track_range range = { 400, 737, 12.0417 };
    lk_waves w;

    vector_trace_read(&t);
    vector_trace_bins(&t, false, 0.001, 0.25, x, 2400);
    find(2400, 0.25);
    check_ok(lk_track_waves(&line, &range, &a, &scratch, &w, &e), e);
    lk_track_decay(&w);
    assert_int_equal(w.count, 10);
    check(is_close(w.survival, 0.7777, 1e-3), "decay %f", w.survival);
    check(w.survival_low < 0.75 && w.survival_high > 0.80, "%f to %f", w.survival_low,
          w.survival_high);
    check(is_close(w.period_error_s, 0.0107, 0.02), "error %f", w.period_error_s);
    check(is_close(w.item[0].centre_s, 87.375, 1e-4) && is_close(w.item[9].centre_s, 196.125, 1e-4),
          "%f to %f", w.item[0].centre_s, w.item[9].centre_s);
    drop();
}

static const struct {
    double bin_s, rate; /* of arrivals, background */
    size_t size, seeds;
} TRAINS[] = { { 1.0, 2.0, 8, 12 }, { 0.25, 2.0, 8, 4 } };

/* A train of waves over much of a log, among arrivals as many as a wave's own in some bins beside it. */
TEST(track_follows_a_long_train_from_its_first_wave_to_its_last)
{
    static const double PERIOD_S = 23.0;

    for (size_t i = 0; i < ROWS(TRAINS); i++)
        for (uint64_t seed = 0; seed < TRAINS[i].seeds; seed++) {
            double bin = TRAINS[i].bin_s, span = bin * BINS_MAX, first = 0.1 * span, last = 0.9 * span;
            lk_track_range range = { BINS_MAX / 2, BINS_MAX / 2 + BINS_MAX / 5, 23.0001 };
            size_t planted = 0;
            lk_random r;
            lk_waves w;

            lk_random_init(&r, 100 * i + seed);
            memset(x, 0, sizeof(x));
            for (double at = 0.0; at < span - 1e-6; at += lk_random_exponential(&r, 1.0 / TRAINS[i].rate))
                x[(size_t)(at / bin)] += 1.0;
            for (double at = floor(first) + 0.1; at < last; at += PERIOD_S, planted++)
                x[(size_t)(at / bin)] += (double)TRAINS[i].size;
            lk_arena_init(&a, 0);
            lk_arena_init(&scratch, 0);
            check_ok(lk_line_init(&line, x, BINS_MAX, bin, &a, &e), e);
            check_ok(lk_track_waves(&line, &range, &a, &scratch, &w, &e), e);
            /* Beyond either end a round may look like a wave by chance, and one within may not. */
            check(w.count + 2 >= planted && w.count <= planted + 2 &&
                      fabs(w.item[0].centre_s - first) < PERIOD_S + 2.0 &&
                      fabs(w.item[w.count - 1].centre_s - last) < 2.0 * PERIOD_S,
                  "row %zu, seed %d: %zu of %zu waves, from %f to %f s", i, (int)seed, w.count,
                  planted, w.item[0].centre_s, w.item[w.count - 1].centre_s);
            drop();
        }
}

TEST(track_reports_no_memory)
{
    lk_track_range range = { 0, 400, 12.0 };
    lk_waves w;

    memset(x, 0, sizeof(x));
    find(2400, 0.25);
    lk_arena_release(&scratch);
    lk_arena_init(&scratch, 128);
    assert_int_equal(lk_track_waves(&line, &range, &a, &scratch, &w, &e), LK_EOOM);
    drop();
}

/* ---- steady --------------------------------------------------------------------------------- */

/* Waves of 4 every 10 s among 4 others a round: found with all the room, and with less it is said that it is less. */
TEST(steady_waves_report_no_memory)
{
    enum { BINS = 8000, PERIOD = 40 };
    lk_track_range range = { 0, BINS, 10.0 };
    lk_arena small, room;
    lk_random r;
    lk_waves w;

    lk_random_init(&r, 5);
    memset(x, 0, sizeof(x));
    for (size_t i = 0; i < BINS; i += PERIOD) {
        x[i + 3] += 4.0;
        for (size_t k = 0; k < 4; k++)
            x[i + lk_random_u64(&r) % PERIOD] += 1.0;
    }
    find(BINS, 0.25);
    check_ok(lk_steady_waves(&line, &range, &a, &scratch, &w, &e), e);
    check(w.count > BINS / PERIOD - 20 && w.count < BINS / PERIOD + 20, "%zu waves", w.count);
    lk_arena_init(&small, 64);
    lk_arena_init(&room, 0);
    assert_int_equal(lk_steady_waves(&line, &range, &a, &small, &w, &e), LK_EOOM);
    assert_string_equal(e.msg, "no memory to fold a series");
    assert_int_equal(lk_steady_waves(&line, &range, &small, &room, &w, &e), LK_EOOM);
    assert_non_null(strstr(e.msg, "no memory for "));
    lk_arena_release(&small);
    lk_arena_release(&room);
    drop();
}

TESTS(T(timing_matches_the_reference), T(timing_of_the_null_trace_is_nothing),
      T(timing_of_noise_is_no_clock), T(timing_finds_waves_in_part_of_a_long_log),
      T(timing_reports_no_memory), T(track_matches_the_reference),
      T(track_follows_a_long_train_from_its_first_wave_to_its_last), T(steady_waves_report_no_memory), T(track_reports_no_memory))
