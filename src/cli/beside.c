#include "cli/beside.h"

#include "cli/output.h"

lk_code lk_beside_open(lk_beside *b, const char *path, lk_err *e)
{
    b->is_file = path != NULL;
    b->is_open = b->gone = false;
    if (!path)
        return LK_OK;
    LK_TRY(lk_outfile_open(&b->file, "", path, e));
    b->is_open = true;
    return LK_OK;
}

lk_code lk_beside_write(lk_beside *b, const char *bytes, size_t len, lk_err *e)
{
    if (b->is_file)
        return lk_outfile_add(&b->file, bytes, len, e);
    return b->gone ? LK_OK : lk_output_now(bytes, len, &b->gone, e);
}

lk_code lk_beside_keep(lk_beside *b, lk_err *e)
{
    if (!b->is_file)
        return LK_OK;
    b->is_open = false;
    return lk_outfile_finish(&b->file, e);
}

void lk_beside_drop(lk_beside *b)
{
    if (b->is_open)
        lk_outfile_abandon(&b->file);
    b->is_open = false;
}
