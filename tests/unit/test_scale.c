#define _GNU_SOURCE /* memfd_create */

#include "unit.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/time.h"
#include "scale/collect.h"
#include "scale/dictionary.h"
#include "scale/gather.h"
#include "scale/numbers.h"
#include "scale/record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static lk_err e;

TEST(digits_sort_as_numbers_do)
{
    lk_random random;
    char a[LK_DIGITS_64], b[LK_DIGITS_64];

    lk_random_init(&random, 3);
    for (int i = 0; i < 2000; i++) {
        uint64_t x = lk_random_u64(&random) >> (i % 64), y = lk_random_u64(&random) >> (i / 7 % 64), back;
        const char *p = a;

        (void)lk_digits_put(a, x, LK_DIGITS_64);
        (void)lk_digits_put(b, y, LK_DIGITS_64);
        assert_int_equal((x > y) - (x < y), (memcmp(a, b, sizeof(a)) > 0) - (memcmp(a, b, sizeof(a)) < 0));
        assert_true(lk_digits_get(&p, a + sizeof(a), LK_DIGITS_64, &back) && back == x);
    }
}

TEST(varints_come_back_and_nothing_else_is_one)
{
    static const char *const BAD[] = { "", "z", "zzzzzzzzzzzzz", "zzzzzzzzzzzzF", "+", "\t", "\x80" };
    lk_random random;
    char room[LK_VARINT_DIGITS];
    uint64_t back;

    lk_random_init(&random, 4);
    for (int i = 0; i < 2000; i++) {
        uint64_t x = i ? lk_random_u64(&random) >> (i % 64) : UINT64_MAX;
        const char *p = room, *end = lk_varint_put(room, x);

        assert_true(lk_varint_get(&p, end, &back) && back == x && p == end);
        assert_int_equal(lk_zigzag_back(lk_zigzag((int64_t)x)), (int64_t)x);
    }
    for (size_t i = 0; i < ROWS(BAD); i++) {
        const char *p = BAD[i];

        check(!lk_varint_get(&p, BAD[i] + strlen(BAD[i]), &back), "row %zu", i);
    }
}

TEST(mixing_is_undone)
{
    for (uint64_t x = 1; x; x <<= 1) {
        assert_true(lk_hash_unmix(lk_hash_mix(x)) == x);
        assert_true(lk_hash_mix(lk_hash_unmix(~x)) == ~x);
    }
}

TEST(texts_are_escaped_and_back)
{
    char all[256], text[3 * 256], back[256];
    size_t len;

    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = (char)i;
    len = lk_record_escape((lk_slice){ all, sizeof(all) }, text);
    for (size_t i = 0; i < len; i++)
        assert_true(text[i] > ' ' && text[i] < 0x7f);
    assert_true(lk_record_unescape((lk_slice){ text, len }, back, sizeof(back), &len));
    assert_int_equal(len, sizeof(all));
    assert_memory_equal(back, all, sizeof(all));
    assert_false(lk_record_unescape(LK_SLICE("a%2"), back, sizeof(back), &len));
    assert_false(lk_record_unescape(LK_SLICE("a%zz"), back, sizeof(back), &len));
    assert_false(lk_record_unescape(LK_SLICE("abcd"), back, 3, &len));
}

TEST(numbers_are_given_the_second_time)
{
    lk_numbers n;
    lk_numbered how;
    uint32_t number;

    check_ok(lk_numbers_init(&n, 1, &e), e);
    for (uint64_t round = 0; round < 3; round++)
        for (uint64_t v = 0; v < 1000; v++) {
            check_ok(lk_numbers_find(&n, v * v, &how, &number, &e), e);
            assert_int_equal(how, round == 0 ? LK_NUMBERED_NOT : round == 1 ? LK_NUMBERED_NOW : LK_NUMBERED);
            if (round)
                assert_int_equal(number, v);
        }
    for (uint64_t v = 0; v < 2 * LK_NUMBERS_MAX; v++)
        check_ok(lk_numbers_find(&n, ~v, &how, &number, &e), e);
    check_ok(lk_numbers_find(&n, ~(uint64_t)LK_NUMBERS_MAX * 2, &how, &number, &e), e);
    assert_int_equal(how, LK_NUMBERED_NOT);
    lk_numbers_release(&n);
}

/* ---- attempts to records to a state and back ---- */

static lk_code to_collector(void *ctx, uint64_t key, bool is_reserved, const char *line, size_t len,
                            lk_err *err)
{
    (void)key;
    (void)is_reserved;
    assert_true(len < LK_RECORD_MAX || is_reserved);
    return lk_collector_take(ctx, (lk_slice){ line, len - 1 }, err);
}

