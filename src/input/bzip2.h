/* input/bzip2 — bzip2 streams, block by block, where libbz2 was there at build time (LK_HAVE_BZIP2).
 *
 * A block is sealed once its checksum was right, so that a damaged one gives no byte (unless it gives
 * more than 4 MiB).  A file that is cut short ends with the last block that is whole.
 *
 * Errors: EDATA damaged, or a block's checksum does not match (message with the byte offset in the
 *         file); EOOM; those of input/members.
 * Cost:   4 MiB, and input/members.
 * Source: bzlib.h; its decompressor reads a block wholly before it gives a byte of it.  */
#ifndef LK_INPUT_BZIP2_H
#define LK_INPUT_BZIP2_H

#include "input/codec.h"

extern const lk_codec LK_CODEC_BZIP2;

#endif
