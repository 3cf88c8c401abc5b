#include "format/fields.h"

void lk_fields_init(lk_fields *f)
{
    *f = (lk_fields){ .took_ns = -1, .retry_after_ns = -1 };
}

const char *lk_reject_name(lk_reject r)
{
    static const char *const NAMES[LK_REJECT_COUNT] = {
#define LK_REJECT_TEXT(name, text) text,
        LK_REJECTS(LK_REJECT_TEXT)
#undef LK_REJECT_TEXT
    };

    return r < LK_REJECT_COUNT ? NAMES[r] : "";
}
