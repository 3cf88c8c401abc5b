#include "measure/breakdown.h"

#include "base/hash.h"
#include "base/whole.h"

#include <stdlib.h>
#include <string.h>

/* A number is an index below LK_VALUES_MAX and a generation, of which there is none twice. */
enum { INDEX_BITS = 12 };
_Static_assert(LK_VALUES_MAX == 1 << INDEX_BITS, "an index fits its bits");

lk_code lk_breakdown_init(lk_breakdown *b, uint64_t seed, lk_err *e)
{
    *b = (lk_breakdown){ .generation = 0 };
    return lk_lru_init(&b->accounts, sizeof(lk_value_account), LK_VALUES_MAX, seed, e);
}

void lk_breakdown_release(lk_breakdown *b)
{
    lk_lru_release(&b->accounts);
    free(b->rows);
    *b = (lk_breakdown){ 0 };
}

/* ---- rows: the calls of a value and a population ---- */

static lk_value_row *find_row(const lk_breakdown *b, const lk_value_account *account,
                              uint16_t group)
{
    for (uint32_t at = account->rows; at; at = b->rows[at - 1].next)
        if (b->rows[at - 1].group == group)
            return &b->rows[at - 1];
    return NULL;
}

static lk_code take_row(lk_breakdown *b, uint32_t *out, lk_err *e)
{
    if (b->free_row) {
        *out = b->free_row;
        b->free_row = b->rows[*out - 1].next;
        b->rows_free--;
        return LK_OK;
    }
    if (b->row_count == b->row_cap) {
        size_t cap = b->row_cap ? 2 * b->row_cap : 256;
        lk_value_row *grown = realloc(b->rows, cap * sizeof(*grown));

        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for the calls of %zu values", cap);
        b->rows = grown;
        b->row_cap = cap;
    }
    *out = (uint32_t)++b->row_count;
    return LK_OK;
}

static lk_code row_of(lk_breakdown *b, lk_value_account *account, uint16_t group,
                      lk_value_row **out, lk_err *e)
{
    uint32_t at = 0;

    *out = find_row(b, account, group);
    if (*out)
        return LK_OK;
    LK_TRY(take_row(b, &at, e));
    *out = &b->rows[at - 1];
    **out = (lk_value_row){ .next = account->rows, .group = group };
    account->rows = at;
    return LK_OK;
}

static void free_rows(lk_breakdown *b, lk_value_account *account)
{
    while (account->rows) {
        uint32_t at = account->rows;

        account->rows = b->rows[at - 1].next;
        b->rows[at - 1].next = b->free_row;
        b->free_row = at;
        b->rows_free++;
    }
}

static size_t rows_used(const lk_breakdown *b)
{
    return b->row_count - b->rows_free;
}

/* ---- folding ---- */

static lk_code merge_rows(lk_breakdown *b, lk_value_account *to, const lk_value_account *from,
                          lk_err *e)
{
    for (uint32_t at = from->rows; at; at = b->rows[at - 1].next) {
        lk_call_counts counts = b->rows[at - 1].counts; /* rows may move */
        lk_value_row *row;

        LK_TRY(row_of(b, to, b->rows[at - 1].group, &row, e));
        lk_call_counts_merge(&row->counts, &counts);
    }
    return LK_OK;
}

static void merge_sums(lk_value_account *to, const lk_value_account *from)
{
    to->requests += from->requests;
    to->attempts += from->attempts;
    to->errors += from->errors;
    to->client_errors += from->client_errors;
    to->gave_up += from->gave_up;
    to->rejected += from->rejected;
    for (size_t i = 0; i < LK_VALUE_STATUSES; i++)
        to->by_status[i] += from->by_status[i];
    for (size_t i = 0; i < LK_PERIOD_LENGTHS; i++)
        to->lengths[i] += from->lengths[i];
    to->timed += from->timed;
    to->span_ns = lk_later(to->span_ns, from->span_ns);
    to->waited_ns = lk_later(to->waited_ns, from->waited_ns);
    if (from->span_max_ns > to->span_max_ns)
        to->span_max_ns = from->span_max_ns;
}

