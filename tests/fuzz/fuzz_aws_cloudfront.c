/* Any lines, directives among them, to the reader of CloudFront logs. */
#include "format_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_format(&LK_FORMAT_AWS_CLOUDFRONT, data, len);
}
