/* api/simulation — what a simulation holds, for the files that implement lockstep/simulate.h.  */
#ifndef LK_API_SIMULATION_H
#define LK_API_SIMULATION_H

#include "lockstep/simulate.h"

#include "sim/model.h"
#include "sim/show.h"

enum { LK_MODEL_COUNT = 6, LK_STUDIES_MAX = 5 };

struct lockstep_simulation {
    lk_arena arena;
    const lk_model *model; /* NULL: studies */
    void *settings;
    const lk_study *studies[LK_STUDIES_MAX];
    lk_figures figures[LK_STUDIES_MAX];
    size_t study_count;
    lk_tables tables;
    uint64_t seed;
    unsigned runs;
    bool ran;
};

#endif
