#include "unit.h"

#include "base/time.h"

#define S LK_NS_PER_S

typedef bool parse_fn(lk_slice s, int64_t *at_ns, bool *fraction);

typedef struct good_case {
    const char *text;
    int64_t want_ns;
    bool fraction;
} good_case;

static void check_good(parse_fn *parse, const good_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = 42;
        bool fraction = !cases[i].fraction;

        check(parse(lk_slice_from(cases[i].text), &at_ns, &fraction), "'%s'", cases[i].text);
        check(at_ns == cases[i].want_ns, "'%s': %lld", cases[i].text, (long long)at_ns);
        check(fraction == cases[i].fraction, "'%s'", cases[i].text);
        check(parse(lk_slice_from(cases[i].text), &at_ns, NULL), "'%s'", cases[i].text);
    }
}

static void check_bad(parse_fn *parse, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t at_ns = 42;
        bool fraction = true;

        check(!parse(lk_slice_from(texts[i]), &at_ns, &fraction), "'%s'", texts[i]);
        check(at_ns == 42 && fraction, "'%s' wrote its outputs", texts[i]);
    }
}

TEST(time_days_follow_the_calendar)
{
    static const unsigned LENGTHS[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int64_t want = lk_days_from_civil(1600, 1, 1);

    for (int year = 1600; year <= 2400; year++)
        for (unsigned month = 1; month <= 12; month++) {
            bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            unsigned days = LENGTHS[month - 1] + (month == 2 && leap);

            for (unsigned day = 1; day <= days; day++, want++)
                check(lk_days_from_civil(year, month, day) == want, "%d-%u-%u", year, month, day);
        }
}

TEST(time_days_have_known_values)
{
    assert_int_equal(lk_days_from_civil(1970, 1, 1), 0);
    assert_int_equal(lk_days_from_civil(1969, 12, 31), -1);
    assert_int_equal(lk_days_from_civil(2000, 3, 1), 11017);
    assert_int_equal(lk_days_from_civil(2026, 11, 30), 20787);
    assert_int_equal(lk_days_from_civil(0, 1, 1), -719528);
}

TEST(time_rfc3339_reads)
{
    static const good_case CASES[] = {
        { "1970-01-01T00:00:00Z", 0, false },
        { "1970-01-01T00:00:00.000Z", 0, true },
        { "2026-11-30T03:25:00Z", 1796009100 * S, false },
        { "2026-11-30t03:25:00z", 1796009100 * S, false },
        { "2026-11-30 03:25:00Z", 1796009100 * S, false },
        { "2026-11-30T03:25:00.310Z", 1796009100 * S + 310000000, true },
        { "2026-11-30T03:25:00.123456789Z", 1796009100 * S + 123456789, true },
        { "2026-11-30T03:25:00.12345678999Z", 1796009100 * S + 123456789, true },
        { "2026-11-30T03:25:00.5+00:00", 1796009100 * S + 500000000, true },
        { "2026-11-30T05:25:00+02:00", 1796009100 * S, false },
        { "2026-11-30T05:25:00+0200", 1796009100 * S, false },
        { "2026-11-29T22:25:00-05:00", 1796009100 * S, false },
        { "2026-11-30T09:10:00+05:45", 1796009100 * S, false },
        { "2026-11-30T03:25:00-00:00", 1796009100 * S, false },
        { "2024-02-29T00:00:00Z", 1709164800 * S, false },
        { "2000-02-29T23:59:59Z", 951868799 * S, false },
        { "1969-12-31T23:59:59.75Z", -S + 750000000, true },
        { "2016-12-31T23:59:60Z", 1483228800 * S - 1, false }, /* a leap second */
        { "2016-12-31T23:59:60.25Z", 1483228800 * S - 1, true },
        { "1700-01-01T00:00:00Z", -8520336000 * S, false },
        { "2261-01-01T00:00:00Z", 9183110400 * S, false },
    };

    check_good(lk_time_rfc3339, CASES, ROWS(CASES));
}

TEST(time_rfc3339_refuses)
{
    static const char *const TEXTS[] = {
        "",
        "2026-11-30",
        "2026-11-30T03:25:00",
        "2026-11-30T03:25:00.5",
        "2026-11-30T03:25:00 Z",
        "2026-11-30T03:25:00ZZ",
        " 2026-11-30T03:25:00Z",
        "2026-11-30T03:25:00Z ",
        "2026-11-30X03:25:00Z",
        "2026-11-30T03:25:00.Z",
        "2026-11-30T03:25:00,5Z",
        "2026-11-30T03:25:00+02",
        "2026-11-30T03:25:00+2:00",
        "2026-11-30T03:25:00+02:0",
        "2026-11-30T03:25:00+24:00",
        "2026-11-30T03:25:00+02:60",
        "2026-11-30T03:25:00*02:00",
        "2026-11-30T03:25:00+02-00",
        "2026-11-30T03:25:00+a2:00",
        "2026-00-30T03:25:00Z",
        "2026-13-30T03:25:00Z",
        "2026-11-00T03:25:00Z",
        "2026-11-31T03:25:00Z",
        "2026-02-29T03:25:00Z",
        "1900-02-29T03:25:00Z",
        "2024-02-30T03:25:00Z",
        "2026-11-30T24:00:00Z",
        "2026-11-30T03:60:00Z",
        "2026-11-30T03:25:61Z",
        "2026/11/30T03:25:00Z",
        "2026-11-30T03.25.00Z",
        "2026-11-3aT03:25:00Z",
        "20a6-11-30T03:25:00Z",
        "-026-11-30T03:25:00Z",
        "2026-11-30T03:25:0-Z",
        "0000-01-01T00:00:00Z",
        "1600-01-01T00:00:00Z",
        "2262-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    };

    check_bad(lk_time_rfc3339, TEXTS, ROWS(TEXTS));
}

TEST(time_clf_reads)
{
    static const good_case CASES[] = {
        { "01/Jan/1970:00:00:00 +0000", 0, false },
        { "15/Jul/2025:12:00:00 +0545", 1752560100 * S, false },
        { "30/Nov/2026:03:25:00 +0000", 1796009100 * S, false },
        { "30/Nov/2026:03:25:00.310 +0000", 1796009100 * S + 310000000, true },
        { "30/Nov/2026:03:25:00.123456789 +0000", 1796009100 * S + 123456789, true },
        { "29/Nov/2026:22:25:00 -0500", 1796009100 * S, false },
        { "29/Feb/2024:00:00:00 +0000", 1709164800 * S, false },
        { "31/Dec/2016:23:59:60 +0000", 1483228800 * S - 1, false },
    };
    static const char *const MONTHS[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

    check_good(lk_time_clf, CASES, ROWS(CASES));
    for (unsigned i = 0; i < ROWS(MONTHS); i++) {
        char text[40];
        int64_t at_ns;

        (void)snprintf(text, sizeof(text), "02/%s/2026:00:00:00 +0000", MONTHS[i]);
        check(lk_time_clf(lk_slice_from(text), &at_ns, NULL), "'%s'", text);
        check(at_ns == lk_days_from_civil(2026, i + 1, 2) * 86400 * S, "'%s'", text);
    }
}

TEST(time_clf_refuses)
{
    static const char *const TEXTS[] = {
        "",
        "-",
        "30/Nov/2026:03:25:00",
        "30/Nov/2026:03:25:00 ",
        "30/Nov/2026:03:25:00 +000",
        "30/Nov/2026:03:25:00 +00000",
        "30/Nov/2026:03:25:00 +00:00",
        "30/Nov/2026:03:25:00  +000",
        "30/Nov/2026:03:25:00+00000",
        "30/Nov/2026:03:25:00 00000",
        "30/Nov/2026:03:25:00 +2400",
        "30/Nov/2026:03:25:00 +0060",
        "30/Nov/2026:03:25:00. +0000",
        "30/Nov/2026:03:25:00.1x +0000",
        "30/nov/2026:03:25:00 +0000",
        "30/Nop/2026:03:25:00 +0000",
        "30/11//2026:03:25:00 +0000",
        "31/Nov/2026:03:25:00 +0000",
        "00/Nov/2026:03:25:00 +0000",
        "29/Feb/2026:03:25:00 +0000",
        " 3/Nov/2026:03:25:00 +0000",
        "30/Nov/2026 03:25:00 +0000",
        "30-Nov-2026:03:25:00 +0000",
        "30/Nov/2026:24:25:00 +0000",
        "30/Nov/2026:03:60:00 +0000",
        "30/Nov/2026:03:25:61 +0000",
        "30/Nov/2026:03:25:0a +0000",
        "30/Nov/1500:03:25:00 +0000",
        "30/Nov/2262:03:25:00 +0000",
        "[30/Nov/2026:03:25:00 +0000]",
    };

    check_bad(lk_time_clf, TEXTS, ROWS(TEXTS));
}

TEST(time_epoch_reads)
{
    static const good_case CASES[] = {
        { "0", 0, false },
        { "1796014671", 1796014671 * S, false },
        { "1796014671.488", 1796014671 * S + 488000000, true },
        { "1796014671.000", 1796014671 * S, true },
        { "1796014671.1234567891", 1796014671 * S + 123456789, true },
    };
    static const char *const TEXTS[] = { "", "-", "now", "1.", ".5", "1e9", "9300000000", "1 " };

    check_good(lk_time_epoch, CASES, ROWS(CASES));
    check_bad(lk_time_epoch, TEXTS, ROWS(TEXTS));
}

TEST(time_formats)
{
    static const struct {
        int64_t at_ns;
        const char *want;
    } CASES[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1796009100 * S + 310000000, "2026-11-30T03:25:00.310Z" },
        { 999999, "1970-01-01T00:00:00.000Z" }, /* cut, not rounded */
        { 1000000, "1970-01-01T00:00:00.001Z" },
        { -1, "1969-12-31T23:59:59.999Z" },
        { 951782399 * S, "2000-02-28T23:59:59.000Z" },
        { 951782400 * S, "2000-02-29T00:00:00.000Z" },
        { INT64_MAX, "2262-04-11T23:47:16.854Z" },
        { INT64_MIN, "1677-09-21T00:12:43.145Z" },
    };

    for (size_t i = 0; i < ROWS(CASES); i++) {
        char text[32];

        lk_time_format(CASES[i].at_ns, text);
        check(strcmp(text, CASES[i].want) == 0, "row %zu: %s", i, text);
    }
}

/* RFC 3339 reads back what is written, at odd steps over 570 years. */
TEST(time_formats_and_parses_back)
{
    const int64_t step = 90061 * 47 * S + 7 * LK_NS_PER_MS;

    for (int64_t at_ns = -9000000000 * S; at_ns < 9000000000 * S; at_ns += step) {
        char text[32];
        int64_t back = 0;
        bool fraction;

        lk_time_format(at_ns, text);
        check(lk_time_rfc3339(lk_slice_from(text), &back, &fraction), "%s", text);
        check(back == at_ns && fraction, "%s", text);
    }
}

/* No single wrong byte gets by unnoticed or is read outside the slice. */
TEST(time_clf_is_exact_under_mutation)
{
    static const char GOOD[] = "15/Jul/2025:12:00:00 +0545";
    int64_t want;

    assert_true(lk_time_clf(LK_SLICE(GOOD), &want, NULL));
    for (size_t i = 0; i < sizeof(GOOD) - 1; i++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char text[sizeof(GOOD)];
            int64_t got = want;

            memcpy(text, GOOD, sizeof(GOOD));
            text[i] = (char)byte;
            if (text[i] != GOOD[i] && lk_time_clf((lk_slice){ text, sizeof(GOOD) - 1 }, &got, NULL))
                check(got != want, "byte %zu = %02x", i, byte);
        }
    for (size_t len = 0; len < sizeof(GOOD) - 1; len++)
        check(!lk_time_clf((lk_slice){ GOOD, len }, &want, NULL), "length %zu", len);
}

TEST(time_reads_zones)
{
    static const struct { const char *text; bool ok; int64_t minutes; } ROW[] = {
        { "UTC", true, 0 },      { "Z", true, 0 },        { "+02:00", true, 120 },
        { "+0200", true, 120 },  { "-04:00", true, -240 }, { "+0545", true, 345 },
        { "-1200", true, -720 }, { "", false, 0 },        { "+2", false, 0 },
        { "02:00", false, 0 },   { "+24:00", false, 0 },  { "+02:60", false, 0 },
        { "+02-00", false, 0 },  { "+02:000", false, 0 }, { "Europe/Berlin", false, 0 },
        { "utc", false, 0 },     { "+0a:00", false, 0 },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        int64_t ahead = 7;

        check(lk_time_zone(lk_slice_from(ROW[i].text), &ahead) == ROW[i].ok, "row %zu: '%s'", i,
              ROW[i].text);
        check(!ROW[i].ok || ahead == ROW[i].minutes * 60 * LK_NS_PER_S, "row %zu: '%s'", i,
              ROW[i].text);
    }
}

static int64_t at(const char *rfc3339)
{
    int64_t at_ns = LK_TIME_NONE;

    check(lk_time_rfc3339(lk_slice_from(rfc3339), &at_ns, NULL), "'%s'", rfc3339);
    return at_ns;
}

TEST(time_finds_the_year_that_a_stamp_does_not_name)
{
    static const struct { const char *text, *near, *want; bool fraction; } ROW[] = {
        { "Nov 30 03:25:00", "2026-11-30T03:25:01Z", "2026-11-30T03:25:00Z", false },
        { "Nov  1 03:25:00", "2026-11-01T03:25:01Z", "2026-11-01T03:25:00Z", false },
        { "Nov 01 03:25:00.25", "2026-11-01T00:00:00Z", "2026-11-01T03:25:00.25Z", true },
        { "Dec 31 23:59:59", "2027-01-01T00:00:01Z", "2026-12-31T23:59:59Z", false },
        { "Jan  1 00:00:01", "2026-12-31T23:59:59Z", "2027-01-01T00:00:01Z", false },
        { "Feb 29 12:00:00", "2026-03-02T00:00:00Z", "2028-02-29T12:00:00Z", false },
        { "Feb 29 12:00:00", "2025-03-01T00:00:00Z", "2024-02-29T12:00:00Z", false },
        { "Feb 29 12:00:00", "2100-03-01T00:00:00Z", "2096-02-29T12:00:00Z", false },
        { "Dec 31 23:59:60", "2016-12-31T23:59:59Z", "2016-12-31T23:59:59.999999999Z", false },
    };

    for (size_t i = 0; i < ROWS(ROW); i++) {
        int64_t got = LK_TIME_NONE;
        bool fraction = !ROW[i].fraction;

        check(lk_time_yearless(lk_slice_from(ROW[i].text), at(ROW[i].near), &got, &fraction),
              "row %zu: '%s'", i, ROW[i].text);
        check(got == at(ROW[i].want), "row %zu: '%s': %lld", i, ROW[i].text, (long long)got);
        check(fraction == ROW[i].fraction, "row %zu", i);
    }
}

/* A log of eleven months, the file last written at its end. */
TEST(time_puts_a_yearless_stamp_before_the_time_of_its_file)
{
    int64_t file = at("2026-03-02T10:00:00Z"), got;

    check(lk_time_yearless(LK_SLICE("Mar  2 09:59:59"), file - LK_TIME_HALF_YEAR_NS, &got, NULL) &&
              got == at("2026-03-02T09:59:59Z"), "the last line");
    check(lk_time_yearless(LK_SLICE("Apr  1 00:00:00"), file - LK_TIME_HALF_YEAR_NS, &got, NULL) &&
              got == at("2025-04-01T00:00:00Z"), "the first line");
}

TEST(time_refuses_what_is_no_yearless_stamp)
{
    static const char *const TEXTS[] = {
        "", "Nov 30", "Nov 31 00:00:00", "Nov  0 00:00:00", "nov 30 03:25:00", "Nov 3  03:25:00",
        "Nov 30 24:00:00", "Nov 30 03:25:00.", "Nov 30 03:25:00 ", "Nov 30 2026 03:25:00",
        "Feb 30 00:00:00", "Nov 30 03:25:61",
    };

    for (size_t i = 0; i < ROWS(TEXTS); i++) {
        int64_t at_ns = 42;

        check(!lk_time_yearless(lk_slice_from(TEXTS[i]), 0, &at_ns, NULL) && at_ns == 42, "'%s'",
              TEXTS[i]);
    }
}

TESTS(T(time_finds_the_year_that_a_stamp_does_not_name),
      T(time_puts_a_yearless_stamp_before_the_time_of_its_file),
      T(time_refuses_what_is_no_yearless_stamp), T(time_reads_zones), T(time_days_follow_the_calendar), T(time_days_have_known_values), T(time_rfc3339_reads),
      T(time_rfc3339_refuses), T(time_clf_reads), T(time_clf_refuses), T(time_epoch_reads),
      T(time_formats), T(time_formats_and_parses_back), T(time_clf_is_exact_under_mutation))
