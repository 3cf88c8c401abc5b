/* api/tell — an error as the library's caller sees it: a status and one line.  */
#ifndef LK_API_TELL_H
#define LK_API_TELL_H

#include "base/err.h"
#include "lockstep/lockstep.h"

/* "file:line: message" into *out, whatever it held; gives back its status. */
int lk_tell(const lk_err *e, lockstep_error *out);

#endif
