#include "input/codec.h"

#include "input/bzip2.h"
#include "input/gzip.h"
#include "input/xz.h"
#include "input/zstd.h"

#include <stdlib.h>

/* What nothing here reads. */
/* clang-format off */
static const lk_codec FOREIGN[] = {
    { .name = "lz4", .magic = { LK_MAGIC("\x04\x22\x4D\x18"), LK_MAGIC("\x02\x21\x4C\x18") }, .instead = "lz4 -dc" },
    { .name = "compress", .magic = { LK_MAGIC("\x1F\x9D") }, .instead = "zcat" },
    { .name = "zip", .magic = { LK_MAGIC("PK\x03\x04") }, .instead = "unzip -p" },
    { .name = "7z", .magic = { LK_MAGIC("7z\xBC\xAF\x27\x1C") }, .instead = "7z x -so" },
    { .name = "lzip", .magic = { LK_MAGIC("LZIP\x01") }, .instead = "lzip -dc" },
    { .name = "lzop", .magic = { LK_MAGIC("\x89LZO\0\r\n\x1A\n") }, .instead = "lzop -dc" },
};
/* clang-format on */

static const lk_codec *const CODECS[] = {
    &LK_CODEC_GZIP, &LK_CODEC_ZSTD, &LK_CODEC_XZ,  &LK_CODEC_BZIP2, &FOREIGN[0], &FOREIGN[1],
    &FOREIGN[2],    &FOREIGN[3],    &FOREIGN[4], &FOREIGN[5],     NULL
};

static lk_step next_plain(lk_stream *self, lk_slice *chunk, lk_err *e)
{
    lk_bytes *in = self->in;
    lk_step got = LK_STEP_ITEM;

    if (lk_bytes_ahead(in).len == 0)
        got = lk_bytes_fill(in, e);
    if (got == LK_STEP_ITEM) {
        *chunk = lk_bytes_ahead(in);
        lk_bytes_use(in, chunk->len);
    }
    return got;
}

static void close_plain(lk_stream *self)
{
    free(self);
}

static lk_code open_plain(lk_bytes *in, lk_stream **out, lk_err *e)
{
    lk_stream *s = calloc(1, sizeof(*s));

    if (!s)
        return lk_fail(e, LK_EOOM, "no memory to read a file");
    s->next = next_plain;
    s->close = close_plain;
    s->in = in;
    *out = s;
    return LK_OK;
}

const lk_codec LK_CODEC_NONE = { .name = "none", .open = open_plain };

static bool agrees(const lk_magic *m, lk_slice head)
{
    size_t i;

    for (i = 0; i < m->len && i < head.len; i++) {
        const bool is_any = m->bytes[i] == '?' && m->range;

        if (is_any ? head.p[i] < m->range[0] || head.p[i] > m->range[1]
                   : head.p[i] != m->bytes[i])
            return false;
    }
    return m->len > 0;
}

bool lk_magic_agrees(const lk_magic magic[LK_MAGICS], lk_slice head, bool *sure)
{
    for (size_t i = 0; i < LK_MAGICS; i++)
        if (agrees(&magic[i], head)) {
            *sure = head.len >= magic[i].len;
            return true;
        }
    return false;
}

const lk_codec *lk_codec_claimant(lk_slice head, bool *sure)
{
    *sure = true;
    for (size_t i = 0; CODECS[i]; i++)
        if (lk_magic_agrees(CODECS[i]->magic, head, sure))
            return CODECS[i];
    return &LK_CODEC_NONE;
}

static lk_code refuse(const lk_codec *c, lk_err *e)
{
    if (c->needs)
        return lk_fail(e, LK_EDATA, "%s needs %s, which this build is without; use: "
                       "%s FILE | lockstep analyze -", c->name, c->needs, c->instead);
    return lk_fail(e, LK_EDATA, "%s is not read; use: %s FILE | lockstep analyze -", c->name,
                   c->instead);
}

lk_code lk_codec_find(lk_bytes *in, const lk_codec **out, lk_err *e)
{
    lk_step got = LK_STEP_ITEM;
    const lk_codec *c;
    bool sure;

    while (c = lk_codec_claimant(lk_bytes_ahead(in), &sure), !sure && got == LK_STEP_ITEM)
        got = lk_bytes_fill(in, e);
    if (got == LK_STEP_FAIL)
        return e->code;
    if (!sure)
        c = &LK_CODEC_NONE;
    if (!c->open)
        return refuse(c, e);
    *out = c;
    return LK_OK;
}

bool lk_codec_library(size_t i, char *out)
{
    for (size_t k = 0; CODECS[k]; k++)
        if (CODECS[k]->library && i-- == 0) {
            CODECS[k]->library(out);
            return true;
        }
    return false;
}
