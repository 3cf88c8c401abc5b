#include "api/states.h"

#include "api/map.h"
#include "base/time.h"
#include "base/whole.h"
#include "order/merge.h"
#include "scale/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static lk_code open_all(lk_states *s, lk_err *e)
{
    s->states = calloc(s->count + 1, sizeof(*s->states));
    if (!s->states)
        return lk_fail(e, LK_EOOM, "no memory for %zu states", s->count);
    for (size_t i = 0; i < s->count; i++)
        LK_TRY(lk_state_open(&s->states[i], s->paths[i], e));
    return LK_OK;
}

/* As the indexes have them, before anything is read. */
static lk_code count_ahead(lk_states *s, lk_err *e)
{
    size_t count = s->dictionary.source_count;

    s->seen = calloc(count + 1, sizeof(*s->seen));
    if (!s->seen)
        return lk_fail(e, LK_EOOM, "no memory for %zu inputs", count);
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->states[i].sources.count; k++)
            s->seen[s->dictionary.of_state[i][k]] += s->states[i].sources.counts[k];
    return LK_OK;
}

/* What is missing is told before the states are read, what is there twice as well: unless it counts
 * once, when only reading tells. */
static lk_code check(lk_states *s, bool missing_ok, lk_err *e)
{
    LK_TRY(lk_dictionary_check_reading(&s->dictionary, e));
    LK_TRY(count_ahead(s, e));
    if (!s->once)
        LK_TRY(lk_dictionary_check_counts(&s->dictionary, s->seen, missing_ok, e));
    memset(s->seen, 0, s->dictionary.source_count * sizeof(*s->seen));
    return LK_OK;
}

static bool is_first(const void *ctx, uint32_t source, lk_slice rest)
{
    return lk_dictionary_is_first(ctx, source, rest);
}

/* The part of a log behind others is past what those were past. */
static lk_code find_floors(lk_states *s, lk_arena *arena, lk_err *e)
{
    const lk_merge_options order = LK_MERGE_OPTIONS_INIT;
    const size_t count = s->dictionary.source_count;

    s->floor_ns = LK_NEW(arena, int64_t, count + 1);
    if (!s->floor_ns)
        return lk_fail(e, LK_EOOM, "no memory for %zu inputs", count);
    for (size_t i = 0; i < count; i++)
        s->floor_ns[i] = lk_later(s->dictionary.before_ns[i], -order.window_ns);
    return LK_OK;
}

static lk_step next_of(lk_source *self, lk_attempt *out, lk_err *e)
{
    return lk_states_next((lk_states *)(void *)self, out, e);
}

static void close_nothing(lk_source *self)
{
    (void)self;
}

lk_code lk_states_open(lk_states *s, const char *const *paths, size_t count, bool once,
                       bool missing_ok, lk_arena *arena, lk_err *e)
{
    const lk_repeats repeats = !once        ? LK_REPEATS_REFUSED
                               : missing_ok ? LK_REPEATS_KEPT
                                            : LK_REPEATS_LEFT_OUT;
    lk_gather_options options;

    *s = (lk_states){ .paths = paths, .count = count, .once = once, .last_ns = LK_TIME_NONE,
                       .source = { LK_TIME_NONE, next_of, close_nothing } };
    LK_TRY(open_all(s, e));
    LK_TRY(lk_dictionary_open(&s->dictionary, s->states, count, repeats, arena, e));
    LK_TRY(check(s, missing_ok, e));
    LK_TRY(find_floors(s, arena, e));
    options = (lk_gather_options){ .states = s->states,
                                   .state_count = count,
                                   .sources = s->dictionary.of_state,
                                   .rank = s->dictionary.rank,
                                   .floor_ns = missing_ok ? NULL : s->floor_ns,
                                   .is_first = is_first,
                                   .ctx = &s->dictionary,
                                   .once = once };
    return lk_gather_open(&options, &s->gather, e);
}

