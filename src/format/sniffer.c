#include "format/layout.h"

#include "base/time.h"
#include "format/custom.h"
#include "format/json_records.h"
#include "format/rows.h"

#include <string.h>

/* A log whose stamps denote the start has more steps back than one in so many lines. */
enum { STEPS_PER_LINES = 500 };

/* In a log without durations steps back of so much show that stamps denote the start; one or two
 * may be a clock that was set, and where every third line steps back there is no order at all. */
#define FAR_NS LK_NS_PER_S
#define FAR_FRACTION_NS (LK_NS_PER_S / 10)
enum { FAR_MIN = 3, SHUFFLED_PER_LINES = 3 };

void lk_sniffer_init(lk_sniffer *s)
{
    memset(s, 0, sizeof(*s));
    s->first_ns = LK_TIME_NONE;
    s->wall_first_ns = s->wall_top_ns = LK_TIME_NONE;
    s->ahead_ns = LK_TIME_NONE;
    s->last_any = s->last_stamp = s->last_end = LK_TIME_NONE;
}

/* ---- what the stamp denotes ---- */

/* Counts a step back of `step_ns` or more. */
static void note_step(int64_t *last, int64_t at_ns, int64_t step_ns, uint32_t *backward)
{
    *backward += *last != LK_TIME_NONE && *last - at_ns >= step_ns;
    *last = at_ns;
}

/* Where clocks are set back for winter, by an hour or by half of one. */
static void note_wall(lk_sniffer *s, int64_t at_ns)
{
    const int64_t far_ns = 25 * 60 * LK_NS_PER_S;

    if (s->wall_stepped)
        return;
    if (s->wall_first_ns == LK_TIME_NONE)
        s->wall_first_ns = s->wall_top_ns = at_ns;
    s->wall_stepped = s->wall_top_ns - at_ns >= far_ns;
    if (at_ns > s->wall_top_ns)
        s->wall_top_ns = at_ns;
}

/* Lines are written when requests end, so the moment that stamps denote is the one that never (or
 * more seldom) goes back from line to line: T when it is the end, T + D when it is the start. */
static void note_moment(lk_sniffer *s, const lk_fields *f)
{
    int64_t step_ns = f->fraction ? LK_NS_PER_MS : LK_NS_PER_S; /* stamps are cut, durations not */

    s->zoneless |= f->zoneless;
    s->fine_lines += f->fraction;
    s->fine_zeros += f->fraction && f->stamp_ns % LK_NS_PER_S == 0;
    if (f->zoneless)
        note_wall(s, f->stamp_ns);
    if (s->first_ns == LK_TIME_NONE || f->stamp_ns < s->first_ns)
        s->first_ns = f->stamp_ns;
    note_step(&s->last_any, f->stamp_ns, f->fraction ? FAR_FRACTION_NS : FAR_NS, &s->backward_far);
    if (f->took_ns < 0)
        return;
    s->took_lines++;
    note_step(&s->last_stamp, f->stamp_ns, step_ns, &s->backward_stamp);
    note_step(&s->last_end, f->stamp_ns + f->took_ns, step_ns, &s->backward_end);
}

/* Workers that write at once put a few lines out of order whatever the stamps denote; where stamps
 * are whole seconds some of those steps are as long as one, and T + D may have fewer of them.  So
 * START needs clear evidence.  Without it requests were short, or the end is the right guess. */
static lk_moment decide_moment(const lk_sniffer *s)
{
    uint64_t stamp = s->backward_stamp, end = s->backward_end, far = s->backward_far;

    if (s->took_lines > s->lines / 2)
        return end * 2 < stamp && stamp * STEPS_PER_LINES > s->took_lines ? LK_MOMENT_START
                                                                          : LK_MOMENT_END;
    if (far < FAR_MIN || far > s->lines / SHUFFLED_PER_LINES)
        return LK_MOMENT_UNKNOWN;
    return far * STEPS_PER_LINES > s->lines ? LK_MOMENT_START : LK_MOMENT_UNKNOWN;
}

/* One line in twenty, and ten times as often as the other moment: slow requests, not a few workers that
 * write at once. */
lk_moment lk_sniffer_order(const lk_sniffer *s)
{
    enum { LINES_MIN = 100, STEPS_SHARE = 20, TIMES = 10 };
    uint64_t stamp = s->backward_stamp, end = s->backward_end, lines = s->took_lines;

    if (lines < LINES_MIN || lines * 2 < s->lines)
        return LK_MOMENT_UNKNOWN;
    if (stamp * STEPS_SHARE >= lines && stamp >= end * TIMES)
        return LK_MOMENT_START;
    return end * STEPS_SHARE >= lines && end >= stamp * TIMES ? LK_MOMENT_END : LK_MOMENT_UNKNOWN;
}

