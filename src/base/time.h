/* base/time — instants as int64 nanoseconds since the Unix epoch, UTC, no leap seconds.
 *
 * Errors: parsers give false on anything that is not exactly the form they name.
 * Source: RFC 3339; days from civil dates by the proleptic Gregorian calendar.  */
#ifndef LK_BASE_TIME_H
#define LK_BASE_TIME_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

#define LK_NS_PER_S INT64_C(1000000000)
#define LK_NS_PER_MS INT64_C(1000000)
#define LK_TIME_NONE INT64_MIN /* an instant that is not known */
#define LK_STAMP_MAX_NS (INT64_C(7952342400) * LK_NS_PER_S) /* 2222-01-01: no log has a later one */
#define LK_TIME_HALF_YEAR_NS (INT64_C(182) * 86400 * LK_NS_PER_S)

/* The quotient, rounded down; b > 0. */
static inline int64_t lk_floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t lk_days_from_civil(int year, unsigned month, unsigned day); /* 1970-01-01 = 0 */
/* Its inverse for the years 1677 to 2262, all that an instant can say. */
void lk_civil_from_days(int64_t days, unsigned *year, unsigned *month, unsigned *day);

/* RFC 3339: date, 'T', 't' or ' ', time, optional fraction, 'Z' or +hh:mm (or +hhmm); second 60 is
 * read as 59.999...  *fraction (may be NULL): sub-second digits were present.  No zone -> false. */
bool lk_time_rfc3339(lk_slice s, int64_t *at_ns, bool *fraction);

/* "15/Jul/2025:12:00:00 +0545", optionally with .mmm after the seconds; same outputs. */
bool lk_time_clf(lk_slice s, int64_t *at_ns, bool *fraction);

/* "Nov 30 03:25:00" or "Nov  1 03:25:00.123", the day padded by a blank or a zero: local time without
 * a year, read as if UTC, in that year which brings it nearest to near_ns, an instant of the same local
 * time: a stamp inside the line, a neighbour's.  Where that is the time of a file, which none of its
 * stamps is after, pass LK_TIME_HALF_YEAR_NS less.  29 February takes the nearest leap year. */
bool lk_time_yearless(lk_slice s, int64_t near_ns, int64_t *at_ns, bool *fraction);

/* "UTC", "Z", "+02:00", "+0200", "-04:00": what local time is ahead of UTC, in ns. */
bool lk_time_zone(lk_slice s, int64_t *ahead_ns);

/* An HTTP-date in its three spellings: "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37
 * GMT" (a year of two digits is of 1970 to 2069), "Sun Nov  6 08:49:37 1994".  Names of days are not
 * checked.  Source: RFC 9110, 5.6.7. */
bool lk_time_http(lk_slice s, int64_t *at_ns);

/* Unix seconds with optional fraction ("1796014671.488"). */
bool lk_time_epoch(lk_slice s, int64_t *at_ns, bool *fraction);

/* "2026-11-30T03:25:00.310Z", always milliseconds; out holds at least 32 bytes. */
void lk_time_format(int64_t at_ns, char *out);

#endif