void lk_states_close(lk_states *s)
{
    lk_gather_close(s->gather);
    lk_dictionary_close(&s->dictionary);
    for (size_t i = 0; s->states && i < s->count; i++)
        lk_state_close(&s->states[i]);
    free(s->states);
    free(s->seen);
    *s = (lk_states){ 0 };
}

const char *lk_states_reading(const lk_states *s)
{
    for (size_t i = 0; i < s->dictionary.source_count; i++)
        if (lk_dictionary_account(&s->dictionary, i))
            return lk_dictionary_account(&s->dictionary, i)->options;
    return "";
}

/* ---- attempts ---- */

lk_code lk_states_begin(lk_states *s, lk_symbols *symbols, lk_err *e)
{
    return lk_dictionary_number_symbols(&s->dictionary, symbols, e);
}

lk_step lk_states_next_entry(lk_states *s, lk_state_entry *out, lk_err *e)
{
    lk_step got = lk_gather_next(s->gather, out, e);

    if (got == LK_STEP_ITEM)
        s->seen[out->source]++;
    return got;
}

static void count_late(lk_states *s, const lk_attempt *a)
{
    if (a->start_ns < s->last_ns)
        s->late++;
    else
        s->last_ns = a->start_ns;
}

lk_step lk_states_next(lk_states *s, lk_attempt *out, lk_err *e)
{
    lk_state_entry entry;
    lk_step got = lk_states_next_entry(s, &entry, e);

    if (got == LK_STEP_ITEM) {
        if (lk_dictionary_attempt(&s->dictionary, &entry, out, e) != LK_OK)
            return LK_STEP_FAIL;
        count_late(s, out);
        return LK_STEP_ITEM;
    }
    if (got == LK_STEP_END && lk_dictionary_check_counts(&s->dictionary, s->seen, false, e) != LK_OK)
        return LK_STEP_FAIL;
    if (got == LK_STEP_END)
        lk_dictionary_end(&s->dictionary);
    return got;
}

/* ---- the account ---- */

enum { FOREIGN_LINES = 100 };

/* Of a part of a file without a line that counts nothing follows; a whole file of that kind is no log. */
static bool stands_alone(const lk_source_account *a)
{
    return a->parsed || a->filtered || a->trouble ||
           (a->at == UINT64_MAX && a->total >= FOREIGN_LINES && a->rejected == a->total);
}

static bool is_part_of(const lk_logfile *f, const lk_source_account *a)
{
    return a->at != UINT64_MAX && strcmp(f->path, a->name) == 0;
}

static void add_ids(lk_logfile *f, const lk_source_account *a)
{
    if (f->layout.id_count || !a->id_count)
        return;
    f->layout.id_count = a->id_count < LK_IDS ? (size_t)a->id_count : LK_IDS;
    for (size_t i = 0; i < f->layout.id_count; i++)
        (void)snprintf(f->layout.id_name[i], sizeof(f->layout.id_name[i]), "%s", a->ids[i]);
}

static void add_account(lk_logfile *f, const lk_source_account *a)
{
    f->total += a->total;
    f->parsed += a->parsed;
    f->filtered += a->filtered;
    f->rejected += a->rejected;
    f->ignored += a->ignored;
    f->zoneless += a->zoneless;
    f->nameless += a->nameless;
    for (size_t i = 0; i < LK_REJECT_COUNT; i++)
        f->rejected_by[i] += a->reasons[i];
    for (size_t i = 0; i < LK_NAMINGS; i++)
        f->named[i] += a->named[i];
    f->stats.bytes += a->bytes;
    f->stats.bytes_out += a->bytes_out;
    f->stats.truncated |= a->truncated;
    if (a->trouble > LK_OK && a->trouble <= LK_EOUT && f->trouble.code == LK_OK)
        (void)lk_fail(&f->trouble, (lk_code)a->trouble, "%s", a->message);
    add_ids(f, a);
}

