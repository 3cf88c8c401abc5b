/* format/custom_part — between the parts of format/custom.
 *
 * Owner:  a builder lives while one format is compiled; it points to the caller's text.  */
#ifndef LK_FORMAT_CUSTOM_PART_H
#define LK_FORMAT_CUSTOM_PART_H

#include "format/custom.h"
#include "format/upstream.h"

#include <stddef.h>

typedef struct lk_custom_builder {
    lk_custom *out;
    const char *text;  /* the whole format, to count columns from */
    size_t text_begin; /* of the text in front of the next field  */
    bool ends;         /* times denote the end unless told otherwise */
    unsigned parts[2]; /* LK_CUSTOM_PARTs seen, of start and end  */
    lk_err *e;
} lk_custom_builder;

/* What a time tells. */
enum {
    LK_CUSTOM_PART_YEAR = 1,
    LK_CUSTOM_PART_MONTH = 2,
    LK_CUSTOM_PART_DAY = 4,
    LK_CUSTOM_PART_HOUR = 8,
    LK_CUSTOM_PART_MINUTE = 16,
    LK_CUSTOM_PART_SECOND = 32,
    LK_CUSTOM_PART_ALL = 63
};

/* One field of the format as its server's part understands it. */
typedef struct lk_custom_spec {
    lk_custom_field field;
    uint8_t rank;
    bool end;
    lk_slice name; /* as written, in the format's text */
    lk_slice form; /* see lk_custom_row */
} lk_custom_spec;

/* custom.c */
LK_MUST_CHECK lk_code lk_custom_add_text(lk_custom_builder *b, lk_slice text);
LK_MUST_CHECK lk_code lk_custom_add_field(lk_custom_builder *b, const lk_custom_spec *spec);
/* Takes text of a configuration up to `mark` or the end, without its backslashes. */
LK_MUST_CHECK lk_code lk_custom_take_text(lk_custom_builder *b, const char **p, char mark);
LK_MUST_CHECK lk_code lk_custom_fail(const lk_custom_builder *b, const char *at, const char *what,
                                     lk_slice name);
/* A header by its name, or a variable that is called like one. */
void lk_custom_name_header(lk_slice name, lk_custom_spec *spec);

/* custom_apache.c, custom_nginx.c: the format behind "apache:" and "nginx:" */
LK_MUST_CHECK lk_code lk_custom_apache(lk_custom_builder *b, const char *p);
LK_MUST_CHECK lk_code lk_custom_nginx(lk_custom_builder *b, const char *p);

/* custom_pick.c: of several fields for one thing one stays; ids get their slots */
void lk_custom_pick(lk_custom *out);
bool lk_custom_has(const lk_custom *custom, lk_custom_field field);

/* custom_value.c: a status, and what may be absent and is not */
bool lk_custom_read_status(lk_slice v, lk_fields *out);
void lk_custom_read_value(const lk_custom *custom, const lk_custom_row *row, lk_slice v,
                          lk_parse_cache *c, lk_upstream *hidden, lk_fields *out);

/* ---- custom_time.c ---- */

/* What is known of an instant so far. */
typedef struct lk_custom_time {
    int64_t at_ns;       /* LK_TIME_NONE = not known as a whole */
    unsigned precision;  /* of at_ns: 1 s, 2 ms, 3 us or finer  */
    int64_t fraction_ns; /* -1 = not known                      */
    unsigned parts;
    bool has_zone, is_pm, is_half_day;
    unsigned year, month, day, hour, minute, second;
    int zone_s;
} lk_custom_time;

void lk_custom_time_init(lk_custom_time *t);
/* The parts that a strftime form tells; 0 and *at when it is none. */
bool lk_custom_form_parts(lk_slice form, unsigned *parts, const char **at);
/* Reads by the form from p; NULL when the text is another. */
const char *lk_custom_form_read(lk_slice form, const char *p, const char *end, lk_custom_time *t);
/* Of two the finer one stays. */
void lk_custom_time_set(lk_custom_time *t, int64_t at_ns, unsigned precision);
/* Puts it together; false when the parts are no instant. */
bool lk_custom_time_finish(const lk_custom_time *t, int64_t *at_ns, bool *fraction, bool *zoneless);

#endif
