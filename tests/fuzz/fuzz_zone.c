/* Any bytes as a time zone file, and as a rule: what is read gives instants that show the local time. */
#include "base/time.h"
#include "base/zone.h"
#include "require.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Around a change of any zone and far from all. */
static const int64_t LOCAL_S[] = { 0, 1293840000, 1325203200, 1774751400, 1792895400, 7952342399 };

static void check_local(const lk_zone *z)
{
    for (size_t i = 0; i < sizeof(LOCAL_S) / sizeof(LOCAL_S[0]); i++) {
        int64_t local_ns = LOCAL_S[i] * LK_NS_PER_S + 5;
        lk_zone_local l = lk_zone_local_of(z, local_ns);

        REQUIRE(l.count <= 2);
        REQUIRE(l.at_ns[0] <= l.at_ns[1]);
        REQUIRE(llabs(local_ns - l.at_ns[0]) <= 26 * 3600 * LK_NS_PER_S);
        REQUIRE(l.count == 2 || l.at_ns[0] == l.at_ns[1]);
        if (l.count == 1 && local_ns >= l.from_ns && local_ns < l.until_ns) {
            lk_zone_local first = lk_zone_local_of(z, l.from_ns);

            REQUIRE(first.count == 1 && l.from_ns - first.at_ns[0] == local_ns - l.at_ns[0]);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    lk_slice s = { (const char *)data, len };
    lk_zone z = { .has_rule = true };
    lk_err e = { 0 };
    lk_arena a;

    lk_arena_init(&a, 0);
    if (lk_zone_rule_parse(s, &z.rule)) {
        z.first_ahead_s = z.rule.ahead_s;
        check_local(&z);
    }
    if (lk_zone_from_tzif(s, &a, &z, &e) == LK_OK)
        check_local(&z);
    lk_arena_release(&a);
    return 0;
}
