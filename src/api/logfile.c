#include "api/logfile.h"
#include "api/beside.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/time.h"
#include "format/attempt.h"
#include "format/foreign.h"
#include "format/json_records.h"
#include "format/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_COLUMNS = 160, HASHED_MAX = 64 << 10 };

static void close_source(lk_source *s)
{
    lk_logfile_close((lk_logfile *)s);
}

static lk_step next_attempt(lk_source *s, lk_attempt *out, lk_err *e);

/* ---- opening and closing ---- */

static void keep_wrappers(lk_logfile *f)
{
    const char *name;

    for (size_t i = 0; i + 1 < LK_WRAPPERS_MAX && (name = lk_unwrap_layer(f->unwrap, i)); i++)
        f->wrappers[i] = name;
}

static void free_room(lk_logfile *f)
{
    if (f->unwrap && f->is_begun)
        f->year_of_ns = f->unwrap->year_of_ns;
    if (f->unwrap)
        lk_unwrap_release(f->unwrap);
    free(f->unwrap);
    free(f->cache);
    free(f->tries);
    free(f->filtering.side);
    free(f->side);
    f->side = NULL;
    for (size_t i = 0; i < LK_REJECTIONS_MAX; i++) {
        free(f->refusing[i].side);
        f->refusing[i].side = NULL;
    }
    f->unwrap = NULL;
    f->cache = f->filtering.side = NULL;
    f->tries = NULL;
}

static bool make_side(lk_filter_use *use)
{
    use->side = malloc(sizeof(*use->side));
    if (use->side)
        lk_parse_cache_init(use->side);
    return use->side != NULL;
}

static void begin_unwrap(lk_logfile *f)
{
    int64_t changed_ns = f->near_ns;

    if (f->lines)
        (void)lk_lines_changed(f->lines, &changed_ns);
    lk_reading_unwrap(f->reading, changed_ns, f->unwrap);
    f->unwrap->keeps_ends = f->keeps_ends;
    lk_parse_cache_init(f->cache);
}

static bool make_room(lk_logfile *f)
{
    bool reads_twice = f->reading->filter.asked.count > 0;

    f->unwrap = calloc(1, sizeof(*f->unwrap));
    f->cache = malloc(sizeof(*f->cache));
    f->tries = malloc(LK_TRIES_MAX * sizeof(*f->tries));
    f->filtering.side = reads_twice ? malloc(sizeof(*f->filtering.side)) : NULL;
    if (!f->unwrap || !f->cache || !f->tries || (reads_twice && !f->filtering.side))
        return false;
    for (size_t i = 0; i < f->reading->rejection_count; i++)
        if (f->reading->rejections[i].asked.count && !make_side(&f->refusing[i]))
            return false;
    if (f->reading->naming.asked.count) {
        f->side = malloc(sizeof(*f->side));
        if (!f->side)
            return false;
        lk_parse_cache_init(f->side);
    }
    begin_unwrap(f);
    if (reads_twice)
        lk_parse_cache_init(f->filtering.side);
    return true;
}

static void close_lines(lk_logfile *f)
{
    f->stats = *lk_lines_stats_of(f->lines);
    if (f->is_begun) {
        lk_unwrap_drop(f->unwrap);
        keep_wrappers(f);
    }
    lk_lines_close(f->lines);
    f->lines = NULL;
    free_room(f);
    if (f->is_holding)
        (void)atomic_fetch_sub(f->descriptors, 1);
    f->is_holding = false;
}

static lk_code no_memory(const lk_logfile *f, lk_err *e)
{
    return lk_fail(e, LK_EOOM, "no memory to read '%s'", f->path);
}

static lk_code open_lines(lk_logfile *f, lk_err *e)
{
    LK_TRY(lk_lines_open(f->path, f->reading->max_line, &f->lines, e));
    lk_lines_room(f->lines, f->reading->unpack_room);
    if (f->reading->is_strict && f->id.number && lk_lines_strict(f->lines, e) != LK_OK) {
        lk_lines_close(f->lines);
        f->lines = NULL;
        return e->code;
    }
    /* The first look at a file that is read again does not count. */
    lk_lines_meter(f->lines, f->reading->meter, f->id.number || !lk_lines_is_regular(f->lines));
    f->try_count = f->try_at = 0;
    if (make_room(f))
        return LK_OK;
    free_room(f);
    lk_lines_close(f->lines);
    f->lines = NULL;
    return no_memory(f, e);
}

/* A line could not be read that might have been. */
static bool ran_out(const lk_logfile *f)
{
    return f->cache->no_memory || (f->side && f->side->no_memory) ||
           (f->filtering.side && f->filtering.side->no_memory);
}