static lk_code fold(lk_breakdown *b, lk_value_account *account, lk_err *e)
{
    merge_sums(&b->other, account);
    LK_TRY(merge_rows(b, &b->other, account, e));
    free_rows(b, account);
    account->number = 0;
    lk_lru_drop(&b->accounts, account);
    b->folded++;
    return LK_OK;
}

static int compare_text(const lk_value_account *a, const lk_value_account *b)
{
    size_t n = a->text_len < b->text_len ? a->text_len : b->text_len;
    int c = memcmp(a->text, b->text, n);

    if (!c)
        c = (a->text_len > b->text_len) - (a->text_len < b->text_len);
    return c ? c : (a->hash > b->hash) - (a->hash < b->hash);
}

static int more_first(uint64_t a, uint64_t b)
{
    return (a < b) - (a > b);
}

static int by_seen(const void *pa, const void *pb)
{
    const lk_value_account *a = *(lk_value_account *const *)pa;
    const lk_value_account *b = *(lk_value_account *const *)pb;
    int c = more_first(a->seen_rejected, b->seen_rejected);

    if (!c)
        c = more_first(a->seen, b->seen);
    return c ? c : compare_text(a, b);
}

struct listing {
    lk_value_account **items;
    size_t count;
};

static void list_one(void *ctx, uint64_t key, void *entry)
{
    struct listing *list = ctx;

    (void)key;
    list->items[list->count++] = entry;
}

static void list_all(const lk_breakdown *b, lk_value_account **items)
{
    struct listing list = { items, 0 };

    lk_lru_each(&b->accounts, list_one, &list);
}

static size_t rows_of(const lk_breakdown *b, const lk_value_account *account)
{
    size_t n = 0;

    for (uint32_t at = account->rows; at; at = b->rows[at - 1].next)
        n++;
    return n;
}

/* The worst keep their accounts, half as many as there may be at most. */
static lk_code prune(lk_breakdown *b, lk_err *e)
{
    size_t count = b->accounts.count, rows = 0, kept = 0;
    lk_value_account **all = malloc((count ? count : 1) * sizeof(*all));
    lk_code code = LK_OK;

    if (!all)
        return lk_fail(e, LK_EOOM, "no memory to fold values");
    list_all(b, all);
    qsort(all, count, sizeof(*all), by_seen);
    for (; kept < count && kept < LK_VALUES_MAX / 2 && rows <= LK_VALUE_ROWS_MAX / 2; kept++)
        rows += rows_of(b, all[kept]);
    for (size_t i = kept; i < count && code == LK_OK; i++)
        code = fold(b, all[i], e);
    free(all);
    return code;
}

/* ---- adding ---- */

static lk_code add_account(lk_breakdown *b, uint64_t key, lk_slice value, lk_value_account **out,
                           lk_err *e)
{
    lk_value_account *account;
    void *fresh;

    if (lk_lru_is_full(&b->accounts))
        LK_TRY(prune(b, e));
    LK_TRY(lk_lru_add(&b->accounts, key, &fresh, e));
    account = fresh;
    account->number = ++b->generation << INDEX_BITS | lk_lru_index(&b->accounts, account);
    account->hash = key;
    account->absent = value.len == 0;
    account->cut = value.len > LK_VALUE_TEXT;
    account->text_len = (uint16_t)(account->cut ? LK_VALUE_TEXT : value.len);
    if (account->text_len)
        memcpy(account->text, value.p, account->text_len);
    *out = account;
    return LK_OK;
}

lk_code lk_breakdown_number(lk_breakdown *b, lk_slice value, bool rejected, uint32_t *number,
                            lk_err *e)
{
    uint64_t key = lk_hash(value.p ? value.p : "", value.len);
    lk_value_account *account = lk_lru_find(&b->accounts, key);

    if (!account)
        LK_TRY(add_account(b, key, value, &account, e));
    account->seen++;
    account->seen_rejected += rejected;
    *number = account->number;
    return LK_OK;
}

static lk_value_account *account_of(lk_breakdown *b, uint32_t number)
{
    uint32_t index = number & (LK_VALUES_MAX - 1);
    lk_value_account *account = number ? lk_lru_at(&b->accounts, index) : &b->other;

    return account->number == number ? account : &b->other;
}

