#include "unit.h"

#include "base/time.h"
#include "base/zone_file.h"

#include <stdlib.h>

static int64_t at(const char *rfc3339)
{
    int64_t at_ns = LK_TIME_NONE;

    check(lk_time_rfc3339(lk_slice_from(rfc3339), &at_ns, NULL), "'%s'", rfc3339);
    return at_ns;
}

/* What a clock on the wall shows, written as if it were UTC. */
static int64_t wall(const char *text)
{
    char with_zone[48];

    (void)snprintf(with_zone, sizeof(with_zone), "%sZ", text);
    return at(with_zone);
}

static const char FOLDER[] = "testdata/zone";

static lk_zone open_zone(const char *text, lk_arena *a)
{
    lk_err e = { 0 };
    lk_zone z;

    check_ok(lk_zone_open(text, FOLDER, a, &z, &e), e);
    return z;
}

typedef struct wall_row {
    const char *zone, *wall;
    unsigned count;
    const char *first, *last;
} wall_row;

/* clang-format off */
static const wall_row WALLS[] = {
    { "UTC",           "2026-07-01T12:00:00", 1, "2026-07-01T12:00:00Z", NULL },
    { "+05:45",        "2026-07-01T12:00:00", 1, "2026-07-01T06:15:00Z", NULL },
    { "Europe/Berlin", "2026-07-01T12:00:00", 1, "2026-07-01T10:00:00Z", NULL },
    { "Europe/Berlin", "2026-12-01T12:00:00", 1, "2026-12-01T11:00:00Z", NULL },
    { "Europe/Berlin", "2026-10-25T01:59:59", 1, "2026-10-24T23:59:59Z", NULL },
    { "Europe/Berlin", "2026-10-25T02:00:00", 2, "2026-10-25T00:00:00Z", "2026-10-25T01:00:00Z" },
    { "Europe/Berlin", "2026-10-25T02:59:59", 2, "2026-10-25T00:59:59Z", "2026-10-25T01:59:59Z" },
    { "Europe/Berlin", "2026-10-25T03:00:00", 1, "2026-10-25T02:00:00Z", NULL },
    { "Europe/Berlin", "2026-03-29T01:59:59", 1, "2026-03-29T00:59:59Z", NULL },
    { "Europe/Berlin", "2026-03-29T02:30:00", 0, "2026-03-29T01:30:00Z", NULL },
    { "Europe/Berlin", "2026-03-29T03:00:00", 1, "2026-03-29T01:00:00Z", NULL },
    /* past the changes that the file lists, and before */
    { "Europe/Berlin", "2055-07-01T12:00:00", 1, "2055-07-01T10:00:00Z", NULL },
    { "Europe/Berlin", "2055-10-31T02:30:00", 2, "2055-10-31T00:30:00Z", "2055-10-31T01:30:00Z" },
    { "Europe/Berlin", "1972-07-01T12:00:00", 1, "1972-07-01T11:00:00Z", NULL },
    { "America/New_York", "2026-11-01T01:30:00", 2, "2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z" },
    { "America/New_York", "2026-03-08T02:30:00", 0, "2026-03-08T07:30:00Z", NULL },
    { "America/New_York", "1974-01-20T12:00:00", 1, "1974-01-20T16:00:00Z", NULL }, /* the oil crisis */
    { "Australia/Lord_Howe", "2026-04-05T01:45:00", 2, "2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z" },
    { "Australia/Lord_Howe", "2026-10-04T02:15:00", 0, "2026-10-03T15:45:00Z", NULL },
    { "Pacific/Apia",  "2011-12-29T23:59:59", 1, "2011-12-30T09:59:59Z", NULL },
    { "Pacific/Apia",  "2011-12-30T12:00:00", 0, "2011-12-30T22:00:00Z", NULL }, /* a day left out */
    { "Pacific/Apia",  "2011-12-31T00:00:00", 1, "2011-12-30T10:00:00Z", NULL },
    { "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T02:30:00", 2, "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z" },
    { "EST5EDT",       "2026-07-01T12:00:00", 1, "2026-07-01T16:00:00Z", NULL },
    { "<+0330>-3:30",  "2026-07-01T12:00:00", 1, "2026-07-01T08:30:00Z", NULL },
    { "NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-01-01T12:00:00", 1, "2025-12-31T23:00:00Z", NULL },
    { "NZST-12NZDT,M9.5.0,M4.1.0/3", "2026-04-05T02:30:00", 2, "2026-04-04T13:30:00Z", "2026-04-04T14:30:00Z" },
    { "AAA3BBB,J60,J300",  "2024-03-01T01:59:59", 1, "2024-03-01T04:59:59Z", NULL }, /* J60 = 1 March */
    { "AAA3BBB,J60,J300",  "2024-03-01T02:30:00", 0, "2024-03-01T05:30:00Z", NULL },
    { "AAA3BBB,59,300",    "2024-02-29T02:30:00", 0, "2024-02-29T05:30:00Z", NULL },
    { "AAA3BBB,0/0,J365/25", "2026-12-31T23:59:59", 1, "2027-01-01T01:59:59Z", NULL }, /* all the year */
    { "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-28T23:30:00", 0, "2026-03-29T01:30:00Z", NULL }, /* on Saturday */
};
/* clang-format on */

