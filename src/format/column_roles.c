/* From what the columns showed to what they mean. */
#include "format/columns.h"

#include "base/time.h"
#include "format/json_keys.h"
#include "format/value.h"

#include <stdio.h>
#include <string.h>

/* ---- columns that name themselves ---- */

typedef struct key_role {
    const char *key;
    lk_role role;
} key_role;

/* Those that mean something else in JSON, or are no keys there. */
/* clang-format off */
static const key_role KEY_ROLES[] = {
    { "D",                      LK_ROLE_TOOK_US },
    { "T",                      LK_ROLE_TOOK },
    { "duration_us",            LK_ROLE_TOOK_US },
    { "request_time_us",        LK_ROLE_TOOK_US },
    { "response_time_us",       LK_ROLE_TOOK_US },
    { "latency_us",             LK_ROLE_TOOK_US },
    { "elapsed_us",             LK_ROLE_TOOK_US },
    { "took_us",                LK_ROLE_TOOK_US },
    { "id",                     LK_ROLE_ID },
    { "reqid",                  LK_ROLE_ID },
    { "task",                   LK_ROLE_ID },
    { "us",                     LK_ROLE_UPSTREAM_STATUS },
    { "ust",                    LK_ROLE_UPSTREAM_STATUS },
    { "upstream_status",        LK_ROLE_UPSTREAM_STATUS },
    { "ut",                     LK_ROLE_UPSTREAM_TOOK },
    { "urt",                    LK_ROLE_UPSTREAM_TOOK },
    { "upstream_time",          LK_ROLE_UPSTREAM_TOOK },
    { "upstream_response_time", LK_ROLE_UPSTREAM_TOOK },
    { "host",                   LK_ROLE_HOST },
    { "vhost",                  LK_ROLE_HOST },
    { "http_host",              LK_ROLE_HOST },
    { "server_name",            LK_ROLE_HOST },
};

/* What is in the common part of the line already is not asked of its columns. */
static const lk_role FIELD_ROLES[] = {
    [LK_JSONL_MSEC]           = LK_ROLE_MSEC,
    [LK_JSONL_TIME]           = LK_ROLE_IGNORE,
    [LK_JSONL_CALLER]         = LK_ROLE_IGNORE,
    [LK_JSONL_METHOD]         = LK_ROLE_IGNORE,
    [LK_JSONL_TARGET]         = LK_ROLE_IGNORE,
    [LK_JSONL_REQUEST]        = LK_ROLE_IGNORE,
    [LK_JSONL_STATUS]         = LK_ROLE_IGNORE,
    [LK_JSONL_TOOK]           = LK_ROLE_TOOK,
    [LK_JSONL_TOOK_MS]        = LK_ROLE_TOOK_MS,
    [LK_JSONL_AGENT]          = LK_ROLE_IGNORE,
    [LK_JSONL_ATTEMPT]        = LK_ROLE_ATTEMPT,
    [LK_JSONL_RETRIES]        = LK_ROLE_RETRIES,
    [LK_JSONL_RETRY_AFTER]    = LK_ROLE_RETRY_AFTER,
    [LK_JSONL_RETRY_AFTER_MS] = LK_ROLE_RETRY_AFTER_MS,
    [LK_JSONL_ID]             = LK_ROLE_ID,
};
/* clang-format on */

static bool is_share(uint32_t part, uint32_t whole, uint32_t percent)
{
    return part > 0 && (uint64_t)part * 100 >= (uint64_t)whole * percent;
}

/* Of what names itself on one line in many, the others say what it is. */
static const char *key_of(const lk_column_stats *stats)
{
    uint32_t present = stats->seen - stats->absent;

    return stats->keyed * 2 >= present ? stats->key : "";
}

/* "elapsed" is in seconds where it has a fraction as web servers write it, or has a unit by itself. */
static lk_role role_of_unitless(const lk_column_stats *stats)
{
    uint32_t present = stats->seen - stats->absent;

    return is_share(stats->real + stats->span, present, 90) ? LK_ROLE_TOOK : LK_ROLE_IGNORE;
}

static bool is_unitless(const char *key)
{
    static const char *const KEYS[] = { "latency", "elapsed", "took", "response_time", "time_taken",
                                        "resp_time", "reqtime", "req_time", "dur", "time" };

    for (size_t i = 0; i < sizeof(KEYS) / sizeof(KEYS[0]); i++)
        if (strcmp(KEYS[i], key) == 0)
            return true;
    return false;
}

