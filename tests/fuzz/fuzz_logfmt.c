/* Any line to the reader of key=value members. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_LOGFMT)
