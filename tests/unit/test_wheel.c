#include "unit.h"

#include "base/xoshiro.h"
#include "sim/wheel.h"

static lk_err e;

enum { NODES = 500 };

/* Everything that waits, as one would look for it by hand: the least (when, seq). */
static uint32_t least(const lk_wheel_node *nodes, const bool *waits)
{
    uint32_t best = LK_WHEEL_NONE;

    for (uint32_t i = 0; i < NODES; i++)
        if (waits[i] && (best == LK_WHEEL_NONE || nodes[i].when < nodes[best].when ||
                         (nodes[i].when == nodes[best].when && nodes[i].seq < nodes[best].seq)))
            best = i;
    return best;
}

/* Near and far, equal times, new ones into the bucket at hand: in order, first in first out. */
TEST(wheel_gives_in_order)
{
    static const double REACH[] = { 0.05, 3, 5000, 3e5 };
    static lk_wheel_node nodes[NODES];
    static bool waits[NODES];
    lk_wheel *w;
    lk_xoshiro x;
    double now = 0;

    check_ok(lk_wheel_open(0.25, &w, &e), e);
    lk_xoshiro_init(&x, 1, 1);
    for (int step = 0; step < 30000; step++) {
        uint32_t id = (uint32_t)(lk_xoshiro_u64(&x) % NODES);

        if (!waits[id]) {
            double ahead = REACH[lk_xoshiro_u64(&x) % ROWS(REACH)] * lk_xoshiro_unit(&x);

            lk_wheel_push(w, nodes, id, step % 3 ? now + ahead : now + (double)(uint64_t)ahead);
            waits[id] = true;
        } else {
            uint32_t want = least(nodes, waits);

            check(lk_wheel_peek(w, nodes) == want, "step %d", step);
            assert_int_equal(lk_wheel_pop(w, nodes), want);
            check(nodes[want].when >= now, "step %d goes back", step);
            now = nodes[want].when;
            waits[want] = false;
        }
    }
    lk_wheel_reset(w);
    assert_int_equal(lk_wheel_peek(w, nodes), LK_WHEEL_NONE);
    lk_wheel_push(w, nodes, 3, 1e300);
    lk_wheel_push(w, nodes, 4, 2);
    assert_int_equal(lk_wheel_peek(w, nodes), 4);
    (void)lk_wheel_pop(w, nodes);
    assert_int_equal(lk_wheel_peek(w, nodes), 3);
    lk_wheel_close(w);
}

TESTS(T(wheel_gives_in_order))