static lk_logfile *new_file(const lk_source_account *a, lk_arena *arena)
{
    lk_logfile *f = LK_NEW(arena, lk_logfile, 1);

    if (!f)
        return NULL;
    f->path = a->name;
    f->source.first_ns = a->first_ns;
    f->year_of_ns = LK_TIME_NONE;
    lk_layout_init(&f->layout);
    f->layout.format = a->format[0] ? lk_format_find(a->format) : NULL;
    f->stats.compression = a->compression;
    return f;
}

/* The inputs in their order: those that stand alone have a row, or share it with other parts of their
 * file; the lines of the others are the first row's. */
static lk_code add_rows(const lk_states *s, bool alone, lk_arena *arena, lk_logfile **files,
                        size_t *count, lk_err *e)
{
    const lk_dictionary *d = &s->dictionary;

    for (size_t i = 0; i < d->source_count; i++) {
        const lk_source_account *a = lk_dictionary_account(d, d->of_rank[i]);
        lk_logfile *last = *count ? files[alone ? *count - 1 : 0] : NULL;

        if (!a || d->rank[d->of_rank[i]] == UINT32_MAX || stands_alone(a) != alone)
            continue;
        if (!last || (alone && !is_part_of(last, a))) {
            last = new_file(a, arena);
            if (!last)
                return lk_fail(e, LK_EOOM, "no memory for %zu inputs", d->source_count);
            files[(*count)++] = last;
        }
        add_account(last, a);
    }
    return LK_OK;
}

lk_code lk_states_files(const lk_states *s, lk_heavy *addresses, lk_arena *arena,
                        lk_logfile ***files, size_t *count, lk_err *e)
{
    const lk_dictionary *d = &s->dictionary;

    *files = LK_NEW(arena, lk_logfile *, d->source_count + 1);
    *count = 0;
    if (!*files)
        return lk_fail(e, LK_EOOM, "no memory for %zu inputs", d->source_count);
    for (size_t i = 0; i < d->source_count; i++) {
        const lk_source_account *a = lk_dictionary_account(d, d->of_rank[i]);

        if (a && d->rank[d->of_rank[i]] != UINT32_MAX)
            LK_TRY(lk_map_heavy_read(a->addresses, addresses, e));
    }
    LK_TRY(add_rows(s, true, arena, *files, count, e));
    return add_rows(s, false, arena, *files, count, e);
}

/* ---- one state of all ---- */

static lk_code copy_entries(lk_states *s, lk_state_writer *w, lk_err *e)
{
    lk_state_entry entry;
    lk_step got;

    while ((got = lk_states_next_entry(s, &entry, e)) == LK_STEP_ITEM) {
        LK_TRY(lk_state_sources_index(lk_state_writer_sources(w),
                                      lk_dictionary_number(&s->dictionary, entry.source),
                                      &entry.source, e));
        LK_TRY(lk_state_writer_put(w, &entry, e));
    }
    if (got == LK_STEP_FAIL)
        return e->code;
    LK_TRY(lk_dictionary_check_counts(&s->dictionary, s->seen, true, e));
    return lk_state_writer_end_run(w, e);
}

static lk_code copy_lines(const lk_states *s, lk_state_writer *w, lk_err *e)
{
    lk_code code;
    lk_buf lines;

    lk_buf_init(&lines);
    for (size_t i = 0; i < s->count; i++)
        lk_buf_add(&lines, s->states[i].dictionary, s->states[i].dictionary_len);
    code = lines.failed ? lk_fail(e, LK_EOOM, "no memory for dictionaries")
                        : lk_lines_sort(&lines, e);
    if (code == LK_OK)
        code = lk_state_writer_finish(w, (lk_slice){ lines.p, lines.len }, e);
    lk_buf_release(&lines);
    return code;
}

lk_code lk_states_merge(lk_states *s, lk_state_sink *sink, void *ctx, lk_err *e)
{
    lk_state_writer *w = NULL;
    lk_code code = lk_state_writer_open(sink, ctx, &w, e);

    if (code == LK_OK)
        code = copy_entries(s, w, e);
    if (code == LK_OK)
        code = copy_lines(s, w, e);
    lk_state_writer_close(w);
    return code;
}
