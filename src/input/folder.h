/* input/folder — the files in a folder, one level deep.
 *
 * Hidden ones and folders in it are passed over; links, pipes and what cannot be looked at are
 * listed, for the reader to say what is wrong with them.
 *
 * Owner:  names live in the arena; lk_folder_release frees the list of them.
 * Errors: EIO with the system's reason; EOOM.  */
#ifndef LK_INPUT_FOLDER_H
#define LK_INPUT_FOLDER_H

#include "base/arena.h"
#include "base/err.h"

typedef struct lk_folder {
    const char **paths; /* [count], by name: the folder's path, a slash and the name */
    size_t count;
} lk_folder;

void lk_folder_release(lk_folder *f);
bool lk_folder_is(const char *path);
LK_MUST_CHECK lk_code lk_folder_list(const char *path, lk_arena *arena, lk_folder *out, lk_err *e);

#endif
