#include "format/unwrap.h"

#include "base/hash.h"
#include "base/time.h"
#include "format/export.h"
#include "format/json_records.h"
#include "format/json_lines.h"
#include "format/rows.h"

#include <string.h>

/* Texts of one line that are tried against the log formats, all layers and both passes. */
enum { TEXTS_MAX = 40 };

void lk_unwrap_init(lk_unwrap *u, size_t max_line)
{
    *u = (lk_unwrap){ .max_line = max_line ? max_line : (size_t)1 << 20, .near_ns = LK_TIME_NONE,
                      .year_of_ns = LK_TIME_NONE };
}

static void release_held(lk_held *h)
{
    lk_room_release(&h->text);
    lk_room_release(&h->raw);
}

void lk_unwrap_release(lk_unwrap *u)
{
    for (size_t i = 0; i < LK_UNWRAP_DEPTH; i++)
        lk_room_release(&u->rooms[i]);
    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++)
        release_held(&u->slots[i]);
    release_held(&u->export.message);
}

/* ---- what is held ---- */

static void clear_held(lk_held *h)
{
    h->is_used = false;
    h->text_len = h->raw_len = 0;
    h->lines = 0;
}

static void lose(lk_unwrap *u, lk_held *h, lk_reject why)
{
    if (h->lines > 0 && u->lost)
        u->lost(u->ctx, &(lk_lost){ .lines = h->lines,
                                    .first_number = h->first_number,
                                    .text = { h->text.p ? h->text.p : "", h->text_len },
                                    .raw = { h->raw.p ? h->raw.p : "", h->raw_len },
                                    .why = why });
    clear_held(h);
}

static bool append(lk_room *room, size_t *len, lk_slice s)
{
    char *p = lk_room_reserve(room, *len + s.len + 1);

    if (!p)
        return false;
    if (s.len > 0)
        memcpy(p + *len, s.p, s.len);
    *len += s.len;
    return true;
}

bool lk_held_text(lk_held *h, lk_slice text)
{
    return append(&h->text, &h->text_len, text);
}

bool lk_held_line(const lk_unwrap *u, lk_held *h, const lk_unwrap_input *line)
{
    if (u->keep_raw) {
        if (h->lines > 0 && !append(&h->raw, &h->raw_len, LK_SLICE("\n")))
            return false;
        if (!append(&h->raw, &h->raw_len, line->raw))
            return false;
    }
    if (h->lines++ == 0)
        h->first_number = line->number;
    return true;
}

/* ---- the search ---- */

/* Outcomes of the search beyond those of the caller. */
enum { NOTHING = 100, /* no text inside is of a known format   */
       BLANK,         /* a text inside is blank or a comment   */
       FED,           /* a line of a journal entry             */
       RECORDS,       /* a text inside holds several requests  */
       TOO_LONG };    /* the parts of a line together          */

typedef struct search {
    lk_unwrap *u;
    const lk_layout *layout;
    lk_parse_cache *cache;
    const lk_unwrap_input *line;
    lk_fields *out;
    lk_reject why;
    lk_err *e;
    bool is_last;    /* pass: stamps of wrappers serve, and what does not fit is held or lost */
    bool wants_more; /* the first pass saw what only the last may do */
    unsigned texts;
    const lk_wrapper *path[LK_UNWRAP_DEPTH];
    lk_outer_stamp stamps[LK_UNWRAP_DEPTH];
    lk_slice blank;
    lk_held *held_in; /* where this line was held */
} search;

static int descend(search *x, size_t depth, lk_slice text, uint64_t source);

static int no_memory(search *x)
{
    (void)lk_fail(x->e, LK_EOOM, "no memory for a line of several parts");
    return LK_UNWRAP_FAIL;
}

/* The nearest stamp around depth; of one without a year, by those around it or lines before it. */
static lk_outer outer_at(const search *x, size_t depth)
{
    lk_outer found = { .is_known = false };
    int64_t near_ns = x->u->near_ns;

    for (size_t i = 0; i < depth; i++) {
        lk_outer o = lk_outer_read(&x->stamps[i], near_ns);

        if (!o.is_known)
            continue;
        found = o;
        near_ns = o.at_ns;
    }
    return found;
}

