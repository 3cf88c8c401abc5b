/* model/call_counts — counts of calls and of the tasks that they belong to: of a population, or of a
 * part of it.
 *
 * A commutative monoid: add and merge in any order give the same integers.
 * Owner: plain data, zero when empty.  */
#ifndef LK_MODEL_CALL_COUNTS_H
#define LK_MODEL_CALL_COUNTS_H

#include "model/evidence.h"

typedef struct lk_call_counts {
    uint64_t calls[LK_FATES];
    uint64_t rejected[LK_FATES];
    uint64_t lines;    /* HTTP attempts seen                                     */
    uint64_t attempts; /* of the SDK: by attempt number where logged, else lines */
    uint64_t http;     /* the larger of the two, call by call                    */
    uint64_t most;     /* attempts of the largest call                           */
    uint64_t tries;    /* of the lines: those that a proxy made of an attempt before them */
    uint64_t tasks, task_calls, task_most_calls, task_most_http;
} lk_call_counts;

/* HTTP attempts of one call: those seen, or those that it numbers. */
uint64_t lk_call_http(const lk_call *call);

void lk_call_counts_add(lk_call_counts *c, const lk_call *call);
/* One call that is a task by itself, of one attempt which succeeded. */
static inline void lk_call_counts_add_first(lk_call_counts *c)
{
    c->calls[LK_FATE_FIRST]++;
    c->lines++;
    c->attempts++;
    c->http++;
    c->most += c->most == 0;
    c->tasks++;
    c->task_calls++;
    c->task_most_calls += c->task_most_calls == 0;
    c->task_most_http += c->task_most_http == 0;
}

void lk_call_counts_add_task(lk_call_counts *c, const lk_task *task);
void lk_call_counts_merge(lk_call_counts *c, const lk_call_counts *other);
uint64_t lk_call_counts_calls(const lk_call_counts *c);

#endif
