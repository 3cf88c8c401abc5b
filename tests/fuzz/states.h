/* states — what merge does with a state, for the fuzzers of records and of states: all attempts in their
 * order, with what late lines wait for; the account of the inputs; and one state of it again. */
#ifndef LK_FUZZ_STATES_H
#define LK_FUZZ_STATES_H

#include "api/states.h"
#include "require.h"

/* Far fewer strings than merge keeps: what is past the bound is reached too, and tables are small. */
enum { STRINGS_MAX = 8 };

/* Without the memory of lines just read (lk_symbols_init), which only readers of logs have, and whose 100 KB took
 * most of the time of an execution. */
static void small_symbols(lk_symbols *s)
{
    lk_err e = { 0 };

    *s = (lk_symbols){ 0 };
    REQUIRE(lk_intern_init(&s->populations, STRINGS_MAX, 1, &e) == LK_OK);
    REQUIRE(lk_intern_init(&s->targets, STRINGS_MAX, 1, &e) == LK_OK);
}

static lk_code drop_bytes(void *ctx, const char *bytes, size_t len, lk_err *e)
{
    (void)ctx;
    (void)bytes;
    (void)len;
    (void)e;
    return LK_OK;
}

static lk_code read_attempts(lk_states *s, lk_symbols *symbols, lk_err *e)
{
    lk_attempt a;
    lk_step got;

    LK_TRY(lk_states_begin(s, symbols, e));
    while ((got = lk_states_next(s, &a, e)) == LK_STEP_ITEM)
        REQUIRE(a.try_no >= 1 && a.try_no <= LK_TRIES_MAX && a.status <= LK_STATUS_UNKNOWN);
    return got == LK_STEP_FAIL ? e->code : LK_OK;
}

static lk_code read_account(const lk_states *s, lk_arena *arena, lk_err *e)
{
    lk_logfile **files;
    lk_heavy addresses;
    size_t count;

    lk_heavy_init(&addresses);
    return lk_states_files(s, &addresses, arena, &files, &count, e);
}

static void report_of(const char *path)
{
    lk_symbols symbols;
    lk_arena arena;
    lk_states s;
    lk_err e = { 0 };
    lk_code code;

    lk_arena_init(&arena, 0);
    small_symbols(&symbols);
    code = lk_states_open(&s, &path, 1, true, false, &arena, &e);
    if (code == LK_OK)
        code = read_attempts(&s, &symbols, &e);
    if (code == LK_OK)
        code = read_account(&s, &arena, &e);
    REQUIRE(code == LK_OK || e.msg[0]);
    lk_states_close(&s);
    lk_symbols_release(&symbols);
    lk_arena_release(&arena);
}

static void merge_again(const char *path)
{
    lk_arena arena;
    lk_states s;
    lk_err e = { 0 };
    lk_code code;

    lk_arena_init(&arena, 0);
    code = lk_states_open(&s, &path, 1, true, true, &arena, &e);
    if (code == LK_OK)
        code = lk_states_merge(&s, drop_bytes, NULL, &e);
    REQUIRE(code == LK_OK || e.msg[0]);
    lk_states_close(&s);
    lk_arena_release(&arena);
}

static void read_states(const char *path)
{
    report_of(path);
    merge_again(path);
}

#endif