static lk_role role_of_known(const char *key)
{
    uint8_t row;
    lk_jsonl_field field;

    for (size_t i = 0; i < sizeof(KEY_ROLES) / sizeof(KEY_ROLES[0]); i++)
        if (strcmp(KEY_ROLES[i].key, key) == 0)
            return KEY_ROLES[i].role;
    row = lk_jsonl_row(lk_slice_from(key));
    if (row == LK_JSONL_ROW_OTHER)
        return LK_ROLE_IGNORE; /* it says that the column is something else */
    field = lk_jsonl_row_field(row);
    return field < sizeof(FIELD_ROLES) / sizeof(FIELD_ROLES[0]) ? FIELD_ROLES[field]
                                                                : LK_ROLE_IGNORE;
}

static lk_role role_of_key(const lk_column_stats *stats, const char *key)
{
    if (is_unitless(key))
        return role_of_unitless(stats);
    return role_of_known(key);
}

static bool copy_key(lk_slice key, char text[LK_ID_NAME_MAX])
{
    if (key.len == 0 || key.len >= LK_ID_NAME_MAX)
        return false;
    memcpy(text, key.p, key.len);
    text[key.len] = '\0';
    return true;
}

bool lk_column_is_key(lk_slice word)
{
    char text[LK_ID_NAME_MAX];
    lk_role role;

    if (!copy_key(word, text))
        return false;
    role = role_of_known(text);
    return role == LK_ROLE_IGNORE ? is_unitless(text) : role != LK_ROLE_HOST;
}

int64_t lk_column_key_unit_ns(lk_slice key)
{
    char text[LK_ID_NAME_MAX];
    lk_role role;

    if (!copy_key(key, text))
        return 0;
    role = role_of_known(text);
    if (role == LK_ROLE_TOOK && !is_unitless(text))
        return LK_NS_PER_S;
    return role == LK_ROLE_TOOK_MS ? LK_NS_PER_MS : role == LK_ROLE_TOOK_US ? 1000 : 0;
}

/* An id whose name tells what it names. */
static bool is_key_of(const char *key, lk_id_kind kind)
{
    uint8_t row = lk_jsonl_row(lk_slice_from(key));

    return row != LK_JSONL_ROW_OTHER && lk_jsonl_row_field(row) == LK_JSONL_ID &&
           lk_jsonl_id_kind(lk_jsonl_row_id(row)) == kind;
}

const char *lk_role_words(lk_role role)
{
    static const char *const WORDS[] = {
        [LK_ROLE_IGNORE] = "",
        [LK_ROLE_OPEN] = "",
        [LK_ROLE_TOOK] = "duration",
        [LK_ROLE_MSEC] = "time",
        [LK_ROLE_ID] = "id",
        [LK_ROLE_ATTEMPT] = "attempt",
        [LK_ROLE_RETRIES] = "retries so far",
        [LK_ROLE_RETRY_AFTER] = "Retry-After",
        [LK_ROLE_UPSTREAM_STATUS] = "statuses of upstreams",
        [LK_ROLE_UPSTREAM_TOOK] = "times of upstreams",
        [LK_ROLE_TOOK_MS] = "duration in milliseconds",
        [LK_ROLE_RETRY_AFTER_MS] = "Retry-After in milliseconds",
        [LK_ROLE_HOST] = "host",
        [LK_ROLE_TOOK_US] = "duration in microseconds",
        [LK_ROLE_STAMP] = "time",
        [LK_ROLE_TOOK_PAIR] = "duration in seconds/microseconds",
        [LK_ROLE_CONNECTION] = "the connection: X where the client left",
    };

    return WORDS[role];
}

/* ---- deciding ---- */

enum { FEW_REPEATS = 64, MANY_REPEATS = 200 }; /* of an id: by the retries of a call, of a task */

typedef struct sampled {
    uint32_t distinct, total;
} sampled;

static sampled sampled_values(const lk_column_stats *stats)
{
    sampled sum = { 0, 0 };

    for (size_t i = 0; i < LK_COLUMN_SAMPLE; i++) {
        sum.distinct += stats->sample[i].count > 0;
        sum.total += stats->sample[i].count;
    }
    return sum;
}

