#include "api/reading.h"
#include "api/meter.h"
#include "base/clock.h"
#include "base/time.h"
#include "base/zone_file.h"
#include "format/columns.h"
#include "format/json_keys.h"

#include <stdlib.h>
#include <string.h>

enum { PEEK_MAX = 2 << 20, PEEK_MIN = 128 << 10, PEEK_ALL = 64 << 20 };

static lk_code read_instant(const char *text, const char *what, int64_t *out, lk_err *e)
{
    *out = LK_TIME_NONE;
    if (text && !lk_time_rfc3339(lk_slice_from(text), out, NULL))
        return lk_fail(e, LK_EUSAGE, "%s '%s' is not a time such as 2026-11-30T04:00:00Z", what,
                       text);
    return LK_OK;
}

/* A format by its name, or a LogFormat or log_format string to compile. */
static lk_code choose_format(lk_reading *r, const char *text, lk_arena *arena, lk_err *e)
{
    lk_custom *custom;

    if (!text)
        return LK_OK;
    r->forced = lk_format_find(text);
    if (r->forced)
        return LK_OK;
    custom = LK_NEW(arena, lk_custom, 1);
    if (!custom)
        return lk_fail(e, LK_EOOM, "no memory for a log format");
    LK_TRY(lk_custom_compile(text, custom, e));
    if (r->caller && !lk_custom_pick_caller(custom, r->caller))
        return lk_fail(e, LK_EUSAGE, "the log format has no field '%s' to tell callers by",
                       r->caller);
    r->custom = custom;
    return LK_OK;
}

/* A field that the user names, when it can be a key, is a key like others. */
static const char *with_key(const char *text, const char *field, const char *key, lk_arena *arena)
{
    if (!key || strpbrk(key, " %$,="))
        return text;
    return lk_arena_printf(arena, "%s%s%s=%s", text ? text : "", text ? "," : "", field, key);
}

static const char *all_keys(const lk_reading *r, const char *text, lk_arena *arena)
{
    if (!text || !strstr(text, "caller="))
        text = with_key(text, "caller", r->caller, arena);
    text = with_key(text, "id", r->naming.field[LK_NAMING_CALL], arena);
    text = with_key(text, "id", r->naming.field[LK_NAMING_TASK], arena);
    return with_key(text, "attempt", r->naming.field[LK_NAMING_ATTEMPT], arena);
}

static lk_code choose_keys(lk_reading *r, const char *keys, lk_arena *arena, lk_err *e)
{
    const char *text = all_keys(r, keys, arena);
    lk_json_paths *paths;

    if (!text)
        return LK_OK;
    paths = LK_NEW(arena, lk_json_paths, 1);
    if (!paths)
        return lk_fail(e, LK_EOOM, "no memory for the keys of JSON lines");
    LK_TRY(lk_json_keys_parse(text, paths, e));
    r->paths = paths;
    return LK_OK;
}

/* TZDIR is where the C libraries, too, look first. */
static lk_code choose_zone(lk_reading *r, const char *text, lk_arena *arena, lk_err *e)
{
    lk_zone_fixed(&r->zone, 0);
    return text ? lk_zone_open(text, getenv("TZDIR"), arena, &r->zone, e) : LK_OK;
}

/* One of --rejected: statuses as --match takes them, or FIELD=GLOB. */
static lk_code add_rejection(lk_reading *r, const char *text, lk_arena *arena, lk_err *e)
{
    const char *const rules[] = { text };

    if (r->rejection_count == LK_REJECTIONS_MAX)
        return lk_fail(e, LK_EUSAGE, "more than %d kinds of rejection", LK_REJECTIONS_MAX - 1);
    return lk_filter_compile(rules, 1, arena, &r->rejections[r->rejection_count++], e);
}

/* "429,5xx,error_code=SlowDown": one rule of all statuses, one of every field. */
static lk_code choose_rejections(lk_reading *r, const char *list, lk_arena *arena, lk_err *e)
{
    char *text = list ? lk_arena_printf(arena, "%s", list) : NULL, *next;
    const char *statuses = NULL;

    if (!list)
        return LK_OK;
    r->rejections = LK_NEW(arena, lk_filter, LK_REJECTIONS_MAX);
    if (!r->rejections || !text)
        return lk_fail(e, LK_EOOM, "no memory for '%s'", list);
    for (; text; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        if (strchr(text, '='))
            LK_TRY(add_rejection(r, text, arena, e));
        else
            statuses = lk_arena_printf(arena, "%s%s%s", statuses ? statuses : "status=",
                                       statuses ? "," : "", text);
    }
    return statuses ? add_rejection(r, statuses, arena, e) : LK_OK;
}

