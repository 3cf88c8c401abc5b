/* api/queue — the files of a run while they wait for their turn, however many.
 *
 * Each input is peeked once.  Up to `kept_max` of them stay as they are then, with an account of their
 * own.  Of more than that all are closed again, but for pipes; the first of them in order get their
 * account and show how lines are read; each of the others is looked at again when the merge reaches it, is
 * read as those that it is like, and gives its account to the `rest` when it has been read.
 *
 * Where there are lanes (api/lanes), files are read ahead of their turn.
 *
 * Owner:  lk_queue_init/lk_queue_release; paths belong to the caller, what is reported of kept files lives in the
 *         arena.
 * Errors: EOOM.  An input that does not open goes to `failed` and is none.
 * Thread: one; but a file that has a lane is read by who looks after that: until it is closed, the queue does not touch
 *         what lk_queue_read does.
 * Cost:   LK_QUEUE_BYTES a file that waits, and its path; about 12 KiB one that is kept, and 32 more until
 *         it is settled.  */
#ifndef LK_API_QUEUE_H
#define LK_API_QUEUE_H

#include "api/inputs.h"
#include "api/logfile.h"

struct lk_queue;
struct lk_kind;
struct lk_lanes;

enum { LK_QUEUE_BYTES = 144 };

/* What a file repeats, see api/repeats. */
typedef struct lk_repeat {
    const char *of; /* the file that counts in its place */
    lk_repeat_kind kind;
    uint64_t lines; /* that both have */
    uint64_t bytes, bytes_out;
    lk_err *why; /* NULL = it was read without trouble */
} lk_repeat;

typedef struct lk_waiting {
    lk_source source; /* first: the merge knows it by this */
    struct lk_queue *queue;
    const char *path;
    lk_logfile *file; /* NULL = waits, or has been read */
    lk_repeat *repeat; /* NULL = none */
    struct lk_addresses *addresses; /* of its own while it is read */
    lk_file_id id;
    lk_start start;
    uint64_t size; /* bytes; 0 = not known */
    uint16_t lane; /* + 1; 0 = it is read by who takes from it */
    bool is_regular, is_packed, is_kept;
    bool is_reached; /* its turn has come    */
    bool is_begun;   /* ... and it is read   */
} lk_waiting;

typedef struct lk_queue_hooks {
    void (*prepare)(void *ctx, lk_logfile *f); /* before it is read; past those that are kept by who reads it */
    lk_code (*failed)(void *ctx, const char *path, const lk_err *why, lk_err *e);
    void (*done)(void *ctx, const lk_logfile *f); /* of one of the rest, before it is let go */
    void *ctx;
} lk_queue_hooks;

typedef struct lk_queue {
    lk_waiting *items; /* [count], by first instant, then path, once lk_queue_sort was called */
    size_t count, kept_max;
    bool is_long; /* more inputs than are kept */
    lk_symbols *symbols;
    const lk_reading *reading;
    lk_queue_hooks hooks;
    lk_arena *arena;
    lk_logfile *spare; /* to look at one more */
    struct lk_lanes *lanes; /* NULL = none */
    struct lk_kind *kinds; /* [kind_count] ways to read lines, of the files that were settled */
    size_t kind_count;
    uint64_t untried; /* files that were not compared with all that begin alike */
    uint64_t compared; /* pairs that were read side by side */
} lk_queue;

/* `inputs` is how many there will be at most. */
LK_MUST_CHECK lk_code lk_queue_init(lk_queue *q, size_t inputs, size_t kept_max, lk_symbols *symbols,
                                    const lk_reading *reading, const lk_queue_hooks *hooks, lk_arena *arena,
                                    lk_err *e);
void lk_queue_release(lk_queue *q);

LK_MUST_CHECK lk_code lk_queue_add(lk_queue *q, const lk_input *in, lk_err *e);
/* Once all are there: in order. */
void lk_queue_sort(lk_queue *q);
/* Those that repeat others go behind those that count; how many that are. */
LK_MUST_CHECK lk_code lk_queue_set_repeats_aside(lk_queue *q, size_t *counting, lk_err *e);
/* Opens the first ones that are kept and waits with others; *kept = how many. */
LK_MUST_CHECK lk_code lk_queue_open_first(lk_queue *q, size_t counting, size_t *kept, lk_err *e);

/* The lines of files like this one are read by the layout; called in order of the files.  Files past those that are kept
 * are read as the first that they are like. */
LK_MUST_CHECK lk_code lk_queue_add_kind(lk_queue *q, const lk_sniffer *like, const lk_layout *layout, lk_err *e);

/* The next attempt of a file, by who reads it. */
LK_MUST_CHECK lk_step lk_queue_read(lk_waiting *w, lk_attempt *out, lk_err *e);

#endif
