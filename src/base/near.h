/* base/near — is one word a slip of the pen for another?  */
#ifndef LK_BASE_NEAR_H
#define LK_BASE_NEAR_H

#include <stdbool.h>

/* At most two letters added, left out or changed, and less than half of the word. */
bool lk_near(const char *typed, const char *meant);

#endif
