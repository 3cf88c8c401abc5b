#include "format/value.h"
#include "unit.h"

#include "base/time.h"

/* clang-format off */
static const struct { const char *text; lk_shape shape; } SHAPES[] = {
    { "",                                        LK_SHAPE_ABSENT },
    { "-",                                       LK_SHAPE_ABSENT },
    { "1796014671.488",                          LK_SHAPE_MSEC },
    { "1796014671",                              LK_SHAPE_WHOLE },
    { "1796014671.4881",                         LK_SHAPE_REAL },
    { "0.250",                                   LK_SHAPE_REAL },
    { "12.000",                                  LK_SHAPE_REAL },
    { "0.045490",                                LK_SHAPE_REAL },
    { "2.31",                                    LK_SHAPE_DECIMAL }, /* $gzip_ratio */
    { "0.5",                                     LK_SHAPE_DECIMAL },
    { "12",                                      LK_SHAPE_WHOLE },
    { "0",                                       LK_SHAPE_WHOLE },
    { "12.",                                     LK_SHAPE_OTHER },
    { "attempt=2; max=3",                        LK_SHAPE_ATTEMPT },
    { "ttl=20261130T032500Z; attempt=1; max=3",  LK_SHAPE_ATTEMPT },
    { "attempt=; max=3",                         LK_SHAPE_OTHER },
    { "5f1e9a3c7b20d4681c66a07b2a000000",        LK_SHAPE_IDENT },
    { "e74199c4-3e61-40b1-8b3b-377aa2a1f0dc",    LK_SHAPE_IDENT },
    { "44bf1671",                                LK_SHAPE_IDENT },
    { "12345678901234567",                       LK_SHAPE_IDENT },
    { "awzs3l-oyhDl5NwRwgzhHAAAAAA",             LK_SHAPE_IDENT },
    { "01HF3Z9QK5V7T2M8XW4N",                    LK_SHAPE_IDENT },
    { "task-0065",                               LK_SHAPE_WORD },
    { "batch1-052",                              LK_SHAPE_WORD },
    { "stainless-node-retry-8d0a1234",           LK_SHAPE_WORD },
    { "tenant:1234",                             LK_SHAPE_WORD },
    { "2026-11-30",                              LK_SHAPE_WORD },
    { "12:00",                                   LK_SHAPE_OTHER },
    { "2026-11-30T03:25:00Z",                    LK_SHAPE_OTHER },
    { "2001:db8::5",                             LK_SHAPE_OTHER },
    { "127.0.0.1:9101",                          LK_SHAPE_OTHER },
    { "www.example.com",                         LK_SHAPE_OTHER },
    { "TLSv1.3",                                 LK_SHAPE_OTHER },
    { "Wed, 21 Oct 2026 07:28:00 GMT",           LK_SHAPE_OTHER },
    { "0.005, 0.002",                            LK_SHAPE_OTHER },
    { "deadbeef-cafe",                           LK_SHAPE_OTHER },   /* letters only: words */
    { "3f1c",                                    LK_SHAPE_OTHER },
    { "OK",                                      LK_SHAPE_OTHER },
    { "123ms",                                   LK_SHAPE_SPAN },
    { "0.123s",                                  LK_SHAPE_SPAN },
    { "12.5 ms",                                 LK_SHAPE_SPAN },
    { "7001\xc2\xb5s",                           LK_SHAPE_SPAN },
    { "12msx",                                   LK_SHAPE_OTHER },
    { "1m",                                      LK_SHAPE_OTHER }, /* a million as well */
    { "3/3123456",                               LK_SHAPE_OTHER },
};

static const struct { const char *text; int64_t ns; } SECONDS[] = { /* -1 = refused */
    { "0.250",      250 * LK_NS_PER_MS },
    { "12",         12 * LK_NS_PER_S },
    { "0",          0 },
    { "5e-05",      50000 },
    { "1.5E-3",     1500000 },
    { "2e2",        200 * LK_NS_PER_S },
    { "1e+1",       10 * LK_NS_PER_S },
    { "0e99999999", 0 },
    { "1e-99999999", 0 },
    { "100000000",  INT64_C(100000000) * LK_NS_PER_S },
    { "100000001",  -1 },
    { "1e99999999", -1 },
    { "1e",         -1 },
    { "e5",         -1 },
    { "-0.5",       -1 },
    { "1.2.3",      -1 },
    { "0.005, 0.002", -1 },
    { "-",          -1 },
    { "",           -1 },
};

static const struct { const char *text; int64_t ns; } SPANS[] = {
    { "12ms",         12 * LK_NS_PER_MS },
    { "1.5s",         1500 * LK_NS_PER_MS },
    { "340us",        340000 },
    { "340\xc2\xb5s", 340000 },
    { "1.234\xce\xbcs", 1234 },
    { "17ns",         17 },
    { "0s",           0 },
    { "2m3.5s",       INT64_C(123500) * LK_NS_PER_MS },
    { "1h0m0s",       3600 * LK_NS_PER_S },
    { "1.5h",         5400 * LK_NS_PER_S },
    { "",             -1 },
    { "12",           -1 },
    { "ms",           -1 },
    { "-1ms",         -1 },
    { "1..2s",        -1 },
    { "12msx",        -1 },
    { "99999999999999999999s", -1 },
    { "9000000000h",  -1 },
};

