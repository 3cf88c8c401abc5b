/* input/lines — the lines of a file or pipe, decompressed, in bounded memory.
 *
 * Compression is told by content, never by name (input/codec); members may be of several kinds, and
 * text may follow them.  Zero padding and trailing bytes after the last member are noted; checksums
 * are checked.  Damage: what stood before is delivered, lines of the block that does not unpack are
 * not; a cut file gives all that unpacks.  A half line before the end that is missing comes with
 * `cut` set, and the error after it; then END.  Other bytes behind the last member are no error, but
 * a half line before them is `cut` as well.
 *
 * NUL bytes before a line (a hole left by copytruncate) are skipped without buffering and counted;
 * a byte-order mark at the start and a CR at a line's end are dropped.  Where the first 64 KiB have
 * CRs and no LF at all, a CR ends a line as an LF does.
 *
 * Owner:  lk_lines_open/lk_lines_close; a line's text lives until the next call.
 * Errors: open: EIO (missing, directory, no permission; the message names the path), EOOM.
 *         next, with the file and the number of the last line delivered: ETRUNC (cut short),
 *         EDATA (damaged: message with the byte offset in the file; a checksum or length that does
 *         not match: the member's lines were delivered and are not to be trusted; a compression
 *         that is not read, a tar archive), EIO (read error), EOOM.
 * Cost:   256 KiB of input, 5 KiB of marks; for compressed data 512 KiB of output, up to 4 MiB for long blocks, and what
 *         its library takes; the line that crosses two chunks, up to `max_line`.  A line longer than `max_line` (without
 *         its CR and a byte-order mark) is skipped in constant memory and comes as one item with
 *         `overlong` set and its first 200 bytes, or fewer, as text.  */
#ifndef LK_INPUT_LINES_H
#define LK_INPUT_LINES_H

#include "base/err.h"
#include "base/marks.h"
#include "base/slice.h"
#include "input/bytes.h"

enum { LK_LINE_MAX = 1 << 20 };

typedef struct lk_lines lk_lines;

typedef struct lk_line {
    lk_slice text;
    lk_slice raw;    /* as it stands in the file, with a byte-order mark and CR; of an overlong line
                        that went to lk_lines_on_overlong what was not given there: nothing */
    lk_quotes quotes; /* of raw, where they were asked for and it stands in one piece; not always known */
    uint64_t nuls;   /* NUL bytes before it, not part of raw */
    uint64_t number; /* 1-based */
    bool overlong;
    bool cut; /* the end of a damaged or cut file, without its own: do not count it as parsed */
} lk_line;

typedef struct lk_lines_stats {
    const char *compression;    /* "none", "gzip", "zstd", "xz", "bzip2"; of the first bytes */
    uint64_t bytes;             /* read from the file                */
    uint64_t bytes_out;         /* decompressed                      */
    uint64_t holes, hole_bytes; /* runs of NUL bytes before a line   */
    uint64_t padding_bytes;     /* zeros between and after compressed data  */
    uint64_t trailing_bytes;    /* other bytes after the last member ..     */
    uint64_t trailing_at;       /* .. and where in the file they start      */
    bool truncated;
    bool cr_ends_lines;
} lk_lines_stats;

/* path "-" is standard input, which is not closed.  max_line 0: LK_LINE_MAX. */
LK_MUST_CHECK lk_code lk_lines_open(const char *path, size_t max_line, lk_lines **out, lk_err *e);
void lk_lines_close(lk_lines *l); /* NULL is fine */
LK_MUST_CHECK lk_step lk_lines_next(lk_lines *l, lk_line *out, lk_err *e);
const lk_lines_stats *lk_lines_stats_of(const lk_lines *l);

/* From the next line on, lines come with the places of their quotes. */
void lk_lines_mark_quotes(lk_lines *l);

/* Keeps no descriptor between reads; for what is no regular file: nothing. */
void lk_lines_let_go(lk_lines *l);
lk_file_id lk_lines_file(const lk_lines *l);
uint64_t lk_lines_size(const lk_lines *l); /* of a regular file, bytes; 0 = not known */
/* Right after open: reading heeds the meter, and is counted on it where `is_counted`.  Once it is
 * stopped, next gives END, without the half line that was read last. */
void lk_lines_meter(lk_lines *l, lk_meter *meter, bool is_counted);
/* Who wants the bytes of overlong lines, which are not kept: given piece by piece, and before the line
 * itself.  `begins` is true with the first piece of a line.  NULL = nobody. */
typedef void lk_lines_sink(void *ctx, lk_slice piece, bool begins);
void lk_lines_on_overlong(lk_lines *l, lk_lines_sink *sink, void *ctx);

/* Right after open: what unpacks it may take so many bytes; what needs more is damage, and says so. */
void lk_lines_room(lk_lines *l, size_t bytes);

/* Can it be opened a second time (a regular file that has a path)? */
bool lk_lines_is_regular(const lk_lines *l);

/* When the file was last changed; false for pipes and the like. */
bool lk_lines_changed(const lk_lines *l, int64_t *at_ns);

/* Right after open: a regular file is read once to its end, and from then on gives nothing of a compressed
 * member that is damaged, cut short or whose check does not match, nor of what comes behind it.  EOOM. */
LK_MUST_CHECK lk_code lk_lines_strict(lk_lines *l, lk_err *e);

/* Peeking, for pipes, which cannot be opened twice: right after open, remember what is read from
 * now on, at most `max` decompressed bytes.  When that much was read next gives END ("the peek is
 * over", without the half line at the limit), whatever else there is, until replay: so replay is
 * right at any time.  A true END or FAIL before the limit comes as usual, and again after it. */
void lk_lines_record(lk_lines *l, size_t max);
/* What was recorded so far; until the next call. */
lk_slice lk_lines_recorded(const lk_lines *l);
/* Start again from the beginning, once: the recorded bytes come first, then the rest.  Line numbers
 * and holes start again as well; `bytes`, `bytes_out` and `truncated` go on.  No recording: no
 * effect. */
void lk_lines_replay(lk_lines *l);

#endif
