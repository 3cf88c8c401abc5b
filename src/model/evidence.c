#include "model/evidence.h"

#include "base/whole.h"

#include <math.h>

static const double FIRST_S = 0.001, WIDTH = 1.16;

size_t lk_span_cell(int64_t span_ns)
{
    double span_s = (double)span_ns / 1e9;
    size_t cell;

    if (span_s < FIRST_S)
        return 0;
    cell = lk_whole_size(log(span_s / FIRST_S) / log(WIDTH)) + 1;
    return cell < LK_PERIOD_SPANS ? cell : LK_PERIOD_SPANS - 1;
}

double lk_span_edge_s(size_t cell)
{
    return cell ? FIRST_S * pow(WIDTH, (double)(cell - 1)) : 0;
}