/* The first lines of the file; damage in them is met again, and told, when they are read for good. */
static lk_code peek(lk_logfile *f, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_line line;

    lk_lines_record(f->lines, f->reading->peek_bytes);
    while (lk_lines_next(f->lines, &line, &trouble) == LK_STEP_ITEM) {
        lk_reading_sniff(f->reading, f->unwrap, f->cache, &line, f->sniffer);
        if (f->reading->naming.field[LK_NAMING_ATTEMPT])
            lk_reading_sniff_attempt(f->reading, f->unwrap, f->cache, f->side, &line, f->sniffer);
    }
    f->keeps_ends = f->unwrap->keeps_ends;
    return trouble.code == LK_EOOM || ran_out(f) ? no_memory(f, e) : LK_OK;
}

/* From the beginning again. */
static void replay(lk_logfile *f)
{
    lk_lines_replay(f->lines);
    lk_unwrap_release(f->unwrap);
    begin_unwrap(f);
}

/* What the first lines show of stamps that name no zone. */
static void foresee_zone(lk_logfile *f)
{
    const lk_sniffer *s = f->sniffer;

    lk_wall_clock_init(&f->clock, &f->reading->zone);
    if (!s->zoneless)
        return;
    f->source.first_ns = lk_zone_local_of(&f->reading->zone, f->source.first_ns).at_ns[0];
    lk_wall_clock_foresee(&f->clock, s->wall_first_ns, s->wall_top_ns, s->wall_stepped);
}

static size_t line_end(lk_slice text, size_t from)
{
    const char *lf = from < text.len ? memchr(text.p + from, '\n', text.len - from) : NULL;

    return lf ? (size_t)(lf - text.p) + 1 : text.len;
}

/* Logs of one server begin with the same comments: what follows them tells them apart. */
static lk_start start_of(lk_slice head)
{
    lk_start s = { .has_data = false };
    size_t first, at = 0, end;

    if (head.len > LK_HEAD_MAX)
        head.len = LK_HEAD_MAX;
    first = end = line_end(head, 0);
    while (at < head.len && head.p[at] == '#') {
        at = end;
        end = line_end(head, at);
    }
    s.len = (uint32_t)head.len;
    s.has_data = at < head.len && head.p[end - 1] == '\n';
    s.head = lk_hash(head.len ? head.p : "", head.len);
    s.data = lk_hash(head.len ? head.p : "", end);
    at = end;
    end = line_end(head, at);
    if (s.has_data && end > at && head.p[end - 1] == '\n')
        s.more = lk_hash(head.p, end) | 1;
    s.line = lk_hash(head.len ? head.p : "", first);
    return s;
}

/* What it takes to tell whether another file is the same. */
static void remember(lk_logfile *f)
{
    const lk_slice head = lk_lines_recorded(f->lines);

    f->id = lk_lines_file(f->lines);
    f->is_regular = lk_lines_is_regular(f->lines);
    f->size = f->is_regular ? lk_lines_size(f->lines) : 0;
    f->head_hash = lk_hash(head.len ? head.p : "", head.len < HASHED_MAX ? head.len : HASHED_MAX);
    f->start = start_of(head);
}

lk_code lk_logfile_open(lk_logfile *f, const char *path, lk_symbols *symbols,
                        const lk_reading *reading, lk_arena *arena, lk_err *e)
{
    *f = (lk_logfile){ .source = { .next = next_attempt, .close = close_source },
                       .path = path,
                       .symbols = symbols,
                       .reading = reading,
                       .arena = arena,
                       .near_ns = LK_TIME_NONE,
                       .year_of_ns = LK_TIME_NONE,
                       .salt = lk_hash_mix((uint64_t)(uintptr_t)f) };
    LK_TRY(open_lines(f, e));
    f->sniffer = malloc(sizeof(*f->sniffer));
    if (!f->sniffer) {
        lk_logfile_close(f);
        return lk_fail(e, LK_EOOM, "no memory to look at '%s'", path);
    }
    lk_sniffer_init(f->sniffer);
    lk_reading_prepare(reading, f->sniffer);
    if (peek(f, e) != LK_OK) {
        lk_logfile_close(f);
        return e->code;
    }
    f->source.first_ns = f->sniffer->first_ns;
    f->order = lk_sniffer_order(f->sniffer);
    foresee_zone(f);
    remember(f);
    if (f->is_regular)
        close_lines(f);
    else
        replay(f);
    return LK_OK;
}

void lk_logfile_settle(lk_logfile *f, const lk_layout *layout)
{
    f->layout = *layout;
    free(f->sniffer);
    f->sniffer = NULL;
}

void lk_logfile_close(lk_logfile *f)
{
    if (f->lines)
        close_lines(f);
    free(f->sniffer);
    f->sniffer = NULL;
}

/* ---- lines ---- */

