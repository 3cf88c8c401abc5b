#include "unit.h"

#include "base/time.h"
#include "link/group.h"
#include "link/linker.h"
#include "sim/storm.h"

#include <math.h>
#include <stdlib.h>

static lk_err e;
static lk_symbols symbols;
static lk_arena arena;
static lk_report report;
static size_t hops, hops_by_id, hops_ended;

static lk_code count_hop(void *ctx, const lk_hop *hop, bool has_failed, lk_err *err)
{
    (void)err;
    (void)has_failed;
    assert_null(ctx);
    hops++;
    hops_by_id += hop->by_id;
    hops_ended += hop->gap_ns < 0;
    return LK_OK;
}

static lk_linker *open_linker_of(size_t units_max, size_t ids_max)
{
    lk_linker_options o = LK_LINKER_OPTIONS_INIT;
    lk_linker *l;

    o.units_max = units_max;
    o.ids_max = ids_max;
    o.on_hop = count_hop;
    hops = hops_by_id = hops_ended = 0;
    check_ok(lk_linker_open(&o, &symbols, &l, &e), e);
    return l;
}

static lk_linker *open_linker(size_t units_max)
{
    const lk_linker_options usual = LK_LINKER_OPTIONS_INIT;

    return open_linker_of(units_max, usual.ids_max);
}

static void groups_find_a_stratum_for_any_instant(void **state)
{
    static const int64_t FIRST_NS[] = { INT64_MIN + 1, INT64_C(-9000000000) * LK_NS_PER_S, 0 };
    static const int64_t AT_NS[] = { 0, INT64_C(9000000000) * LK_NS_PER_S, INT64_MAX - 1, INT64_MAX };
    lk_groups *g = malloc(sizeof(*g));

    (void)state;
    assert_non_null(g);
    for (size_t i = 0; i < ROWS(FIRST_NS); i++) {
        size_t last = 0;

        lk_groups_init(g);
        assert_int_equal(lk_groups_stratum(g, FIRST_NS[i]), 0);
        for (size_t k = 0; k < ROWS(AT_NS); k++) {
            last = lk_groups_stratum(g, AT_NS[k]);
            check(last < LK_STRATA, "row %zu, %zu", i, k);
            assert_int_equal(lk_groups_stratum(g, AT_NS[k]), last);
        }
        check(last >= LK_STRATA / 2 - 1, "row %zu", i);
        lk_groups_release(g);
    }
    free(g);
}

/* What the reconciliation must always do. */
static void check_account(void)
{
    const lk_report_calls *c = &report.calls;
    const lk_report_reconciliation *k = &report.reconciliation;

    if (c->source)
        assert_int_equal(c->total, c->failed + c->open + c->recovered + c->succeeded_first);
    assert_int_equal(k->rejected, k->in_recovered_calls + k->in_failed_calls + k->in_open_calls +
                                      k->unattributed);
    check(c->total <= report.http.attempts, "calls %d", (int)c->total);
}

static void finish(lk_linker *l, int64_t end_ns, int64_t attempts, int64_t rejected)
{
    static const char *const NAMES[LK_IDS] = { "x_call_id" };

    lk_report_init(&report);
    report.http.attempts = attempts;
    report.http.rejected = rejected;
    check_ok(lk_linker_finish(l, end_ns, &e), e);
    check_ok(lk_linker_report(l, NAMES, &arena, &report, &e), e);
    lk_linker_close(l);
    check_account();
}

static int begin(void **state)
{
    uint32_t id;

    (void)state;
    lk_arena_init(&arena, 0);
    check_ok(lk_symbols_init(&symbols, 1, &e), e);
    check_ok(lk_intern_id(&symbols.populations, LK_SLICE("herd/1.0"), &id, &e), e);
    check_ok(lk_intern_id(&symbols.populations, LK_SLICE("web/2.0"), &id, &e), e);
    check_ok(lk_intern_id(&symbols.targets, LK_SLICE("/v1/jobs"), &id, &e), e);
    check_ok(lk_intern_id(&symbols.targets, LK_SLICE("/"), &id, &e), e);
    return 0;
}

