#include "api/attempt_stream.h"

#include "api/attempt_line.h"
#include "base/hash.h"
#include "base/time.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 << 10 };

/* Who sent an attempt: the layer of retry that made it of the one before. */
typedef enum sender { SENDER_NONE = 0, SENDER_SDK, SENDER_PROXY, SENDER_JOB } sender;

/* An attempt that waits. */
typedef struct record {
    int64_t start_ns, took_ns, asked_ns, comeback_ns; /* -1 = none */
    uint64_t unit; /* 0 = decided */
    uint64_t call, task;
    uint32_t population, detail;
    uint32_t index, no; /* no: of the call, once it is decided; as logged before; 0 = not known */
    uint16_t status, group;
    uint8_t layer, fate;
    bool failed, rejected, is_try, is_decided;
} record;

struct lk_attempt_stream {
    lk_attempt_stream_options options;
    const lk_attempt_format *format;
    lk_details details;
    record *held; /* [count] in order of arrival */
    size_t count, cap;
    lk_unit_fate *fates; /* [fate_count] of the decision that is going on */
    size_t fate_count, fate_cap;
    uint64_t undecided;
    bool is_begun, is_over;
    lk_buf out;
    lk_arena scratch;
};

const char *lk_attempt_format_name(size_t i)
{
    for (size_t k = 0; LK_ATTEMPT_FORMATS[k].name; k++)
        if (k == i)
            return LK_ATTEMPT_FORMATS[k].name;
    return NULL;
}

lk_code lk_attempt_stream_open(const lk_attempt_stream_options *options, lk_attempt_stream **out,
                               lk_err *e)
{
    const lk_attempt_format *format = LK_ATTEMPT_FORMATS;
    lk_attempt_stream *s;

    while (format->name && strcmp(format->name, options->format) != 0)
        format++;
    if (!format->name)
        return lk_fail(e, LK_EUSAGE, "--format: attempts are printed as jsonl or csv, not as '%.40s'",
                       options->format);
    if (options->redact->kinds && !options->redact->keyed)
        return lk_fail(e, LK_EUSAGE,
                       "--redact needs --redact-key here: numbers for all names would have to be kept");
    s = calloc(1, sizeof(*s));
    if (!s)
        return lk_fail(e, LK_EOOM, "no memory to print attempts");
    s->options = *options;
    s->format = format;
    lk_details_init(&s->details);
    lk_buf_init(&s->out);
    lk_arena_init(&s->scratch, 0);
    *out = s;
    return LK_OK;
}

void lk_attempt_stream_close(lk_attempt_stream *s)
{
    if (!s)
        return;
    lk_arena_release(&s->scratch);
    lk_buf_release(&s->out);
    lk_details_release(&s->details);
    free(s->fates);
    free(s->held);
    free(s);
}

lk_details *lk_attempt_stream_details(lk_attempt_stream *s)
{
    return &s->details;
}

bool lk_attempt_stream_is_over(const lk_attempt_stream *s)
{
    return s->is_over;
}

uint64_t lk_attempt_stream_undecided(const lk_attempt_stream *s)
{
    return s->undecided;
}

/* ---- printing ---- */

static double seconds(int64_t ns)
{
    return ns < 0 ? (double)NAN : (double)ns / 1e9;
}

static lk_code write_out(lk_attempt_stream *s, size_t least, lk_err *e)
{
    if (s->out.failed || s->scratch.failed)
        return lk_fail(e, LK_EOOM, "no memory for the lines of attempts");
    if (s->out.len >= least && s->out.len > 0 && !s->is_over)
        s->is_over = s->options.write(s->options.ctx, s->out.p, s->out.len) != 0;
    if (s->out.len >= least)
        s->out.len = 0;
    return LK_OK;
}

static const char *pseudonym(lk_attempt_stream *s, lk_detail what, const char *text)
{
    static const lk_redact_kind KINDS[LK_DETAILS] = {
        [LK_DETAIL_CALLER] = LK_REDACT_CALLER, [LK_DETAIL_AGENT] = LK_REDACT_AGENT,
        [LK_DETAIL_METHOD] = LK_REDACT_KINDS,  [LK_DETAIL_HOST] = LK_REDACT_HOST,
        [LK_DETAIL_TARGET] = LK_REDACT_TARGET,
    };

    if (what == LK_DETAIL_METHOD || !text[0] || !s->options.redact->kinds)
        return text;
    return lk_redact_fresh(s->options.redact, KINDS[what], text, &s->scratch);
}

