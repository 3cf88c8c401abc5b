#include "api/beside.h"

#include <stdint.h>
#include <string.h>

void lk_beside_add(lk_buf *b, lk_slice text)
{
    const uint32_t len = (uint32_t)(text.len < UINT32_MAX ? text.len : UINT32_MAX);

    lk_buf_add(b, (const char *)&len, sizeof(len));
    lk_buf_add(b, text.p, len);
}

lk_slice lk_beside_take(lk_slice *rest)
{
    uint32_t len;
    lk_slice text;

    memcpy(&len, rest->p, sizeof(len));
    text = (lk_slice){ rest->p + sizeof(len), len };
    *rest = lk_slice_skip(*rest, sizeof(len) + len);
    return text;
}
