#include "link/kinds.h"

#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

enum { CAP_MAX = 10, DELAYS_MIN = 30 };

static int by_delay(const void *pa, const void *pb)
{
    const lk_chain_delay *a = pa, *b = pb;

    if (a->delay_s != b->delay_s)
        return a->delay_s < b->delay_s ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

double lk_kinds_quantile(const lk_chain_delay *sorted, size_t count, double q)
{
    if (!count)
        return (double)NAN;
    return sorted[lk_whole_size(q * (double)(count - 1) + 0.5)].delay_s;
}

/* Delays before every k-th restart against the others. */
struct split {
    double turn, other, reset;         /* how many of each                          */
    double rank_all, rank_reset;       /* rank sums of the turns                    */
    double median_turn, median_other;
};

static bool is_turn(const lk_chain_delay *d, uint32_t k)
{
    return d->position % k == 0;
}

/* Adds the delays [from, to), all equal: they share the middle of their ranks. */
static void add_equal(struct split *s, const lk_chain_delay *sorted, size_t from, size_t to,
                      uint32_t k, double *reset_before)
{
    double turns = 0, among = 0;

    for (size_t i = from; i < to; i++) {
        bool turn = is_turn(&sorted[i], k), reset = !turn && sorted[i].position > k;

        s->turn += turn;
        s->other += !turn;
        s->reset += reset;
        turns += turn;
        among += turn || reset;
    }
    s->rank_all += turns * ((double)(from + to + 1) / 2);
    s->rank_reset += turns * (*reset_before + (among + 1) / 2);
    *reset_before += among;
}

static struct split split_at(const lk_chain_delay *sorted, size_t count, uint32_t k)
{
    struct split s = { 0 };
    double reset_before = 0;

    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && !(sorted[to].delay_s > sorted[from].delay_s); to++)
            ;
        add_equal(&s, sorted, from, to, k, &reset_before);
    }
    s.median_turn = lk_kinds_median(sorted, count, k, true);
    s.median_other = lk_kinds_median(sorted, count, k, false);
    return s;
}

/* Share of pairs in which the turn is the longer delay; 0 when the split does not hold. */
static double separation(const lk_chain_delay *sorted, size_t count, uint32_t k)
{
    struct split s = split_at(sorted, count, k);
    double auc, auc_reset, z;

    if (s.turn < 8 || s.other < 16 || s.reset < fmax(8, 0.2 * s.turn))
        return 0;
    auc = (s.rank_all - s.turn * (s.turn + 1) / 2) / (s.turn * s.other);
    auc_reset = (s.rank_reset - s.turn * (s.turn + 1) / 2) / (s.turn * s.reset);
    z = (auc - 0.5) / sqrt((s.turn + s.other + 1) / (12 * s.turn * s.other));
    if (auc <= 0.85 || auc_reset <= 0.85 || z <= 6 ||
        s.median_turn <= 1.6 * s.median_other + 0.05)
        return 0;
    return auc;
}

/* An outer schedule that grows makes a multiple of the true cap look better still: the smallest
 * divisor that holds by itself is the cap. */
static int smallest_divisor(const lk_chain_delay *sorted, size_t count, int cap)
{
    for (int k = 2; k < cap; k++)
        if (cap % k == 0 && separation(sorted, count, (uint32_t)k) > 0)
            return k;
    return cap;
}

int lk_kinds_cap(lk_chain_delay *delays, size_t count)
{
    double best = 0;
    int cap = 0;

    qsort(delays, count, sizeof(*delays), by_delay);
    if (count < DELAYS_MIN)
        return 0;
    for (uint32_t k = 2; k <= CAP_MAX; k++) {
        double auc = separation(delays, count, k);

        if (auc > best + 0.004) {
            best = auc;
            cap = (int)k;
        }
    }
    return smallest_divisor(delays, count, cap);
}

double lk_kinds_median(const lk_chain_delay *sorted, size_t count, uint32_t k, bool turns)
{
    size_t n = 0, seen = 0;

    for (size_t i = 0; i < count; i++)
        n += !k || is_turn(&sorted[i], k) == turns;
    for (size_t i = 0; i < count; i++) {
        seen += !k || is_turn(&sorted[i], k) == turns;
        if (2 * seen > n)
            return sorted[i].delay_s;
    }
    return (double)NAN;
}

/* SDKs whose shipped schedules are known and hold no constant of 4 s or more. */
static const char *const VENDORS[] = { "aws-sdk", "boto",   "aws-cli", "openai/", "anthropic/",
                                       "azure",   "azsdk",  "gcloud",  "google-", "stripe" };

static bool is_vendor(lk_slice agent)
{
    for (size_t i = 0; i < sizeof(VENDORS) / sizeof(VENDORS[0]); i++) {
        lk_slice name = lk_slice_from(VENDORS[i]);

        if (agent.len >= name.len && strncasecmp(agent.p, name.p, name.len) == 0)
            return true;
    }
    return false;
}

bool lk_kinds_is_job(lk_slice agent, const lk_chain_delay *sorted, size_t count)
{
    double middle = lk_kinds_quantile(sorted, count, 0.5);
    size_t near = 0;

    if (!count || middle < 4 || !is_vendor(agent))
        return false;
    for (size_t i = 0; i < count; i++)
        near += fabs(sorted[i].delay_s - middle) <= 0.2 * middle;
    return (double)near > 0.75 * (double)count;
}
