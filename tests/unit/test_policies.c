#include "unit.h"

#include "base/time.h"
#include "infer/policies.h"

#include <math.h>
#include <string.h>

enum { CALLERS = 20, RETRIES = 3, COMEBACKS = CALLERS * RETRIES };

static lk_comeback sample[COMEBACKS];

/* Calls of three retries after 1, 2, 4 s; every `odd`-th first answer has the status. */
static lk_comeback_set set_of(unsigned status, size_t odd)
{
    lk_comeback_set s = { .population = 0, .layer = LK_COMEBACK_CALL, .total = COMEBACKS,
                          .by_id = COMEBACKS, .sample = sample, .count = COMEBACKS };

    for (size_t i = 0; i < COMEBACKS; i++) {
        unsigned retry = (unsigned)(i % RETRIES);

        sample[i] = (lk_comeback){
            .caller = i / RETRIES, .call = i / RETRIES, .retry = (uint16_t)retry,
            .pause_ns = (LK_NS_PER_S << retry) + (int64_t)(i % 7) * LK_NS_PER_MS,
            .previous_ns = retry ? LK_NS_PER_S << (retry - 1) : -1, .asked_ns = -1,
            .status = (uint16_t)(odd && i % odd == 0 ? status : 503), .by_id = true,
            .fraction = true, .has_took = true,
        };
        s.by_retry[retry]++;
    }
    return s;
}

static bool has_flag(const lk_report *r, const char *flag)
{
    for (size_t i = 0; i < r->policies[0].flag_count; i++)
        if (strcmp(r->policies[0].flags[i], flag) == 0)
            return true;
    return false;
}

static void judge(const lk_comeback_set *set, lk_report_layer *layer, lk_arena *arena, lk_report *r)
{
    lk_evidence ev = { .comebacks = set, .comeback_count = 1, .resolution_ns = LK_NS_PER_MS };
    lk_symbols symbols;
    lk_arena scratch;
    lk_err e = { 0 };
    uint32_t id;

    lk_arena_init(&scratch, 0);
    lk_report_init(r);
    r->layers = layer;
    r->layer_count = 1;
    check_ok(lk_symbols_init(&symbols, 1, &e), e);
    check_ok(lk_intern_id(&symbols.populations, lk_slice_from("cli/1"), &id, &e), e);
    check_ok(lk_infer_policies(&ev, &symbols, arena, &scratch, r, &e), e);
    lk_symbols_release(&symbols);
    lk_arena_release(&scratch);
    assert_int_equal(r->policy_count, 1);
}

TEST(policies_flag_what_was_retried_and_how_often)
{
    static const struct {
        unsigned status;
        size_t odd;
        int64_t cap, most;
        const char *flag; /* that is there; the others are not */
    } ROW[] = {
        { 499, 2, 4, 4, "retries-after-client-left" },
        { 460, 3, 4, 4, "retries-after-client-left" },
        { 499, 30, 4, 4, NULL }, /* now and then */
        { 501, 3, 4, 4, "retries-non-retryable" },
        { 505, 3, 4, 4, "retries-non-retryable" },
        { 504, 3, 4, 4, NULL },
        { 503, 0, -1, 27, "no-cap" },
        { 503, 0, -1, 6, NULL },
        { 503, 0, 12, 12, NULL },
    };
    static const char *const FLAGS[] = { "retries-after-client-left", "retries-non-retryable",
                                         "no-cap" };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_comeback_set set = set_of(ROW[i].status, ROW[i].odd);
        lk_report_layer layer = { .population = "cli/1", .name = "sdk", .units = CALLERS,
                                  .cap = ROW[i].cap, .amplification_max = ROW[i].most };
        lk_arena arena;
        lk_report r;

        lk_arena_init(&arena, 0);
        judge(&set, &layer, &arena, &r);
        for (size_t k = 0; k < ROWS(FLAGS); k++) {
            bool want = ROW[i].flag && strcmp(ROW[i].flag, FLAGS[k]) == 0;

            check(has_flag(&r, FLAGS[k]) == want, "row %zu: %s", i, FLAGS[k]);
        }
        check(r.policies[0].policy && strcmp(r.policies[0].policy, "exponential") == 0, "row %zu", i);
        lk_arena_release(&arena);
    }
}

/* Told five seconds and obeying, or not told and backing off: a caller of two rules. */
TEST(policies_judge_the_larger_part_of_two_rules)
{
    for (size_t told = 20; told <= 40; told += 20) {
        lk_comeback_set set = set_of(503, 0);
        lk_report_layer layer = { .population = "cli/1", .name = "sdk", .cap = 4 };
        lk_arena arena;
        lk_report r;

        for (size_t i = 0; i < COMEBACKS; i++) {
            bool is_told = told == 20 ? i / RETRIES % 3 == 0 : i / RETRIES % 3 != 0;

            if (!is_told)
                continue;
            sample[i].asked_ns = 5 * LK_NS_PER_S;
            sample[i].pause_ns = 5 * LK_NS_PER_S + (int64_t)(i % 7) * LK_NS_PER_MS;
        }
        lk_arena_init(&arena, 0);
        judge(&set, &layer, &arena, &r);
        check(r.policies[0].policy && strcmp(r.policies[0].policy,
                                             told == 20 ? "exponential" : "retry-after-exact") == 0,
              "%s", r.policies[0].policy ? r.policies[0].policy : "null");
        check(fabs(r.policies[0].retry_after.exact - 1) < 1e-9, "%g", r.policies[0].retry_after.exact);
        lk_arena_release(&arena);
    }
}

TESTS(T(policies_flag_what_was_retried_and_how_often),
      T(policies_judge_the_larger_part_of_two_rules))
