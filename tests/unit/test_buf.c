#include "unit.h"

#include "base/buf.h"

TEST(buf_starts_empty)
{
    lk_buf b;

    lk_buf_init(&b);
    assert_null(b.p);
    assert_int_equal(b.len, 0);
    assert_false(b.failed);
    lk_buf_release(&b);
}

TEST(buf_appends_and_stays_terminated)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_add(&b, "abc", 2);
    lk_buf_text(&b, "-");
    lk_buf_fill(&b, '=', 3);
    lk_buf_printf(&b, " %d%s", 42, "!");
    lk_buf_add(&b, NULL, 0);
    lk_buf_fill(&b, 'x', 0);
    lk_buf_printf(&b, "%s", "");
    assert_string_equal(b.p, "ab-=== 42!");
    assert_int_equal(b.len, strlen("ab-=== 42!"));
    lk_buf_release(&b);
}

TEST(buf_writing_nothing_gives_an_empty_text)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_text(&b, "");
    assert_string_equal(b.p, "");
    lk_buf_release(&b);
}

TEST(buf_keeps_nul_bytes)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_add(&b, "a\0b", 3);
    assert_int_equal(b.len, 3);
    assert_memory_equal(b.p, "a\0b", 4);
    lk_buf_release(&b);
}

TEST(buf_grows_past_every_size)
{
    lk_buf b;

    lk_buf_init(&b);
    for (size_t i = 0; i < 3000; i++) {
        lk_buf_fill(&b, (char)('a' + i % 26), i % 7);
        lk_buf_printf(&b, "%zu,", i);
        assert_true(b.len < b.cap);
        assert_int_equal(b.p[b.len], '\0');
    }
    assert_int_equal(strlen(b.p), b.len);
    assert_false(b.failed);
    lk_buf_release(&b);
}

TEST(buf_fails_once_and_ignores_the_rest)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_text(&b, "kept");
    lk_buf_fill(&b, 'x',
                SIZE_MAX - 10); /* the sum with what is there overflows or no such memory */
    assert_true(b.failed);
    lk_buf_text(&b, "ignored");
    lk_buf_printf(&b, "%d", 1);
    lk_buf_fill(&b, 'x', 1);
    assert_string_equal(b.p, "kept");
    lk_buf_release(&b);
    assert_false(b.failed);
}

TEST(buf_fails_when_memory_is_refused)
{
    lk_buf b;

    lk_buf_init(&b);
    lk_buf_fill(&b, 'x', SIZE_MAX / 2); /* no overflow, but more than malloc gives */
    assert_true(b.failed);
    assert_null(b.p);
    lk_buf_release(&b);
}

TESTS(T(buf_starts_empty), T(buf_appends_and_stays_terminated),
      T(buf_writing_nothing_gives_an_empty_text), T(buf_keeps_nul_bytes),
      T(buf_grows_past_every_size), T(buf_fails_once_and_ignores_the_rest),
      T(buf_fails_when_memory_is_refused))
