/* base/zone_rule — summer time by a rule: "CET-1CEST,M3.5.0,M10.5.0/3".
 *
 * Units:  seconds; offsets east of UTC, unlike those in the text.
 * Source: POSIX.1-2008, environment variable TZ; RFC 8536 3.3.1: times of a rule from -167 to 167 h;
 *         a rule that is not given is that of the United States since 2007, as the C libraries take it.  */
#ifndef LK_BASE_ZONE_RULE_H
#define LK_BASE_ZONE_RULE_H

#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum lk_zone_day {
    LK_ZONE_DAY_OF_YEAR,    /* 0..365, 29 February counts         */
    LK_ZONE_DAY_NOT_LEAP,   /* 1..365, 29 February never counts   */
    LK_ZONE_DAY_OF_WEEK     /* week 1..5 (5 = last) of a month    */
} lk_zone_day;

typedef struct lk_zone_date {
    lk_zone_day kind;
    int day;           /* of the year, or of the week: 0 = Sunday */
    int week, month;
    int32_t at_s;      /* local time of that day                  */
} lk_zone_date;

typedef struct lk_zone_rule {
    int32_t ahead_s, summer_ahead_s;
    bool has_summer;
    lk_zone_date begin, end; /* of summer: begin in standard time, end in summer time */
} lk_zone_rule;

/* The offset that holds at an instant, and for how long. */
typedef struct lk_zone_span {
    int64_t from_s, until_s; /* [from, until), Unix seconds; INT64_MIN and INT64_MAX = for ever */
    int32_t ahead_s;
} lk_zone_span;

/* The whole slice. */
bool lk_zone_rule_parse(lk_slice text, lk_zone_rule *out);

/* at_s between the years 1678 and 2261. */
lk_zone_span lk_zone_rule_span(const lk_zone_rule *r, int64_t at_s);

#endif
