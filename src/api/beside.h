/* api/beside — texts of a request that travel beside its attempt until they get their numbers.
 *
 * One after the other in a buffer, each with its length before it; they come out in the same order.
 *
 * Owner:  the buffer is the caller's; what is taken lives in it.
 * Errors: a buffer that failed says so itself.  */
#ifndef LK_API_BESIDE_H
#define LK_API_BESIDE_H

#include "base/buf.h"

void lk_beside_add(lk_buf *b, lk_slice text);
/* The next one, which there must be; *rest is what is behind it. */
lk_slice lk_beside_take(lk_slice *rest);

#endif
