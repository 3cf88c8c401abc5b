#include "api/rejects.h"

#include "base/outfile.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 64 << 10 };

struct lk_rejects {
    lk_outfile file;
    lk_err trouble; /* of the first write that failed; code LK_OK = none */
    size_t len;
    char buf[BUFFER];
};

lk_code lk_rejects_open(const char *path, lk_rejects **out, lk_err *e)
{
    lk_rejects *r = calloc(1, sizeof(*r));

    if (!r)
        return lk_fail(e, LK_EOOM, "no memory for the rejected lines");
    if (lk_outfile_open(&r->file, "the rejected lines to ", path, e) != LK_OK) {
        free(r);
        return e->code;
    }
    *out = r;
    return LK_OK;
}

static void flush(lk_rejects *r)
{
    lk_err trouble = { 0 };

    if (r->trouble.code == LK_OK && lk_outfile_add(&r->file, r->buf, r->len, &trouble) != LK_OK)
        r->trouble = trouble;
    r->len = 0;
}

void lk_rejects_piece(lk_rejects *r, lk_slice piece)
{
    while (piece.len > 0 && r->trouble.code == LK_OK) {
        size_t n = piece.len < BUFFER - r->len ? piece.len : BUFFER - r->len;

        memcpy(r->buf + r->len, piece.p, n);
        r->len += n;
        piece = lk_slice_skip(piece, n);
        if (r->len == BUFFER)
            flush(r);
    }
}

void lk_rejects_line(lk_rejects *r, lk_slice raw)
{
    lk_rejects_piece(r, raw);
    lk_rejects_piece(r, LK_SLICE("\n"));
}

lk_code lk_rejects_finish(lk_rejects *r, lk_err *e)
{
    flush(r);
    if (r->trouble.code != LK_OK)
        return lk_fail(e, r->trouble.code, "%s", r->trouble.msg);
    return lk_outfile_finish(&r->file, e);
}

void lk_rejects_close(lk_rejects *r)
{
    if (!r)
        return;
    lk_outfile_abandon(&r->file);
    free(r);
}
