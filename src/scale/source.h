/* scale/source — the account of one input of a map, as the line that ends it and back.
 *
 * Owner:  texts live in the arena that they were read into.
 * Errors: EDATA a line that is no such account; EOOM.
 * Source: lockstep-map(5).  */
#ifndef LK_SCALE_SOURCE_H
#define LK_SCALE_SOURCE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

enum { LK_SOURCE_REASONS = 32, LK_SOURCE_IDS = 4, LK_SOURCE_NAMINGS = 4 };

typedef struct lk_source_account {
    uint64_t version;     /* of the records                                   */
    const char *name;     /* the path, or as it was given                     */
    uint64_t at;          /* where in that file it begins; UINT64_MAX = not said */
    uint64_t identity;    /* of its content                                   */
    int64_t first_ns, last_ns; /* of starts; LK_TIME_NONE = none              */
    int64_t newest_ns;    /* the latest stamp; LK_TIME_NONE = none            */
    uint64_t attempts;    /* records that it sent                             */
    const char *options;  /* how it was read, canonical                       */
    const char *format, *compression; /* format "" = none                     */
    const char *moment;   /* what its stamps were taken for                   */
    uint64_t layout;      /* a hash of all that decides how its lines are read */
    uint64_t bytes, bytes_out, total, parsed, filtered, rejected, ignored, zoneless, nameless;
    uint64_t reasons[LK_SOURCE_REASONS];
    uint64_t named[LK_SOURCE_NAMINGS];
    const char *ids[LK_SOURCE_IDS]; /* names of its id columns; "" = none     */
    uint64_t id_count;
    bool truncated;
    uint64_t trouble;     /* an lk_code; 0 = none */
    const char *message;  /* of it                */
    const char *addresses; /* measure/heavy       */
} lk_source_account;

void lk_source_account_write(const lk_source_account *s, lk_buf *out);
LK_MUST_CHECK lk_code lk_source_account_read(lk_slice text, lk_arena *arena, lk_source_account *out,
                                             lk_err *e);

#endif
