/* api/reading — how log lines are to be read: what the options say of formats, zones and times.
 *
 * Owner:  the formats and paths live in the arena.
 * Errors: EUSAGE a time, zone, format or key that cannot be; EOOM.  */
#ifndef LK_API_READING_H
#define LK_API_READING_H

#include "api/naming.h"
#include "base/arena.h"
#include "base/zone.h"
#include "format/custom.h"
#include "format/filter.h"
#include "format/layout.h"
#include "format/unwrap.h"
#include "input/lines.h"
#include "lockstep/lockstep.h"

enum { LK_REJECTIONS_MAX = 4 };

typedef enum lk_by { LK_BY_NONE = 0, LK_BY_HOST, LK_BY_TARGET, LK_BY_CALLER } lk_by;

typedef struct lk_reading {
    lk_meter *meter; /* NULL = nobody looks on */
    int64_t since_ns, until_ns; /* LK_TIME_NONE = open; since inclusive, until exclusive */
    size_t peek_bytes;          /* of each file, decompressed, to tell how it is read */
    size_t unpack_room; /* bytes that what unpacks a file may take; 0 = as usual */
    lk_zone zone;               /* of stamps that name none */
    bool has_zone;              /* it was given                         */
    size_t max_line;            /* bytes of the longest line            */
    const lk_custom *custom;    /* the format that was given, or NULL   */
    const lk_format *forced;    /* the format that was named, or NULL   */
    const char *caller;         /* the field that names callers, or NULL */
    const lk_json_paths *paths; /* of JSON members; NULL = known ones   */
    bool keep_query;
    bool is_strict; /* of a compressed file what its checks vouch for only */
    lk_by by; /* which field the report is broken down by */
    lk_filter filter; /* count 0 = none */
    lk_naming naming;           /* fields of the log's own that options name */
    lk_filter *rejections; /* [rejection_count] of which one must fit; 0 = by status */
    size_t rejection_count;
} lk_reading;

LK_MUST_CHECK lk_code lk_reading_init(lk_reading *r, const lockstep_options *options,
                                      lk_arena *arena, lk_err *e);

/* "host", ... */
const char *lk_by_name(lk_by by);

/* Of many files less is peeked of each. */
void lk_reading_share_peek(lk_reading *r, size_t files);

/* Tells a sniffer what is known beforehand; after its init. */
void lk_reading_prepare(const lk_reading *r, lk_sniffer *s);

/* Ready for the lines of a file that was changed then (LK_TIME_NONE = not known); lk_unwrap_release. */
void lk_reading_unwrap(const lk_reading *r, int64_t changed_ns, lk_unwrap *u);

/* Shows one line of the start of a file, out of its wrappers, to the sniffer. */
void lk_reading_sniff(const lk_reading *r, lk_unwrap *u, lk_parse_cache *c, const lk_line *line,
                      lk_sniffer *s);

/* The same for the number that --attempt-no names, with a second cache. */
void lk_reading_sniff_attempt(const lk_reading *r, lk_unwrap *u, lk_parse_cache *c,
                              lk_parse_cache *side, const lk_line *line, lk_sniffer *s);

/* How lines are read: as was asked, else as the sniffer saw them. */
void lk_reading_decide(const lk_reading *r, const lk_sniffer *s, lk_layout *out);

#endif
