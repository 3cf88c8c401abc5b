#include "measure/tally.h"

void lk_tally_init(lk_tally *t)
{
    *t = (lk_tally){ .first_ns = LK_TIME_NONE, .last_ns = LK_TIME_NONE, .end_ns = LK_TIME_NONE };
}

static void widen(lk_tally *t, int64_t first_ns, int64_t last_ns, int64_t end_ns)
{
    if (t->first_ns == LK_TIME_NONE || first_ns < t->first_ns)
        t->first_ns = first_ns;
    if (t->last_ns == LK_TIME_NONE || last_ns > t->last_ns)
        t->last_ns = last_ns;
    if (t->end_ns == LK_TIME_NONE || end_ns > t->end_ns)
        t->end_ns = end_ns;
}

static bool is_client_error(unsigned status)
{
    return status >= 400 && status <= 499 && status != 429 && !lk_status_client_gave_up(status);
}

void lk_tally_add(lk_tally *t, const lk_attempt *a)
{
    t->attempts++;
    t->requests += a->try_no <= 1;
    t->gave_up += a->gave_up;
    if (a->status < 1000)
        t->by_status[a->status]++;
    t->by_moment[a->moment]++;
    t->corrected += a->has_took && a->moment == LK_MOMENT_END;
    t->failed += a->failed;
    t->rejected += a->rejected;
    if (a->rejected && !lk_status_is_error(a->status))
        *(is_client_error(a->status) ? &t->refused_client : &t->refused_good) += 1;
    if (a->fraction)
        t->sub_second++;
    else
        t->whole_second++;
    widen(t, a->start_ns, a->start_ns, a->end_ns);
}

void lk_tally_merge(lk_tally *t, const lk_tally *other)
{
    if (!other->attempts)
        return;
    t->attempts += other->attempts;
    t->requests += other->requests;
    t->gave_up += other->gave_up;
    t->whole_second += other->whole_second;
    t->sub_second += other->sub_second;
    t->corrected += other->corrected;
    t->failed += other->failed;
    t->rejected += other->rejected;
    t->refused_good += other->refused_good;
    t->refused_client += other->refused_client;
    for (size_t i = 0; i < 1000; i++)
        t->by_status[i] += other->by_status[i];
    for (size_t i = 0; i < 3; i++)
        t->by_moment[i] += other->by_moment[i];
    widen(t, other->first_ns, other->last_ns, other->end_ns);
}

int64_t lk_tally_resolution_ns(const lk_tally *t)
{
    return t->whole_second * 100 >= t->attempts ? LK_NS_PER_S : LK_NS_PER_MS;
}

static void count_status(lk_report_http *h, unsigned status, int64_t n)
{
    h->by_status[status] = n;
    if (lk_status_is_error(status))
        h->errors += n;
    if (is_client_error(status))
        h->client_errors += n;
}

void lk_tally_report(const lk_tally *t, lk_report *r)
{
    lk_report_http *h = &r->http;

    h->requests = (int64_t)t->requests;
    h->attempts = (int64_t)t->attempts;
    h->client_gave_up = (int64_t)t->gave_up;
    h->errors = h->client_errors = 0;
    h->rejected = (int64_t)t->rejected;
    for (unsigned status = 0; status < 1000; status++)
        count_status(h, status, (int64_t)t->by_status[status]);
    h->errors += (int64_t)(t->refused_good + t->refused_client);
    h->client_errors -= (int64_t)t->refused_client;
    if (!t->attempts)
        return;
    h->error_share = (double)h->errors / (double)t->attempts;
    h->rejected_share = (double)h->rejected / (double)t->attempts;
    r->input.span_start_ns = t->first_ns;
    r->input.span_end_ns = t->last_ns;
    r->input.span_s = (double)(t->last_ns - t->first_ns) / 1e9;
    r->input.resolution_s = (double)lk_tally_resolution_ns(t) / 1e9;
    r->input.corrected_to_start = t->corrected > 0;
    if (t->by_moment[LK_MOMENT_END] * 2 > t->attempts)
        r->input.moment = "end";
    else if (t->by_moment[LK_MOMENT_START] * 2 > t->attempts)
        r->input.moment = "start";
}
