#include "infer/alias.h"

#include "base/whole.h"
#include "infer/timing.h"

#include <math.h>

#define FINER 4.0     /* stamps must be so much finer than bins                              */
#define SHOWN 30.0    /* least power in the instants as binned: else they do not tell        */
#define KEPT 0.3      /* share of that power which the instants themselves have, at least    */
#define REACH 0.125   /* turns over the whole range by which the period may be off           */
#define NOISE 20.0    /* power that chance and traffic reach ...                             */
#define LEAKED 0.05   /* ... or share of the highest: harmonics that are not there           */
#define TWO_PI (2.0 * 3.14159265358979323846)

enum { HARMONICS = 16, SHIFTS = 9, FASTEST = 16, EVENTS_MAX = 8192, EVENTS_LEAST = 64, PIECE = 512, PARTS_MAX = 16 };

typedef struct events {
    double *at, *weight; /* [n] */
    size_t n;
} events;

typedef struct powers {
    double of[HARMONICS + 1]; /* by harmonic; [0] unused */
} powers;

/* From the first event on, which *from is. */
static double span_of(const events *v, double *from)
{
    double to = -(double)INFINITY;

    *from = (double)INFINITY;
    for (size_t i = 0; i < v->n; i++) {
        *from = fmin(*from, v->at[i]);
        to = fmax(to, v->at[i]);
    }
    return v->n > 0 ? to - *from : 0.0;
}

static powers powers_at(const events *v, double period_s)
{
    double re[HARMONICS + 1] = { 0.0 }, im[HARMONICS + 1] = { 0.0 };
    double square = 1e-9, from, span = span_of(v, &from);
    powers p = { { 0.0 } };

    for (size_t i = 0; i < v->n; i++) {
        double turn = v->at[i] / period_s, angle = TWO_PI * (turn - floor(turn));
        /* Tapered (Hann): what begins and ends abruptly would leak into all harmonics. */
        double weight = v->weight[i] * (span > 0.0 ? 1.0 - cos(TWO_PI * (v->at[i] - from) / span) : 1.0);
        double c = cos(angle), s = sin(angle), x = weight * c, y = weight * s;

        square += weight * weight;
        for (unsigned m = 1; m <= HARMONICS; m++) {
            double next = x * c - y * s;

            re[m] += x;
            im[m] += y;
            y = x * s + y * c;
            x = next;
        }
    }
    for (unsigned m = 1; m <= HARMONICS; m++)
        p.of[m] = 2.0 * (re[m] * re[m] + im[m] * im[m]) / square;
    return p;
}

static double highest(const powers *p)
{
    double most = 0.0;

    for (unsigned m = 1; m <= HARMONICS; m++)
        most = fmax(most, p->of[m]);
    return most;
}

/* Each harmonic at the best of the periods that a search in bins cannot tell from the one asked for. */
static powers best_powers(const events *v, double period_s, double turns)
{
    powers best = { { 0.0 } };

    for (int i = 0; i < SHIFTS; i++) {
        double off = REACH * (2.0 * i / (SHIFTS - 1.0) - 1.0);
        powers p = powers_at(v, period_s / (1.0 + off / turns));

        for (unsigned m = 1; m <= HARMONICS; m++)
            best.of[m] = fmax(best.of[m], p.of[m]);
    }
    return best;
}

/* The largest k of which all harmonics that are there are multiples. */
static unsigned faster(const powers *p)
{
    double noise = fmax(NOISE, LEAKED * highest(p));

    for (unsigned k = FASTEST; k > 1; k--) {
        bool others = false;

        for (unsigned m = 1; m <= HARMONICS; m++)
            others |= m % k != 0 && p->of[m] > noise;
        if (!others && p->of[k] > noise)
            return k;
    }
    return 1;
}

static double bin_at(const lk_alias_question *q, size_t i)
{
    return ((double)i + 0.5) * q->line->bin_s;
}

static double explained_by(const lk_strides *s, const lk_alias_question *q, size_t i)
{
    return q->explained ? q->explained[s->row[i].unit] : 0.0;
}

static void list_instants(const lk_strides *s, const lk_alias_question *q, events *v)
{
    double from_s = (double)q->from * q->line->bin_s + q->zero_s,
           to_s = (double)q->to * q->line->bin_s + q->zero_s;

    for (size_t i = 0; i < s->n && v->n < EVENTS_MAX; i++)
        if (s->row[i].at_s >= from_s && s->row[i].at_s <= to_s &&
            (!q->rejected || s->row[i].rejected) && !(explained_by(s, q, i) > 0.0)) {
            v->weight[v->n] = 1.0;
            v->at[v->n++] = s->row[i].at_s - q->zero_s;
        }
}

static double finest(const lk_alias_question *q, double resolution_s)
{
    return fmax((double)q->fine->bin_ns * 1e-9, resolution_s);
}

/* Bins that are narrower than the stamps only show the stamps' own comb. */
static bool is_finer(const lk_alias_question *q, double resolution_s)
{
    return q->fine && q->fine->n > 0 &&
           FINER * finest(q, resolution_s) <= 1.0001 * q->line->bin_s;
}

/* Narrow bins stand for instants. */
static void list_narrow(const lk_alias_question *q, events *v)
{
    const lk_fine_series *f = q->fine;
    double bin_s = (double)f->bin_ns * 1e-9, off_s = q->fine_zero_s - q->zero_s;
    double first = fmax(0.0, ((double)q->from * q->line->bin_s - off_s) / bin_s),
           last = ((double)q->to * q->line->bin_s - off_s) / bin_s;
    size_t to = last < (double)f->n ? lk_whole_size(fmax(0.0, last)) : f->n, n;
    uint32_t all[PIECE], rejected[PIECE], *own = q->rejected ? rejected : all;

    for (size_t from = lk_whole_size(first); from < to && v->n + PIECE <= EVENTS_MAX; from += n) {
        n = to - from < PIECE ? to - from : PIECE;
        f->read(f->ctx, from, n, all, rejected);
        for (size_t i = 0; i < n; i++)
            if (own[i] > 0) {
                v->weight[v->n] = own[i];
                v->at[v->n++] = ((double)(from + i) + 0.5) * bin_s + off_s;
            }
    }
}