static void add_sample(lk_logfile *f, uint64_t number, lk_slice line, lk_reject why)
{
    lk_report_sample *s = &f->samples[f->sample_count];
    char *text;

    if (f->sample_count == LK_SAMPLES_MAX)
        return;
    text = lk_text_safe(f->arena, line, SAMPLE_COLUMNS);
    *s = (lk_report_sample){ f->path, (int64_t)number, lk_reject_name(why), text ? text : "",
                             (int64_t)line.len };
    f->sample_count++;
}

/* `lines` physical lines whose text together is `text`. */
static void count_rejects(lk_logfile *f, uint64_t lines, uint64_t number, lk_slice text,
                          lk_reject why)
{
    why = lk_foreign_reason(text, why);
    if (f->is_utf16 && (why == LK_REJECT_BINARY || why == LK_REJECT_UNRECOGNISED))
        why = LK_REJECT_UTF16;
    f->rejected += lines;
    f->rejected_by[why] += lines;
    if (why == LK_REJECT_NO_TIME && !f->timeless)
        f->timeless = lk_timeless_row(f->unwrap->depth > 0 ? f->unwrap->text : text);
    add_sample(f, number, text, why);
}

static void reject(lk_logfile *f, const lk_line *line, lk_reject why)
{
    count_rejects(f, 1, line->number, line->text, why);
    if (f->rejects)
        lk_rejects_line(f->rejects, line->raw);
}

static void take_lost(void *ctx, const lk_lost *lost)
{
    lk_logfile *f = ctx;

    f->held -= lost->lines;
    count_rejects(f, lost->lines, lost->first_number, lost->text, lost->why);
    if (f->rejects)
        lk_rejects_line(f->rejects, lost->raw);
}

static void take_overlong(void *ctx, lk_slice piece, bool begins)
{
    lk_logfile *f = ctx;

    (void)begins;
    lk_rejects_piece(f->rejects, piece);
}

/* Does nothing but the line itself decide what becomes of a request? */
static bool takes_all(const lk_logfile *f)
{
    const lk_reading *r = f->reading;

    return r->filter.count == 0 && r->since_ns == LK_TIME_NONE && r->until_ns == LK_TIME_NONE &&
           r->rejection_count == 0 && r->by == LK_BY_NONE && !r->caller && !f->side && !f->details;
}

/* Before the first line that counts. */
static void begin(lk_logfile *f)
{
    f->is_begun = true;
    f->takes_all = takes_all(f);
    f->unwrap->lost = take_lost;
    f->unwrap->ctx = f;
    f->unwrap->keep_raw = f->rejects != NULL;
    if (f->layout.format && f->layout.format->takes_quotes)
        lk_lines_mark_quotes(f->lines);
    if (f->rejects)
        lk_lines_on_overlong(f->lines, take_overlong, f);
}

/* Before any of its texts gets a number: what is outside is not counted among them either. */
static bool is_outside(const lk_reading *w, const lk_fields *fields)
{
    int64_t at_ns;

    if (w->since_ns == LK_TIME_NONE && w->until_ns == LK_TIME_NONE)
        return false;
    at_ns = lk_attempt_start_ns(fields);
    return (w->since_ns != LK_TIME_NONE && at_ns < w->since_ns) ||
           (w->until_ns != LK_TIME_NONE && at_ns >= w->until_ns);
}

static lk_slice target_of(const lk_logfile *f, const lk_fields *fields, char *room, size_t max)
{
    return f->layout.keep_query ? lk_fields_whole_target(fields, room, max) : fields->target;
}

/* Names of hosts have no case. */
static lk_slice host_of(const lk_fields *fields, char *room, size_t max)
{
    lk_slice host = lk_host_name(fields->host);
    size_t len = host.len < max ? host.len : max;

    for (size_t i = 0; i < len; i++)
        room[i] = (char)(host.p[i] >= 'A' && host.p[i] <= 'Z' ? host.p[i] + ('a' - 'A') : host.p[i]);
    return (lk_slice){ room, len };
}

/* The attempt's value of the field that the report is broken down by. */
static lk_code set_value(lk_logfile *f, const lk_fields *fields, lk_attempt *a, lk_err *e)
{
    char room[LK_TARGET_ROOM];
    lk_slice value = LK_SLICE_NONE;

    switch (f->reading->by) {
    case LK_BY_NONE: return LK_OK;
    case LK_BY_HOST: value = host_of(fields, room, sizeof(room)); break;
    case LK_BY_TARGET: value = target_of(f, fields, room, sizeof(room)); break;
    case LK_BY_CALLER: value = fields->caller; break;
    }
    if (f->beside) {
        lk_beside_add(f->beside, value);
        lk_beside_add(f->beside, a->rejected ? LK_SLICE("r") : LK_SLICE_NONE);
        return LK_OK;
    }
    return lk_breakdown_number(f->breakdown, value, a->rejected, &a->value, e);
}

