/* api/breakdown — the report once more for each value of a field: what measure/ counted, and the layers
 * that link/ sees in it.
 *
 * Owner:  the arena.
 * Errors: EOOM.  */
#ifndef LK_API_BREAKDOWN_H
#define LK_API_BREAKDOWN_H

#include "link/linker.h"
#include "measure/breakdown.h"

/* Fills r->by; after lk_linker_report, while calls are those of the access log. */
LK_MUST_CHECK lk_code lk_breakdown_finish(lk_breakdown *b, const char *field, const lk_linker *l,
                                          const char *const id_names[LK_IDS], lk_arena *arena,
                                          lk_report *r, lk_err *e);

#endif
