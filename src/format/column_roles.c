/* From what the columns showed to what they mean. */
#include "format/columns.h"

#include <stdio.h>
#include <string.h>

/* ---- columns that name themselves ---- */

typedef struct key_role {
    const char *key;
    lk_role role;
} key_role;

/* clang-format off */
static const key_role KEY_ROLES[] = {
    { "rt",                  LK_ROLE_TOOK },
    { "request_time",        LK_ROLE_TOOK },
    { "msec",                LK_ROLE_MSEC },
    { "rid",                 LK_ROLE_ID },
    { "id",                  LK_ROLE_ID },
    { "req_id",              LK_ROLE_ID },
    { "reqid",               LK_ROLE_ID },
    { "request_id",          LK_ROLE_ID },
    { "x_request_id",        LK_ROLE_ID },
    { "idem",                LK_ROLE_ID },
    { "idempotency_key",     LK_ROLE_ID },
    { "inv",                 LK_ROLE_ID },
    { "invocation_id",       LK_ROLE_ID },
    { "task",                LK_ROLE_ID },
    { "task_id",             LK_ROLE_ID },
    { "attempt",             LK_ROLE_ATTEMPT },
    { "amz",                 LK_ROLE_ATTEMPT },
    { "amz_sdk_request",     LK_ROLE_ATTEMPT },
    { "retries",             LK_ROLE_RETRIES },
    { "retry_count",         LK_ROLE_RETRIES },
    { "ra",                  LK_ROLE_RETRY_AFTER },
    { "retry_after",         LK_ROLE_RETRY_AFTER },
};
/* clang-format on */

/* Any other key says that the column is something else. */
static lk_role role_of_key(const char *key)
{
    for (size_t i = 0; i < sizeof(KEY_ROLES) / sizeof(KEY_ROLES[0]); i++)
        if (strcmp(KEY_ROLES[i].key, key) == 0)
            return KEY_ROLES[i].role;
    return LK_ROLE_IGNORE;
}

/* ---- deciding ---- */

enum { FEW_REPEATS = 64, MANY_REPEATS = 200 }; /* of an id: by the retries of a call, of a task */

static bool is_share(uint32_t part, uint32_t whole, uint32_t percent)
{
    return part > 0 && (uint64_t)part * 100 >= (uint64_t)whole * percent;
}

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

static lk_role role_of_column(const lk_column_stats *stats)
{
    uint32_t present = stats->seen - stats->absent;

    if (stats->key[0] != '\0')
        return role_of_key(stats->key);
    if (present == 0)
        return LK_ROLE_OPEN;
    if (is_share(stats->msec, present, 90))
        return LK_ROLE_MSEC;
    if (is_share(stats->attempt, present, 50))
        return LK_ROLE_ATTEMPT;
    if (is_share(stats->real, present, 90) && is_share(present, stats->seen, 90))
        return LK_ROLE_TOOK;
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

/* Upstream times are real numbers too, and so may Retry-After be. */
static void keep_best_took(const lk_sniffer *s, lk_layout *out)
{
    size_t best = LK_COLUMNS_MAX;

    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_TOOK &&
            (best == LK_COLUMNS_MAX || is_better_took(&s->columns[i], &s->columns[best])))
            best = i;
    for (size_t i = 0; i < out->column_count; i++)
        if (out->columns[i] == LK_ROLE_TOOK && i != best)
            out->columns[i] =
                s->columns[i].quoted > 0 ? role_of_numbers(&s->columns[i]) : LK_ROLE_IGNORE;
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
    if (s->columns[column].key[0] != '\0')
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

void lk_columns_decide(const lk_sniffer *s, lk_layout *out)
{
    out->column_count = likeliest(s->column_votes, LK_COLUMNS_MAX + 1);
    for (size_t i = 0; i < out->column_count; i++) {
        out->columns[i] = role_of_column(&s->columns[i]);
        if (out->columns[i] == LK_ROLE_MSEC)
            out->moment = LK_MOMENT_END;
    }
    keep_best_took(s, out);
    keep_last_retry_after(s, out);
    give_slots(s, out);
    mark_calls(s, out);
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

static bool agree(lk_role a, lk_role b)
{
    if (a == b || (is_number(a) && is_number(b)))
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
            strcmp(a->columns[i].key, b->columns[i].key) != 0)
            return false;
    return true;
}
