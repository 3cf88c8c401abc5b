#include "infer_world.h"

#include "infer/regular.h"
#include "infer/timetable.h"

static lk_err e;
static lk_arena a, scratch;
static world w;
static lk_strides s;
static lk_schedules found;

static void open_world(uint64_t seed, double resolution_s)
{
    world_open(&w, seed, resolution_s);
    lk_arena_init(&a, 0);
    lk_arena_init(&scratch, 0);
}

static void find(void)
{
    lk_evidence ev = world_evidence(&w);
    lk_schedule_search how = { (double)(ev.last_ns - ev.first_ns) * 1e-9, 2.0, -8.5, { 0, 0 }, NULL };

    check_ok(lk_strides_new(&ev, &a, &scratch, &s, &e), e);
    check_ok(lk_schedules_find(&s, &how, &a, &scratch, &found, &e), e);
    check(scratch.used == 0, "%zu bytes of scratch are left", scratch.used);
}

static void drop(void)
{
    world_close(&w);
    lk_arena_release(&a);
    lk_arena_release(&scratch);
}

static const lk_schedule *near(double period_s)
{
    for (size_t i = 0; i < found.count; i++)
        if (fabs(found.item[i].period_s / period_s - 1.0) < 0.02)
            return &found.item[i];
    return NULL;
}

static const struct {
    uint32_t callers;
    double period_s, resolution_s;
    bool together;
} POLLERS[] = {
    { 1, 10.0, 0.001, true },  { 1, 10.0, 1.0, true },    { 3, 5.0, 1.0, false },
    { 2, 2.0, 0.001, false },  { 150, 30.0, 1.0, false }, { 200, 60.0, 0.001, true },
    { 600, 300.0, 1.0, true },
};

TEST(timetable_finds_pollers)
{
    for (size_t i = 0; i < ROWS(POLLERS); i++) {
        const lk_schedule *one;

        open_world(i + 1, POLLERS[i].resolution_s);
        world_poisson(&w, 6, 1200, 500, 0.01);
        world_pollers(&w, 10, POLLERS[i].callers, POLLERS[i].period_s, POLLERS[i].together, 1200);
        find();
        one = near(POLLERS[i].period_s);
        check(one != NULL && found.count == 1, "row %zu: %zu found", i, found.count);
        if (!one)
            return;
        check(one->callers >= POLLERS[i].callers &&
                  one->callers <= POLLERS[i].callers + 3 + POLLERS[i].callers / 50,
              "row %zu: %zu callers", i, one->callers);
        check(fabs(one->period_s / POLLERS[i].period_s - 1.0) < 0.002, "row %zu: %f", i,
              one->period_s);
        check(one->together == POLLERS[i].together, "row %zu: resultant %f", i, one->resultant);
        check(one->strict > 0.9 && one->failed == 0, "row %zu: strict %f", i, one->strict);
        check(s.row[one->stride[0]].population == 1, "row %zu: named by a member", i);
        drop();
    }
}

/* A cron line that begins up to three seconds late and runs twenty requests. */
TEST(timetable_finds_loitering_bursts)
{
    open_world(31, 1.0);
    world_poisson(&w, 4, 900, 800, 0.01);
    for (int k = 0; k < 15; k++) {
        double at = 60.0 * k + world_uniform(&w, 0, 3);

        for (int i = 0; i < 20; i++)
            world_add(&w, at + 0.1 * i, 0.02, 10, 1, false);
    }
    find();
    check(near(60.0) != NULL && found.count == 1, "%zu found", found.count);
    drop();
}

/* A third of the lines is lost. */
TEST(timetable_finds_pollers_with_lost_lines)
{
    open_world(32, 0.001);
    world_poisson(&w, 4, 900, 800, 0.01);
    for (int k = 0; k < 90; k++)
        if (lk_random_unit(&w.random) > 0.33)
            world_add(&w, 10.0 * k, 0.02, 10, 1, false);
    find();
    check(near(10.0) != NULL, "%zu found", found.count);
    drop();
}

TEST(timetable_of_people_is_empty)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        open_world(seed, seed % 2 ? 0.001 : 1.0);
        world_poisson(&w, 8, 900, seed % 3 ? 400 : 40, 0.05);
        find();
        check(found.count == 0, "seed %d: %f s by %zu callers, ln p %f", (int)seed,
              found.item[0].period_s, found.item[0].callers, found.item[0].ln_p);
        drop();
    }
}

/* One browser that loads a page again every six minutes, eleven times. */
TEST(timetable_leaves_one_reader_out)
{
    open_world(40, 1.0);
    world_poisson(&w, 1, 4000, 500, 0.0);
    for (int k = 0; k < 11; k++)
        world_add(&w, 7.0 + 361.0 * k, 0.02, 10, 1, false);
    find();
    assert_int_equal(found.count, 0);
    drop();
}

/* A job that fails each time is no schedule that anybody keeps. */
TEST(timetable_wants_answers)
{
    open_world(41, 0.001);
    world_poisson(&w, 4, 900, 800, 0.0);
    for (int k = 0; k < 90; k++)
        world_add(&w, 10.0 * k, 0.02, 10, 1, true);
    find();
    assert_int_equal(found.count, 0);
    drop();
}

TEST(timetable_reports_no_memory)
{
    lk_schedule_search how = { 1200.0, 2.0, -8.5, { 0, 0 }, NULL };
    unsigned failures = 0;
    lk_code code = LK_EOOM;

    open_world(42, 0.001);
    world_poisson(&w, 4, 1200, 200, 0.0);
    world_pollers(&w, 10, 50, 30.0, true, 1200);
    find();
    for (size_t limit = 1024; code != LK_OK; limit += 16384) {
        lk_arena b, temporary;

        lk_arena_init(&b, limit);
        lk_arena_init(&temporary, limit);
        code = lk_schedules_find(&s, &how, &b, &temporary, &found, &e);
        check(code == LK_OK || code == LK_EOOM, "limit %zu: %s", limit, e.msg);
        failures += code == LK_EOOM;
        lk_arena_release(&b);
        lk_arena_release(&temporary);
    }
    check(failures > 2, "%u failures", failures);
    drop();
}

TESTS(T(timetable_finds_pollers), T(timetable_finds_loitering_bursts),
      T(timetable_finds_pollers_with_lost_lines), T(timetable_of_people_is_empty),
      T(timetable_leaves_one_reader_out), T(timetable_wants_answers),
      T(timetable_reports_no_memory))