/* A format that was given has the fields that it has. */
static lk_code choose_lines(lk_reading *r, const lockstep_options *options, lk_arena *arena,
                            lk_err *e)
{
    LK_TRY(lk_filter_compile(options->matches, options->match_count, arena, &r->filter, e));
    for (size_t i = 0; r->custom && i < r->filter.asked.count; i++)
        if (!lk_custom_names(r->custom, r->filter.asked.name[i]))
            return lk_fail(e, LK_EUSAGE, "the log format has no field '%s' to match",
                           r->filter.asked.name[i]);
    return LK_OK;
}

/* clang-format off */
static const char *const BY_NAMES[] = {
    [LK_BY_HOST] = "host", [LK_BY_TARGET] = "target", [LK_BY_CALLER] = "caller",
};
/* clang-format on */

const char *lk_by_name(lk_by by)
{
    return BY_NAMES[by];
}

static lk_code choose_by(lk_reading *r, const char *name, lk_err *e)
{
    if (!name)
        return LK_OK;
    for (lk_by by = LK_BY_HOST; by <= LK_BY_CALLER; by++)
        if (strcmp(name, BY_NAMES[by]) == 0) {
            r->by = by;
            return LK_OK;
        }
    return lk_fail(e, LK_EUSAGE, "--by: '%s' is none of host, target and caller", name);
}

lk_code lk_reading_init(lk_reading *r, const lockstep_options *options, lk_arena *arena, lk_err *e)
{
    *r = (lk_reading){ .meter = lk_meter_of(options->meter), .peek_bytes = PEEK_MAX };
    LK_TRY(read_instant(options->since, "since", &r->since_ns, e));
    LK_TRY(read_instant(options->until, "until", &r->until_ns, e));
    if (options->since && options->until && r->since_ns >= r->until_ns)
        return lk_fail(e, LK_EUSAGE, "since '%s' is not before until '%s'", options->since,
                       options->until);
    LK_TRY(choose_zone(r, options->zone, arena, e));
    r->has_zone = options->zone != NULL;
    r->max_line = options->max_line ? options->max_line : LK_LINE_MAX;
    r->caller = options->caller;
    r->keep_query = options->keep_query;
    r->is_strict = options->strict;
    LK_TRY(choose_by(r, options->by, e));
    LK_TRY(choose_format(r, options->log_format, arena, e));
    LK_TRY(choose_lines(r, options, arena, e));
    LK_TRY(choose_rejections(r, options->rejected, arena, e));
    LK_TRY(lk_naming_init(&r->naming, options, r->custom, arena, e));
    return choose_keys(r, options->json_keys, arena, e);
}

void lk_reading_share_peek(lk_reading *r, size_t files)
{
    const size_t share = PEEK_ALL / (files ? files : 1);

    r->peek_bytes = share < PEEK_MIN ? PEEK_MIN : share > PEEK_MAX ? PEEK_MAX : share;
}

void lk_reading_prepare(const lk_reading *r, lk_sniffer *s)
{
    s->custom = r->custom;
    if (r->paths)
        s->paths = *r->paths;
}

/* A slot for an id that the format has no place for; the last one gives way. */
static size_t make_slot(const char *name, lk_layout *out)
{
    size_t slot = out->id_count < LK_IDS ? out->id_count++ : LK_IDS - 1, len = strlen(name);

    for (size_t i = 0; i < LK_COLUMNS_MAX; i++)
        if (out->column_slot[i] == (int8_t)slot)
            out->column_slot[i] = -1;
    for (size_t i = 0; i < LK_ID_KEYS_MAX; i++)
        if (out->key_slot[i] == (int8_t)slot)
            out->key_slot[i] = -1;
    memset(out->id_name[slot], 0, LK_ID_NAME_MAX);
    memcpy(out->id_name[slot], name, len < LK_ID_NAME_MAX ? len : LK_ID_NAME_MAX - 1);
    out->id_is_call[slot] = out->id_is_task[slot] = false;
    return slot;
}

static size_t slot_named(const lk_layout *l, const char *name)
{
    size_t i = 0;

    while (i < l->id_count && strncmp(l->id_name[i], name, LK_ID_NAME_MAX - 1) != 0)
        i++;
    return i;
}

/* Makes the field that the user names the id of calls, or of tasks. */
static void pick_id(const lk_sniffer *s, const char *name, bool has_columns, lk_naming_what what,
                    lk_layout *out)
{
    bool is_task = what == LK_NAMING_TASK;
    size_t slot;

    if (has_columns)
        (void)lk_columns_pick_id(s, name, out);
    slot = slot_named(out, name);
    if (slot == out->id_count) {
        slot = make_slot(name, out);
        out->picked_by_name[what] = true;
    }
    for (size_t i = 0; i < out->id_count; i++) /* one was chosen: no other of its kind is asked */
        out->id_is_off[i] |= i != slot && is_task == out->id_is_task[i];
    out->id_is_call[slot] = !is_task;
    out->id_is_task[slot] = is_task;
    out->id_is_off[slot] = false;
    out->picked_slot[what] = (uint8_t)(slot + 1);
}

