/* Any line to the reader of Traefik's common format. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_TRAEFIK_CLF)
