#include "unit.h"

#include "base/random.h"
#include "base/time.h"
#include "format/cache.h"
#include "format/json_values.h"

#include <string.h>

/* Stamps whose seconds, digits and zones come again and again, some of them damaged, are read as if each were the
 * first. */
TEST(cache_changes_no_instant)
{
    static const struct { const char *head, *zone; } FORMS[] = {
        { "2026-11-30T12:00:", "+00:00" }, { "2026-11-30T12:00:", "Z" }, { "2026/11/30 12:00:", "" },
        { "30/Nov/2026:12:00:", " +0100" }, { "17960146", "" },
    };
    static const char MARKS[] = "0.:9 Z-";
    lk_random random;
    lk_parse_cache c;
    size_t read = 0;

    lk_random_init(&random, 4);
    lk_parse_cache_init(&c);
    for (size_t i = 0; i < 60000; i++) {
        const uint64_t u = lk_random_u64(&random);
        int64_t at_ns[2] = { 0, 0 };
        bool fraction[2] = { false, false }, ok[2];
        char text[80];
        lk_slice s = { text, 0 };

        (void)snprintf(text, sizeof(text), "%s%02u.%0*u%s", FORMS[i / 100 % ROWS(FORMS)].head,
                       (unsigned)(u >> 60 & 1), (int)(i / 20 % 5 * 3 % 13), (unsigned)(u >> 20 & 999),
                       FORMS[i / 100 % ROWS(FORMS)].zone);
        s.len = strlen(text);
        if (u % 8 == 0)
            text[(u >> 8) % s.len] = MARKS[(u >> 16) % (sizeof(MARKS) - 1)];
        ok[0] = lk_cache_clock(&c, s, lk_jsonl_stamp, &at_ns[0], &fraction[0]);
        ok[1] = lk_jsonl_stamp(s, &at_ns[1], &fraction[1]) && lk_stamp_is_plausible(at_ns[1]);
        check(ok[0] == ok[1], "'%s'", text);
        read += ok[0];
        if (ok[0])
            check(at_ns[0] == at_ns[1] && fraction[0] == fraction[1], "'%s': %jd, not %jd", text,
                  (intmax_t)at_ns[0], (intmax_t)at_ns[1]);
    }
    check(read > 40000, "%zu stamps", read);
}

/* Second 60 is read as the end of second 59, whatever its digits. */
static void cache_knows_no_leap_second(void **state)
{
    static const char *const STAMPS[] = { "2016-12-31T23:59:60.100Z", "2016-12-31T23:59:60.200Z" };
    int64_t at_ns[2];
    bool fraction;
    lk_parse_cache c;

    (void)state;
    lk_parse_cache_init(&c);
    for (size_t i = 0; i < 2; i++)
        assert_true(lk_cache_clock(&c, lk_slice_from(STAMPS[i]), lk_jsonl_stamp, &at_ns[i], &fraction));
    assert_true(at_ns[0] == INT64_C(1483228799999999999));
    assert_true(at_ns[1] == at_ns[0]);
}

TESTS(T(cache_changes_no_instant), T(cache_knows_no_leap_second))