/* Does --match let it count? */
static bool is_wanted(lk_logfile *f, const lk_fields *fields)
{
    const lk_filter *filter = &f->reading->filter;
    char room[LK_TARGET_ROOM];
    lk_slice target = target_of(f, fields, room, sizeof(room));

    return lk_filter_passes(filter, &f->layout, f->cache, fields, target, &f->filtering);
}

/* Does --rejected name it?  What is refused may be asked again. */
static void judge_rejection(lk_logfile *f, const lk_fields *fields, lk_attempt *a)
{
    const lk_reading *r = f->reading;

    if (!r->rejection_count)
        return;
    a->rejected = false;
    for (size_t i = 0; i < r->rejection_count && !a->rejected; i++)
        a->rejected = lk_filter_passes(&r->rejections[i], &f->layout, f->cache, fields,
                                       fields->target, &f->refusing[i]);
    a->failed |= a->rejected;
}

/* Fields that options name and the format has no place for. */
static void take_named(const lk_logfile *f, const lk_slice *values, lk_fields *fields)
{
    const lk_naming *n = &f->reading->naming;
    const lk_layout *l = &f->layout;

    for (size_t i = LK_NAMING_CALL; i <= LK_NAMING_TASK; i++)
        if (l->picked_by_name[i])
            fields->id[l->picked_slot[i] - 1] = values[n->number[i]];
    if (!l->picked_by_name[LK_NAMING_ATTEMPT])
        return;
    fields->attempt_no = fields->attempt_max = 0;
    if (l->named_from_zero)
        lk_fields_retries(fields, values[n->number[LK_NAMING_ATTEMPT]]);
    else
        lk_fields_attempt(fields, values[n->number[LK_NAMING_ATTEMPT]]);
}

/* The units of the layers that are named. */
static lk_code take_units(lk_logfile *f, const lk_slice *values, lk_attempt *a, lk_err *e)
{
    const lk_naming *n = &f->reading->naming;
    lk_slice units[LK_NAMED_LAYERS_MAX];

    for (size_t i = 0; i < n->layer_count; i++)
        units[i] = values[n->layer_number[i]];
    for (size_t i = 0; i < n->layer_count && f->beside; i++)
        lk_beside_add(f->beside, units[i]);
    if (f->beside)
        return LK_OK;
    return lk_above_number(f->above, a->population, units, &a->above, e);
}

/* The attempt of the fields, with what options name. */
static lk_code make_attempt(lk_logfile *f, lk_fields *fields, lk_attempt *out, lk_err *e)
{
    lk_slice values[LK_NAMED_MAX];
    const lk_layout *l = &f->layout;

    if (f->beside)
        f->beside->len = 0;
    if (!f->side)
        return lk_attempt_from(fields, l, f->symbols, out, e);
    lk_named_read(&f->reading->naming.asked, l, f->cache, f->side, values);
    take_named(f, values, fields);
    LK_TRY(lk_attempt_from(fields, l, f->symbols, out, e));
    for (size_t i = LK_NAMING_CALL; i <= LK_NAMING_TASK; i++)
        f->named[i] += l->picked_slot[i] && out->id[l->picked_slot[i] - 1];
    f->named[LK_NAMING_ATTEMPT] += out->attempt_no > 0;
    return f->reading->naming.layer_count ? take_units(f, values, out, e) : LK_OK;
}

static void count_parsed(lk_logfile *f, const lk_fields *fields)
{
    f->parsed++;
    f->zoneless += fields->zoneless;
    f->by_wrapper += fields->by_wrapper;
    f->nameless += f->reading->caller && !fields->caller_chosen;
}

static lk_step filter_out(lk_logfile *f, lk_line_fate *fate)
{
    if (*fate < LK_LINE_FILTERED) {
        f->filtered++;
        *fate = LK_LINE_FILTERED;
    }
    return LK_STEP_END;
}

/* Its texts, for `uses` attempts; the user agent only where the symbols have no room for it. */
static lk_code keep_texts(lk_logfile *f, const lk_fields *fields, uint32_t uses, lk_attempt *a, lk_err *e)
{
    char room[LK_TARGET_ROOM], host[LK_TARGET_ROOM];
    lk_slice texts[LK_DETAILS] = {
        [LK_DETAIL_CALLER] = fields->caller,
        [LK_DETAIL_METHOD] = fields->method,
        [LK_DETAIL_HOST] = host_of(fields, host, sizeof(host)),
        [LK_DETAIL_TARGET] = target_of(f, fields, room, sizeof(room)),
    };

    if (a->population >= f->symbols->populations.count)
        texts[LK_DETAIL_AGENT] = fields->agent;
    return lk_details_add(f->details, texts, uses, &a->value, e);
}

