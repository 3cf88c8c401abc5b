#include "link/kinds.h"

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
    return sorted[(size_t)(q * (double)(count - 1) + 0.5)].delay_s;
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

static struct split split_at(const lk_chain_delay *sorted, size_t count, uint32_t k)
{
    struct split s = { 0 };
    double seen_turn = 0, seen_other = 0, rank_among_reset = 0;

    for (size_t i = 0; i < count; i++) {
        bool turn = is_turn(&sorted[i], k), reset = !turn && sorted[i].position > k;

        s.turn += turn;
        s.other += !turn;
        s.reset += reset;
        if (turn || reset)
            rank_among_reset++;
        if (turn) {
            s.rank_all += (double)i + 1;
            s.rank_reset += rank_among_reset;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (is_turn(&sorted[i], k)) {
            if (++seen_turn <= (s.turn + 1) / 2)
                s.median_turn = sorted[i].delay_s;
        } else if (++seen_other <= (s.other + 1) / 2) {
            s.median_other = sorted[i].delay_s;
        }
    }
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
    return cap;
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
