#include "api/map.h"

#include "base/hash.h"
#include "base/time.h"
#include "order/merge.h"
#include "scale/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

typedef struct option_row {
    const char *name;
    size_t offset; /* of a const char * in lockstep_options */
} option_row;

/* clang-format off */
static const option_row ROWS[] = {
    { "--log-format", offsetof(lockstep_options, log_format) },
    { "--json-keys", offsetof(lockstep_options, json_keys) },
    { "--caller", offsetof(lockstep_options, caller) },
    { "--tz", offsetof(lockstep_options, zone) },
    { "--since", offsetof(lockstep_options, since) },
    { "--until", offsetof(lockstep_options, until) },
    { "--rejected", offsetof(lockstep_options, rejected) },
    { "--call-id", offsetof(lockstep_options, call_id) },
    { "--task-id", offsetof(lockstep_options, task_id) },
    { "--attempt-no", offsetof(lockstep_options, attempt_no) },
};
/* clang-format on */

enum { ROW_COUNT = sizeof(ROWS) / sizeof(ROWS[0]) };

lk_code lk_reading_text(const lockstep_options *options, lk_arena *arena, const char **out, lk_err *e)
{
    lk_buf text;

    lk_buf_init(&text);
    lk_buf_text(&text, "");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *value =
            *(const char *const *)(const void *)((const char *)options + ROWS[i].offset);

        if (value)
            lk_buf_printf(&text, "%s=%s\n", ROWS[i].name, value);
    }
    if (options->max_line)
        lk_buf_printf(&text, "--max-line=%zu\n", options->max_line);
    if (options->memory)
        lk_buf_printf(&text, "--memory=%zu\n", options->memory);
    if (options->keep_query)
        lk_buf_text(&text, "--keep-query=1\n");
    if (options->strict)
        lk_buf_text(&text, "--strict=1\n");
    for (size_t i = 0; i < options->match_count; i++)
        lk_buf_printf(&text, "--match=%s\n", options->matches[i]);
    *out = text.failed ? NULL : lk_arena_text(arena, (lk_slice){ text.p, text.len });
    lk_buf_release(&text);
    return *out ? LK_OK : lk_fail(e, LK_EOOM, "no memory for options");
}

static bool take_row(const char *name, const char *value, lockstep_options *out)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strcmp(ROWS[i].name, name) == 0) {
            *(const char **)(void *)((char *)out + ROWS[i].offset) = value;
            return true;
        }
    return false;
}

static lk_code take_option(const char *name, char *value, const char **matches, lockstep_options *out,
                           lk_err *e)
{
    if (take_row(name, value, out))
        return LK_OK;
    if (strcmp(name, "--max-line") == 0) {
        out->max_line = (size_t)strtoull(value, NULL, 10);
    } else if (strcmp(name, "--memory") == 0) {
        out->memory = out->memory ? out->memory : (size_t)strtoull(value, NULL, 10);
    } else if (strcmp(name, "--strict") == 0) {
        out->strict = true;
    } else if (strcmp(name, "--keep-query") == 0) {
        out->keep_query = true;
    } else if (strcmp(name, "--match") == 0) {
        matches[out->match_count++] = value;
        out->matches = matches;
    } else {
        return lk_fail(e, LK_EDATA, "inputs were read with '%.40s', which this program does not know",
                       name);
    }
    return LK_OK;
}

lk_code lk_reading_options(const char *text, lk_arena *arena, lockstep_options *out, lk_err *e)
{
    char *p = lk_arena_printf(arena, "%s", text);
    const char **matches = LK_NEW(arena, const char *, p ? strlen(p) + 1 : 1);

    if (!p || !matches)
        return lk_fail(e, LK_EOOM, "no memory for options");
    out->matches = NULL;
    out->match_count = 0;
    while (*p) {
        char *end = strchr(p, '\n'), *value = strchr(p, '=');

        if (!end || !value || value > end)
            return lk_fail(e, LK_EDATA, "the account of an input names no options");
        *end = *value = '\0';
        LK_TRY(take_option(p, value + 1, matches, out, e));
        p = end + 1;
    }
    return LK_OK;
}

/* ---- the addresses ---- */

