/* model/evidence — what measure/ hands to infer/: plain arrays, integer counts.
 *
 * Units:  instants and durations in ns.
 * Owner:  the arena of the run.  */
#ifndef LK_MODEL_EVIDENCE_H
#define LK_MODEL_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The same arrivals in narrower bins, of a log too long to have them all in one array: read(ctx, from, n)
 * gives bins [from, from + n). */
typedef struct lk_fine_series {
    int64_t start_ns;
    int64_t bin_ns;
    size_t n; /* 0 = there are none */
    void (*read)(const void *ctx, size_t from, size_t n, uint32_t *all, uint32_t *rejected);
    const void *ctx;
} lk_fine_series;

/* Arrivals in bins: bin i covers [start_ns + i * bin_ns, + bin_ns). */
typedef struct lk_series {
    int64_t start_ns;
    int64_t bin_ns;
    size_t n;
    const uint32_t *all;      /* [n] */
    const uint32_t *rejected; /* [n] */
    lk_fine_series fine;
} lk_series;

/* One step of one caller: an attempt and the next one of the same caller (or of the same call). */
typedef struct lk_hop {
    int64_t from_ns;      /* start of the first attempt                              */
    int64_t gap_ns;       /* start of the next minus start of the first; -1 = the caller never came again */
    int64_t pause_ns;     /* start of the next minus END of the first; -1 as above   */
    int64_t asked_ns;     /* Retry-After of the first; -1 = none                     */
    uint64_t caller;      /* only steps of one caller are joined; the paths they make vote */
    uint32_t population;
    uint32_t target;
    bool failed;          /* the first attempt failed (lk_status_is_failed)          */
    bool rejected;        /* ... and was a rejection                                 */
    bool next_rejected;
    bool by_id;           /* joined by a call id, not by caller and target           */
} lk_hop;

/* What became of a call. */
typedef enum lk_fate { LK_FATE_RECOVERED, LK_FATE_FAILED, LK_FATE_OPEN, LK_FATE_FIRST } lk_fate;
enum { LK_FATES = 4 };

/* One call, whole. */
typedef struct lk_call {
    lk_fate fate;
    uint64_t lines;    /* HTTP attempts seen                                     */
    uint64_t attempts; /* of the SDK: by attempt number where logged, else lines */
    uint64_t tries;    /* of the lines: those that a proxy made of an attempt before them */
    uint64_t rejected;
    int64_t first_ns;  /* start of its first attempt; about, where calls share an id */
    int64_t span_ns;   /* first attempt's start to the success's end; -1 = not known */
    int64_t waited_ns; /* of it: between attempts                                */
    uint32_t value;    /* lk_attempt.value of its first attempt                  */
    uint32_t above;    /* lk_attempt.above of the same                           */
    uint16_t group;    /* number of its population                               */
} lk_call;

/* The calls that one task made, one where nothing shows a layer above calls. */
typedef struct lk_task {
    uint64_t calls, http; /* http: attempts */
    uint32_t value;       /* lk_attempt.value of its first attempt */
    uint32_t above;      /* lk_attempt.above of the same */
    uint16_t group;
} lk_task;

enum {
    LK_PERIOD_STATUSES = 32,
    LK_PERIOD_POPULATIONS = 16,
    LK_PERIOD_LENGTHS = 12, /* attempts a call up to 10; the last cell: more */
    LK_PERIOD_SPANS = 96    /* lk_span_cell */
};

/* Geometric cells of times to success: 16 % wide from 1 ms, the last one from 23 min on. */
size_t lk_span_cell(int64_t span_ns);
double lk_span_edge_s(size_t cell); /* where the cell begins */

/* What happened in one bin of time: attempts by their start, calls by that of their first one. */
typedef struct lk_period {
    uint32_t requests, attempts, failed, rejected, gave_up;
    uint32_t refused_good, refused_client; /* rejections that are no error by their status, as in a tally */
    uint32_t comebacks; /* of the attempts: later ones of a call or of a task */
    uint32_t told;      /* of the rejected: they carried a Retry-After */
    uint32_t served, refused, broken; /* with a logged duration: successes, rejections, other failures */
    int64_t served_ns, refused_ns, broken_ns; /* how long those took */
    uint32_t of_population[LK_PERIOD_POPULATIONS];         /* attempts, from its first rejection on */
    uint32_t rejected_population[LK_PERIOD_POPULATIONS];   /* of these: rejected */
    uint32_t comebacks_population[LK_PERIOD_POPULATIONS];  /* of these: later ones of a call or task */
    uint32_t by_status[LK_PERIOD_STATUSES];
    uint32_t calls[LK_FATES], lines, http, most, timed;
    uint32_t lengths[LK_PERIOD_LENGTHS]; /* calls by attempts */
    int64_t span_ns, waited_ns, span_max_ns; /* of the timed successes */
    uint32_t spans[LK_PERIOD_SPANS];         /* those, by lk_span_cell */
} lk_period;

