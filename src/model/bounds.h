/* model/bounds — how much of each thing that a run keeps there may be, from one bound of memory.
 *
 * Every table of a run has a bound of entries; a bound of memory scales all of them together.  What lies
 * beyond makes the answer coarser and is counted, never dropped in silence.
 *
 * Units:  entries of LK_BOUNDS_TABLE's rows; bytes.
 * Errors: EUSAGE below LK_MEMORY_MIN: the program and its libraries alone need some.  */
#ifndef LK_MODEL_BOUNDS_H
#define LK_MODEL_BOUNDS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define LK_MEMORY_DEFAULT ((size_t)256 << 20)
#define LK_MEMORY_MIN ((size_t)32 << 20)

typedef enum lk_bound {
    LK_BOUND_CALLS,   /* that wait for their end                  */
    LK_BOUND_CALLERS, /* and targets of theirs, by last attempt   */
    LK_BOUND_IDS,     /* of calls that wait                       */
    LK_BOUND_WINDOW,  /* attempts that wait for earlier ones      */
    LK_BOUND_TARGETS,
    LK_BOUND_AGENTS,
    LK_BOUND_BINS,    /* of the arrivals                          */
    LK_BOUND_FINE,    /* blocks of narrow ones of a long log      */
    LK_BOUND_STEPS,   /* of callers that failed before            */
    LK_BOUND_PAGES,   /* of the workload                          */
    LK_BOUND_UNITS,   /* of named layers                          */
    LK_BOUND_HELD,    /* attempts that are to be printed          */
    LK_BOUND_LINE,    /* bytes of the longest line                */
    LK_BOUND_FILES,   /* inputs with an account each              */
    LK_BOUNDS
} lk_bound;

typedef struct lk_bounds {
    size_t memory; /* bytes */
    size_t max[LK_BOUNDS];
    size_t side_room;   /* bytes for those that are read side by side   */
    size_t unpack_room; /* bytes for what unpacks one of them, besides  */
} lk_bounds;

typedef struct lk_bound_row {
    const char *name, *past; /* what it bounds; what becomes of what is beyond */
    size_t usual;            /* entries at LK_MEMORY_DEFAULT */
    size_t least, most;
    size_t bytes;            /* of an entry, about */
} lk_bound_row;

extern const lk_bound_row LK_BOUNDS_TABLE[LK_BOUNDS];

/* memory 0: LK_MEMORY_DEFAULT. */
LK_MUST_CHECK lk_code lk_bounds_init(lk_bounds *b, size_t memory, lk_err *e);

/* What `count` inputs need beside the tables: `waiting` bytes until their turn, and buffers while they are read;
 * the tables get the less.  EUSAGE where too little is left, with what would do. */
LK_MUST_CHECK lk_code lk_bounds_for_files(lk_bounds *b, size_t count, size_t waiting, lk_err *e);

#endif