static void fill_texts(lk_attempt_stream *s, const record *r, const char *texts[LK_DETAILS])
{
    const lk_intern *agents = &s->options.symbols->populations;

    lk_details_get(&s->details, r->detail, texts);
    if (r->population < agents->count) { /* kept once, not with each attempt */
        const char *agent = lk_arena_text(&s->scratch, lk_intern_text(agents, r->population));

        texts[LK_DETAIL_AGENT] = agent ? agent : "";
    }
    for (size_t i = 0; i < LK_DETAILS; i++)
        texts[i] = pseudonym(s, (lk_detail)i, texts[i]);
}

static lk_code print(lk_attempt_stream *s, const lk_linker *l, const record *r, lk_err *e)
{
    static const char *const LAYERS[] = {
        [SENDER_NONE] = NULL, [SENDER_SDK] = "sdk", [SENDER_PROXY] = "proxy", [SENDER_JOB] = "job"
    };
    static const char *const OUTCOMES[LK_FATES] = {
        [LK_FATE_RECOVERED] = "recovered",
        [LK_FATE_FAILED] = "failed",
        [LK_FATE_OPEN] = "open",
        [LK_FATE_FIRST] = "succeeded",
    };
    bool is_known = r->is_decided && lk_linker_knows(l, r->group);
    lk_mark mark = lk_arena_mark(&s->scratch);
    lk_attempt_line line = {
        .start_ns = r->start_ns,
        .duration_s = seconds(r->took_ns),
        .retry_after_s = seconds(r->asked_ns),
        .comeback_s = is_known ? seconds(r->comeback_ns) : (double)NAN,
        .call = is_known ? r->call : 0,
        .task = is_known ? r->task : 0,
        .attempt = is_known ? r->no : 0,
        .layer = is_known ? LAYERS[r->layer] : NULL,
        .outcome = is_known ? OUTCOMES[r->fate] : NULL,
        .status = r->status,
        .failed = r->failed,
        .rejected = r->rejected,
    };

    fill_texts(s, r, line.texts);
    if (!s->is_begun && s->format->head)
        s->format->head(&s->out);
    s->is_begun = true;
    s->format->line(&line, &s->scratch, &s->out);
    lk_arena_rewind(&s->scratch, mark);
    lk_details_drop(&s->details, r->detail);
    s->undecided += !r->is_decided;
    return write_out(s, BLOCK, e);
}

/* ---- decisions ---- */

lk_code lk_attempt_stream_unit(void *stream, const lk_unit_fate *fate, lk_err *e)
{
    lk_attempt_stream *s = stream;

    if (s->fate_count == s->fate_cap) {
        size_t cap = s->fate_cap ? 2 * s->fate_cap : 1024;
        lk_unit_fate *grown = realloc(s->fates, cap * sizeof(*grown));

        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for the fates of %zu units", cap);
        s->fates = grown;
        s->fate_cap = cap;
    }
    s->fates[s->fate_count++] = *fate;
    return LK_OK;
}

static int by_unit(const void *pa, const void *pb)
{
    uint64_t a = ((const lk_unit_fate *)pa)->unit, b = ((const lk_unit_fate *)pb)->unit;

    return (a > b) - (a < b);
}

/* The call that a unit's attempt belongs to, where the unit holds several. */
static void place_in_piece(record *r, const lk_unit_fate *f, uint32_t *before)
{
    uint32_t call = f->piece ? r->index / f->piece : 0;

    *before = f->before;
    r->call = f->call;
    if (!call)
        return;
    r->call = lk_hash_mix(f->call + call) | 1;
    r->index -= call * f->piece;
    *before = 0;
}

static void decide(record *r, const lk_unit_fate *f, uint32_t lines)
{
    bool is_first = r->index == 0 && !r->is_try; /* of the unit */
    bool is_last_call = !f->piece || r->index / f->piece == (lines - 1) / f->piece;
    bool begins_call = is_first ? f->begins_call : f->piece && r->index % f->piece == 0;
    uint32_t before;

    place_in_piece(r, f, &before);
    if (is_first)
        r->comeback_ns = f->pause_ns;
    if (r->is_try)
        r->layer = SENDER_PROXY;
    else if (r->comeback_ns >= 0)
        r->layer = begins_call ? SENDER_JOB : SENDER_SDK;
    if (!r->no || before)
        r->no = before + r->index + 1;
    r->task = f->task;
    r->fate = (uint8_t)(is_last_call ? f->fate : LK_FATE_FAILED);
    r->is_decided = true;
    r->unit = 0;
}

