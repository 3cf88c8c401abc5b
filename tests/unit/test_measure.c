#include "unit.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "measure/above.h"
#include "measure/arrivals.h"
#include "measure/asked.h"
#include "measure/heavy.h"
#include "measure/hops.h"
#include "measure/periods.h"
#include "measure/workload.h"
#include "measure/tally.h"

static lk_err e;

static lk_attempt with_status(unsigned status, int64_t at_ns)
{
    return (lk_attempt){ .stamp_ns = at_ns,
                         .start_ns = at_ns,
                         .end_ns = at_ns,
                         .status = (uint16_t)status,
                         .try_no = 1,
                         .failed = lk_status_is_failed(status),
                         .rejected = lk_status_is_rejected(status),
                         .gave_up = lk_status_client_gave_up(status),
                         .retry_after_ns = -1 };
}

TEST(tally_tells_errors_from_client_errors)
{
    static const unsigned STATUS[] = { 200, 204, 301, 404, 408, 429, 499, 500, 503, 529, 0, 460 };
    static lk_tally t;
    static lk_report r;

    lk_tally_init(&t);
    for (size_t i = 0; i < ROWS(STATUS); i++) {
        lk_attempt a = with_status(STATUS[i], (int64_t)(i + 1) * LK_NS_PER_S);

        lk_tally_add(&t, &a);
    }
    lk_report_init(&r);
    lk_tally_report(&t, &r);
    assert_int_equal(r.http.attempts, 12);
    assert_int_equal(r.http.errors, 4);         /* 429 500 503 529 */
    assert_int_equal(r.http.rejected, 3);       /* 429 503 529     */
    assert_int_equal(r.http.client_errors, 2);  /* 404 408         */
    assert_int_equal(r.http.client_gave_up, 3); /* 499 0 460       */
    assert_int_equal(r.http.by_status[404], 1);
    assert_float_equal(r.http.rejected_share, 0.25, 1e-12);
    assert_float_equal(r.input.span_s, 11, 1e-12);
    assert_float_equal(r.input.resolution_s, 1, 0);
}

TEST(tally_merges_to_the_same_as_one)
{
    static lk_tally whole, half[2];
    lk_random random;

    lk_random_init(&random, 3);
    lk_tally_init(&whole);
    lk_tally_init(&half[0]);
    lk_tally_init(&half[1]);
    for (size_t i = 0; i < 1000; i++) {
        lk_attempt a = with_status((unsigned)(lk_random_u64(&random) % 600),
                                   (int64_t)(lk_random_u64(&random) % 1000000));

        lk_tally_add(&whole, &a);
        lk_tally_add(&half[lk_random_u64(&random) & 1], &a);
    }
    lk_tally_merge(&half[1], &half[0]);
    assert_memory_equal(&half[1], &whole, sizeof(whole));
}

TEST(arrivals_count_in_any_order)
{
    static const int QUARTERS[] = { 40, 41, 41, 3, 900, -7 };
    lk_arrivals s;
    uint32_t sum = 0;

    check_ok(lk_arrivals_init(&s, LK_NS_PER_S / 4, &e), e);
    for (size_t i = 0; i < ROWS(QUARTERS); i++)
        check_ok(lk_arrivals_add(&s, QUARTERS[i] * (LK_NS_PER_S / 4), i == 2, &e), e);
    assert_int_equal(s.first_bin, -7);
    assert_int_equal(s.n, 908);
    assert_int_equal(s.all[48], 2);
    assert_int_equal(s.rejected[48], 1);
    for (size_t i = 0; i < s.n; i++)
        sum += s.all[i];
    assert_int_equal(sum, ROWS(QUARTERS));
    lk_arrivals_release(&s);
}

TEST(arrivals_stay_within_their_bound)
{
    lk_arrivals s;
    uint64_t sum = 0;

    check_ok(lk_arrivals_init(&s, LK_NS_PER_S / 4, &e), e);
    for (int day = 0; day < 40; day++)
        check_ok(lk_arrivals_add(&s, day * 86400 * LK_NS_PER_S + LK_NS_PER_S, false, &e), e);
    check(s.n <= LK_ARRIVAL_BINS_MAX, "%zu bins", s.n);
    assert_int_equal(s.bin_ns, 4 * LK_NS_PER_S); /* 39 days need it */
    for (size_t i = 0; i < s.n; i++)
        sum += s.all[i];
    assert_int_equal(sum, 40);
    lk_arrivals_release(&s);
}