static int end(void **state)
{
    (void)state;
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
    return 0;
}

/* Runs a storm through the linker; its own counts are the truth. */
static lk_storm_counts link_storm_by(lk_linker *l, const lk_storm_options *o)
{
    lk_storm *s;
    lk_attempt a;
    int64_t last = 0, attempts = 0;
    lk_storm_counts truth;

    check_ok(lk_storm_open(o, &s, &e), e);
    while (lk_storm_source(s)->next(lk_storm_source(s), &a, &e) == LK_STEP_ITEM) {
        check_ok(lk_linker_take(l, &a, &e), e);
        last = a.end_ns > last ? a.end_ns : last;
        attempts++;
    }
    truth = lk_storm_counts_of(s);
    finish(l, last, attempts, (int64_t)truth.refused);
    lk_storm_close(s);
    return truth;
}

static lk_storm_counts link_storm(const lk_storm_options *o, size_t units_max)
{
    return link_storm_by(open_linker(units_max), o);
}

static const lk_report_amplification *herd(void)
{
    for (size_t i = 0; i < report.amplification_count; i++)
        if (strcmp(report.amplification[i].population, "herd/1.0") == 0)
            return &report.amplification[i];
    fail_msg("the herd does not retry");
    return &report.amplification[0];
}

TEST(linker_counts_calls_by_id_exactly)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;
    int64_t background;

    o.policy = lk_policy_find("full-jitter");
    o.with_ids = true;
    t = link_storm(&o, 131072);
    background = report.http.attempts - (int64_t)t.attempts;
    assert_int_equal(report.calls.total, (int64_t)t.calls + background);
    assert_int_equal(report.calls.failed, t.failed_calls);
    assert_int_equal(report.reconciliation.unattributed, 0);
    assert_string_equal(report.calls.source, "identity");
    assert_string_equal(report.input.identity_call, "x_call_id");
    assert_int_equal(hops_by_id, t.attempts - t.calls);
    assert_int_equal(report.calls.attempts_max, 3);
}

TEST(linker_infers_calls_from_a_constant_delay)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;

    o.policy = lk_policy_find("fixed");
    o.params.base_s = 12;
    o.attempts_max = 4;
    t = link_storm(&o, 131072);
    assert_string_equal(report.calls.source, "inferred");
    assert_int_equal(report.calls.failed, t.failed_calls);
    assert_int_equal(herd()->units, t.calls);
    assert_int_equal(herd()->attempts, t.attempts);
    assert_int_equal(report.layer_count, 1);
    check(fabs(report.layers[0].delay_s - 12) < 0.05, "delay %g", report.layers[0].delay_s);
    assert_int_equal(report.layers[0].cap, 4);
}

/* Runs a storm whose herd stands behind a few addresses. */
static void link_behind(const lk_storm_options *o, unsigned addresses)
{
    lk_linker *l = open_linker(131072);
    lk_storm *s;
    lk_attempt a;
    int64_t last = 0, attempts = 0;

    check_ok(lk_storm_open(o, &s, &e), e);
    while (lk_storm_source(s)->next(lk_storm_source(s), &a, &e) == LK_STEP_ITEM) {
        if (a.population == 0)
            a.key = a.caller = 1000000007 + a.caller % addresses;
        check_ok(lk_linker_take(l, &a, &e), e);
        last = a.end_ns > last ? a.end_ns : last;
        attempts++;
    }
    finish(l, last, attempts, (int64_t)lk_storm_counts_of(s).refused);
    lk_storm_close(s);
}

/* One address for all: a constant delay still tells how many calls there were. */
TEST(linker_counts_a_crowd_with_a_constant_delay)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;

    o.policy = lk_policy_find("fixed");
    o.params.base_s = 60;
    o.attempts_max = 8;
    link_behind(&o, 1);
    assert_string_equal(report.calls.source, "inferred");
    check(fabs((double)herd()->units - 200) <= 10, "units %d", (int)herd()->units);
    check(fabs(report.layers[0].delay_s - 60) < 1, "delay %g", report.layers[0].delay_s);
    assert_int_equal(report.note_count, 1);
    check(strstr(report.notes[0], "counted") != NULL, "note %s", report.notes[0]);
}