/* One value on every line, or two or three: a build number, whatever it looks like.  The one call
 * of a caller that never gives up is on its own lines only, or goes with "attempt=". */
static bool is_fixture(const lk_column_stats *stats, sampled sum, uint32_t present)
{
    return sum.distinct < 4 && sum.total >= sum.distinct * FEW_REPEATS &&
           is_share(present, stats->seen, 90) && !is_share(stats->with_attempt, present, 98);
}

/* Words are ids when there are many of them; the names of a few servers or ciphers are not. */
static bool is_id(const lk_column_stats *stats, uint32_t present)
{
    sampled sum = sampled_values(stats);

    if (!is_share(stats->ident + stats->word, present, 80))
        return false;
    if (is_share(stats->ident, present, 50))
        return !is_fixture(stats, sum, present);
    return sum.distinct * 2 >= sum.total ||
           (sum.distinct >= 4 && sum.total <= (uint64_t)sum.distinct * MANY_REPEATS);
}

/* Retries so far: 0 is the most frequent, then it decays; unquoted it must be absent now and then,
 * for Apache's %k and %T look the same but are on every line. */
static bool is_counter(const lk_column_stats *stats)
{
    const uint32_t *n = stats->small;

    return stats->large == 0 && n[0] > 0 && n[0] * 2 + 8 >= n[1] && n[1] * 2 + 8 >= n[2] &&
           (stats->quoted > 0 || stats->absent > 0);
}

static lk_role role_of_numbers(const lk_column_stats *stats)
{
    uint32_t numbers = stats->whole + stats->decimal + stats->real;
    bool on_good = is_share(stats->number_good, numbers, 2);

    if (!on_good && stats->number_rejected > 0 && !is_share(stats->small[0], numbers, 10) &&
        (stats->seen_good > 0 || stats->quoted > 0))
        return LK_ROLE_RETRY_AFTER;
    return stats->decimal + stats->real == 0 && is_counter(stats) ? LK_ROLE_RETRIES
                                                                  : LK_ROLE_IGNORE;
}

/* $upstream_status: the line's own status, now and then at the end of a list. */
static bool is_upstream_status(const lk_column_stats *stats, uint32_t present)
{
    return is_share(stats->statuses, present, stats->status_lists > 0 ? 50 : 80);
}

static lk_role role_of_column(const lk_column_stats *stats)
{
    uint32_t present = stats->seen - stats->absent;

    if (key_of(stats)[0] != '\0')
        return is_share(stats->msec, present, 90) ? LK_ROLE_MSEC : role_of_key(stats, key_of(stats));
    if (present == 0)
        return LK_ROLE_OPEN;
    if (stats->connection == present && stats->kept_alive > 0)
        return LK_ROLE_CONNECTION;
    if (is_share(stats->msec, present, 90))
        return LK_ROLE_MSEC;
    if (is_share(stats->stamps, present, 90))
        return LK_ROLE_STAMP;
    if (lk_column_is_us(stats))
        return LK_ROLE_TOOK_US;
    if (is_share(stats->attempt, present, 50))
        return LK_ROLE_ATTEMPT;
    if (is_upstream_status(stats, present))
        return LK_ROLE_UPSTREAM_STATUS;
    if (stats->real_lists > 0 && is_share(stats->real + stats->real_lists, present, 90))
        return LK_ROLE_UPSTREAM_TOOK;
    if (is_share(stats->real, present, 90) && is_share(present, stats->seen, 90))
        return LK_ROLE_TOOK;
    if (is_share(stats->span, present, 90))
        return LK_ROLE_TOOK;
    if (stats->no_pairs == 0 && stats->long_pairs > 0 && is_share(stats->pairs, present, 90))
        return LK_ROLE_TOOK_PAIR;
    if (is_share(stats->whole + stats->decimal + stats->real, present, 90))
        return role_of_numbers(stats);
    return is_id(stats, present) ? LK_ROLE_ID : LK_ROLE_IGNORE;
}

/* nginx's $request_time wants no quotes; of several, the whole request takes longest. */
static bool is_better_took(const lk_column_stats *a, const lk_column_stats *b)
{
    if ((a->quoted > 0) != (b->quoted > 0))
        return b->quoted > 0;
    return a->real_ms > b->real_ms;
}

static bool is_us(lk_role r)
{
    return r == LK_ROLE_TOOK_US || r == LK_ROLE_TOOK_PAIR;
}

