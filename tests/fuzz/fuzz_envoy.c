/* Any line to the readers of Envoy's and Istio's texts. */
#include "format_lines.h"

FUZZ_ROWS(&LK_FORMAT_ENVOY, &LK_FORMAT_ISTIO)
