#include "format/upstream.h"
#include "unit.h"

#include "base/time.h"

/* clang-format off */
static const struct { const char *list; size_t statuses; unsigned last; size_t times; int64_t sum_ms; } LISTS[] = {
    /* 0 = no such list */
    { "200",                    1, 200,               0, 0 },
    { "-",                      1, LK_STATUS_UNKNOWN, 1, 0 },
    { "502, 200",               2, 200,               0, 0 },
    { "502, -",                 2, LK_STATUS_UNKNOWN, 0, 0 },
    { "502, 503 : 404, 200",    4, 200,               0, 0 },
    { "502 : ",                 1, 502,               0, 0 }, /* dangling */
    { "502 :",                  1, 502,               0, 0 },
    { "502, ",                  1, 502,               0, 0 },
    { "",                       0, 0,                 0, 0 },
    { "502, x",                 0, 0,                 0, 0 },
    { "0, 6",                   0, 0,                 0, 0 },
    { "012, 200",               0, 0,                 0, 0 },
    { "127.0.0.1:80",           0, 0,                 0, 0 },
    { "0.003, 0.002 : 0.001",   0, 0,                 3, 6 },
    { "0.003, -",               0, 0,                 2, 3 },
    { "0.003 : ",               0, 0,                 1, 3 },
    { "0.3, 0.002",             0, 0,                 0, 0 }, /* nginx writes milliseconds */
};
/* clang-format on */

TEST(upstream_tells_lists)
{
    for (size_t i = 0; i < ROWS(LISTS); i++) {
        lk_slice list = lk_slice_from(LISTS[i].list);
        size_t count = 0;
        unsigned last = 0;
        int64_t sum_ns = 0;

        check(lk_upstream_is_statuses(list, &count, &last) == (LISTS[i].statuses > 0), "'%s'",
              LISTS[i].list);
        check(LISTS[i].statuses == 0 || (count == LISTS[i].statuses && last == LISTS[i].last),
              "'%s': %zu, %u", LISTS[i].list, count, last);
        check(lk_upstream_is_times(list, &count, &sum_ns) == (LISTS[i].times > 0), "'%s'",
              LISTS[i].list);
        check(LISTS[i].times == 0 ||
                  (count == LISTS[i].times && sum_ns == LISTS[i].sum_ms * LK_NS_PER_MS),
              "'%s': %zu, %lld", LISTS[i].list, count, (long long)sum_ns);
    }
}

/* clang-format off */
static const struct { const char *text; size_t first, len; } ENDS[] = { /* of the first element, of the list */
    { "a b",          1, 1 },
    { "a, b c",       2, 4 },
    { "a : b c",      1, 5 },
    { "a, b : c, d e", 2, 11 },
    { "a :  b",       1, 4 },
    { "a :",          1, 3 },
    { "a : ",         1, 4 },
    { "a",            1, 1 },
};
/* clang-format on */

TEST(upstream_finds_the_end_of_a_bare_list)
{
    for (size_t i = 0; i < ROWS(ENDS); i++) {
        const char *text = ENDS[i].text, *end = text + strlen(text);
        const char *past = lk_upstream_list_end(text + ENDS[i].first, end);

        check(past == text + ENDS[i].len, "'%s': %td", text, past - text);
    }
}

TEST(upstream_reads_what_one_list_tells)
{
    lk_parse_cache *c = test_malloc(sizeof(*c));
    lk_upstream times = { .times = LK_SLICE("0.003, 0.002") };
    lk_upstream uneven = { LK_SLICE("502 : 200"), LK_SLICE("0.003") };
    lk_upstream one = { LK_SLICE("502"), LK_SLICE("0.003") };
    lk_fields f;

    lk_fields_init(&f);
    f.status = 200;
    lk_upstream_read(&one, c, &f);
    check(f.try_count == 0 && !f.tries, "one try is the line itself");
    lk_upstream_read(&times, c, &f);
    check(f.try_count == 2 && f.tries[0].status == LK_STATUS_UNKNOWN, "status unknown");
    check(f.tries[1].status == 200, "but that of the answer");
    check(f.tries[0].took_ns == 3 * LK_NS_PER_MS && f.tries[1].took_ns == 2 * LK_NS_PER_MS, "took");
    lk_upstream_read(&uneven, c, &f);
    check(f.try_count == 2 && !f.tries[0].redirect && f.tries[1].redirect, "redirect");
    check(f.tries[0].took_ns == 3 * LK_NS_PER_MS && f.tries[1].took_ns == -1, "uneven");
    test_free(c);
}

TESTS(T(upstream_tells_lists), T(upstream_finds_the_end_of_a_bare_list),
      T(upstream_reads_what_one_list_tells))
