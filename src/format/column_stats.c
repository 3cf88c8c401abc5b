/* What the tails of the peeked lines show, column by column. */
#include "base/hash.h"
#include "base/time.h"
#include "format/columns.h"
#include "format/upstream.h"
#include "format/value.h"

#include <string.h>

/* What the columns of one line say before their roles are known. */
typedef struct observed {
    int64_t msec_ns;                 /* LK_TIME_NONE = none */
    int64_t took_ns, quoted_took_ns; /* the longest time, -1 = none */
    int32_t attempt_no;
} observed;

static bool is_near(int64_t a_ns, int64_t b_ns)
{
    int64_t apart = a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns;

    return apart <= 2 * LK_NS_PER_S;
}

static void sample_value(lk_value_sample *sample, lk_slice v)
{
    uint64_t hash = lk_hash(v.p, v.len);
    uint32_t tag = (uint32_t)(hash >> 32);
    lk_value_sample *at = &sample[hash % LK_COLUMN_SAMPLE];

    if (at->count > 0 && at->tag < tag)
        return;
    if (at->count == 0 || at->tag > tag)
        *at = (lk_value_sample){ tag, 0 };
    at->count++;
}

static void count_number(lk_column_stats *stats, lk_slice v, unsigned status)
{
    int32_t n;

    stats->number_good += status < 400;
    stats->number_rejected += lk_status_is_rejected(status);
    if (!lk_value_count(v, LK_TRIES_MAX, &n))
        stats->large++;
    else if (n < 3)
        stats->small[n]++;
}

static void note_took(lk_column_stats *stats, bool quoted, int64_t ns, observed *seen)
{
    int64_t *longest = quoted ? &seen->quoted_took_ns : &seen->took_ns;

    stats->real_ms += (uint64_t)(ns / LK_NS_PER_MS);
    if (ns > *longest)
        *longest = ns;
}

static void count_real(lk_column_stats *stats, const lk_column *column, const lk_fields *line,
                       observed *seen)
{
    int64_t ns;

    stats->real++;
    stats->number_good += line->status < 400;
    stats->number_rejected += lk_status_is_rejected(line->status);
    if (lk_value_seconds(column->value, &ns))
        note_took(stats, column->quoted, ns, seen);
}

static void count_span(lk_column_stats *stats, const lk_column *column, observed *seen)
{
    int64_t ns;

    stats->span++;
    if (lk_value_span(column->value, &ns))
        note_took(stats, column->quoted, ns, seen);
}

/* "D=5382": what the key says. */
static void note_keyed(lk_column_stats *stats, const lk_column *column, observed *seen)
{
    int64_t unit_ns = lk_column_key_unit_ns(column->key), ns;

    if (unit_ns > 0 && lk_value_units(column->value, unit_ns, &ns))
        note_took(stats, column->quoted, ns, seen);
}

/* "0/45" on a line of its own says little: the one is to be the other on all of them. */
static bool count_pair(lk_column_stats *stats, const lk_column *column, observed *seen)
{
    enum { US_PER_MS = 1000, US_PER_S = 1000000 };
    uint64_t seconds, us;

    if (!lk_value_seconds_us(column->value, &seconds, &us))
        return false;
    if (us / US_PER_S != seconds) {
        stats->no_pairs++;
        return true;
    }
    stats->pairs++;
    if (us >= US_PER_MS) {
        stats->long_pairs++;
        note_took(stats, column->quoted, (int64_t)us * 1000, seen);
    }
    return true;
}

static void count_msec(lk_column_stats *stats, lk_slice v, const lk_fields *line, observed *seen)
{
    int64_t ns;
    bool fraction;

    if (!lk_value_epoch(v, &ns, &fraction) || !is_near(ns, line->stamp_ns))
        return;
    stats->msec++;
    seen->msec_ns = ns;
}

/* %{msec}t and its like, of whatever moment %t is. */
static bool count_stamp(lk_column_stats *stats, lk_slice v, const lk_fields *line, observed *seen)
{
    enum { MS_DIGITS = 13 };
    int64_t ns;
    bool fraction;

    if (v.len < MS_DIGITS || !lk_value_epoch(v, &ns, &fraction) || !is_near(ns, line->stamp_ns))
        return false;
    stats->stamps++;
    seen->msec_ns = ns;
    return true;
}

/* A client that left first has an upstream without an answer. */
static void count_list(lk_column_stats *stats, lk_slice v, unsigned status)
{
    size_t count;
    unsigned last;
    int64_t sum_ns;

    if (lk_upstream_is_statuses(v, &count, &last)) {
        bool is_answer = last == status || last == LK_STATUS_UNKNOWN;

        stats->statuses += is_answer;
        stats->status_lists += is_answer && count > 1;
    } else if (lk_upstream_is_times(v, &count, &sum_ns)) {
        stats->real_lists++;
        stats->real_ms += (uint64_t)(sum_ns / LK_NS_PER_MS);
    }
}

