/* measure/workload — what each population wanted and what it was given, in bins of time: from this an
 * incident can be simulated anew.
 *
 * Populations are the linker's groups.  A commutative monoid: bins only ever double and stand on
 * multiples of their width.
 *
 * Shapes: crowds[LK_WORKLOAD_CROWDS], each of pages of LK_WORKLOAD_PAGE bins, made when first used.
 * Units:  ns.
 * Owner:  lk_workload_init/lk_workload_release.
 * Errors: EOOM.
 * Cost:   at most LK_WORKLOAD_PAGES pages of 10 kB (15 MB): a day of some populations at 2 s.  */
#ifndef LK_MEASURE_WORKLOAD_H
#define LK_MEASURE_WORKLOAD_H

#include "base/arena.h"
#include "model/attempt.h"
#include "model/evidence.h"

enum {
    LK_WORKLOAD_CROWDS = LK_WORKLOAD_GROUPS,
    LK_WORKLOAD_PAGE = 256,
    LK_WORKLOAD_REACH = 256, /* pages from first to last, at most */
    LK_WORKLOAD_PAGES = 1536, /* of all crowds */
    LK_WORKLOAD_SPANS = 64 * 8
};

typedef struct lk_workload_crowd {
    bool is_seen;
    uint64_t calls, served, refused; /* served, refused: attempts whose duration is logged */
    int64_t served_ns, refused_ns;
    uint32_t spans[LK_WORKLOAD_SPANS]; /* times to success, eight cells an octave */
    lk_workload_bin *pages[LK_WORKLOAD_REACH];
} lk_workload_crowd;

typedef struct lk_workload {
    int64_t bin_ns, first_page; /* page number since the epoch of pages[0] */
    size_t max;            /* pages; LK_WORKLOAD_PAGES unless limited */
    size_t reach, pages;        /* pages in use: of the longest crowd, of all */
    int64_t begin_ns, end_ns;   /* of the bin used last: the next attempt is mostly in it */
    size_t page_at, at;         /* its page, and its place there */
    lk_workload_crowd *crowds;  /* [LK_WORKLOAD_CROWDS] */
} lk_workload;

LK_MUST_CHECK lk_code lk_workload_init(lk_workload *w, int64_t bin_ns, lk_err *e);
/* Fewer pages, but one for each crowd and some; before anything is added. */
void lk_workload_limit(lk_workload *w, size_t pages_max);
void lk_workload_release(lk_workload *w);

LK_MUST_CHECK lk_code lk_workload_attempt(lk_workload *w, size_t crowd, const lk_attempt *a,
                                          lk_err *e);
/* By the start of its first attempt; one without it is counted but in no bin. */
LK_MUST_CHECK lk_code lk_workload_call(lk_workload *w, const lk_call *call, lk_err *e);
/* The same of one that its first attempt succeeded. */
LK_MUST_CHECK lk_code lk_workload_first(lk_workload *w, size_t crowd, int64_t at_ns, int64_t span_ns,
                                        lk_err *e);
/* A call of that crowd that a task made again, by its start. */
LK_MUST_CHECK lk_code lk_workload_requeue(lk_workload *w, size_t crowd, int64_t at_ns, lk_err *e);

/* The bins from from_ns to to_ns, merged to at least grain_ns and so that there are at most LK_WORKLOAD_BINS;
 * in the arena,
 * where crowds[i].crowd is the number above. */
LK_MUST_CHECK lk_code lk_workload_evidence(const lk_workload *w, int64_t from_ns, int64_t to_ns,
                                           int64_t grain_ns, lk_arena *arena,
                                           lk_workload_window *out, lk_err *e);

#endif
