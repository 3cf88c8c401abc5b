#include "cli/state_file.h"

#include "cli/beside.h"
#include "cli/cmd.h"

typedef struct state_file {
    lk_beside file;
    lk_err trouble;
} state_file;

static int write_bytes(void *to, const char *bytes, size_t len)
{
    state_file *f = to;

    return lk_beside_write(&f->file, bytes, len, &f->trouble) != LK_OK || f->file.gone;
}

int lk_state_file_make(const char *path, lk_state_make *make, void *ctx)
{
    lockstep_error error = { 0 };
    state_file f = { .trouble = { .code = LK_OK } };
    lk_err e = { 0 };
    int status;

    if (lk_beside_open(&f.file, path, &e) != LK_OK)
        return lk_complain_of(&e);
    status = make(ctx, write_bytes, &f, &error);
    if (f.trouble.code != LK_OK)
        status = lk_complain_of(&f.trouble);
    else if (f.file.gone)
        status = 0;
    else if (status != 0)
        status = lk_complain(status, "%s", error.message);
    else if (lk_beside_keep(&f.file, &e) != LK_OK)
        status = lk_complain_of(&e);
    lk_beside_drop(&f.file);
    return status;
}
