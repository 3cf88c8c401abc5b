#include "api/inputs.h"
#include "input/folder.h"

#include <stdlib.h>
#include <string.h>

static lk_code add(lk_inputs *in, size_t *cap, const lk_input *one, lk_err *e)
{
    if (in->count == *cap) {
        const size_t more = *cap ? 2 * *cap : 64;
        lk_input *list = realloc(in->list, more * sizeof(*list));

        if (!list)
            return lk_fail(e, LK_EOOM, "no memory for %zu inputs", more);
        in->list = list;
        *cap = more;
    }
    in->list[in->count++] = *one;
    return LK_OK;
}

static lk_code add_troubled(lk_inputs *in, size_t *cap, const char *path, const lk_err *why,
                            lk_arena *arena, lk_err *e)
{
    lk_err *copy = LK_NEW(arena, lk_err, 1);

    if (!copy)
        return lk_fail(e, LK_EOOM, "no memory for '%s'", path);
    *copy = *why;
    return add(in, cap, &(lk_input){ path, copy }, e);
}

static lk_code add_folder(lk_inputs *in, size_t *cap, const char *path, lk_arena *arena, lk_err *e)
{
    lk_folder folder = { NULL, 0 };
    lk_err trouble = { 0 };
    lk_code code = LK_OK;

    if (lk_folder_list(path, arena, &folder, &trouble) != LK_OK) {
        if (trouble.code == LK_EOOM)
            return lk_fail(e, LK_EOOM, "%s", trouble.msg);
        return add_troubled(in, cap, path, &trouble, arena, e);
    }
    if (folder.count == 0) {
        (void)lk_fail(&trouble, LK_EIO, "there is no file in the directory '%s'", path);
        return add_troubled(in, cap, path, &trouble, arena, e);
    }
    for (size_t i = 0; i < folder.count && code == LK_OK; i++)
        code = add(in, cap, &(lk_input){ folder.paths[i], NULL }, e);
    lk_folder_release(&folder);
    return code;
}

void lk_inputs_release(lk_inputs *in)
{
    free(in->list);
    *in = (lk_inputs){ NULL, 0 };
}

lk_code lk_inputs_list(const char *const *paths, size_t count, lk_arena *arena, lk_inputs *out,
                       lk_err *e)
{
    lk_inputs in = { NULL, 0 };
    lk_code code = LK_OK;
    size_t cap = 0;

    for (size_t i = 0; i < count && code == LK_OK; i++) {
        if (strcmp(paths[i], "-") != 0 && lk_folder_is(paths[i]))
            code = add_folder(&in, &cap, paths[i], arena, e);
        else
            code = add(&in, &cap, &(lk_input){ paths[i], NULL }, e);
    }
    if (code == LK_OK)
        *out = in;
    else
        lk_inputs_release(&in);
    return code;
}