/* The texts of a line, for its attempts. */
static lk_code keep_line(lk_logfile *f, const lk_fields *fields, lk_attempt *a, lk_err *e)
{
    bool has_tries = fields->try_count > 1;

    LK_TRY(keep_texts(f, fields, has_tries ? (uint32_t)f->try_count : 1, a, e));
    for (size_t i = 0; has_tries && i < f->try_count; i++)
        f->tries[i].value = a->value;
    return LK_OK;
}

/* The only request of a line, where all are taken. */
static lk_step take_one(lk_logfile *f, const lk_fields *fields, lk_line_fate *fate, lk_attempt *out, lk_err *e)
{
    if (lk_attempt_from(fields, &f->layout, f->symbols, out, e) != LK_OK)
        return LK_STEP_FAIL;
    f->parsed++;
    f->by_wrapper += fields->by_wrapper;
    *fate = LK_LINE_PARSED;
    if (f->addresses)
        lk_heavy_add(f->addresses, fields->caller);
    return LK_STEP_ITEM;
}

/* One request; *fate is what its line was so far, and is then. */
static lk_step take_request(lk_logfile *f, lk_fields *fields, uint64_t number, lk_line_fate *fate,
                            lk_attempt *out, lk_err *e)
{
    if (f->takes_all && *fate == LK_LINE_IGNORED && !fields->zoneless && fields->try_count <= 1)
        return take_one(f, fields, fate, out, e);
    if (fields->zoneless)
        fields->stamp_ns = lk_wall_clock_read(&f->clock, fields->stamp_ns);
    if (f->reading->filter.count > 0 && !is_wanted(f, fields))
        return filter_out(f, fate);
    if (is_outside(f->reading, fields))
        return filter_out(f, fate);
    if (make_attempt(f, fields, out, e) != LK_OK)
        return LK_STEP_FAIL;
    judge_rejection(f, fields, out);
    if (f->reading->by != LK_BY_NONE && set_value(f, fields, out, e) != LK_OK)
        return LK_STEP_FAIL;
    if (*fate < LK_LINE_PARSED) {
        f->filtered -= *fate == LK_LINE_FILTERED;
        count_parsed(f, fields);
        *fate = LK_LINE_PARSED;
    }
    if (f->addresses)
        lk_heavy_add(f->addresses, fields->caller);
    if (fields->try_count > 1) {
        uint64_t request = lk_hash_mix(f->salt ^ number) | 1;

        f->try_count = lk_attempts_of_tries(fields, out, request, f->tries);
        f->try_at = 1;
        *out = f->tries[0];
    }
    return f->details && keep_line(f, fields, out, e) != LK_OK ? LK_STEP_FAIL : LK_STEP_ITEM;
}

/* The next record of a line that holds several; END when none of the others is a request.  A record
 * that is none does not make its line a reject while another is one. */
static lk_step take_record(lk_logfile *f, lk_attempt *out, lk_err *e)
{
    enum { RECORD_BITS = 40 }; /* above the number of any line */
    lk_step got = LK_STEP_END;
    lk_slice record;
    lk_fields fields;
    lk_reject why;

    while (got == LK_STEP_END && lk_json_record_next(&f->records, &record)) {
        uint64_t number = f->record_line ^ (uint64_t)++f->record_count << RECORD_BITS;

        if (lk_layout_parse(&f->layout, f->cache, record, &fields, &why))
            got = take_request(f, &fields, number, &f->fate, out, e);
        else if (f->record_why == LK_REJECT_NONE)
            f->record_why = why;
    }
    return got;
}

/* A line that is no request itself: the first of its records that is one. */
static lk_step take_records(lk_logfile *f, const lk_line *line, lk_reject why, lk_attempt *out,
                            lk_err *e)
{
    const lk_slice inside = f->unwrap->records;
    lk_step got;

    if (why == LK_REJECT_NONE || !lk_json_records(inside.p ? inside : line->text, &f->records)) {
        if (why == LK_REJECT_NONE)
            f->ignored++;
        else
            reject(f, line, why);
        return LK_STEP_END;
    }
    f->record_line = line->number;
    f->record_count = 0;
    f->record_why = LK_REJECT_NONE;
    f->fate = LK_LINE_IGNORED;
    got = take_record(f, out, e);
    if (got == LK_STEP_END && f->fate == LK_LINE_IGNORED) {
        if (f->record_why == LK_REJECT_NONE)
            f->ignored++;
        else
            reject(f, line, f->record_why);
    }
    return got;
}

