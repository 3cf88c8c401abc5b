#include "api/explain.h"
#include "api/reading.h"
#include "base/text.h"
#include "base/time.h"
#include "format/columns.h"
#include "format/foreign.h"
#include "format/json_records.h"
#include "format/misfit.h"
#include "format/named.h"
#include "format/retry_after.h"
#include "format/timeless.h"
#include "input/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PEEK_BYTES = 2 << 20, MISFITS_SHOWN = 10, TEXT_COLUMNS = 100 };

struct explanation {
    lk_arena arena;
    lk_buf *out;
    lk_reading reading;
    lk_layout layout;
    lk_parse_cache cache;
    lk_unwrap unwrap;
    uint64_t total, fit, ignored, misfit;
    uint64_t parts; /* of the ignored */
    const lk_timeless *timeless; /* that a remedy was shown for last */
};

static const char *safe(struct explanation *x, lk_slice s)
{
    char *text = lk_text_safe(&x->arena, s, TEXT_COLUMNS);

    return text ? text : "";
}

static void row(struct explanation *x, const char *name, const char *value)
{
    lk_buf_printf(x->out, "  %-14s %s\n", name, value);
}

static void row_slice(struct explanation *x, const char *name, lk_slice value)
{
    if (value.len)
        row(x, name, safe(x, value));
}

static void row_seconds(struct explanation *x, const char *name, int64_t ns)
{
    char text[48];

    if (ns < 0)
        return;
    (void)snprintf(text, sizeof(text), "%.6g s", (double)ns / 1e9);
    row(x, name, text);
}

static void row_count(struct explanation *x, const char *name, int64_t n)
{
    char text[24];

    if (n <= 0)
        return;
    (void)snprintf(text, sizeof(text), "%" PRId64, n);
    row(x, name, text);
}

static const char *moment_words(lk_moment moment)
{
    switch (moment) {
    case LK_MOMENT_START: return "the start of the request";
    case LK_MOMENT_END: return "the end of the request";
    case LK_MOMENT_UNKNOWN: break;
    }
    return "the start or the end of the request: the log does not show which";
}

static void show_tries(struct explanation *x, const lk_fields *f)
{
    for (size_t i = 0; i < f->try_count && f->try_count > 1; i++) {
        const lk_try *t = &f->tries[i];
        char name[32], status[40];

        (void)snprintf(name, sizeof(name), "try %zu", i + 1);
        if (t->status <= 999)
            (void)snprintf(status, sizeof(status), "%03u%s", t->status,
                           t->redirect ? ", internal redirect" : "");
        else
            (void)snprintf(status, sizeof(status), "status not logged");
        row(x, name, status);
    }
}

/* What was around the line, outermost first. */
static void show_layers(struct explanation *x)
{
    const lk_unwrap *u = &x->unwrap;
    lk_buf names;

    if (u->depth == 0)
        return;
    lk_buf_init(&names);
    for (size_t i = 0; i < u->depth; i++)
        lk_buf_printf(&names, "%s%s", i > 0 ? ", " : "", lk_wrap_name(u->around[i]));
    row(x, "peeled off", names.p ? names.p : "");
    x->out->failed |= names.failed;
    lk_buf_release(&names);
    row_slice(x, "inside", u->text);
}

static void show_status(struct explanation *x, const lk_fields *f)
{
    const char *left = f->gave_up || lk_status_client_gave_up(f->status) ? ", the client gave up" : "";
    char text[48];

    if (f->status <= 999)
        (void)snprintf(text, sizeof(text), "%03u%s", f->status, left);
    else
        (void)snprintf(text, sizeof(text), "none that is known%s", left);
    row(x, "status", text);
}

/* "12 s", "12 s, by an HTTP-date", "malformed" */
static void show_asked(struct explanation *x, const lk_fields *f)
{
    static const char *const WORDS[LK_ASKED_FORMS] = {
        [LK_ASKED_MS] = ", by a header in milliseconds",
        [LK_ASKED_DATE] = ", by an HTTP-date",
        [LK_ASKED_PAST] = "an HTTP-date that was over",
        [LK_ASKED_NEGATIVE] = "negative: no time to wait",
        [LK_ASKED_MALFORMED] = "neither seconds nor an HTTP-date",
    };
    bool at_start = f->moment == LK_MOMENT_START && f->took_ns > 0;
    char text[64];
    int64_t after_ns;
    lk_asked_form form =
        lk_retry_after_of(f, f->stamp_ns + (at_start ? f->took_ns : 0), &after_ns);
    const char *words = WORDS[form] ? WORDS[form] : "";

    if (form == LK_ASKED_NOTHING)
        return;
    if (after_ns < 0)
        (void)snprintf(text, sizeof(text), "%s", words);
    else
        (void)snprintf(text, sizeof(text), "%.6g s%s", (double)after_ns / 1e9, words);
    row(x, "Retry-After", text);
}