static const char *heavy_text(const lk_heavy *h, lk_arena *arena)
{
    char room[LK_VARINT_DIGITS];
    const char *text;
    lk_buf out;

    lk_buf_init(&out);
    lk_buf_add(&out, room, (size_t)(lk_varint_put(room, h->lines) - room));
    lk_buf_add(&out, room, (size_t)(lk_varint_put(room, h->votes) - room));
    for (size_t row = 0; row < LK_HEAVY_ROWS; row++)
        for (size_t i = 0; i < LK_HEAVY_CELLS; i++)
            lk_buf_add(&out, room, (size_t)(lk_varint_put(room, h->cells[row][i]) - room));
    lk_buf_add(&out, room, (size_t)(lk_varint_put(room, h->mark) - room));
    for (size_t i = 0; i < h->len; i++)
        lk_buf_add(&out, room, (size_t)(lk_digits_put(room, (unsigned char)h->text[i], 2) - room));
    text = out.failed ? NULL : lk_arena_text(arena, (lk_slice){ out.p, out.len });
    lk_buf_release(&out);
    return text;
}

static bool read_heavy(const char *p, const char *end, lk_heavy *h)
{
    bool ok = lk_varint_get(&p, end, &h->lines) && lk_varint_get(&p, end, &h->votes);

    for (size_t row = 0; row < LK_HEAVY_ROWS; row++)
        for (size_t i = 0; ok && i < LK_HEAVY_CELLS; i++)
            ok = lk_varint_get(&p, end, &h->cells[row][i]);
    ok = ok && lk_varint_get(&p, end, &h->mark);
    while (ok && p < end) {
        uint64_t byte = 0;

        ok = h->len < LK_HEAVY_TEXT && lk_digits_get(&p, end, 2, &byte) && byte < 256;
        if (ok)
            h->text[h->len++] = (char)byte;
    }
    return ok;
}

lk_code lk_map_heavy_read(const char *text, lk_heavy *addresses, lk_err *e)
{
    lk_heavy h;

    lk_heavy_init(&h);
    if (!read_heavy(text, text + strlen(text), &h))
        return lk_fail(e, LK_EDATA, "the account of an input is damaged");
    lk_heavy_merge(addresses, &h);
    return LK_OK;
}

/* ---- one file ---- */

/* Parts of one file, and pipes, are told apart by what they begin with. */
static uint64_t number_of(const lk_logfile *f, const lockstep_map_options *o)
{
    const char *name = o->name ? o->name : f->path;

    return lk_hash_mix(lk_hash(name, strlen(name)) ^ lk_hash_mix(o->at ^ lk_hash_mix(f->head_hash))) &
           ((UINT64_C(1) << (6 * LK_SOURCE_DIGITS)) - 1);
}

/* The strings past the bounds of an attempt that waits for its turn. */
typedef struct folded {
    uint64_t population, target;
    uint32_t next_free;
} folded;

typedef struct mapping {
    lk_source source; /* first: the file, with what is folded noted */
    lk_source *sources[1];
    lk_logfile *file;
    lk_symbols symbols;
    lk_heavy addresses;
    lk_recorder *recorder;
    lk_merge merge;
    int64_t last_ns;    /* the latest start, of those that were taken             */
    int64_t newest_ns;  /* the latest stamp of all that were read                 */
    int64_t passed_ns;  /* by the line that was read last, where that is behind it */
    folded *notes; /* [note_cap]; lk_attempt.value names one, from 1 */
    size_t note_cap, notes_used;
    uint32_t free_note; /* from 1; 0 = none */
    bool continues; /* a part of a log that others come before: what those were past, it may not know */
} mapping;

static lk_code note(mapping *m, uint32_t *number, lk_err *e)
{
    *number = m->free_note;
    if (*number) {
        m->free_note = m->notes[*number - 1].next_free;
    } else {
        if (m->notes_used == m->note_cap) {
            size_t cap = m->note_cap ? 2 * m->note_cap : 256;
            folded *wider = realloc(m->notes, cap * sizeof(*wider));

            if (!wider)
                return lk_fail(e, LK_EOOM, "no memory for strings");
            m->notes = wider;
            m->note_cap = cap;
        }
        *number = (uint32_t)++m->notes_used;
    }
    m->notes[*number - 1] = (folded){ m->symbols.folded_population, m->symbols.folded_target, 0 };
    return LK_OK;
}

/* A log that has come to some instant is past all that is further back than the reorder window, in whatever
 * company it is read.  What comes later all the same is counted next, after all that began before that:
 * its turn is that instant, where one of the same log alone would know only what itself had counted. */
