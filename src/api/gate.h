/* api/gate — conditions on which a pipeline fails: "synchronised,overload,amplification=5".
 *
 * A condition with a number holds while the report's figure is at most that number; one without
 * holds while the finding is not made.  What the report does not know breaks no condition.
 *
 * Errors: parse: EUSAGE.  judge: EOOM.  */
#ifndef LK_API_GATE_H
#define LK_API_GATE_H

#include "base/arena.h"
#include "base/err.h"
#include "model/report.h"

enum { LK_CONDITIONS_MAX = 16 };

typedef struct lk_condition {
    const struct lk_condition_row *row;
    double most;
} lk_condition;

typedef struct lk_gate {
    lk_condition conditions[LK_CONDITIONS_MAX];
    size_t count;
} lk_gate;

LK_MUST_CHECK lk_code lk_gate_parse(const char *text, lk_gate *out, lk_err *e);

/* What is broken, one safe sentence each in the arena, in *broken [*broken_count]; what could not be
 * judged in *unknown. */
typedef struct lk_verdicts {
    const char *broken[LK_CONDITIONS_MAX];
    size_t broken_count;
    const char *unknown[LK_CONDITIONS_MAX];
    size_t unknown_count;
} lk_verdicts;

LK_MUST_CHECK lk_code lk_gate_judge(const lk_gate *gate, const lk_report *r, lk_arena *arena,
                                    lk_verdicts *out, lk_err *e);

#endif
