/* api/inputs — the inputs as they were named, folders replaced by the files in them.
 *
 * Owner:  lk_inputs_release frees the list; names of files in folders live in the arena, paths that were given
 *         belong to the caller.
 * Errors: EOOM.  A folder that cannot be read or holds no file is an input with its trouble.  */
#ifndef LK_API_INPUTS_H
#define LK_API_INPUTS_H

#include "base/arena.h"
#include "base/err.h"

typedef struct lk_input {
    const char *path;
    const lk_err *trouble; /* NULL = none known yet */
} lk_input;

typedef struct lk_inputs {
    lk_input *list; /* [count] */
    size_t count;
} lk_inputs;

void lk_inputs_release(lk_inputs *in);

LK_MUST_CHECK lk_code lk_inputs_list(const char *const *paths, size_t count, lk_arena *arena,
                                     lk_inputs *out, lk_err *e);

#endif
