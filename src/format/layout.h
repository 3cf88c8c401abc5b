/* format/layout — how the lines of one file are read: its format and the meaning of its columns.
 *
 * A sniffer is fed the first lines of a file and decides; sniffers of several files of one shape
 * are merged first, so that a log cut in pieces is read as the whole would be.  All of its evidence
 * is sums, unions and samples by hash, so that order does not matter.
 *
 * Shapes: trailing columns of a combined line are told by shape and content: $msec, request time,
 *         "attempt=2; max=3", call ids, a 0-based retry counter, Retry-After, lists of upstreams;
 *         JSON members and columns key=value by their keys.  Up to LK_IDS id columns or keys, each
 *         with a slot of its own; a slot may be given to a column that held nothing so far, and
 *         then it may stay empty to the end.
 * Owner:  plain data, no allocation; both structs may be copied.
 * Cost:   a sniffer is about 22 KiB.
 * Source: FORMATS of nginx, Apache httpd and the usual nginx JSON keys (lockstep-formats(5)).  */
#ifndef LK_FORMAT_LAYOUT_H
#define LK_FORMAT_LAYOUT_H

#include "format/cache.h"
#include "format/fields.h"
#include "format/json_paths.h"

enum {
    LK_FORMATS_MAX = 40,
    LK_COLUMNS_MAX = 32,
    LK_COLUMN_SAMPLE = 64, /* values of a column whose repetitions are counted */
    LK_ID_KEYS_MAX = 48,   /* rows of ids in the table of JSON keys            */
    LK_ID_NAME_MAX = 48,
    LK_KEY_WORDS = 4 /* 64 rows of the table of JSON keys each */
};

typedef enum lk_role {
    LK_ROLE_IGNORE = 0,      /* of no use                                                  */
    LK_ROLE_OPEN,            /* '-' on every line so far: told by its value when it has one */
    LK_ROLE_TOOK,            /* request time in seconds                                    */
    LK_ROLE_MSEC,            /* Unix time with milliseconds                                */
    LK_ROLE_ID,              /* candidate call id                                          */
    LK_ROLE_ATTEMPT,         /* "attempt=2; max=3"                                         */
    LK_ROLE_RETRIES,         /* retries so far, 0-based                                    */
    LK_ROLE_RETRY_AFTER,     /* seconds                                                    */
    LK_ROLE_UPSTREAM_STATUS, /* nginx's list of statuses, one a try of an upstream         */
    LK_ROLE_UPSTREAM_TOOK,   /* the list of times that goes with it                        */
    LK_ROLE_TOOK_MS,         /* of key=value columns only, as the next two                 */
    LK_ROLE_RETRY_AFTER_MS,
    LK_ROLE_HOST,
    LK_ROLE_TOOK_US,         /* request time in whole microseconds, Apache's %D            */
    LK_ROLE_STAMP,           /* the stamp once more, in whole milliseconds or microseconds */
    LK_ROLE_TOOK_PAIR,       /* request time as "seconds/microseconds"                     */
    LK_ROLE_CONNECTION       /* Apache's %X: "X" the client left, "+" kept alive, "-" closed */
} lk_role;

struct lk_format;
struct lk_custom;

typedef struct lk_layout {
    const struct lk_format *format; /* NULL = not recognised */
    lk_moment moment;               /* what the stamps of this file denote */
    size_t column_count;            /* trailing columns of a combined line */
    lk_role columns[LK_COLUMNS_MAX];
    bool has_asked; /* one of them is a Retry-After, be it always empty */
    int8_t column_slot[LK_COLUMNS_MAX]; /* id slot of a column, -1 = none */
    int8_t key_slot[LK_ID_KEYS_MAX];    /* id slot of a row of JSON id keys, -1 = none */
    bool attempt_from_zero;             /* JSON "attempt" counts from 0 */
    bool whole_seconds;                 /* stamps have digits of the second, and they are 0 throughout */
    /* What identity.call calls each slot: the JSON key, or "column 12" of the whole line. */
    char id_name[LK_IDS][LK_ID_NAME_MAX];
    /* Known to name a call: an invocation id, or on exactly the lines with "attempt=". */
    bool id_is_call[LK_IDS];
    bool id_is_off[LK_IDS];  /* not to join by: the user chose another */
    bool id_is_task[LK_IDS]; /* known to name a task of a job runner */
    size_t id_count;
    /* Of the fields that the user names: the slot of the call id and of the task id, from 1, and which of
     * them and of the attempt number the format has no place for, so that they are read by name. */
    uint8_t picked_slot[2];
    bool picked_by_name[3];
    bool named_from_zero; /* the attempt number read so counts from 0 */
    lk_json_paths paths; /* where the user says that members of JSON lines stand */
    lk_w3c_set w3c; /* for lines above which a file has no #Fields: whichever fits */
    /* The format that was asked for, of the caller: reads all lines in the place of what was
     * found, see lk_custom_layout.  NULL = none. */
    const struct lk_custom *custom;
    bool keep_query;      /* targets are counted with their query */
    size_t caller_column; /* trailing column that names the caller, from 1; 0 = the address */
    bool only; /* lines of other formats are rejects: the format was asked for by name */
} lk_layout;