static void tell_zone(const search *x, size_t depth, lk_fields *out)
{
    int64_t ahead_ns;

    x->u->ahead_ns = LK_TIME_NONE;
    for (size_t i = depth; out->zoneless && i-- > 0;) {
        lk_outer o = lk_outer_read(&x->stamps[i], LK_TIME_NONE);

        if (lk_outer_ahead(&o, out, &ahead_ns)) {
            out->stamp_ns -= ahead_ns;
            out->zoneless = false;
            x->u->ahead_ns = ahead_ns;
        }
    }
}

static void keep_layers(search *x, size_t depth)
{
    lk_unwrap *u = x->u;

    u->depth = depth;
    u->is_sure = true;
    for (size_t i = 0; i < depth; i++) {
        u->around[i] = x->path[i];
        u->is_sure = u->is_sure && x->path[i] && x->path[i]->is_sure;
        for (size_t k = 0; LK_WRAPPERS[k]; k++)
            u->layers[k] += LK_WRAPPERS[k] == x->path[i];
        u->entries += x->path[i] == NULL;
    }
}

/* A reader of one text, as lk_layout_parse. */
typedef bool reader(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                    lk_reject *why);

/* Of formats that look for a line anywhere in a text some would find one inside a JSON string. */
static bool read_object(const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out,
                        lk_reject *why)
{
    c->text_len = 0;
    *why = LK_REJECT_UNRECOGNISED;
    if (l->only && l->format->parse != lk_jsonl_parse)
        return false;
    c->row = l->format && l->format->parse == lk_jsonl_parse ? l->format : &LK_FORMAT_JSON;
    c->body = lk_line_body(line);
    return lk_jsonl_parse(l, c, c->body, out, why);
}

static int take_text(search *x, size_t depth, lk_slice text)
{
    x->cache->outer = NULL;
    if (x->out->zoneless && x->u->tells_zone)
        tell_zone(x, depth, x->out);
    x->u->text = text;
    keep_layers(x, depth);
    return LK_UNWRAP_PARSED;
}

static int read_by(search *x, size_t depth, lk_slice text, reader *read)
{
    lk_reject why = LK_REJECT_LINES;
    lk_outer outer = { .is_known = false };

    if (x->texts++ >= TEXTS_MAX)
        return NOTHING;
    if (depth > 0 && text.len > 0 && memchr(text.p, '\n', text.len)) {
        x->why = why;
        return NOTHING;
    }
    if (x->is_last)
        outer = outer_at(x, depth);
    x->cache->outer = outer.is_known ? &outer : NULL;
    if (read(x->layout, x->cache, text, x->out, &why))
        return take_text(x, depth, text);
    x->cache->outer = NULL;
    if (why == LK_REJECT_NONE) {
        if (!x->blank.p)
            x->blank = (lk_slice){ text.p ? text.p : "", text.len };
        return BLANK;
    }
    if (x->why == LK_REJECT_UNRECOGNISED)
        x->why = why;
    return NOTHING;
}

/* One text against the log formats. */
static int read_text(search *x, size_t depth, lk_slice text)
{
    return read_by(x, depth, text, lk_layout_parse);
}

/* A text inside that is no line of log: several JSON objects of which one of the first is? */
static int look_for_records(search *x, size_t depth, lk_slice text)
{
    enum { LOOK_MAX = 8 };
    lk_slice rest, record;
    lk_reject why;

    if (depth == 0 || x->layout->custom || !lk_json_records(text, &rest))
        return NOTHING;
    for (size_t i = 0; i < LOOK_MAX && x->texts < TEXTS_MAX && lk_json_record_next(&rest, &record); i++) {
        x->texts++;
        if (!lk_layout_parse(x->layout, x->cache, record, x->out, &why))
            continue;
        x->u->records = text;
        keep_layers(x, depth);
        return RECORDS;
    }
    return NOTHING;
}

