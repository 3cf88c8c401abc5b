/* format/misfit — where a line that was rejected does not fit, and what should have stood there.
 *
 * Read once more, slowly: by the members of JSON lines, the names of W3C columns, the places that
 * formats of fixed columns have.
 *
 * Owner:  plain data.
 * Source: ours.  */
#ifndef LK_FORMAT_MISFIT_H
#define LK_FORMAT_MISFIT_H

#include "format/layout.h"

enum { LK_MISFIT_TEXT = 160 };

typedef struct lk_misfit {
    size_t column; /* byte of the line, from 1 */
    char want[LK_MISFIT_TEXT];
} lk_misfit;

/* *c is that by which lk_layout_parse has just rejected the line, for that reason. */
void lk_misfit_find(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_reject why,
                    lk_misfit *out);

#endif