/* The microseconds are the whole request, whatever other times there are. */
static void keep_first_us(lk_layout *out)
{
    bool taken = false;

    for (size_t i = 0; i < out->column_count; i++) {
        if (is_us(out->columns[i]) && taken)
            out->columns[i] = LK_ROLE_IGNORE;
        taken |= is_us(out->columns[i]);
    }
    for (size_t i = 0; taken && i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_TOOK)
            out->columns[i] = LK_ROLE_IGNORE;
}

/* Upstream times are real numbers too, and so may Retry-After be. */
static void keep_best_took(const lk_sniffer *s, lk_layout *out)
{
    size_t best = LK_COLUMNS_MAX;

    keep_first_us(out);
    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_TOOK &&
            (best == LK_COLUMNS_MAX || is_better_took(&s->columns[i], &s->columns[best])))
            best = i;
    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_TOOK && i != best)
            out->columns[i] =
                s->columns[i].quoted > 0 ? role_of_numbers(&s->columns[i]) : LK_ROLE_IGNORE;
}

/* Connect, header and response time are lists alike: the last takes longest. */
static void keep_best_upstream_took(const lk_sniffer *s, lk_layout *out)
{
    size_t best = LK_COLUMNS_MAX;

    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_UPSTREAM_TOOK &&
            (best == LK_COLUMNS_MAX || s->columns[i].real_ms > s->columns[best].real_ms))
            best = i;
    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_UPSTREAM_TOOK && i != best)
            out->columns[i] = LK_ROLE_IGNORE;
}

/* Two columns of numbers on rejected lines: the right one is Retry-After. */
static void keep_last_retry_after(const lk_sniffer *s, lk_layout *out)
{
    bool taken = false;

    for (size_t i = out->column_count; i-- > 0;) {
        if (out->columns[i] != LK_ROLE_RETRY_AFTER)
            continue;
        if (taken)
            out->columns[i] = is_counter(&s->columns[i]) ? LK_ROLE_RETRIES : LK_ROLE_IGNORE;
        taken = true;
    }
}

/* On exactly the lines that carry "attempt=", with values that do come again where there are second
 * attempts. */
static bool goes_with_attempt(const lk_sniffer *s, const lk_column_stats *stats)
{
    uint32_t present = stats->seen - stats->absent;
    sampled sum = sampled_values(stats);

    if (!is_share(stats->with_attempt, present, 98) ||
        !is_share(stats->with_attempt, s->attempt_lines, 98))
        return false;
    return sum.total > sum.distinct ||
           (uint64_t)sum.total * s->later_lines <= (uint64_t)10 * s->attempt_lines;
}

static bool repeats(const lk_column_stats *stats)
{
    sampled sum = sampled_values(stats);

    return sum.total > sum.distinct;
}

/* A column of $request_id is on those lines as well when nobody else calls: then the one whose
 * values come again is the call. */
static void mark_calls(const lk_sniffer *s, lk_layout *out)
{
    size_t candidates = 0;

    for (size_t i = 0; i < out->column_count; i++)
        candidates += out->columns[i] == LK_ROLE_ID && goes_with_attempt(s, &s->columns[i]);
    for (size_t i = 0; i < out->column_count; i++) {
        const lk_column_stats *stats = &s->columns[i];

        if (out->column_slot[i] >= 0 && out->columns[i] == LK_ROLE_ID &&
            goes_with_attempt(s, stats) && (candidates == 1 || repeats(stats)))
            out->id_is_call[out->column_slot[i]] = true;
        if (out->column_slot[i] >= 0 && is_key_of(key_of(stats), LK_ID_CALL))
            out->id_is_call[out->column_slot[i]] = true;
        if (out->column_slot[i] >= 0 && (is_key_of(key_of(stats), LK_ID_TASK) ||
                                         strcmp(key_of(stats), "task") == 0))
            out->id_is_task[out->column_slot[i]] = true;
    }
}

static size_t likeliest(const uint32_t *votes, size_t count)
{
    size_t best = 0;

    for (size_t i = 1; i < count; i++)
        if (votes[i] > votes[best])
            best = i;
    return best;
}

static void give_slot(const lk_sniffer *s, size_t column, size_t before, lk_layout *out)
{
    size_t slot = out->id_count++;

    out->column_slot[column] = (int8_t)slot;
    if (key_of(&s->columns[column])[0] != '\0')
        memcpy(out->id_name[slot], s->columns[column].key, LK_ID_NAME_MAX);
    else
        (void)snprintf(out->id_name[slot], LK_ID_NAME_MAX, "column %zu", before + column + 1);
}

