/* api/logfile — one access log as a source of attempts, with the account of its lines.
 *
 * First every file is peeked: its first lines tell format, columns and the moment of its stamps, and
 * the first instant orders the files.  A regular file is then closed until the merge reaches it; a
 * pipe stays open and starts again from what was peeked.  Of the files that the merge reads side by
 * side, LK_DESCRIPTORS_MAX keep their descriptor; further ones open their file for each read, so that
 * any number may overlap.
 *
 * Owner:  lk_logfile_open/lk_logfile_close; the path and *reading belong to the caller.
 * Errors: open: EIO; reading: as lk_lines.
 * Thread: one.  */
#ifndef LK_API_LOGFILE_H
#define LK_API_LOGFILE_H

#include "api/details.h"
#include "api/reading.h"
#include "api/rejects.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/zone.h"
#include "format/layout.h"
#include "format/timeless.h"
#include "input/lines.h"
#include "measure/above.h"
#include "measure/breakdown.h"
#include "measure/heavy.h"
#include "model/report.h"

#include <stdatomic.h>

enum {
    LK_DESCRIPTORS_MAX = 4, /* of regular files; each pipe keeps one besides */
    LK_HEAD_MAX = 4 << 10
};

typedef enum lk_repeat_kind {
    LK_REPEAT_NONE,
    LK_REPEAT_FILE, /* one file under two names */
    LK_REPEAT_ALL,  /* equal content            */
    LK_REPEAT_START /* all of it is the start of the other */
} lk_repeat_kind;

/* What a file begins with, decompressed: hashes of its first bytes, up to LK_HEAD_MAX of them, each from the
 * start. */
typedef struct lk_start {
    uint64_t head; /* of all of them                                              */
    uint64_t data; /* to the end of the first line that is no comment ('#')        */
    uint64_t more; /* ... and of the line after that; 0 = there is none           */
    uint64_t line; /* to the end of the first line                                */
    uint32_t len;  /* of them; less than LK_HEAD_MAX = all of the file             */
    bool has_data; /* such a line ends there                                      */
} lk_start;

/* What became of a line; a line of several records is what the best of them is. */
typedef enum lk_line_fate {
    LK_LINE_IGNORED = 0,
    LK_LINE_FILTERED,
    LK_LINE_PARSED
} lk_line_fate;