static const struct { const char *text; int64_t at_ns; bool fraction; } EPOCHS[] = { /* -1 = refused */
    { "1796014671.488",       INT64_C(1796014671488000000), true },
    { "1796014671",           INT64_C(1796014671000000000), false },
    { "1796014671488",        INT64_C(1796014671488000000), true },
    { "1796014671488123",     INT64_C(1796014671488123000), true },
    { "1796014671488123456",  INT64_C(1796014671488123456), true },
    { "99999999999999999999", -1, false },
    { "1796014671488.5",      -1, false },
    { "-5",                   -1, false },
    { "12:00",                -1, false },
    { "",                     -1, false },
};

static const struct { const char *text; bool ok; int32_t no, max; } ATTEMPTS[] = {
    { "attempt=2; max=3",                       true,  2, 3 },
    { "attempt=2;max=3",                        true,  2, 3 },
    { "attempt=12",                             true, 12, 0 },
    { "ttl=20261130T032500Z; attempt=1; max=5", true,  1, 5 },
    { "max=3; attempt=4",                       true,  4, 3 },
    { "attempt=1; max=x",                       true,  1, 0 },
    { "attempt=99999999999; max=3",             false, 0, 3 },
    { "attempt=-1; max=3",                      false, 0, 3 },
    { "reattempt=2; max=3",                     false, 0, 3 },
    { "attempt=",                               false, 0, 0 },
    { "2",                                      false, 0, 0 },
};
/* clang-format on */

TEST(value_tells_shapes)
{
    for (size_t i = 0; i < ROWS(SHAPES); i++) {
        lk_shape shape = lk_value_shape(lk_slice_from(SHAPES[i].text));

        check(shape == SHAPES[i].shape, "'%s': %d, not %d", SHAPES[i].text, (int)shape,
              (int)SHAPES[i].shape);
    }
}

TEST(value_reads_seconds)
{
    for (size_t i = 0; i < ROWS(SECONDS); i++) {
        int64_t ns = -1;

        check(lk_value_seconds(lk_slice_from(SECONDS[i].text), &ns) == (SECONDS[i].ns >= 0), "'%s'",
              SECONDS[i].text);
        check(ns == SECONDS[i].ns, "'%s': %lld", SECONDS[i].text, (long long)ns);
    }
}

TEST(value_reads_durations_with_their_units)
{
    for (size_t i = 0; i < ROWS(SPANS); i++) {
        int64_t ns = -1;

        check(lk_value_span(lk_slice_from(SPANS[i].text), &ns) == (SPANS[i].ns >= 0), "'%s'",
              SPANS[i].text);
        check(ns == SPANS[i].ns, "'%s': %lld", SPANS[i].text, (long long)ns);
    }
}

TEST(value_reads_seconds_with_microseconds)
{
    uint64_t s = 0, us = 0;

    check(lk_value_seconds_us(LK_SLICE("**3/3123456**"), &s, &us) && s == 3 && us == 3123456, "3 s");
    check(lk_value_seconds_us(LK_SLICE("0/45"), &s, &us) && s == 0 && us == 45, "45 us");
    check(!lk_value_seconds_us(LK_SLICE("1/2/3"), &s, &us), "three");
    check(!lk_value_seconds_us(LK_SLICE("a/1"), &s, &us), "no number");
    check(!lk_value_seconds_us(LK_SLICE("9223372036/9223372036854775"), &s, &us), "three hundred years");
    check(!lk_value_seconds_us(LK_SLICE("/"), &s, &us) && !lk_value_seconds_us(LK_SLICE("***"), &s, &us) &&
              !lk_value_seconds_us(LK_SLICE_NONE, &s, &us), "nothing");
}

TEST(value_reads_instants_in_any_unit)
{
    for (size_t i = 0; i < ROWS(EPOCHS); i++) {
        int64_t at_ns = -1;
        bool fraction = false;

        check(lk_value_epoch(lk_slice_from(EPOCHS[i].text), &at_ns, &fraction) ==
                  (EPOCHS[i].at_ns >= 0),
              "'%s'", EPOCHS[i].text);
        check(at_ns == EPOCHS[i].at_ns && fraction == EPOCHS[i].fraction, "'%s': %lld",
              EPOCHS[i].text, (long long)at_ns);
    }
}

TEST(value_reads_attempts)
{
    for (size_t i = 0; i < ROWS(ATTEMPTS); i++) {
        int32_t no = 0, max = 0;

        check(lk_value_attempt(lk_slice_from(ATTEMPTS[i].text), &no, &max) == ATTEMPTS[i].ok,
              "'%s'", ATTEMPTS[i].text);
        check(no == ATTEMPTS[i].no && max == ATTEMPTS[i].max, "'%s': %d of %d", ATTEMPTS[i].text,
              (int)no, (int)max);
    }
}

TESTS(T(value_tells_shapes), T(value_reads_seconds),
      T(value_reads_durations_with_their_units), T(value_reads_seconds_with_microseconds), T(value_reads_instants_in_any_unit),
      T(value_reads_attempts))
