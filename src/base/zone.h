/* base/zone — a time zone with its summer times, and the instants of its local times.
 *
 * A zone is what a TZif file says: changes of the offset, then a rule for the time after the last of
 * them.  Nothing here opens a file.
 *
 * Units:  instants and local times in ns; a local time is what a clock on the wall shows, as if UTC.
 * Owner:  the arrays live in the arena.
 * Errors: EDATA the bytes are no TZif that we can read; EOOM.
 * Source: RFC 8536 (TZif, versions 1 to 4); leap-second ("right/") files are refused.  */
#ifndef LK_BASE_ZONE_H
#define LK_BASE_ZONE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/zone_rule.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lk_zone {
    size_t count;
    const int64_t *change_s; /* [count] increasing */
    const int32_t *ahead_s;  /* [count] from that change on */
    int32_t first_ahead_s;   /* before the first of them */
    bool has_rule;           /* from the last of them on, or for ever when count is 0 */
    lk_zone_rule rule;
} lk_zone;

void lk_zone_fixed(lk_zone *z, int64_t ahead_ns);
LK_MUST_CHECK lk_code lk_zone_from_tzif(lk_slice bytes, lk_arena *a, lk_zone *out, lk_err *e);

/* How a clock on the wall comes to show a time. */
typedef struct lk_zone_local {
    unsigned count;   /* 1; 2 where clocks were set back: it came twice; 0 where they were set forward */
    int64_t at_ns[2]; /* the first and the last of them; of none: by the offset before the change */
    /* Where count is 1: local times in [from_ns, until_ns) are the same distance from UTC. */
    int64_t from_ns, until_ns;
} lk_zone_local;

lk_zone_local lk_zone_local_of(const lk_zone *z, int64_t local_ns);

/* Reads the local times of one log in their order.  A time that came twice is the one nearer to the
 * latest instant before it in the log; the first line's is the first, unless what follows it shows that
 * the log begins in the repeat. */
typedef struct lk_wall_clock {
    const lk_zone *zone;
    bool told, second;               /* what a log shows that begins in an hour that came twice */
    int64_t latest_ns;               /* LK_TIME_NONE = nothing read      */
    int64_t from_ns, until_ns;       /* local times that are ahead_ns    */
    int64_t ahead_ns;
    uint64_t repeated, skipped;      /* times that came twice; that never were */
    bool guessed;                    /* the log does not show which hour it begins in */
} lk_wall_clock;

void lk_wall_clock_init(lk_wall_clock *c, const lk_zone *zone);
/* The log begins at first_ns and goes on to top_ns, from where it steps back far (stepped) or not as
 * far as was looked. */
void lk_wall_clock_foresee(lk_wall_clock *c, int64_t first_ns, int64_t top_ns, bool stepped);
int64_t lk_wall_clock_read(lk_wall_clock *c, int64_t local_ns);

#endif