typedef struct lk_logfile {
    lk_source source; /* first: the merge knows it by this */
    const char *path;
    lk_lines *lines;  /* NULL while closed */
    lk_sniffer *sniffer; /* what its first lines showed; NULL once the layout is settled */
    lk_layout layout;
    lk_parse_cache *cache; /* while open */
    lk_unwrap *unwrap;     /* while open */
    lk_symbols *symbols;
    lk_arena *arena;
    const lk_reading *reading;
    lk_heavy *addresses; /* of all files; NULL = not watched */
    lk_breakdown *breakdown; /* of all files; where reading->by asks for it */
    lk_buf *beside; /* NULL, or where their texts go in place of numbers: see api/lane_names */
    lk_rejects *rejects; /* of all files; NULL = not kept */
    lk_details *details; /* of all attempts on their way; NULL = not kept */
    bool is_begun, is_over, is_utf16;
    bool takes_all; /* no option leaves requests out, or asks more of them than their attempt */
    bool keeps_ends; /* seen at its start, see lk_unwrap */
    const char *wrappers[LK_WRAPPERS_MAX]; /* that were peeled, NULL-terminated; once closed */
    uint64_t total, parsed, filtered, rejected, ignored;
    lk_moment order;   /* what the order of its first lines says of its stamps */
    uint64_t zoneless; /* of the parsed */
    lk_wall_clock clock; /* for those */
    uint64_t held; /* parts whose line is not complete: 0 at the end, then the four add up to total */
    uint64_t rejected_by[LK_REJECT_COUNT];
    uint64_t by_wrapper; /* of the parsed: their time is that of what was around them */
    uint64_t nameless; /* of the parsed: the caller's field was asked for and is not there */
    const lk_timeless *timeless; /* what the first request without a time is, or NULL */
    lk_report_sample samples[LK_SAMPLES_MAX];
    size_t sample_count;
    lk_above *above;           /* of all files; where layers are named */
    lk_parse_cache *side;      /* where options name fields, else NULL; while open */
    uint64_t named[LK_NAMINGS]; /* of the parsed: that have the field of the option */
    lk_filter_use filtering;
    lk_filter_use refusing[LK_REJECTIONS_MAX]; /* of --rejected */
    lk_slice records; /* of the line read last: those that are still to be read */
    uint64_t record_line;   /* its number */
    uint32_t record_count;  /* those that were read */
    lk_line_fate fate;      /* of that line so far */
    lk_reject record_why;   /* why the first of those that are no request is none */
    lk_attempt *tries; /* [LK_TRIES_MAX] of the line read last; while open */
    size_t try_count, try_at;
    uint64_t salt; /* tells the lines of this file from those of others */
    lk_file_id id;
    bool is_regular;
    uint64_t size; /* bytes; 0 = not known */
    int64_t year_of_ns; /* a stamp whose year is assumed by the time of reading; LK_TIME_NONE = none */
    int64_t near_ns; /* when the file was changed; LK_TIME_NONE = not known */
    bool is_holding;     /* one of the descriptors that are counted */
    atomic_size_t *descriptors; /* held by all files; NULL = not counted */
    uint64_t head_hash;  /* of the first bytes of any input, decompressed */
    bool hashes_lines;   /* the caller wants `content` */
    uint64_t content;    /* a hash of all lines so far, each with its number of bytes */
    lk_start start;      /* of a regular file */
    const char *repeats; /* the file that counts in place of this one, or NULL */
    lk_repeat_kind repeat_kind;
    uint64_t repeat_lines; /* that both have */
    lk_lines_stats stats; /* once closed */
    lk_err trouble;       /* code LK_OK = none */
} lk_logfile;

/* Opens the file, reads its first lines and closes it again if it can be reopened. */
LK_MUST_CHECK lk_code lk_logfile_open(lk_logfile *f, const char *path, lk_symbols *symbols,
                                      const lk_reading *reading, lk_arena *arena, lk_err *e);
void lk_logfile_close(lk_logfile *f);

/* A log whose lines the caller brings: nothing is opened.  near_ns: an instant of its stamps' time. */
LK_MUST_CHECK lk_code lk_logfile_begin(lk_logfile *f, const char *path, lk_symbols *symbols,
                                       const lk_reading *reading, int64_t near_ns, lk_arena *arena,
                                       lk_err *e);
/* ITEM: an attempt; END: the line has none, or none any more.  line NULL: the next attempt of the line
 * before. */
LK_MUST_CHECK lk_step lk_logfile_feed(lk_logfile *f, const lk_line *line, lk_attempt *out, lk_err *e);
void lk_logfile_finish(lk_logfile *f); /* in place of lk_logfile_close */

/* The format decides what stamps denote: files that were merged or buffered have another order than they were
 * written in.  One line where the order of this file's lines says otherwise; NULL when it does not. */
const char *lk_logfile_order_note(const lk_logfile *f, lk_arena *arena);

/* One line on the file that it repeats; NULL when it repeats none or there is no memory. */
const char *lk_logfile_repeat_note(const lk_logfile *f, lk_arena *arena);

/* Sets how its lines are read, and lets the sniffer go. */
void lk_logfile_settle(lk_logfile *f, const lk_layout *layout);

/* What its account holds of texts goes to that arena, and what it gets to hold from now on. */
void lk_logfile_move(lk_logfile *f, lk_arena *arena);

/* Adds the account of a file to that of others: counts, ids, the first samples.  Texts are copied to the arena of
 * `into`. */
void lk_logfile_absorb(lk_logfile *into, const lk_logfile *f);

/* The file's row of the report. */
LK_MUST_CHECK lk_code lk_logfile_report(const lk_logfile *f, lk_arena *arena, lk_report_file *out,
                                        lk_err *e);

#endif
