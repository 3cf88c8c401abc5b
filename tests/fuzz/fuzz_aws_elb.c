/* Any lines to the reader of Classic Load Balancer logs. */
#include "format_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_format(&LK_FORMAT_AWS_ELB, data, len);
}