/* The same before what may be inside: only where there can be no doubt. */
static int read_itself(search *x, size_t depth, lk_slice text)
{
    if (x->layout->custom)
        return read_text(x, depth, text);
    return text.len > 0 && text.p[0] == '{' ? read_by(x, depth, text, read_object) : NOTHING;
}

/* ---- parts ---- */

static lk_held *find_held(lk_unwrap *u, const lk_wrapper *w, size_t depth, uint64_t source)
{
    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++) {
        lk_held *h = &u->slots[i];

        if (h->is_used && h->wrapper == w && h->depth == depth && h->source == source)
            return h;
    }
    return NULL;
}

/* A free slot; the oldest is lost for it when there is none. */
static lk_held *new_held(lk_unwrap *u)
{
    lk_held *oldest = &u->slots[0];

    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++) {
        if (!u->slots[i].is_used)
            return &u->slots[i];
        if (u->slots[i].first_number < oldest->first_number)
            oldest = &u->slots[i];
    }
    lose(u, oldest, LK_REJECT_CUT);
    return oldest;
}

static int hold(search *x, const lk_wrapper *w, size_t depth, uint64_t source,
                const lk_peeled *part)
{
    lk_held *h = find_held(x->u, w, depth, source);

    if (!h) {
        h = new_held(x->u);
        h->is_used = h->is_guessed = true;
        h->wrapper = w;
        h->depth = depth;
        h->source = source;
    }
    if (h->text_len + part->text.len > x->u->max_line) {
        lose(x->u, h, LK_REJECT_OVERLONG);
        x->why = LK_REJECT_OVERLONG;
        return TOO_LONG;
    }
    h->is_guessed = h->is_guessed && part->part == LK_PART_GUESSED;
    if (!lk_held_text(h, part->text) || !lk_held_line(x->u, h, x->line))
        return no_memory(x);
    x->held_in = h;
    return LK_UNWRAP_HELD;
}

/* Lines whose text is now part of what the current line was held in. */
static int move_lines(search *x, lk_held *from)
{
    lk_held *to = x->held_in;

    if (from->raw_len > 0 &&
        ((to->raw_len > 0 && !append(&to->raw, &to->raw_len, LK_SLICE("\n"))) ||
         !append(&to->raw, &to->raw_len, (lk_slice){ from->raw.p, from->raw_len })))
        return no_memory(x);
    to->lines += from->lines;
    if (from->first_number < to->first_number)
        to->first_number = from->first_number;
    clear_held(from);
    return LK_UNWRAP_HELD;
}

static int join(search *x, lk_held *h, size_t depth, uint64_t source, lk_slice text)
{
    const size_t before = h->text_len;
    int got;

    if (before + text.len > x->u->max_line)
        return NOTHING;
    if (!lk_held_text(h, text))
        return no_memory(x);
    got = descend(x, depth + 1, lk_wrap_trimmed((lk_slice){ h->text.p, h->text_len }), source);
    if (got == LK_UNWRAP_HELD)
        return move_lines(x, h);
    if (got != LK_UNWRAP_PARSED && got != FED && got != RECORDS) {
        h->text_len = before;
        return got == BLANK ? NOTHING : got;
    }
    x->u->joined += h->lines;
    clear_held(h);
    return got;
}

/* The last part of a line whose first parts are held.  In a file that never has the ends of lines a
 * missing one says nothing: there a text that is a line by itself is one. */
static int finish(search *x, lk_held *h, size_t depth, uint64_t source, lk_slice text)
{
    const bool is_sure = !h->is_guessed || x->u->keeps_ends;
    int got = NOTHING;

    if (is_sure)
        got = join(x, h, depth, source, text);
    if (got == NOTHING)
        got = descend(x, depth + 1, text, source);
    if ((got == LK_UNWRAP_PARSED || got == RECORDS) && h->is_used && h->lines > 0) {
        lose(x->u, h, LK_REJECT_CUT);
        return got;
    }
    if (got == NOTHING && !is_sure)
        got = join(x, h, depth, source, text);
    if (got == NOTHING && x->is_last)
        lose(x->u, h, LK_REJECT_UNRECOGNISED);
    x->wants_more = true;
    return got;
}