/* JSON lines have their attempt number by the path that was added to the known keys. */
static void pick_attempt(const lk_sniffer *s, const char *name, bool has_columns, lk_layout *out)
{
    bool found = (has_columns && lk_columns_pick_attempt(s, name, out)) ||
                 (out->format && out->format->find && !strpbrk(name, " %$,="));

    out->picked_by_name[LK_NAMING_ATTEMPT] = !found;
    out->named_from_zero = s->named_zeros > 0 && s->named_zeros * 2 >= s->named_ones;
}

/* A field that names the units of a layer names no calls. */
static void spare_layers(const lk_naming *n, lk_layout *out)
{
    for (size_t i = 0; i < n->layer_count; i++) {
        size_t slot = slot_named(out, n->layer_field[i]);

        if (slot < out->id_count && out->picked_slot[0] != slot + 1 &&
            out->picked_slot[1] != slot + 1)
            out->id_is_off[slot] = true;
    }
}

static void pick_named(const lk_reading *r, const lk_sniffer *s, lk_layout *out)
{
    const lk_naming *n = &r->naming;

    if (n->field[LK_NAMING_ATTEMPT])
        pick_attempt(s, n->field[LK_NAMING_ATTEMPT], !r->custom, out);
    for (lk_naming_what what = LK_NAMING_CALL; what <= LK_NAMING_TASK; what++)
        if (n->field[what])
            pick_id(s, n->field[what], !r->custom, what, out);
    spare_layers(n, out);
}

/* A log was written before it was changed for the last time, or before now; but for the zones of stamps that
 * name none. */
void lk_reading_unwrap(const lk_reading *r, int64_t changed_ns, lk_unwrap *u)
{
    static const int64_t DAY_NS = INT64_C(86400) * LK_NS_PER_S;
    const bool is_known = changed_ns != LK_TIME_NONE;

    lk_unwrap_init(u, r->max_line);
    u->tells_zone = !r->has_zone;
    u->near_ns = (is_known ? changed_ns : lk_clock_wall_ns()) + DAY_NS - LK_TIME_HALF_YEAR_NS;
    u->near_is_now = !is_known;
}

/* Whatever is asked for, or any format. */
static void any_layout(const lk_reading *r, lk_layout *out)
{
    lk_layout_init(out);
    if (r->custom)
        lk_custom_layout(r->custom, out);
    out->format = r->custom ? out->format : r->forced;
    out->only = r->forced != NULL;
    if (r->paths)
        out->paths = *r->paths;
}

void lk_reading_sniff(const lk_reading *r, lk_unwrap *u, lk_parse_cache *c, const lk_line *line,
                      lk_sniffer *s)
{
    const lk_unwrap_input in = { line->text, line->raw, line->number, line->nuls };
    lk_err ignored = { 0 };
    lk_layout layout;
    lk_fields f;
    lk_reject why;

    if (line->overlong || line->cut)
        return;
    if (lk_unwrap_is_plain(u, line->text)) {
        lk_sniffer_line(s, line->text);
        return;
    }
    any_layout(r, &layout);
    switch (lk_unwrap_line(u, &layout, c, &in, &f, &why, &ignored)) {
    case LK_UNWRAP_FAIL:
    case LK_UNWRAP_HELD: return;
    case LK_UNWRAP_PARSED:
    case LK_UNWRAP_REJECTED:
    case LK_UNWRAP_IGNORED: break;
    }
    s->outer = u->outer;
    s->ahead_ns = u->ahead_ns;
    lk_sniffer_line(s, u->records.p ? u->records : u->text);
    s->outer.is_known = false;
    s->ahead_ns = LK_TIME_NONE;
}

void lk_reading_sniff_attempt(const lk_reading *r, lk_unwrap *u, lk_parse_cache *c,
                              lk_parse_cache *side, const lk_line *line, lk_sniffer *s)
{
    uint8_t which = r->naming.number[LK_NAMING_ATTEMPT];
    lk_slice values[LK_NAMED_MAX];
    lk_layout layout;
    lk_fields f;
    lk_reject why;

    if (line->overlong || line->cut)
        return;
    any_layout(r, &layout);
    if (!lk_layout_parse(&layout, c, lk_unwrap_is_plain(u, line->text) ? line->text : u->text, &f,
                         &why))
        return;
    lk_named_read(&r->naming.asked, &layout, c, side, values);
    s->named_zeros += lk_slice_is(values[which], "0");
    s->named_ones += lk_slice_is(values[which], "1");
}

void lk_reading_decide(const lk_reading *r, const lk_sniffer *s, lk_layout *out)
{
    if (r->custom)
        lk_custom_layout(r->custom, out);
    else if (r->forced)
        lk_sniffer_force(s, r->forced, out);
    else
        lk_sniffer_decide(s, out);
    out->whole_seconds = lk_sniffer_whole_seconds(s);
    out->keep_query = r->keep_query;
    if (r->caller && !r->custom)
        (void)lk_columns_pick_caller(s, r->caller, out);
    pick_named(r, s, out);
}
