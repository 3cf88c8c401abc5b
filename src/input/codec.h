/* input/codec — one row per compression, and which one a file's first bytes tell.
 *
 * A row that has `instead` names what is recognised and not built in, with the command that pipes
 * it.  A stream gives the decompressed bytes chunk by chunk: ITEM with at least one byte, then END
 * or FAIL, after which it is not called again.
 *
 * Owner:  open gives a stream, its own `close` frees it; a chunk lives until the next call.
 * Errors: find: EIO; EDATA for a compression that is not built in.  open: EOOM.
 *         next: EIO; a compression's own ETRUNC (cut short) and EDATA (damaged).  */
#ifndef LK_INPUT_CODEC_H
#define LK_INPUT_CODEC_H

#include "base/err.h"
#include "base/slice.h"
#include "input/bytes.h"

typedef struct lk_stream {
    lk_step (*next)(struct lk_stream *self, lk_slice *chunk, lk_err *e);
    void (*close)(struct lk_stream *self);
    lk_bytes *in;
    uint64_t padding_bytes;  /* zeros after the compressed data       */
    uint64_t trailing_bytes; /* other bytes after the compressed data */
} lk_stream;

typedef struct lk_codec {
    const char *name;
    const char *magic; /* '?' stands for any byte */
    size_t magic_len;
    lk_code (*open)(lk_bytes *in, lk_stream **out, lk_err *e);
    const char *instead; /* command that writes FILE decompressed */
} lk_codec;

#define LK_MAGIC(text) .magic = (text), .magic_len = sizeof(text) - 1

extern const lk_codec LK_CODEC_NONE; /* what no other row claims */

/* Reads as few bytes as decide it, and uses none. */
LK_MUST_CHECK lk_code lk_codec_find(lk_bytes *in, const lk_codec **out, lk_err *e);

#endif
