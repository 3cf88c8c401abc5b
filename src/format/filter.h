/* format/filter — which lines count: what --match says, as rules over the fields of a line.
 *
 *     FIELD=GLOB    the field fits; of several for one field, any
 *     FIELD!=GLOB   the field does not fit; all of these hold
 *
 * FIELD is caller, method, host, target, status, user_agent, or a name as in format/named.  A field
 * that the line does not have is empty: GLOB '' fits it, and so does '*'.  status takes a list
 * of numbers, classes and ranges: 429,5xx,400-499.  Hosts have no port and no case.
 *
 * Owner:  texts belong to the caller, rules to the arena.
 * Errors: EUSAGE no FIELD=GLOB, no status, too many rules; EOOM.
 * Cost:   nothing without rules; with names of the log's own a line is read once more.  */
#ifndef LK_FORMAT_FILTER_H
#define LK_FORMAT_FILTER_H

#include "base/arena.h"
#include "format/named.h"

enum { LK_RULES_MAX = 64, LK_FILTER_NAMES = 400, LK_FILTER_FIELDS = 6 + LK_NAMED_MAX };

typedef struct lk_rule lk_rule;

typedef struct lk_filter {
    lk_rule *rules; /* [count] */
    size_t count;
    uint32_t needed; /* bit i: field i has rules of which one must fit */
    uint32_t used;   /* bit i: field i has a rule */
    lk_named asked;
} lk_filter;

/* What the lines of one file had, for lk_filter_missing. */
typedef struct lk_filter_use {
    lk_parse_cache *side; /* where fields of the log's own are asked for, else NULL */
    uint32_t present;     /* bit i: some line has field i */
    char names[LK_FILTER_NAMES]; /* the fields of the first line, "a, b, c" */
} lk_filter_use;

LK_MUST_CHECK lk_code lk_filter_compile(const char *const *texts, size_t count, lk_arena *arena,
                                        lk_filter *out, lk_err *e);

/* Does the line that was read last with `c` count?  `target`: as it is counted by. */
bool lk_filter_passes(const lk_filter *f, const lk_layout *l, lk_parse_cache *c,
                      const lk_fields *fields, lk_slice target, lk_filter_use *use);

/* Names the next field, from *at on, that has a rule and that no line had; NULL: no more. */
const char *lk_filter_missing(const lk_filter *f, uint32_t present, size_t *at);

#endif