static void add_random(lk_arrivals *s, uint64_t seed, int64_t span_s, size_t n)
{
    lk_random random;

    lk_random_init(&random, seed);
    for (size_t i = 0; i < n; i++)
        check_ok(lk_arrivals_add(s, (int64_t)(lk_random_unit(&random) * (double)span_s * 1e9),
                                 i % 3 == 0, &e),
                 e);
}

TEST(arrivals_merge_to_the_same_as_one)
{
    lk_arrivals whole, a, b;

    check_ok(lk_arrivals_init(&whole, LK_NS_PER_S / 4, &e), e);
    check_ok(lk_arrivals_init(&a, LK_NS_PER_S / 4, &e), e);
    check_ok(lk_arrivals_init(&b, LK_NS_PER_S / 4, &e), e);
    add_random(&whole, 5, 1000, 500);
    add_random(&whole, 6, 1000000, 500); /* wide: bins double */
    add_random(&a, 6, 1000000, 500);
    add_random(&b, 5, 1000, 500);
    check_ok(lk_arrivals_merge(&b, &a, &e), e);
    assert_int_equal(b.bin_ns, whole.bin_ns);
    assert_int_equal(b.first_bin, whole.first_bin);
    assert_int_equal(b.n, whole.n);
    assert_memory_equal(b.all, whole.all, whole.n * sizeof(*whole.all));
    assert_memory_equal(b.rejected, whole.rejected, whole.n * sizeof(*whole.rejected));
    lk_arrivals_release(&whole);
    lk_arrivals_release(&a);
    lk_arrivals_release(&b);
}

/* A log that runs backwards, or from the middle to both sides, gives what one that runs forwards gives. */
TEST(arrivals_grow_at_either_end)
{
    enum { N = 5000 };
    lk_arrivals on, back, both;

    check_ok(lk_arrivals_init(&on, LK_NS_PER_S / 4, &e), e);
    check_ok(lk_arrivals_init(&back, LK_NS_PER_S / 4, &e), e);
    check_ok(lk_arrivals_init(&both, LK_NS_PER_S / 4, &e), e);
    for (int i = 0; i < N; i++) {
        int from_middle = N / 2 + (i % 2 ? -(i + 1) / 2 : i / 2);

        check_ok(lk_arrivals_add(&on, i * LK_NS_PER_S, i % 3 == 0, &e), e);
        check_ok(lk_arrivals_add(&back, (N - 1 - i) * LK_NS_PER_S, (N - 1 - i) % 3 == 0, &e), e);
        check_ok(lk_arrivals_add(&both, from_middle * LK_NS_PER_S, from_middle % 3 == 0, &e), e);
    }
    assert_int_equal(back.n, on.n);
    assert_int_equal(both.n, on.n);
    assert_int_equal(back.first_bin, on.first_bin);
    assert_memory_equal(back.all, on.all, on.n * sizeof(*on.all));
    assert_memory_equal(back.rejected, on.rejected, on.n * sizeof(*on.rejected));
    assert_memory_equal(both.all, on.all, on.n * sizeof(*on.all));
    check(back.cap <= 8 * on.n, "room for %zu bins, %zu in use", back.cap, back.n);
    lk_arrivals_release(&on);
    lk_arrivals_release(&back);
    lk_arrivals_release(&both);
}

