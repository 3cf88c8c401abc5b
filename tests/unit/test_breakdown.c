#include "unit.h"

#include "measure/breakdown.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static lk_breakdown breakdown;

static void open_breakdown(void)
{
    lk_err e = { 0 };

    check_ok(lk_breakdown_init(&breakdown, 7, &e), e);
}

static uint32_t number_of(const char *value, bool rejected)
{
    lk_err e = { 0 };
    uint32_t number;

    check_ok(lk_breakdown_number(&breakdown, lk_slice_from(value), rejected, &number, &e), e);
    return number;
}

static void attempt(uint32_t value, uint16_t status)
{
    lk_attempt a = { .value = value, .status = status, .try_no = 1 };

    a.rejected = lk_status_is_rejected(status);
    lk_breakdown_attempt(&breakdown, &a);
}

static void call(uint32_t value, uint16_t group, lk_fate fate)
{
    lk_err e = { 0 };
    lk_call c = { .fate = fate, .lines = 1, .attempts = 1, .span_ns = -1, .value = value,
                  .group = group };

    check_ok(lk_breakdown_call(&breakdown, &c, &e), e);
}

static void add_many(uint32_t from, uint32_t to)
{
    char text[16];

    for (uint32_t i = from; i < to; i++) {
        (void)snprintf(text, sizeof(text), "v%" PRIu32, i);
        attempt(number_of(text, false), 200);
    }
}

/* Of all accounts and what is folded. */
static uint64_t attempts_in_all(lk_arena *arena, size_t *count)
{
    const lk_value_account **accounts;
    lk_err e = { 0 };
    uint64_t n;

    check_ok(lk_breakdown_sort(&breakdown, arena, &accounts, count, &e), e);
    n = breakdown.other.attempts;
    for (size_t i = 0; i < *count; i++)
        n += accounts[i]->attempts;
    return n;
}

TEST(breakdown_keeps_the_refused_and_the_common_however_many_pass)
{
    const lk_value_account **accounts;
    lk_err e = { 0 };
    size_t count;
    lk_arena arena;
    uint32_t common, refused;

    open_breakdown();
    lk_arena_init(&arena, 0);
    common = number_of("common", false);
    assert_int_equal(number_of("common", false), common);
    refused = number_of("refused", true);
    attempt(common, 200);
    attempt(common, 200);
    attempt(refused, 503);
    add_many(0, 3 * LK_VALUES_MAX);
    assert_int_equal(number_of("common", false), common);
    assert_int_equal(number_of("refused", false), refused);
    check_ok(lk_breakdown_sort(&breakdown, &arena, &accounts, &count, &e), e);
    assert_int_equal(count, LK_VALUES_SHOWN);
    assert_int_equal(accounts[0]->number, refused);
    assert_int_equal(accounts[1]->number, common);
    assert_int_equal(accounts[1]->attempts, 2);
    assert_int_equal(breakdown.folded + count, 3 * LK_VALUES_MAX + 2);
    assert_int_equal(attempts_in_all(&arena, &count), 3 * LK_VALUES_MAX + 3);
    lk_arena_release(&arena);
    lk_breakdown_release(&breakdown);
}

/* An attempt that was read before its value was folded, and taken after it. */
TEST(breakdown_counts_what_comes_after_its_value_was_folded)
{
    lk_arena arena;
    uint32_t late;
    size_t count;

    open_breakdown();
    lk_arena_init(&arena, 0);
    late = number_of("zz", false);
    add_many(0, 2 * LK_VALUES_MAX);
    assert_int_not_equal(number_of("zz", false), late);
    attempt(late, 429);
    call(late, 3, LK_FATE_FAILED);
    call(0, 3, LK_FATE_FAILED); /* of no value */
    assert_int_equal(breakdown.other.rejected, 1);
    assert_int_equal(attempts_in_all(&arena, &count), 2 * LK_VALUES_MAX + 1);
    lk_arena_release(&arena);
    lk_breakdown_release(&breakdown);
}

TEST(breakdown_folds_values_when_their_populations_are_too_many)
{
    enum { GROUPS = 64, VALUES = 1000 };
    lk_call_counts counts[GROUPS];
    uint32_t numbers[VALUES];
    uint64_t calls = 0;
    lk_arena arena;
    char text[16];
    size_t count;

    open_breakdown();
    lk_arena_init(&arena, 0);
    for (size_t v = 0; v < VALUES; v++) {
        (void)snprintf(text, sizeof(text), "v%zu", v);
        numbers[v] = number_of(text, false);
    }
    for (uint16_t g = 0; g < GROUPS; g++)
        for (size_t v = 0; v < VALUES; v++) {
            call(numbers[v], g, v % 2 ? LK_FATE_FAILED : LK_FATE_FIRST);
            assert_true(breakdown.row_count <= LK_VALUE_ROWS_MAX + 2 * GROUPS);
        }
    assert_true(breakdown.folded > 0);
    (void)attempts_in_all(&arena, &count);
    lk_breakdown_counts(&breakdown, &breakdown.other, counts, GROUPS);
    for (size_t g = 0; g < GROUPS; g++)
        calls += lk_call_counts_calls(&counts[g]);
    for (uint32_t i = 0; i < LK_VALUES_MAX && i < breakdown.accounts.fresh; i++) {
        const lk_value_account *account = lk_lru_at(&breakdown.accounts, i);

        if (!account->number)
            continue;
        lk_breakdown_counts(&breakdown, account, counts, GROUPS);
        for (size_t g = 0; g < GROUPS; g++)
            calls += lk_call_counts_calls(&counts[g]);
    }
    assert_int_equal(calls, GROUPS * VALUES);
    lk_arena_release(&arena);
    lk_breakdown_release(&breakdown);
}

TEST(breakdown_cuts_long_values_and_tells_them_apart)
{
    char text[LK_VALUE_TEXT + 2];
    const lk_value_account **accounts;
    lk_report_value value;
    lk_err e = { 0 };
    size_t count;
    lk_arena arena;

    open_breakdown();
    lk_arena_init(&arena, 0);
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    attempt(number_of(text, false), 200);
    text[sizeof(text) - 2] = 'y';
    attempt(number_of(text, false), 200);
    attempt(number_of("", false), 404);
    check_ok(lk_breakdown_sort(&breakdown, &arena, &accounts, &count, &e), e);
    assert_int_equal(count, 3);
    check_ok(lk_breakdown_report(&breakdown, accounts[0], NULL, &arena, &value, &e), e);
    assert_null(value.value);
    assert_int_equal(value.http.client_errors, 1);
    assert_int_equal(value.http.by_status[404], 1);
    assert_int_equal(value.calls.total, LK_COUNT_NONE);
    check_ok(lk_breakdown_report(&breakdown, accounts[1], NULL, &arena, &value, &e), e);
    assert_int_equal(strlen(value.value), LK_VALUE_TEXT + 3);
    lk_arena_release(&arena);
    lk_breakdown_release(&breakdown);
}

TESTS(T(breakdown_keeps_the_refused_and_the_common_however_many_pass),
      T(breakdown_counts_what_comes_after_its_value_was_folded),
      T(breakdown_folds_values_when_their_populations_are_too_many),
      T(breakdown_cuts_long_values_and_tells_them_apart))