static void count_status(lk_breakdown *b, lk_value_account *account, unsigned status,
                         bool rejected)
{
    account->errors += lk_status_is_error(status) || rejected;
    account->client_errors += !rejected && status >= 400 && status <= 499 && status != 429 &&
                              !lk_status_client_gave_up(status);
    if (status >= 1000)
        return;
    if (!b->status_slot[status] && b->status_count < LK_VALUE_STATUSES) {
        b->statuses[b->status_count++] = (uint16_t)status;
        b->status_slot[status] = (uint8_t)b->status_count;
    }
    if (b->status_slot[status])
        account->by_status[b->status_slot[status] - 1]++;
}

void lk_breakdown_attempt(lk_breakdown *b, const lk_attempt *a)
{
    lk_value_account *account = account_of(b, a->value);

    account->attempts++;
    account->requests += a->try_no <= 1;
    account->gave_up += a->gave_up;
    account->rejected += a->rejected;
    count_status(b, account, a->status, a->rejected);
}

/* Room for one more row; accounts may be folded. */
static lk_code make_row_room(lk_breakdown *b, lk_err *e)
{
    return rows_used(b) < LK_VALUE_ROWS_MAX ? LK_OK : prune(b, e);
}

lk_code lk_breakdown_call(lk_breakdown *b, const lk_call *call, lk_err *e)
{
    uint64_t http = lk_call_http(call);
    lk_value_account *account;
    lk_value_row *row;

    LK_TRY(make_row_room(b, e));
    account = account_of(b, call->value);
    LK_TRY(row_of(b, account, call->group, &row, e));
    lk_call_counts_add(&row->counts, call);
    account->lengths[http < LK_PERIOD_LENGTHS ? http : LK_PERIOD_LENGTHS - 1]++;
    if (call->span_ns < 0)
        return LK_OK;
    account->timed++;
    account->span_ns = lk_later(account->span_ns, call->span_ns);
    account->waited_ns = lk_later(account->waited_ns, call->waited_ns);
    if (call->span_ns > account->span_max_ns)
        account->span_max_ns = call->span_ns;
    return LK_OK;
}

lk_code lk_breakdown_task(lk_breakdown *b, const lk_task *task, lk_err *e)
{
    lk_value_row *row;

    LK_TRY(make_row_room(b, e));
    LK_TRY(row_of(b, account_of(b, task->value), task->group, &row, e));
    lk_call_counts_add_task(&row->counts, task);
    return LK_OK;
}

/* ---- the end ---- */

static lk_call_counts sum_of(const lk_breakdown *b, const lk_value_account *account)
{
    lk_call_counts sum = { 0 };

    for (uint32_t at = account->rows; at; at = b->rows[at - 1].next)
        lk_call_counts_merge(&sum, &b->rows[at - 1].counts);
    return sum;
}

/* What the accounts are ordered by. */
struct ranked {
    lk_value_account *account;
    uint64_t failed;
};

static int by_worst(const void *pa, const void *pb)
{
    const struct ranked *a = pa, *b = pb;
    int c = more_first(a->account->rejected, b->account->rejected);

    if (!c)
        c = more_first(a->failed, b->failed);
    if (!c)
        c = more_first(a->account->attempts, b->account->attempts);
    return c ? c : compare_text(a->account, b->account);
}

lk_code lk_breakdown_sort(lk_breakdown *b, lk_arena *arena, const lk_value_account ***out,
                          size_t *count, lk_err *e)
{
    size_t n = b->accounts.count, kept = 0;
    lk_value_account **all = LK_NEW(arena, lk_value_account *, n ? n : 1);
    struct ranked *ranked = LK_NEW(arena, struct ranked, n ? n : 1);

    *out = LK_NEW(arena, const lk_value_account *, n ? n : 1);
    if (!all || !ranked || !*out)
        return lk_fail(e, LK_EOOM, "no memory to order %zu values", n);
    list_all(b, all);
    for (size_t i = 0; i < n; i++)
        ranked[i] =
            (struct ranked){ all[i], sum_of(b, all[i]).calls[LK_FATE_FAILED] };
    if (n)
        qsort(ranked, n, sizeof(*ranked), by_worst);
    for (; kept < n && kept < LK_VALUES_SHOWN; kept++)
        (*out)[kept] = ranked[kept].account;
    for (size_t i = kept; i < n; i++)
        LK_TRY(fold(b, ranked[i].account, e));
    *count = kept;
    return LK_OK;
}