static void show_fields(struct explanation *x, uint64_t number, const lk_fields *f)
{
    char text[48];

    lk_buf_printf(x->out, "\nLine %" PRIu64 ", field by field\n", number);
    lk_time_format(f->zoneless ? lk_zone_local_of(&x->reading.zone, f->stamp_ns).at_ns[0]
                               : f->stamp_ns,
                   text);
    show_layers(x);
    row(x, "time", text);
    row(x, "it denotes", moment_words(f->moment));
    if (f->by_wrapper)
        row(x, "which is", "that of what is around the line: it has no time of its own");
    if (x->unwrap.ahead_ns != LK_TIME_NONE)
        row(x, "zone", "told by the stamp around the line");
    else if (f->zoneless)
        row(x, "zone", "none in the log: --tz says which, else UTC");
    row_seconds(x, "duration", f->took_ns);
    row_slice(x, "caller", f->caller);
    row_slice(x, "host", f->host);
    row_slice(x, "method", f->method);
    row_slice(x, "target", f->target);
    show_status(x, f);
    row_slice(x, "user agent", f->agent);
    for (size_t i = 0; i < LK_IDS; i++)
        if (f->id[i].len)
            row(x, safe(x, lk_slice_from(x->layout.id_name[i][0] ? x->layout.id_name[i] : "id")),
                safe(x, f->id[i]));
    row_count(x, "attempt", f->attempt_no);
    row_count(x, "of at most", f->attempt_max);
    show_asked(x, f);
    show_tries(x, f);
}

/* ---- the log's own fields ---- */

enum { OWN_FIELDS_MAX = 100 };

struct own_fields {
    struct explanation *x;
    size_t shown, columns;
    lk_slice key; /* of the column that comes next */
};

/* Of a trailing column of the common family, whose places come in order. */
static const char *role_of(const struct own_fields *own)
{
    const lk_layout *l = &own->x->layout;
    const size_t i = own->columns - 1;

    return i < l->column_count ? lk_role_words(l->columns[i]) : "";
}

static void show_own(void *ctx, lk_slice name, lk_slice value)
{
    struct own_fields *own = ctx;
    const bool is_column = lk_slice_starts(name, "column ");
    const char *role = "";

    if (own->x->cache.row && own->x->cache.row->find == NULL && own->x->layout.column_count > 0) {
        if (!is_column) { /* its place comes next */
            own->key = name;
            return;
        }
        own->columns++;
        role = role_of(own);
    }
    if (own->shown++ >= OWN_FIELDS_MAX)
        return;
    if (own->shown == 1)
        lk_buf_text(own->x->out,
                    "\nIts own fields, by the names that --caller takes\n");
    lk_buf_printf(own->x->out, "  %-14s %s%s%s%s\n",
                  safe(own->x, own->key.p ? own->key : name), safe(own->x, value),
                  role[0] ? " (" : "", role, role[0] ? ")" : "");
    own->key = LK_SLICE_NONE;
}

static void show_own_fields(struct explanation *x)
{
    struct own_fields own = { .x = x, .key = LK_SLICE_NONE };

    lk_named_each(&x->layout, &x->cache, show_own, &own);
    if (own.shown > OWN_FIELDS_MAX)
        lk_buf_printf(x->out, "  and %zu more\n", own.shown - OWN_FIELDS_MAX);
}

/* Once for lines of a kind that follow each other. */
static void show_remedy(struct explanation *x, lk_slice line)
{
    const lk_timeless *form = lk_timeless_row(x->unwrap.depth > 0 ? x->unwrap.text : line);

    if (form == x->timeless)
        return;
    x->timeless = form;
    lk_buf_printf(x->out, "      %s: no time is written;\n      %s\n", form->name, form->remedy);
}

