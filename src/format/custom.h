/* format/custom — lines by the log format that the server was told to write.
 *
 *     apache:%h %l %u %t "%r" %>s %b             LogFormat of Apache httpd
 *     nginx:$remote_addr [$time_local] ...       log_format of nginx
 *     nginx,escape=json:{"t":$msec,...           default, json or none, as log_format says it
 *     combined, common, vhost_combined, ...      by name, with or without the server in front
 *
 * It compiles to rows of the text that stands before a field, the field, and where it ends: at the
 * text of the next row, at a '?' or '/' where nothing stands between, or by its own form (times).
 * \" and \\ may be written as in the configuration.  Directives and variables that say nothing to
 * us are read and dropped.  Of several that say the same (%h and %a; %D and %T) one counts.
 *
 * Units:  columns are bytes from 1.
 * Owner:  plain data; lk_layout.custom points to the caller's struct.  Fields point into the line
 *         or the parse cache.
 * Errors: EUSAGE no such name, a directive or variable cut short, fields with nothing between them,
 *         more than fit, no time or no status among them.
 *         Lines: LK_REJECT_UNRECOGNISED other text; TIMESTAMP, STATUS no such value in its place;
 *         CUT the line ends before its last field.
 * Cost:   about 8 KiB; a line is read once, without allocation.
 * Source: Apache httpd mod_log_config and mod_logio; ngx_http_log_module.  */
#ifndef LK_FORMAT_CUSTOM_H
#define LK_FORMAT_CUSTOM_H

#include "base/err.h"
#include "format/cache.h"
#include "format/layout.h"

enum { LK_CUSTOM_ROWS_MAX = 96, LK_CUSTOM_TEXT = 6000 };

typedef enum lk_custom_field {
    LK_CUSTOM_IGNORE = 0,
    LK_CUSTOM_LIST, /* of upstreams, of no use */
    LK_CUSTOM_CALLER,
    LK_CUSTOM_HOST,
    LK_CUSTOM_METHOD,
    LK_CUSTOM_TARGET,
    LK_CUSTOM_QUERY, /* begins with '?' */
    LK_CUSTOM_ARGS,  /* the same without it */
    LK_CUSTOM_REQUEST,
    LK_CUSTOM_STATUS,
    LK_CUSTOM_AGENT,
    LK_CUSTOM_TOOK_S,
    LK_CUSTOM_TOOK_MS,
    LK_CUSTOM_TOOK_US,
    LK_CUSTOM_ATTEMPT,
    LK_CUSTOM_RETRIES,
    LK_CUSTOM_RETRY_AFTER,
    LK_CUSTOM_RETRY_AFTER_MS,
    LK_CUSTOM_ID,
    LK_CUSTOM_GAVE_UP, /* Apache's %X */
    LK_CUSTOM_UPSTREAM_STATUS,
    LK_CUSTOM_UPSTREAM_TOOK,
    LK_CUSTOM_TIME_CLF,
    LK_CUSTOM_TIME_ISO,
    LK_CUSTOM_TIME_FORM, /* by strftime; this one and those below end by their form */
    LK_CUSTOM_EPOCH_S,
    LK_CUSTOM_EPOCH_MS,
    LK_CUSTOM_EPOCH_US,
    LK_CUSTOM_EPOCH_REAL,
    LK_CUSTOM_FRACTION_MS,
    LK_CUSTOM_FRACTION_US,
    LK_CUSTOM_FIELDS
} lk_custom_field;

typedef struct lk_custom_row {
    uint16_t before, before_len; /* the text in front of the field; places in lk_custom.text */
    uint16_t name;               /* as it was written, NUL-terminated */
    uint16_t form, form_len;     /* of TIME_FORM; the name of an ID */
    uint8_t field;               /* lk_custom_field */
    uint8_t rank;                /* of several for one thing the lowest counts */
    bool quoted;                 /* a quote in front and one behind */
    bool end;                    /* a time denotes the end of the request */
    char stop;                   /* where the field ends when nothing stands behind; 0 = nowhere */
    int8_t slot;                 /* of an ID; -1 = none */
} lk_custom_row;

typedef struct lk_custom {
    lk_moment moment;  /* of the time that counts */
    bool from_start;   /* it is the one of the rows without `end` */
    bool raw_quotes;   /* nothing is escaped */
    bool json_escapes; /* as in JSON strings */
    size_t count;      /* rows[count] holds the text that ends the line */
    lk_custom_row rows[LK_CUSTOM_ROWS_MAX + 1];
    size_t text_len;
    char text[LK_CUSTOM_TEXT];
    size_t id_count;
    char id_name[LK_IDS][LK_ID_NAME_MAX];
    bool id_is_call[LK_IDS], id_is_task[LK_IDS];
} lk_custom;

/* Where a line is not what was expected. */
typedef struct lk_custom_place {
    size_t column; /* first byte that does not fit */
    size_t row;    /* see lk_custom_field_name */
} lk_custom_place;

LK_MUST_CHECK lk_code lk_custom_compile(const char *text, lk_custom *out, lk_err *e);

/* False with *why and, unless NULL, *place set; *out is partly filled then.  The line is taken as
 * it is but for blanks and a CR behind it. */
bool lk_custom_parse(const lk_custom *custom, lk_parse_cache *c, lk_slice line, lk_fields *out,
                     lk_reject *why, lk_custom_place *place);

/* "%>s", "$status"; "end of line" for the last. */
const char *lk_custom_field_name(const lk_custom *custom, size_t row);

/* Is a field of it written so? */
bool lk_custom_names(const lk_custom *custom, const char *name);

/* Takes the field written so ('%{X-Real-IP}i', '$http_x_real_ip') for the caller; false: none such. */
bool lk_custom_pick_caller(lk_custom *custom, const char *name);

/* A layout that reads lines by it and by nothing else. */
void lk_custom_layout(const lk_custom *custom, lk_layout *out);

#endif
