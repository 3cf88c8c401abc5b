/* input/isal — gzip members by ISA-L where it was there at build time (LK_HAVE_ISAL): a third of zlib's
 * time.
 *
 * ISA-L does not tell where a deflate block ends.  So output waits until its member has ended well or
 * 4 MiB more have inflated, which is past the end of its block; and where anything is amiss (damage, a
 * checksum, an early end, a header of a rare kind), zlib reads the member again from its start and says
 * what there is to say.  So the bytes, the messages and the offsets are those of input/gzip.
 *
 * Errors: next: those of input/gzip.
 * Cost:   5 MiB of output, ISA-L's 90 KiB; a damaged member is read twice.
 * Source: RFC 1952; igzip_lib.h.  */
#ifndef LK_INPUT_ISAL_H
#define LK_INPUT_ISAL_H

#include "input/codec.h"

enum { LK_ISAL_ROOM = 64 << 20 }; /* lk_bytes.room below which zlib reads: some files are read at once */

#ifdef LK_HAVE_ISAL

/* For input that can be read again (lk_bytes_can_seek).  `careful` opens zlib's stream at the place
 * where `in` stands. */
LK_MUST_CHECK lk_code lk_isal_open(lk_bytes *in,
                                   lk_code (*careful)(lk_bytes *in, lk_stream **out, lk_err *e),
                                   lk_stream **out, lk_err *e);

void lk_isal_library(char *out); /* "ISA-L 2.30.0"; out holds 32 bytes */

#endif

#endif