/* Tenths of a second all end in 0 by chance once in 10^WHOLE_LINES_MIN. */
bool lk_sniffer_whole_seconds(const lk_sniffer *s)
{
    enum { WHOLE_LINES_MIN = 20 };

    return s->fine_lines >= WHOLE_LINES_MIN && s->fine_zeros == s->fine_lines;
}

/* ---- lines ---- */

static void tell_zone(const lk_sniffer *s, lk_fields *f)
{
    if (!f->zoneless || s->ahead_ns == LK_TIME_NONE)
        return;
    f->stamp_ns -= s->ahead_ns;
    f->zoneless = false;
}

static bool observe_by_any(lk_sniffer *s, lk_parse_cache *c, lk_slice line, size_t *row,
                           lk_fields *out)
{
    for (size_t i = 0; i < LK_FORMATS_MAX && LK_FORMATS[i]; i++) {
        *row = i;
        if (LK_FORMATS[i]->observe(s, c, line, out))
            return true;
    }
    for (size_t i = 0; i < LK_FORMATS_MAX && LK_FORMATS[i]; i++) {
        *row = i;
        if (LK_FORMATS[i]->observe_headless && LK_FORMATS[i]->observe_headless(s, c, line, out))
            return true;
    }
    return false;
}

static bool observe_one(lk_sniffer *s, lk_parse_cache *c, lk_slice line)
{
    lk_fields f;
    size_t row;

    if (!observe_by_any(s, c, line, &row, &f))
        return false;
    s->parsed[row]++;
    tell_zone(s, &f);
    note_moment(s, &f);
    return true;
}

static void observe_records(lk_sniffer *s, lk_parse_cache *c, lk_slice line)
{
    lk_slice rest, record;

    if (!lk_json_records(line, &rest))
        return;
    while (lk_json_record_next(&rest, &record)) {
        c->text_len = 0;
        s->lines += observe_one(s, c, record);
    }
}

static void observe_custom(lk_sniffer *s, lk_parse_cache *c, lk_slice line)
{
    lk_reject why;
    lk_fields f;

    if (!lk_custom_parse(s->custom, c, line, &f, &why, NULL))
        return;
    s->custom_parsed++;
    tell_zone(s, &f);
    note_moment(s, &f);
}

void lk_sniffer_line(lk_sniffer *s, lk_slice line)
{
    lk_slice body = lk_line_body(line);
    lk_parse_cache cache;

    lk_parse_cache_init(&cache);
    cache.w3c = s->w3c;
    cache.outer = s->outer.is_known ? &s->outer : NULL;
    cache.keys_tag = s->keys_tag;
    memcpy(cache.keys, s->keys, sizeof(cache.keys));
    if (body.len == 0) {
        lk_line_directive(&cache, line);
        s->w3c = cache.w3c;
        lk_w3c_set_add(&s->w3c_seen, &s->w3c);
        return;
    }
    s->lines++;
    if (s->custom) {
        observe_custom(s, &cache, line);
        return;
    }
    if (!observe_one(s, &cache, body))
        observe_records(s, &cache, body);
    s->keys_tag = cache.keys_tag;
    memcpy(s->keys, cache.keys, sizeof(cache.keys));
}

/* ---- deciding and merging ---- */

/* The row that most lines fit, the first of equals; NULL when there is none. */
static const lk_format *best_format(const lk_sniffer *s)
{
    const lk_format *best = NULL;
    uint32_t most = 0;

    for (size_t i = 0; i < LK_FORMATS_MAX && LK_FORMATS[i]; i++) {
        if (s->parsed[i] > most) {
            most = s->parsed[i];
            best = LK_FORMATS[i];
        }
    }
    return best;
}

void lk_sniffer_decide(const lk_sniffer *s, lk_layout *out)
{
    lk_layout_init(out);
    if (s->custom) {
        lk_custom_layout(s->custom, out);
        return;
    }
    out->format = best_format(s);
    out->moment = decide_moment(s);
    out->paths = s->paths;
    if (out->format && out->format->decide)
        out->format->decide(s, out);
}

void lk_sniffer_force(const lk_sniffer *s, const lk_format *format, lk_layout *out)
{
    lk_layout_init(out);
    out->format = format;
    out->only = true;
    out->moment = decide_moment(s);
    if (format->decide)
        format->decide(s, out);
}

