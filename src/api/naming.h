/* api/naming — fields of the log's own that options name: --call-id, --task-id, --attempt-no, --layer.
 *
 * Most formats have a place of their own for ids and numbers, which is cheaper; what they do not
 * find there is read by its name.
 *
 * Owner:  names live in the arena or belong to the options.
 * Errors: EUSAGE no NAME=FIELD, a name that is taken, too many fields; EOOM.  */
#ifndef LK_API_NAMING_H
#define LK_API_NAMING_H

#include "base/arena.h"
#include "format/custom.h"
#include "format/named.h"
#include "lockstep/lockstep.h"
#include "model/named_layers.h"

typedef enum lk_naming_what { LK_NAMING_CALL, LK_NAMING_TASK, LK_NAMING_ATTEMPT } lk_naming_what;
enum { LK_NAMINGS = 3 };

typedef struct lk_naming {
    lk_named asked;
    const char *field[LK_NAMINGS]; /* NULL = not asked for */
    uint8_t number[LK_NAMINGS];    /* in `asked` */
    size_t layer_count;
    const char *layer[LK_NAMED_LAYERS_MAX], *layer_field[LK_NAMED_LAYERS_MAX];
    uint8_t layer_number[LK_NAMED_LAYERS_MAX];
} lk_naming;

/* `custom`: the format that was given, NULL = none. */
LK_MUST_CHECK lk_code lk_naming_init(lk_naming *n, const lockstep_options *options,
                                     const lk_custom *custom, lk_arena *arena, lk_err *e);

#endif
