/* Any line to the reader of Heroku's router. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_HEROKU)