bool lk_sniffer_is_alike(const lk_sniffer *a, const lk_sniffer *b)
{
    const lk_format *format = best_format(a);

    if (a->custom || b->custom)
        return a->custom == b->custom;
    if (!format || format != best_format(b))
        return false;
    return !format->is_alike || format->is_alike(a, b);
}

static void add(uint32_t *into, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        into[i] += from[i];
}

static void keep_first_text(char *into, const char *from)
{
    if (from[0] != '\0' && (into[0] == '\0' || strcmp(from, into) < 0))
        memcpy(into, from, LK_ID_NAME_MAX);
}

static void merge_sample(lk_value_sample *into, const lk_value_sample *from)
{
    for (size_t i = 0; i < LK_COLUMN_SAMPLE; i++) {
        if (from[i].count == 0)
            continue;
        if (into[i].count == 0 || into[i].tag > from[i].tag)
            into[i] = from[i];
        else if (into[i].tag == from[i].tag)
            into[i].count += from[i].count;
    }
}

static void merge_column(lk_column_stats *into, const lk_column_stats *from)
{
    into->seen += from->seen;
    into->seen_good += from->seen_good;
    into->absent += from->absent;
    into->quoted += from->quoted;
    into->msec += from->msec;
    into->real += from->real;
    into->whole += from->whole;
    into->decimal += from->decimal;
    into->attempt += from->attempt;
    into->ident += from->ident;
    into->word += from->word;
    into->number_good += from->number_good;
    into->number_rejected += from->number_rejected;
    add(into->small, from->small, 3);
    into->large += from->large;
    into->with_attempt += from->with_attempt;
    into->real_ms += from->real_ms;
    into->stamps += from->stamps;
    into->no_seconds += from->no_seconds;
    into->no_ms += from->no_ms;
    into->seconds += from->seconds;
    into->ms += from->ms;
    into->statuses += from->statuses;
    into->status_lists += from->status_lists;
    into->real_lists += from->real_lists;
    into->pairs += from->pairs;
    into->long_pairs += from->long_pairs;
    into->no_pairs += from->no_pairs;
    into->connection += from->connection;
    into->kept_alive += from->kept_alive;
    into->span += from->span;
    into->keyed += from->keyed;
    keep_first_text(into->key, from->key);
    merge_sample(into->sample, from->sample);
}

static void merge_order(lk_sniffer *into, const lk_sniffer *from)
{
    if (into->first_ns == LK_TIME_NONE ||
        (from->first_ns != LK_TIME_NONE && from->first_ns < into->first_ns))
        into->first_ns = from->first_ns;
    into->fine_lines += from->fine_lines;
    into->fine_zeros += from->fine_zeros;
    into->took_lines += from->took_lines;
    into->backward_stamp += from->backward_stamp;
    into->backward_end += from->backward_end;
    into->backward_far += from->backward_far;
}

static void merge_keys(lk_sniffer *into, const lk_sniffer *from)
{
    for (size_t i = 0; i < LK_KEY_WORDS; i++) {
        into->keys_seen[i] |= from->keys_seen[i];
        into->keys_used[i] |= from->keys_used[i];
    }
    for (size_t i = 0; i < LK_ID_KEYS_MAX; i++)
        keep_first_text(into->id_key[i], from->id_key[i]);
    into->attempt_zeros += from->attempt_zeros;
    into->attempt_ones += from->attempt_ones;
    into->named_zeros += from->named_zeros;
    into->named_ones += from->named_ones;
    add(into->moment_lines, from->moment_lines, sizeof(into->moment_lines) / sizeof(uint32_t));
}

void lk_sniffer_merge(lk_sniffer *into, const lk_sniffer *from)
{
    into->lines += from->lines;
    into->custom_parsed += from->custom_parsed;
    add(into->parsed, from->parsed, LK_FORMATS_MAX);
    merge_order(into, from);
    for (size_t i = 0; i < LK_COLUMNS_MAX; i++)
        merge_column(&into->columns[i], &from->columns[i]);
    add(into->column_votes, from->column_votes, LK_COLUMNS_MAX + 1);
    add(into->column_base, from->column_base, sizeof(into->column_base) / sizeof(uint32_t));
    into->attempt_lines += from->attempt_lines;
    into->later_lines += from->later_lines;
    merge_keys(into, from);
    for (size_t i = 0; i < LK_W3C_SET_MAX; i++)
        lk_w3c_set_add(&into->w3c_seen, &from->w3c_seen.items[i]);
}
