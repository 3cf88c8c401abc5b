/* infer/chance — from the probability that a witness computes to the one that was measured.
 *
 * A witness counts its own trials, but what is asked afterwards (a train of waves, callers enough, no
 * other clock that explains it) lets few of its findings through, and traffic that is no Poisson
 * process makes its tail heavier.  How often traces without any clock show one was counted on
 * thousands of them (tests/bench, bench-calibration): the share with p or less follows a power of p, and grows with the root
 * of the span, since neighbouring windows are counted as trials but their worst minutes are not.
 *
 * Units:  natural logarithms of probabilities, 0 = certain.
 * Thread: pure functions.
 * Source: ours, measured; tests/bench/RESULTS.md.  */
#ifndef LK_INFER_CHANCE_H
#define LK_INFER_CHANCE_H

/* The measured false-alarm probability, in a log of a span, of what witnesses give as `ln_p`. */
double lk_chance_measured(double ln_p, double span_s);

/* Its inverse: up to where a witness's own value stands at a measured probability. */
double lk_chance_needed(double ln_measured, double span_s);

#endif
