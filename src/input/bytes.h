/* input/bytes — a file descriptor and the bytes read from it that nobody has used yet.
 *
 * A regular file can be read without keeping its descriptor (`lk_bytes_let_go`): each fill opens it,
 * sees that it is still the same file, and closes it again.
 *
 * Owner:  lk_bytes_open/lk_bytes_close; standard input is not closed; the path belongs to the caller.
 * Errors: open: EIO (missing, directory, no permission).  fill: EIO with the system's reason,
 *         or because another file has taken its place.
 * With a meter, what is read is added to it where `is_counted`, and once it is stopped no more is
 * read: the next fill gives END.  A pipe that nobody writes to is left within a tenth of a second.
 *
 * Cost:   one buffer of 256 KiB inside the struct.  Short reads, EINTR and a descriptor that
 *         somebody made non-blocking are dealt with here.  */
#ifndef LK_INPUT_BYTES_H
#define LK_INPUT_BYTES_H

#include "base/err.h"
#include "base/meter.h"
#include "base/slice.h"

enum { LK_BYTES_CAP = 256 << 10, LK_BYTES_BACK = 8 };

/* Which file it is, whatever it is called. */
typedef struct lk_file_id {
    uint64_t device, number;
} lk_file_id;

typedef struct lk_bytes {
    int fd; /* -1 = let go */
    const char *path;
    lk_file_id id;
    bool is_owned, is_regular;
    bool at_end;
    lk_meter *meter; /* NULL = nobody looks on */
    bool is_counted;
    size_t room;    /* bytes that what unpacks it may take; 0 = as usual */
    uint64_t total; /* read from the descriptor so far */
    size_t at, len; /* buf[at .. len) is unused        */
    char buf[LK_BYTES_CAP];
} lk_bytes;

/* path "-" is standard input. */
LK_MUST_CHECK lk_code lk_bytes_open(lk_bytes *b, const char *path, lk_err *e);
void lk_bytes_close(lk_bytes *b);
void lk_bytes_let_go(lk_bytes *b); /* what is no regular file: nothing */

/* Reads some more bytes behind the unused ones, of which there must be less than the buffer holds.
 * ITEM when there is at least one more.  The last LK_BYTES_BACK used ones stay. */
LK_MUST_CHECK lk_step lk_bytes_fill(lk_bytes *b, lk_err *e);

/* Of a regular file; 0 = not known. */
uint64_t lk_bytes_size(const lk_bytes *b);

/* When the file was last changed, ns since the epoch; false where that is not known: pipes. */
bool lk_bytes_changed(const lk_bytes *b, int64_t *at_ns);

/* Back to an offset of the file, which must be one that is_regular and holds its descriptor, or has
 * a name to open it by.  EIO. */
LK_MUST_CHECK lk_code lk_bytes_seek(lk_bytes *b, uint64_t offset, lk_err *e);

lk_slice lk_bytes_ahead(const lk_bytes *b);  /* what is unused; lives until the next fill */
void lk_bytes_use(lk_bytes *b, size_t len);  /* len <= what is ahead                      */
/* Makes used bytes unused again: at most LK_BYTES_BACK, or what was used since the last fill. */
void lk_bytes_unuse(lk_bytes *b, size_t len);
uint64_t lk_bytes_offset(const lk_bytes *b); /* of the first unused byte in the file      */

#endif
