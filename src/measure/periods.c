#include "measure/periods.h"

#include "base/time.h"
#include "base/whole.h"
#include "measure/room.h"

#include <stdlib.h>
#include <string.h>

lk_code lk_periods_init(lk_periods *p, int64_t bin_ns, lk_err *e)
{
    *p = (lk_periods){ .bin_ns = bin_ns };
    if (bin_ns <= 0)
        return lk_fail(e, LK_EUSAGE, "a bin must be wider than nothing");
    return LK_OK;
}

static void release_bins(lk_periods *p)
{
    if (p->cap)
        free(p->items - p->front);
}

void lk_periods_release(lk_periods *p)
{
    release_bins(p);
    *p = (lk_periods){ 0 };
}

static void add_period(lk_period *to, const lk_period *from)
{
    to->requests = lk_sum_u32(to->requests, from->requests);
    to->attempts = lk_sum_u32(to->attempts, from->attempts);
    to->failed = lk_sum_u32(to->failed, from->failed);
    to->rejected = lk_sum_u32(to->rejected, from->rejected);
    to->gave_up = lk_sum_u32(to->gave_up, from->gave_up);
    to->comebacks = lk_sum_u32(to->comebacks, from->comebacks);
    to->told = lk_sum_u32(to->told, from->told);
    to->served = lk_sum_u32(to->served, from->served);
    to->refused = lk_sum_u32(to->refused, from->refused);
    to->broken = lk_sum_u32(to->broken, from->broken);
    to->served_ns = lk_later(to->served_ns, from->served_ns);
    to->refused_ns = lk_later(to->refused_ns, from->refused_ns);
    to->broken_ns = lk_later(to->broken_ns, from->broken_ns);
    for (size_t i = 0; i < LK_PERIOD_POPULATIONS; i++) {
        to->of_population[i] = lk_sum_u32(to->of_population[i], from->of_population[i]);
        to->rejected_population[i] =
            lk_sum_u32(to->rejected_population[i], from->rejected_population[i]);
        to->comebacks_population[i] =
            lk_sum_u32(to->comebacks_population[i], from->comebacks_population[i]);
    }
    for (size_t i = 0; i < LK_PERIOD_STATUSES; i++)
        to->by_status[i] = lk_sum_u32(to->by_status[i], from->by_status[i]);
    for (size_t i = 0; i < LK_FATES; i++)
        to->calls[i] = lk_sum_u32(to->calls[i], from->calls[i]);
    for (size_t i = 0; i < LK_PERIOD_LENGTHS; i++)
        to->lengths[i] = lk_sum_u32(to->lengths[i], from->lengths[i]);
    for (size_t i = 0; i < LK_PERIOD_SPANS; i++)
        to->spans[i] = lk_sum_u32(to->spans[i], from->spans[i]);
    to->refused_good = lk_sum_u32(to->refused_good, from->refused_good);
    to->refused_client = lk_sum_u32(to->refused_client, from->refused_client);
    to->lines = lk_sum_u32(to->lines, from->lines);
    to->http = lk_sum_u32(to->http, from->http);
    to->timed = lk_sum_u32(to->timed, from->timed);
    to->span_ns = lk_later(to->span_ns, from->span_ns);
    to->waited_ns = lk_later(to->waited_ns, from->waited_ns);
    if (from->most > to->most)
        to->most = from->most;
    if (from->span_max_ns > to->span_max_ns)
        to->span_max_ns = from->span_max_ns;
}

/* Bins twice as wide. */
static void halve(lk_periods *p)
{
    int64_t first = lk_floor_div(p->first_bin, 2);
    size_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        size_t to = (size_t)(lk_floor_div(p->first_bin + (int64_t)i, 2) - first);
        lk_period one = p->items[i];

        if (to < n) {
            add_period(&p->items[to], &one);
            continue;
        }
        p->items[to] = one;
        n = to + 1;
    }
    p->n = n;
    p->first_bin = first;
    p->bin_ns *= 2;
}