/* Many callers an address, and jitter: which is a retry is not in the log. */
TEST(linker_knows_no_calls_of_a_jittering_crowd)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;

    o.policy = lk_policy_find("full-jitter");
    o.params.base_s = 10;
    o.attempts_max = 6;
    link_behind(&o, 8);
    assert_null(report.calls.source);
    assert_int_equal(report.calls.failed, LK_COUNT_NONE);
    assert_int_equal(report.layer_count, 0);
    assert_int_equal(report.reconciliation.unattributed, report.reconciliation.rejected);
    assert_int_equal(report.note_count, 1);
    check(strstr(report.notes[0], "not known") != NULL, "note %s", report.notes[0]);
}

/* Two layers multiply: three attempts 5 s apart, begun anew after 60 s. */
TEST(linker_tells_a_job_layer_from_the_sdk)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;

    o.policy = lk_policy_find("fixed");
    o.params.base_s = 5;
    o.requeue_s = 60;
    t = link_storm(&o, 131072);
    assert_int_equal(report.layer_count, 2);
    assert_string_equal(report.layers[0].name, "sdk");
    assert_string_equal(report.layers[1].name, "job");
    check(fabs((double)report.layers[0].units / (double)t.calls - 1) < 0.01, "calls %d of %d",
          (int)report.layers[0].units, (int)t.calls);
    assert_int_equal(report.layers[1].units, t.tasks);
    check(fabs(herd()->mean - (double)t.attempts / (double)t.tasks) < 0.05, "mean %g",
          herd()->mean);
    check(fabs(report.layers[1].delay_s - 60) < 0.1, "delay %g", report.layers[1].delay_s);
}

TEST(linker_invents_no_retries)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;

    t = link_storm(&o, 131072); /* refused callers never come back */
    assert_int_equal(report.layer_count, 0);
    assert_int_equal(report.calls.failed, t.refused);
    assert_int_equal(report.calls.recovered, 0);
    assert_int_equal(report.http.retries, 0);
}

/* A store too small for the storm decides in steps, and nothing gets lost. */
TEST(linker_in_little_room_loses_nothing)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;

    o.policy = lk_policy_find("fixed");
    o.params.base_s = 12;
    o.callers = 300;
    o.attempts_max = 8;
    o.with_ids = true;
    t = link_storm(&o, 1024);
    assert_int_equal(report.input.evicted_calls, 0);
    assert_int_equal(report.calls.failed, t.failed_calls);
    assert_int_equal(report.reconciliation.unattributed, 0);
    t = link_storm(&o, 128); /* more calls open than there is room for */
    check(report.input.evicted_calls > 0, "evictions are told");
    check(report.calls.total >= (int64_t)t.calls, "calls %d", (int)report.calls.total);
}

/* More calls wait than ids are remembered: the oldest are forgotten, and those calls are counted. */
TEST(linker_forgets_the_oldest_ids_and_tells)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;
    lk_storm_counts t;

    o.policy = lk_policy_find("fixed");
    o.params.base_s = 12;
    o.callers = 300;
    o.attempts_max = 8;
    o.with_ids = true;
    t = link_storm_by(open_linker_of(131072, 2048), &o);
    assert_int_equal(report.input.evicted_calls, 0);
    assert_int_equal(report.calls.failed, t.failed_calls);
    t = link_storm_by(open_linker_of(131072, 64), &o);
    check(report.input.evicted_calls > 0, "what is forgotten is told");
    check(report.calls.total >= (int64_t)t.calls, "calls %d of %d", (int)report.calls.total, (int)t.calls);
}

TEST(linker_tells_every_step_once)
{
    lk_storm_options o = LK_STORM_OPTIONS_INIT;

    o.policy = lk_policy_find("fixed");
    (void)link_storm(&o, 131072);
    assert_int_equal((int64_t)hops, report.http.attempts); /* one a line: the last of a key ends it */
    check(hops_ended >= 200, "%zu callers stop", hops_ended);
}