static lk_code to_file(void *ctx, const char *bytes, size_t len, lk_err *err)
{
    return write(*(const int *)ctx, bytes, len) == (ssize_t)len ? LK_OK : lk_fail(err, LK_EOUT, "disk full");
}

static lk_attempt made_up(lk_random *r, lk_symbols *symbols, int64_t *at_ns)
{
    static const int64_t STEPS[] = { 0, 0, LK_NS_PER_S, 250 * LK_NS_PER_MS, 1, 1234567 };
    static const int64_t TOOK[] = { 0, LK_NS_PER_MS, 1500, 7, 12 * LK_NS_PER_S };
    char agent[32], target[32];
    uint64_t what, bits = lk_random_u64(r);
    lk_attempt a = { .try_no = 1, .retry_after_ns = -1 };

    *at_ns += STEPS[bits % ROWS(STEPS)];
    a.start_ns = *at_ns;
    a.end_ns = a.start_ns + TOOK[bits / 8 % ROWS(TOOK)];
    a.stamp_ns = bits & 1 << 6 ? a.end_ns : bits & 1 << 7 ? a.start_ns : a.start_ns - 77;
    a.status = (uint16_t)(bits >> 8 & 1 ? 503 : bits >> 9 & 1 ? LK_STATUS_UNKNOWN : 200);
    a.failed = bits >> 10 & 1;
    a.rejected = bits >> 11 & 1;
    a.gave_up = bits >> 12 & 1;
    a.fraction = bits >> 13 & 1;
    a.has_took = a.end_ns != a.start_ns;
    a.has_asked = bits >> 14 & 1;
    a.moment = (uint8_t)(bits >> 15 & 1);
    a.asked_form = (uint8_t)((bits >> 16 & 15) % LK_ASKED_FORMS);
    if (bits >> 20 & 1)
        a.retry_after_ns = (int64_t)(bits >> 21 & 3) * 500000;
    a.attempt_no = bits >> 23 & 1 ? (int32_t)(bits >> 24 & 7) : 0;
    a.attempt_max = bits >> 27 & 1 ? 5 : 0;
    for (size_t i = 0; i < LK_IDS; i++)
        a.id[i] = bits >> (28 + i) & 1 ? lk_random_u64(r) % 50 + 1 : 0;
    a.call_ids = (uint8_t)(bits >> 32 & 15);
    a.task_ids = (uint8_t)(bits >> 36 & 15);
    if (bits >> 40 & 1) {
        a.request = lk_random_u64(r) | 1;
        a.try_no = (uint16_t)(bits >> 41 & 7) + 1;
    }
    (void)snprintf(agent, sizeof(agent), "agent %u", (unsigned)(bits >> 44 & 63));
    (void)snprintf(target, sizeof(target), "/t/%u%%", (unsigned)(bits >> 50 & 1023));
    check_ok(lk_intern_id(&symbols->populations, lk_slice_from(agent), &a.population, &e), e);
    check_ok(lk_intern_id(&symbols->targets, lk_slice_from(target), &a.target, &e), e);
    what = lk_hash_mix(a.target + 99);
    a.caller = lk_hash_mix(bits >> 44 & 255);
    a.key = lk_hash_mix(a.caller ^ lk_hash_mix(what));
    return a;
}

static const char ACCOUNT[] =
    "version=2 name=log at=18446744073709551615 identity=7 first_ns=0 last_ns=-5 newest_ns=-5 attempts=%u options= "
    "format= compression=none moment= layout=0 bytes=0 bytes_out=0 lines=0 parsed=1 filtered=0 rejected=0 "
    "ignored=0 zoneless=0 nameless=0 "
    "reasons=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 named=0,0,0,0 ids=,,, "
    "id_count=0 truncated=0 trouble=0 message= addresses=";

enum { MADE = 3000 };

