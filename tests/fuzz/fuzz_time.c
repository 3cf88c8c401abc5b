/* Any bytes to the four readers of instants: what one accepts, it can write and read again. */
#include "base/slice.h"
#include "base/time.h"
#include "require.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool read_yearless(lk_slice s, int64_t *at_ns, bool *fraction)
{
    return lk_time_yearless(s, INT64_C(1796009100) * LK_NS_PER_S, at_ns, fraction);
}

static bool (*const READERS[])(lk_slice s, int64_t *at_ns, bool *fraction) = {
    lk_time_rfc3339,
    lk_time_clf,
    lk_time_epoch,
    read_yearless,
};

static void check_round_trip(int64_t at_ns)
{
    char text[32];
    int64_t back = 0;
    bool fraction = false;

    lk_time_format(at_ns, text);
    REQUIRE(lk_time_rfc3339(lk_slice_from(text), &back, &fraction));
    REQUIRE(fraction && back <= at_ns && at_ns - back < LK_NS_PER_MS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice s = { (const char *)data, len };

    for (size_t i = 0; i < sizeof(READERS) / sizeof(READERS[0]); i++) {
        int64_t at_ns = LK_TIME_NONE;
        bool fraction = false;

        if (READERS[i](s, &at_ns, &fraction))
            check_round_trip(at_ns);
        else
            REQUIRE(at_ns == LK_TIME_NONE && !fraction);
    }
    return 0;
}
