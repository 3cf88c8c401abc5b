/* Any bytes as a line of several JSON objects: records lie in the line, in turn, and come to an end. */
#include "format/json_records.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice line = { (const char *)data, len }, rest, record;
    const char *at = line.p;

    if (!lk_json_records(line, &rest))
        return 0;
    while (lk_json_record_next(&rest, &record)) {
        REQUIRE(record.len > 0 && record.p >= at && record.p + record.len <= line.p + line.len);
        REQUIRE(record.p[0] == '{');
        at = record.p + record.len;
    }
    REQUIRE(rest.len == 0);
    return 0;
}
