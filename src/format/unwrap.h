/* format/unwrap — lines of log out of what is around them, in any nesting.
 *
 * A line is peeled as far as the rows of LK_WRAPPERS fit; the deepest text that is a line of a log
 * format counts.  A JSON object that is a request is taken before the text that it may hold.  Where
 * no text has a stamp of its own, that of the wrapper nearest to it serves (fields.by_wrapper); where
 * the stamp has no zone, a wrapper's stamp of the same moment tells it.  The layers of the last line
 * are tried first for the next; that saves work and changes no result.
 *
 * Lines in parts (CRI's P, docker's text without its end of line, marked ones) are held, joined by
 * writer, and read when the last part comes.  A journal export is held until its entry ends.
 *
 * Every physical line is accounted for once: it is PARSED, REJECTED, IGNORED, or HELD.  Held ones are
 * told later: `joined` of them with the line that was read from them (they count as ignored), or by the
 * `lost` callback.  In a journal export the lines of the message are the request, all others ignored.
 *
 * Owner:  lk_unwrap_init/lk_unwrap_release; text and the fields' slices live until the next call.
 * Errors: FAIL, with *e: EOOM.
 * Cost:   at most LK_UNWRAP_SLOTS lines in parts and one of each layer, each up to max_line.  */
#ifndef LK_FORMAT_UNWRAP_H
#define LK_FORMAT_UNWRAP_H

#include "format/layout.h"
#include "format/wrap.h"

enum { LK_UNWRAP_DEPTH = 6, LK_UNWRAP_SLOTS = 8 };

typedef enum lk_unwrapped {
    LK_UNWRAP_FAIL = -1,
    LK_UNWRAP_PARSED,
    LK_UNWRAP_REJECTED,
    LK_UNWRAP_IGNORED,
    LK_UNWRAP_HELD
} lk_unwrapped;

/* One physical line. */
typedef struct lk_unwrap_input {
    lk_slice text;
    lk_slice raw;    /* as it stood in the file, for `lost`   */
    uint64_t number; /* 1-based                               */
    uint64_t nuls;   /* NUL bytes that stood before it        */
} lk_unwrap_input;

/* Lines that were held and came to nothing. */
typedef struct lk_lost {
    uint64_t lines, first_number;
    lk_slice text; /* joined */
    lk_slice raw;  /* the lines as they stood in the file, '\n' between them; empty unless keep_raw */
    lk_reject why;
} lk_lost;

/* Parts of a line so far. */
typedef struct lk_held {
    bool is_used, is_guessed;
    const lk_wrapper *wrapper;
    size_t depth;
    uint64_t source;
    lk_room text, raw;
    size_t text_len, raw_len;
    uint64_t lines, first_number;
} lk_held;

typedef enum lk_export_state {
    LK_EXPORT_FIELD = 0, /* at the start of a field */
    LK_EXPORT_SIZE,      /* in the eight bytes that say how long a binary field is */
    LK_EXPORT_DATA
} lk_export_state;

/* An entry of a journal export. */
typedef struct lk_export {
    bool is_open;
    size_t depth;
    uint64_t source;
    lk_export_state state;
    bool is_message; /* the binary field is */
    unsigned char size[8];
    size_t size_len;
    uint64_t left; /* bytes of the field */
    lk_held message;
    char stamp[24];
    size_t stamp_len;
} lk_export;

typedef struct lk_unwrap {
    size_t max_line;
    bool keep_raw;
    bool tells_zone; /* a wrapper's stamp may give the zone: the user gave none */
    void (*lost)(void *ctx, const lk_lost *lost); /* NULL = nobody listens */
    void *ctx;
    bool near_is_now; /* set beforehand: near_ns is the time of reading, not of the log */
    int64_t near_ns; /* for stamps without a year: the last one read, or set beforehand; NONE */
    /* ---- of the line read last ---- */
    lk_slice text;   /* what was inside */
    lk_slice records; /* REJECTED: for lk_json_records, a text inside that holds requests; NONE mostly */
    lk_outer outer;  /* the stamp around it */
    int64_t ahead_ns; /* of UTC, by a wrapper's stamp; LK_TIME_NONE = none told */
    uint64_t joined; /* held lines that went into it */
    size_t depth;    /* layers around it, when it was PARSED */
    const lk_wrapper *around[LK_UNWRAP_DEPTH]; /* outermost first; NULL = an entry of a journal export */
    /* ---- of all lines ---- */
    int64_t year_of_ns; /* the first stamp whose year is by the time of reading; LK_TIME_NONE */
    /* ---- its own ---- */
    bool keeps_ends; /* docker's texts have their ends of lines here: one without is a part */
    bool is_sure; /* those layers, beyond doubt */
    lk_room rooms[LK_UNWRAP_DEPTH];
    lk_held slots[LK_UNWRAP_SLOTS];
    lk_export export;
    uint64_t layers[LK_WRAPPERS_MAX]; /* lines read through each row of LK_WRAPPERS */
    uint64_t entries;                 /* of journal exports that were read */
} lk_unwrap;

void lk_unwrap_init(lk_unwrap *u, size_t max_line);
void lk_unwrap_release(lk_unwrap *u);

/* Reads the line by the layout.  *out as lk_layout_parse; *why when REJECTED. */
lk_unwrapped lk_unwrap_line(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c,
                            const lk_unwrap_input *line, lk_fields *out, lk_reject *why,
                            lk_err *e);

/* The short way there for a line that is an object, as the one before it was, and a request: what lk_unwrap_line does
 * for it.  False: it may be one all the same. */
bool lk_unwrap_itself(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out);

/* No line comes any more: PARSED, or REJECTED with `records`, when what was held gives one more (`joined` counts the lines of it
 * beyond the one that is parsed), else IGNORED and all that was held is lost. */
lk_unwrapped lk_unwrap_end(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, lk_fields *out,
                           lk_err *e);

/* All that is held is lost. */
void lk_unwrap_drop(lk_unwrap *u);

/* May it be read by the layout at once? */
static inline bool lk_unwrap_is_plain(const lk_unwrap *u, lk_slice line)
{
    return !u->export.is_open && !lk_wrap_may_begin(line);
}

/* Layers by name that lines were read through, outermost first as the rows stand; NULL past the last. */
const char *lk_unwrap_layer(const lk_unwrap *u, size_t i);

#endif
