/* input/xz — xz streams and their padding, where liblzma was there at build time (LK_HAVE_XZ).
 *
 * liblzma does not tell damaged data from a check that does not match, and most damage unpacks to
 * other bytes until that check at the end of a block (often the only one of the file), so the
 * message names no cause and trusts no line of the stream.
 *
 * Errors: EDATA damaged (message with the byte offset in the file), options that liblzma does not
 *         know, a dictionary above the bound; EOOM; those of input/members.
 * Cost:   the stream's dictionary, 128 MiB in all at most (xz -9 needs 65 MiB, xz 9 MiB).
 * Source: the .xz file format 1.1.0; lzma/container.h.  */
#ifndef LK_INPUT_XZ_H
#define LK_INPUT_XZ_H

#include "input/codec.h"

extern const lk_codec LK_CODEC_XZ;

#endif
