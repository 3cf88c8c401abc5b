#include "api/scale.h"

#include "api/map.h"
#include "api/states.h"
#include "api/tell.h"
#include "base/hash.h"
#include "base/random.h"
#include "input/lines.h"
#include "scale/collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- map ---- */

enum { PART_BYTES = 256 << 10, PART_LEAST = 4 << 10, PARTS_BYTES = 16 << 20 };

typedef struct part {
    char *text; /* [room] */
    size_t len;
} part;

typedef struct parts {
    part *list; /* [count] */
    size_t count;
    lockstep_map_write *write;
    void *ctx;
    size_t room; /* bytes that a part keeps before they are written */
} parts;

static lk_code refused(lk_err *e)
{
    return lk_fail(e, LK_EOUT, "what was written was not taken");
}

static lk_code flush(parts *p, size_t i, lk_err *e)
{
    part *to = &p->list[i];
    size_t len = to->len;

    to->len = 0;
    return len && p->write(p->ctx, i, to->text, len) != 0 ? refused(e) : LK_OK;
}

static lk_code put_line(void *ctx, uint64_t key, bool is_reserved, const char *line, size_t len,
                        lk_err *e)
{
    parts *p = ctx;
    size_t i = is_reserved || p->count == 1 ? 0 : (size_t)(lk_hash_mix(key) % p->count);
    part *to = &p->list[i];

    if (len > p->room - to->len)
        LK_TRY(flush(p, i, e));
    if (len > p->room)
        return p->write(p->ctx, i, line, len) != 0 ? refused(e) : LK_OK;
    memcpy(to->text + to->len, line, len);
    to->len += len;
    return LK_OK;
}

static lk_code open_parts(parts *p, size_t count, lk_err *e)
{
    if (count > LOCKSTEP_MAP_PARTS_MAX)
        return lk_fail(e, LK_EUSAGE, "%zu parts are more than the %d that a map writes", count,
                       LOCKSTEP_MAP_PARTS_MAX);
    p->count = count ? count : 1;
    p->room = PARTS_BYTES / p->count;
    p->room = p->room > PART_BYTES ? PART_BYTES : p->room < PART_LEAST ? PART_LEAST : p->room;
    p->list = calloc(p->count, sizeof(*p->list));
    for (size_t i = 0; p->list && i < p->count; i++)
        if (!(p->list[i].text = malloc(p->room)))
            return lk_fail(e, LK_EOOM, "no memory for %zu parts", p->count);
    return p->list ? LK_OK : lk_fail(e, LK_EOOM, "no memory for %zu parts", p->count);
}

static void close_parts(parts *p)
{
    for (size_t i = 0; p->list && i < p->count; i++)
        free(p->list[i].text);
    free(p->list);
}

static lk_code check_map(const lockstep_options *o, lk_err *e)
{
    if (o->by || o->layer_count || o->sdk_log)
        return lk_fail(e, LK_EUSAGE, "a map keeps no values, layers or SDK logs");
    return LK_OK;
}

static lk_code map_into(lk_analysis *a, const lockstep_options *options,
                        const lockstep_map_options *how, parts *p, lk_err *e)
{
    lk_map_how m = { .options = *how, .sink = put_line, .ctx = p, .seed = lk_random_process_key() };

    LK_TRY(open_parts(p, how->parts, e));
    LK_TRY(lk_analysis_map(a, options, &m, e));
    for (size_t i = 0; i < p->count; i++)
        LK_TRY(flush(p, i, e));
    return LK_OK;
}

lk_code lk_scale_map(lk_analysis *a, const lockstep_options *options, const lockstep_map_options *how,
                     lockstep_map_write *write, void *ctx, lk_err *e)
{
    parts p = { .write = write, .ctx = ctx };
    lk_code code = check_map(options, e);

    if (code == LK_OK)
        code = map_into(a, options, how, &p, e);
    close_parts(&p);
    return code;
}

/* ---- reduce ---- */

typedef struct state_out {
    lockstep_write *write;
    void *ctx;
} state_out;