static lk_unwrapped read_plain(lk_logfile *f, const lk_line *line, lk_fields *fields,
                               lk_reject *why)
{
    bool is_parsed;

    f->unwrap->records = LK_SLICE_NONE;
    f->cache->quotes = line->quotes;
    is_parsed = lk_layout_parse(&f->layout, f->cache, line->text, fields, why);
    f->cache->quotes = LK_QUOTES_UNKNOWN;
    if (!is_parsed)
        return *why == LK_REJECT_NONE ? LK_UNWRAP_IGNORED : LK_UNWRAP_REJECTED;
    f->unwrap->near_ns = fields->stamp_ns;
    f->unwrap->near_is_now = false;
    return LK_UNWRAP_PARSED;
}

/* The short way of the log's format, for a line as most of it are. */
static bool read_short(lk_logfile *f, const lk_line *line, lk_fields *fields)
{
    const lk_format *format = f->layout.format;
    bool is_read;

    if (!format || !format->read_plain || f->layout.custom || f->unwrap->export.is_open)
        return false;
    f->cache->quotes = line->quotes;
    is_read = format->read_plain(&f->layout, f->cache, line->text, fields);
    f->cache->quotes = LK_QUOTES_UNKNOWN;
    if (!is_read)
        return false;
    f->unwrap->records = LK_SLICE_NONE;
    f->unwrap->near_ns = fields->stamp_ns;
    f->unwrap->near_is_now = false;
    return true;
}

/* What went into the line that was read last. */
static void settle_held(lk_logfile *f)
{
    f->held -= f->unwrap->joined;
    f->ignored += f->unwrap->joined;
    f->unwrap->joined = 0;
}

static lk_unwrapped read_wrapped(lk_logfile *f, const lk_line *line, lk_fields *fields,
                                 lk_reject *why, lk_err *e)
{
    const lk_unwrap_input in = { line->text, line->raw, line->number, line->nuls };
    lk_unwrapped got;

    if (lk_unwrap_itself(f->unwrap, &f->layout, f->cache, line->text, fields))
        return LK_UNWRAP_PARSED;
    got = lk_unwrap_line(f->unwrap, &f->layout, f->cache, &in, fields, why, e);
    settle_held(f);
    return got;
}

/* Accounts for one line; ITEM when it is an attempt to pass on, END when the next is to be read. */
static lk_step take_line(lk_logfile *f, const lk_line *line, lk_attempt *out, lk_err *e)
{
    lk_reject why = LK_REJECT_UNRECOGNISED;
    lk_line_fate fate = LK_LINE_IGNORED;
    lk_fields fields;

    f->total++;
    if (line->number == 1)
        f->is_utf16 = lk_foreign_is_utf16_mark(line->text);
    if (line->overlong || line->cut) {
        reject(f, line, line->cut ? LK_REJECT_CUT : LK_REJECT_OVERLONG);
        return LK_STEP_END;
    }
    if (read_short(f, line, &fields))
        return take_request(f, &fields, line->number, &fate, out, e);
    switch (lk_unwrap_is_plain(f->unwrap, line->text)
                ? read_plain(f, line, &fields, &why)
                : read_wrapped(f, line, &fields, &why, e)) {
    case LK_UNWRAP_PARSED: return take_request(f, &fields, line->number, &fate, out, e);
    case LK_UNWRAP_REJECTED: return take_records(f, line, why, out, e);
    case LK_UNWRAP_IGNORED: f->ignored++; break;
    case LK_UNWRAP_HELD: f->held++; break;
    case LK_UNWRAP_FAIL: return LK_STEP_FAIL;
    }
    return LK_STEP_END;
}

/* No line comes any more; what is held may be one. */
static lk_step take_end(lk_logfile *f, lk_attempt *out, lk_err *e)
{
    lk_line_fate fate = LK_LINE_IGNORED;
    lk_fields fields;
    lk_unwrapped got;

    f->is_over = true;
    got = lk_unwrap_end(f->unwrap, &f->layout, f->cache, &fields, e);
    settle_held(f);
    if (got == LK_UNWRAP_FAIL)
        return LK_STEP_FAIL;
    if (got == LK_UNWRAP_REJECTED && f->unwrap->records.p) {
        const lk_line last = { .number = f->total + 1, .text = f->unwrap->records };

        f->held--;
        return take_records(f, &last, LK_REJECT_UNRECOGNISED, out, e);
    }
    if (got != LK_UNWRAP_PARSED)
        return LK_STEP_END;
    f->held--;
    return take_request(f, &fields, f->total + 1, &fate, out, e);
}

/* Of an overlong line its first bytes. */
static void hash_line(lk_logfile *f, const lk_line *line)
{
    f->content = lk_hash_mix(f->content ^ lk_hash(line->raw.len ? line->raw.p : "", line->raw.len)) +
                 line->raw.len;
}

