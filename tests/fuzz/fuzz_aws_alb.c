/* Any lines to the reader of Application Load Balancer logs. */
#include "format_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_format(&LK_FORMAT_AWS_ALB, data, len);
}
