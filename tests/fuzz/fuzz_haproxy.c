/* Any line to HAProxy's readers. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_HAPROXY, &LK_FORMAT_HAPROXY_CLF)