/* The values with the smallest hash of each slot, with how often each came: a sample that does not
 * depend on the order of the lines and can be merged. */
typedef struct lk_value_sample {
    uint32_t tag, count; /* count 0 = empty */
} lk_value_sample;

typedef struct lk_column_stats {
    uint32_t seen, seen_good, absent, quoted;
    uint32_t msec, real, whole, decimal, attempt, ident, word; /* shapes, see lk_shape */
    uint32_t number_good, number_rejected; /* numbers by status: < 400; 429, 503, 529 */
    uint32_t small[3], large;              /* whole numbers: 0, 1, 2; more than LK_TRIES_MAX */
    uint32_t with_attempt;                 /* a value on a line that carries "attempt=" */
    uint32_t stamps;                       /* the stamp in whole milliseconds or microseconds */
    /* Whole numbers beside one that is not theirs in seconds, in milliseconds; beside one that is,
     * and is not 0. */
    uint32_t no_seconds, no_ms, seconds, ms;
    uint64_t real_ms;                      /* sum of the real ones */
    /* Values that are the line's status or a list that ends in it; lists of two or more of those,
     * and of times. */
    uint32_t statuses, status_lists, real_lists;
    /* "seconds/microseconds" of one duration; those of a millisecond or more; others of that form. */
    uint32_t pairs, long_pairs, no_pairs;
    uint32_t connection, kept_alive; /* bare "X" or "+"; "+" */
    uint32_t span;  /* durations with their unit        */
    uint32_t keyed; /* lines on which the column has a key */
    char key[LK_ID_NAME_MAX];              /* of key=value; "" = none */
    lk_value_sample sample[LK_COLUMN_SAMPLE];
} lk_column_stats;

typedef struct lk_sniffer {
    /* Set after the init: the lines are of this format, and only their times are looked at. */
    const struct lk_custom *custom;
    uint32_t custom_parsed;
    uint32_t lines, parsed[LK_FORMATS_MAX]; /* lines that each format row fits         */
    /* Set before a line: the stamp of what was around it, and what a stamp without a zone is ahead of UTC
     * by it, see format/unwrap. */
    lk_outer outer;
    int64_t ahead_ns; /* LK_TIME_NONE = that does not tell */
    bool zoneless;                          /* some stamps named no zone                */
    int64_t first_ns;                       /* earliest instant seen; LK_TIME_NONE     */
    /* Of stamps that name no zone: the first, and the latest until one steps back far, if one does. */
    int64_t wall_first_ns, wall_top_ns;     /* LK_TIME_NONE = there is none */
    bool wall_stepped;
    uint32_t fine_lines, fine_zeros;        /* stamps with digits of the second; all of them 0 */
    uint32_t took_lines;                    /* lines with a duration                   */
    uint32_t backward_stamp, backward_end;  /* of those: inversions of T and of T + D  */
    /* Of all lines: T before its predecessor by 1 s, or by 0.1 s where stamps have a fraction. */
    uint32_t backward_far;
    int64_t last_any, last_stamp, last_end;    /* LK_TIME_NONE                            */
    lk_column_stats columns[LK_COLUMNS_MAX];   /* of combined lines with a tail           */
    uint32_t column_votes[LK_COLUMNS_MAX + 1]; /* lines with so many trailing columns     */
    uint32_t column_base[16];                  /* lines with so many columns before those */
    uint32_t attempt_lines, later_lines;       /* lines with "attempt=", with 2 or more   */
    lk_json_paths paths;      /* the user's, set after the init; the layout gets them */
    uint32_t moment_lines[3]; /* JSON lines whose keys say what their stamp denotes, by lk_moment */
    /* Rows of the JSON key table: present, with a value. */
    uint64_t keys_seen[LK_KEY_WORDS], keys_used[LK_KEY_WORDS];
    char id_key[LK_ID_KEYS_MAX][LK_ID_NAME_MAX]; /* as the log spells them                  */
    uint32_t attempt_zeros, attempt_ones;        /* JSON "attempt"                          */
    uint32_t named_zeros, named_ones;            /* the attempt number that is read by name */
    lk_w3c_columns w3c;                          /* of the last #Fields line                */
    uint64_t keys_tag;                           /* of the parse cache of the last line     */
    lk_key_guess keys[LK_CACHE_KEYS];
    lk_w3c_set w3c_seen;                         /* of all of them                          */
} lk_sniffer;