/* A log of many terabytes whose lines are of one second. */
TEST(periods_and_workload_count_no_further_than_a_counter_goes)
{
    const int64_t at_ns = 1000 * LK_NS_PER_S;
    lk_attempt a = { .start_ns = at_ns, .end_ns = INT64_MAX, .status = 503, .failed = true, .rejected = true,
                     .has_took = true, .try_no = 1, .retry_after_ns = -1 };
    lk_workload work;
    lk_periods p;

    check_ok(lk_periods_init(&p, LK_NS_PER_S, &e), e);
    check_ok(lk_periods_attempt(&p, &a, &e), e);
    p.items[p.at].attempts = p.items[p.at].rejected = p.items[p.at].by_status[0] = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++)
        check_ok(lk_periods_attempt(&p, &a, &e), e);
    assert_int_equal(p.items[p.at].attempts, UINT32_MAX);
    assert_int_equal(p.items[p.at].rejected, UINT32_MAX);
    assert_int_equal(p.items[p.at].by_status[0], UINT32_MAX);
    assert_int_equal(p.items[p.at].failed, 4);
    assert_true(p.items[p.at].refused_ns == INT64_MAX);
    lk_periods_release(&p);

    check_ok(lk_workload_init(&work, LK_NS_PER_S, &e), e);
    check_ok(lk_workload_attempt(&work, 0, &a, &e), e);
    work.crowds[0].pages[work.page_at][work.at].attempts = UINT32_MAX - 1;
    for (int i = 0; i < 3; i++)
        check_ok(lk_workload_attempt(&work, 0, &a, &e), e);
    assert_int_equal(work.crowds[0].pages[work.page_at][work.at].attempts, UINT32_MAX);
    assert_true(work.crowds[0].refused_ns == INT64_MAX);
    lk_workload_release(&work);
}

TEST(periods_grow_at_either_end)
{
    enum { N = 9000 }; /* more than there are bins: they become wider on the way */
    lk_periods on, back;

    check_ok(lk_periods_init(&on, LK_NS_PER_S, &e), e);
    check_ok(lk_periods_init(&back, LK_NS_PER_S, &e), e);
    for (int i = 0; i < N; i++) {
        lk_attempt a = with_status(503, i * LK_NS_PER_S);
        lk_attempt b = with_status(503, (N - 1 - i) * LK_NS_PER_S);

        check_ok(lk_periods_attempt(&on, &a, &e), e);
        check_ok(lk_periods_attempt(&back, &b, &e), e);
    }
    assert_int_equal(back.n, on.n);
    assert_int_equal(back.bin_ns, on.bin_ns);
    assert_int_equal(back.first_bin, on.first_bin);
    for (size_t i = 0; i < on.n; i++)
        assert_int_equal(back.items[i].attempts, on.items[i].attempts);
    lk_periods_release(&on);
    lk_periods_release(&back);
}

static uint64_t fine_sum(const lk_series *s, uint64_t *rejected)
{
    uint64_t sum = 0;

    *rejected = 0;
    for (size_t i = 0; i < s->fine.n; i++) {
        uint32_t all, bad;

        s->fine.read(s->fine.ctx, i, 1, &all, &bad);
        sum += all;
        *rejected += bad;
    }
    return sum;
}

static void open_long(lk_arrivals *s)
{
    check_ok(lk_arrivals_init(s, LK_NS_PER_S / 4, &e), e);
    lk_arrivals_keep_fine(s);
}

/* Thirty days keep their quarters of a second beside the wide bins, in any order and in parts. */
TEST(arrivals_keep_the_narrow_bins_of_a_month)
{
    lk_arrivals whole, a, b;
    lk_series one, two;
    uint64_t rejected, again;
    lk_arena arena;

    lk_arena_init(&arena, 0);
    open_long(&whole);
    open_long(&a);
    open_long(&b);
    add_random(&whole, 5, 1000, 500);
    add_random(&whole, 6, 30 * 86400, 500);
    add_random(&a, 6, 30 * 86400, 500);
    add_random(&b, 5, 1000, 500);
    check_ok(lk_arrivals_merge(&b, &a, &e), e);
    check_ok(lk_arrivals_series(&whole, LK_NS_PER_S / 4, &arena, &one, &e), e);
    check_ok(lk_arrivals_series(&b, LK_NS_PER_S / 4, &arena, &two, &e), e);
    check(one.bin_ns > LK_NS_PER_S && one.fine.bin_ns == LK_NS_PER_S / 4, "bins of %d ns",
          (int)one.fine.bin_ns);
    assert_int_equal(fine_sum(&one, &rejected), 1000);
    assert_int_equal(fine_sum(&two, &again), 1000);
    assert_int_equal(rejected, again);
    assert_int_equal(one.fine.start_ns, two.fine.start_ns);
    for (size_t i = 0; i < one.fine.n; i += 7) {
        uint32_t x[2], y[2];

        one.fine.read(one.fine.ctx, i, 1, &x[0], &x[1]);
        two.fine.read(two.fine.ctx, i, 1, &y[0], &y[1]);
        assert_memory_equal(x, y, sizeof(x));
    }
    lk_arrivals_release(&whole);
    lk_arrivals_release(&a);
    lk_arrivals_release(&b);
    lk_arena_release(&arena);
}