/* Takes off what the line no longer holds. */
static void drop_explained(const lk_strides *s, const lk_alias_question *q, events *v)
{
    double bin_s = (double)q->fine->bin_ns * 1e-9, off_s = q->fine_zero_s - q->zero_s;

    for (size_t i = 0; i < s->n; i++) {
        double explained = explained_by(s, q, i);
        double bin = floor((s->row[i].at_s - q->fine_zero_s) / bin_s + 1e-6);
        double at = (bin + 0.5) * bin_s + off_s;
        size_t lo = 0, hi = v->n;

        if (!(explained > 0.0) || (q->rejected && !s->row[i].rejected))
            continue;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;

            if (v->at[mid] < at - 0.25 * bin_s)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < v->n && v->at[lo] < at + 0.25 * bin_s)
            v->weight[lo] = fmax(0.0, v->weight[lo] - explained);
    }
}

static void list_narrow_rest(const lk_strides *s, const lk_alias_question *q, events *v)
{
    size_t n = 0;

    list_narrow(q, v);
    drop_explained(s, q, v);
    for (size_t i = 0; i < v->n; i++)
        if (v->weight[i] > 0.0) {
            v->at[n] = v->at[i];
            v->weight[n++] = v->weight[i];
        }
    v->n = n;
}

/* The same instants as the bins have them. */
static void put_in_bins(const lk_alias_question *q, events *v)
{
    for (size_t i = 0; i < v->n; i++)
        v->at[i] = bin_at(q, lk_line_bin(q->line, v->at[i]));
}

static void list_bins(const lk_alias_question *q, events *v)
{
    size_t to = q->from + EVENTS_MAX < q->to ? q->from + EVENTS_MAX : q->to;
    double mean = 0.0;

    for (size_t i = q->from; i < to; i++)
        mean += q->line->x[i] / (double)(to - q->from);
    for (v->n = 0; q->from + v->n < to; v->n++) {
        v->at[v->n] = bin_at(q, q->from + v->n);
        v->weight[v->n] = q->line->x[q->from + v->n] - mean;
    }
}

/* The part of the line, short enough to be looked at closely, that shows the period best. */
static void pick_part(lk_alias_question *q, double resolution_s, events *v)
{
    lk_alias_question part = *q, best = *q;
    double bin_s = is_finer(q, resolution_s) ? (double)q->fine->bin_ns * 1e-9 : q->line->bin_s,
           most = -1.0;
    size_t length = lk_whole_size(fmax(1.0, EVENTS_MAX * bin_s / q->line->bin_s)), parts;

    parts = (q->to - q->from + length - 1) / length;
    for (size_t i = 0; i < parts && i < PARTS_MAX && parts > 1; i++) {
        size_t last = q->to - length - q->from, few = parts < PARTS_MAX ? parts : PARTS_MAX;
        powers p;

        part.from = q->from + last * i / (few - 1);
        part.to = part.from + length;
        list_bins(&part, v);
        p = powers_at(v, q->period_s);
        if (highest(&p) > most) {
            most = highest(&p);
            best = part;
        }
    }
    v->n = 0;
    *q = best;
}

static double turns_of(const lk_alias_question *q)
{
    return fmax(1.0, (double)(q->to - q->from) * q->line->bin_s / q->period_s);
}

/* `v` holds instants that are finer than the bins. */
static void ask_instants(const lk_alias_question *q, events *v, lk_alias_answer *out)
{
    powers seen, there;

    if (v->n < EVENTS_LEAST)
        return;
    there = best_powers(v, q->period_s, turns_of(q));
    put_in_bins(q, v);
    seen = best_powers(v, q->period_s, turns_of(q));
    if (highest(&seen) < SHOWN)
        return;
    out->by_bins = highest(&there) < KEPT * highest(&seen);
    out->faster = out->by_bins ? 1 : faster(&there);
}

static void ask_bins(const lk_alias_question *q, events *v, lk_alias_answer *out)
{
    powers p;
    unsigned k;

    list_bins(q, v);
    p = best_powers(v, q->period_s, turns_of(q));
    k = faster(&p);
    if (q->period_s >= k * LK_PERIOD_BINS * q->line->bin_s)
        out->faster = k;
}

lk_code lk_alias_ask(const lk_strides *s, const lk_alias_question *question, lk_arena *scratch,
                     lk_alias_answer *out, lk_err *e)
{
    lk_alias_question part = *question, *q = &part;
    lk_mark mark = lk_arena_mark(scratch);
    events v = { LK_NEW(scratch, double, EVENTS_MAX), LK_NEW(scratch, double, EVENTS_MAX), 0 };

    *out = (lk_alias_answer){ .faster = 1 };
    if (!v.at || !v.weight)
        return lk_fail(e, LK_EOOM, "no memory for %d instants", (int)EVENTS_MAX);
    pick_part(q, s->resolution_s, &v);
    if (is_finer(q, s->resolution_s))
        list_narrow_rest(s, q, &v);
    else if (FINER * s->resolution_s <= q->line->bin_s)
        list_instants(s, q, &v);
    ask_instants(q, &v, out);
    if (!out->by_bins && out->faster == 1)
        ask_bins(q, &v, out);
    lk_arena_rewind(scratch, mark);
    return LK_OK;
}
