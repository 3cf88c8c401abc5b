/* sim/show — tables and figures as text, JSON or CSV; they compute nothing.
 *
 * Errors: EUSAGE no such format; EOOM.  */
#ifndef LK_SIM_SHOW_H
#define LK_SIM_SHOW_H

#include "sim/study.h"
#include "sim/table.h"

#include "base/buf.h"

typedef struct lk_show_style {
    size_t width;
    bool ascii;
} lk_show_style;

/* What the tables are of. */
typedef struct lk_show_head {
    const char *model;
    uint64_t seed;
    unsigned runs;
    const char *const *policies; /* [policy_count], as typed; text lists them above the tables */
    size_t policy_count;
} lk_show_head;

typedef struct lk_show {
    const char *name, *help;
    lk_code (*tables)(const lk_show_head *head, const lk_tables *t, const lk_show_style *style,
                      lk_buf *out, lk_err *e);
    /* studies[count], figures[count] */
    lk_code (*figures)(const lk_study *const *studies, const lk_figures *figures, size_t count,
                       const lk_show_style *style, lk_buf *out, lk_err *e);
} lk_show;

extern const lk_show LK_SHOWS[]; /* ends with name NULL; the first is the default */

LK_MUST_CHECK lk_code lk_show_find(const char *name, const lk_show **out, lk_err *e);

/* A number beside its standard error (NAN: none): the error to two digits, the number as far. */
void lk_show_number(double value, double error, bool ascii, char *out, size_t size);

lk_code lk_show_text_tables(const lk_show_head *head, const lk_tables *t, const lk_show_style *style,
                            lk_buf *out, lk_err *e);
lk_code lk_show_text_figures(const lk_study *const *studies, const lk_figures *figures, size_t count,
                             const lk_show_style *style, lk_buf *out, lk_err *e);

#endif
