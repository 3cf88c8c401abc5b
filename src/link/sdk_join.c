#include "link/sdk_join.h"
#include "base/time.h"
#include "base/whole.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for one more item; *out NULL and no error: the bound is met. */
static lk_code reach(void **items, size_t *cap, size_t count, size_t size, lk_err *e)
{
    size_t grown = *cap ? *cap * 2 : 1024;
    void *moved;

    if (count < *cap)
        return LK_OK;
    moved = realloc(*items, grown * size);
    if (!moved)
        return lk_fail(e, LK_EOOM, "no memory to join %zu calls of the SDK log", grown);
    *items = moved;
    *cap = grown;
    return LK_OK;
}

lk_code lk_sdk_keep_id(lk_sdk *s, const lk_sdk_call *call, uint16_t client, lk_err *e)
{
    double span_s = call->span_s >= 0 && call->span_s < 1e9 ? call->span_s : 0;
    void *items = s->ids;
    lk_code code;

    if (s->id_count == LK_SDK_IDS_MAX) {
        s->lost_ids = true;
        return LK_OK;
    }
    code = reach(&items, &s->id_cap, s->id_count, sizeof(*s->ids), e);
    s->ids = items;
    LK_TRY(code);
    s->ids[s->id_count++] =
        (lk_sdk_id){ call->id, call->at_ns, lk_later(call->at_ns, lk_nearest(span_s * 1e9)), client,
                     false };
    s->is_sorted = false;
    return LK_OK;
}

static int by_id(const void *pa, const void *pb)
{
    const lk_sdk_id *a = pa, *b = pb;

    return a->id < b->id ? -1 : a->id > b->id;
}

static void sort_ids(lk_sdk *s)
{
    if (!s->is_sorted && s->id_count)
        qsort(s->ids, s->id_count, sizeof(*s->ids), by_id);
    s->is_sorted = true;
}

