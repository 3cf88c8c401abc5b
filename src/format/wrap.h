/* format/wrap — what carries log lines: syslog, containers, journald, JSON around a line.
 *
 * A wrapper is a row.  Its function takes one layer off one line; which layers a line has is found by
 * format/unwrap, as they nest in any order.  A row may fit a line that is none of its kind: what counts
 * is whether a log format fits what is inside.
 *
 * Owner:  what is inside points into the line or into the room, which is used again for the next line.
 * Errors: false: not of this kind, or no memory (room->failed).
 * Source: RFC 3164, RFC 5424, the templates of rsyslog; docker's json-file, the log format of CRI;
 *         systemd's journal export and JSON formats; kubectl and docker compose.  */
#ifndef LK_FORMAT_WRAP_H
#define LK_FORMAT_WRAP_H

#include "format/outer.h"

enum { LK_WRAPPERS_MAX = 32 };

/* Memory that grows, for text that had to be unescaped. */
typedef struct lk_room {
    char *p;
    size_t cap;
    bool failed;
} lk_room;

/* At least `len` bytes; NULL and room->failed when there is no memory. */
char *lk_room_reserve(lk_room *room, size_t len);
void lk_room_release(lk_room *room);

typedef enum lk_part {
    LK_PART_WHOLE = 0,
    LK_PART_GUESSED, /* without the end of line that this wrapper keeps: more may come */
    LK_PART_MARKED   /* more comes */
} lk_part;

typedef struct lk_peeled {
    lk_slice text;
    lk_outer_stamp stamp; /* of this layer */
    lk_part part;
    bool is_ended; /* the text had its end of line, which this wrapper keeps */
    uint64_t source; /* tells writers whose parts may interleave: stdout and stderr, containers */
} lk_peeled;

typedef struct lk_wrapper {
    const char *name; /* as the reports call it */
    const char *help; /* one line for lockstep-formats(5) */
    bool is_sure; /* what it fits is of its kind, beyond doubt */
    bool (*peel)(lk_slice line, lk_room *room, lk_peeled *out);
} lk_wrapper;

/* NULL-terminated, in the order they are tried; rows of one name stand together. */
extern const lk_wrapper *const LK_WRAPPERS[];

const char *lk_wrap_name(const lk_wrapper *w); /* NULL: an entry of a journal export */

/* May a row fit?  By the first bytes: cheap, as every line is asked. */
bool lk_wrap_may_begin(lk_slice line);

/* Without blanks and ends of lines behind it. */
lk_slice lk_wrap_trimmed(lk_slice s);

/* wrap_syslog.c: each with a tag, a tag without its colon, a host alone, nothing */
extern const lk_wrapper LK_WRAP_RFC5424, LK_WRAP_PRI;
extern const lk_wrapper LK_WRAP_RFC3164, LK_WRAP_RFC3164_WORD, LK_WRAP_RFC3164_HOST,
    LK_WRAP_RFC3164_BARE;
extern const lk_wrapper LK_WRAP_ISO, LK_WRAP_ISO_WORD, LK_WRAP_ISO_BARE, LK_WRAP_ISO_HOST;
/* wrap_container.c */
extern const lk_wrapper LK_WRAP_CRI, LK_WRAP_COMPOSE, LK_WRAP_KUBECTL, LK_WRAP_COLOUR;
/* wrap_json.c */
extern const lk_wrapper LK_WRAP_DOCKER, LK_WRAP_JOURNALD, LK_WRAP_JSON;

#endif
