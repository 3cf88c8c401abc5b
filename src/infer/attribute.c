#include "infer/attribute.h"

#include "infer/stats.h"

#include <math.h>

#define RARE_FAILURES 0.05  /* waves with fewer are not made of failures                 */
#define SAME_AFTER_GOOD 0.5 /* of the share after failures: a schedule                   */
#define RARE_AFTER_GOOD 0.3 /* a retry                                                   */
#define STEPS_LEAST 3.0     /* fewer steps after answers are chance                      */
#define STEPS_OVER 4.0

enum { CALLERS_LEAST = 4, ANSWERED_LEAST = 3, UNANSWERED_CALLERS = 8 };

typedef struct votes {
    double failures, steps_after_failure, beside_failure;
    double answers, steps_after_answer, beside_answer;
} votes;

typedef struct tally {
    double beside;
    votes *of; /* [unit_count] */
} tally;

static bool is_near_wave(const lk_question *q, double at_s)
{
    size_t lo = 0, hi = q->wave_count;

    if (hi == 0)
        return true;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (q->wave_s[mid] < at_s)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (lo < q->wave_count && q->wave_s[lo] - at_s <= q->near_s) ||
           (lo > 0 && at_s - q->wave_s[lo - 1] <= q->near_s);
}

static void take(tally *t, const lk_question *q, const lk_stride *s)
{
    double off = fabs(lk_stride_value(s, q->measure) - q->step_s);
    bool steps = off <= q->tolerance_s;
    double beside = fabs(off - 3.0 * q->tolerance_s) <= q->tolerance_s ? 0.5 : 0.0;
    votes *v = &t->of[s->unit];

    if (s->failed) {
        t->beside += beside;
        v->failures += 1.0;
        v->steps_after_failure += steps;
        v->beside_failure += beside;
    } else {
        v->answers += 1.0;
        v->steps_after_answer += steps;
        v->beside_answer += beside;
    }
}

static double mean_share(double sum, size_t callers)
{
    return callers > 0 ? sum / (double)callers : (double)NAN;
}

/* Of all attempts, callers that are not in the sample included. */
static double failed_share(const tally *t, const lk_strides *s)
{
    double asked = 0.0, failed = 0.0;

    for (size_t u = 0; u < s->unit_count; u++) {
        asked += s->weight[u] * (t->of[u].failures + t->of[u].answers);
        failed += s->weight[u] * t->of[u].failures;
    }
    return asked > 0.0 ? failed / asked : (double)NAN;
}

/* The mean shares over the callers that step after failures. */
static void add_up(const tally *t, size_t units, double least, lk_answer *a)
{
    double failure = 0.0, answer = 0.0, failure_beside = 0.0, answer_beside = 0.0;

    for (size_t u = 0; u < units; u++) {
        const votes *v = &t->of[u];

        if (!(v->steps_after_failure > 0.0) || v->steps_after_failure < least)
            continue;
        a->callers++;
        a->steps_after_failure += v->steps_after_failure;
        failure += v->steps_after_failure / v->failures;
        failure_beside += v->beside_failure / v->failures;
        if (v->answers > 0.0) {
            a->answered_callers++;
            a->steps_after_answer += v->steps_after_answer;
            answer += v->steps_after_answer / v->answers;
            answer_beside += v->beside_answer / v->answers;
        }
    }
    a->after_failure = mean_share(failure, a->callers);
    a->beside_failure = mean_share(failure_beside, a->callers);
    a->after_answer = mean_share(answer, a->answered_callers);
    a->beside_answer = mean_share(answer_beside, a->answered_callers);
    a->chance = t->beside;
}

static bool answered_step_more(const tally *t, size_t units)
{
    double failed = 0.0, answered = 0.0;

    for (size_t u = 0; u < units; u++) {
        failed += t->of[u].steps_after_failure;
        answered += t->of[u].steps_after_answer;
    }
    return answered > 3.0 * failed;
}

static bool is_common(const lk_answer *a)
{
    return a->steps_after_failure >= a->side_factor * a->chance + STEPS_OVER;
}

bool lk_answer_was_never(const lk_answer *a)
{
    return a->answered_callers == 0 && a->after_failure > 0.5;
}

bool lk_answer_lacks_answers(const lk_answer *a)
{
    return a->answered_callers < ANSWERED_LEAST && a->callers >= UNANSWERED_CALLERS && is_common(a);
}

/* The callers were answered too: what did they do then? */
static lk_cause compare(const lk_answer *a)
{
    double failure = a->after_failure - a->beside_failure;
    double answer = a->after_answer - a->beside_answer;

    if (a->steps_after_answer < STEPS_LEAST)
        answer = 0.0;
    if (answer > 0.0 && answer >= SAME_AFTER_GOOD * failure)
        return LK_CAUSE_SCHEDULE;
    return is_common(a) && answer <= RARE_AFTER_GOOD * failure ? LK_CAUSE_RETRY : LK_CAUSE_UNKNOWN;
}

static lk_cause cause_of(const tally *t, const lk_question *q, const lk_answer *a, size_t units)
{
    bool in_waves = q->wave_count > 0;

    if (in_waves && a->failed_share < RARE_FAILURES)
        return LK_CAUSE_SCHEDULE;
    if (a->callers < CALLERS_LEAST)
        return in_waves && answered_step_more(t, units) ? LK_CAUSE_SCHEDULE : LK_CAUSE_UNKNOWN;
    if (a->answered_callers >= ANSWERED_LEAST)
        return compare(a);
    return lk_answer_lacks_answers(a) && a->after_failure > 0.5 ? LK_CAUSE_RETRY : LK_CAUSE_UNKNOWN;
}

lk_code lk_attribute(const lk_strides *s, const lk_question *q, lk_arena *scratch, lk_answer *out,
                     lk_err *e)
{
    lk_mark mark = lk_arena_mark(scratch);
    tally t = { .of = LK_NEW(scratch, votes, s->unit_count) };
    double *steps = LK_NEW(scratch, double, s->unit_count);
    lk_answer a = { .side_factor = q->side_factor };

    if (!t.of || !steps)
        return lk_fail(e, LK_EOOM, "no memory for the votes of %zu callers", s->unit_count);
    for (size_t i = 0; i < s->n; i++)
        if (s->row[i].at_s >= q->from_s && s->row[i].at_s <= q->to_s &&
            is_near_wave(q, s->row[i].at_s))
            take(&t, q, &s->row[i]);
    for (size_t u = 0; u < s->unit_count; u++)
        steps[u] = t.of[u].steps_after_failure;
    add_up(&t, s->unit_count, lk_vote_least(steps, s->unit_count), &a);
    a.failed_share = failed_share(&t, s);
    a.cause = cause_of(&t, q, &a, s->unit_count);
    lk_arena_rewind(scratch, mark);
    *out = a;
    return LK_OK;
}
