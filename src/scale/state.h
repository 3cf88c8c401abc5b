/* scale/state — what a reduce saves and a merge reads: attempts in runs that are sorted by time, and
 * the dictionary lines of their sources.
 *
 * A state is written front to back, so that it may go to a pipe: a line that names the version, blocks
 * that carry a checksum each, an index, and a footer that says where the index is.  Without its footer
 * a state is cut short.
 *
 * Units:  ns.  Numbers are little-endian.
 * Owner:  lk_state_writer_open/close, lk_state_open/close; a run reader belongs to the caller.
 * Errors: EDATA no state, another version, a checksum that does not match; ETRUNC; EIO; EOOM; EOUT.
 * Cost:   a block (about LK_STATE_BLOCK bytes) a run that is read or written, the dictionary, 24 bytes
 *         a source.  No descriptor is held between two reads.
 * Source: lockstep-map(5).  */
#ifndef LK_SCALE_STATE_H
#define LK_SCALE_STATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_STATE_VERSION = 2, LK_STATE_BLOCK = 64 << 10, LK_STATE_REST_MAX = 320 };

/* An attempt as the state has it, in its turn; `rest` is what scale/record calls so. */
typedef struct lk_state_entry {
    int64_t turn_ns;
    uint64_t key, ordinal;
    uint32_t source; /* index among the state's sources */
    lk_slice rest;
} lk_state_entry;

/* Numbers of sources, in the order in which they came, with how many attempts each has. */
typedef struct lk_state_sources {
    uint64_t *numbers, *counts; /* [count] */
    size_t count, cap;
    uint32_t *slots; /* index + 1, 0 = empty */
    size_t slot_count;
} lk_state_sources;

void lk_state_sources_release(lk_state_sources *s);
LK_MUST_CHECK lk_code lk_state_sources_index(lk_state_sources *s, uint64_t number, uint32_t *index,
                                             lk_err *e);

/* ---- writing ---- */

typedef lk_code lk_state_sink(void *ctx, const char *bytes, size_t len, lk_err *e);
typedef struct lk_state_writer lk_state_writer;

LK_MUST_CHECK lk_code lk_state_writer_open(lk_state_sink *sink, void *ctx, lk_state_writer **out,
                                           lk_err *e);
void lk_state_writer_close(lk_state_writer *w);
lk_state_sources *lk_state_writer_sources(lk_state_writer *w);
/* Entries of one run come in order of their turns. */
LK_MUST_CHECK lk_code lk_state_writer_put(lk_state_writer *w, const lk_state_entry *entry, lk_err *e);
LK_MUST_CHECK lk_code lk_state_writer_end_run(lk_state_writer *w, lk_err *e);
/* lines: the dictionary, sorted, each with its newline. */
LK_MUST_CHECK lk_code lk_state_writer_finish(lk_state_writer *w, lk_slice lines, lk_err *e);

/* ---- reading ---- */

typedef struct lk_state_run {
    uint64_t at, end, entries;
} lk_state_run;

typedef struct lk_state {
    const char *path; /* the caller's */
    uint64_t size;
    char *dictionary;
    size_t dictionary_len;
    lk_state_run *runs; /* [run_count] */
    size_t run_count;
    lk_state_sources sources;
} lk_state;

/* Reads the index and the dictionary; the state is a regular file. */
LK_MUST_CHECK lk_code lk_state_open(lk_state *s, const char *path, lk_err *e);
void lk_state_close(lk_state *s);

typedef struct lk_run_reader {
    const lk_state *state;
    uint64_t at, end, left; /* of the run; entries that are left in it */
    char *block;
    size_t cap, from, to;
    uint64_t in_block; /* entries that are left in the block */
    int64_t last_ns;   /* of the entry before, in this block */
    int64_t newest_ns; /* of all so far                      */
} lk_run_reader;

void lk_run_reader_init(lk_run_reader *r, const lk_state *state, size_t run);
void lk_run_reader_release(lk_run_reader *r);
/* rest points into the block, until the next call. */
LK_MUST_CHECK lk_step lk_run_reader_next(lk_run_reader *r, lk_state_entry *out, lk_err *e);

#endif
