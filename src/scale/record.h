/* scale/record — attempts as lines that any line tool can sort and send: KEY, TIME and RECORD, with a
 * tab between them.
 *
 * KEY is the hash of what links attempts: the id of the call where the log has one, else caller,
 * method, target and user agent.  TIME is when the attempt is counted: its start, but for one that came
 * later than the reorder window, which is counted when all before the window's end is.  RECORD begins
 * with the source (the input of a map) and with the attempt's place among those of the source; the rest
 * names what the source sent once, in dictionary lines under LK_KEY_RESERVED.
 *
 * Shapes: KEY has LK_DIGITS_64 digits, TIME 6, 8 or 12 of them, the source LK_SOURCE_DIGITS.
 * Owner:  lk_recorder_open/lk_recorder_close.
 * Errors: EOOM; EOUT as the sink has it.
 * Cost:   at most about 6 MB for dictionaries and the symbols that are remembered.
 * Thread: one.
 * Source: lockstep-map(5).  */
#ifndef LK_SCALE_RECORD_H
#define LK_SCALE_RECORD_H

#include "base/slice.h"
#include "model/attempt.h"
#include "scale/digits.h"

enum {
    LK_RECORD_VERSION = 2,
    LK_SOURCE_DIGITS = 6,
    LK_TIME_DIGITS = 12,
    LK_RECORD_MAX = 320 /* bytes of an attempt's line, at most */
};

#define LK_KEY_RESERVED "+++++++++++" /* sorts before all others */

/* What a line of RECORDs is, by its first byte where the key is reserved. */
typedef enum lk_record_kind {
    LK_RECORD_SHAPE = 'H',
    LK_RECORD_POPULATION = 'P',
    LK_RECORD_TARGET = 'T',
    LK_RECORD_WHAT = 'W',
    LK_RECORD_CALLER = 'C',
    LK_RECORD_SOURCE = 'S'
} lk_record_kind;

/* Takes whole lines, with their newline; is_reserved: they belong under the reserved key. */
typedef lk_code lk_record_sink(void *ctx, uint64_t key, bool is_reserved, const char *line,
                               size_t len, lk_err *e);

/* Of strings past the bound of *symbols, which the recorder sees as they come by. */
typedef struct lk_recorder lk_recorder;

LK_MUST_CHECK lk_code lk_recorder_open(uint64_t source, const lk_symbols *symbols,
                                       lk_record_sink *sink, void *ctx, lk_recorder **out,
                                       lk_err *e);
void lk_recorder_close(lk_recorder *r);
/* What *symbols got since the last call, it got from a line that was read when the log had come to
 * reached_ns: who had which string first is told by that, whatever the number of sources. */
void lk_recorder_saw(lk_recorder *r, int64_t reached_ns);

/* When an attempt is counted: at its start or later, and then before all that start at that instant
 * (is_first), or where its ordinal has it among them.  No two of a source have one ordinal. */
typedef struct lk_turn {
    int64_t at_ns;
    bool is_first;
    uint64_t ordinal;
} lk_turn;

LK_MUST_CHECK lk_code lk_recorder_take(lk_recorder *r, const lk_attempt *a, lk_turn turn, lk_err *e);
/* The source's own line, as scale/source has it; after all its attempts. */
LK_MUST_CHECK lk_code lk_recorder_end(lk_recorder *r, const char *row, lk_err *e);

uint64_t lk_recorder_attempts(const lk_recorder *r);

/* ---- reading ---- */

typedef struct lk_record {
    bool is_reserved;
    uint64_t key;
    int64_t turn_ns;
    uint64_t source, ordinal; /* not of reserved ones */
    lk_slice rest;            /* of RECORD            */
} lk_record;

/* The longest duration of a record: more than any reader of logs gives. */
#define LK_RECORD_TOOK_MAX_NS (INT64_C(500000000) * 1000000000)

/* An instant that some log can give: a stamp, or one that far from it.  Any two differ by an int64. */
bool lk_record_has_instant(int64_t at_ns);

/* TIME as text, "------" for none, and back; false: it is none. */
char *lk_record_put_time(char *to, int64_t ns); /* at most LK_TIME_DIGITS */
bool lk_record_time(lk_slice text, int64_t *ns);

/* One line without its newline; false: it is no record. */
bool lk_record_parse(lk_slice line, lk_record *out);

/* What a record's shape says; see lockstep-map(5). */
typedef enum lk_shape_caller {
    LK_CALLER_BY_KEY,   /* follows from KEY and the kind of request */
    LK_CALLER_NUMBERED,
    LK_CALLER_WHOLE
} lk_shape_caller;

typedef struct lk_shape {
    uint16_t status;
    bool failed, rejected, gave_up, fraction, has_took, has_asked, is_try, is_late, is_first, has_no, has_max, waits;
    bool what_is_numbered, target_is_hash, population_is_hash;
    uint8_t moment, asked_form, call_ids, task_ids, ids, key_is, caller;
    uint8_t stamp_is;            /* 0: the start, 1: the end, 2: another instant   */
    uint8_t end_unit, wait_unit; /* 0: none, 1: ms, 2: us, 3: ns                   */
} lk_shape;

/* The number before a shape that stands in the record itself: one past LK_NUMBERS_MAX others of its source. */
enum { LK_SHAPE_WHOLE = 1 << 16 };

uint64_t lk_shape_pack(const lk_shape *s);
bool lk_shape_unpack(uint64_t bits, lk_shape *out); /* false: no such shape */

/* The text of a symbol on a line: what is not plain is %XX. */
size_t lk_record_escape(lk_slice text, char *to); /* at most 3 bytes a byte */
bool lk_record_unescape(lk_slice text, char *to, size_t max, size_t *len);

#endif
