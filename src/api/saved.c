#include "api/saved.h"

#include "base/buf.h"
#include "report/read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static lk_code read_all(FILE *f, const char *name, lk_buf *text, lk_err *e)
{
    char part[8192];
    size_t got;

    while ((got = fread(part, 1, sizeof(part), f)) > 0) {
        lk_buf_add(text, part, got);
        if (text->len > LK_SAVED_MAX)
            return lk_fail(e, LK_EDATA, "'%s' is too long for a report", name);
    }
    if (ferror(f))
        return lk_fail(e, LK_EIO, "cannot read '%s': %s", name, strerror(errno));
    return text->failed ? lk_fail(e, LK_EOOM, "no memory for '%s'", name) : LK_OK;
}

static void name_file(lk_err *e, const char *path)
{
    (void)snprintf(e->file, sizeof(e->file), "%s",
                   strcmp(path, "-") == 0 ? "standard input" : path);
}

lk_code lk_saved_read(const char *path, lk_arena *arena, lk_report *out, lk_err *e)
{
    bool is_piped = strcmp(path, "-") == 0;
    FILE *f = is_piped ? stdin : fopen(path, "rb");
    lk_code code;
    lk_buf text;

    if (!f)
        return lk_fail(e, errno == ENOMEM ? LK_EOOM : LK_EIO, "cannot open '%s': %s", path, strerror(errno));
    lk_buf_init(&text);
    code = read_all(f, is_piped ? "standard input" : path, &text, e);
    if (code == LK_OK) {
        code = lk_report_read((lk_slice){ text.p, text.len }, arena, out, e);
        if (code != LK_OK)
            name_file(e, path);
    }
    lk_buf_release(&text);
    if (!is_piped)
        (void)fclose(f);
    return code;
}
