/* model/sizing — the arithmetic of retry policies against an allowance.
 *
 * Units:  seconds, requests or tokens a second.
 * Source: averages, as one computes them by hand: an even spread of N callers over a window of w
 *         seconds is N / w arrivals a second.  */
#ifndef LK_MODEL_SIZING_H
#define LK_MODEL_SIZING_H

#include "model/policy.h"

/* The longest window of retry k: of decorrelated jitter, up to three times the longest before. */
double lk_sizing_window_s(const lk_policy_choice *c, unsigned retry);

/* How wide a round arrives: the window, half of it for equal jitter; without jitter the natural
 * spread of the callers. */
double lk_sizing_width_s(const lk_policy_choice *c, unsigned retry, double natural_s);

/* First retry (from 0) whose round fits the allowance; -1: none of the first `most`. */
int lk_sizing_first_fit(const lk_policy_choice *c, double callers, double per_s, double natural_s,
                        int most);

double lk_sizing_drain_s(double backlog, double cost, double spare_per_s); /* INFINITY: never */

/* Typical share of the longest wait that a draw takes: a half, three quarters, all of it. */
double lk_sizing_typical_share(const lk_policy *p);

/* The next power of two at or above x, fractions included. */
double lk_sizing_power_of_two(double x);

#endif