TEST(zone_gives_the_instants_of_local_times)
{
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(WALLS); i++) {
        const wall_row *r = &WALLS[i];
        lk_zone z = open_zone(r->zone, &a);
        lk_zone_local l = lk_zone_local_of(&z, wall(r->wall) + 7);

        check(l.count == r->count, "row %zu: %u", i, l.count);
        check(l.at_ns[0] == at(r->first) + 7, "row %zu: %lld", i,
              (long long)(l.at_ns[0] - at(r->first)));
        check(l.at_ns[1] == at(r->last ? r->last : r->first) + 7, "row %zu", i);
    }
    lk_arena_release(&a);
}

/* Each instant is among those of what the wall showed then; the clock of an orderly log finds it. */
TEST(zone_reads_an_orderly_log_through_all_changes)
{
    static const char *const ZONES[] = { "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
                                         "NZST-12NZDT,M9.5.0,M4.1.0/3", "+02:00" };
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(ZONES); i++) {
        lk_zone z = open_zone(ZONES[i], &a);
        lk_wall_clock c;
        int64_t ahead_ns = 0, step = 11 * 60 * LK_NS_PER_S;

        lk_wall_clock_init(&c, &z);
        for (int64_t t = at("2025-01-01T00:00:00Z"); t < at("2027-01-01T00:00:00Z"); t += step) {
            lk_zone_local l;

            /* the offset at t, by looking for it among all that there are */
            for (ahead_ns = -14 * 4; ahead_ns <= 14 * 4; ahead_ns++) {
                l = lk_zone_local_of(&z, t + ahead_ns * 15 * 60 * LK_NS_PER_S);
                if (l.count > 0 && (l.at_ns[0] == t || l.at_ns[1] == t))
                    break;
            }
            check(ahead_ns <= 14 * 4, "%s: no local time at %lld", ZONES[i], (long long)t);
            check(lk_wall_clock_read(&c, t + ahead_ns * 15 * 60 * LK_NS_PER_S) == t, "%s: %lld",
                  ZONES[i], (long long)t);
        }
        check(c.skipped == 0 && !c.guessed, "%s", ZONES[i]);
        check((c.repeated > 0) == (i < 4), "%s", ZONES[i]);
    }
    lk_arena_release(&a);
}

typedef struct begin_row {
    const char *first, *top;
    bool stepped, guessed;
    const char *want;
} begin_row;

/* clang-format off */
static const begin_row BEGINS[] = {
    { "2026-10-25T02:30:00", "2026-10-25T02:59:59", true,  false, "2026-10-25T00:30:00Z" },
    { "2026-10-25T02:30:00", "2026-10-25T03:10:00", false, false, "2026-10-25T01:30:00Z" },
    { "2026-10-25T02:30:00", "2026-10-25T02:50:00", false, true,  "2026-10-25T00:30:00Z" },
    { "2026-10-25T01:30:00", "2026-10-25T02:50:00", false, false, "2026-10-24T23:30:00Z" },
};
/* clang-format on */

TEST(wall_clock_tells_in_which_hour_a_log_begins)
{
    lk_arena a;
    lk_zone z;

    lk_arena_init(&a, 0);
    z = open_zone("Europe/Berlin", &a);
    for (size_t i = 0; i < ROWS(BEGINS); i++) {
        const begin_row *r = &BEGINS[i];
        lk_wall_clock c;

        lk_wall_clock_init(&c, &z);
        lk_wall_clock_foresee(&c, wall(r->first), wall(r->top), r->stepped);
        check(lk_wall_clock_read(&c, wall(r->first)) == at(r->want), "row %zu", i);
        check(c.guessed == r->guessed, "row %zu", i);
    }
    lk_arena_release(&a);
}

