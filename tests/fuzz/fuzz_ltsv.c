/* Any line to the reader of label:value fields. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_LTSV)