static void count_shape(lk_column_stats *stats, const lk_column *column, const lk_fields *line,
                        observed *seen)
{
    lk_slice v = column->value;
    int32_t max;

    switch (lk_value_shape(v)) {
    case LK_SHAPE_ABSENT: stats->absent++; break;
    case LK_SHAPE_MSEC: count_msec(stats, v, line, seen); break;
    case LK_SHAPE_REAL: count_real(stats, column, line, seen); break;
    case LK_SHAPE_WHOLE:
        if (lk_column_is_status(v, line->status)) {
            stats->statuses++;
            break;
        }
        if (count_stamp(stats, v, line, seen))
            break;
        stats->whole++;
        count_number(stats, v, line->status);
        note_keyed(stats, column, seen);
        break;
    case LK_SHAPE_DECIMAL:
        note_keyed(stats, column, seen);
        stats->decimal++;
        count_number(stats, v, line->status);
        break;
    case LK_SHAPE_ATTEMPT:
        stats->attempt++;
        (void)lk_value_attempt(v, &seen->attempt_no, &max);
        break;
    case LK_SHAPE_IDENT:
        stats->ident++;
        sample_value(stats->sample, v);
        break;
    case LK_SHAPE_WORD:
        stats->word++;
        sample_value(stats->sample, v);
        break;
    case LK_SHAPE_SPAN: count_span(stats, column, seen); break;
    case LK_SHAPE_OTHER:
        if (!count_pair(stats, column, seen))
            count_list(stats, v, line->status);
        break;
    }
}

/* Of two keys in one column the first in the alphabet: the same in any order of lines. */
static void keep_key(char *kept, const char *key, size_t len)
{
    char text[LK_ID_NAME_MAX];

    if (len == 0 || len >= sizeof(text))
        return;
    memcpy(text, key, len);
    text[len] = '\0';
    if (kept[0] == '\0' || strcmp(text, kept) < 0)
        memcpy(kept, text, len + 1);
}

/* In brackets there are names, and now and then a time. */
static bool is_bracketed_time(lk_slice v)
{
    lk_shape shape = lk_value_shape(v);

    return shape == LK_SHAPE_REAL || shape == LK_SHAPE_SPAN || shape == LK_SHAPE_ABSENT;
}

static void count_column(lk_column_stats *stats, const lk_column *column, const lk_fields *line,
                         observed *seen)
{
    stats->seen++;
    stats->seen_good += line->status < 400;
    stats->quoted += column->quoted;
    stats->keyed += column->key.len > 0;
    if (!column->quoted && !column->bracketed && column->key.len == 0 && column->value.len == 1) {
        stats->kept_alive += column->value.p[0] == '+';
        stats->connection += column->value.p[0] == '+' || column->value.p[0] == 'X';
    }
    keep_key(stats->key, column->key.p, column->key.len);
    if (!column->bracketed || is_bracketed_time(column->value))
        count_shape(stats, column, line, seen);
}

static void count_with_attempt(lk_sniffer *s, const lk_columns *columns, int32_t attempt_no)
{
    s->attempt_lines++;
    s->later_lines += attempt_no > 1;
    for (size_t i = 0; i < columns->count && i < LK_COLUMNS_MAX; i++)
        s->columns[i].with_attempt += !lk_value_is_absent(columns->items[i].value);
}

static bool whole_at(const lk_columns *columns, size_t i, uint64_t *out)
{
    return i < columns->count && i < LK_COLUMNS_MAX && !columns->items[i].bracketed &&
           columns->items[i].key.len == 0 && lk_slice_u64(columns->items[i].value, out);
}

bool lk_column_is_us(const lk_column_stats *stats)
{
    return (stats->seconds > 0 && stats->no_seconds == 0) || (stats->ms > 0 && stats->no_ms == 0);
}

/* `%D %T` or `%D %{ms}T`, also with one between: a number is the other in a coarser unit, on every
 * line, and not only because that is 0. */
static void count_pairs(lk_sniffer *s, const lk_columns *columns, observed *seen)
{
    uint64_t us, next, second;

    for (size_t i = 0; i < columns->count && i < LK_COLUMNS_MAX; i++) {
        lk_column_stats *stats = &s->columns[i];

        if (!whole_at(columns, i, &us) || !whole_at(columns, i + 1, &next))
            continue;
        if (!whole_at(columns, i + 2, &second))
            second = 0;
        stats->no_seconds += next != us / 1000000;
        stats->no_ms += next != us / 1000;
        stats->seconds += next == us / 1000000 && (next > 0 || (second > 0 && second == us / 1000));
        stats->ms += next == us / 1000 && next > 0;
        if (lk_column_is_us(stats) && seen->took_ns < 0 && us <= INT64_MAX / 1000000)
            seen->took_ns = (int64_t)us * 1000;
    }
}

void lk_columns_observe(lk_sniffer *s, const lk_clf *clf, const lk_columns *columns, lk_fields *out)
{
    observed seen = { .msec_ns = LK_TIME_NONE, .took_ns = -1, .quoted_took_ns = -1 };
    size_t last = sizeof(s->column_base) / sizeof(s->column_base[0]) - 1;

    s->column_votes[columns->count < LK_COLUMNS_MAX ? columns->count : LK_COLUMNS_MAX]++;
    s->column_base[clf->columns_before < last ? clf->columns_before : last]++;
    for (size_t i = 0; i < columns->count && i < LK_COLUMNS_MAX; i++)
        count_column(&s->columns[i], &columns->items[i], out, &seen);
    count_pairs(s, columns, &seen);
    if (seen.attempt_no > 0)
        count_with_attempt(s, columns, seen.attempt_no);
    out->took_ns = seen.took_ns >= 0 ? seen.took_ns : seen.quoted_took_ns;
    if (seen.msec_ns != LK_TIME_NONE) {
        out->stamp_ns = seen.msec_ns;
        out->fraction = true;
    }
}
