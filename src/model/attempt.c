#include "model/attempt.h"

enum { POPULATIONS_MAX = 4096, TARGETS_MAX = 8192 };

bool lk_status_is_rejected(unsigned status)
{
    return status == 429 || status == 503 || status == 529;
}

bool lk_status_client_gave_up(unsigned status)
{
    return status == 499 || status == 460 || status == 0;
}

bool lk_status_is_error(unsigned status)
{
    return status == 429 || (status >= 500 && status <= 599);
}

bool lk_status_is_failed(unsigned status)
{
    return lk_status_is_error(status) || status == 408 || lk_status_client_gave_up(status);
}

lk_code lk_symbols_init(lk_symbols *s, uint64_t seed, lk_err *e)
{
    *s = (lk_symbols){ 0 };
    LK_TRY(lk_intern_init(&s->populations, POPULATIONS_MAX, seed, e));
    return lk_intern_init(&s->targets, TARGETS_MAX, seed, e);
}

void lk_symbols_release(lk_symbols *s)
{
    lk_intern_release(&s->populations);
    lk_intern_release(&s->targets);
}