static lk_attempt line(uint64_t caller, int64_t at_ms, unsigned status, uint64_t id)
{
    lk_attempt a = {
        .start_ns = at_ms * LK_NS_PER_MS, .end_ns = (at_ms + 10) * LK_NS_PER_MS,
        .caller = caller, .key = caller, .retry_after_ns = -1, .status = (uint16_t)status,
        .fraction = true, .has_took = true, .id = { id }, .try_no = 1,
        .failed = lk_status_is_failed(status),
        .rejected = lk_status_is_rejected(status),
    };

    a.stamp_ns = a.end_ns;
    return a;
}

/* An id on every line of a session, failed or not, is no call. */
TEST(linker_does_not_take_a_session_for_a_call)
{
    lk_linker *l = open_linker(131072);
    int64_t n = 0;

    for (int64_t round = 0; round < 40; round++)
        for (uint64_t caller = 1; caller <= 2000; caller++) {
            bool fails = caller % 97 == (uint64_t)round;
            lk_attempt a = line(caller, round * 60000 + (int64_t)caller * 7, fails ? 503 : 200,
                                caller << 32 | 1);

            check_ok(lk_linker_take(l, &a, &e), e);
            n++;
        }
    finish(l, 40 * 60000 * LK_NS_PER_MS, n, 0);
    check(report.calls.recovered < 60, "recovered %d", (int)report.calls.recovered);
    assert_string_equal(report.input.identity_call, "inferred");
}

/* The counter starts again under the same id: the next call of one task. */
TEST(linker_begins_a_call_where_the_counter_restarts)
{
    static const int NO[] = { 1, 2, 3, 1, 2, 3, 1 };
    lk_linker *l = open_linker(131072);

    for (size_t i = 0; i < ROWS(NO); i++)
        for (size_t task = 0; task < 10; task++) {
            lk_attempt a = line(1 + task, (int64_t)(i / 3) * 60000 + NO[i] * 4000 + (int64_t)task,
                                i + 1 < ROWS(NO) ? 429 : 200, 77 + task);

            a.attempt_no = NO[i];
            check_ok(lk_linker_take(l, &a, &e), e);
        }
    finish(l, 600000 * LK_NS_PER_MS, 70, 60);
    assert_int_equal(report.calls.total, 30);
    assert_int_equal(report.calls.failed, 20);
    assert_int_equal(report.calls.succeeded_first, 10);
}

static const lk_report_layer *layer_named(const char *name)
{
    for (size_t i = 0; i < report.layer_count; i++)
        if (strcmp(report.layers[i].name, name) == 0)
            return &report.layers[i];
    fail_msg("no layer '%s'", name);
    return &report.layers[0];
}

/* A job comes back from any worker, a call from its own: the id names a task. */
TEST(linker_takes_an_id_that_changes_callers_for_a_task)
{
    lk_linker *l = open_linker(131072);

    for (size_t try = 0; try < 4; try++)
        for (size_t task = 0; task < 40; task++) {
            lk_attempt a = line(1 + (task + 3 * try) % 7, (int64_t)(try * 15000 + task * 20),
                                try < 3 ? 503 : 200, 500 + task);

            check_ok(lk_linker_take(l, &a, &e), e);
        }
    finish(l, 600000 * LK_NS_PER_MS, 160, 120);
    assert_int_equal(report.calls.total, 160);
    assert_int_equal(report.calls.failed, 120);
    assert_int_equal(report.reconciliation.in_failed_calls, 120);
    assert_int_equal(report.layer_count, 1);
    assert_int_equal(layer_named("job")->units, 40);
    assert_int_equal(layer_named("job")->attempts, 160);
    assert_string_equal(report.input.identity_task, "x_call_id");
}

