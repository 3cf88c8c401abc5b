#include "format/foreign.h"

/* So many bytes of a line tell. */
enum { LOOK = 4096, CONTROLS_PER_BYTES = 10 };

bool lk_foreign_is_utf16_mark(lk_slice line)
{
    return lk_slice_starts(line, "\xFF\xFE") || lk_slice_starts(line, "\xFE\xFF");
}

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 && c != '\t' && c != '\x1b' && c != '\r';
}

lk_reject lk_foreign_reason(lk_slice line, lk_reject why)
{
    size_t len = line.len < LOOK ? line.len : LOOK, controls = 0, nuls[2] = { 0, 0 };

    if (why != LK_REJECT_UNRECOGNISED)
        return why;
    for (size_t i = 0; i < len; i++) {
        controls += is_control(line.p[i]);
        nuls[i % 2] += line.p[i] == '\0';
    }
    if (len >= 4 && (nuls[0] == 0) != (nuls[1] == 0) && (nuls[0] + nuls[1]) * 5 >= len * 2)
        return LK_REJECT_UTF16;
    return nuls[0] + nuls[1] > 0 || controls * CONTROLS_PER_BYTES > len ? LK_REJECT_BINARY : why;
}
