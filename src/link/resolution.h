/* link/resolution — one decision over the kept units; shared by the files of link/ only. */
#ifndef LK_LINK_RESOLUTION_H
#define LK_LINK_RESOLUTION_H

#include "link/chains.h"
#include "link/state.h"

/* One run of the decision. */
typedef struct lk_resolution {
    struct lk_linker *l;
    lk_arena *scratch;
    lk_chains chains;
    int64_t end_ns;
    bool final;
    bool *keep; /* [count] units that go on */
    size_t kept;
} lk_resolution;

/* The units order[from..to) of one group. */
typedef struct lk_part {
    lk_group *group;
    lk_grid grid;
    size_t from, to;
    bool by_id;
    double resolution_s;
    double far_s;      /* a failure older than this was given up */
    uint32_t full;     /* attempts at which calls gave up; 0 = not seen often enough */
    uint32_t longest;
    int32_t head;      /* first unit of the chain that is walked */
} lk_part;

/* layers.c: whose delays are the part's?  Settled once for a population, on its first decision. */
LK_MUST_CHECK lk_code lk_part_judge(lk_resolution *x, lk_part *p, lk_err *e);

/* calls.c: counts the calls and tasks of the part that do not go on. */
LK_MUST_CHECK lk_code lk_part_count(lk_resolution *x, lk_part *p, lk_err *e);

#endif