static int guessed(search *x, const lk_wrapper *w, size_t depth, uint64_t source,
                   const lk_peeled *part)
{
    int got;

    if (x->u->keeps_ends && part->text.len > 0)
        return hold(x, w, depth, source, part);
    got = descend(x, depth + 1, lk_wrap_trimmed(part->text), source);
    if (got == LK_UNWRAP_PARSED || got == RECORDS) {
        lk_held *h = find_held(x->u, w, depth, source);

        if (h)
            lose(x->u, h, LK_REJECT_CUT);
        return got;
    }
    x->wants_more = true;
    if (got != NOTHING || !x->is_last)
        return got;
    return hold(x, w, depth, source, part);
}

/* ---- layers ---- */

static int inside(search *x, const lk_wrapper *w, size_t depth, uint64_t source, lk_peeled *p)
{
    lk_held *h;

    x->path[depth] = w;
    x->stamps[depth] = p->stamp;
    x->wants_more |= p->stamp.kind != LK_OUTER_NONE;
    source = lk_hash_mix(source ^ p->source);
    x->u->keeps_ends |= p->is_ended;
    if (p->part == LK_PART_MARKED)
        return hold(x, w, depth, source, p);
    if (p->part == LK_PART_GUESSED)
        return guessed(x, w, depth, source, p);
    h = find_held(x->u, w, depth, source);
    return h ? finish(x, h, depth, source, p->text) : descend(x, depth + 1, p->text, source);
}

/* The entry's message was a part of a line: this line, which ended the entry, was none. */
static int move_from_entry(search *x, lk_held *m)
{
    lk_held *to = x->held_in;

    to->lines--;
    if (x->u->keep_raw)
        to->raw_len -= x->line->raw.len + (to->lines > 0);
    to->first_number = to->lines > 0 ? to->first_number : m->first_number;
    return move_lines(x, m) == LK_UNWRAP_FAIL ? LK_UNWRAP_FAIL : FED;
}

/* The entry of a journal export that ends, as one layer. */
static int conclude(search *x, size_t depth, uint64_t source)
{
    lk_export *entry = &x->u->export;
    lk_held *m = &entry->message;
    const bool was_last = x->is_last;
    int got = NOTHING;

    entry->is_open = false;
    if (m->lines == 0)
        return FED;
    x->path[depth] = NULL;
    x->stamps[depth] =
        (lk_outer_stamp){ { entry->stamp, entry->stamp_len },
                          entry->stamp_len > 0 ? LK_OUTER_TEXT : LK_OUTER_NONE };
    for (int pass = 0; pass < 2 && got == NOTHING; pass++) {
        x->is_last = pass > 0;
        got = descend(x, depth + 1, lk_wrap_trimmed((lk_slice){ m->text.p, m->text_len }), source);
    }
    x->is_last = was_last;
    if (got == LK_UNWRAP_PARSED || got == RECORDS || got == BLANK) {
        x->u->joined += m->lines;
        clear_held(m);
        return got == BLANK ? FED : got;
    }
    if (got == LK_UNWRAP_HELD)
        got = move_from_entry(x, m);
    if (got == NOTHING)
        lose(x->u, m, x->why);
    return got == NOTHING ? FED : got;
}

static int feed(search *x, size_t depth, lk_slice text, uint64_t source)
{
    switch (lk_export_feed(x->u, x->line, text)) {
    case LK_EXPORT_OOM: return no_memory(x);
    case LK_EXPORT_MESSAGE: x->held_in = &x->u->export.message; return LK_UNWRAP_HELD;
    case LK_EXPORT_OTHER: return FED;
    case LK_EXPORT_END: return conclude(x, depth, source);
    case LK_EXPORT_STRANGE: break;
    }
    x->u->export.is_open = false; /* cut short: what there is of its message is not to be trusted */
    lose(x->u, &x->u->export.message, LK_REJECT_CUT);
    return descend(x, depth, text, source);
}