static void show_misfit(struct explanation *x, const lk_line *line, lk_reject why)
{
    lk_custom_place place = { 0 };
    lk_misfit misfit;
    lk_fields f;

    if (x->misfit == 0)
        lk_buf_text(x->out, "\nLines that do not fit\n");
    if (x->misfit >= MISFITS_SHOWN)
        return;
    if (x->reading.custom && !line->cut && !line->overlong &&
        !lk_custom_parse(x->reading.custom, &x->cache, line->text, &f, &why, &place)) {
        misfit.column = place.column;
        (void)snprintf(misfit.want, sizeof(misfit.want), "%s",
                       lk_custom_field_name(x->reading.custom, place.row));
    } else {
        lk_misfit_find(&x->layout, &x->cache, line->text, why, &misfit);
    }
    lk_buf_printf(x->out, "  line %" PRIu64 ", column %zu: %s: expected %s\n      %s\n",
                  line->number, misfit.column, lk_reject_name(why), safe(x, lk_slice_from(misfit.want)),
                  safe(x, line->text));
    if (why == LK_REJECT_NO_TIME)
        show_remedy(x, line->text);
}

/* The first request of a line that holds several records; *why is NONE when it holds nothing. */
static bool find_record(struct explanation *x, lk_slice line, lk_fields *f, lk_reject *why)
{
    lk_slice rest, record;

    if (!lk_json_records(line, &rest))
        return false;
    *why = LK_REJECT_NONE;
    while (lk_json_record_next(&rest, &record))
        if (lk_layout_parse(&x->layout, &x->cache, record, f, why))
            return true;
    return false;
}

static lk_unwrapped read_line(struct explanation *x, const lk_line *line, lk_fields *f,
                              lk_reject *why)
{
    const lk_unwrap_input in = { line->text, line->raw, line->number, line->nuls };
    lk_err ignored = { 0 };

    *why = line->cut ? LK_REJECT_CUT : LK_REJECT_OVERLONG;
    if (line->cut || line->overlong)
        return LK_UNWRAP_REJECTED;
    return lk_unwrap_line(&x->unwrap, &x->layout, &x->cache, &in, f, why, &ignored);
}

static void show_request(struct explanation *x, uint64_t number, const lk_fields *f)
{
    if (x->fit++ > 0)
        return;
    show_fields(x, number, f);
    show_own_fields(x);
}

static void take_joined(struct explanation *x)
{
    x->ignored += x->unwrap.joined;
    x->parts += x->unwrap.joined;
    x->unwrap.joined = 0;
}

static void take_line(struct explanation *x, const lk_line *line)
{
    lk_mark mark = lk_arena_mark(&x->arena);
    lk_reject why;
    lk_fields f;

    x->total++;
    switch (read_line(x, line, &f, &why)) {
    case LK_UNWRAP_PARSED: show_request(x, line->number, &f); break;
    case LK_UNWRAP_IGNORED: x->ignored++; break;
    case LK_UNWRAP_HELD: break; /* told with the line that it is a part of */
    case LK_UNWRAP_REJECTED:
        if (find_record(x, x->unwrap.records.p ? x->unwrap.records : line->text, &f, &why)) {
            show_request(x, line->number, &f);
            break;
        }
        if (why == LK_REJECT_NONE) {
            x->ignored++;
            break;
        }
        show_misfit(x, line, lk_foreign_reason(line->text, why));
        x->misfit++;
        break;
    case LK_UNWRAP_FAIL:
        show_misfit(x, line, lk_foreign_reason(line->text, why));
        x->misfit++;
        break;
    }
    take_joined(x);
    lk_arena_rewind(&x->arena, mark);
}

/* Parts whose line never came. */
static void take_lost(void *ctx, const lk_lost *lost)
{
    struct explanation *x = ctx;
    const lk_line line = { .text = lost->text, .number = lost->first_number };

    show_misfit(x, &line, lk_foreign_reason(lost->text, lost->why));
    x->misfit += lost->lines;
}

static void take_end(struct explanation *x)
{
    lk_err ignored = { 0 };
    lk_fields f;

    const lk_unwrapped got = lk_unwrap_end(&x->unwrap, &x->layout, &x->cache, &f, &ignored);
    lk_reject why;

    if (got == LK_UNWRAP_PARSED || (x->unwrap.records.p && find_record(x, x->unwrap.records, &f, &why)))
        show_request(x, x->total, &f);
    take_joined(x);
}

