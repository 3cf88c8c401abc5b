/* input/gzip — gzip members, checked, block by block.
 *
 * Output of a deflate block is sealed when the block has ended without an error, so that a
 * damaged stream gives no byte of the block that does not inflate; a block that gives more than
 * 4 MiB is released in parts.  A stream that is cut short gives all that inflates.
 *
 * What this cannot see: most flipped bits in a log's gzip still inflate, to other bytes, until the
 * checksum at the member's end (measured: 99 of 100), and a flip may end its block early, so that
 * the error comes in the next.  No byte of a member is sure before its checksum was right.
 *
 * Errors: EDATA the deflate data or a header is damaged (message with the byte offset in the file),
 *         or a member's checksum or length does not match (its data is out by then, and the message
 *         says so); EOOM; those of input/members.
 * Cost:   zlib's 40 KiB, and input/members.
 * Source: RFC 1952, RFC 1951; zlib.h on inflate and Z_BLOCK.  */
#ifndef LK_INPUT_GZIP_H
#define LK_INPUT_GZIP_H

#include "input/codec.h"

extern const lk_codec LK_CODEC_GZIP;

#endif