static int peel(search *x, size_t depth, lk_slice text, uint64_t source)
{
    int best = NOTHING;

    for (size_t i = 0; LK_WRAPPERS[i]; i++) {
        lk_peeled p;
        int got;

        if (!LK_WRAPPERS[i]->peel(text, &x->u->rooms[depth], &p))
            continue;
        got = inside(x, LK_WRAPPERS[i], depth, source, &p);
        if (got != NOTHING && got != BLANK)
            return got;
        if (got == BLANK)
            best = BLANK;
        x->stamps[depth].kind = LK_OUTER_NONE;
    }
    return x->u->rooms[depth].failed ? no_memory(x) : best;
}

static int descend(search *x, size_t depth, lk_slice text, uint64_t source)
{
    const lk_export *entry = &x->u->export;
    int got;

    if (entry->is_open && entry->depth == depth && entry->source == source)
        return feed(x, depth, text, source);
    if (depth == LK_UNWRAP_DEPTH || !lk_wrap_may_begin(text)) {
        got = read_text(x, depth, text);
        return got == NOTHING ? look_for_records(x, depth, text) : got;
    }
    if (read_itself(x, depth, text) == LK_UNWRAP_PARSED)
        return LK_UNWRAP_PARSED;
    if (lk_export_begins(text)) {
        lk_export_open(x->u, depth, source);
        return feed(x, depth, text, source);
    }
    got = peel(x, depth, text, source);
    if (got == NOTHING)
        got = read_text(x, depth, text);
    return got == NOTHING ? look_for_records(x, depth, text) : got;
}

/* By the layers of the last line, when they are beyond doubt and end in a line of log. */
static bool descend_as_before(search *x, uint64_t source)
{
    lk_unwrap *u = x->u;
    lk_slice text = x->line->text;

    if (!u->is_sure || u->depth == 0 || u->export.is_open)
        return false;
    for (size_t i = 0; i < u->depth; i++) {
        const lk_wrapper *w = u->around[i];
        lk_peeled p;

        if (!w->peel(text, &u->rooms[i], &p) || p.part != LK_PART_WHOLE)
            return false;
        source = lk_hash_mix(source ^ p.source);
        if (find_held(u, w, i, source))
            return false;
        x->path[i] = w;
        x->stamps[i] = p.stamp;
        text = p.text;
    }
    if (lk_wrap_may_begin(text) && text.p[0] != '{')
        return false;
    return (text.len > 0 && text.p[0] == '{' ? read_itself(x, u->depth, text)
                                             : read_text(x, u->depth, text)) == LK_UNWRAP_PARSED;
}

static int search_line(search *x)
{
    int got;

    if (descend_as_before(x, 0))
        return LK_UNWRAP_PARSED;
    x->why = LK_REJECT_UNRECOGNISED;
    x->blank = LK_SLICE_NONE;
    x->texts = 0;
    got = descend(x, 0, x->line->text, 0);
    if (got == NOTHING && x->wants_more) {
        x->is_last = true;
        x->texts = 0;
        got = descend(x, 0, x->line->text, 0);
    }
    return got;
}

/* The first line with a time settles the year of those behind it. */
static void settle_year(search *x)
{
    lk_unwrap *u = x->u;
    bool is_yearless = false, has_year = false;

    if (!u->near_is_now)
        return;
    u->near_is_now = false;
    for (size_t i = 0; i < u->depth; i++) {
        is_yearless |= x->stamps[i].kind == LK_OUTER_YEARLESS;
        has_year |= x->stamps[i].kind == LK_OUTER_TEXT;
    }
    if (x->out->by_wrapper && is_yearless && !has_year)
        u->year_of_ns = x->out->stamp_ns;
}

