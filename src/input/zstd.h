/* input/zstd — zstd frames, skippable ones among them, where libzstd was there at build time
 * (LK_HAVE_ZSTD).
 *
 * A block that does not decompress gives no byte.  A checksum, which most writers add, is known at
 * the frame's end, when its lines are out; the message says so.
 *
 * Errors: EDATA damaged (message with the byte offset in the file), a checksum that does not match,
 *         a frame that needs a dictionary or a window above 128 MiB; EOOM; those of input/members.
 * Cost:   the frame's window, 128 MiB at most (zstd's own bound; 8 MiB with usual levels).
 * Source: RFC 8878; zstd.h.  */
#ifndef LK_INPUT_ZSTD_H
#define LK_INPUT_ZSTD_H

#include "input/codec.h"

extern const lk_codec LK_CODEC_ZSTD;

#endif