/* A state of MADE attempts in a file without a name, at path. */
static int state_of(lk_attempt *made, lk_symbols *symbols, char path[64])
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    lk_collector *c = NULL;
    lk_recorder *r = NULL;
    lk_random random;
    int64_t at_ns = INT64_C(1752580800) * LK_NS_PER_S;
    char account[sizeof(ACCOUNT) + 16];

    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    lk_random_init(&random, 11);
    check_ok(lk_collector_open(to_file, &fd, &c, &e), e);
    check_ok(lk_recorder_open(12345, symbols, to_collector, c, &r, &e), e);
    for (size_t i = 0; i < MADE; i++) {
        made[i] = made_up(&random, symbols, &at_ns);
        if (i % 97 == 5) { /* late */
            made[i].start_ns -= 61 * LK_NS_PER_S;
            made[i].end_ns = made[i].stamp_ns = made[i].start_ns;
        }
        check_ok(lk_recorder_take(r, &made[i], (lk_turn){ at_ns, false, lk_recorder_attempts(r) }, &e), e);
    }
    assert_int_equal(lk_recorder_attempts(r), MADE);
    (void)snprintf(account, sizeof(account), ACCOUNT, (unsigned)MADE);
    check_ok(lk_recorder_end(r, account, &e), e);
    check_ok(lk_collector_finish(c, &e), e);
    lk_recorder_close(r);
    lk_collector_close(c);
    return fd;
}

static bool is_same(const lk_attempt *a, const lk_attempt *b)
{
    return a->stamp_ns == b->stamp_ns && a->start_ns == b->start_ns && a->end_ns == b->end_ns &&
           a->caller == b->caller && a->key == b->key && memcmp(a->id, b->id, sizeof(a->id)) == 0 &&
           a->retry_after_ns == b->retry_after_ns && a->population == b->population &&
           a->target == b->target && a->attempt_no == b->attempt_no && a->attempt_max == b->attempt_max &&
           a->request == b->request && a->status == b->status && a->try_no == b->try_no &&
           a->failed == b->failed && a->rejected == b->rejected && a->gave_up == b->gave_up &&
           a->moment == b->moment && a->fraction == b->fraction && a->has_took == b->has_took &&
           a->asked_form == b->asked_form && a->has_asked == b->has_asked && a->call_ids == b->call_ids &&
           a->task_ids == b->task_ids;
}

TEST(attempts_come_back_from_a_state)
{
    lk_attempt *made = calloc(MADE, sizeof(*made)), back;
    lk_symbols symbols, again;
    lk_state_entry entry;
    lk_dictionary d;
    lk_gather *g = NULL;
    lk_arena arena;
    lk_state s;
    char path[64];
    int fd;

    assert_non_null(made);
    lk_arena_init(&arena, 0);
    check_ok(lk_symbols_init(&symbols, 5, &e), e);
    check_ok(lk_symbols_init(&again, 6, &e), e);
    fd = state_of(made, &symbols, path);
    check_ok(lk_state_open(&s, path, &e), e);
    check_ok(lk_dictionary_open(&d, &s, 1, LK_REPEATS_REFUSED, &arena, &e), e);
    check_ok(lk_dictionary_number_symbols(&d, &again, &e), e);
    assert_int_equal(again.targets.count, symbols.targets.count);
    check_ok(lk_gather_open(&(lk_gather_options){ .states = &s, .state_count = 1, .sources = d.of_state, .rank = d.rank }, &g, &e), e);
    for (size_t i = 0; i < MADE; i++) {
        assert_int_equal(lk_gather_next(g, &entry, &e), LK_STEP_ITEM);
        check_ok(lk_dictionary_attempt(&d, &entry, &back, &e), e);
        check(is_same(&made[i], &back), "attempt %zu", i);
    }
    assert_int_equal(lk_gather_next(g, &entry, &e), LK_STEP_END);
    lk_gather_close(g);
    lk_dictionary_close(&d);
    lk_state_close(&s);
    lk_symbols_release(&symbols);
    lk_symbols_release(&again);
    lk_arena_release(&arena);
    free(made);
    (void)close(fd);
}

/* ---- what no log gives ---- */

TEST(instants_of_no_log_are_no_records)
{
    static const struct {
        int64_t at_s;
        bool is_one;
    } ROW[] = {
        { 0, true },            { 1752580800, true },   { 7952342399, true },  { -86400, true },
        { -9000000000, false }, { -500000001, false },  { 8452342401, false }, { 9200000000, false },
        { 20000000000, false }, { -20000000000, false },
    };
    lk_record record;

    for (size_t i = 0; i < ROWS(ROW); i++) {
        char line[64], *p = lk_digits_put(line, 77, LK_DIGITS_64);

        *p++ = '\t';
        p = lk_digits_put(p, (uint64_t)(ROW[i].at_s + (INT64_C(1) << 35)), 6);
        *p++ = '\t';
        p = lk_varint_put(lk_digits_put(p, 5, LK_SOURCE_DIGITS), 0);
        *p++ = '-';
        check(lk_record_parse((lk_slice){ line, (size_t)(p - line) }, &record) == ROW[i].is_one,
              "row %zu", i);
    }
}

