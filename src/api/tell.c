#include "api/tell.h"

#include <inttypes.h>
#include <stdio.h>

int lk_tell(const lk_err *e, lockstep_error *out)
{
    const char *first = e->code == LK_EOOM ? "out of memory: " : "";

    *out = (lockstep_error){ .status = lk_code_status(e->code) };
    if (e->file[0] && e->line)
        (void)snprintf(out->message, sizeof(out->message), "%s%s:%" PRIu64 ": %s", first, e->file,
                       e->line, e->msg);
    else
        (void)snprintf(out->message, sizeof(out->message), "%s%s%s%s", first, e->file,
                       e->file[0] ? ": " : "", e->msg);
    return out->status;
}
