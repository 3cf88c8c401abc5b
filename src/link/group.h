/* link/group — a population: callers of one user agent, with the evidence on how they come back and
 * the counts of their calls.
 *
 * Browsers (every one has an agent string of its own) share group 0, as do the populations past the
 * bound.
 *
 * Owner:  lk_groups_init/lk_groups_release.
 * Errors: EOOM.
 * Cost:   about 80 kB a population and resolution of stamps, at most LK_GROUPS_MAX populations.  */
#ifndef LK_LINK_GROUP_H
#define LK_LINK_GROUP_H

#include "link/delays.h"
#include "model/attempt.h"
#include "model/call_counts.h"
#include "model/evidence.h"

enum {
    LK_GROUPS_MAX = 64,
    LK_PAUSES_MAX = 600,
    LK_LENGTHS = 256,
    LK_POSITIONS = 32, /* pauses further inside a unit are all as the last */
    LK_DROUGHTS_MAX = 8
};

/* Geometric cells, 3 % wide from 1 ms: for pauses and times to success. */
size_t lk_pause_cell(int64_t pause_ns);
double lk_pause_value_s(size_t cell);

/* Rejections without Retry-After and without any success between them: a quota when they last. */
typedef struct lk_drought {
    int64_t from_ns, to_ns; /* LK_TIME_NONE = none now */
    uint64_t rejected;
} lk_drought;

typedef struct lk_group_evidence {
    lk_delays successes[LK_STRATA];
    lk_delays failures;
} lk_group_evidence;

typedef struct lk_group {
    uint32_t population; /* symbol; UINT32_MAX: many (group 0) */
    uint64_t lines;
    uint64_t with_id[LK_IDS];            /* lines that have an id in the column */
    uint64_t numbered;                   /* lines with an attempt number */
    bool has_grown;                      /* a later attempt bore a larger number */
    uint64_t sequels, sequels_found;     /* later attempts without an id; joined by their number */
    uint32_t failures[LK_GRIDS][LK_STRATA];
    lk_group_evidence *evidence[LK_GRIDS]; /* NULL until the first such stamp */
    uint32_t pauses[LK_PAUSES_MAX + 1];  /* inside calls, by lk_pause_cell */
    uint64_t pause_count;
    uint32_t gave_up[LK_LENGTHS + 1];    /* attempts of calls that failed for good */
    uint32_t (*positions)[LK_PAUSES_MAX + 1]; /* [LK_POSITIONS] pauses inside units that carry no attempt number; NULL = none */
    lk_drought drought;                  /* going on */
    lk_drought droughts[LK_DROUGHTS_MAX]; /* that lasted */
    size_t drought_count;
    uint32_t task_gave_up[LK_LENGTHS + 1]; /* calls of tasks whose last call failed for good */
    int64_t failed_from_ns, failed_to_ns;  /* LK_TIME_NONE: no failed attempt */
    int id_cap;    /* attempts a call inside one id; 0 = the id names the call */
    int call_cap;  /* attempts a call before another layer takes over; 0 = none seen */
    bool is_job;   /* its single delay belongs to a job layer */
    bool has_tasks; /* chains of calls are tasks              */
    bool is_scheduled; /* what seemed to come back came by a schedule */
    bool judged;   /* the four above are settled              */
    bool paired;   /* first in, first out: sums are known, single links are not */
    uint64_t failed_lines;
    uint64_t links;                      /* comebacks that delays joined, not ids */
    uint64_t load_failures, load_starts; /* failures; starts of their keys within one delay */
    uint64_t load_close;  /* failures that another start of the key follows out of turn */
    uint64_t burst_links; /* links in bursts that none but several callers make         */
    bool narrow;          /* delays vary by little                                      */
    double delay_s[2]; /* median between attempts, between calls of a task; NAN = none */
    lk_call_counts counts;
} lk_group;

typedef struct lk_groups {
    lk_group items[LK_GROUPS_MAX];
    size_t count;
    uint16_t *of_population; /* group + 1 by symbol */
    size_t of_cap;
    uint64_t folded; /* populations that found no place of their own */
    int64_t first_ns, stratum_ns;
    int64_t begin_ns, end_ns; /* of the stratum looked up last, most of the time the next one too */
    size_t stratum;
    lk_edges edges[LK_GRIDS];
} lk_groups;

void lk_groups_init(lk_groups *g);
void lk_groups_release(lk_groups *g);

/* The group of a user agent that has one. */
static inline bool lk_groups_has(const lk_groups *g, uint32_t population, uint16_t *out)
{
    if (population >= g->of_cap || !g->of_population[population])
        return false;
    *out = (uint16_t)(g->of_population[population] - 1);
    return true;
}

/* The group of a user agent, made when new. */
LK_MUST_CHECK lk_code lk_groups_find(lk_groups *g, uint32_t population, lk_slice agent,
                                     uint16_t *out, lk_err *e);

/* Stratum of an instant; merges strata when the log turns out longer. */
size_t lk_groups_stratum(lk_groups *g, int64_t at_ns);

LK_MUST_CHECK lk_code lk_groups_evidence(lk_groups *g, uint16_t group, lk_grid grid,
                                         lk_group_evidence **out, lk_err *e);

#endif
