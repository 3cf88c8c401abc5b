/* Clocks in a log so long that its narrow bins are searched a chapter at a time. */
#include "infer_world.h"

#include "infer/chapters.h"
#include "infer/clocks.h"

static lk_err e;
static lk_arena a, scratch;
static lk_symbols symbols;
static lk_report report;

/* Three chapters of narrow bins, eight of which make a wide one. */
enum { MERGE = 8, WIDE = 37376, NARROW = MERGE * WIDE };
#define BIN_S 0.25

static uint32_t narrow[2][NARROW], wide[2][WIDE];

static void read_narrow(const void *ctx, size_t from, size_t n, uint32_t *all, uint32_t *rejected)
{
    (void)ctx;
    memcpy(all, narrow[0] + from, n * sizeof(*all));
    memcpy(rejected, narrow[1] + from, n * sizeof(*rejected));
}

static void add(double at_s, bool rejected)
{
    size_t bin = (size_t)(at_s / BIN_S);

    if (bin < NARROW) {
        narrow[0][bin]++;
        narrow[1][bin] += rejected;
    }
}

static void begin(uint64_t seed, double rate)
{
    lk_random r;

    memset(narrow, 0, sizeof(narrow));
    memset(wide, 0, sizeof(wide));
    lk_random_init(&r, seed);
    for (double at = lk_random_exponential(&r, 1.0 / rate); at < NARROW * BIN_S;
         at += lk_random_exponential(&r, 1.0 / rate))
        add(at, false);
}

/* So many arrivals within half a second, every so often. */
static void plant(double from_s, double to_s, double period_s, unsigned size, bool rejected)
{
    lk_random r;

    lk_random_init(&r, 5);
    for (double at = from_s; at < to_s; at += period_s)
        for (unsigned i = 0; i < size; i++)
            add(at + 0.5 * lk_random_unit(&r), rejected);
}

static void infer(void)
{
    lk_evidence ev = { .resolution_ns = LK_NS_PER_S / 1000,
                       .first_ns = WORLD_ZERO_NS,
                       .last_ns = WORLD_ZERO_NS + llrint(NARROW * BIN_S * 1e9) - 1 };

    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_symbols_init(&symbols, 1, &e), e);
    lk_report_init(&report);
    for (size_t i = 0; i < NARROW; i++)
        for (int l = 0; l < 2; l++)
            wide[l][i / MERGE] += narrow[l][i];
    for (size_t i = 0; i < WIDE; i++) {
        ev.attempts += wide[0][i];
        ev.rejected += wide[1][i];
    }
    ev.series = (lk_series){ .start_ns = WORLD_ZERO_NS,
                             .bin_ns = llrint(MERGE * BIN_S * 1e9),
                             .n = WIDE,
                             .all = wide[0],
                             .rejected = wide[1],
                             .fine = { WORLD_ZERO_NS, llrint(BIN_S * 1e9), NARROW, read_narrow,
                                       NULL } };
    check_ok(lk_infer_clocks(&ev, &symbols, &(lk_clock_search)LK_CLOCK_SEARCH_INIT, &a, &scratch,
                             &report, &e),
             e);
}

static void drop(void)
{
    lk_symbols_release(&symbols);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

static double second_of(int64_t at_ns)
{
    return (double)(at_ns - WORLD_ZERO_NS) * 1e-9;
}

static void check_train(const lk_report_clock *c, double period_s, double from_s, double to_s)
{
    check(fabs(c->period_s / period_s - 1.0) < 0.002, "period %f", c->period_s);
    check(fabs(second_of(c->start_ns) - from_s) < 2.5 * period_s &&
              fabs(second_of(c->end_ns) - to_s) < 2.5 * period_s,
          "from %.1f to %.1f s", second_of(c->start_ns), second_of(c->end_ns));
    check(fabs((double)c->waves - (to_s - from_s) / period_s) < 0.05 * (double)c->waves + 4.0,
          "%d waves", (int)c->waves);
    check(c->wave_count > 0 && c->wave_count <= 256, "%zu are shown", c->wave_count);
    for (size_t i = 1; i < c->wave_count; i++)
        check(c->wave_list[i].start_ns > c->wave_list[i - 1].start_ns, "wave %zu", i);
}

/* Too fast for wide bins, and only ten minutes of twenty hours. */
TEST(chapters_find_ten_bad_minutes)
{
    begin(1, 1.0);
    plant(41000.0, 41600.0, 4.4, 12, true);
    infer();
    check(report.clock_count == 1, "%zu clocks", report.clock_count);
    if (report.clock_count == 1)
        check_train(&report.clocks[0], 4.4, 41000.0, 41600.0);
    drop();
}

/* From the first chapter through the second into the third: one clock, with its own beginning and end. */
TEST(chapters_let_a_clock_go_on)
{
    begin(2, 0.5);
    plant(20000.0, 62000.0, 5.0, 8, false);
    infer();
    check(report.clock_count == 1, "%zu clocks", report.clock_count);
    if (report.clock_count == 1)
        check_train(&report.clocks[0], 5.0, 20000.0, 62000.0);
    drop();
}

/* The same constant hours later is another row. */
TEST(chapters_tell_two_trains_apart)
{
    begin(3, 1.0);
    plant(10000.0, 10600.0, 4.4, 12, true);
    plant(65000.0, 65600.0, 4.4, 12, true);
    infer();
    check(report.clock_count == 2, "%zu clocks", report.clock_count);
    if (report.clock_count == 2) {
        bool first = report.clocks[0].start_ns < report.clocks[1].start_ns;

        check_train(&report.clocks[first ? 0 : 1], 4.4, 10000.0, 10600.0);
        check_train(&report.clocks[first ? 1 : 0], 4.4, 65000.0, 65600.0);
    }
    drop();
}

/* Waves that show in no single round, only in their sum, go on through the chapters as well. */
TEST(chapters_let_a_steady_clock_go_on)
{
    begin(6, 8.0);
    plant(2000.0, 72000.0, 10.0, 5, false);
    infer();
    check(report.clock_count == 1, "%zu clocks", report.clock_count);
    if (report.clock_count == 1)
        check_train(&report.clocks[0], 10.0, 2000.0, 72000.0);
    drop();
}

TEST(chapters_of_noise_are_none)
{
    begin(4, 1.5);
    infer();
    check(report.clock_count == 0, "%zu clocks", report.clock_count);
    drop();
}

TESTS(T(chapters_find_ten_bad_minutes), T(chapters_let_a_clock_go_on),
      T(chapters_tell_two_trains_apart), T(chapters_let_a_steady_clock_go_on),
      T(chapters_of_noise_are_none))
