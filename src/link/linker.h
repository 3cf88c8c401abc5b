/* link/linker — joins attempts into calls, and calls into tasks, while they stream by.
 *
 * By a call id where the log has one that joins (a known field, or one whose values come again after
 * failures and not after successes); else by caller, method, target and user agent, comparing what
 * follows a failure with what follows a success of the same population.  Decisions wait for the
 * whole evidence, in bounded memory: only failed attempts and what their callers do next are kept.
 * Past the bound the oldest are decided with what is known by then.
 *
 * Owner:  lk_linker_open/lk_linker_close.
 * Errors: EOOM.
 * Cost:   at most about 40 MB; O(1) an attempt, n log n over the kept units.
 * Thread: one.  */
#ifndef LK_LINK_LINKER_H
#define LK_LINK_LINKER_H

#include "base/arena.h"
#include "link/group.h"
#include "model/attempt.h"
#include "model/evidence.h"
#include "model/named_layers.h"
#include "model/report.h"

typedef struct lk_linker lk_linker;

/* Where an attempt stands.  A unit is an attempt, or the attempts that one id joins; its name follows
 * from the caller key, the start of its first attempt and the number of units of that key which began
 * at that instant before it: the same log gives the same names. */
typedef struct lk_place {
    uint64_t unit;
    uint32_t index;   /* among the attempts of the unit, a proxy's tries left out; from 0 */
    uint32_t no;      /* as logged; 0 = not                                               */
    int64_t pause_ns; /* since the end of the attempt of the unit before it; -1 = none    */
    uint16_t group;
    bool is_try;      /* a proxy made it of the attempt before it                         */
    bool is_settled;  /* the unit is one call, of that fate, and of no other task         */
    lk_fate fate;
} lk_place;

/* What a unit that waited turned out to be. */
typedef struct lk_unit_fate {
    uint64_t unit, call, task; /* names: those of the first units of the call and of the task */
    uint32_t before;  /* attempts of its call in the units before it                   */
    uint32_t piece;   /* attempts a call, where the unit holds several calls; 0 = one  */
    int64_t pause_ns; /* since the end of the unit that it came back from; -1 = none   */
    bool begins_call; /* ... which was another call of its task                        */
    lk_fate fate;     /* of the call, the last one of several: those before it failed  */
} lk_unit_fate;

typedef struct lk_linker_options {
    size_t units_max, keys_max, ids_max;
    uint32_t attempts_max; /* of a call, where the log does not say; 0 = not known */
    uint64_t seed;
    /* Takes every step of a caller; has_failed: the caller failed with it or before. */
    lk_code (*on_hop)(void *ctx, const lk_hop *hop, bool has_failed, lk_err *e);
    /* False: on_hop would do nothing with a step of that caller by caller and target; NULL: always true. */
    bool (*wants_hop)(void *ctx, uint64_t caller, bool has_failed);
    /* Takes the start of every attempt that is a comeback: a later one of a call, or of a task. */
    lk_code (*on_comeback)(void *ctx, int64_t at_ns, uint32_t population, lk_err *e);
    /* Takes the pause before every such attempt that was linked, in no order; NULL: nobody asks. */
    lk_code (*on_pause)(void *ctx, const lk_comeback *comeback, lk_err *e);
    /* Takes every call once its fate is known, in no order; population: UINT32_MAX = many. */
    lk_code (*on_call)(void *ctx, const lk_call *call, uint32_t population, lk_err *e);
    /* Takes an attempt that is a call and a task by itself, answered at once: those two are not told of it
     * then; span_ns as lk_call.span_ns.  NULL: they are. */
    lk_code (*on_first)(void *ctx, const lk_attempt *a, uint16_t group, int64_t span_ns, lk_err *e);
    /* Takes every task, in no order; NULL: nobody asks. */
    lk_code (*on_task)(void *ctx, const lk_task *task, lk_err *e);
    /* Takes every unit that waited, once it is decided, in no order; NULL: nobody asks. */
    lk_code (*on_unit)(void *ctx, const lk_unit_fate *fate, lk_err *e);
    void *ctx;
    const lk_named_layers *named; /* of the calls told, filled before the report; NULL: none */
} lk_linker_options;

#define LK_LINKER_OPTIONS_INIT \
    { 131072, 131072, 131072, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

LK_MUST_CHECK lk_code lk_linker_open(const lk_linker_options *options, const lk_symbols *symbols,
                                     lk_linker **out, lk_err *e);
void lk_linker_close(lk_linker *l);

/* Some attempts ahead of taking it, then some fewer ahead: brings near what taking it will look at. */
void lk_linker_foresee(const lk_linker *l, const lk_attempt *a);
void lk_linker_foresee_entries(const lk_linker *l, const lk_attempt *a);

/* In order of start. */
LK_MUST_CHECK lk_code lk_linker_take(lk_linker *l, const lk_attempt *a, lk_err *e);

/* Is the attempt taken last the first of its caller, method, target and user agent, as far as is remembered? */
bool lk_linker_is_new(const lk_linker *l);

/* Where the attempt taken last stands; where on_unit is told. */
const lk_place *lk_linker_place(const lk_linker *l);

/* Is it known, by what was seen so far, which calls the attempts of a group (lk_place.group) make? */
bool lk_linker_knows(const lk_linker *l, uint16_t group);

/* After the last attempt; end_ns: the latest end in the log. */
LK_MUST_CHECK lk_code lk_linker_finish(lk_linker *l, int64_t end_ns, lk_err *e);

/* Fills calls, reconciliation, layers, amplification, limits, http.retries and the shares of
 * retry_after; id_names[i] is what
 * the log calls id column i (NULL: not used). */
LK_MUST_CHECK lk_code lk_linker_report(const lk_linker *l, const char *const id_names[LK_IDS],
                                       lk_arena *arena, lk_report *r, lk_err *e);

/* Layers and amplification of calls that were counted apart, as counts[i] of population i: those of
 * some of the calls that on_call and on_task were told of. */
LK_MUST_CHECK lk_code lk_linker_report_part(const lk_linker *l,
                                            const char *const id_names[LK_IDS],
                                            const lk_call_counts counts[LK_GROUPS_MAX],
                                            lk_arena *arena, lk_report_layers *out, lk_err *e);

/* Populations of one agent whose failures are many, and not one of them is tried again as far as calls are known:
 * fills out[LK_GROUPS_MAX], gives how many. */
size_t lk_linker_never_back(const lk_linker *l, lk_never_back *out);

/* The number of a population's group, 0 for those that share one; its symbol, UINT32_MAX of group 0. */
size_t lk_linker_group(const lk_linker *l, uint32_t population);
uint32_t lk_linker_population(const lk_linker *l, size_t group);

#endif