/* From the left, ids and open columns alike while there is room for all, so that a slot does not
 * depend on what the peek happened to show; ids first when there is not. */
static void give_slots(const lk_sniffer *s, lk_layout *out)
{
    size_t before = likeliest(s->column_base, sizeof(s->column_base) / sizeof(s->column_base[0]));
    size_t ids_left = 0;

    for (size_t i = 0; i < out->column_count; i++)
        ids_left += out->columns[i] == LK_ROLE_ID;
    for (size_t i = 0; i < out->column_count; i++) {
        bool is_id = out->columns[i] == LK_ROLE_ID;

        if (out->id_count < LK_IDS &&
            (is_id || (out->columns[i] == LK_ROLE_OPEN && out->id_count + ids_left < LK_IDS)))
            give_slot(s, i, before, out);
        ids_left -= is_id;
    }
}

/* Apache httpd and varnishncsa, the usual writers of %D, stamp the start; lighttpd the end, which shows
 * where a slow request is written behind others. */
static void decide_us_moment(const lk_sniffer *s, lk_layout *out)
{
    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_MSEC)
            return;
    for (size_t i = 0; i < out->column_count; i++)
        if (is_us(out->columns[i]))
            out->moment = s->backward_end > (uint64_t)s->backward_stamp * 2 ? LK_MOMENT_END
                                                                            : LK_MOMENT_START;
}

/* A column of Retry-After, or one that must be: who logs the attempt numbers logs what the answer asks
 * beside them, in quotes, and it was never sent.  An empty column in front of them may be anything, as
 * $http_x_forwarded_for behind the user agent mostly is. */
static bool has_asked(const lk_sniffer *s, const lk_layout *l)
{
    bool behind = false;

    for (size_t i = 0; i < l->column_count; i++) {
        const lk_column_stats *stats = &s->columns[i];

        if (l->columns[i] == LK_ROLE_RETRY_AFTER || l->columns[i] == LK_ROLE_RETRY_AFTER_MS)
            return true;
        if (behind && l->columns[i] == LK_ROLE_OPEN && stats->quoted == stats->seen)
            return true;
        behind |= l->columns[i] == LK_ROLE_ATTEMPT;
    }
    return false;
}

void lk_columns_decide(const lk_sniffer *s, lk_layout *out)
{
    out->column_count = likeliest(s->column_votes, LK_COLUMNS_MAX + 1);
    for (size_t i = 0; i < out->column_count; i++) {
        out->columns[i] = role_of_column(&s->columns[i]);
        if (out->columns[i] == LK_ROLE_MSEC)
            out->moment = LK_MOMENT_END;
    }
    decide_us_moment(s, out);
    keep_best_took(s, out);
    keep_best_upstream_took(s, out);
    keep_last_retry_after(s, out);
    out->has_asked = has_asked(s, out);
    give_slots(s, out);
    mark_calls(s, out);
}

/* ---- ingress-nginx ---- */

/* $request_length $request_time [$proxy_upstream_name] [$proxy_alternative_upstream_name]
 * $upstream_addr $upstream_response_length $upstream_response_time $upstream_status $req_id */
static const lk_role INGRESS[] = {
    LK_ROLE_IGNORE, LK_ROLE_TOOK,          LK_ROLE_IGNORE,          LK_ROLE_IGNORE, LK_ROLE_IGNORE,
    LK_ROLE_IGNORE, LK_ROLE_UPSTREAM_TOOK, LK_ROLE_UPSTREAM_STATUS, LK_ROLE_ID,
};

enum { INGRESS_COUNT = sizeof(INGRESS) / sizeof(INGRESS[0]) };

static bool is_real(const lk_column *c)
{
    return !c->quoted && !c->bracketed && lk_value_shape(c->value) == LK_SHAPE_REAL;
}

bool lk_columns_are_ingress(const lk_columns *columns)
{
    const lk_column *c = columns->items;

    if (columns->count != INGRESS_COUNT || !is_real(&c[1]) || !c[2].bracketed || !c[3].bracketed)
        return false;
    for (size_t i = 0; i < INGRESS_COUNT; i++)
        if (c[i].quoted || c[i].key.len > 0)
            return false;
    return true;
}

