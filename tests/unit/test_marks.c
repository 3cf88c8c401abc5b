#include "unit.h"

#include "base/marks.h"
#include "base/random.h"

#include <stdlib.h>
#include <string.h>

typedef void finder(lk_marks *m, const char *p, size_t len, bool wants_quotes);

/* Every newline and quote of what was looked at, and no other place. */
static void check_marks(const lk_marks *m, const char *p, size_t len, bool wants_quotes)
{
    size_t lines = 0, quotes = 0;

    check(m->base == p && m->len <= len && m->len <= LK_MARKS_BLOCK, "%zu of %zu bytes", m->len, len);
    for (size_t i = 0; i < m->len; i++) {
        if (p[i] == '\n')
            check(lines < m->line_count && m->lines[lines++] == i, "newline at %zu", i);
        if (wants_quotes && p[i] == '"')
            check(quotes < m->quote_count && m->quotes[quotes++] == i, "quote at %zu", i);
    }
    check(lines == m->line_count && quotes == m->quote_count, "%zu lines, %zu quotes", lines, quotes);
    check(m->quotes[m->quote_count] >= len || m->len < len, "no end behind the quotes");
}

static void check_both(const char *p, size_t len)
{
    static finder *const FINDERS[] = { lk_marks_find, lk_marks_find_portably };
    lk_marks marks[2];

    for (int wants = 0; wants < 2; wants++) {
        for (size_t i = 0; i < 2; i++) {
            FINDERS[i](&marks[i], p, len, wants);
            check_marks(&marks[i], p, len, wants);
        }
        check(marks[0].len == marks[1].len, "%zu and %zu bytes", marks[0].len, marks[1].len);
    }
}

/* One byte in `every` is a mark. */
static void fill(char *p, size_t len, unsigned every, lk_random *random)
{
    static const char MARKS[] = "\n\"";

    for (size_t i = 0; i < len; i++) {
        const uint64_t u = lk_random_u64(random);

        p[i] = u % every == 0 ? MARKS[u >> 32 & 1] : (char)(u >> 40);
    }
}

TEST(marks_are_those_of_the_text)
{
    static const unsigned EVERY[] = { 1, 2, 7, 40, 5000 };
    lk_random random;

    lk_random_init(&random, 8);
    for (size_t i = 0; i < ROWS(EVERY); i++)
        for (size_t round = 0; round < 60; round++) {
            const size_t len = round < 30 ? round * 5 : (size_t)(lk_random_u64(&random) % 40000);
            char *p = malloc(len + 1); /* as long as the text: what is read behind it is noticed */

            assert_non_null(p);
            fill(p, len, EVERY[i], &random);
            check_both(p, len);
            free(p);
        }
}

TEST(marks_end_before_what_has_no_room)
{
    static char text[LK_MARKS_BLOCK];
    lk_marks m;

    memset(text, '"', sizeof(text));
    check_both(text, sizeof(text));
    lk_marks_find(&m, text, sizeof(text), true);
    check(m.len < sizeof(text) && m.quote_count == m.len, "%zu", m.len);
    lk_marks_find(&m, text, sizeof(text), false);
    check(m.len == sizeof(text) && m.quote_count == 0, "%zu", m.len);
    memset(text, '\n', sizeof(text));
    check_both(text, sizeof(text));
}

TESTS(T(marks_are_those_of_the_text), T(marks_end_before_what_has_no_room))
