#include "input/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATHS_MIN = 64 };

bool lk_folder_is(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void lk_folder_release(lk_folder *f)
{
    free(f->paths);
    *f = (lk_folder){ NULL, 0 };
}

static lk_code add(lk_folder *f, size_t *cap, const char *path, lk_err *e)
{
    if (f->count == *cap) {
        const size_t more = *cap ? 2 * *cap : PATHS_MIN;
        const char **paths = realloc(f->paths, more * sizeof(*paths));

        if (!paths)
            return lk_fail(e, LK_EOOM, "no memory for the names of %zu files", more);
        f->paths = paths;
        *cap = more;
    }
    f->paths[f->count++] = path;
    return LK_OK;
}

static lk_code cannot_read(const char *path, lk_err *e)
{
    return lk_fail(e, errno == ENOMEM ? LK_EOOM : LK_EIO, "cannot read the directory '%s': %s", path,
                   strerror(errno));
}

static lk_code add_all(const char *path, DIR *d, lk_arena *arena, lk_folder *f, lk_err *e)
{
    const size_t len = strlen(path);
    const char *slash = len > 0 && path[len - 1] == '/' ? "" : "/";
    const struct dirent *entry;
    size_t cap = 0;

    while (errno = 0, (entry = readdir(d)) != NULL) {
        const char *name;

        if (entry->d_name[0] == '.')
            continue;
        name = lk_arena_printf(arena, "%s%s%s", path, slash, entry->d_name);
        if (!name)
            return lk_fail(e, LK_EOOM, "no memory for the names in '%s'", path);
        if (!lk_folder_is(name))
            LK_TRY(add(f, &cap, name, e));
    }
    if (errno != 0)
        return cannot_read(path, e);
    return LK_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

lk_code lk_folder_list(const char *path, lk_arena *arena, lk_folder *out, lk_err *e)
{
    DIR *d = opendir(path);
    lk_folder f = { NULL, 0 };
    lk_code code;

    if (!d)
        return cannot_read(path, e);
    code = add_all(path, d, arena, &f, e);
    (void)closedir(d);
    if (code != LK_OK) {
        lk_folder_release(&f);
        return code;
    }
    if (f.count)
        qsort(f.paths, f.count, sizeof(*f.paths), by_name);
    *out = f;
    return LK_OK;
}
