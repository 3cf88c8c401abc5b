#include "infer_vectors.h"

#include "base/random.h"
#include "infer/series.h"
#include "infer/stats.h"

static lk_err e;

/* clang-format off */
static const double BOXED[48] = {
    -0.511207, 0.225792, -1.63167, -0.511207, -0.511207, 6.390206, -0.511207, -0.417835, -0.417835,
    0.164375, -1.693087, -0.63404, -1.637468, 0.158578, 0.097161, -0.701254, 0.035745, 4.702359,
    -0.057627, -0.057627, 0.097161, 0.158578, -0.578421, -0.578421, -1.582206, -1.582206, -0.461743,
    -0.306954, 0.491462, 3.851304, 0.430045, 0.336673, -1.614161, -0.493698, -0.555115, 0.336673,
    -0.373799, -0.312382, -0.250966, 0.392661, -1.371429, 3.527551, -0.250966, -0.250966, -0.250966,
    -1.371429, -0.250966, 0.486033,
};
/* clang-format on */

TEST(series_stabilises_like_the_reference)
{
    lk_arena a;
    lk_line line;
    double box[48];

    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, VECTOR_COUNTS, 48, 1.0, &a, &e), e);
    check(is_close(line.scale, 1.092675, 1e-5), "scale %f", line.scale);
    check(is_close(line.y[0], 2.345208, 1e-5) && is_close(line.y[5], 9.246621, 1e-5), "y");
    lk_box(line.y, line.n, 12, box);
    for (size_t i = 0; i < ROWS(box); i++)
        check(fabs(box[i] - BOXED[i]) < 2e-5, "box %zu: %f, want %f", i, box[i], BOXED[i]);
    lk_arena_release(&a);
}

/* A box of one period leaves no mean over any whole period inside the line. */
TEST(series_box_takes_the_mean_off)
{
    double y[300], out[300], sum = 0.0;

    for (size_t i = 0; i < ROWS(y); i++)
        y[i] = 5.0 + (i % 10 == 0);
    lk_box(y, ROWS(y), 10, out);
    for (size_t i = 100; i < 200; i++)
        sum += out[i];
    check(fabs(sum) < 1e-9, "%g", sum);
    lk_box(y, ROWS(y), 1000000, out); /* longer than the line: its mean */
    check(fabs(out[0] - 0.9) < 1e-9 && fabs(out[1] + 0.1) < 1e-9, "%f", out[0]);
}

TEST(series_masks_holes_and_no_silences)
{
    static double x[2000];
    lk_random r;
    lk_arena a;
    lk_line line;

    lk_random_init(&r, 5);
    for (size_t i = 0; i < ROWS(x); i++)
        x[i] = floor(4.0 * lk_random_unit(&r)) + (i % 2 ? 1.0 : 0.0);
    memset(x + 800, 0, 100 * sizeof(x[0])); /* 25 s without a line, at 8 a second */
    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, x, ROWS(x), 0.25, &a, &e), e);
    check(line.hole[800] && line.hole[899] && !line.hole[700] && !line.hole[950], "the hole");
    for (size_t i = 0; i < ROWS(x); i++) /* now one line in 50 s: silences are usual */
        x[i] = i % 200 == 0;
    check_ok(lk_line_init(&line, x, ROWS(x), 0.25, &a, &e), e);
    for (size_t i = 0; i < ROWS(x); i++)
        check(!line.hole[i], "bin %zu of a quiet log", i);
    lk_arena_release(&a);
}

TEST(series_local_median_is_exact_at_its_knots)
{
    double x[500], out[500], work[500], part[61];
    lk_random r;

    lk_random_init(&r, 9);
    for (size_t i = 0; i < ROWS(x); i++)
        x[i] = lk_random_unit(&r);
    lk_local_median(x, ROWS(x), 30, out, work);
    for (size_t at = 0; at < ROWS(x); at += 10) {
        size_t from = at > 30 ? at - 30 : 0, to = at + 31 < ROWS(x) ? at + 31 : ROWS(x);

        memcpy(part, x + from, (to - from) * sizeof(*x));
        check(fabs(out[at] - lk_median(part, to - from)) < 1e-12, "knot %zu", at);
    }
}

/* Small whole counts are counted, not selected: the same medians. */
TEST(series_local_median_of_counts_is_the_same)
{
    static const double MOST[] = { 1.3, 8.0, 900.0, 5000.0 };
    double x[500], out[500], work[500], part[61];
    lk_random r;

    lk_random_init(&r, 11);
    for (size_t k = 0; k < ROWS(MOST); k++) {
        for (size_t i = 0; i < ROWS(x); i++)
            x[i] = floor(MOST[k] * lk_random_unit(&r));
        lk_local_median(x, ROWS(x), 30, out, work);
        for (size_t at = 0; at < ROWS(x); at += 10) {
            size_t from = at > 30 ? at - 30 : 0, to = at + 31 < ROWS(x) ? at + 31 : ROWS(x);

            memcpy(part, x + from, (to - from) * sizeof(*x));
            check(fabs(out[at] - lk_median(part, to - from)) < 1e-12, "%g, knot %zu", MOST[k], at);
        }
    }
}

TEST(series_clips_what_the_box_leaves)
{
    static double x[3000];
    static float out[3000];
    static double box[3000];
    lk_random r;
    lk_arena a;
    lk_line line;

    lk_random_init(&r, 12);
    for (size_t i = 0; i < ROWS(x); i++)
        x[i] = floor(6.0 * lk_random_unit(&r)) + (i % 100 == 0 ? 90.0 : 0.0);
    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, x, ROWS(x), 0.25, &a, &e), e);
    for (size_t len = 1; len < 10000; len = len * 7 + 3) {
        lk_box(line.y, line.n, len, box);
        lk_line_clipped(&line, len, out);
        for (size_t i = 0; i < ROWS(x); i++)
            check(fabs((double)out[i] - fmin(fmax(box[i] / line.scale, -3.0), 8.0)) < 1e-5,
                  "length %zu, bin %zu: %g", len, i, (double)out[i]);
    }
    lk_arena_release(&a);
}

TEST(series_bins_and_parts)
{
    lk_arena a;
    lk_line line, part;

    lk_arena_init(&a, 0);
    check_ok(lk_line_init(&line, VECTOR_COUNTS, 48, 0.5, &a, &e), e);
    assert_int_equal(lk_line_bin(&line, -3.0), 0);
    assert_int_equal(lk_line_bin(&line, 0.4), 0);
    assert_int_equal(lk_line_bin(&line, 0.5), 1);
    assert_int_equal(lk_line_bin(&line, 1e9), 48);
    part = lk_line_part(&line, 5, 7);
    assert_int_equal(part.n, 7);
    check(part.x[0] > 20.0 && fabs(part.scale - line.scale) < 1e-12, "the same line");
    lk_arena_release(&a);
}

TEST(series_reports_no_memory)
{
    lk_arena a;
    lk_line line;

    lk_arena_init(&a, 100);
    assert_int_equal(lk_line_init(&line, VECTOR_COUNTS, 48, 1.0, &a, &e), LK_EOOM);
    lk_arena_release(&a);
}

TESTS(T(series_stabilises_like_the_reference), T(series_box_takes_the_mean_off),
      T(series_masks_holes_and_no_silences), T(series_local_median_is_exact_at_its_knots),
      T(series_local_median_of_counts_is_the_same),
      T(series_clips_what_the_box_leaves), T(series_bins_and_parts), T(series_reports_no_memory))