/* Four groups of three under one id: 0.5 and 1 s inside, 1, 2 and 4 s between them. */
TEST(linker_splits_two_layers_inside_one_id)
{
    static const int64_t AT_MS[] = { 0,    500,  1500,  2500,  3000,  4000,
                                     6000, 6500, 7500, 11500, 12000, 13000 };
    lk_linker *l = open_linker(131072);

    for (size_t i = 0; i < ROWS(AT_MS); i++)
        for (size_t call = 0; call < 40; call++) {
            lk_attempt a = line(1 + call, AT_MS[i] + (int64_t)call, 429, 300 + call);

            check_ok(lk_linker_take(l, &a, &e), e);
        }
    finish(l, 600000 * LK_NS_PER_MS, 480, 480);
    assert_int_equal(layer_named("sdk")->units, 160);
    assert_int_equal(layer_named("sdk")->amplification_max, 3);
    assert_int_equal(layer_named("job")->units, 40);
    assert_int_equal(layer_named("job")->amplification_max, 4);
    assert_int_equal(report.calls.failed, 160);
    assert_int_equal(herd()->units, 40);
}

/* Forty calls of three attempts at a time, all behind one key; again a minute later.  Numbers and no id. */
static void take_numbered(lk_linker *l, int attempts)
{
    for (int64_t round = 0; round < 5; round++)
        for (int no = 1; no <= attempts; no++)
            for (int64_t call = 0; call < 40; call++) {
                lk_attempt a = line(1, round * 60000 + (no - 1) * 4000 + call * 20,
                                    no < attempts || call % 2 ? 429 : 200, 0);

                a.attempt_no = no;
                check_ok(lk_linker_take(l, &a, &e), e);
            }
}

TEST(linker_joins_attempts_by_their_numbers)
{
    lk_linker *l = open_linker(131072);

    take_numbered(l, 3);
    finish(l, 3600 * LK_NS_PER_S, 600, 500);
    assert_int_equal(report.calls.total, 200);
    assert_int_equal(report.calls.failed, 100);
    assert_int_equal(report.calls.recovered, 100);
    assert_string_equal(report.calls.source, "identity");
    assert_string_equal(report.input.identity_call, "attempt number");
    assert_string_equal(layer_named("sdk")->identity, "attempt number");
    assert_int_equal(layer_named("sdk")->amplification_max, 3);
    assert_int_equal(report.reconciliation.unattributed, 0);
}

TEST(linker_joins_numbers_in_little_room)
{
    lk_linker *l = open_linker(150);

    take_numbered(l, 3);
    finish(l, 3600 * LK_NS_PER_S, 600, 500);
    assert_int_equal(report.calls.total, 200);
    assert_int_equal(report.calls.failed, 100);
}

/* A first attempt is no retry, whatever came before it. */
TEST(linker_joins_no_first_attempt_to_a_call)
{
    lk_linker *l = open_linker(131072);

    for (int64_t call = 0; call < 40; call++)
        for (int64_t run = 0; run < 5; run++) {
            lk_attempt a =
                line(1 + (uint64_t)call, run * 60000 + call * 31, run < 4 ? 503 : 200, 0);

            a.attempt_no = 1;
            check_ok(lk_linker_take(l, &a, &e), e);
        }
    finish(l, 3600 * LK_NS_PER_S, 200, 160);
    assert_int_equal(report.calls.total, 200);
    assert_int_equal(report.calls.failed, 160);
    assert_int_equal(report.calls.recovered, 0);
}

/* A wrong request that is asked again and again fails; asked once it is answered. */
TEST(linker_fails_a_call_that_repeats_a_wrong_request)
{
    static const unsigned STATUS[4][3] = {
        { 404, 404, 404 }, /* failed             */
        { 404, 0, 0 },     /* answered           */
        { 503, 404, 0 },   /* recovered          */
        { 400, 400, 200 }, /* recovered          */
    };
    lk_linker *l = open_linker(131072);
    int64_t n = 0;

    for (size_t call = 0; call < 40; call++)
        for (size_t i = 0; i < 3 && STATUS[call % 4][i]; i++, n++) {
            lk_attempt a = line(1 + call, (int64_t)(call * 60000 + i * 1000), STATUS[call % 4][i], 600 + call);

            a.call_ids = 1;
            check_ok(lk_linker_take(l, &a, &e), e);
        }
    finish(l, 36000 * LK_NS_PER_S, n, 10);
    assert_int_equal(report.calls.total, 40);
    assert_int_equal(report.calls.failed, 10);
    assert_int_equal(report.calls.succeeded_first, 10);
    assert_int_equal(report.calls.recovered, 20);
    assert_int_equal(report.wasted.non_retryable, 40);
}