static lk_step next_line(lk_logfile *f, lk_attempt *out, lk_err *e)
{
    lk_step got, taken;
    lk_line line;

    while ((got = lk_lines_next(f->lines, &line, e)) == LK_STEP_ITEM) {
        if (f->hashes_lines)
            hash_line(f, &line);
        taken = take_line(f, &line, out, e);
        if (taken != LK_STEP_END)
            return taken;
    }
    if (got == LK_STEP_FAIL) {
        lk_unwrap_drop(f->unwrap);
        return got;
    }
    if (ran_out(f))
        return no_memory(f, e), LK_STEP_FAIL;
    return f->is_over ? LK_STEP_END : take_end(f, out, e);
}

static lk_code open_again(lk_logfile *f, lk_err *e)
{
    LK_TRY(open_lines(f, e));
    if (!f->descriptors)
        return LK_OK;
    f->is_holding = atomic_fetch_add(f->descriptors, 1) < LK_DESCRIPTORS_MAX;
    if (!f->is_holding) {
        (void)atomic_fetch_sub(f->descriptors, 1);
        lk_lines_let_go(f->lines);
    }
    return LK_OK;
}

static lk_step next_attempt(lk_source *s, lk_attempt *out, lk_err *e)
{
    lk_logfile *f = (lk_logfile *)s;
    lk_step got;

    if (!f->lines && open_again(f, e) != LK_OK) {
        f->trouble = *e;
        return LK_STEP_FAIL;
    }
    if (!f->is_begun)
        begin(f);
    if (f->try_at < f->try_count) {
        *out = f->tries[f->try_at++];
        return LK_STEP_ITEM;
    }
    if (f->records.len > 0) {
        got = take_record(f, out, e);
        if (got != LK_STEP_END)
            return got;
    }
    got = next_line(f, out, e);
    if (got == LK_STEP_FAIL)
        f->trouble = *e;
    return got;
}

/* ---- lines that the caller brings ---- */

lk_code lk_logfile_begin(lk_logfile *f, const char *path, lk_symbols *symbols,
                         const lk_reading *reading, int64_t near_ns, lk_arena *arena, lk_err *e)
{
    *f = (lk_logfile){ .path = path,
                       .symbols = symbols,
                       .reading = reading,
                       .arena = arena,
                       .near_ns = near_ns,
                       .year_of_ns = LK_TIME_NONE,
                       .salt = lk_hash_mix((uint64_t)(uintptr_t)f) };
    lk_layout_init(&f->layout);
    lk_wall_clock_init(&f->clock, &reading->zone);
    if (!make_room(f)) {
        free_room(f);
        return no_memory(f, e);
    }
    f->is_begun = true;
    f->unwrap->lost = take_lost;
    f->unwrap->ctx = f;
    return LK_OK;
}

void lk_logfile_finish(lk_logfile *f)
{
    if (f->unwrap)
        lk_unwrap_drop(f->unwrap);
    free_room(f);
}

lk_step lk_logfile_feed(lk_logfile *f, const lk_line *line, lk_attempt *out, lk_err *e)
{
    if (line) {
        f->try_count = f->try_at = 0;
        return take_line(f, line, out, e);
    }
    if (f->try_at < f->try_count) {
        *out = f->tries[f->try_at++];
        return LK_STEP_ITEM;
    }
    if (ran_out(f))
        return no_memory(f, e), LK_STEP_FAIL;
    return f->records.len > 0 ? take_record(f, out, e) : LK_STEP_END;
}

static const char *note_on_time(const lk_logfile *f, lk_arena *arena)
{
    char year[40], at[40];

    year[0] = '\0';
    if (f->year_of_ns != LK_TIME_NONE) {
        lk_time_format(f->year_of_ns, at);
        (void)snprintf(year, sizeof(year), "; it names no year: %.4s is assumed", at);
    }
    return lk_arena_printf(arena,
                           "%" PRIu64 " of %" PRIu64 " requests have no time of their own: the "
                           "stamp of what is around the line stands for it%s",
                           f->by_wrapper, f->parsed, year);
}

const char *lk_logfile_order_note(const lk_logfile *f, lk_arena *arena)
{
    const char *fixed = f->layout.format ? f->layout.format->moment : "";
    const char *order = f->order == LK_MOMENT_START ? "start" : "end";

    if (f->order == LK_MOMENT_UNKNOWN || strcmp(fixed, order) == 0 ||
        (strcmp(fixed, "start") != 0 && strcmp(fixed, "end") != 0))
        return NULL;
    return lk_arena_printf(arena,
                           "its lines stand in the order of stamps that denote the %s of requests, but "
                           "those of '%s' denote the %s, and are read so",
                           order, f->layout.format->name, fixed);
}