/* One attempt out and back; false: it was refused. */
static bool comes_back(const lk_attempt *a, int64_t turn_ns)
{
    int fd = memfd_create("state", MFD_CLOEXEC);
    lk_collector *c = NULL;
    lk_recorder *r = NULL;
    lk_symbols symbols;
    lk_state_entry entry;
    lk_run_reader reader;
    lk_dictionary d;
    lk_attempt back;
    lk_arena arena;
    lk_state s;
    char path[64], account[sizeof(ACCOUNT) + 16];
    bool is_back;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(account, sizeof(account), ACCOUNT, 1U);
    lk_arena_init(&arena, 0);
    check_ok(lk_symbols_init(&symbols, 5, &e), e);
    check_ok(lk_collector_open(to_file, &fd, &c, &e), e);
    check_ok(lk_recorder_open(12345, &symbols, to_collector, c, &r, &e), e);
    check_ok(lk_recorder_take(r, a, (lk_turn){ .at_ns = turn_ns }, &e), e);
    check_ok(lk_recorder_end(r, account, &e), e);
    check_ok(lk_collector_finish(c, &e), e);
    check_ok(lk_state_open(&s, path, &e), e);
    check_ok(lk_dictionary_open(&d, &s, 1, LK_REPEATS_REFUSED, &arena, &e), e);
    lk_symbols_release(&symbols);
    check_ok(lk_symbols_init(&symbols, 5, &e), e);
    check_ok(lk_dictionary_number_symbols(&d, &symbols, &e), e);
    lk_run_reader_init(&reader, &s, 0);
    assert_int_equal(lk_run_reader_next(&reader, &entry, &e), LK_STEP_ITEM);
    entry.source = 0;
    is_back = lk_dictionary_attempt(&d, &entry, &back, &e) == LK_OK;
    if (is_back)
        assert_true(back.start_ns == a->start_ns && back.end_ns == a->end_ns && back.stamp_ns == a->stamp_ns &&
                    back.retry_after_ns == a->retry_after_ns);
    lk_run_reader_release(&reader);
    lk_recorder_close(r);
    lk_collector_close(c);
    lk_dictionary_close(&d);
    lk_state_close(&s);
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
    (void)close(fd);
    return is_back;
}

TEST(attempts_that_no_log_gives_are_refused)
{
    static const int64_t NOW = INT64_C(1752580800) * LK_NS_PER_S, YEAR = INT64_C(31536000) * LK_NS_PER_S;
    const struct {
        int64_t start_ns, end_ns, stamp_ns, wait_ns;
        bool is_one;
    } ROW[] = {
        { NOW, NOW, NOW, -1, true },
        { NOW - YEAR, NOW - YEAR, NOW - YEAR, -1, true },
        { NOW - 200 * YEAR, NOW - 200 * YEAR, NOW, -1, false },
        { INT64_MAX - 5, INT64_MAX - 5, NOW, -1, false },
        { NOW, NOW + 3 * YEAR, NOW, 3 * YEAR, true },
        { NOW, NOW + 20 * YEAR, NOW, -1, false },
        { NOW, INT64_MIN / 2, NOW, -1, false },
        { NOW, NOW - 1, NOW, -1, false },
        { NOW, NOW, NOW - 200 * YEAR, -1, false },
        { NOW, NOW, INT64_MAX, -1, false },
        { NOW, NOW, NOW, 200 * YEAR, true }, /* a date */
        { NOW, NOW, NOW, INT64_MAX - NOW + 1, false },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_attempt a = { .try_no = 1, .status = 200, .start_ns = ROW[i].start_ns, .end_ns = ROW[i].end_ns,
                         .stamp_ns = ROW[i].stamp_ns, .retry_after_ns = ROW[i].wait_ns };

        a.key = lk_hash_mix(a.caller ^ lk_hash_mix(9));
        a.population = a.target = UINT32_MAX; /* past the bounds: hashes */
        check(comes_back(&a, NOW) == ROW[i].is_one, "row %zu", i);
    }
}

/* Of every shape that can be: two tables full, the first numbered, the rest written out with each attempt. */
static lk_attempt shaped(uint32_t i)
{
    const int64_t at_ns = INT64_C(1752580800) * LK_NS_PER_S + (int64_t)i * LK_NS_PER_MS;
    lk_attempt a = { .try_no = 1, .start_ns = at_ns, .end_ns = at_ns, .stamp_ns = at_ns, .retry_after_ns = -1 };

    a.status = (uint16_t)(i % 600);
    a.call_ids = (uint8_t)(i / 600 % 16);
    a.task_ids = (uint8_t)(i / 9600);
    a.key = lk_hash_mix(a.caller ^ lk_hash_mix(9));
    a.population = a.target = UINT32_MAX; /* past their bounds: hashes */
    return a;
}

