/* input/codec — one row per compression, and which one a file's first bytes tell.
 *
 * A row without `open` names what is recognised and cannot be read, with the command that pipes it:
 * because nothing here reads it, or because its library (`needs`) was not there at build time.  A
 * stream gives the decompressed bytes chunk by chunk: ITEM with at least one byte, then END or FAIL,
 * after which it is not called again.  At END what is no more of its data is left unused.
 *
 * Owner:  open gives a stream, its own `close` frees it; a chunk lives until the next call.
 * Errors: find: EIO; EDATA for what cannot be read.  open: EOOM.
 *         next: EIO; a compression's own ETRUNC (cut short) and EDATA (damaged).  */
#ifndef LK_INPUT_CODEC_H
#define LK_INPUT_CODEC_H

#include "base/err.h"
#include "base/slice.h"
#include "input/bytes.h"

#include <stdbool.h>

typedef struct lk_stream {
    lk_step (*next)(struct lk_stream *self, lk_slice *chunk, lk_err *e);
    void (*close)(struct lk_stream *self);
    lk_bytes *in;
    uint64_t padding_bytes; /* zeros between and after the compressed data */
    uint64_t member_out;    /* bytes that it gave before those of the member that it reads */
    bool is_unsure;         /* it failed by that member's check: what the member gave may be wrong */
} lk_stream;

/* '?' stands for any byte from range[0] to range[1]. */
typedef struct lk_magic {
    const char *bytes;
    size_t len; /* 0 = none */
    const char *range;
} lk_magic;

#define LK_MAGIC(text) { (text), sizeof(text) - 1, NULL }
#define LK_MAGIC_ANY(text, range) { (text), sizeof(text) - 1, (range) }
enum { LK_MAGICS = 2 };

typedef struct lk_codec {
    const char *name;
    lk_magic magic[LK_MAGICS];
    lk_code (*open)(lk_bytes *in, lk_stream **out, lk_err *e); /* NULL = cannot be read */
    void (*library)(char *out); /* "zlib 1.2.13" of the library in use; out holds 32 bytes */
    const char *needs;          /* the library that this build is without */
    const char *instead;        /* command that writes FILE decompressed  */
} lk_codec;

extern const lk_codec LK_CODEC_NONE; /* what no other row claims */

/* Do the first bytes begin as one of these, as far as both go?  *sure when all that it takes is
 * there; unchanged when none agrees. */
bool lk_magic_agrees(const lk_magic magic[LK_MAGICS], lk_slice head, bool *sure);

/* The first row that these first bytes agree with, or LK_CODEC_NONE: *sure when all that it needs is
 * there. */
const lk_codec *lk_codec_claimant(lk_slice head, bool *sure);

/* Reads as few bytes as decide it, and uses none. */
LK_MUST_CHECK lk_code lk_codec_find(lk_bytes *in, const lk_codec **out, lk_err *e);

/* The library of the i-th compression that is built in; false past the last. */
bool lk_codec_library(size_t i, char *out);

#endif