static void begin_unwrap(struct explanation *x, lk_lines *lines)
{
    const bool keeps_ends = x->unwrap.keeps_ends;
    int64_t changed_ns = LK_TIME_NONE;

    (void)lk_lines_changed(lines, &changed_ns);
    lk_unwrap_release(&x->unwrap);
    lk_reading_unwrap(&x->reading, changed_ns, &x->unwrap);
    x->unwrap.keeps_ends = keeps_ends;
    lk_parse_cache_init(&x->cache);
}

static lk_code sniff(struct explanation *x, lk_lines *lines, lk_err *e)
{
    lk_sniffer *s = malloc(sizeof(*s));
    lk_err ignored = { 0 };
    lk_line line;

    if (!s)
        return lk_fail(e, LK_EOOM, "no memory to recognise a format");
    lk_sniffer_init(s);
    lk_reading_prepare(&x->reading, s);
    lk_lines_record(lines, PEEK_BYTES);
    begin_unwrap(x, lines);
    while (lk_lines_next(lines, &line, &ignored) == LK_STEP_ITEM)
        lk_reading_sniff(&x->reading, &x->unwrap, &x->cache, &line, s);
    lk_reading_decide(&x->reading, s, &x->layout);
    free(s);
    lk_lines_replay(lines);
    begin_unwrap(x, lines);
    x->unwrap.lost = take_lost;
    x->unwrap.ctx = x;
    return LK_OK;
}

static lk_code explain_lines(struct explanation *x, const char *path, lk_lines *lines, lk_err *e)
{
    lk_err trouble = { 0 };
    lk_line line;
    lk_step got;

    LK_TRY(sniff(x, lines, e));
    lk_buf_printf(x->out, "%s: %s, compression %s\n",
                  strcmp(path, "-") == 0 ? "standard input" : safe(x, lk_slice_from(path)),
                  x->layout.format ? x->layout.format->name : "no format that is known",
                  lk_lines_stats_of(lines)->compression);
    if (x->layout.format)
        lk_buf_printf(x->out, "  %s\n", x->layout.format->help);
    while ((got = lk_lines_next(lines, &line, &trouble)) == LK_STEP_ITEM)
        take_line(x, &line);
    take_end(x);
    if (x->misfit > MISFITS_SHOWN)
        lk_buf_printf(x->out, "  and %" PRIu64 " more\n", x->misfit - MISFITS_SHOWN);
    if (got == LK_STEP_FAIL)
        lk_buf_printf(x->out, "\nThe file is damaged: %s\n", trouble.msg);
    lk_buf_printf(x->out,
                  "\n%" PRIu64 " lines: %" PRIu64 " fit, %" PRIu64 " do not, %" PRIu64
                  " are blank or comments",
                  x->total, x->fit, x->misfit, x->ignored - x->parts);
    if (x->parts > 0)
        lk_buf_printf(x->out, ", %" PRIu64 " are parts of others", x->parts);
    lk_buf_text(x->out, "\n");
    return x->out->failed ? lk_fail(e, LK_EOOM, "no memory to explain '%s'", path) : LK_OK;
}

lk_code lk_explain(const char *path, const lockstep_options *options, lk_buf *out, lk_err *e)
{
    struct explanation *x = malloc(sizeof(*x));
    lk_lines *lines = NULL;
    lk_code code;

    if (!x)
        return lk_fail(e, LK_EOOM, "no memory to explain '%s'", path);
    *x = (struct explanation){ .out = out };
    lk_arena_init(&x->arena, 0);
    lk_parse_cache_init(&x->cache);
    code = lk_reading_init(&x->reading, options, &x->arena, e);
    if (code == LK_OK)
        code = lk_lines_open(path, x->reading.max_line, &lines, e);
    if (code == LK_OK)
        code = explain_lines(x, path, lines, e);
    lk_lines_close(lines);
    lk_unwrap_release(&x->unwrap);
    if (code == LK_OK && x->cache.no_memory)
        code = lk_fail(e, LK_EOOM, "no memory to explain '%s'", path);
    code = lk_arena_close(&x->arena, code, e);
    free(x);
    return code;
}