static const lk_unit_fate *fate_of(const lk_attempt_stream *s, uint64_t unit)
{
    lk_unit_fate key = { .unit = unit };

    return s->fate_count ? bsearch(&key, s->fates, s->fate_count, sizeof(key), by_unit) : NULL;
}

/* The attempts of each unit are counted first, to tell its last call from those before it. */
static lk_code apply_fates(lk_attempt_stream *s, lk_err *e)
{
    uint32_t *lines;

    if (!s->fate_count)
        return LK_OK;
    qsort(s->fates, s->fate_count, sizeof(*s->fates), by_unit);
    lines = calloc(s->fate_count, sizeof(*lines));
    if (!lines)
        return lk_fail(e, LK_EOOM, "no memory for the fates of %zu units", s->fate_count);
    for (size_t i = 0; i < s->count; i++) {
        const lk_unit_fate *f = s->held[i].unit ? fate_of(s, s->held[i].unit) : NULL;

        if (f && s->held[i].index >= lines[f - s->fates])
            lines[f - s->fates] = s->held[i].index + 1;
    }
    for (size_t i = 0; i < s->count; i++) {
        const lk_unit_fate *f = s->held[i].unit ? fate_of(s, s->held[i].unit) : NULL;

        if (f)
            decide(&s->held[i], f, lines[f - s->fates]);
    }
    free(lines);
    s->fate_count = 0;
    return LK_OK;
}

/* Prints what is decided; of the others those that stand before `force` as well. */
static lk_code flush(lk_attempt_stream *s, const lk_linker *l, size_t force, lk_err *e)
{
    size_t kept = 0;

    for (size_t i = 0; i < s->count && !s->is_over; i++) {
        if (s->held[i].is_decided || i < force)
            LK_TRY(print(s, l, &s->held[i], e));
        else
            s->held[kept++] = s->held[i];
    }
    s->count = kept;
    return LK_OK;
}

static lk_code make_room(lk_attempt_stream *s, const lk_linker *l, lk_err *e)
{
    size_t max = s->options.held_max;

    if (s->count == s->cap && s->cap < max) {
        size_t cap = s->cap ? 2 * s->cap : 1024;
        record *grown = realloc(s->held, (cap < max ? cap : max) * sizeof(*grown));

        if (!grown)
            return lk_fail(e, LK_EOOM, "no memory for %zu attempts", cap);
        s->held = grown;
        s->cap = cap < max ? cap : max;
    }
    if (s->count < s->cap)
        return LK_OK;
    LK_TRY(flush(s, l, 0, e));
    return s->count > max - max / 4 ? flush(s, l, max / 2, e) : LK_OK;
}

static record record_of(const lk_place *p, const lk_attempt *a)
{
    record r = {
        .start_ns = a->start_ns,
        .took_ns = a->has_took ? a->end_ns - a->start_ns : -1,
        .asked_ns = a->retry_after_ns,
        .comeback_ns = p->is_try ? -1 : p->pause_ns,
        .unit = p->unit,
        .population = a->population,
        .detail = a->value,
        .index = p->index,
        .no = p->no,
        .status = a->status,
        .group = p->group,
        .failed = a->failed,
        .rejected = a->rejected,
        .is_try = p->is_try,
    };

    if (!p->is_settled)
        return r;
    r.call = r.task = p->unit;
    r.unit = 0;
    r.no = p->no ? p->no : 1;
    r.fate = (uint8_t)p->fate;
    r.is_decided = true;
    return r;
}

lk_code lk_attempt_stream_take(lk_attempt_stream *s, const lk_linker *l, const lk_attempt *a,
                               lk_err *e)
{
    record r = record_of(lk_linker_place(l), a);

    LK_TRY(apply_fates(s, e));
    if (!s->count && r.is_decided)
        return print(s, l, &r, e);
    if (s->count >= s->cap)
        LK_TRY(make_room(s, l, e));
    s->held[s->count++] = r;
    return LK_OK;
}

lk_code lk_attempt_stream_finish(lk_attempt_stream *s, const lk_linker *l, lk_err *e)
{
    LK_TRY(apply_fates(s, e));
    LK_TRY(flush(s, l, s->count, e));
    if (!s->is_begun && s->format->head && !s->is_over)
        s->format->head(&s->out);
    return write_out(s, 0, e);
}