static lk_code put_state(void *ctx, const char *bytes, size_t len, lk_err *e)
{
    state_out *o = ctx;

    return o->write(o->ctx, bytes, len) != 0 ? refused(e) : LK_OK;
}

static lk_code take_record(lk_collector *c, const lk_line *line, const char *path, lk_err *e)
{
    lk_err why = { 0 };

    if (line->cut)
        return LK_OK; /* the failure of the input comes next */
    if (!line->overlong && lk_collector_take(c, line->text, &why) == LK_OK)
        return LK_OK;
    e->line = line->number;
    (void)snprintf(e->file, sizeof(e->file), "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    return line->overlong ? lk_fail(e, LK_EDATA, "longer than any record") : lk_fail(e, why.code, "%s", why.msg);
}

static lk_code collect(lk_lines *lines, const char *path, lk_collector *c, lk_err *e)
{
    lk_line line;
    lk_step got;

    while ((got = lk_lines_next(lines, &line, e)) == LK_STEP_ITEM)
        LK_TRY(take_record(c, &line, path, e));
    return got == LK_STEP_FAIL ? e->code : lk_collector_finish(c, e);
}

static lk_code reduce(const char *path, state_out *out, lk_err *e)
{
    lk_collector *c = NULL;
    lk_lines *lines;
    lk_code code;

    LK_TRY(lk_lines_open(path, LK_LINE_MAX, &lines, e));
    code = lk_collector_open(put_state, out, &c, e);
    if (code == LK_OK)
        code = collect(lines, path, c, e);
    lk_collector_close(c);
    lk_lines_close(lines);
    return code;
}

static int tell(const lk_err *e, lk_code code, lockstep_error *out)
{
    *out = (lockstep_error){ 0 };
    return code == LK_OK ? 0 : lk_tell(e, out);
}

int lockstep_reduce(const char *path, lockstep_write *write, void *ctx, lockstep_error *error)
{
    state_out out = { write, ctx };
    lk_err e = { 0 };

    return tell(&e, reduce(path, &out, &e), error);
}

/* ---- merge ---- */

static lk_code no_reading_options(const lockstep_options *o, lk_err *e)
{
    if (o->file_count || o->log_format || o->json_keys || o->caller || o->zone || o->since ||
        o->until || o->rejected || o->call_id || o->task_id || o->attempt_no || o->max_line ||
        o->keep_query || o->strict || o->match_count || o->by || o->layer_count || o->rejects)
        return lk_fail(e, LK_EUSAGE, "how lines are read is decided by map, not by merge");
    return LK_OK;
}

lk_code lk_scale_merge(lk_analysis *a, const char *const *paths, size_t count, bool once,
                       const lockstep_options *options, lk_err *e)
{
    lockstep_options *all = LK_NEW(&a->arena, lockstep_options, 1);
    lk_states states = { .count = 0 };
    lk_code code;

    if (!all)
        return lk_fail(e, LK_EOOM, "no memory to merge states");
    LK_TRY(no_reading_options(options, e));
    *all = *options;
    code = lk_states_open(&states, paths, count, once, false, &a->arena, e);
    if (code == LK_OK)
        code = lk_reading_options(lk_states_reading(&states), &a->arena, all, e);
    if (code == LK_OK)
        code = lk_analysis_states(a, all, &states, e);
    lk_states_close(&states);
    return code;
}

int lockstep_merge_states(const char *const *states, size_t count, bool once, lockstep_write *write,
                          void *ctx, lockstep_error *error)
{
    state_out out = { write, ctx };
    lk_states opened = { .count = 0 };
    lk_err e = { 0 };
    lk_arena arena;
    lk_code code;

    lk_arena_init(&arena, 0);
    code = lk_states_open(&opened, states, count, once, true, &arena, &e);
    if (code == LK_OK)
        code = lk_states_merge(&opened, put_state, &out, &e);
    lk_states_close(&opened);
    lk_arena_release(&arena);
    return tell(&e, code, error);
}
