/* link/delays — histograms of the delay after an attempt, and what follows from comparing them.
 *
 * After a failure a caller comes back because of it; after a success it comes back because it is
 * time.  Comparing both, as competing risks, gives for each delay the share of comebacks that the
 * failure caused.
 *
 * Shapes: LK_CELLS cells; cell b covers [edge b, edge b+1) of the grid of its resolution: one
 *         resolution wide at first, then 8 % wide, up to an hour.
 * Units:  ns at the border, seconds inside.
 * Cost:   32 strata of 2.3 kB a population for successes.
 * Source: hazards of competing risks (Kaplan, Meier 1958); the thresholds are measured ones (3.5
 *         sigma for about a hundred cells).  */
#ifndef LK_LINK_DELAYS_H
#define LK_LINK_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LK_CELLS = 192, LK_STRATA = 32 };
#define LK_DELAY_MAX_NS (3600 * INT64_C(1000000000))

/* Stamps of whole seconds, or finer ones. */
typedef enum lk_grid { LK_GRID_FINE = 0, LK_GRID_WHOLE = 1 } lk_grid;
enum { LK_GRIDS = 2 };

/* The two clocks a delay may be counted from. */
typedef enum lk_anchor { LK_FROM_END = 0, LK_FROM_START = 1 } lk_anchor;
enum { LK_ANCHORS = 2 };

/* Eighths of octaves from 2^-10 s to 2^12 s, which is past LK_DELAY_MAX_NS. */
enum { LK_EDGE_OCTAVE_MIN = -10, LK_EDGE_OCTAVES = 22, LK_EDGE_HINTS = 8 * LK_EDGE_OCTAVES };

typedef struct lk_edges {
    double at[LK_CELLS + 1]; /* seconds */
    size_t count;            /* cells in use */
    uint8_t hint[LK_EDGE_HINTS]; /* cell in which that eighth begins: at most a few below that of a delay in it */
} lk_edges;

void lk_edges_init(lk_edges *e, lk_grid grid);
double lk_grid_resolution_s(lk_grid grid);

/* Cell of a delay; -1 below the first cell, count past the last. */
int lk_edges_cell(const lk_edges *e, double delay_s);

/* Delays that were seen, and those cut off by the end of the log. */
typedef struct lk_delays {
    uint32_t seen[LK_ANCHORS][LK_CELLS];
    uint32_t cut[LK_CELLS];
    uint64_t total; /* attempts counted */
} lk_delays;

/* next_s < 0: none came; cut_s is then how long was watched. */
void lk_delays_add(lk_delays *d, const lk_edges *e, double from_end_s, double from_start_s);
void lk_delays_add_cut(lk_delays *d, const lk_edges *e, double watched_s);

/* Weighted delays after successes. */
typedef struct lk_control {
    double seen[LK_ANCHORS][LK_CELLS];
    double cut[LK_CELLS];
    double effective; /* effective number of successes for each weighted one, 0..1 */
} lk_control;

/* Weighs the successes by strata of time so that they are spread as the failures are; all equal
 * when the control is too thin for that. */
void lk_control_build(const lk_delays *successes, const uint32_t *failures, lk_control *out);

/* What the comparison says, cell by cell. */
typedef struct lk_comebacks {
    double caused[LK_ANCHORS][LK_CELLS]; /* share of the comebacks in a cell that the failure caused; 0 where not sure */
    double density[LK_CELLS];            /* of caused comebacks, per second, at that delay from the end */
    double excess;                       /* caused comebacks in sure cells / failures */
    bool any;                            /* enough of them to speak of retries */
} lk_comebacks;

void lk_comebacks_learn(const lk_delays *failures, const lk_control *control, const lk_edges *e,
                        lk_comebacks *out);

#endif
