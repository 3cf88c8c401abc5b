#include "unit.h"

#include "base/random.h"
#include "base/time.h"
#include "report/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAYS(word, want)                                                                   \
    do {                                                                                   \
        lk_word says_word = (word);                                                        \
        check(strcmp(says_word.text, (want)) == 0, "have '%s', want '%s'", says_word.text, \
              (want));                                                                     \
    } while (0)

TEST(words_group_counts)
{
    SAYS(lk_word_count(0), "0");
    SAYS(lk_word_count(999), "999");
    SAYS(lk_word_count(119060), "119,060");
    SAYS(lk_word_count(1000000000), "1,000,000,000");
    SAYS(lk_word_count(INT64_MAX), "9,223,372,036,854,775,807");
    SAYS(lk_word_count(-1), "not known");
    SAYS(lk_word_counted(1, "call"), "1 call");
    SAYS(lk_word_counted(0, "call"), "0 calls");
}

TEST(words_do_not_round_shares_to_none_or_all)
{
    SAYS(lk_word_share(0), "0.0 %");
    SAYS(lk_word_share(0.31), "31.0 %");
    SAYS(lk_word_share(0.0001), "<0.1 %");
    SAYS(lk_word_share(0.99996), ">99.9 %");
    SAYS(lk_word_share(1), "100.0 %");
    SAYS(lk_word_share((double)NAN), "not known");
    SAYS(lk_word_part(1, 3), "33.3 %");
    SAYS(lk_word_part(-1, 3), "not known");
    SAYS(lk_word_part(0, 0), "not known");
}

static long tenths_of(const char *text)
{
    return strcmp(text, ">99.9 %") == 0 ? 1000 : *text == '<' ? 0 : lrint(10.0 * strtod(text, NULL));
}

/* Whatever the counts: no share is a tenth off, and together they are the whole. */
TEST(words_of_parts_add_up)
{
    enum { PARTS = 5 };
    lk_random random;
    lk_word out[PARTS];

    lk_random_init(&random, 3);
    for (size_t i = 0; i < 3000; i++) {
        int64_t part[PARTS], of = 0;
        long sum = 0;

        for (size_t k = 0; k < PARTS; k++) {
            part[k] = (int64_t)(lk_random_u64(&random) >> (24 + lk_random_u64(&random) % 40));
            of += part[k];
        }
        lk_word_parts(part, PARTS, of, out);
        for (size_t k = 0; of > 0 && k < PARTS; k++) {
            sum += tenths_of(out[k].text);
            check(fabs((double)tenths_of(out[k].text) - 1000.0 * (double)part[k] / (double)of) < 1.0, "%s", out[k].text);
            check(part[k] == 0 || strcmp(out[k].text, "0.0 %") != 0, "a part that is not none");
        }
        check(of == 0 || sum == 1000, "row %zu: %ld", i, sum);
    }
    lk_word_parts((const int64_t[]){ 1, 1, 1 }, 3, 3, out);
    assert_string_equal(out[0].text, "33.4 %");
    assert_string_equal(out[2].text, "33.3 %");
    lk_word_parts((const int64_t[]){ 1, -1 }, 2, 3, out); /* not all are known */
    assert_string_equal(out[0].text, "33.3 %");
    assert_string_equal(out[1].text, "not known");
}

TEST(words_say_durations)
{
    SAYS(lk_word_seconds(0), "0 s");
    SAYS(lk_word_seconds(0.0002), "<0.001 s");
    SAYS(lk_word_seconds(0.25), "0.25 s");
    SAYS(lk_word_seconds(0.9999), "1.0 s");
    SAYS(lk_word_seconds(60), "60.0 s");
    SAYS(lk_word_seconds(3600), "3,600 s");
    SAYS(lk_word_seconds((double)NAN), "not known");
    SAYS(lk_word_seconds((double)INFINITY), "not known");
    SAYS(lk_word_setting(60), "60 s");
    SAYS(lk_word_setting(0.5), "0.5 s");
    SAYS(lk_word_setting(300), "300 s (5 min)");
    SAYS(lk_word_span(59.94), "59.9 s");
    SAYS(lk_word_span(60), "1 min");
    SAYS(lk_word_span(119.9), "2 min");
    SAYS(lk_word_span(5109), "1 h 25 min");
    SAYS(lk_word_span(86399), "24 h");
    SAYS(lk_word_span(365.25 * 86400), "365 d 6 h");
}

TEST(words_give_as_many_digits_as_the_error_allows)
{
    SAYS(lk_word_within(60.018, 0.03), "60.02");
    SAYS(lk_word_within(60.018, 0.3), "60.0");
    SAYS(lk_word_within(3600.4, 20), "3600");
    SAYS(lk_word_within(0.2500007, 1e-9), "0.2500");
    SAYS(lk_word_within(60.018, (double)NAN), "60.0");
    SAYS(lk_word_within((double)NAN, 1), "not known");
}

TEST(words_say_chances_bytes_and_rates)
{
    SAYS(lk_word_chance(-1e6), "less than 1 in a billion");
    SAYS(lk_word_chance(-9.1), "less than 1 in a thousand");
    SAYS(lk_word_chance(log(0.05)), "about 1 in 20");
    SAYS(lk_word_chance((double)NAN), "not known");
    SAYS(lk_word_bytes(999), "999 bytes");
    SAYS(lk_word_bytes(1234567), "1.2 MB");
    SAYS(lk_word_bytes(999999), "1.0 MB");
    SAYS(lk_word_bytes(-1), "not known");
    SAYS(lk_word_real(27.033), "27.03");
    SAYS(lk_word_real(1770.2), "1,770");
    SAYS(lk_word_real(1e25), "1e+25");
    SAYS(lk_word_scale(0.25), "0.25");
    SAYS(lk_word_scale(1500), "1,500");
    SAYS(lk_word_scale(12000), "12k");
    SAYS(lk_word_scale(3e9), "3G");
}

TEST(words_say_instants_and_ranges)
{
    const int64_t noon = INT64_C(1752580800) * LK_NS_PER_S;

    SAYS(lk_word_instant(noon), "2025-07-15 12:00:00");
    SAYS(lk_word_time(noon), "12:00:00");
    SAYS(lk_word_instant(LK_TIME_NONE), "not known");
    SAYS(lk_word_time(LK_TIME_NONE), "not known");
    SAYS(lk_word_range(noon, noon + 60 * LK_NS_PER_S), "2025-07-15 12:00:00 to 12:01:00");
    SAYS(lk_word_range(noon, noon + 250 * LK_NS_PER_MS), "2025-07-15 12:00:00.000 to 12:00:00.250");
    SAYS(lk_word_range(noon, noon + 86400 * LK_NS_PER_S),
         "2025-07-15 12:00:00 to 2025-07-16 12:00:00");
    SAYS(lk_word_range(LK_TIME_NONE, noon), "not known");
    SAYS(lk_word_range(-INT64_MAX, INT64_MAX), "1677-09-21 00:12:43 to 2262-04-11 23:47:16");
}

TESTS(T(words_group_counts), T(words_do_not_round_shares_to_none_or_all), T(words_of_parts_add_up),
      T(words_say_durations),
      T(words_give_as_many_digits_as_the_error_allows), T(words_say_chances_bytes_and_rates),
      T(words_say_instants_and_ranges))
