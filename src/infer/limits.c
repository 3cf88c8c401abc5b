#include "infer/limits.h"

#include "infer/chapters.h"
#include "infer/peel.h"
#include "infer/rows.h"
#include "model/note.h"

#include <math.h>
#include <string.h>

#define COARSE_S 0.5

size_t lk_limits_holes(const lk_line *l, double *seconds)
{
    size_t holes = 0, bins = 0;

    for (size_t i = 0; i < l->n; i++) {
        holes += l->hole[i] && (i == 0 || !l->hole[i - 1]);
        bins += l->hole[i];
    }
    *seconds = (double)bins * l->bin_s;
    return holes;
}

/* Each gives a sentence, or NULL when it does not apply; *failed when memory ran out. */
typedef const char *(*limit)(const lk_case *c, const lk_report *r, bool *failed);

static const char *kept(const char *text, bool *failed)
{
    *failed |= !text;
    return text;
}

static const char *periods(const lk_case *c, const lk_report *r, bool *failed)
{
    const lk_line *all = &c->line[LK_LINE_ALL];

    (void)r;
    return kept(lk_arena_printf(
                    c->arena,
                    "Arrival times alone were searched for periods of %.3g to %.3g s%s, the steps of "
                    "single callers for %.3g s and more.",
                    lk_chapters_are_worth_it(c) ? lk_chapters_shortest(c)
                                                : lk_timing_shortest(all, &c->range),
                    lk_timing_longest(all, &c->range),
                    c->resolution_s < COARSE_S ? " (faster clocks by their multiples)" : "",
                    fmax(lk_shortest_constant(c->resolution_s), c->range.min_s)),
                failed);
}

static const char *sampled(const lk_case *c, const lk_report *r, bool *failed)
{
    (void)r;
    if (c->evidence->hop_share_log2 == 0)
        return NULL;
    return kept(lk_arena_printf(c->arena, "Callers were told apart on a sample of one in %.0f.",
                                lk_case_scale(c)),
                failed);
}

static const char *calm_sampled(const lk_case *c, const lk_report *r, bool *failed)
{
    (void)r;
    if (c->evidence->calm_share_log2 == 0)
        return NULL;
    return kept(lk_arena_printf(c->arena,
                                "Of callers that never failed, one in %.0f was followed: schedules of "
                                "a few of them may be missing.",
                                ldexp(1.0, (int)c->evidence->calm_share_log2)),
                failed);
}

static const char *coarse_stamps(const lk_case *c, const lk_report *r, bool *failed)
{
    (void)r;
    (void)failed;
    if (c->resolution_s < COARSE_S)
        return NULL;
    return "The stamps are whole seconds: delays and periods below 4.5 s and widths below 1 s cannot be "
           "seen, and a clock faster than every 2 s may look like a slower one.";
}

static const char *coarse_bins(const lk_case *c, const lk_report *r, bool *failed)
{
    double bin_s = c->line[LK_LINE_ALL].bin_s;

    (void)r;
    if (bin_s <= fmax(c->resolution_s, 0.25) * 1.01)
        return NULL;
    if (lk_chapters_are_worth_it(c))
        return kept(lk_arena_printf(c->arena,
                                    "The log is so long that its arrivals were searched as a whole in "
                                    "bins of %g s, and in bins of %g s a few hours at a time: a faint "
                                    "rhythm below %.3g s that needs days to be seen is not.",
                                    bin_s, fmax(c->resolution_s, 0.25), LK_PERIOD_BINS * bin_s),
                    failed);
    return kept(lk_arena_printf(c->arena,
                                "The log is so long that arrivals were counted in bins of %g s: "
                                "rhythms below %.3g s are found by callers only.  --since and "
                                "--until make it shorter.",
                                bin_s, LK_PERIOD_BINS * bin_s),
                failed);
}

static const char *ends_only(const lk_case *c, const lk_report *r, bool *failed)
{
    (void)c;
    (void)failed;
    if (r->input.corrected_to_start)
        return NULL;
    if (r->input.moment && strcmp(r->input.moment, "end") == 0)
        return "The stamps are those of the ends and no duration is logged: a period is the wait and "
               "the service time together, and requests that one crash ended look as if they had "
               "arrived together.";
    if (!r->input.moment)
        return "Whether the stamps are those of the beginning or the end is not known: a period may "
               "hold the service time as well.";
    return NULL;
}

static const char *holes(const lk_case *c, const lk_report *r, bool *failed)
{
    double seconds;
    size_t count = lk_limits_holes(&c->line[LK_LINE_ALL], &seconds);

    (void)r;
    if (count == 0)
        return NULL;
    return kept(lk_arena_printf(c->arena,
                                "Lines seem to be missing: %zu silence%s, %.0f s in all, that the "
                                "traffic around does not explain.  No wave was counted there.",
                                count, count == 1 ? "" : "s", seconds),
                failed);
}

static const char *no_callers(const lk_case *c, const lk_report *r, bool *failed)
{
    (void)failed;
    for (size_t i = 0; i < r->clock_count; i++)
        if (strcmp(r->clocks[i].kind, "unexplained") == 0)
            return "Whether a clock of unknown cause drives retries or a schedule is not shown: too "
                   "few of its callers can be followed.";
    if (!c->short_train)
        return NULL;
    return "Some bursts follow each other at equal steps, but there are no more than three of them "
           "and no callers that show the step: that is not enough to call it a clock.";
}

static const limit LIMITS[] = { periods,   sampled, calm_sampled, coarse_stamps, coarse_bins,
                                ends_only, holes,   no_callers };

lk_code lk_limits_note(lk_case *c, lk_report *r, lk_err *e)
{
    for (size_t i = 0; i < sizeof(LIMITS) / sizeof(LIMITS[0]); i++) {
        bool failed = false;
        const char *text = LIMITS[i](c, r, &failed);

        if (failed)
            return lk_fail(e, LK_EOOM, "no memory for a note");
        if (text)
            LK_TRY(lk_report_note(r, c->arena, text, e));
    }
    return LK_OK;
}
