/* base/glob — shell patterns over bytes: * any bytes, ? one byte, [a-z] and [!a-z] one of a set, \c that
 * very byte.  A '[' that never closes is a bracket.
 *
 * Cost:   at most pattern times text steps, no recursion: patterns may be hostile.
 * Source: POSIX.1 XCU 2.13 without its classes; '/' and '.' are bytes like others here.  */
#ifndef LK_BASE_GLOB_H
#define LK_BASE_GLOB_H

#include "base/slice.h"

/* Does the whole text fit? */
bool lk_glob_matches(lk_slice pattern, lk_slice text);
/* The same for names whose ASCII letters have no case. */
bool lk_glob_matches_caseless(lk_slice pattern, lk_slice text);

#endif
