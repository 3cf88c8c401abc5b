#include "api/inputs.h"
#include "input/folder.h"

#include <string.h>

static lk_code add(lk_inputs *in, size_t *cap, const lk_input *one, lk_arena *arena, lk_err *e)
{
    if (in->count == *cap) {
        const size_t more = *cap ? 2 * *cap : 64;
        lk_input *list = LK_NEW(arena, lk_input, more);

        if (!list)
            return lk_fail(e, LK_EOOM, "no memory for %zu inputs", more);
        if (in->count)
            memcpy(list, in->list, in->count * sizeof(*list));
        in->list = list;
        *cap = more;
    }
    in->list[in->count++] = *one;
    return LK_OK;
}

static lk_code add_folder(lk_inputs *in, size_t *cap, const char *path, lk_arena *arena, lk_err *e)
{
    lk_input one = { .path = path };
    lk_folder folder = { NULL, 0 };

    if (lk_folder_list(path, arena, &folder, &one.trouble) != LK_OK) {
        if (one.trouble.code == LK_EOOM)
            return lk_fail(e, LK_EOOM, "%s", one.trouble.msg);
        return add(in, cap, &one, arena, e);
    }
    if (folder.count == 0) {
        (void)lk_fail(&one.trouble, LK_EIO, "there is no file in the directory '%s'", path);
        return add(in, cap, &one, arena, e);
    }
    for (size_t i = 0; i < folder.count; i++) {
        one.path = folder.paths[i];
        LK_TRY(add(in, cap, &one, arena, e));
    }
    return LK_OK;
}

lk_code lk_inputs_list(const char *const *paths, size_t count, lk_arena *arena, lk_inputs *out,
                       lk_err *e)
{
    lk_inputs in = { NULL, 0 };
    size_t cap = 0;

    for (size_t i = 0; i < count; i++) {
        const lk_input one = { .path = paths[i] };

        if (strcmp(paths[i], "-") != 0 && lk_folder_is(paths[i]))
            LK_TRY(add_folder(&in, &cap, paths[i], arena, e));
        else
            LK_TRY(add(&in, &cap, &one, arena, e));
    }
    *out = in;
    return LK_OK;
}
