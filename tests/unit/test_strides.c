#include "infer_world.h"

#include "infer/strides.h"

static lk_err e;
static lk_arena a, scratch;

#define S LK_NS_PER_S

static lk_hop hop(int64_t from_s, int64_t gap_s, uint64_t caller, bool by_id)
{
    return (lk_hop){ .from_ns = WORLD_ZERO_NS + from_s * S,
                     .gap_ns = gap_s < 0 ? -1 : gap_s * S,
                     .pause_ns = gap_s < 0 ? -1 : gap_s * S,
                     .asked_ns = -1,
                     .caller = caller,
                     .failed = true,
                     .by_id = by_id };
}

static lk_strides make(const lk_hop *hops, size_t n)
{
    lk_evidence ev = { .hops = hops,
                       .hop_count = n,
                       .first_ns = n ? hops[0].from_ns : WORLD_ZERO_NS,
                       .resolution_ns = S };
    lk_strides s;

    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_strides_new(&ev, &a, &scratch, &s, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
    return s;
}

static void drop(void)
{
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

/* What must hold whatever the hops are. */
static void check_shape(const lk_strides *s)
{
    assert_int_equal(s->first[0], 0);
    assert_int_equal(s->first[s->unit_count], s->n);
    for (size_t u = 0; u < s->unit_count; u++)
        for (size_t i = s->first[u]; i < s->first[u + 1]; i++) {
            const lk_stride *row = &s->row[i];

            check(row->unit == u, "row %zu", i);
            check((row->previous == LK_NO_STRIDE) == (i == s->first[u]), "row %zu", i);
            if (row->next != LK_NO_STRIDE)
                check(row->next == i + 1 && s->row[i + 1].unit == u &&
                          fabs(row->at_s + row->gap_s - s->row[i + 1].at_s) < 1e-6,
                      "row %zu leads on", i);
            else
                check(i + 1 == s->first[u + 1], "row %zu ends its path", i);
        }
}

TEST(strides_of_nothing)
{
    lk_strides s = make(NULL, 0);

    assert_int_equal(s.n, 0);
    assert_int_equal(s.unit_count, 0);
    drop();
}

TEST(strides_walk_one_caller)
{
    lk_hop hops[] = { hop(0, 10, 7, false), hop(3, -1, 9, false), hop(10, 20, 7, false),
                      hop(30, -1, 7, false) };
    lk_strides s = make(hops, ROWS(hops));

    assert_int_equal(s.unit_count, 2);
    check_shape(&s);
    check(s.row[0].unit == 0 && isinf(s.row[2].gap_s) && isinf(s.row[3].gap_s), "never again");
    check(!s.has_pauses && fabs(s.minute_s) < 1e-9, "gaps only, at a full minute");
    drop();
}

/* Two jobs of one address, apart by their ids: two paths, though one second holds both. */
TEST(strides_keep_jobs_apart)
{
    lk_hop hops[] = { hop(0, 10, 7, true),  hop(1, 10, 7, true),   hop(10, 10, 7, true),
                      hop(11, 10, 7, true), hop(20, -1, 7, false), hop(21, -1, 7, false) };
    lk_strides s = make(hops, ROWS(hops));

    assert_int_equal(s.unit_count, 2);
    assert_int_equal(s.first[1], 3);
    check_shape(&s);
    drop();
}

/* Job 1 fails, job 2 begins one second later: the step by caller between them is none. */
TEST(strides_trust_ids_over_callers)
{
    lk_hop hops[] = { hop(0, 1, 7, false), hop(0, 10, 7, true), hop(1, 10, 7, true),
                      hop(10, -1, 7, false), hop(11, -1, 7, false) };
    lk_strides s = make(hops, ROWS(hops));

    assert_int_equal(s.n, 4);
    assert_int_equal(s.unit_count, 2);
    check_shape(&s);
    drop();
}

/* Three attempts of a call in one second of the stamps, the requeue after a minute. */
TEST(strides_order_attempts_of_one_second)
{
    lk_hop hops[] = { hop(0, 0, 7, true), hop(0, 0, 7, true), hop(0, 60, 7, false),
                      hop(60, -1, 7, false) };
    lk_strides s = make(hops, ROWS(hops));

    assert_int_equal(s.unit_count, 1);
    assert_int_equal(s.n, 4);
    check_shape(&s);
    drop();
}

TEST(strides_of_a_storm_have_the_shape)
{
    static const double DELAYS[] = { 5.0 };
    world_herd herd = { .first_caller = 10,
                        .callers = 60,
                        .trigger_s = 100,
                        .spread_s = 1,
                        .delay_s = DELAYS,
                        .delays = 1,
                        .leave = 0.2,
                        .end_s = 300 };
    lk_evidence ev;
    lk_strides s;
    world w;

    world_open(&w, 4, 0.001);
    world_poisson(&w, 5, 300, 100, 0.1);
    world_herd_run(&w, &herd);
    ev = world_evidence(&w);
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
    check_ok(lk_strides_new(&ev, &a, &scratch, &s, &e), e);
    check_shape(&s);
    assert_int_equal(s.n, w.count);
    assert_true(s.has_pauses);
    drop();
    world_close(&w);
}

TEST(strides_report_no_memory)
{
    lk_hop hops[64];
    lk_evidence ev = { .hops = hops, .hop_count = ROWS(hops), .resolution_ns = S };
    lk_strides s;

    for (size_t i = 0; i < ROWS(hops); i++)
        hops[i] = hop((int64_t)i, 1, 7, false);
    for (size_t limit = 64; limit < 8000; limit *= 3) {
        lk_arena_init(&a, limit);
        lk_arena_init(&scratch, limit);
        assert_int_equal(lk_strides_new(&ev, &a, &scratch, &s, &e), LK_EOOM);
        drop();
    }
}

TESTS(T(strides_of_nothing), T(strides_walk_one_caller), T(strides_keep_jobs_apart),
      T(strides_trust_ids_over_callers), T(strides_order_attempts_of_one_second),
      T(strides_of_a_storm_have_the_shape), T(strides_report_no_memory))