/* The first of the calls with that id; NULL: none. */
static lk_sdk_id *find(lk_sdk *s, uint64_t id)
{
    size_t low = 0, high = s->id_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (s->ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->id_count && s->ids[low].id == id ? &s->ids[low] : NULL;
}

static lk_code agent_of(lk_sdk *s, uint32_t population, lk_sdk_agent **out, lk_err *e)
{
    size_t count = s->agent_count ? s->agent_count : 64;
    lk_sdk_agent *grown;

    while (count <= population)
        count *= 2;
    if (count > s->agent_count) {
        grown = realloc(s->agents, count * sizeof(*grown));
        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu user agents", count);
        memset(grown + s->agent_count, 0, (count - s->agent_count) * sizeof(*grown));
        s->agents = grown;
        s->agent_count = count;
    }
    *out = &s->agents[population];
    return LK_OK;
}

/* Stamps of two clocks: what lies this near outside counts as inside. */
static bool is_covered(const lk_sdk *s, int64_t at_ns)
{
    return s->first_ns != LK_TIME_NONE && at_ns >= s->first_ns - LK_NS_PER_S &&
           at_ns <= s->last_ns + LK_NS_PER_S;
}

static int by_stranger(const void *pa, const void *pb)
{
    const lk_sdk_stranger *a = pa, *b = pb;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->population < b->population ? -1 : a->population > b->population;
}

/* Each id of each column once. */
static void merge_strangers(lk_sdk *s)
{
    size_t kept = 0;

    if (s->stranger_count)
        qsort(s->strangers, s->stranger_count, sizeof(*s->strangers), by_stranger);
    for (size_t i = 0; i < s->stranger_count; i++)
        if (!kept || s->strangers[i].id != s->strangers[kept - 1].id ||
            s->strangers[i].column != s->strangers[kept - 1].column)
            s->strangers[kept++] = s->strangers[i];
    s->stranger_count = kept;
}

static lk_code keep_stranger(lk_sdk *s, const lk_attempt *a, size_t column, lk_err *e)
{
    void *items = s->strangers;
    lk_code code;

    if (s->lost_strangers)
        return LK_OK;
    if (s->stranger_count == LK_SDK_IDS_MAX) {
        merge_strangers(s);
        if (s->stranger_count > LK_SDK_IDS_MAX / 4 * 3) {
            s->lost_strangers = true;
            return LK_OK;
        }
    }
    code = reach(&items, &s->stranger_cap, s->stranger_count, sizeof(*s->strangers), e);
    s->strangers = items;
    LK_TRY(code);
    s->strangers[s->stranger_count++] =
        (lk_sdk_stranger){ a->id[column], a->population, (uint8_t)column };
    return LK_OK;
}

lk_code lk_sdk_attempt(lk_sdk *s, const lk_attempt *a, lk_err *e)
{
    bool is_inside = is_covered(s, a->start_ns);
    lk_sdk_agent *agent = NULL;

    sort_ids(s);
    if (s->http_from_ns == LK_TIME_NONE || a->start_ns < s->http_from_ns)
        s->http_from_ns = a->start_ns;
    if (s->http_to_ns == LK_TIME_NONE || a->end_ns > s->http_to_ns)
        s->http_to_ns = a->end_ns;
    LK_TRY(agent_of(s, a->population, &agent, e));
    agent->attempts += is_inside;
    for (size_t i = 0; i < LK_IDS; i++) {
        lk_sdk_id *call = a->id[i] ? find(s, a->id[i]) : NULL;

        agent->with_id[i] += is_inside && a->id[i];
        if (call) {
            call->is_found = true;
            agent->found++;
            s->found[i]++;
        } else if (a->id[i] && is_inside && s->id_count) {
            LK_TRY(keep_stranger(s, a, i, e));
        }
    }
    return LK_OK;
}

lk_code lk_sdk_linked(lk_sdk *s, uint32_t population, int64_t first_ns, lk_err *e)
{
    lk_sdk_agent *agent;

    if (population == UINT32_MAX || !is_covered(s, first_ns))
        return LK_OK;
    LK_TRY(agent_of(s, population, &agent, e));
    agent->calls++;
    return LK_OK;
}

/* ---- the comparison ---- */

static size_t best_column(const lk_sdk *s)
{
    size_t best = 0;

    for (size_t i = 1; i < LK_IDS; i++)
        if (s->found[i] > s->found[best])
            best = i;
    return best;
}

/* Some attempts of these user agents lost their ids on the way: what is missing may be among them. */
static bool loses_ids(const lk_sdk *s, size_t column)
{
    uint64_t attempts = 0, with_id = 0;

    for (size_t i = 0; i < s->agent_count; i++)
        if (s->agents[i].found) {
            attempts += s->agents[i].attempts;
            with_id += s->agents[i].with_id[column];
        }
    return with_id * 100 < attempts * 95;
}

/* Calls with an id while the access log lasts, and those of them that it shows, for each client. */
static void count_found(lk_sdk *s)
{
    for (size_t i = 0; i < s->id_count; i++) {
        lk_sdk_id *call = &s->ids[i];
        lk_sdk_client *client = &s->clients[call->client];

        if (i > 0 && call->id == call[-1].id)
            call->is_found |= call[-1].is_found;
        if (call->at_ns < s->http_from_ns || call->end_ns > s->http_to_ns ||
            !is_covered(s, call->at_ns))
            continue;
        client->covered++;
        client->found += call->is_found;
    }
}

static void add_to(int64_t *count, uint64_t n)
{
    *count = (*count == LK_COUNT_NONE ? 0 : *count) + (int64_t)n;
}

static void compare_by_id(lk_sdk *s, lk_report_calls *c)
{
    size_t column = best_column(s);
    uint64_t strangers = 0;

    if (!s->found[column] || s->lost_ids || loses_ids(s, column))
        return;
    for (size_t i = 0; i < s->client_count; i++)
        if (s->clients[i].found)
            add_to(&c->never_seen_in_http, s->clients[i].covered - s->clients[i].found);
    if (s->lost_strangers)
        return;
    merge_strangers(s);
    for (size_t i = 0; i < s->stranger_count; i++)
        strangers += s->strangers[i].column == column && s->agents[s->strangers[i].population].found;
    add_to(&c->never_seen_in_sdk, strangers);
}

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* "openai-python" names "OpenAI-Python/1.2", and not "openai-pythonic". */
static bool bears_name(lk_slice agent, const lk_sdk_client *client)
{
    if (!client->len || agent.len < client->len)
        return false;
    for (size_t i = 0; i < client->len; i++)
        if (lower(agent.p[i]) != lower(client->name[i]))
            return false;
    return agent.len == client->len || (agent.p[client->len] != '-' && agent.p[client->len] != '_' &&
                                        !(lower(agent.p[client->len]) >= 'a' &&
                                          lower(agent.p[client->len]) <= 'z'));
}

/* By their number alone, in the time that the two logs share: at least the difference is missing. */
static void compare_by_count(const lk_sdk *s, const lk_symbols *symbols,
                             const lk_sdk_client *client, lk_report_calls *c)
{
    uint64_t linked = 0;

    for (uint32_t i = 0; i < s->agent_count; i++)
        if (s->agents[i].calls && bears_name(lk_intern_text(&symbols->populations, i), client))
            linked += s->agents[i].calls;
    if (!linked)
        return;
    add_to(&c->never_seen_in_http, client->calls > linked ? client->calls - linked : 0);
    add_to(&c->never_seen_in_sdk, linked > client->calls ? linked - client->calls : 0);
}

void lk_sdk_compare(lk_sdk *s, const lk_symbols *symbols, lk_report_calls *c)
{
    bool holds = s->http_from_ns != LK_TIME_NONE && s->http_from_ns <= s->first_ns + LK_NS_PER_S &&
                 s->last_ns <= s->http_to_ns + LK_NS_PER_S;

    if (s->http_from_ns == LK_TIME_NONE)
        return;
    sort_ids(s);
    count_found(s);
    compare_by_id(s, c);
    for (size_t i = 0; i < s->client_count && holds; i++)
        if (!s->clients[i].with_id)
            compare_by_count(s, symbols, &s->clients[i], c);
}