TEST(wall_clock_keeps_late_lines_on_their_side_of_the_change)
{
    lk_arena a;
    lk_wall_clock c;
    lk_zone z;

    lk_arena_init(&a, 0);
    z = open_zone("Europe/Berlin", &a);
    lk_wall_clock_init(&c, &z);
    (void)lk_wall_clock_read(&c, wall("2026-10-25T02:59:50"));
    assert_int_equal(lk_wall_clock_read(&c, wall("2026-10-25T02:00:01")), at("2026-10-25T01:00:01Z"));
    assert_int_equal(lk_wall_clock_read(&c, wall("2026-10-25T02:59:55")), at("2026-10-25T00:59:55Z"));
    assert_int_equal(lk_wall_clock_read(&c, wall("2026-10-25T02:00:05")), at("2026-10-25T01:00:05Z"));
    assert_int_equal(c.repeated, 4);
    lk_arena_release(&a);
}

TEST(zone_open_refuses_what_is_no_zone)
{
    static const struct { const char *text, *says; } ROW[] = {
        { "", "is not known" },
        { "Europe/Berln", "did you mean 'Europe/Berlin'?" },
        { "berlin", "did you mean 'Europe/Berlin'?" },
        { "new_york", "did you mean 'America/New_York'?" },
        { "Europe", "is not known" }, /* a folder */
        { "../zone/Europe/Berlin", "is not known" },
        { "/usr/share/zoneinfo/UTC", "is not known" },
        { "Europe//Berlin", "did you mean 'Europe/Berlin'?" },
        { "CET", "is not known" }, /* without an offset */
        { "CET-1CEST,M3.5.0", "is not known" },
        { "CET-1CEST,M13.5.0,M10.5.0", "is not known" },
        { "CET-1CEST,M3.5.7,M10.5.0", "is not known" },
        { "CET-1CEST,M3.5.0,M10.5.0/168", "is not known" },
        { "CET-1CEST,J0,J9", "is not known" },
        { "CET-1CEST,M3.5.0,M10.5.0 ", "is not known" },
        { "CE-1", "is not known" },
        { "CET-25", "is not known" },
        { "<CET-1", "is not known" },
    };
    lk_arena a;

    lk_arena_init(&a, 0);
    for (size_t i = 0; i < ROWS(ROW); i++) {
        lk_err e = { 0 };
        lk_zone z;

        check(lk_zone_open(ROW[i].text, FOLDER, &a, &z, &e) == LK_EUSAGE, "row %zu", i);
        check(strstr(e.msg, ROW[i].says), "row %zu: %s", i, e.msg);
    }
    lk_arena_release(&a);
}

/* Every cut and every changed byte of a file: a zone or an error. */
TEST(zone_from_tzif_bears_damage)
{
    FILE *file = fopen("testdata/zone/Pacific/Apia", "rb");
    char bytes[4096], *copy;
    size_t len;
    lk_arena a;

    check(file, "no file");
    len = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    lk_arena_init(&a, 0);
    for (size_t i = 0; i <= len * 2; i++) {
        size_t keep = i <= len ? i : len;
        lk_err e = { 0 };
        lk_zone z;

        copy = test_malloc(keep + 1);
        memcpy(copy, bytes, keep);
        if (i > len)
            copy[i - len - 1] = (char)~copy[i - len - 1];
        if (lk_zone_from_tzif((lk_slice){ copy, keep }, &a, &z, &e) == LK_OK)
            (void)lk_zone_local_of(&z, at("2011-12-30T12:00:00Z"));
        else
            check(e.code == LK_EDATA, "%zu", i);
        test_free(copy);
    }
    lk_arena_release(&a);
}

TESTS(T(zone_gives_the_instants_of_local_times), T(zone_reads_an_orderly_log_through_all_changes),
      T(wall_clock_tells_in_which_hour_a_log_begins),
      T(wall_clock_keeps_late_lines_on_their_side_of_the_change),
      T(zone_open_refuses_what_is_no_zone), T(zone_from_tzif_bears_damage))