void lk_breakdown_counts(const lk_breakdown *b, const lk_value_account *account,
                         lk_call_counts *counts, size_t count)
{
    memset(counts, 0, count * sizeof(*counts));
    for (uint32_t at = account->rows; at; at = b->rows[at - 1].next)
        if (b->rows[at - 1].group < count)
            counts[b->rows[at - 1].group] = b->rows[at - 1].counts;
}

static void report_http(const lk_breakdown *b, const lk_value_account *account,
                        lk_report_http *h)
{
    h->requests = (int64_t)account->requests;
    h->attempts = (int64_t)account->attempts;
    h->errors = (int64_t)account->errors;
    h->client_errors = (int64_t)account->client_errors;
    h->client_gave_up = (int64_t)account->gave_up;
    h->rejected = (int64_t)account->rejected;
    for (size_t i = 0; i < b->status_count; i++)
        h->by_status[b->statuses[i]] = (int64_t)account->by_status[i];
    if (!account->attempts)
        return;
    h->error_share = (double)account->errors / (double)account->attempts;
    h->rejected_share = (double)account->rejected / (double)account->attempts;
}

static int64_t length_quantile(const uint64_t *lengths, uint64_t calls, uint64_t most, double q)
{
    uint64_t seen = 0;

    for (size_t n = 0; n + 1 < LK_PERIOD_LENGTHS; n++) {
        seen += lengths[n];
        if ((double)seen >= q * (double)calls)
            return (int64_t)n;
    }
    return most < LK_PERIOD_LENGTHS ? (int64_t)most : LK_COUNT_NONE; /* beyond what was kept */
}

static void report_lengths(const lk_value_account *account, const lk_call_counts *sum,
                           lk_report_calls *c)
{
    uint64_t calls = (uint64_t)c->total;

    c->failed_share = (double)c->failed / (double)calls;
    c->attempts_mean = (double)sum->http / (double)calls;
    c->attempts_p50 = length_quantile(account->lengths, calls, sum->most, 0.5);
    c->attempts_p99 = length_quantile(account->lengths, calls, sum->most, 0.99);
    c->attempts_max = (int64_t)sum->most;
    if (!account->timed || account->span_ns <= 0)
        return;
    c->success_mean_s = (double)account->span_ns / 1e9 / (double)account->timed;
    c->success_max_s = (double)account->span_max_ns / 1e9;
    c->waiting_share = (double)account->waited_ns / (double)account->span_ns;
}

static void report_calls(const lk_value_account *account, const lk_call_counts *sum,
                         const char *source, lk_report_value *v)
{
    lk_report_calls *c = &v->calls;

    c->source = source;
    c->failed = (int64_t)sum->calls[LK_FATE_FAILED];
    c->open = (int64_t)sum->calls[LK_FATE_OPEN];
    c->recovered = (int64_t)sum->calls[LK_FATE_RECOVERED];
    c->succeeded_first = (int64_t)sum->calls[LK_FATE_FIRST];
    c->total = (int64_t)lk_call_counts_calls(sum);
    v->http.first_attempts = c->total;
    v->http.retries = (int64_t)sum->lines > c->total ? (int64_t)sum->lines - c->total : 0;
    if (c->total > 0)
        report_lengths(account, sum, c);
}

static const char *text_of(const lk_value_account *account, lk_arena *arena)
{
    return lk_arena_printf(arena, "%.*s%s", (int)account->text_len, account->text,
                           account->cut ? "..." : "");
}

lk_code lk_breakdown_report(const lk_breakdown *b, const lk_value_account *account,
                            const char *source, lk_arena *arena, lk_report_value *out, lk_err *e)
{
    lk_call_counts sum = sum_of(b, account);

    lk_report_value_init(out);
    if (account != &b->other && !account->absent) {
        out->value = text_of(account, arena);
        if (!out->value)
            return lk_fail(e, LK_EOOM, "no memory for the name of a value");
    }
    report_http(b, account, &out->http);
    if (source)
        report_calls(account, &sum, source, out);
    return LK_OK;
}