static void note_place(mapping *m, const lk_attempt *a, int64_t reached_ns)
{
    const int64_t window_ns = m->merge.options.window_ns;

    if (reached_ns >= INT64_MIN + window_ns && a->start_ns < reached_ns - window_ns)
        m->passed_ns = reached_ns - window_ns;
    if (m->newest_ns == LK_TIME_NONE || a->stamp_ns > m->newest_ns)
        m->newest_ns = a->stamp_ns;
}

static lk_step next_noted(lk_source *self, lk_attempt *out, lk_err *e)
{
    mapping *m = (mapping *)self;
    const int64_t reached_ns = m->newest_ns == LK_TIME_NONE ? m->source.first_ns : m->newest_ns;
    lk_step got = m->file->source.next(&m->file->source, out, e);

    lk_recorder_saw(m->recorder, reached_ns);
    if (got == LK_STEP_ITEM)
        note_place(m, out, reached_ns);
    if (got == LK_STEP_ITEM &&
        (out->population == m->symbols.populations.max || out->target == m->symbols.targets.max) &&
        note(m, &out->value, e) != LK_OK) {
        m->file->trouble = *e;
        return LK_STEP_FAIL;
    }
    return got;
}

static void close_noted(lk_source *self)
{
    lk_logfile_close(((mapping *)self)->file);
}

/* The strings of an attempt whose turn has come are the symbols' last ones again. */
static void recall(mapping *m, lk_attempt *a)
{
    folded *f = &m->notes[a->value - 1];

    m->symbols.folded_population = f->population;
    m->symbols.folded_target = f->target;
    f->next_free = m->free_note;
    m->free_note = a->value;
    a->value = 0;
}

static lk_code take(mapping *m, lk_attempt *a, lk_err *e)
{
    const uint64_t population = m->symbols.folded_population, target = m->symbols.folded_target;
    lk_turn turn = { m->merge.last_ns, false,
                     m->continues ? m->merge.last_line : lk_recorder_attempts(m->recorder) };

    if (m->last_ns == LK_TIME_NONE || a->start_ns > m->last_ns)
        m->last_ns = a->start_ns;
    if (a->value)
        recall(m, a);
    if (m->passed_ns > turn.at_ns) {
        turn.at_ns = m->passed_ns;
        turn.is_first = true;
    }
    m->passed_ns = LK_TIME_NONE;
    LK_TRY(lk_recorder_take(m->recorder, a, turn, e));
    m->symbols.folded_population = population; /* of the line that was read last: it may have more tries */
    m->symbols.folded_target = target;
    return LK_OK;
}

/* In the order in which one process would count them, were there no other input. */
static lk_code send_attempts(mapping *m, size_t held_max, lk_err *e)
{
    lk_merge_options options = LK_MERGE_OPTIONS_INIT;
    lk_attempt a;
    lk_step got;

    options.max_held = held_max;
    LK_TRY(lk_merge_init(&m->merge, m->sources, 1, &options, e));
    while ((got = lk_merge_next(&m->merge, &a, e)) == LK_STEP_ITEM)
        LK_TRY(take(m, &a, e));
    lk_logfile_close(m->file);
    return got == LK_STEP_FAIL ? e->code : LK_OK;
}

static const char *moment_name(const lk_layout *l)
{
    return l->moment == LK_MOMENT_START ? "start" : l->moment == LK_MOMENT_END ? "end" : "";
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t len)
{
    return lk_hash_mix(hash ^ lk_hash(bytes, len));
}

/* What parts of one log must agree on. */
static uint64_t layout_hash(const lk_layout *l)
{
    uint64_t hash = l->moment ^ l->column_count << 8 ^ l->caller_column << 16 ^ l->id_count << 24;

    hash = add_bytes(hash, l->columns, sizeof(l->columns));
    hash = add_bytes(hash, l->column_slot, sizeof(l->column_slot));
    hash = add_bytes(hash, l->key_slot, sizeof(l->key_slot));
    hash = add_bytes(hash, l->id_is_call, sizeof(l->id_is_call));
    hash = add_bytes(hash, l->id_is_off, sizeof(l->id_is_off));
    hash = add_bytes(hash, l->id_is_task, sizeof(l->id_is_task));
    hash = add_bytes(hash, l->picked_slot, sizeof(l->picked_slot));
    hash = add_bytes(hash, l->picked_by_name, sizeof(l->picked_by_name));
    for (size_t i = 0; i < LK_IDS; i++)
        hash = add_bytes(hash, l->id_name[i], strlen(l->id_name[i]));
    return lk_hash_mix(hash ^ (uint64_t)(l->has_asked | l->attempt_from_zero << 1 |
                                         l->whole_seconds << 2 | l->named_from_zero << 3));
}