TEST(shapes_past_the_bound_come_back_all_the_same)
{
    enum { SHAPES = LK_NUMBERS_MAX + 3000 };
    int fd = memfd_create("state", MFD_CLOEXEC);
    char account[sizeof(ACCOUNT) + 16], path[64];
    lk_collector *c = NULL;
    lk_recorder *r = NULL;
    lk_gather *g = NULL;
    lk_state_entry entry;
    lk_attempt back;
    lk_symbols symbols;
    lk_dictionary d;
    lk_arena arena;
    lk_state s;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(account, sizeof(account), ACCOUNT, (unsigned)SHAPES);
    lk_arena_init(&arena, 0);
    check_ok(lk_symbols_init(&symbols, 5, &e), e);
    check_ok(lk_collector_open(to_file, &fd, &c, &e), e);
    check_ok(lk_recorder_open(12345, &symbols, to_collector, c, &r, &e), e);
    for (uint32_t i = 0; i < SHAPES; i++) {
        lk_attempt a = shaped(i);

        check_ok(lk_recorder_take(r, &a, (lk_turn){ a.start_ns, false, i }, &e), e);
    }
    check_ok(lk_recorder_end(r, account, &e), e);
    check_ok(lk_collector_finish(c, &e), e);
    check_ok(lk_state_open(&s, path, &e), e);
    check_ok(lk_dictionary_open(&d, &s, 1, LK_REPEATS_REFUSED, &arena, &e), e);
    check_ok(lk_dictionary_number_symbols(&d, &symbols, &e), e);
    check_ok(lk_gather_open(&(lk_gather_options){ .states = &s, .state_count = 1, .sources = d.of_state, .rank = d.rank }, &g, &e), e);
    for (uint32_t i = 0; i < SHAPES; i++) {
        lk_attempt a = shaped(i);

        assert_int_equal(lk_gather_next(g, &entry, &e), LK_STEP_ITEM);
        check_ok(lk_dictionary_attempt(&d, &entry, &back, &e), e);
        a.population = back.population; /* of a run's own numbers */
        a.target = back.target;
        check(is_same(&a, &back), "attempt %u", i);
    }
    assert_int_equal(lk_gather_next(g, &entry, &e), LK_STEP_END);
    lk_gather_close(g);
    lk_dictionary_close(&d);
    lk_state_close(&s);
    lk_recorder_close(r);
    lk_collector_close(c);
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
    (void)close(fd);
}

/* Every byte counts: whichever changes, something is found to be wrong before all was read. */
TEST(a_state_that_was_changed_is_found_out)
{
    lk_attempt *made = calloc(MADE, sizeof(*made));
    lk_symbols symbols;
    char path[64], byte;
    off_t size;
    int fd;

    assert_non_null(made);
    check_ok(lk_symbols_init(&symbols, 5, &e), e);
    fd = state_of(made, &symbols, path);
    size = lseek(fd, 0, SEEK_END);
    for (off_t at = 0; at < size; at += 1 + size / 150) {
        lk_state_entry entry;
        lk_step got = LK_STEP_ITEM;
        lk_run_reader r;
        lk_state s;

        assert_int_equal(pread(fd, &byte, 1, at), 1);
        byte = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
        if (lk_state_open(&s, path, &e) == LK_OK) {
            lk_run_reader_init(&r, &s, 0);
            while (got == LK_STEP_ITEM)
                got = lk_run_reader_next(&r, &entry, &e);
            check(got == LK_STEP_FAIL, "byte %lld of %lld", (long long)at, (long long)size);
            lk_run_reader_release(&r);
        }
        lk_state_close(&s);
        byte = (char)(byte ^ 0x10);
        assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    }
    lk_symbols_release(&symbols);
    free(made);
    (void)close(fd);
}

TESTS(T(digits_sort_as_numbers_do), T(varints_come_back_and_nothing_else_is_one), T(mixing_is_undone),
      T(texts_are_escaped_and_back), T(numbers_are_given_the_second_time),
      T(attempts_come_back_from_a_state), T(instants_of_no_log_are_no_records),
      T(attempts_that_no_log_gives_are_refused), T(shapes_past_the_bound_come_back_all_the_same),
      T(a_state_that_was_changed_is_found_out))
