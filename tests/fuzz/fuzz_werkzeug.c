/* Any line to werkzeug's reader. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_WERKZEUG)
