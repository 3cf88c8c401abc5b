/* Any line to Squid's readers. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_SQUID, &LK_FORMAT_SQUID_COMBINED)