static lk_code grow(lk_periods *p, size_t before, size_t need, lk_err *e)
{
    lk_room now = { p->cap, p->front }, grown;
    lk_period *room;

    if (lk_room_is_enough(&now, before, need))
        return LK_OK;
    grown = lk_room_grown(&now, before, need, 64, LK_PERIODS_MAX);
    room = malloc(grown.cap * sizeof(*room));
    if (!room)
        return lk_fail(e, LK_EOOM, "no memory for %zu bins", grown.cap);
    if (p->n)
        memcpy(room + grown.front, p->items, p->n * sizeof(*room));
    release_bins(p);
    p->front = grown.front;
    p->items = room + p->front;
    p->cap = grown.cap;
    return LK_OK;
}

/* Makes room so that the bin of the instant is inside. */
static lk_code reach(lk_periods *p, int64_t at_ns, lk_err *e)
{
    int64_t bin = lk_floor_div(at_ns, p->bin_ns), first, last;
    size_t before, need;

    if (!p->n)
        p->first_bin = bin;
    for (;;) {
        first = bin < p->first_bin ? bin : p->first_bin;
        last = p->first_bin + (int64_t)p->n - 1;
        last = bin > last ? bin : last;
        if (last - first < LK_PERIODS_MAX)
            break;
        halve(p);
        bin = lk_floor_div(at_ns, p->bin_ns);
    }
    need = (size_t)(last - first + 1);
    before = (size_t)(p->first_bin - first);
    LK_TRY(grow(p, before, need, e));
    p->front -= before;
    p->items -= before;
    memset(p->items, 0, before * sizeof(*p->items));
    memset(p->items + before + p->n, 0, (need - before - p->n) * sizeof(*p->items));
    p->first_bin = first;
    p->n = need;
    return LK_OK;
}

/* Makes the bin of the instant the one used last. */
static lk_code look_up(lk_periods *p, int64_t at_ns, lk_err *e)
{
    int64_t bin = lk_floor_div(at_ns, p->bin_ns);

    if (bin < p->first_bin || bin - p->first_bin >= (int64_t)p->n) {
        LK_TRY(reach(p, at_ns, e));
        bin = lk_floor_div(at_ns, p->bin_ns);
    }
    p->at = (size_t)(bin - p->first_bin);
    p->begin_ns = bin * p->bin_ns;
    p->end_ns = p->begin_ns + p->bin_ns;
    return LK_OK;
}

static inline lk_code find(lk_periods *p, int64_t at_ns, lk_period **out, lk_err *e)
{
    if (at_ns < p->begin_ns || at_ns >= p->end_ns)
        LK_TRY(look_up(p, at_ns, e));
    *out = &p->items[p->at];
    return LK_OK;
}

static size_t slot_of(lk_periods *p, uint16_t status)
{
    if (status >= 1000)
        return LK_PERIOD_STATUSES;
    if (!p->status_slot[status] && p->status_count < LK_PERIOD_STATUSES) {
        p->statuses[p->status_count++] = status;
        p->status_slot[status] = (uint8_t)p->status_count;
    }
    return p->status_slot[status] ? p->status_slot[status] - 1U : LK_PERIOD_STATUSES;
}

/* What the server spent on it. */
static void add_service(lk_period *p, const lk_attempt *a)
{
    int64_t took_ns = a->end_ns - a->start_ns;

    if (!a->has_took || took_ns < 0)
        return;
    if (a->rejected) {
        lk_count_u32(&p->refused, true);
        p->refused_ns = lk_later(p->refused_ns, took_ns);
    } else if (a->failed) {
        lk_count_u32(&p->broken, true);
        p->broken_ns = lk_later(p->broken_ns, took_ns);
    } else if (a->status < 400) {
        lk_count_u32(&p->served, true);
        p->served_ns = lk_later(p->served_ns, took_ns);
    }
}

/* A slot for each population from its first rejection on, while there are slots. */
static void add_population(lk_periods *p, lk_period *period, const lk_attempt *a)
{
    uint8_t *slot;

    if (a->population >= LK_PERIOD_SYMBOLS)
        return;
    slot = &p->population_slot[a->population];
    if (!*slot && a->rejected && p->population_count < LK_PERIOD_POPULATIONS) {
        p->populations[p->population_count++] = a->population;
        *slot = (uint8_t)p->population_count;
    }
    if (!*slot)
        return;
    lk_count_u32(&period->of_population[*slot - 1], true);
    lk_count_u32(&period->rejected_population[*slot - 1], a->rejected);
}