static lk_unwrapped settle(search *x, int got, lk_reject *why)
{
    lk_unwrap *u = x->u;

    *why = LK_REJECT_NONE;
    switch (got) {
    case LK_UNWRAP_PARSED:
        settle_year(x);
        u->near_ns = x->out->stamp_ns;
        u->outer = outer_at(x, u->depth);
        return LK_UNWRAP_PARSED;
    case BLANK:
        u->text = x->blank;
        return LK_UNWRAP_IGNORED;
    case FED:
        u->text = LK_SLICE_NONE;
        return LK_UNWRAP_IGNORED;
    case LK_UNWRAP_HELD:
    case LK_UNWRAP_FAIL: return (lk_unwrapped)got;
    default: break;
    }
    u->text = x->line->text;
    *why = got == RECORDS ? LK_REJECT_UNRECOGNISED : x->why;
    return LK_UNWRAP_REJECTED;
}

lk_unwrapped lk_unwrap_line(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c,
                            const lk_unwrap_input *line, lk_fields *out, lk_reject *why, lk_err *e)
{
    search x = { .u = u, .layout = l, .cache = c, .line = line, .out = out, .e = e };

    u->joined = 0;
    u->outer.is_known = false;
    u->records = LK_SLICE_NONE;
    u->ahead_ns = LK_TIME_NONE;
    return settle(&x, search_line(&x), why);
}

bool lk_unwrap_itself(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, lk_slice line, lk_fields *out)
{
    lk_reject why;

    if (!u->is_sure || u->depth > 0 || u->export.is_open || l->custom || line.len == 0 || line.p[0] != '{')
        return false;
    c->outer = NULL;
    if (!read_object(l, c, line, out, &why))
        return false;
    u->joined = 0;
    u->outer.is_known = false;
    u->records = LK_SLICE_NONE;
    u->ahead_ns = LK_TIME_NONE;
    u->text = line;
    u->near_is_now = false;
    u->near_ns = out->stamp_ns;
    return true;
}

lk_unwrapped lk_unwrap_end(lk_unwrap *u, const lk_layout *l, lk_parse_cache *c, lk_fields *out,
                           lk_err *e)
{
    const lk_unwrap_input none = { .text = LK_SLICE("") };
    search x = { .u = u, .layout = l, .cache = c, .line = &none, .out = out, .e = e };
    lk_export *entry = &u->export;
    lk_reject why;
    int got = FED;

    u->joined = 0;
    u->outer.is_known = false;
    u->records = LK_SLICE_NONE;
    u->ahead_ns = LK_TIME_NONE;
    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++)
        lose(u, &u->slots[i], LK_REJECT_CUT);
    if (entry->is_open && entry->state != LK_EXPORT_FIELD) {
        entry->is_open = false;
        lose(u, &entry->message, LK_REJECT_CUT);
    } else if (entry->is_open) {
        x.why = LK_REJECT_UNRECOGNISED;
        got = conclude(&x, entry->depth, entry->source);
    }
    if (got == LK_UNWRAP_PARSED || got == RECORDS)
        u->joined--;
    return settle(&x, got, &why);
}

void lk_unwrap_drop(lk_unwrap *u)
{
    for (size_t i = 0; i < LK_UNWRAP_SLOTS; i++)
        lose(u, &u->slots[i], LK_REJECT_CUT);
    u->export.is_open = false;
    lose(u, &u->export.message, LK_REJECT_CUT);
}

const char *lk_unwrap_layer(const lk_unwrap *u, size_t i)
{
    const char *last = NULL;

    if (u->entries > 0 && i-- == 0)
        return lk_wrap_name(NULL);
    for (size_t k = 0; LK_WRAPPERS[k]; k++) {
        const char *name = LK_WRAPPERS[k]->name;

        if (u->layers[k] == 0 || (last && strcmp(last, name) == 0))
            continue;
        last = name;
        if (i-- == 0)
            return name;
    }
    return NULL;
}
