/* The other file that knows zlib: gzip.c drives inflate by itself, this one needs gzwrite alone. */
#include "input/gzip_writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static lk_code fail(const lk_gzip_writer *w, lk_err *e)
{
    return lk_fail(e, LK_EOUT, "cannot write '%s': %s", w->path,
                   errno ? strerror(errno) : "compression failed");
}

lk_code lk_gzip_writer_open(const char *path, lk_gzip_writer *out, lk_err *e)
{
    size_t len = strlen(path);
    gzFile file;

    errno = 0;
    if (strcmp(path, "-") == 0)
        file = gzdopen(dup(STDOUT_FILENO), "wbT"); /* 'T': as it is */
    else
        file = gzopen(path, len > 3 && strcmp(path + len - 3, ".gz") == 0 ? "wb6" : "wbT");
    *out = (lk_gzip_writer){ file, path };
    return file ? LK_OK : fail(out, e);
}

lk_code lk_gzip_writer_add(lk_gzip_writer *w, const char *p, size_t len, lk_err *e)
{
    while (len > 0) {
        unsigned part = len < 1U << 30 ? (unsigned)len : 1U << 30;

        errno = 0;
        if (gzwrite(w->file, p, part) != (int)part)
            return fail(w, e);
        p += part;
        len -= part;
    }
    return LK_OK;
}

lk_code lk_gzip_writer_close(lk_gzip_writer *w, lk_err *e)
{
    gzFile file = w->file;

    w->file = NULL;
    errno = 0;
    if (file && gzclose(file) != Z_OK)
        return fail(w, e);
    return LK_OK;
}

void lk_gzip_writer_abandon(lk_gzip_writer *w)
{
    if (w->file)
        (void)gzclose(w->file);
    w->file = NULL;
}
