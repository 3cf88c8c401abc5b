#include "input/codec.h"

#include "input/gzip.h"

#include <stdlib.h>

/* clang-format off */
static const lk_codec ZSTD = { .name = "zstd", LK_MAGIC("\x28\xB5\x2F\xFD"), .instead = "zstdcat" };
static const lk_codec XZ = { .name = "xz", LK_MAGIC("\xFD" "7zXZ\0"), .instead = "xzcat" };
static const lk_codec BZIP2 = { .name = "bzip2", LK_MAGIC("BZh?1AY&SY"), .instead = "bzcat" };
static const lk_codec LZ4 = { .name = "lz4", LK_MAGIC("\x04\x22\x4D\x18"), .instead = "lz4 -dc" };
static const lk_codec LZW = { .name = "compress", LK_MAGIC("\x1F\x9D"), .instead = "zcat" };
static const lk_codec ZIP = { .name = "zip", LK_MAGIC("PK\x03\x04"), .instead = "unzip -p" };
/* clang-format on */

static const lk_codec *const CODECS[] = {
    &LK_CODEC_GZIP, &ZSTD, &XZ, &BZIP2, &LZ4, &LZW, &ZIP, NULL
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

const lk_codec LK_CODEC_NONE = { .name = "none", .magic = "", .open = open_plain };

/* As far as both go. */
static bool agrees(const lk_codec *c, lk_slice head)
{
    size_t i;

    for (i = 0; i < c->magic_len && i < head.len; i++)
        if (c->magic[i] != '?' && c->magic[i] != head.p[i])
            return false;
    return true;
}

/* The first row that agrees: *sure when the bytes that it needs are all there. */
static const lk_codec *claimant(lk_slice head, bool *sure)
{
    size_t i;

    *sure = true;
    for (i = 0; CODECS[i]; i++)
        if (agrees(CODECS[i], head)) {
            *sure = head.len >= CODECS[i]->magic_len;
            return CODECS[i];
        }
    return &LK_CODEC_NONE;
}

lk_code lk_codec_find(lk_bytes *in, const lk_codec **out, lk_err *e)
{
    lk_step got = LK_STEP_ITEM;
    const lk_codec *c;
    bool sure;

    while (c = claimant(lk_bytes_ahead(in), &sure), !sure && got == LK_STEP_ITEM)
        got = lk_bytes_fill(in, e);
    if (got == LK_STEP_FAIL)
        return e->code;
    if (!sure)
        c = &LK_CODEC_NONE;
    if (c->instead)
        return lk_fail(e, LK_EDATA, "%s is not built in; use: %s FILE | lockstep analyze -",
                       c->name, c->instead);
    *out = c;
    return LK_OK;
}
