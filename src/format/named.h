/* format/named — fields of a line that no role gives: those that the user asks for by name.
 *
 * A name is what --caller accepts: a JSON key or path, the key of a key=value column, "column 12", a
 * column of #Fields, a directive or variable of --log-format.
 *
 * Owner:  names belong to the caller; values point into the line or the two caches.
 * Errors: EUSAGE more than LK_NAMED_MAX names.
 * Cost:   reads a line once more.  */
#ifndef LK_FORMAT_NAMED_H
#define LK_FORMAT_NAMED_H

#include "format/layout.h"

enum { LK_NAMED_MAX = LK_IDS };

typedef struct lk_named {
    size_t count;
    const char *name[LK_NAMED_MAX];
    lk_json_paths paths;            /* those that can be paths of JSON members, as ids */
    uint8_t of_path[LK_NAMED_MAX];  /* number of the name, by slot of such an id       */
} lk_named;

/* The number of the name, a new one if it was not asked for before. */
LK_MUST_CHECK lk_code lk_named_add(lk_named *a, const char *name, uint8_t *index, lk_err *e);

/* values[LK_NAMED_MAX] of the line that lk_layout_parse read last with `c`; NONE = it has none.
 * `side` is a cache for this and nothing else. */
void lk_named_read(const lk_named *a, const lk_layout *l, lk_parse_cache *c, lk_parse_cache *side,
                   lk_slice *values);

/* Visits all fields of that line. */
void lk_named_each(const lk_layout *l, lk_parse_cache *c, lk_field_visit *visit, void *ctx);

#endif