/* Past a month only the wide bins are left. */
TEST(arrivals_give_up_narrow_bins_past_a_month)
{
    lk_arrivals s;
    lk_series out;
    lk_arena arena;

    lk_arena_init(&arena, 0);
    open_long(&s);
    add_random(&s, 6, 60 * 86400, 100);
    check_ok(lk_arrivals_series(&s, LK_NS_PER_S / 4, &arena, &out, &e), e);
    assert_true(s.fine.given_up);
    check(out.fine.bin_ns == out.bin_ns, "bins of %d ns", (int)out.fine.bin_ns);
    lk_arrivals_release(&s);
    lk_arena_release(&arena);
}

TEST(arrivals_report_has_a_round_width)
{
    static const struct { int64_t span_s; double asked_s, resolution_s, want_s; } ROW[] = {
        { 600, 0, 0.001, 0.25 }, { 600, 0, 1, 1 },  { 3600, 0, 0.001, 1 },
        { 86400, 0, 1, 30 },     { 600, 7, 1, 7 },  { 86400, 1, 1, 30 }, /* too fine to print */
        { 30 * 86400, 0, 1, 900 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_arrivals s;
        lk_report r;
        lk_arena arena;
        uint64_t sum = 0;

        lk_arena_init(&arena, 0);
        lk_report_init(&r);
        check_ok(lk_arrivals_init(&s, LK_NS_PER_S / 4, &e), e);
        check_ok(lk_arrivals_add(&s, 0, false, &e), e);
        check_ok(lk_arrivals_add(&s, ROW[i].span_s * LK_NS_PER_S, false, &e), e);
        check_ok(lk_arrivals_report(&s, NULL, ROW[i].asked_s, ROW[i].resolution_s, &arena, &r, &e), e);
        check(r.arrivals.bin_s == ROW[i].want_s, "row %zu: %g s", i, r.arrivals.bin_s);
        check(r.arrivals.n <= LK_ARRIVALS_MAX, "row %zu: %zu bins", i, r.arrivals.n);
        for (size_t k = 0; k < r.arrivals.n; k++)
            sum += r.arrivals.all[k];
        assert_int_equal(sum, 2);
        lk_arrivals_release(&s);
        lk_arena_release(&arena);
    }
}

TEST(arrivals_refuse_a_bin_of_nothing)
{
    lk_arrivals s;

    assert_int_equal(lk_arrivals_init(&s, 0, &e), LK_EUSAGE);
}

TEST(asked_lists_the_most_frequent_first)
{
    static const int SECONDS[] = { 12, 5, 12, 12, 5, 60 };
    lk_asked s;
    lk_arena arena;
    lk_report r;
    lk_attempt none = with_status(429, 1), good = with_status(200, 1);

    lk_arena_init(&arena, 0);
    lk_report_init(&r);
    lk_asked_init(&s);
    for (size_t i = 0; i < ROWS(SECONDS); i++) {
        lk_attempt a = with_status(429, 1);

        a.retry_after_ns = SECONDS[i] * LK_NS_PER_S;
        lk_asked_add(&s, &a);
    }
    lk_asked_add(&s, &none);
    good.retry_after_ns = LK_NS_PER_S; /* not a rejection: not counted */
    lk_asked_add(&s, &good);
    check_ok(lk_asked_report(&s, &arena, &r, &e), e);
    assert_int_equal(r.retry_after.rejections, 7);
    assert_int_equal(r.retry_after.with_header, 6);
    assert_int_equal(r.retry_after.value_count, 3);
    assert_float_equal(r.retry_after.values[0].value_s, 12, 0);
    assert_int_equal(r.retry_after.values[0].count, 3);
    assert_int_equal(r.retry_after.values[2].count, 1);
    lk_arena_release(&arena);
}

static lk_hop hop_of(uint64_t caller, int64_t from_s)
{
    return (lk_hop){ .caller = lk_hash_mix(caller), .from_ns = from_s * LK_NS_PER_S,
                     .gap_ns = LK_NS_PER_S, .pause_ns = LK_NS_PER_S, .asked_ns = -1,
                     .failed = true };
}

/* Some populations over a day, in the least room there is: bins get wider until their pages fit, nothing is lost. */
TEST(workload_keeps_to_its_pages)
{
    enum { CROWDS = 8, STEPS = 86400 };
    uint64_t attempts = 0, pages = 0;
    lk_workload w;

    check_ok(lk_workload_init(&w, LK_NS_PER_S / 4, &e), e);
    lk_workload_limit(&w, 0);
    for (int64_t i = 0; i < STEPS; i++) {
        lk_attempt a = { .start_ns = i * LK_NS_PER_S, .end_ns = i * LK_NS_PER_S, .status = 200, .try_no = 1 };

        check_ok(lk_workload_attempt(&w, (size_t)i % CROWDS, &a, &e), e);
        check(w.pages <= w.max, "%zu pages at %jd", w.pages, (intmax_t)i);
    }
    check(w.bin_ns > LK_NS_PER_S, "bins of %jd ns", (intmax_t)w.bin_ns);
    for (size_t c = 0; c < LK_WORKLOAD_CROWDS; c++)
        for (size_t k = 0; k < w.reach; k++) {
            pages += w.crowds[c].pages[k] != NULL;
            for (size_t at = 0; w.crowds[c].pages[k] && at < LK_WORKLOAD_PAGE; at++)
                attempts += w.crowds[c].pages[k][at].attempts;
        }
    assert_int_equal(attempts, STEPS);
    assert_int_equal(pages, w.pages);
    lk_workload_release(&w);
}

TEST(hops_keep_to_less_where_there_is_less)
{
    enum { MOST = 300 };
    lk_hops h;

    lk_hops_init(&h);
    lk_hops_limit(&h, MOST);
    for (uint64_t c = 0; c < 5000; c++) {
        lk_hop hop = hop_of(c, (int64_t)c);

        check_ok(lk_hops_add(&h, &hop, c % 2 == 0, &e), e);
        check(h.failing.count + h.calm.count <= MOST, "%zu and %zu", h.failing.count, h.calm.count);
    }
    assert_in_range(h.failing.share_log2, 3, 5); /* 2,500 callers into 200 steps */
    assert_in_range(h.calm.share_log2, 4, 6);    /* ... into 100 */
    lk_hops_release(&h);
}

TEST(hops_sample_whole_callers)
{
    enum { CALLERS = 20000, EACH = 8 };
    lk_hops h;
    lk_arena arena;
    lk_evidence ev = { 0 };
    static unsigned per_caller[CALLERS];
    size_t kept = 0;

    lk_arena_init(&arena, 0);
    lk_hops_init(&h);
    for (int64_t k = 0; k < EACH; k++)
        for (uint64_t c = 0; c < CALLERS; c++) {
            lk_hop hop = hop_of(c, k * CALLERS + (int64_t)c);

            hop.target = (uint32_t)c;
            check_ok(lk_hops_add(&h, &hop, true, &e), e);
        }
    check_ok(lk_hops_evidence(&h, &arena, &ev, &e), e);
    assert_int_equal(ev.hop_share_log2, 2); /* 160,000 steps into 65,536 */
    for (size_t i = 0; i < ev.hop_count; i++) {
        per_caller[ev.hops[i].target]++;
        check(!i || ev.hops[i - 1].from_ns <= ev.hops[i].from_ns, "step %zu", i);
    }
    for (size_t c = 0; c < CALLERS; c++) {
        check(per_caller[c] == 0 || per_caller[c] == EACH, "caller %zu: %u", c, per_caller[c]);
        kept += per_caller[c] != 0;
    }
    check(kept > CALLERS / 4 - 300 && kept < CALLERS / 4 + 300, "kept %zu", kept);
    lk_hops_release(&h);
    lk_arena_release(&arena);
}

TEST(hops_of_one_caller_stop_at_the_bound)
{
    lk_hops h;
    lk_hop hop = hop_of(1, 0);

    lk_hops_init(&h);
    hop.caller = 0; /* in every sample */
    for (int64_t i = 0; i < 100000; i++) {
        hop.from_ns = i;
        check_ok(lk_hops_add(&h, &hop, false, &e), e);
    }
    assert_int_equal(h.calm.count, 32768);
    lk_hops_release(&h);
}

TEST(heavy_finds_what_most_lines_have)
{
    static lk_heavy h;
    lk_random random;
    uint64_t n, truth = 0;
    lk_slice top;

    lk_heavy_init(&h);
    top = lk_heavy_top(&h, &n);
    assert_int_equal(top.len, 0);
    lk_random_init(&random, 9);
    for (int i = 0; i < 10000; i++) {
        char text[24];
        int len = snprintf(text, sizeof(text), "10.0.%d.%d", (int)(lk_random_u64(&random) % 200),
                           (int)(lk_random_u64(&random) % 200));
        bool nat = lk_random_unit(&random) < 0.6;

        truth += nat;
        lk_heavy_add(&h, nat ? LK_SLICE("192.0.2.1") : (lk_slice){ text, (size_t)len });
    }
    top = lk_heavy_top(&h, &n);
    assert_true(lk_slice_is(top, "192.0.2.1"));
    check(n <= truth && n + 40 >= truth, "%d of %d", (int)n, (int)truth);
}

/* Each takes what the other has, by turns: past 32 bits after some fifty. */
TEST(sums_past_32_bits_stop_at_the_largest)
{
    lk_arrivals a, b;
    lk_report r;
    lk_arena arena;

    lk_arena_init(&arena, 0);
    lk_report_init(&r);
    check_ok(lk_arrivals_init(&a, LK_NS_PER_S, &e), e);
    check_ok(lk_arrivals_init(&b, LK_NS_PER_S, &e), e);
    for (int64_t second = 0; second < 2; second++)
        check_ok(lk_arrivals_add(&a, second * LK_NS_PER_S, true, &e), e);
    for (int i = 0; i < 60; i++)
        check_ok(lk_arrivals_merge(i % 2 ? &a : &b, i % 2 ? &b : &a, &e), e);
    assert_true(a.all[0] == UINT32_MAX && a.rejected[1] == UINT32_MAX);
    check_ok(lk_arrivals_report(&a, NULL, 2, 1, &arena, &r, &e), e);
    assert_true(r.arrivals.n == 1);
    assert_true(r.arrivals.all[0] == UINT32_MAX && r.arrivals.rejected[0] == UINT32_MAX);
    lk_arrivals_release(&a);
    lk_arrivals_release(&b);
    lk_arena_release(&arena);
}

TEST(units_of_named_layers_stop_at_the_bound)
{
    static const char *const NAMES[] = { "a", "b", "c", "d", "e", "a" };
    lk_above above;
    uint32_t number[ROWS(NAMES)];

    check_ok(lk_above_init(&above, 1, 4, 7, &e), e);
    for (size_t i = 0; i < ROWS(NAMES); i++) {
        lk_slice value = lk_slice_from(NAMES[i]);

        check_ok(lk_above_number(&above, 0, &value, &number[i], &e), e);
    }
    assert_true(above.folded == 1 && above.seen[0] == ROWS(NAMES));
    assert_true(number[3] != 0 && number[4] == 0 && number[5] == number[0]);
    lk_above_release(&above);
}

TESTS(T(heavy_finds_what_most_lines_have), T(sums_past_32_bits_stop_at_the_largest), T(units_of_named_layers_stop_at_the_bound),
      T(tally_tells_errors_from_client_errors), T(tally_merges_to_the_same_as_one),
      T(arrivals_count_in_any_order), T(arrivals_stay_within_their_bound),
      T(arrivals_grow_at_either_end), T(periods_grow_at_either_end),
      T(periods_and_workload_count_no_further_than_a_counter_goes),
      T(arrivals_merge_to_the_same_as_one), T(arrivals_keep_the_narrow_bins_of_a_month),
      T(arrivals_give_up_narrow_bins_past_a_month), T(arrivals_report_has_a_round_width),
      T(arrivals_refuse_a_bin_of_nothing), T(asked_lists_the_most_frequent_first),
      T(hops_sample_whole_callers), T(workload_keeps_to_its_pages),
      T(hops_keep_to_less_where_there_is_less), T(workload_keeps_to_its_pages),
      T(hops_keep_to_less_where_there_is_less), T(hops_of_one_caller_stop_at_the_bound))
