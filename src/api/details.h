/* api/details — the texts of requests whose attempts are on their way to be printed.
 *
 * An attempt carries the number of its line's texts (lk_attempt.value) until it is printed; then they
 * are let go, so that any number of callers may come by.
 *
 * Owner:  lk_details_init/lk_details_release; texts live until they are dropped.
 * Errors: EOOM.
 * Cost:   the texts of the attempts that are held, and 16 bytes each.  */
#ifndef LK_API_DETAILS_H
#define LK_API_DETAILS_H

#include "base/err.h"
#include "base/slice.h"

#include <stdint.h>

enum { LK_DETAIL_TEXT_MAX = 2048 }; /* what is longer is cut */

typedef enum lk_detail {
    LK_DETAIL_CALLER,
    LK_DETAIL_AGENT,
    LK_DETAIL_METHOD,
    LK_DETAIL_HOST,
    LK_DETAIL_TARGET,
    LK_DETAILS
} lk_detail;

typedef struct lk_detail_entry {
    char *texts;   /* LK_DETAILS strings, each NUL-terminated; NULL = free */
    uint32_t uses; /* attempts that carry it; of a free one: the next free, plus one */
} lk_detail_entry;

typedef struct lk_details {
    lk_detail_entry *entries;
    size_t count, cap;
    uint32_t free_list; /* entry + 1; 0 = none */
} lk_details;

void lk_details_init(lk_details *d);
void lk_details_release(lk_details *d);

/* texts[LK_DETAILS]; `uses` attempts will carry *number, which is never 0. */
LK_MUST_CHECK lk_code lk_details_add(lk_details *d, const lk_slice *texts, uint32_t uses,
                                     uint32_t *number, lk_err *e);
void lk_details_get(const lk_details *d, uint32_t number, const char *texts[LK_DETAILS]);
void lk_details_drop(lk_details *d, uint32_t number); /* one use */

#endif