/* Whose delay a comeback is. */
typedef enum lk_comeback_layer { LK_COMEBACK_CALL = 0, LK_COMEBACK_TASK = 1 } lk_comeback_layer;
enum { LK_COMEBACK_LAYERS = 2 };

/* A failed attempt and the next attempt of the same call, or a failed call and the next call of the
 * same task. */
typedef struct lk_comeback {
    uint64_t caller;     /* published hash of the caller */
    uint64_t call;       /* published hash of the call (or task) */
    int64_t at_ns;       /* end of the failed attempt */
    int64_t pause_ns;    /* from there to the start of the next; may be below 0 by the stamps' grain */
    int64_t previous_ns; /* the pause before this one; -1 = none, or not known */
    int64_t asked_ns;    /* Retry-After of the failed attempt; -1 = none */
    uint32_t population; /* symbol; UINT32_MAX = many */
    uint16_t retry;      /* 0 = before the first retry */
    uint16_t status;     /* of the failed attempt */
    uint8_t layer;       /* lk_comeback_layer */
    bool by_id;          /* joined by an id */
    bool fraction;       /* fine stamps */
    bool has_took;       /* the duration of the next attempt is logged */
    bool uncounted;      /* the next attempt bears the number of the failed one */
} lk_comeback;

enum { LK_COMEBACK_RETRIES = 64 };

/* The comebacks of one population and layer. */
typedef struct lk_comeback_set {
    uint32_t population;
    uint8_t layer;
    uint64_t total;
    uint64_t by_id; /* of these: joined by an id, not by inference */
    uint64_t by_retry[LK_COMEBACK_RETRIES + 1]; /* the last: all later ones */
    const lk_comeback *sample; /* [count] whole callers and calls, by caller, call, retry */
    size_t count;              /* less than total: callers past the bound were let go */
} lk_comeback_set;

/* A population whose failed attempts were tried again never. */
typedef struct lk_never_back {
    uint32_t population; /* symbol */
    uint64_t calls;
} lk_never_back;

enum { LK_WORKLOAD_BINS = 2048, LK_WORKLOAD_GROUPS = 64 };

/* What one population did in one bin of time: attempts and calls by their start. */
typedef struct lk_workload_bin {
    int64_t span_ns; /* of the timed successes: first attempt's start to the success's end */
    uint32_t attempts, failed, rejected;
    uint32_t calls, requeued; /* requeued: of the calls, those that a task made again */
    uint32_t failed_calls, timed;
} lk_workload_bin;

typedef struct lk_workload_evidence_of {
    size_t crowd;             /* number of the population's group */
    uint64_t calls;           /* of the whole log */
    uint64_t served, refused; /* attempts whose duration is logged, and their durations in sum */
    int64_t served_ns, refused_ns;
    int64_t span_p99_ns; /* of all successes of the log; -1 = none */
    const lk_workload_bin *bins; /* [n] */
} lk_workload_evidence_of;

/* A part of the log: bin i covers [start_ns + i * bin_ns, + bin_ns). */
typedef struct lk_workload_window {
    int64_t start_ns, bin_ns;
    size_t n; /* at most LK_WORKLOAD_BINS */
    lk_workload_evidence_of *crowds; /* [count] */
    size_t count;
} lk_workload_window;

typedef struct lk_evidence {
    lk_series series;
    const lk_hop *hops;     /* [hop_count], by from_ns, then caller                  */
    size_t hop_count;
    uint32_t hop_share_log2; /* hops are those of one caller in 2^this                */
    uint32_t calm_share_log2; /* the same of callers that never failed                */
    const lk_comeback_set *comebacks; /* [comeback_count] most first */
    size_t comeback_count;
    const lk_never_back *never_back; /* [never_back_count] */
    size_t never_back_count;
    int64_t resolution_ns;  /* of the stamps: 1 s, 1 ms, ...                         */
    int64_t first_ns, last_ns; /* first arrival, last arrival                        */
    uint64_t attempts, rejected;
    const lk_period *periods; /* [period_count], each period_ns wide, from periods_from_ns on */
    size_t period_count;
    int64_t period_ns, periods_from_ns;
    const uint16_t *statuses; /* [status_count] of lk_period.by_status */
    size_t status_count;
    const uint32_t *populations; /* [population_count] symbols, of lk_period.of_population */
    size_t population_count;     /* the first that were rejected */
    bool asked_is_logged; /* no Retry-After means that none was sent */
} lk_evidence;

#endif