static lk_source_account account_of(const mapping *m, const lk_map_how *how, lk_arena *arena)
{
    const lk_logfile *f = m->file;
    lk_source_account s = {
        .version = LK_RECORD_VERSION,
        .name = how->options.name ? how->options.name : f->path,
        .at = how->options.at,
        .first_ns = f->source.first_ns,
        .last_ns = m->last_ns,
        .newest_ns = m->newest_ns,
        .attempts = lk_recorder_attempts(m->recorder),
        .options = how->reading,
        .format = f->layout.format ? f->layout.format->name : "",
        .compression = f->stats.compression ? f->stats.compression : "none",
        .moment = moment_name(&f->layout),
        .layout = layout_hash(&f->layout),
        .bytes = f->stats.bytes,
        .bytes_out = f->stats.bytes_out,
        .total = f->total,
        .parsed = f->parsed,
        .filtered = f->filtered,
        .rejected = f->rejected,
        .ignored = f->ignored,
        .zoneless = f->zoneless,
        .nameless = f->nameless,
        .id_count = f->layout.id_count,
        .truncated = f->stats.truncated,
        .trouble = f->trouble.code,
        .message = f->trouble.msg,
        .addresses = heavy_text(&m->addresses, arena),
    };

    for (size_t i = 0; i < LK_REJECT_COUNT; i++)
        s.reasons[i] = f->rejected_by[i];
    for (size_t i = 0; i < LK_NAMINGS; i++)
        s.named[i] = f->named[i];
    for (size_t i = 0; i < LK_IDS; i++)
        s.ids[i] = i < f->layout.id_count ? f->layout.id_name[i] : "";
    s.identity = add_bytes(f->content ^ lk_hash_mix(s.total), s.options, strlen(s.options));
    return s;
}

/* In memory of its own: an input that was sent leaves nothing behind. */
static lk_code send_account(const mapping *m, const lk_map_how *how, lk_err *e)
{
    lk_source_account account;
    lk_arena arena;
    lk_buf text;
    lk_code code;

    lk_arena_init(&arena, 0);
    lk_buf_init(&text);
    account = account_of(m, how, &arena);
    if (account.addresses)
        lk_source_account_write(&account, &text);
    code = !account.addresses || text.failed
               ? lk_fail(e, LK_EOOM, "no memory for the account of '%s'", m->file->path)
               : lk_recorder_end(m->recorder, text.p, e);
    lk_buf_release(&text);
    lk_arena_release(&arena);
    return code;
}

static lk_code map_all(mapping *m, const lk_map_how *how, lk_err *e)
{
    uint64_t number = number_of(m->file, &how->options);

    m->file->salt = lk_hash_mix(number); /* in every run the same */
    m->file->hashes_lines = true;
    LK_TRY(lk_symbols_init(&m->symbols, how->seed, e));
    LK_TRY(lk_recorder_open(number, &m->symbols, how->sink, how->ctx, &m->recorder, e));
    LK_TRY(send_attempts(m, how->held_max, e));
    return send_account(m, how, e);
}

lk_code lk_map_file(lk_logfile *f, const lk_map_how *how, lk_err *e)
{
    lk_symbols *symbols = f->symbols;
    lk_heavy *addresses = f->addresses;
    mapping *m = calloc(1, sizeof(*m));
    lk_code code;

    _Static_assert((int)LK_REJECT_COUNT <= (int)LK_SOURCE_REASONS, "an account has room for all reasons");
    _Static_assert((int)LK_NAMINGS <= (int)LK_SOURCE_NAMINGS && (int)LK_IDS == (int)LK_SOURCE_IDS,
                   "an account has room for all names");
    if (!m)
        return lk_fail(e, LK_EOOM, "no memory to map '%s'", f->path);
    m->source = (lk_source){ f->source.first_ns, next_noted, close_noted };
    m->sources[0] = &m->source;
    m->file = f;
    m->continues = how->options.at != 0 && how->options.at != UINT64_MAX;
    m->last_ns = m->newest_ns = m->passed_ns = LK_TIME_NONE;
    lk_heavy_init(&m->addresses);
    f->symbols = &m->symbols;
    f->addresses = &m->addresses;
    code = map_all(m, how, e);
    f->symbols = symbols;
    f->addresses = addresses;
    lk_recorder_close(m->recorder);
    lk_merge_release(&m->merge);
    free(m->notes);
    lk_symbols_release(&m->symbols);
    free(m);
    return code;
}