void lk_columns_decide_ingress(const lk_sniffer *s, lk_layout *out)
{
    static const char ID_NAME[] = "req_id";

    (void)s;
    out->moment = LK_MOMENT_END;
    out->column_count = INGRESS_COUNT;
    memcpy(out->columns, INGRESS, sizeof(INGRESS));
    out->column_slot[INGRESS_COUNT - 1] = 0;
    memcpy(out->id_name[0], ID_NAME, sizeof(ID_NAME));
    out->id_count = 1;
}

/* ---- the same columns? ---- */

static bool is_blank(lk_role r)
{
    return r == LK_ROLE_OPEN || r == LK_ROLE_IGNORE;
}

static bool is_number(lk_role r)
{
    return r == LK_ROLE_RETRIES || r == LK_ROLE_RETRY_AFTER;
}

static bool is_time(lk_role r)
{
    return r == LK_ROLE_TOOK || r == LK_ROLE_UPSTREAM_TOOK || is_us(r);
}

static bool agree(lk_role a, lk_role b)
{
    if (a == b || (is_number(a) && is_number(b)) || (is_time(a) && is_time(b)))
        return true;
    return (is_blank(a) && b != LK_ROLE_MSEC) || (is_blank(b) && a != LK_ROLE_MSEC);
}

bool lk_columns_are_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    lk_layout la, lb;

    lk_layout_init(&la);
    lk_layout_init(&lb);
    lk_columns_decide(a, &la);
    lk_columns_decide(b, &lb);
    if (la.column_count != lb.column_count)
        return false;
    for (size_t i = 0; i < la.column_count; i++)
        if (!agree(la.columns[i], lb.columns[i]) ||
            strcmp(key_of(&a->columns[i]), key_of(&b->columns[i])) != 0)
            return false;
    return true;
}

/* The trailing column of that key or place; LK_COLUMNS_MAX: none such. */
static size_t column_named(const lk_sniffer *s, const char *name, const lk_layout *l)
{
    size_t before = likeliest(s->column_base, sizeof(s->column_base) / sizeof(s->column_base[0]));

    for (size_t i = 0; i < l->column_count && i < LK_COLUMNS_MAX; i++) {
        char place[32];

        (void)snprintf(place, sizeof(place), "column %zu", before + i + 1);
        if (strcmp(place, name) == 0 || strcmp(s->columns[i].key, name) == 0)
            return i;
    }
    return LK_COLUMNS_MAX;
}

bool lk_columns_pick_caller(const lk_sniffer *s, const char *name, lk_layout *out)
{
    size_t i = column_named(s, name, out);

    if (i == LK_COLUMNS_MAX)
        return false;
    out->caller_column = i + 1;
    return true;
}

bool lk_columns_pick_id(const lk_sniffer *s, const char *name, lk_layout *out)
{
    size_t i = column_named(s, name, out), len = strlen(name);

    if (i == LK_COLUMNS_MAX)
        return false;
    out->columns[i] = LK_ROLE_ID;
    if (out->column_slot[i] < 0) {
        size_t slot = out->id_count < LK_IDS ? out->id_count++ : LK_IDS - 1;

        for (size_t k = 0; k < out->column_count; k++) /* the last one gives way */
            if (out->column_slot[k] == (int8_t)slot)
                out->column_slot[k] = -1;
        out->column_slot[i] = (int8_t)slot;
        out->id_is_call[slot] = out->id_is_task[slot] = false;
        memset(out->id_name[slot], 0, LK_ID_NAME_MAX);
        memcpy(out->id_name[slot], name, len < LK_ID_NAME_MAX ? len : LK_ID_NAME_MAX - 1);
    }
    return true;
}

/* From 0 where it is ever 0. */
bool lk_columns_pick_attempt(const lk_sniffer *s, const char *name, lk_layout *out)
{
    size_t i = column_named(s, name, out);

    if (i == LK_COLUMNS_MAX)
        return false;
    for (size_t k = 0; k < out->column_count; k++)
        if (out->columns[k] == LK_ROLE_ATTEMPT || out->columns[k] == LK_ROLE_RETRIES)
            out->columns[k] = LK_ROLE_IGNORE;
    out->columns[i] = s->columns[i].small[0] > 0 ? LK_ROLE_RETRIES : LK_ROLE_ATTEMPT;
    return true;
}