static bool is_client_error(unsigned status)
{
    return status >= 400 && status <= 499 && !lk_status_client_gave_up(status);
}

lk_code lk_periods_attempt(lk_periods *p, const lk_attempt *a, lk_err *e)
{
    size_t slot = slot_of(p, a->status);
    lk_period *period;

    LK_TRY(find(p, a->start_ns, &period, e));
    lk_count_u32(&period->attempts, true);
    lk_count_u32(&period->requests, a->try_no <= 1);
    lk_count_u32(&period->failed, a->failed);
    lk_count_u32(&period->rejected, a->rejected);
    lk_count_u32(&period->gave_up, a->gave_up);
    lk_count_u32(&period->told, a->rejected && lk_attempt_asked_form(a) != LK_ASKED_NOTHING);
    add_service(period, a);
    add_population(p, period, a);
    if (a->rejected && !lk_status_is_error(a->status))
        lk_count_u32(is_client_error(a->status) ? &period->refused_client : &period->refused_good, true);
    if (slot < LK_PERIOD_STATUSES)
        lk_count_u32(&period->by_status[slot], true);
    return LK_OK;
}

static void add_span(lk_period *period, int64_t span_ns, int64_t waited_ns)
{
    lk_count_u32(&period->timed, true);
    lk_count_u32(&period->spans[lk_span_cell(span_ns)], true);
    period->span_ns = lk_later(period->span_ns, span_ns);
    period->waited_ns = lk_later(period->waited_ns, waited_ns);
    if (span_ns > period->span_max_ns)
        period->span_max_ns = span_ns;
}

lk_code lk_periods_comeback(lk_periods *p, int64_t at_ns, uint32_t population, lk_err *e)
{
    lk_period *period;

    LK_TRY(find(p, at_ns, &period, e));
    lk_count_u32(&period->comebacks, true);
    if (population < LK_PERIOD_SYMBOLS && p->population_slot[population])
        lk_count_u32(&period->comebacks_population[p->population_slot[population] - 1], true);
    return LK_OK;
}

lk_code lk_periods_first(lk_periods *p, int64_t at_ns, int64_t span_ns, lk_err *e)
{
    lk_period *period;

    LK_TRY(find(p, at_ns, &period, e));
    lk_count_u32(&period->calls[LK_FATE_FIRST], true);
    lk_count_u32(&period->lines, true);
    lk_count_u32(&period->http, true);
    lk_count_u32(&period->lengths[1], true);
    period->most += period->most == 0;
    if (span_ns >= 0)
        add_span(period, span_ns, 0);
    return LK_OK;
}

lk_code lk_periods_call(lk_periods *p, const lk_call *call, lk_err *e)
{
    uint64_t http = call->lines > call->attempts ? call->lines : call->attempts;
    lk_period *period;

    LK_TRY(find(p, call->first_ns, &period, e));
    lk_count_u32(&period->calls[call->fate], true);
    period->lines = lk_sum_u32(period->lines, lk_whole_u32((double)call->lines));
    period->http = lk_sum_u32(period->http, lk_whole_u32((double)http));
    lk_count_u32(&period->lengths[http < LK_PERIOD_LENGTHS ? http : LK_PERIOD_LENGTHS - 1], true);
    if (http > period->most)
        period->most = lk_whole_u32((double)http);
    if (call->span_ns >= 0)
        add_span(period, call->span_ns, call->waited_ns);
    return LK_OK;
}

void lk_periods_evidence(const lk_periods *p, lk_evidence *out)
{
    out->periods = p->items;
    out->period_count = p->n;
    out->period_ns = p->bin_ns;
    out->periods_from_ns = p->first_bin * p->bin_ns;
    out->statuses = p->statuses;
    out->status_count = p->status_count;
    out->populations = p->populations;
    out->population_count = p->population_count;
}