/* One caller's failures, each of which asks for 5 s, `pause_ms` apart. */
static void link_told(const int64_t *pause_ms, size_t count)
{
    lk_linker *l = open_linker(131072);
    int64_t at_ms = 0;

    for (size_t i = 0; i <= count; i++) {
        lk_attempt a = line(7, at_ms, 503, 0);

        a.retry_after_ns = 5 * LK_NS_PER_S;
        check_ok(lk_linker_take(l, &a, &e), e);
        if (i < count)
            at_ms += 10 + pause_ms[i];
    }
    finish(l, (at_ms + 60000) * LK_NS_PER_MS, (int64_t)count + 1, (int64_t)count + 1);
}

/* Six failures are too few to learn delays from, but those that are met when they asked for it were the reason. */
TEST(linker_joins_few_attempts_that_came_when_asked)
{
    static const int64_t OBEYED[] = { 5003, 5001, 8, 5006, 5004, 30 }, ELSEWHEN[] = { 5003, 4100, 5001, 7000, 5004, 30 },
                         OTHERS[] = { 5003, 20, 5001, 900, 40, 60 };

    link_told(OBEYED, sizeof(OBEYED) / sizeof(OBEYED[0]));
    assert_int_equal(report.calls.total, 3);
    assert_int_equal(report.calls.failed, 3);
    assert_string_equal(layer_named("sdk")->identity, "delay");
    link_told(ELSEWHEN, sizeof(ELSEWHEN) / sizeof(ELSEWHEN[0]));
    assert_int_equal(report.calls.total, 7);
    link_told(OTHERS, sizeof(OTHERS) / sizeof(OTHERS[0]));
    assert_int_equal(report.calls.total, 7);
}

static const struct CMUnitTest TESTS_HERE[] = {
    cmocka_unit_test_setup_teardown(linker_joins_few_attempts_that_came_when_asked, begin, end),
    cmocka_unit_test_setup_teardown(linker_counts_calls_by_id_exactly, begin, end),
    cmocka_unit_test_setup_teardown(linker_infers_calls_from_a_constant_delay, begin, end),
    cmocka_unit_test_setup_teardown(linker_counts_a_crowd_with_a_constant_delay, begin, end),
    cmocka_unit_test_setup_teardown(linker_knows_no_calls_of_a_jittering_crowd, begin, end),
    cmocka_unit_test_setup_teardown(linker_tells_a_job_layer_from_the_sdk, begin, end),
    cmocka_unit_test_setup_teardown(linker_invents_no_retries, begin, end),
    cmocka_unit_test_setup_teardown(linker_in_little_room_loses_nothing, begin, end),
    cmocka_unit_test_setup_teardown(linker_forgets_the_oldest_ids_and_tells, begin, end),
    cmocka_unit_test_setup_teardown(linker_tells_every_step_once, begin, end),
    cmocka_unit_test_setup_teardown(linker_does_not_take_a_session_for_a_call, begin, end),
    cmocka_unit_test_setup_teardown(linker_begins_a_call_where_the_counter_restarts, begin, end),
    cmocka_unit_test_setup_teardown(linker_takes_an_id_that_changes_callers_for_a_task, begin,
                                    end),
    cmocka_unit_test(groups_find_a_stratum_for_any_instant),
    cmocka_unit_test_setup_teardown(linker_splits_two_layers_inside_one_id, begin, end),
    cmocka_unit_test_setup_teardown(linker_fails_a_call_that_repeats_a_wrong_request, begin, end),
    cmocka_unit_test_setup_teardown(linker_joins_attempts_by_their_numbers, begin, end),
    cmocka_unit_test_setup_teardown(linker_joins_numbers_in_little_room, begin, end),
    cmocka_unit_test_setup_teardown(linker_joins_no_first_attempt_to_a_call, begin, end),
};

int main(void)
{
    return cmocka_run_group_tests(TESTS_HERE, NULL, NULL) != 0;
}
