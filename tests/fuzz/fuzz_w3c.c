/* Any lines, directives among them, to the reader of W3C extended logs. */
#include "format_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_format(&LK_FORMAT_W3C, data, len);
}