static const char *note_on(const lk_logfile *f, lk_arena *arena)
{
    const lk_lines_stats *s = &f->stats;

    if (f->rejected_by[LK_REJECT_UTF16])
        return "the text is UTF-16: iconv -f UTF-16 -t UTF-8 FILE | lockstep analyze - reads it";
    if (s->trailing_bytes)
        return lk_arena_printf(arena,
                               "%" PRIu64 " bytes behind the compressed data, from byte %" PRIu64
                               " on, are ignored",
                               s->trailing_bytes, s->trailing_at);
    if (s->padding_bytes)
        return lk_arena_printf(arena, "%" PRIu64 " zero bytes behind the compressed data",
                               s->padding_bytes);
    if (s->holes)
        return lk_arena_printf(arena, "%" PRIu64 " hole%s of %" PRIu64 " NUL bytes in all",
                               s->holes, s->holes == 1 ? "" : "s", s->hole_bytes);
    if (s->cr_ends_lines)
        return "lines end in CR alone";
    return f->by_wrapper ? note_on_time(f, arena) : lk_logfile_order_note(f, arena);
}

const char *lk_logfile_repeat_note(const lk_logfile *f, lk_arena *arena)
{
    const char *of = f->repeats ? f->repeats : "";

    switch (f->repeat_kind) {
    case LK_REPEAT_NONE: break;
    case LK_REPEAT_FILE: return lk_arena_printf(arena, "the same file as '%s': counted once", of);
    case LK_REPEAT_ALL:
        return lk_arena_printf(arena,
                               "the same content as '%s', %" PRIu64 " line%s: counted once", of,
                               f->repeat_lines, f->repeat_lines == 1 ? "" : "s");
    case LK_REPEAT_START:
        return lk_arena_printf(arena,
                               "all its %" PRIu64 " line%s begin '%s' as well: counted once",
                               f->repeat_lines, f->repeat_lines == 1 ? "" : "s", of);
    }
    return NULL;
}

static const char *problem_of(const lk_logfile *f, lk_arena *arena)
{
    const char *repeat = lk_logfile_repeat_note(f, arena);

    if (f->trouble.code == LK_OK)
        return repeat ? repeat : note_on(f, arena);
    return lk_arena_printf(arena, "%s%s%s", f->trouble.msg, repeat ? "; " : "",
                           repeat ? repeat : "");
}

void lk_logfile_move(lk_logfile *f, lk_arena *arena)
{
    for (size_t i = 0; i < f->sample_count; i++) {
        const char *text = lk_arena_text(arena, lk_slice_from(f->samples[i].text));

        f->samples[i].text = text ? text : "";
    }
    f->arena = arena;
}

static void copy_sample(lk_logfile *into, const lk_report_sample *s)
{
    lk_report_sample *copy = &into->samples[into->sample_count];
    const char *text = lk_arena_text(into->arena, lk_slice_from(s->text));

    if (!text)
        return;
    *copy = *s;
    copy->text = text;
    into->sample_count++;
}

static void absorb_reading(lk_logfile *into, const lk_logfile *f)
{
    if (!into->layout.id_count)
        into->layout = f->layout;
    into->filtering.present |= f->filtering.present;
    if (!into->filtering.names[0] && f->filtering.names[0])
        memcpy(into->filtering.names, f->filtering.names, sizeof(into->filtering.names));
    if (!into->timeless)
        into->timeless = f->timeless;
    for (size_t i = 0; i < f->sample_count && into->sample_count < LK_SAMPLES_MAX; i++)
        copy_sample(into, &f->samples[i]);
}

void lk_logfile_absorb(lk_logfile *into, const lk_logfile *f)
{
    into->total += f->total;
    into->parsed += f->parsed;
    into->filtered += f->filtered;
    into->rejected += f->rejected;
    into->ignored += f->ignored;
    into->zoneless += f->zoneless;
    into->nameless += f->nameless;
    for (size_t i = 0; i < LK_REJECT_COUNT; i++)
        into->rejected_by[i] += f->rejected_by[i];
    for (size_t i = 0; i < LK_NAMINGS; i++)
        into->named[i] += f->named[i];
    absorb_reading(into, f);
}

lk_code lk_logfile_report(const lk_logfile *f, lk_arena *arena, lk_report_file *out, lk_err *e)
{
    const lk_lines_stats *s = &f->stats;

    *out = (lk_report_file){
        .path = f->path,
        .compression = s->compression ? s->compression : "none",
        .format = f->layout.format ? f->layout.format->name : NULL,
        .bytes = (int64_t)s->bytes,
        .bytes_decompressed = (int64_t)s->bytes_out,
        .lines = (int64_t)f->total,
        .rejected = (int64_t)f->rejected,
        .wrappers = f->wrappers,
        .truncated = s->truncated,
        .first_ns = f->source.first_ns,
    };
    out->problem = problem_of(f, arena);
    if (f->trouble.code != LK_OK && !out->problem)
        return lk_fail(e, LK_EOOM, "no memory for the account of '%s'", f->path);
    return LK_OK;
}
