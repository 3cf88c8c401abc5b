/* infer/chapters — the arrivals of a log that is too long for one narrow series, a few hours at a time.
 *
 * The whole is searched in wide bins afterwards; here each chapter is searched as a log of its own, in the
 * bins that its stamps allow, and the chapters are counted as trials.  Chapters overlap, so that a clock that
 * goes on in the next is one row, from its first wave to its last; the same period at another time is
 * another row, a few times.
 *
 * Owner:  rows in the case's arena.
 * Errors: EOOM.
 * Cost:   two series of LK_CHAPTER_BINS at a time, whatever the span; CPU as for as many short logs.  */
#ifndef LK_INFER_CHAPTERS_H
#define LK_INFER_CHAPTERS_H

#include "infer/case.h"

enum { LK_CHAPTER_BINS = 1 << 17, LK_CHAPTER_OVERLAP = 1 << 14 };

/* Do narrower bins exist than those of the case's lines? */
bool lk_chapters_are_worth_it(const lk_case *c);

/* The shortest period that they can show. */
double lk_chapters_shortest(const lk_case *c);

LK_MUST_CHECK lk_code lk_chapters_search(lk_case *c, lk_err *e);

#endif
