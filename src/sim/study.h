/* sim/study — the reference studies: each published figure, the figure recomputed, and whether it holds.
 *
 * Recomputed figures come from runs of the models; another seed changes their last digits.
 * Owner:  names and reasons are constants.
 * Errors: EOOM.  */
#ifndef LK_SIM_STUDY_H
#define LK_SIM_STUDY_H

#include "sim/lab.h"

#include <stdbool.h>

enum { LK_FIGURES = 64 };

typedef enum lk_figure_verdict {
    LK_FIGURE_HOLDS,
    LK_FIGURE_DOES_NOT_HOLD,
    LK_FIGURE_CANNOT_HOLD /* contradicted by arithmetic, whatever the model */
} lk_figure_verdict;

typedef struct lk_figure {
    const char *name;
    double claimed;
    lk_estimate got;
    lk_figure_verdict verdict;
    const char *why; /* NULL where it holds and nothing is to be said */
} lk_figure;

typedef struct lk_figures {
    lk_figure items[LK_FIGURES];
    size_t count;
} lk_figures;

typedef struct lk_study {
    const char *name, *title;
    lk_code (*run)(lk_lab *lab, lk_figures *out, lk_err *e);
} lk_study;

extern const lk_study LK_STUDIES[]; /* ends with name NULL */

const char *lk_figure_verdict_name(lk_figure_verdict v); /* "holds", "does-not-hold", "cannot-hold" */

/* Holds when the two differ by no more than `allowed` and three standard errors of what was recomputed. */
void lk_figure_add(lk_figures *f, const char *name, double claimed, const lk_estimate *got,
                   double allowed, const char *why_not);
/* ... and where it does not, no model can make it. */
void lk_figure_add_impossible(lk_figures *f, const char *name, double claimed,
                              const lk_estimate *got, double allowed, const char *why_not);
lk_estimate lk_exactly(double value);

lk_code lk_study_saturation(lk_lab *lab, lk_figures *out, lk_err *e); /* study_saturation.c: S1 */
lk_code lk_study_contention(lk_lab *lab, lk_figures *out, lk_err *e); /* study_contention.c: S2 */
lk_code lk_study_webhooks(lk_lab *lab, lk_figures *out, lk_err *e);   /* study_webhooks.c:   S3 */
lk_code lk_study_fleet(lk_lab *lab, lk_figures *out, lk_err *e);      /* study_fleet.c:      S4 */
lk_code lk_study_lab(lk_lab *lab, lk_figures *out, lk_err *e);        /* study_fleet.c:      S5 */

#endif
