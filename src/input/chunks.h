/* input/chunks — the decompressed bytes of a file or pipe, chunk by chunk, with a start that can be
 * read twice.
 *
 * Recording copies what is handed out to a tape of at most `max` bytes.  At that limit the chunks
 * stop (`lk_chunks_is_paused`) rather than run past what can be given again: replay is right
 * whenever it comes.  Nothing is lost: after the tape comes the rest of the chunk that the limit
 * cut, then the file.
 *
 * Where compressed data ends and another compression or text begins (`cat a.gz b.zst c.log`), that
 * is read on; anything else behind it is counted and ends the file.  Text is 4 KiB, or what there
 * is, without control characters and with a newline.  A tar archive is refused, whatever it is
 * packed in.
 *
 * Owner:  lk_chunks_open/lk_chunks_close; a chunk lives until the next call.
 * Errors: open: EIO.  next: those of input/codec; EDATA a tar archive; EOOM.  An END or FAIL comes again on each call.
 * Cost:   input/bytes, the stream's own, and the tape until it has been played.  */
#ifndef LK_INPUT_CHUNKS_H
#define LK_INPUT_CHUNKS_H

#include "base/err.h"
#include "base/slice.h"
#include "input/bytes.h"
#include "input/codec.h"

enum { LK_TAR_HEAD = 263 }; /* up to the magic's end */

typedef enum lk_tape_mode {
    LK_TAPE_OFF,
    LK_TAPE_RECORDS,
    LK_TAPE_REWOUND, /* plays at the next call                       */
    LK_TAPE_PLAYED   /* in the caller's hands; goes at the next call */
} lk_tape_mode;

typedef struct lk_chunks {
    lk_bytes in;
    const lk_codec *first; /* the file's; NULL until the first bytes were read */
    const lk_codec *codec; /* the stream's */
    lk_stream *stream;
    uint64_t bytes_out;
    uint64_t stream_out; /* ... before the stream's                       */
    uint64_t sound_out;  /* no more is given; UINT64_MAX: nobody verified */
    lk_err unsound;      /* why                                           */
    uint64_t padding_bytes;               /* of all streams so far */
    uint64_t trailing_bytes, trailing_at; /* behind the last one; where they start in the file */
    char head[LK_TAR_HEAD]; /* the first bytes_out bytes */
    lk_slice rest; /* of the stream's chunk, when the tape was too short for all of it */
    lk_step end;   /* ITEM while there is more */
    lk_err why;
    struct {
        lk_tape_mode mode;
        char *p;
        size_t len, cap, max;
    } tape;
} lk_chunks;

LK_MUST_CHECK lk_code lk_chunks_open(lk_chunks *c, const char *path, lk_err *e);
void lk_chunks_close(lk_chunks *c);
LK_MUST_CHECK lk_step lk_chunks_next(lk_chunks *c, lk_slice *chunk, lk_err *e);

/* Of a regular file, before the first next: reads it once to its end.  What is given from then on ends
 * before the first member (frame, stream) that is damaged, cut short or whose check does not match; then
 * comes its FAIL.  EOOM. */
LK_MUST_CHECK lk_code lk_chunks_verify(lk_chunks *c, lk_err *e);
/* Bytes given before the member that is read, of all that was and will be given. */
uint64_t lk_chunks_member_out(const lk_chunks *c);

void lk_chunks_record(lk_chunks *c, size_t max); /* before the first next */
bool lk_chunks_is_paused(const lk_chunks *c);    /* the tape is full: next gives END until replay */
void lk_chunks_replay(lk_chunks *c);             /* without a recording: nothing */

#endif
