/* pipeline — a made-up world through the stages behind the parser: stamps cut, callers linked, clocks
 * inferred, as lockstep analyze does it.
 *
 * Owner:  pipeline_open/pipeline_close; the report lives in `kept`.  */
#ifndef LK_BENCH_PIPELINE_H
#define LK_BENCH_PIPELINE_H

#include "worlds.h"

#include "base/arena.h"
#include "infer/clocks.h"
#include "model/evidence.h"
#include "model/report.h"

typedef struct pipeline {
    lk_arena kept, scratch;
    lk_evidence evidence;
    lk_report report;
    double infer_s; /* of CPU */
} pipeline;

void pipeline_open(pipeline *p);
/* Ends the program when something fails. */
void pipeline_run(pipeline *p, const world *w, const lk_clock_search *how);
void pipeline_close(pipeline *p);

#endif