/* A layout that knows nothing: lines are read by any format, columns by what names itself. */
void lk_layout_init(lk_layout *l);

void lk_sniffer_init(lk_sniffer *s);
void lk_sniffer_line(lk_sniffer *s, lk_slice line);
void lk_sniffer_merge(lk_sniffer *into, const lk_sniffer *from);
/* The format that most lines fit; format NULL when none fits any line. */
void lk_sniffer_decide(const lk_sniffer *s, lk_layout *out);
/* The same for a format that was asked for by name. */
void lk_sniffer_force(const lk_sniffer *s, const struct lk_format *format, lk_layout *out);
/* What the order of the lines says of a log with durations, when it says so clearly; else unknown. */
lk_moment lk_sniffer_order(const lk_sniffer *s);
/* Whether stamps that print digits of the second are whole seconds all the same ("12:00:07.000Z" on every
 * line): true from lines enough that milliseconds do not all end so by chance. */
bool lk_sniffer_whole_seconds(const lk_sniffer *s);
/* Same format and columns, so that their evidence may be merged. */
bool lk_sniffer_is_alike(const lk_sniffer *a, const lk_sniffer *b);

/* Reads one line by the layout, falling back to the other formats.  Blank lines and comments ('#')
 * give false with LK_REJECT_NONE: ignored.  *out is untouched or partly filled when false. */
bool lk_layout_parse(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why);

typedef void lk_field_visit(void *ctx, lk_slice name, lk_slice value);

struct lk_named;

/* A log format is a row. */
typedef struct lk_format {
    const char *name; /* as in input.files[].format and after --log-format */
    const char *help; /* one line for --help and lockstep-formats(5)       */
    const char *moment;     /* what its stamps denote: "start", "end", "by order" of the lines */
    const char *resolution; /* of its stamps: "1 s", "1 ms", ...                */
    bool (*parse)(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                  lk_reject *why);
    bool takes_quotes; /* its parser is faster where lk_parse_cache.quotes are set */
    /* NULL, or the short way for a line as most of the format are: in the log of that format, and of no other that
     * the user described, it is read as if it were looked at for wrappers and then parsed.  False: it may be a
     * request all the same. */
    bool (*read_plain)(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out);
    /* Is the line of this very shape?  Then adds what it shows about columns or keys to *s, and
     * gives its stamp and duration. */
    bool (*observe)(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out);
    /* NULL, or for a line that no row observed: may it be of this shape, in a log cut off from the
     * directives by which such lines are read? */
    bool (*observe_headless)(lk_sniffer *s, lk_parse_cache *c, lk_slice line, lk_fields *out);
    /* NULL, or takes from a line that begins with '#' what the lines below it need. */
    void (*directive)(lk_parse_cache *c, lk_slice line);
    void (*decide)(const lk_sniffer *s, lk_layout *out); /* NULL = nothing to decide */
    /* NULL = always, for lines of one format */
    bool (*is_alike)(const lk_sniffer *a, const lk_sniffer *b);
    /* NULL, or visits the fields of a line that it parses, by the names that users know them by: keys,
     * "column 12", directives. */
    void (*each)(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_field_visit *visit,
                 void *ctx);
    /* NULL = by `each`; the same for a few of them, faster.  See format/named. */
    void (*find)(lk_parse_cache *side, lk_slice line, const struct lk_named *asked,
                 lk_slice *values);
} lk_format;

const lk_format *lk_format_find(const char *name); /* NULL: no such format */

extern const lk_format *const LK_FORMATS[]; /* NULL-terminated, in order of preference */

#endif
